import RealmValues
import TestSupport
import Testing

@testable import RealmStorage

/// A crash at any moment of a commit leaves the old version or the new one, whole.
struct CrashTests {
  @Test(arguments: [1, 2, 3, 4])
  func crashesLoseNothingCommitted(seed: UInt64) throws {
    try crash(seed: seed, key: nil)
  }

  @Test(arguments: [5, 6, 7, 8])
  func crashesLoseNothingEncrypted(seed: UInt64) throws {
    try crash(seed: seed, key: EncryptedFileTests.key())
  }

  private func crash(seed: UInt64, key: EncryptionKey?) throws {
    var random = SplitMix64(seed: seed)
    let folder = TemporaryFolder()
    let path = folder.file("crash.realm")
    let contents = { (path: String) throws in try self.contents(path, key) }
    do { _ = try Database.create(path: path, key: key) }
    for round in 0..<4 as Range<Int64> {
      // Encryption relies on whole pages being written at once.
      let file = try RecordingFile(path: path, sectorByteCount: key == nil ? 512 : 4096)
      let before = try contents(path)
      let backend: any FileBackend = key.map { EncryptedFile(file, key: $0) } ?? file
      let database = try Database(path: path, file: backend)
      try change(database, round)
      let after = try contents(path)
      #expect(after.version == before.version + 1)
      var isNew = false
      for count in 0...file.steps.count {
        for attempt in 0..<4 {
          let survives = { attempt == 0 ? false : attempt == 1 || Bool.random(using: &random) }
          let image = folder.write(file.crash(after: count, survives: survives), to: "image.realm")
          let found = try contents(image)
          #expect(found == before || found == after)
          isNew = found == after
          // The database can be changed at once.
          if attempt == 3 { try change(try Database(path: image, key: key), 99) }
        }
      }
      #expect(isNew)
    }
  }

  private struct Contents: Equatable {
    var version: Int64
    var values: [ScalarValue]
  }

  /// Version and values, after a check.
  private func contents(_ path: String, _ key: EncryptionKey?) throws -> Contents {
    let snapshot = try Snapshot(of: try RealmFile(path: path, key: key))
    let report = FileChecker.check(snapshot, depth: .deep)
    #expect(report.isGood, "\(report.findings.prefix(3))")
    var values: [ScalarValue] = []
    if let table = snapshot.table(named: "class_Thing") {
      let cursor = try TableCursor(table, columns: [0])
      while try cursor.next() {
        for row in 0..<cursor.count { values.append(try cursor.value(0, at: row).scalar ?? .null) }
      }
    }
    return Contents(version: snapshot.version, values: values)
  }

  private func change(_ database: Database, _ round: Int64) throws {
    let transaction = try database.beginWrite()
    let table: TableKey
    let column: ColumnKey
    if let known = try transaction.table(named: "class_Thing") {
      table = known
      column = try #require(try transaction.columnKey(table, "text"))
    } else {
      try transaction.setSchemaVersion(0)
      table = try transaction.createTable("class_Thing")
      column = try transaction.addColumn(table, ColumnDefinition("text", .string))
      try transaction.addIndex(table, column)
    }
    for object in try transaction.objects(table).prefix(20) {
      try transaction.deleteObject(table, object)
    }
    for i in 0..<40 {
      let object = try transaction.createObject(table)
      try transaction.set(
        table, object, column, .string(Array("round \(round), object \(i)".utf8)))
    }
    try transaction.commit()
  }
}
