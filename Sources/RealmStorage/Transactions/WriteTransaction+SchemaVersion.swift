import RealmValues

/// Source: file-format-writing.md 9.
extension WriteTransaction {
  private static let tableName = "metadata"
  private static let columnName = "version"

  /// Stores the schema version, which apps compare with their own.
  ///
  /// Every file for apps has one; a new file without it loses data when an app opens it.
  public func setSchemaVersion(_ number: UInt64) throws(StorageError) {
    var table = try table(named: Self.tableName)
    if table == nil { table = try createTable(Self.tableName) }
    guard let table else { return }
    var column = try editor(table).columns.first { $0.name == Self.columnName }?.key
    if column == nil { column = try addColumn(table, ColumnDefinition(Self.columnName, .int)) }
    var object = try objects(table).first
    if object == nil { object = try createObject(table) }
    guard let column, let object else { return }
    try set(table, object, column, .int(Int64(bitPattern: number)))
  }
}
