public import RealmValues

/// Changes of columns and tables that keep the values.
///
/// Source: file-format-writing.md 8.12.
extension WriteTransaction {
  /// Changes whether the values, or the elements of collections, of a column can be null.
  ///
  /// Values, name, place, indexes and the role of primary key stay; the key becomes another one.
  ///
  /// - Returns: the key of the column.
  /// - Throws: `rejected(.noColumn)`; `rejected(.wrongType)` for links and mixed values, which have
  ///   no choice, and if a null is in the way.
  public func setNullable(
    _ table: TableKey, _ key: ColumnKey, _ isNullable: Bool
  ) throws(StorageError) -> ColumnKey {
    let editor = try editor(table)
    guard let position = editor.columns.firstIndex(where: { $0.key == key && !$0.isBacklink })
    else { throw .rejected(.noColumn) }
    let old = editor.columns[position]
    guard let kind = old.kind, kind != .link, kind != .mixed else { throw .wrongType }
    if old.isNullable == isNullable { return key }
    if !isNullable, try hasNull(old, editor) { throw .wrongType }
    let definition = ColumnDefinition(
      old.name, kind, collection: old.collection, isNullable: isNullable)
    let new = try insertColumn(definition, into: editor)
    try convert(old, to: new, editor)
    let hasIndex = editor.indexRoots[old.index] != 0
    if editor.primaryKey == key { editor.primaryKey = new.key }
    try drop(old, from: editor)
    log.add(.erase, table, key)
    try move(new.key, to: position, editor)
    let marks = Int64(ColumnAttributes([.indexed, .fullText]).rawValue)
    editor.columns[position].attributes |= old.attributes & marks
    if hasIndex { try buildIndex(editor.columns[position], editor) }
    return new.key
  }

  private func hasNull(
    _ column: TableEditor.Column, _ editor: TableEditor
  ) throws(StorageError) -> Bool {
    let leaf = editor.clusterColumn(column).leaf
    var found = false
    try forEachCluster(editor) { (cluster) throws(StorageError) in
      for cell in try leaf.cells(try store.view.ref(cluster.node, column.index + 1)) where !found {
        if column.collection == .none {
          found = isNull(cell)
        } else {
          found = try elements(of: column, root: cell.number, editor).contains { isNull($0) }
        }
      }
    }
    return found
  }

  private func isNull(_ cell: Cell) -> Bool {
    if case .value(.null) = cell { true } else { false }
  }

  private func convert(
    _ old: TableEditor.Column, to new: TableEditor.Column, _ editor: TableEditor
  ) throws(StorageError) {
    let (from, to) = (editor.clusterColumn(old), editor.clusterColumn(new))
    let oldTree = TreeEditor(store, editor.valueType(of: old))
    let newTree = TreeEditor(store, editor.valueType(of: new))
    let clusters = editor.clusters
    try clusters.forEachLeaf(&editor.clusterRoot, depth: 0) {
      (ref: inout Int64, count) throws(StorageError) in
      var leaf = try store.element(ref, from.index + 1)
      var cells = try from.leaf.cells(leaf)
      switch old.collection {
      case .none: break
      case .list, .set:
        for row in cells.indices where cells[row].number != 0 {
          cells[row] = .raw(try newTree.make(try oldTree.cells(cells[row].number)))
        }
      case .dictionary:
        // Their values are stored alike, so they change hands.
        try from.leaf.discard(leaf)
        leaf = try from.leaf.make(Array(repeating: from.initial, count: count))
        try store.set(&ref, from.index + 1, leaf)
      }
      try store.freeTree(try store.element(ref, to.index + 1))
      try store.set(&ref, to.index + 1, try to.leaf.make(cells))
    }
  }

  /// Gives all objects of a table, in the order of their keys, values in a column without index
  /// that holds single values; links can only be null.
  ///
  /// The change is not announced to other processes object by object: it belongs to a new column.
  ///
  /// - Throws: `rejected(.noColumn)`; `rejected(.wrongType)` for a value of another type;
  ///   `rejected(.noObject)` if there are not as many values as objects;
  ///   `rejected(.valueTooLong)`.
  public func fillColumn(
    _ table: TableKey, _ key: ColumnKey, _ values: [ScalarValue]
  ) throws(StorageError) {
    let editor = try editor(table)
    let column = try editor.column(key)
    guard !column.isBacklink, column.collection == .none, editor.indexRoots[column.index] == 0
    else { throw .rejected(.noColumn) }
    for value in values {
      switch value {
      case .link, .key: throw .wrongType
      default: try check(value, column, editor)
      }
    }
    var done = 0
    try forEachCluster(editor) { (cluster) throws(StorageError) in done += cluster.count }
    guard done == values.count else { throw .rejected(.noObject) }
    done = 0
    let (clusters, slot) = (editor.clusters, editor.clusterColumn(column))
    try clusters.forEachLeaf(&editor.clusterRoot, depth: 0) {
      (ref: inout Int64, count) throws(StorageError) in
      let cells = values[done..<done + count].map { Cell.value($0) }
      done += count
      try store.freeTree(try store.element(ref, column.index + 1))
      try store.set(&ref, column.index + 1, try slot.leaf.make(cells))
    }
  }

  // MARK: Kinds of tables

  /// Makes a table hold embedded objects, or objects that stand for themselves.
  ///
  /// - Throws: `rejected(.wrongType)` for other kinds; to embedded for a table with a primary key or
  ///   one that sets lead to, and if an object has not exactly one link to it or is in a mixed value.
  public func setKind(_ table: TableKey, _ kind: StoredTable.Kind) throws(StorageError) {
    let editor = try editor(table)
    if editor.kind == kind { return }
    guard kind != .asymmetric, editor.kind != .asymmetric else { throw .wrongType }
    if kind == .embedded {
      guard editor.primaryKey == nil else { throw .wrongType }
      for hidden in editor.columns where hidden.isBacklink {
        guard let origin = editor.opposite(of: hidden)?.column else { continue }
        guard !origin.attributes.contains(.set) || isMixed(origin) else { throw .wrongType }
      }
      for object in try objects(table) {
        guard try ownerCount(object, editor) == 1 else { throw .wrongType }
      }
    }
    editor.kind = kind
  }

  /// Number of links to an object; -1 if a mixed value has one.
  private func ownerCount(
    _ object: ObjectKey, _ editor: TableEditor
  ) throws(StorageError) -> Int {
    var total = 0
    for hidden in editor.columns where hidden.isBacklink {
      let count = try origins(of: Target(table: editor, object: object), hidden).count
      guard count > 0, let origin = editor.opposite(of: hidden)?.column else { continue }
      if isMixed(origin) { return -1 }
      total += count
    }
    return total
  }

  private func isMixed(_ column: ColumnKey) -> Bool {
    column.typeNumber == Int(ValueKind.mixed.rawValue)
  }
}
