import Glibc
import RealmValues
import TestSupport
import Testing

@testable import RealmStorage

/// Commits that fail or that nobody was told of, while others have the database open.
struct FailureTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("x.realm") }

  /// The numbers of the objects, after a deep check of the file.
  func numbers(_ snapshot: Snapshot) throws -> [Int64] {
    #expect(FileChecker.check(snapshot, depth: .deep).isGood)
    let cursor = try TableCursor(try #require(snapshot.table(named: "class_Thing")), columns: [0])
    var result: [Int64] = []
    while try cursor.next() {
      for row in 0..<cursor.count {
        if case .int(let value) = try cursor.value(0, at: row).scalar { result.append(value) }
      }
    }
    return result
  }

  func inFile() throws -> [Int64] { try numbers(try Snapshot(of: RealmFile(path: path, key: nil))) }

  func create() throws -> Database {
    let database = try Database.create(path: path)
    let transaction = try database.beginWrite()
    try transaction.setSchemaVersion(0)
    let table = try transaction.createTable("class_Thing")
    _ = try transaction.addColumn(table, ColumnDefinition("number", .int))
    _ = try transaction.addColumn(table, ColumnDefinition("text", .string))
    try transaction.commit()
    return database
  }

  /// Adds an object with some text; the file grows again and again.
  func add(_ number: Int64, _ database: Database) throws {
    let transaction = try database.beginWrite(wait: .no)
    let table = try #require(try transaction.table(named: "class_Thing"))
    let object = try transaction.createObject(table)
    let column = try #require(try transaction.columnKey(table, "number"))
    let text = try #require(try transaction.columnKey(table, "text"))
    try transaction.set(table, object, column, .int(number))
    try transaction.set(table, object, text, .string([UInt8](repeating: 97, count: 5000)))
    try transaction.commit()
  }

  @Test(arguments: [false, true])
  func failedCommitLeavesTheOldVersion(staysBroken: Bool) throws {
    let other = try create()
    let file = try FailingFile(path: path)
    file.staysBroken = staysBroken
    let database = try Database(path: path, sharing: file)
    var expected: [Int64] = []
    for round in 0..<3 as Range<Int64> {
      var step = 0
      while true {
        let before = try database.snapshot()
        file.stepsLeft = step
        do {
          try add(round, database)
          break
        } catch StorageError.system {
          file.stepsLeft = nil
          #expect(try numbers(before) == expected)
          #expect(try numbers(try database.snapshot()) == expected)
          // A disk that stays broken cannot be told that the last step did not count.
          if !staysBroken { #expect(try inFile() == expected) }
        }
        // Neither the lock nor damage is left behind.
        let added = 1000 * round + Int64(step)
        try add(added, step % 2 == 0 ? other : database)
        expected.append(added)
        #expect(try inFile() == expected)
        step += 1
      }
      file.stepsLeft = nil
      #expect(step > 4)
      expected.append(round)
      #expect(try inFile() == expected)
    }
  }

  /// A process died between making a commit durable and announcing it. The session goes on from the
  /// version before, and a crash in the next commit does not bring the dropped one back.
  @Test func commitThatWasNotAnnouncedIsDropped() throws {
    let database = try create()
    try add(1, database)
    let pinned = try database.snapshot()
    for round in 0..<3 as Range<Int64> {
      // Nobody is told of what is written past the session.
      let unannounced = try Database(path: path, file: try DiskFile(path: path))
      try add(100 + round, unannounced)
      #expect(try inFile().last == 100 + round)
      #expect(try numbers(try database.snapshot()).last == 1 + round)
      let file = try RecordingFile(path: path)
      try add(2 + round, try Database(path: path, sharing: file))
      #expect(try inFile() == Array(1...(2 + round)))
      for count in 0...file.steps.count {
        let image = folder.write(file.crash(after: count) { count % 2 == 0 }, to: "image.realm")
        let found = try numbers(try Snapshot(of: RealmFile(path: image, key: nil)))
        #expect(found.dropLast() == Array(1...(1 + round))[...] || found == Array(1...(1 + round)))
      }
    }
    #expect(try numbers(pinned) == [1])
  }

  /// The commit that takes the place of a dropped one has its version number, and may be of the same
  /// size: who read the dropped one without a lock finds out by the header.
  @Test func droppedCommitIsNotMistakenForItsSuccessor() throws {
    let database = try create()
    for round in 0..<8 as Range<Int64> {
      try add(100 + round, try Database(path: path, file: try DiskFile(path: path)))
      let dropped = try Snapshot(of: RealmFile(path: path, key: nil))
      try add(round, database)
      let successor = try Snapshot(of: RealmFile(path: path, key: nil))
      #expect(dropped.version == successor.version)
      #expect(!dropped.isIntact())
      #expect(try inFile() == Array(0...round))
    }
  }

  /// The newest snapshot of the session is in neither slot of the header.
  @Test func versionOfTheSessionIsSelectedAgain() throws {
    let database = try create()
    try add(1, database)
    for number in [100, 101] as [Int64] {
      try add(number, try Database(path: path, file: try DiskFile(path: path)))
    }
    // Two commits past the session can overwrite the snapshot that it is on; here they did not.
    #expect(try numbers(try database.snapshot()) == [1])
    try add(2, database)
    #expect(try inFile() == [1, 2])
  }
}
