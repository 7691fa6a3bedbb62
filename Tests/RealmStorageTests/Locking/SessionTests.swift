import Glibc
import TestSupport
import Testing

@testable import RealmStorage

/// Several participants in one process or in several, without faults. No database file is needed:
/// the layer only knows versions, refs and sizes.
struct SessionTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("x.realm") }

  func join(
    _ profile: SessionProfile = .local, start: SessionStart = SessionStart(),
    timeoutMilliseconds: Int = 5000
  ) throws -> LockFile {
    try LockFile(
      realmPath: path, profile: profile, timeoutMilliseconds: timeoutMilliseconds
    ) { () throws(StorageError) in start }
  }

  @Test func layoutIsThatOfTheTable() {
    LockLayout.check()
  }

  @Test func newLockFileHasTheDocumentedBytes() throws {
    let start = SessionStart(
      version: 7, topRef: 800, logicalByteCount: 4096, historyType: 2, historySchemaVersion: 1)
    let lockFile = try join(start: start)
    #expect(lockFile.hasBegunSession)
    let bytes = Files.read(path + ".lock")
    #if arch(x86_64)
      #expect(bytes.count == 1728)
      #expect(bytes[0..<10] == [1, 40, 48, 0, 24, 2, 14, 0, 0, 0])
      #expect(bytes[12..<24] == [1, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0])
      #expect(bytes[44..<46] == [1, 0])
      #expect(bytes[432..<444] == [32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
      #expect(bytes[448..<466] == [7, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 32, 3])
    #endif
  }

  @Test func participantsAreCounted() throws {
    let first = try join()
    var second: LockFile? = try join()
    #expect(second?.hasBegunSession == false)
    #expect(try first.participantCount() == 2)
    second = nil
    #expect(try first.participantCount() == 1)
  }

  @Test func sessionBeginsAnewWhenAllHaveLeft() throws {
    var lockFile: LockFile? = try join(start: SessionStart(version: 5))
    #expect(lockFile?.newestVersion == 5)
    lockFile = nil
    let next = try join(start: SessionStart(version: 9))
    #expect(next.hasBegunSession)
    #expect(next.newestVersion == 9)
    #expect(try next.pin().version == 9)
  }

  @Test func failureToBeginLeavesNoParticipant() throws {
    #expect(throws: LockError.file(.notAFile)) {
      try LockFile(realmPath: path, profile: .local) {
        () throws(StorageError) in throw .notAFile
      }
    }
    #expect(throws: LockError.self) {
      try join(start: SessionStart(version: 2, topRef: 24, historyType: 3))
    }
    let lockFile = try join()
    #expect(lockFile.hasBegunSession)
    #expect(try lockFile.participantCount() == 1)
  }

  @Test func pinsBoundWhatMayBeOverwritten() throws {
    let lockFile = try join()
    var live: VersionPin? = try lockFile.pin()
    func commit() throws -> VersionBounds {
      try lockFile.lockForWriting()
      defer { lockFile.unlockForWriting() }
      let bounds = try lockFile.purgeVersions()
      try lockFile.announce(version: bounds.newest + 1, topRef: 24, logicalByteCount: 4096)
      return bounds
    }
    _ = try commit()
    var frozen: VersionPin? = try lockFile.pin(.frozen)
    #expect(frozen?.version == 2)
    _ = try commit()
    #expect(try commit() == VersionBounds(oldest: 1, oldestLive: 1, newest: 3))
    live = nil
    #expect(try commit() == VersionBounds(oldest: 2, oldestLive: 4, newest: 4))
    let again = try lockFile.pin(.frozen, sameAs: try #require(frozen))
    frozen = nil
    #expect(try commit().oldest == 2)
    withExtendedLifetime(again) {}
    #expect(live == nil)
  }

  @Test func listOfVersionsGrows() throws {
    let lockFile = try join()
    let other = try join()
    var pins: [VersionPin] = []
    for version in 2...150 as ClosedRange<UInt64> {
      pins.append(try (version % 2 == 0 ? lockFile : other).pin())
      try lockFile.lockForWriting()
      _ = try lockFile.purgeVersions()
      try lockFile.announce(version: version, topRef: 8 * version, logicalByteCount: 4096)
      lockFile.unlockForWriting()
    }
    #expect(pins.map(\.version) == Array(1...149))
    #expect(pins.dropFirst().allSatisfy { $0.topRef == 8 * $0.version })
    #expect(try other.pin().version == 150)
    #expect(Files.read(path + ".lock").count == LockLayout.byteCount(slotCount: 160))
    pins = []
    try other.lockForWriting()
    #expect(try other.purgeVersions().oldest == 150)
    other.unlockForWriting()
  }

  @Test func onlyOneWrites() throws {
    let lockFile = try join()
    let other = Participant(path)
    #expect(other("join") == "joined")
    try lockFile.lockForWriting()
    #expect(other("try") == "busy")
    #expect(other("lock 50") == "timedOut")
    other.send("lock")
    #expect(other.answer(withinMilliseconds: 100) == "(silence)")
    lockFile.unlockForWriting()
    #expect(other.answer() == "ok")
    #expect(try !lockFile.tryLockForWriting())
    #expect(throws: LockError.timedOut) { try lockFile.lockForWriting(timeoutMilliseconds: 20) }
    #expect(other("unlock") == "ok")
    #expect(try lockFile.tryLockForWriting())
    lockFile.unlockForWriting()
  }

  @Test func noIncrementIsLost() throws {
    let participants = (0..<4).map { _ in Participant(path) }
    for participant in participants { participant.send("join") }
    #expect(Set(participants.map { $0.answer() }) == ["began", "joined"])
    for participant in participants { participant.send("count 100") }
    #expect(participants.map { $0.answer(withinMilliseconds: 60_000) } == ["ok", "ok", "ok", "ok"])
    let count = Files.read(path + ".count").enumerated().reduce(0) {
      $0 + Int($1.element) << (8 * $1.offset)
    }
    #expect(count == 400)
    #expect(participants.map { $0("newest") } == ["401", "401", "401", "401"])
    #expect(participants[0]("lock") == "ok")
    #expect(participants[0]("purge") == "401 401 401")
  }

  @Test func newVersionWakesWhoWaits() throws {
    let lockFile = try join()
    let other = Participant(path)
    other("join")
    other.send("wait 1")
    #expect(other.answer(withinMilliseconds: 100) == "(silence)")
    try lockFile.lockForWriting()
    _ = try lockFile.purgeVersions()
    try lockFile.announce(version: 2, topRef: 24, logicalByteCount: 4096)
    lockFile.unlockForWriting()
    #expect(other.answer(withinMilliseconds: 1000) == "2")
    #expect(lockFile.waitForVersion(otherThan: 2, timeoutMilliseconds: 30) == nil)
  }

  /// The SDKs listen on a FIFO; what it contained is replaced by one byte.
  @Test func listenersOfTheFIFOAreWoken() throws {
    let lockFile = try join()
    #expect(mkfifo(path + ".note", 0o600) == 0)
    let fifo = open(path + ".note", O_RDWR | O_NONBLOCK | O_CLOEXEC)
    defer { close(fifo) }
    #expect(write(fifo, [1, 2, 3] as [UInt8], 3) == 3)
    try lockFile.lockForWriting()
    _ = try lockFile.purgeVersions()
    try lockFile.announce(version: 2, topRef: 24, logicalByteCount: 4096)
    lockFile.unlockForWriting()
    var bytes = [UInt8](repeating: 9, count: 8)
    #expect(read(fifo, &bytes, 8) == 1)
    #expect(bytes[0] == 0)
    // Nothing new: nobody is woken.
    try lockFile.lockForWriting()
    lockFile.unlockForWriting()
    #expect(read(fifo, &bytes, 8) < 0)
  }

  @Test func participantsMustAgree() throws {
    let lockFile = try join()
    let holder = getpid()
    #expect(
      throws: LockError.incompatible(.historyType, found: 2, expected: 3, holder: holder)
    ) {
      try join(SessionProfile(historyType: 3, historySchemaVersion: 12))
    }
    #expect(
      throws: LockError.incompatible(.historySchemaVersion, found: 1, expected: 2, holder: holder)
    ) {
      try join(SessionProfile(historyType: 2, historySchemaVersion: 2))
    }
    #expect(try lockFile.participantCount() == 1)
  }

  @Test func exclusiveLockKeepsOthersOut() throws {
    let other = Participant(path)
    #expect(other("join") == "began")
    let error = #expect(throws: LockError.self) { try ExclusiveLock(realmPath: path) }
    guard case .inUse(let holder?) = error else {
      Issue.record("no holder: \(String(describing: error))")
      return
    }
    #expect(holder != getpid())
    #expect(other("leave") == "ok")
    do {
      let exclusive = try ExclusiveLock(realmPath: path, timeoutMilliseconds: 1000)
      #expect(Files.read(path + ".lock").isEmpty)
      #expect(other("join 20") == "inUse(holder: Optional(\(getpid())))")
      other.send("join")
      #expect(other.answer(withinMilliseconds: 100) == "(silence)")
      withExtendedLifetime(exclusive) {}
    }
    #expect(other.answer() == "began")
  }
}
