import RealmValues
import TestSupport
import Testing

@testable import RealmStorage

/// Reading the change sets of commits.
struct HistoryTests {
  private func changes(
    _ bytes: [UInt8], watching: Set<TransactionChanges.CollectionKey> = []
  ) throws -> TransactionChanges {
    var changes = TransactionChanges(watching: watching)
    try bytes.withUnsafeBytes { try changes.apply($0) }
    return changes
  }

  @Test func whatTheLogWritesIsReadBack() throws {
    let (table, column, other) = (TableKey(3), ColumnKey(0x1_0000_0000_0002), ColumnKey(70))
    let list = InstructionLog.Collection(table: table, column: other, object: ObjectKey(5))
    var log = InstructionLog()
    log.addCreation(ObjectKey(9), in: table)
    log.addSet(table, column, ObjectKey(9))
    log.addSet(table, column, ObjectKey(4))
    log.addRemoval(ObjectKey(1), from: table)
    log.add(.insert(0), to: list)
    log.add(.move(0, 2), to: list)
    log.add(.clear(oldCount: 3), to: list)
    log.add(.insert, TableKey(7))
    log.add(.rename, table, column)
    let key = TransactionChanges.CollectionKey(table: table, column: other, object: ObjectKey(5))
    let found = try changes(log.bytes, watching: [key])
    let changed = try #require(found.tables[table])
    #expect(changed.inserted == [ObjectKey(9)] && changed.deleted == [ObjectKey(1)])
    #expect(Set(changed.modified.keys) == [ObjectKey(4), ObjectKey(5)])
    #expect(changed.modified[ObjectKey(4)]?.contains(column) == true)
    #expect(changed.modified[ObjectKey(4)]?.contains(other) == false)
    #expect(changed.modified[ObjectKey(5)]?.contains(other) == true)
    #expect(changed.renamedColumns == [column] && found.insertedTables == [TableKey(7)])
    #expect(found.collections[key] == [[.insert(0), .move(0, 2), .clear(oldCount: 3)]])
  }

  @Test func creationAndDeletionLeaveNothing() throws {
    var log = InstructionLog()
    log.addCreation(ObjectKey(1), in: TableKey(0))
    log.addSet(TableKey(0), ColumnKey(1), ObjectKey(1))
    log.addRemoval(ObjectKey(1), from: TableKey(0))
    #expect(try changes(log.bytes).isEmpty)
  }

  /// Creating an object leaves the collection selected, as change sets of realm-core rely on.
  @Test func theCollectionStaysSelected() throws {
    let key = TransactionChanges.CollectionKey(
      table: TableKey(1), column: ColumnKey(2), object: ObjectKey(3))
    let found = try changes([10, 0, 1, 30, 2, 3, 31, 0, 11, 9, 12, 8, 31, 1], watching: [key])
    #expect(found.collections[key] == [[.insert(0), .insert(1)]])
  }

  @Test func hostileBytesAreRefused() throws {
    let wrong: [[UInt8]] = [
      [99], [10], [10, 1, 0], [13, 1, 1], [11, 1], [31, 0], [10, 0, 1, 31, 0], [10, 0, 0x40],
      [10, 0, 1, 30, 1], [10, 0, 1, 30, 1, 1, 31, 0x40], [10, 0, 1, 45, 1, 1, 0xFF, 0x3F],
      [10, 0, 1, 11] + [UInt8](repeating: 0xFF, count: 20), [10, 0, 1, 30, 1, 1, 37, 2, 0x3F, 0],
      [10, 0, 1, 30, 1, 1, 36, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x3F],
    ]
    for bytes in wrong {
      #expect(throws: StorageError.self, "\(bytes)") { try changes(bytes) }
    }
  }

  @Test func randomBytesNeverTrap() {
    var random = SplitMix64(seed: 1)
    let codes: [UInt8] = [1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 30, 31, 32, 33, 35, 36, 37, 43, 45]
    for _ in 0..<20_000 {
      var bytes: [UInt8] = [10, 0, 1, 30, 2, 3]
      for _ in 0..<Int.random(in: 0..<20, using: &random) {
        bytes.append(
          Bool.random(using: &random)
            ? codes.randomElement(using: &random) ?? 0 : UInt8.random(in: 0...255, using: &random))
      }
      _ = try? changes(bytes)
    }
  }

  @Test func theHistoryReachesBackToAPinnedVersion() throws {
    let file = try WrittenFile()
    let table = try file.write { transaction in
      let table = try transaction.createTable("class_A")
      _ = try transaction.addColumn(table, ColumnDefinition("v", .int))
      return table
    }
    let old = try file.database.snapshot()
    for _ in 0..<30 {
      try file.write { transaction in _ = try transaction.createObject(table) }
    }
    let new = try file.database.snapshot()
    let sets = try #require(try new.changeSets(since: old.version))
    #expect(sets.count == 30)
    var found = TransactionChanges()
    for bytes in sets { try found.apply(bytes) }
    #expect(found.tables[table]?.inserted.count == 30)
    #expect(try new.changeSets(since: new.version - 1)?.count == 1)
    #expect(try new.changeSets(since: new.version)?.isEmpty == true)
    // What came before the pinned version was dropped.
    #expect(try new.changeSets(since: 0) == nil)
    #expect(try new.changeSets(since: new.version + 1) == nil)
  }

  /// What is too long for one blob lies in several, and tells observers all the same.
  @Test func aLongChangeSetIsKeptWhole() throws {
    let file = try WrittenFile()
    let (table, column) = try file.write { transaction in
      let table = try transaction.createTable("class_A")
      return (table, try transaction.addColumn(table, ColumnDefinition("v", .int)))
    }
    let keys = try file.write { transaction in
      let appender = try transaction.appender(table)
      return try (0..<10_000).map { _ in try appender.append() }
    }
    let old = try file.database.snapshot()
    try file.write { transaction in
      while transaction.log.bytes.count <= LeafEditor.maximumBlobByteCount {
        try transaction.set(table, keys, column) { .int(Int64($0)) }
      }
    }
    let new = try file.database.snapshot()
    let sets = try #require(try new.changeSets(since: old.version))
    #expect(sets.count == 1 && sets[0].count > LeafEditor.maximumBlobByteCount)
    var found = TransactionChanges()
    for bytes in sets { try found.apply(bytes) }
    #expect(found.tables[table]?.modified.count == keys.count)
    #expect(FileChecker.check(new, depth: .deep).findings.isEmpty)
  }
}
