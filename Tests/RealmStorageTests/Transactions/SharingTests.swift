import Glibc
import RealmValues
import TestSupport
import Testing

@testable import RealmStorage

/// Several processes, or several objects in one, with one database.
struct SharingTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("x.realm") }

  /// Starts processes that have the database open; the first one makes it.
  func participants(_ count: Int) -> [Participant] {
    let all = (0..<count).map { _ in Participant(path) }
    #expect(all[0]("create") == "ok")
    #expect(all[0]("prepare") == "ok")
    for other in all.dropFirst() { #expect(other("open") == "ok") }
    return all
  }

  func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let snapshot = try Snapshot(of: RealmFile(path: path, key: nil))
    let report = FileChecker.check(snapshot, depth: .deep)
    #expect(
      report.isGood, "\(report.findings.prefix(5)) of \(report.findingCount)",
      sourceLocation: sourceLocation)
  }

  @Test func noChangeIsLost() throws {
    let all = participants(4)
    for writer in all { writer.send("raise-all 25") }
    #expect(all.map { $0.answer(withinMilliseconds: 60_000) } == ["ok", "ok", "ok", "ok"])
    #expect(all.map { $0("see") } == ["100", "100", "100", "100"])
    #expect(try Snapshot(of: RealmFile(path: path, key: nil)).version == 102)
    try check()
  }

  @Test func encryptedDatabasesAreShared() throws {
    let all = (0..<3).map { _ in Participant(path) }
    for (i, one) in all.enumerated() {
      #expect(one("key k") == "ok")
      #expect(one(i == 0 ? "create" : "open") == "ok")
      if i == 0 { #expect(one("prepare") == "ok") }
    }
    all[0].send("raise-all 30")
    all[1].send("raise-all 30")
    #expect(Int(all[2]("watch 800")) != nil)
    #expect(all[0].answer() == "ok")
    #expect(all[1].answer() == "ok")
    #expect(all[2]("see") == "60")
  }

  @Test func pinnedVersionsStayWhole() throws {
    let all = participants(3)
    for round in 0..<10 {
      #expect(all[0]("keep") == "ok")
      #expect(all[1]("raise-all 5") == "ok")
      let kept = (0...round).map { "\(5 * $0)" }.joined(separator: " ")
      #expect(all[0]("kept") == kept)
    }
    all[1].send("write-for 1500")
    #expect(Int(all[2]("watch 1000")) != nil)
    #expect(Int(all[1].answer()) != nil)
    #expect(all[0]("kept") == (0..<10).map { "\(5 * $0)" }.joined(separator: " "))
    try check()
  }

  /// Many readers on versions of their own need much space; it is used again when they go.
  @Test func spaceIsReusedWhenReadersMoveOn() throws {
    let all = participants(2)
    #expect(all[0]("raise-all 20") == "ok")
    let small = Files.read(path).count
    for _ in 0..<40 {
      #expect(all[1]("keep") == "ok")
      #expect(all[0]("raise-all 1") == "ok")
    }
    let large = Files.read(path).count
    #expect(large > small)
    #expect(all[1]("drop") == "ok")
    #expect(all[0]("raise-all 200") == "ok")
    #expect(Files.read(path).count == large)
    try check()
  }

  /// What was written and replaced after a reader has come is used again while it stays, also if it
  /// has died.
  @Test func readerThatStaysDoesNotMakeTheFileGrow() throws {
    let all = participants(4)
    var versions: [Int] = []
    for reader in all[1...] {
      #expect(all[0]("raise-all 10") == "ok")
      #expect(reader("keep") == "ok")
      versions.append(10 * (versions.count + 1))
    }
    all[1].kill()
    #expect(all[0]("raise-all 50") == "ok")
    let early = Files.read(path).count
    #expect(all[0]("raise-all 400") == "ok")
    // The history grows, and the log of changes with it.
    #expect(Files.read(path).count <= 4 * early)
    #expect(all[2]("kept") == "\(versions[1])")
    #expect(all[3]("kept") == "\(versions[2])")
    try check()
  }

  /// Change sets are kept for the oldest reader, and dropped when it goes.
  @Test func historyReachesBackToTheOldestReader() throws {
    let all = participants(2)
    #expect(try historyCount() == 1)
    #expect(all[1]("keep") == "ok")
    for count in 1...5 {
      #expect(all[0]("raise-all 1") == "ok")
      #expect(try historyCount() == count)
    }
    #expect(all[0]("raise-all 1200") == "ok")
    #expect(try historyCount() == 1205)
    try check()
    #expect(all[1]("drop") == "ok")
    #expect(all[0]("raise-all 1") == "ok")
    #expect(try historyCount() == 1)
    try check()
  }

  private func historyCount() throws -> Int {
    let file = try RealmFile(path: path, key: nil)
    let snapshot = try Snapshot(of: file)
    let view = try #require(snapshot.view)
    let top = try view.refs(at: Int64(snapshot.topRef))
    let root = try view.ref(top, 8)
    var cursor = BPlusTreeCursor(root: root, in: view)
    var count = 0
    while let leaf = try cursor.nextLeaf() {
      count += try ColumnLeaf(leaf, LeafType(layout: .data, isNullable: true), in: view).count
    }
    return count
  }

  @Test func waitingEnds() throws {
    let other = participants(1)[0]
    let database = try Database(path: path)
    #expect(database.writerProcess == nil)
    #expect(other("begin") == "ok")
    let holder = try #require(database.writerProcess)
    #expect(holder != getpid())
    #expect(throws: StorageError.rejected(.writeLocked(holder: holder))) {
      try database.beginWrite(wait: .no)
    }
    #expect(throws: StorageError.rejected(.writeLocked(holder: holder))) {
      try database.beginWrite(wait: .milliseconds(30))
    }
    var holders: [Int32?] = []
    #expect(throws: StorageError.rejected(.interrupted)) {
      try database.beginWrite { holder in
        holders.append(holder)
        return holders.count < 3
      }
    }
    #expect(holders == [holder, holder, holder])
    let transaction = try database.beginWrite(wait: .forever) { _ in
      other.send("cancel")
      return true
    }
    #expect(other.answer() == "ok")
    #expect(other("begin 20").hasPrefix("rejected(RealmStorage.Rejection.writeLocked"))
    transaction.cancel()
    #expect(other("begin 1000") == "ok")
  }

  @Test func threadDoesNotWaitForItself() throws {
    let first = try Database.create(path: path)
    let second = try Database(path: path)
    let transaction = try first.beginWrite()
    for wait in [LockWait.forever, .no, .milliseconds(1000)] {
      #expect(throws: StorageError.rejected(.wouldWaitForItself)) {
        try second.beginWrite(wait: wait)
      }
    }
    transaction.cancel()
    try second.beginWrite(wait: .no).cancel()
    // A transaction that was forgotten has ended as well.
    do { _ = try first.beginWrite() }
    try second.beginWrite(wait: .no).commit()
    #expect(try first.snapshot().version == 2)
  }

  /// Whatever a writer was doing when it was killed, the others read and write on.
  @Test func killedWritersBlockNobody() throws {
    var random = SplitMix64(seed: 5)
    let survivor = participants(1)[0]
    var last: Int64 = 0
    for round in 0..<30 {
      let victims = (0..<2).map { _ in Participant(path) }
      for victim in victims {
        victim.send("open")
        victim.send("raise-all 100000")
      }
      usleep(.random(in: 20_000...60_000, using: &random))
      for victim in victims { victim.kill() }
      #expect(survivor("raise-all 1", withinMilliseconds: 10_000) == "ok")
      let value = try #require(Int64(survivor("see")))
      #expect(value > last)
      last = value
      // A new process finds its way in as well.
      if round % 5 == 0 {
        let newcomer = Participant(path)
        #expect(newcomer("open", withinMilliseconds: 10_000) == "ok")
        #expect(newcomer("see") == "\(value)")
      }
      try check()
    }
  }

  @Test func snapshotKnowsWhetherItIsTheNewest() throws {
    let other = participants(1)[0]
    let database = try Database(path: path)
    let snapshot = try database.snapshot()
    #expect(snapshot.isNewest())
    #expect(other("raise-all 3") == "ok")
    #expect(!snapshot.isNewest())
    #expect(snapshot.isIntact())
    #expect(try database.snapshot().isNewest())
    #expect(database.isCurrent)
    #expect(rename(path, path + ".old") == 0)
    #expect(!database.isCurrent)
    #expect(!snapshot.isNewest())
  }

  @Test func emptyFileBecomesADatabase() throws {
    Files.write([], to: path)
    let database = try Database(path: path)
    let transaction = try database.beginWrite()
    _ = try transaction.createTable("class_Thing")
    #expect(try transaction.commit() == 2)
    try check()
  }

  @Test func newDatabaseReplacesNothing() throws {
    Files.write([1], to: path)
    #expect(throws: StorageError.system(.open, EEXIST)) { try Database.create(path: path) }
    #expect(Files.read(path) == [1])
    unlink(path)
    let database = try Database.create(path: path)
    unlink(path)
    #expect(throws: StorageError.self) { try Database.create(path: path) }
    withExtendedLifetime(database) {}
  }

  @Test func otherKindsOfSessionsAreRefused() throws {
    let database = try Database.create(path: path)
    let file = open(path + ".lock", O_RDWR | O_CLOEXEC)
    defer { close(file) }
    #expect(pwrite(file, [3 as UInt8], 1, LockLayout.historyType) == 1)
    #expect(
      throws: StorageError.rejected(
        .incompatibleSession(.historyType, found: 3, expected: 2, holder: getpid()))
    ) { try Database(path: path) }
    withExtendedLifetime(database) {}
  }
}
