import RealmStorage
import RealmValues
import TestSupport
import Testing

/// New values for all objects, made beside the old ones.
struct ColumnReplacementTests {
  private struct Item {
    var table: TableKey
    var column: ColumnKey
    var objects: [ObjectKey]
  }

  /// A table with gaps between its keys.
  private func makeItems(
    _ kind: ValueKind, isIndexed: Bool, _ file: WrittenFile
  ) throws -> Item {
    let (table, column) = try file.write { transaction in
      try transaction.setSchemaVersion(0)
      let table = try transaction.createTable("class_Item")
      let column = try transaction.addColumn(
        table, ColumnDefinition("value", kind, isNullable: true))
      if isIndexed { try transaction.addIndex(table, column) }
      for _ in 0..<1000 { _ = try transaction.createObject(table) }
      return (table, column)
    }
    try file.write { transaction in
      for (i, object) in try transaction.objects(table).enumerated() where i % 7 == 3 {
        try transaction.deleteObject(table, object)
      }
    }
    let transaction = try file.database.beginWrite()
    defer { transaction.cancel() }
    return Item(table: table, column: column, objects: try transaction.objects(table))
  }

  /// Gives the replacement the values of all objects, block by block.
  private func fill(
    _ replacement: ColumnReplacement, _ values: [ScalarValue], _ item: Item,
    _ transaction: WriteTransaction
  ) throws {
    let table = try #require(try transaction.snapshot().table(item.table))
    let cursor = try TableCursor(table, columns: [])
    var start = 0
    while try cursor.next() {
      for value in values[start..<start + cursor.count] { try replacement.append(value) }
      try replacement.endBlock()
      start += cursor.count
    }
  }

  @Test(arguments: [ValueKind.int, .string, .bool, .date, .double, .uuid], [false, true])
  func valuesTakeThePlaceOfTheOldOnes(kind: ValueKind, isIndexed: Bool) throws {
    // There are no indexes over doubles.
    if kind == .double, isIndexed { return }
    let file = try WrittenFile()
    let item = try makeItems(kind, isIndexed: isIndexed, file)
    var random = RandomValues(seed: 3)
    for round in 0..<3 {
      let values = item.objects.map { _ in
        random.oneIn(5) ? ScalarValue.null : random.value(kind)
      }
      try file.write { transaction in
        let replacement = try ColumnReplacement(transaction, item.table, item.column)
        if round == 1 {
          try fill(replacement, values, item, transaction)
          try replacement.discard()
        } else {
          try fill(replacement, values, item, transaction)
          try replacement.apply()
        }
      }
      if round != 1 { #expect(try file.rows("class_Item").map { $0[0] } == values) }
    }
  }

  @Test func whatDoesNotFitIsRefused() throws {
    let file = try WrittenFile()
    let item = try makeItems(.int, isIndexed: false, file)
    let transaction = try file.database.beginWrite()
    defer { transaction.cancel() }
    let replacement = try ColumnReplacement(transaction, item.table, item.column)
    try replacement.append(.int(1))
    #expect(throws: StorageError.rejected(.noObject)) { try replacement.endBlock() }
    let short = try ColumnReplacement(transaction, item.table, item.column)
    #expect(throws: StorageError.rejected(.noObject)) { try short.apply() }
    let wrong = try ColumnReplacement(transaction, item.table, item.column)
    #expect(throws: StorageError.rejected(.wrongType)) {
      try fill(wrong, item.objects.map { _ in .string([]) }, item, transaction)
    }
  }
}
