public import RealmValues

/// Source: file-format-writing.md 8.8.
extension WriteTransaction {
  /// Deletes objects as `deleteObject` does; what is not there is passed over.
  ///
  /// - Parameter objects: Their keys, ascending.
  /// - Returns: how many of the objects there were.
  @discardableResult
  public func deleteObjects(
    _ table: TableKey, _ objects: [ObjectKey]
  ) throws(StorageError) -> Int {
    let editor = try editor(table)
    precondition(isAscending(objects), "the objects are not in order")
    let present = try presentObjects(objects, editor)
    let linked = try linkedObjects(present, editor)
    for object in linked where try hasObject(editor, object) { try delete(object, editor) }
    // Objects below others of an embedded table are gone with those.
    let rest = linked.isEmpty ? present : try presentObjects(objects, editor)
    guard !rest.isEmpty else { return present.count }
    var emptied: [TableEditor.Column] = []
    for column in editor.columns where editor.indexRoots[column.index] != 0 {
      if try isMost(rest, of: editor) {
        try emptyIndex(column, editor)
        emptied.append(column)
      } else {
        try removeFromIndex(rest, column, editor)
      }
    }
    let clusters = editor.clusters
    try clusters.remove(&editor.clusterRoot, rest)
    log.addRemovals(rest, from: editor.key)
    for column in emptied { try addToIndex(column, from: ObjectKey(0), editor) }
    return present.count
  }

  /// Those of some objects that there are.
  private func presentObjects(
    _ objects: [ObjectKey], _ editor: TableEditor
  ) throws(StorageError) -> [ObjectKey] {
    var result: [ObjectKey] = []
    result.reserveCapacity(objects.count)
    let clusters = editor.clusters
    try clusters.edit(&editor.clusterRoot, objects[...]) { (_, leaf, rows) in
      for row in rows { result.append(ObjectKey(Int64(bitPattern: leaf.key(at: row)))) }
    }
    return result
  }

  /// Those of some objects that link to others, or that others link to.
  private func linkedObjects(
    _ objects: [ObjectKey], _ editor: TableEditor
  ) throws(StorageError) -> [ObjectKey] {
    let columns = editor.columns.filter {
      $0.isBacklink || $0.kind == .link || $0.kind == .mixed
    }
    guard !columns.isEmpty else { return [] }
    var result: [ObjectKey] = []
    let clusters = editor.clusters
    try clusters.edit(&editor.clusterRoot, objects[...]) { (ref, leaf, rows) throws(StorageError) in
      var isLinked = Array(repeating: false, count: leaf.count)
      for column in columns {
        let values = try store.element(ref, column.index + 1)
        if column.kind == .mixed, column.collection == .none {
          for row in rows {
            switch try editor.clusterColumn(column).leaf.cell(values, row) {
            case .nested, .value(.link): isLinked[row] = true
            default: continue
            }
          }
        } else {
          // 0 is no link, no collection and no entry of a backlink alike.
          for row in rows where try store.element(values, row) != 0 { isLinked[row] = true }
        }
      }
      for row in rows where isLinked[row] {
        result.append(ObjectKey(Int64(bitPattern: leaf.key(at: row))))
      }
    }
    return result
  }
}
