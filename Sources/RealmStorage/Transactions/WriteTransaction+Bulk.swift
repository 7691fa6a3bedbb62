public import RealmValues

/// Changes of many objects at once.
extension WriteTransaction {
  /// What adds objects to a table; the same one until a column or an index changes.
  ///
  /// - Throws: `rejected(.noTable)`; `rejected(.wrongType)` if the table holds embedded objects.
  public func appender(_ table: TableKey) throws(StorageError) -> ObjectAppender {
    let editor = try pendingEditor(table)
    guard editor.kind != .embedded else { throw .wrongType }
    if let appender = editor.appender { return appender }
    let appender = ObjectAppender(self, editor)
    editor.appender = appender
    return appender
  }

  /// Sets a property of many objects as `set` does.
  ///
  /// - Parameters:
  ///   - objects: Their keys, ascending.
  ///   - value: The value for the object at a position of `objects`; asked for more than once.
  /// - Throws: as `set`; nothing has been changed then.
  public func set(
    _ table: TableKey, _ objects: [ObjectKey], _ column: ColumnKey,
    _ value: (Int) -> ScalarValue
  ) throws(StorageError) {
    let editor = try editor(table)
    let column = try editor.column(column)
    guard !column.isBacklink, column.collection == .none else { throw .rejected(.noColumn) }
    try checkSettable(column, editor)
    precondition(isAscending(objects), "the objects are not in order")
    var found = 0
    let clusters = editor.clusters
    try clusters.edit(&editor.clusterRoot, objects[...]) { _, _, rows in found += rows.count }
    guard found == objects.count else { throw .rejected(.noObject) }
    for position in objects.indices { try check(value(position), column, editor) }
    guard column.kind != .link, column.kind != .mixed else {
      for (position, object) in objects.enumerated() {
        try setScalar(.value(value(position)), column, object, editor)
      }
      return
    }
    let leaf = editor.clusterColumn(column).leaf
    work = LongWork(done: 0, total: objects.count)
    var position = 0
    try changeIndexed(column, editor, objects) { () throws(StorageError) in
      try editColumn(column, editor, objects) { (ref: inout Int64, _, rows) throws(StorageError) in
        let values = rows.indices.map { Cell.value(value(position + $0)) }
        position += rows.count
        try leaf.set(&ref, rows: rows, values)
      }
    }
    log.addSets(editor.key, column.key, objects)
  }

  func isAscending(_ objects: [ObjectKey]) -> Bool {
    for i in objects.indices.dropFirst() where objects[i - 1] >= objects[i] { return false }
    return true
  }

  /// Changes the leaves of a column that hold selected objects; nil stands for all.
  func editColumn(
    _ column: TableEditor.Column, _ editor: TableEditor, _ objects: [ObjectKey]?,
    _ body: (inout Int64, ClusterTree.Leaf, [Int]) throws(StorageError) -> Void
  ) throws(StorageError) {
    let clusters = editor.clusters
    try clusters.edit(&editor.clusterRoot, objects.map { $0[...] }) {
      (ref: inout Int64, leaf, rows) throws(StorageError) in
      let old = try store.element(ref, column.index + 1)
      var changed = old
      try body(&changed, leaf, rows)
      if changed != old { try store.set(&ref, column.index + 1, changed) }
      try goOn(rows.count)
    }
  }

  // MARK: Calculating

  /// How a number is changed.
  public enum Arithmetic: Sendable {
    case add, subtract, multiply, divide
  }

  /// Calculates with the numbers of a property; null stays null, integers are divided towards zero.
  ///
  /// - Parameters:
  ///   - objects: The keys of the objects, ascending; nil for all objects.
  ///   - operand: A number of the type of the column: int, float or double.
  /// - Returns: number of objects that were not null.
  /// - Throws: `rejected(.overflow)` if a result is no integer of 64 bits, `rejected(.noObject)`,
  ///   `rejected(.noColumn)`, `rejected(.wrongType)`; nothing has been changed then.
  @discardableResult
  public func calculate(
    _ table: TableKey, _ objects: [ObjectKey]?, _ column: ColumnKey, _ operation: Arithmetic,
    _ operand: ScalarValue
  ) throws(StorageError) -> Int {
    let editor = try editor(table)
    let column = try editor.column(column)
    guard !column.isBacklink, column.collection == .none else { throw .rejected(.noColumn) }
    try checkSettable(column, editor)
    guard operand.kind == column.kind,
      column.kind == .int || column.kind == .float || column.kind == .double
    else { throw .wrongType }
    precondition(objects.map { isAscending($0) } ?? true, "the objects are not in order")
    let calculation = LeafCalculation(
      store: store, isNullable: column.isNullable, operation: operation, operand: operand)
    var (found, count) = (0, 0)
    let total = if let objects { objects.count } else { try objectCount(table) }
    work = LongWork(done: 0, total: 2 * total)
    try editColumn(column, editor, objects) { (ref: inout Int64, leaf, rows) throws(StorageError) in
      found += rows.count
      count += try calculation.check(ref, leaf, rows)
    }
    if let objects, found != objects.count { throw .rejected(.noObject) }
    log.reserveSets(column.key, found)
    try changeIndexed(column, editor, objects) { () throws(StorageError) in
      try editColumn(column, editor, objects) {
        (ref: inout Int64, leaf, rows) throws(StorageError) in
        try calculation.run(&ref, leaf, rows)
        log.addSets(editor.key, column.key, rows.count) {
          Int64(bitPattern: leaf.key(at: rows[$0]))
        }
      }
    }
    return count
  }
}
