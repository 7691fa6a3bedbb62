public import RealmValues

/// Collections inside mixed values, which are written as a whole.
///
/// Source: file-format-writing.md 8.9.
extension WriteTransaction {
  /// Sets a property of type mixed.
  ///
  /// - Parameter changes: What the value is to be recorded as, if it is the collection that the
  ///   property has with some elements changed: for those who observe the collection.
  /// - Throws: `rejected(.noObject)`, `rejected(.noColumn)`, `rejected(.wrongType)`,
  ///   `rejected(.badName)` for a key that stands twice, `rejected(.notSupported)` for too many levels.
  public func set(
    _ table: TableKey, _ object: ObjectKey, _ column: ColumnKey, mixed value: MixedValue,
    changing changes: [TransactionChanges.ElementChange]? = nil
  ) throws(StorageError) {
    let editor = try editor(table)
    let column = try editor.column(column)
    guard column.kind == .mixed, column.collection == .none else { throw .rejected(.noColumn) }
    guard try hasObject(editor, object) else { throw .rejected(.noObject) }
    try check(value, column, editor, depth: 0)
    try setScalar(try makeCell(value, key: 1), column, object, editor, changes)
  }

  /// Checks a value and everything in it.
  func check(
    _ value: MixedValue, _ column: TableEditor.Column, _ editor: TableEditor, depth: Int
  ) throws(StorageError) {
    guard depth <= StoredList.maximumDepth else { throw .rejected(.notSupported) }
    switch value {
    case .scalar(let scalar): try check(scalar, column, editor)
    case .list(let values):
      for value in values { try check(value, column, editor, depth: depth + 1) }
    case .dictionary(let entries):
      guard Set(entries.map { $0.key }).count == entries.count else { throw .rejected(.badName) }
      for entry in entries {
        try check(key: entry.key)
        try check(entry.value, column, editor, depth: depth + 1)
      }
    }
  }

  /// Makes the nodes of a value that has been checked.
  ///
  /// - Parameter key: What identifies a collection among its neighbours.
  func makeCell(_ value: MixedValue, key: Int64) throws(StorageError) -> Cell {
    switch value {
    case .scalar(let scalar): return .value(scalar)
    case .list(let values):
      guard !values.isEmpty else { return .nested(isList: true, root: 0, key: key) }
      return .nested(isList: true, root: try mixedTree.make(try makeCells(values)), key: key)
    case .dictionary(let entries):
      guard !entries.isEmpty else { return .nested(isList: false, root: 0, key: key) }
      let sorted = entries.sorted { ScalarValue.compare($0.key, $1.key) < 0 }
      let keys = try keyTree.make(sorted.map { .value(.string($0.key)) })
      let values = try mixedTree.make(try makeCells(sorted.map { $0.value }))
      return .nested(
        isList: false, root: try store.makeIntegers([keys, values], .refs), key: key)
    }
  }

  private func makeCells(_ values: [MixedValue]) throws(StorageError) -> [Cell] {
    var cells: [Cell] = []
    for (i, value) in values.enumerated() { cells.append(try makeCell(value, key: Int64(i + 1))) }
    return cells
  }

  /// A key for one more collection in a tree of mixed values.
  func freshKey(in root: Int64) throws(StorageError) -> Int64 {
    var largest: Int64 = 0
    for case .nested(_, _, let key) in try mixedTree.cells(root) { largest = max(largest, key) }
    if largest < Int64(Int32.max) { return largest + 1 }
    var used: Set<Int64> = []
    for case .nested(_, _, let key) in try mixedTree.cells(root) { used.insert(key) }
    var candidate: Int64 = 1
    while used.contains(candidate) { candidate += 1 }
    return candidate
  }
}
