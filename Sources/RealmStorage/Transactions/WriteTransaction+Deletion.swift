public import RealmValues

/// Source: file-format-writing.md 8.8.
extension WriteTransaction {
  /// Deletes an object. Links to it become null or leave their list or set; embedded objects below
  /// it are deleted as well.
  ///
  /// - Throws: `rejected(.noObject)`.
  public func deleteObject(_ table: TableKey, _ object: ObjectKey) throws(StorageError) {
    let editor = try editor(table)
    guard try hasObject(editor, object) else { throw .rejected(.noObject) }
    try delete(object, editor)
  }

  /// Deletes all objects of a table.
  public func deleteAllObjects(_ table: TableKey) throws(StorageError) {
    try deleteObjects(table, try objects(table))
  }

  /// Deletes an object and the embedded objects below it.
  func delete(_ object: ObjectKey, _ table: TableEditor) throws(StorageError) {
    // A list of what is still to be deleted instead of recursion: objects can be nested deeply.
    var pending = [Target(table: table, object: object)]
    while let next = pending.popLast() { pending += try deleteOne(next) }
  }

  /// - Returns: embedded objects that have lost their owner.
  private func deleteOne(_ doomed: Target) throws(StorageError) -> [Target] {
    let (editor, object) = (doomed.table, doomed.object)
    for hidden in editor.columns where hidden.isBacklink {
      guard let origin = editor.opposite(of: hidden) else { continue }
      for source in try origins(of: doomed, hidden) {
        if origin.table == editor.key, source == object { continue }
        let table = try self.editor(origin.table)
        try nullify(
          source, try table.column(origin.column), table,
          linksTo: LostLinks.Targets(table: editor.key, objects: [object]))
      }
    }
    for column in editor.columns where editor.indexRoots[column.index] != 0 {
      try removeFromIndex(try cell(editor, column, object), column, object, editor)
    }
    var orphans: [Target] = []
    for column in editor.columns where !column.isBacklink {
      guard column.kind == .link || column.kind == .mixed else { continue }
      for target in try targets(of: column, object, editor) {
        if target.table === editor, target.object == object { continue }
        try removeBacklink(from: target, column, object, editor)
        if target.table.kind == .embedded { orphans.append(target) }
      }
    }
    for column in editor.columns {
      switch try cell(editor, column, object) {
      case .raw(let ref) where ref & 1 == 0: try store.freeTree(ref)
      case .nested(_, let root, _): try store.freeTree(root)
      default: break
      }
    }
    let clusters = editor.clusters
    try clusters.remove(&editor.clusterRoot, object)
    log.addRemoval(object, from: editor.key)
    return orphans
  }

  /// Deletes the embedded objects that hang on a column.
  func deleteEmbedded(
    below column: TableEditor.Column, of editor: TableEditor
  ) throws(StorageError) {
    // In a table that is embedded in itself, an object can have gone with another one.
    for object in try objects(editor.key) where try hasObject(editor, object) {
      for target in try targets(of: column, object, editor) {
        try removeBacklink(from: target, column, object, editor)
        try delete(target.object, target.table)
      }
    }
  }

  // MARK: Links of an object

  /// Everything an object links to through a column, as often as it does.
  func targets(
    of column: TableEditor.Column, _ object: ObjectKey, _ editor: TableEditor
  ) throws(StorageError) -> [Target] {
    let own = try cell(editor, column, object)
    if column.collection == .none {
      if case .nested = own { return try nestedTargets(of: own) }
      return try target(of: own, column, editor).map { [$0] } ?? []
    }
    var result: [Target] = []
    for cell in try elements(of: column, root: own.number, editor) {
      if case .nested = cell {
        result += try nestedTargets(of: cell)
      } else if let target = try target(of: cell, column, editor) {
        result.append(target)
      }
    }
    return result
  }

  /// The elements of a list or set, the values of a dictionary.
  func elements(
    of column: TableEditor.Column, root: Int64, _ editor: TableEditor
  ) throws(StorageError) -> [Cell] {
    guard root != 0 else { return [] }
    if column.collection == .dictionary { return try dictionaryValues(root) }
    return try TreeEditor(store, editor.valueType(of: column)).cells(root)
  }

  private func dictionaryValues(_ root: Int64) throws(StorageError) -> [Cell] {
    try mixedTree.cells(try store.element(root, 1))
  }

  /// Trees of mixed values: values of dictionaries, nested lists.
  var mixedTree: TreeEditor {
    TreeEditor(store, LeafType(layout: .mixed, isNullable: true))
  }

  /// Everything that the collections in a mixed value link to.
  func nestedTargets(of cell: Cell) throws(StorageError) -> [Target] {
    var result: [Target] = []
    var pending = [cell]
    while let next = pending.popLast() {
      switch next {
      case .nested(_, 0, _): break
      case .nested(let isList, let root, _):
        pending += try isList ? mixedTree.cells(root) : dictionaryValues(root)
      case .value(.link(let table, let object)) where object.rawValue >= 0:
        result.append(Target(table: try editor(table), object: object))
      default: break
      }
    }
    return result
  }

  // MARK: Taking links away

  /// Takes the links to objects away from another one.
  func nullify(
    _ object: ObjectKey, _ column: TableEditor.Column, _ editor: TableEditor,
    linksTo doomed: LostLinks.Targets
  ) throws(StorageError) {
    if column.kind == .link, column.collection == .list || column.collection == .set {
      return try erase(doomed.objects.sorted(), from: object, column, editor)
    }
    guard column.collection != .none else {
      let own = try cell(editor, column, object)
      var new = Cell.null
      if case .nested(let isList, let root, let key) = own {
        var changed = root
        let changes = try nullify(in: &changed, isList: isList, linksTo: doomed, depth: 0)
        guard !changes.isEmpty else { return }
        new = .nested(isList: isList, root: changed, key: key)
      }
      return try replace(own, by: new, column, object, editor)
    }
    let place = InstructionLog.Collection(table: editor.key, column: column.key, object: object)
    try editCollection(column, object, editor) { (root: inout Int64) throws(StorageError) in
      let isList = column.collection != .dictionary
      let changes = try nullify(in: &root, isList: isList, linksTo: doomed, depth: 0)
      for change in changes { log.add(change, to: place) }
    }
  }

  /// Changes a property and its index, but no backlinks.
  private func replace(
    _ old: Cell, by new: Cell, _ column: TableEditor.Column, _ object: ObjectKey,
    _ editor: TableEditor
  ) throws(StorageError) {
    try removeFromIndex(old, column, object, editor)
    let clusters = editor.clusters
    let leaf = editor.clusterColumn(column).leaf
    try clusters.update(&editor.clusterRoot, object, column: column.index) {
      (ref: inout Int64, row) throws(StorageError) in
      try leaf.set(&ref, at: row, new)
    }
    try addToIndex(new, column, object, editor)
    log.addSet(editor.key, column.key, object)
  }

  /// Takes links out of a collection of mixed values, and of those in it; they leave lists and sets,
  /// and become null in dictionaries.
  ///
  /// - Returns: what happened to the elements, from the last to the first.
  private func nullify(
    in root: inout Int64, isList: Bool, linksTo doomed: LostLinks.Targets, depth: Int
  ) throws(StorageError) -> [InstructionLog.ElementChange] {
    guard root != 0 else { return [] }
    guard depth <= StoredList.maximumDepth else {
      throw .damage(
        .nestedTooDeep, at: Int(root), found: depth, limit: StoredList.maximumDepth)
    }
    var values = isList ? root : try store.element(root, 1)
    var cells = try mixedTree.cells(values)
    var changes: [InstructionLog.ElementChange] = []
    var hasNested = false
    for index in cells.indices.reversed() {
      switch cells[index] {
      case .value(.link(doomed.table, let object)) where doomed.objects.contains(object):
        changes.append(isList ? .erase(index) : .set(index))
        cells[index] = .null
      case .nested(let isList, let below, let key):
        hasNested = true
        var changed = below
        let found = try nullify(in: &changed, isList: isList, linksTo: doomed, depth: depth + 1)
        guard !found.isEmpty else { continue }
        changes.append(.set(index))
        cells[index] = .nested(isList: isList, root: changed, key: key)
      default: continue
      }
    }
    guard !changes.isEmpty else { return [] }
    if changes.count <= WriteTransaction.fewElements || hasNested {
      // What is nested would be freed with the tree.
      for change in changes {
        switch change {
        case .erase(let index): try mixedTree.remove(&values, index)
        case .set(let index): try mixedTree.set(&values, index, cells[index])
        default: break
        }
      }
    } else {
      if isList {
        var erased = changes[...]
        cells = cells.indices.compactMap { index in
          guard case .erase(index)? = erased.last else { return cells[index] }
          erased.removeLast()
          return nil
        }
      }
      try store.freeTree(values)
      values = try mixedTree.make(cells)
    }
    if isList { root = values } else { try store.set(&root, 1, values) }
    return changes
  }
}
