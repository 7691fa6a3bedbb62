import Glibc
import RealmValues
import TestSupport
import Testing

@testable import RealmStorage

/// Tables that are built anew from their values.
struct TableRebuilderTests {
  /// Builds the tables of a snapshot in a database in memory and compares them.
  private func rebuild(_ snapshot: Snapshot, maximumByteCount: Int) throws -> Database {
    let database = try Database.memory()
    _ = try TableRebuilder.copy(
      snapshot, into: database, maximumByteCount: maximumByteCount, { _, _ in true })
    let copy = try database.snapshot()
    #expect(try SnapshotComparison.areEqual(snapshot, copy))
    let report = FileChecker.check(copy, depth: .deep)
    #expect(report.isGood, "\(report.findings.prefix(3))")
    if let kept = getenv("WRITTEN_FILES") {
      let name = "\(String(cString: kept))/rebuilt-\(copy.version)-\(maximumByteCount).realm"
      unlink(name)
      try FileCopier.copy(copy, to: name)
    }
    return database
  }

  @Test(arguments: [1 << 16, 64 << 20])
  func graphsStayTheSame(maximumByteCount: Int) throws {
    let file = try WrittenFile()
    let graph = try file.write { try RandomGraph($0, seed: 21) }
    for _ in 0..<6 {
      try file.write { transaction in for _ in 0..<100 { try graph.change(transaction) } }
    }
    _ = try rebuild(try file.snapshot(), maximumByteCount: maximumByteCount)
  }

  /// Keys with gaps, more than one level of nodes, and commits on the way; then more objects.
  @Test func largeTablesAreBuiltInParts() throws {
    let file = try WrittenFile()
    let (table, number, text) = try file.write { transaction in
      try transaction.setSchemaVersion(3)
      let table = try transaction.createTable("class_Many")
      let number = try transaction.addColumn(table, ColumnDefinition("number", .int))
      let text = try transaction.addColumn(table, ColumnDefinition("text", .string))
      try transaction.setPrimaryKey(table, number)
      try transaction.addIndex(table, text)
      return (table, number, text)
    }
    let count: Int64 = 70_000
    let transaction = try file.database.beginWrite()
    for i in 0..<count {
      let object = try transaction.createObject(table, primaryKey: .int(i))
      try transaction.set(table, object, text, .string(Array("text \(i % 1000)".utf8)))
    }
    for object in try transaction.objects(table) where object.rawValue % 7 == 0 {
      try transaction.deleteObject(table, object)
    }
    try transaction.commit()
    let database = try rebuild(try file.snapshot(), maximumByteCount: 1 << 18)
    let more = try database.beginWrite()
    let copy = try #require(try more.table(named: "class_Many"))
    let found = try more.object(copy, primaryKey: .int(count - 2))
    #expect(found == (try originalKey(count - 2, file, table, number)))
    for i in count..<(count + 600) { _ = try more.createObject(copy, primaryKey: .int(i)) }
    try more.commit()
    let report = FileChecker.check(try database.snapshot(), depth: .deep)
    #expect(report.isGood, "\(report.findings.prefix(3))")
  }

  /// The key of the object with a number in the original.
  private func originalKey(
    _ number: Int64, _ file: WrittenFile, _ table: TableKey, _ column: ColumnKey
  ) throws -> ObjectKey? {
    let transaction = try file.database.beginWrite()
    defer { transaction.cancel() }
    return try transaction.object(table, primaryKey: .int(number))
  }

  @Test func largeValuesEndALeaf() throws {
    let file = try WrittenFile()
    try file.write { transaction in
      let table = try transaction.createTable("class_Big")
      let column = try transaction.addColumn(table, ColumnDefinition("data", .data))
      for i in 0..<9 as Range<UInt8> {
        let object = try transaction.createObject(table)
        try transaction.set(
          table, object, column, .data([UInt8](repeating: i, count: 3_000_000 + Int(i))))
      }
    }
    _ = try rebuild(try file.snapshot(), maximumByteCount: 8 << 20)
  }

  @Test func differencesAreSeen() throws {
    let file = try WrittenFile()
    let graph = try file.write { try RandomGraph($0, seed: 22) }
    let path = file.folder.file("copy.realm")
    try FileCopier.copy(try file.snapshot(), to: path)
    let copy = try Snapshot(of: try RealmFile(path: path, key: nil))
    #expect(try SnapshotComparison.areEqual(try file.snapshot(), copy))
    try file.write { transaction in for _ in 0..<20 { try graph.change(transaction) } }
    #expect(try !SnapshotComparison.areEqual(try file.snapshot(), copy))
  }
}
