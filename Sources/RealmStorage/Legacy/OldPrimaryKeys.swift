import RealmValues

/// The primary keys of versions 2 to 9, which stand in the table `pk`: the class, with or without
/// its prefix, and the property, by name or (in the oldest files) by position.
///
/// Source: file-format.md 9.9.
struct OldPrimaryKeys {
  private let tables: [StoredTable]

  init(_ tables: [StoredTable]) { self.tables = tables }

  /// Sets the primary keys of the tables; rows that name nothing are passed over.
  func assign() throws(StorageError) {
    guard let table = tables.first(where: { $0.name == "pk" }),
      let classColumn = table.column(named: "pk_table"),
      let propertyColumn = table.column(named: "pk_property")
    else { return }
    var owners: [String: StoredTable] = [:]
    for table in tables.reversed() { owners[table.name] = table }
    let cursor = try TableCursor(table, columns: [classColumn, propertyColumn])
    while try cursor.next() {
      for row in 0..<cursor.count {
        guard case .string(let bytes) = try cursor.value(0, at: row) else { continue }
        let name = String(decoding: bytes, as: UTF8.self)
        guard let owner = owners[ClassTable.prefix + name] ?? owners[name] else { continue }
        switch try cursor.value(1, at: row) {
        case .string(let bytes):
          owner.primaryKey = owner.column(named: String(decoding: bytes, as: UTF8.self))
        case .int(let position):
          owner.primaryKey = owner.columns.firstIndex { Int64($0.key.index) == position }
        default: break
        }
      }
    }
  }
}
