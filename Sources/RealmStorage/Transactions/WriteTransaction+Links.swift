import RealmValues

/// Backlinks: every link has an entry at its target.
///
/// Source: file-format-writing.md 8.7, 8.8.
extension WriteTransaction {
  /// An object and the table it is in.
  struct Target {
    var table: TableEditor
    var object: ObjectKey
  }

  /// What a cell of a column links to; nil for null and for what is not a link.
  func target(
    of cell: Cell, _ column: TableEditor.Column, _ editor: TableEditor
  ) throws(StorageError) -> Target? {
    guard case .value(let value) = cell else { return nil }
    switch value {
    case .key(let object):
      guard object.rawValue >= 0, let table = editor.opposite(of: column)?.table else {
        return nil
      }
      return Target(table: try self.editor(table), object: object)
    case .link(let table, let object) where object.rawValue >= 0:
      return Target(table: try self.editor(table), object: object)
    default: return nil
    }
  }

  /// Moves the backlinks from what a cell held to what it holds now; an embedded object that lost
  /// its link is deleted.
  func replaceLinks(
    of old: Cell, by new: Cell, _ column: TableEditor.Column, _ object: ObjectKey,
    _ editor: TableEditor
  ) throws(StorageError) {
    if let target = try target(of: new, column, editor) {
      try addBacklink(to: target, column, object, editor)
    }
    if case .nested = new {
      for target in try nestedTargets(of: new) {
        try addBacklink(to: target, column, object, editor)
      }
    }
    if case .nested = old {
      for target in try nestedTargets(of: old) {
        try removeBacklink(from: target, column, object, editor)
      }
    }
    guard let target = try target(of: old, column, editor) else { return }
    try removeBacklink(from: target, column, object, editor)
    if target.table.kind == .embedded { try delete(target.object, target.table) }
  }

  /// The hidden column of a table for the links from a column; made if need be and allowed.
  func backlinkColumn(
    _ table: TableEditor, _ column: TableEditor.Column, _ editor: TableEditor, creating: Bool
  ) throws(StorageError) -> TableEditor.Column? {
    if column.kind == .link {
      guard let opposite = editor.opposite(of: column), opposite.table == table.key else {
        return nil
      }
      return try table.column(opposite.column)
    }
    for hidden in table.columns where hidden.isBacklink {
      if let origin = table.opposite(of: hidden), origin == (editor.key, column.key) {
        return hidden
      }
    }
    guard creating else { return nil }
    let key = try addBacklinkColumn(to: table, from: editor.key, column.key)
    log.addTarget(table.key, of: column.key, editor.key)
    return try table.column(key)
  }

  func addBacklink(
    to target: Target, _ column: TableEditor.Column, _ origin: ObjectKey, _ editor: TableEditor
  ) throws(StorageError) {
    let hidden = try backlinkColumn(target.table, column, editor, creating: true)
    guard let hidden else { throw .rejected(.noColumn) }
    if pendingBacklinks != nil {
      let place = PendingBacklinks.Place(table: target.table.key, column: hidden.index)
      pendingBacklinks?.added[place, default: []].append((target.object, origin))
      return
    }
    let tree = TreeEditor(integersIn: store)
    try editEntry(target, hidden) { (entry: inout Int64) throws(StorageError) in
      if entry == 0 {
        entry = SearchIndex.element(for: origin)
      } else if entry & 1 != 0 {
        entry = try store.makeIntegers(
          [SearchIndex.objectKey(entry).rawValue, origin.rawValue])
      } else {
        try tree.append(&entry, .value(.int(origin.rawValue)))
      }
    }
  }

  func removeBacklink(
    from target: Target, _ column: TableEditor.Column, _ origin: ObjectKey, _ editor: TableEditor
  ) throws(StorageError) {
    guard let hidden = try backlinkColumn(target.table, column, editor, creating: false) else {
      return
    }
    if pendingBacklinks != nil {
      let place = PendingBacklinks.Place(table: target.table.key, column: hidden.index)
      pendingBacklinks?.removed[place, default: []].append((target.object, origin))
      return
    }
    try editEntry(target, hidden) { (entry: inout Int64) throws(StorageError) in
      try removeOrigin(origin, from: &entry)
    }
  }

  /// Changes the entry of an object in a hidden column.
  private func editEntry(
    _ target: Target, _ hidden: TableEditor.Column,
    _ change: (inout Int64) throws(StorageError) -> Void
  ) throws(StorageError) {
    let clusters = target.table.clusters
    try clusters.update(&target.table.clusterRoot, target.object, column: hidden.index) {
      (leaf: inout Int64, row) throws(StorageError) in
      let old = try store.element(leaf, row)
      var entry = old
      try change(&entry)
      if entry != old { try store.set(&leaf, row, entry) }
    }
  }

  /// The objects that link to an object through one hidden column, as often as they do.
  func origins(of target: Target, _ hidden: TableEditor.Column) throws(StorageError) -> [ObjectKey]
  {
    try flushBacklinks()
    let entry = try cell(target.table, hidden, target.object).number
    if entry == 0 { return [] }
    if entry & 1 != 0 { return [SearchIndex.objectKey(entry)] }
    var result: [ObjectKey] = []
    for case .value(.int(let raw)) in try TreeEditor(integersIn: store).cells(entry) {
      result.append(ObjectKey(raw))
    }
    return result
  }
}
