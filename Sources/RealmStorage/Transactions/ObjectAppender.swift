public import RealmValues

/// Adds many objects to one table: values are given column by column, then the object is added.
///
/// An appender belongs to its transaction and is got from `WriteTransaction.appender`. Everything
/// else that the transaction does sees the added objects at once. Only properties that are no
/// collections are given here; the others are set afterwards in the ordinary way.
public final class ObjectAppender {
  /// The columns that take values; the place of a column is its position here.
  public let columns: [ColumnKey]
  /// Position of the primary key in `columns`; nil if the table has none.
  public let primaryKey: Int?

  private unowned let transaction: WriteTransaction
  private let table: TableKey
  private var values: [ScalarValue?]

  init(_ transaction: WriteTransaction, _ editor: TableEditor) {
    self.transaction = transaction
    table = editor.key
    columns = editor.columns.filter { !$0.isBacklink && $0.collection == .none }.map { $0.key }
    primaryKey = columns.firstIndex { $0 == editor.primaryKey }
    values = Array(repeating: nil, count: columns.count)
  }

  /// Position of a column in `columns`; nil if it takes no values here.
  public func position(of column: ColumnKey) -> Int? { columns.firstIndex(of: column) }

  /// Gives the object to be added next a value; what is given nothing has its initial value.
  ///
  /// - Throws: `rejected(.wrongType)`, `rejected(.valueTooLong)`, `rejected(.noObject)` for a link;
  ///   the object to be added is as before then.
  public func set(_ position: Int, _ value: ScalarValue) throws(StorageError) {
    let editor = try transaction.editor(table)
    try transaction.check(value, try editor.column(columns[position]), editor)
    values[position] = value
  }

  /// The same with a text that is not copied.
  public func set(_ position: Int, text: UnsafeRawBufferPointer) throws(StorageError) {
    try set(position, .string([UInt8](text)))
  }

  /// Adds the object with the values given since the last one.
  ///
  /// - Throws: `rejected(.duplicatePrimaryKey)`, `rejected(.wrongType)` if a primary key that may
  ///   not be null was not given; the values are forgotten then.
  public func append() throws(StorageError) -> ObjectKey {
    defer { discard() }
    let object =
      if let primaryKey {
        try transaction.createObject(table, primaryKey: values[primaryKey] ?? .null)
      } else {
        try transaction.createObject(table)
      }
    for position in columns.indices where position != primaryKey {
      guard let value = values[position] else { continue }
      try transaction.set(table, object, columns[position], value)
    }
    return object
  }

  /// Forgets the values given since the last object.
  public func discard() {
    for position in values.indices { values[position] = nil }
  }
}
