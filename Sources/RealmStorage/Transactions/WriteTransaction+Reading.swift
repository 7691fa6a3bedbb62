public import RealmValues

/// Reading what a transaction has made so far, value by value.
///
/// Unlike a snapshot this costs nothing after a change. Links come as `link` with their table.
extension WriteTransaction {
  /// Number of objects of a table.
  ///
  /// - Throws: `rejected(.noTable)`.
  public func objectCount(_ table: TableKey) throws(StorageError) -> Int {
    store.renewWork()
    return try ClusterTree(root: try editor(table).clusterRoot, in: store.view).objectCount()
  }

  /// Position of the first object that is not there; nil if all are. Fast for ascending keys.
  ///
  /// - Throws: `rejected(.noTable)`.
  public func firstMissing(
    _ table: TableKey, among objects: [ObjectKey]
  ) throws(StorageError) -> Int? {
    store.renewWork()
    let tree = try ClusterTree(root: try editor(table).clusterRoot, in: store.view)
    var last: ClusterTree.Leaf?
    for (position, object) in objects.enumerated() {
      guard object.rawValue >= 0 else { return position }
      let key = UInt64(bitPattern: object.rawValue)
      if last?.row(of: key) != nil { continue }
      guard let (leaf, _) = try tree.find(key) else { return position }
      last = leaf
    }
    return nil
  }

  /// The value of a property that is not a collection, with the collections in a mixed value.
  ///
  /// - Throws: `rejected(.noObject)`, `rejected(.noColumn)`.
  public func mixed(
    _ table: TableKey, _ object: ObjectKey, _ column: ColumnKey
  ) throws(StorageError) -> MixedValue {
    store.renewWork()
    let editor = try pendingEditor(table)
    let column = try editor.column(column)
    guard column.collection == .none else { throw .rejected(.noColumn) }
    return try mixed(try currentCell(editor, column, object), column, editor, depth: 0)
  }

  /// What an object has in a column, also if it was appended and is not in a leaf yet.
  func currentCell(
    _ editor: TableEditor, _ column: TableEditor.Column, _ object: ObjectKey
  ) throws(StorageError) -> Cell {
    if let pending = editor.pending, let row = pending.row(of: object),
      let place = editor.columns.firstIndex(where: { $0.key == column.key })
    {
      return pending.columns[place].cell(row)
    }
    return try cell(editor, column, object)
  }

  /// The elements of a list in their order, or of a set in ascending order.
  ///
  /// - Throws: `rejected(.noObject)`, `rejected(.noColumn)`.
  public func elements(
    _ table: TableKey, _ object: ObjectKey, _ column: ColumnKey
  ) throws(StorageError) -> [MixedValue] {
    let (editor, column, root) = try collection(table, object, column, isDictionary: false)
    guard root != 0 else { return [] }
    var result: [MixedValue] = []
    for cell in try TreeEditor(store, editor.valueType(of: column)).cells(root) {
      result.append(try mixed(cell, column, editor, depth: 1))
    }
    return result
  }

  /// One element of a list.
  ///
  /// - Throws: `rejected(.noElement)`, `rejected(.noObject)`, `rejected(.noColumn)`.
  public func element(
    _ table: TableKey, _ object: ObjectKey, _ column: ColumnKey, at index: Int
  ) throws(StorageError) -> MixedValue {
    let (editor, column, root) = try collection(table, object, column, isDictionary: false)
    let tree = TreeEditor(store, editor.valueType(of: column))
    guard root != 0, index >= 0, index < (try tree.count(root)) else {
      throw .rejected(.noElement)
    }
    return try mixed(try tree.cell(root, index), column, editor, depth: 1)
  }

  /// The entries of a dictionary in the order of their keys.
  ///
  /// - Throws: `rejected(.noObject)`, `rejected(.noColumn)`.
  public func entries(
    _ table: TableKey, _ object: ObjectKey, _ column: ColumnKey
  ) throws(StorageError) -> [(key: [UInt8], value: MixedValue)] {
    let (editor, column, root) = try collection(table, object, column, isDictionary: true)
    return try entries(root, column, editor, depth: 1)
  }

  /// The value of a key of a dictionary; nil if there is no such key.
  ///
  /// - Throws: `rejected(.noObject)`, `rejected(.noColumn)`.
  public func entry(
    _ table: TableKey, _ object: ObjectKey, _ column: ColumnKey, key: [UInt8]
  ) throws(StorageError) -> MixedValue? {
    let (editor, column, root) = try collection(table, object, column, isDictionary: true)
    guard root != 0 else { return nil }
    let keys = try store.element(root, 0)
    let (index, isPresent) = try position(of: .string(key), keyTree, keys)
    guard isPresent else { return nil }
    let cell = try mixedTree.cell(try store.element(root, 1), index)
    return try mixed(cell, column, editor, depth: 1)
  }

  private func collection(
    _ table: TableKey, _ object: ObjectKey, _ column: ColumnKey, isDictionary: Bool
  ) throws(StorageError) -> (TableEditor, TableEditor.Column, root: Int64) {
    store.renewWork()
    let editor = try pendingEditor(table)
    let column = try editor.column(column)
    guard !column.isBacklink, column.collection != .none,
      (column.collection == .dictionary) == isDictionary
    else { throw .rejected(.noColumn) }
    return (editor, column, try currentCell(editor, column, object).number)
  }

  /// - Parameter depth: Number of collections around the cell.
  private func mixed(
    _ cell: Cell, _ column: TableEditor.Column, _ editor: TableEditor, depth: Int
  ) throws(StorageError) -> MixedValue {
    switch cell {
    case .value(.key(let object)):
      guard object.rawValue >= 0, let target = editor.opposite(of: column)?.table else {
        return .scalar(.null)
      }
      return .scalar(.link(target, object))
    case .value(let value): return .scalar(value)
    case .raw: return .scalar(.null)
    case .nested(let isList, let root, _):
      guard depth <= StoredList.maximumDepth else {
        throw .damage(
          .nestedTooDeep, at: Int(root), found: depth, limit: StoredList.maximumDepth)
      }
      guard isList else {
        return .dictionary(try entries(root, column, editor, depth: depth + 1))
      }
      var values: [MixedValue] = []
      for cell in try mixedTree.cells(root) {
        values.append(try mixed(cell, column, editor, depth: depth + 1))
      }
      return .list(values)
    }
  }

  private func entries(
    _ root: Int64, _ column: TableEditor.Column, _ editor: TableEditor, depth: Int
  ) throws(StorageError) -> [(key: [UInt8], value: MixedValue)] {
    guard root != 0 else { return [] }
    let keys = try keyTree.cells(try store.element(root, 0))
    let values = try mixedTree.cells(try store.element(root, 1))
    guard keys.count == values.count else {
      throw .damage(.countMismatch, at: Int(root), found: values.count, limit: keys.count)
    }
    var result: [(key: [UInt8], value: MixedValue)] = []
    for (key, cell) in zip(keys, values) {
      guard case .string(let bytes) = key.scalar else { continue }
      result.append((bytes, try mixed(cell, column, editor, depth: depth)))
    }
    return result
  }
}
