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
    var links: [(target: ObjectKey, origin: ObjectKey)] = []
    for object in objects {
      if case .key(let target) = try cell(editor, column, object).scalar {
        links.append((target, object))
      }
    }
    guard let opposite = editor.opposite(of: column) else { throw .rejected(.noTable) }
    let table = try self.editor(opposite.table)
    let hidden = try table.column(opposite.column)
    links.sort { $0.target != $1.target ? $0.target < $1.target : $0.origin < $1.origin }
    var targets: [ObjectKey] = []
    for link in links where link.target != targets.last { targets.append(link.target) }
    var next = 0
    let clusters = table.clusters
    try clusters.edit(&table.clusterRoot, targets[...]) {
      (ref: inout Int64, leaf, rows) throws(StorageError) in
      var backlinks = try store.element(ref, hidden.index + 1)
      var entries = try store.integers(backlinks)
      try NodeStore.check(rows.last ?? -1, below: entries.count, backlinks)
      for row in rows {
        let target = ObjectKey(Int64(bitPattern: leaf.key(at: row)))
        var origins: [Int64] = []
        while next < links.count, links[next].target <= target {
          if links[next].target == target { origins.append(links[next].origin.rawValue) }
          next += 1
        }
        entries[row] = try addOrigins(origins, to: entries[row])
      }
      try store.replace(&backlinks, entries)
      try store.set(&ref, hidden.index + 1, backlinks)
    }
  }

  /// Adds to an entry of backlinks.
  ///
  /// Source: file-format-writing.md 8.7.
  private func addOrigins(_ origins: [Int64], to entry: Int64) throws(StorageError) -> Int64 {
    let tree = TreeEditor(integersIn: store)
    if entry & 1 == 0, entry != 0 {
      var root = entry
      for origin in origins { try tree.append(&root, .value(.int(origin))) }
      return root
    }
    let all = entry == 0 ? origins : [SearchIndex.objectKey(entry).rawValue] + origins
    if all.count > 1 { return try tree.make(integers: all) }
    return all.first.map { SearchIndex.element(for: ObjectKey($0)) } ?? 0
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
