import RealmValues
import TestSupport
import Testing

@testable import RealmStorage

/// What is kept of a version is what the version has, however it is read.
@Suite struct LeafDirectoryTests {
  private static let count = 3000

  /// A table whose keys have gaps, with ascending numbers, nullable ones and dates.
  private static func makeTable(
    in file: WrittenFile, _ random: inout SplitMix64
  ) throws -> TableKey {
    try file.write { transaction in
      let table = try transaction.createTable("class_Thing")
      let definitions = [
        ColumnDefinition("id", .int), ColumnDefinition("n", .int, isNullable: true),
        ColumnDefinition("w", .date, isNullable: true), ColumnDefinition("s", .string),
        ColumnDefinition("b", .bool),
      ]
      for definition in definitions { _ = try transaction.addColumn(table, definition) }
      let appender = try transaction.appender(table)
      var objects: [ObjectKey] = []
      for number in 0..<count {
        // Whole leaves without a value, too.
        let isNull = number / 256 == 3 || Bool.random(using: &random)
        let value = Int64.random(in: -5...300, using: &random)
        try appender.set(0, .int(Int64(number)))
        try appender.set(1, isNull ? .null : .int(value))
        try appender.set(2, isNull ? .null : .date(Timestamp(seconds: value, nanoseconds: 0)))
        try appender.set(3, .string(Array("text \(value)".utf8)))
        try appender.set(4, .bool(value > 9))
        objects.append(try appender.append())
      }
      for object in objects where Int.random(in: 0..<9, using: &random) == 0 {
        try transaction.deleteObject(table, object)
      }
      return table
    }
  }

  private static func values(_ table: StoredTable) throws -> [ObjectKey: [ScalarValue?]] {
    var values: [ObjectKey: [ScalarValue?]] = [:]
    let cursor = try TableCursor(table, columns: Array(table.columns.indices))
    while try cursor.next() {
      for row in 0..<cursor.count {
        let key = cursor.key(at: row)
        #expect(cursor.keys[row] == key)
        values[key] = try table.columns.indices.map { try cursor.value($0, at: row).scalar }
      }
    }
    return values
  }

  @Test func laterReadingGivesTheSame() throws {
    var random = SplitMix64.fresh(for: "laterReadingGivesTheSame")
    let file = try WrittenFile()
    let key = try Self.makeTable(in: file, &random)
    let snapshot = try file.database.snapshot()
    let table = try #require(snapshot.table(key))
    let values = try Self.values(table)
    #expect(values.count == (try table.objectCount()))
    #expect(try Self.values(table) == values)
    // Before and after the reader finds all leaves.
    for table in [table, try #require(try file.database.snapshot().table(key))] {
      let reader = ObjectReader(table, columns: Array(table.columns.indices))
      for _ in 0..<1000 {
        let object = ObjectKey(Int64.random(in: -2...Int64(Self.count) + 600, using: &random))
        let isThere = try reader.move(to: object)
        #expect(isThere == (values[object] != nil))
        guard isThere else { continue }
        #expect(try table.columns.indices.map { try reader.value($0).scalar } == values[object])
      }
    }
  }

  @Test func rangesAreThoseOfTheValues() throws {
    var random = SplitMix64.fresh(for: "rangesAreThoseOfTheValues")
    let file = try WrittenFile()
    let key = try Self.makeTable(in: file, &random)
    let snapshot = try file.database.snapshot()
    let table = try #require(snapshot.table(key))
    for _ in 0..<2 {
      let cursor = try TableCursor(table, columns: [0, 1, 2, 3, 4])
      while try cursor.next() {
        for column in 0..<3 {
          let numbers = try (0..<cursor.count).compactMap { row -> Int64? in
            switch try cursor.value(column, at: row) {
            case .int(let number): number
            case .date(let date): date.seconds
            default: nil
            }
          }
          let range = try #require(try cursor.range(column))
          #expect(range.least == numbers.min() ?? .max)
          #expect(range.greatest == numbers.max() ?? .min)
        }
        #expect(try cursor.range(3) == nil)
        #expect(try cursor.range(4) == nil)
      }
    }
  }

  @Test func nothingIsKeptOfWhatChanges() throws {
    var random = SplitMix64.fresh(for: "nothingIsKeptOfWhatChanges")
    let file = try WrittenFile()
    let key = try Self.makeTable(in: file, &random)
    let before = try #require(try file.database.snapshot().table(key))
    let values = try Self.values(before)
    let transaction = try file.database.beginWrite()
    let column = try #require(try transaction.columnKey(key, "id"))
    for object in values.keys.sorted().prefix(600) {
      try transaction.set(key, object, column, .int(-7))
    }
    let during = try #require(try transaction.snapshot().table(key))
    let cursor = try TableCursor(during, columns: [0])
    while try cursor.next() { #expect(try cursor.range(0) == nil) }
    let changed = try Self.values(during)
    #expect(changed.values.count { $0[0] == .int(-7) } == 600)
    try transaction.commit()
    #expect(try Self.values(try #require(try file.database.snapshot().table(key))) == changed)
  }
}
