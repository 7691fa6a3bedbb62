import RealmValues

/// Objects that were appended and are not everywhere they belong.
extension WriteTransaction {
  /// Brings the objects that were appended to all tables everywhere they belong.
  func flushPending() throws(StorageError) {
    guard hasPendingObjects else { return }
    for editor in knownEditors { try flush(editor) }
    (hasPendingObjects, hasPendingLinks) = (false, false)
  }

  /// Brings the objects that were appended to a table everywhere they belong.
  func flush(_ editor: TableEditor) throws(StorageError) {
    guard let pending = editor.pending, let first = pending.firstUnindexed else { return }
    let indexed = editor.columns.indices.filter {
      editor.indexRoots[editor.columns[$0].index] != 0
    }
    if pending.hasOnlyRows, pending.keys.count <= 16 {
      let keys = pending.keys
      try pending.empty(into: &editor.clusterRoot, editor.clusters)
      for place in indexed {
        for (row, key) in keys.enumerated() {
          try addToIndex(
            pending.columns[place].cell(row), editor.columns[place], ObjectKey(key), editor)
        }
      }
    } else {
      try pending.empty(into: &editor.clusterRoot, editor.clusters)
      for place in indexed { try addToIndex(editor.columns[place], from: first, editor) }
    }
    let links = pending.links
    // Adding a backlink can lead back to this table.
    pending.end()
    for place in Set(links.map { $0.column }).sorted() {
      let column = editor.columns[place]
      let objects = links.filter { $0.column == place }.map { $0.object }
      if column.kind == .link {
        try addBacklinks(from: objects, column, editor)
      } else {
        for object in objects {
          try replaceLinks(of: .null, by: try cell(editor, column, object), column, object, editor)
        }
      }
    }
  }

  /// Adds the backlinks of single links of many objects.
  private func addBacklinks(
    from objects: [ObjectKey], _ column: TableEditor.Column, _ editor: TableEditor
  ) throws(StorageError) {
    var links: [PendingBacklinks.Entry] = []
    for object in objects {
      if case .key(let target) = try cell(editor, column, object).scalar {
        links.append((target, object))
      }
    }
    guard let opposite = editor.opposite(of: column) else { throw .rejected(.noTable) }
    let hidden = try self.editor(opposite.table).column(opposite.column)
    let place = PendingBacklinks.Place(table: opposite.table, column: hidden.index)
    if pendingBacklinks != nil {
      pendingBacklinks?.added[place, default: []] += links
    } else {
      try apply(PendingBacklinks(added: [place: links]))
    }
  }

  /// The object with a value in the column of the primary key, appended objects included.
  func findAlsoPending(
    _ value: ScalarValue, _ column: TableEditor.Column, _ editor: TableEditor
  ) throws(StorageError) -> ObjectKey? {
    if let pending = editor.pending, !pending.isEmpty {
      let found = try pending.primaryKeys.find(value) { (object) throws(StorageError) in
        guard let row = pending.row(of: object) else {
          return try cell(editor, column, object).scalar == value
        }
        let place = editor.columns.firstIndex { $0.key == column.key }
        return place.map { pending.columns[$0].cell(row).scalar == value } ?? false
      }
      if let found { return found }
    }
    return try find(value, column, editor)
  }
}
