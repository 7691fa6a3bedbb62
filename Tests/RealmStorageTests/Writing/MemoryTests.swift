import RealmStorage
import RealmValues
import TestSupport
import Testing

/// Databases in memory.
struct MemoryTests {
  @Test func changesAreSeenThroughThePath() throws {
    let database = try Database.memory()
    for round in 1...3 as ClosedRange<UInt64> {
      let transaction = try database.beginWrite()
      try transaction.setSchemaVersion(round)
      try transaction.commit()
      let snapshot = try Snapshot(of: try RealmFile(path: database.path, key: nil))
      #expect(FileChecker.check(snapshot, depth: .deep).isGood)
      #expect(snapshot.version == Int64(round) + 1)
      #expect(snapshot.isNewest())
    }
  }

  @Test func databasesAreApart() throws {
    let (a, b) = (try Database.memory(), try Database.memory())
    let transaction = try a.beginWrite()
    try transaction.setSchemaVersion(7)
    try transaction.commit()
    let snapshot = try Snapshot(of: try RealmFile(path: b.path, key: nil))
    #expect(snapshot.tables.isEmpty)
  }
}
