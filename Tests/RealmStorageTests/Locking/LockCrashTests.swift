import Glibc
import TestSupport
import Testing

@testable import RealmStorage

/// Processes that die at the worst moment, and lock files that are not what they should be.
struct LockCrashTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("x.realm") }
  var lockPath: String { path + ".lock" }

  func join(timeoutMilliseconds: Int = 5000) throws -> LockFile {
    try LockFile(realmPath: path, profile: .local, timeoutMilliseconds: timeoutMilliseconds) {
      () throws(StorageError) in SessionStart()
    }
  }

  func expectToWork(_ lockFile: LockFile) throws {
    try lockFile.lockForWriting(timeoutMilliseconds: 3000)
    defer { lockFile.unlockForWriting() }
    let bounds = try lockFile.purgeVersions()
    try lockFile.announce(version: bounds.newest + 1, topRef: 24, logicalByteCount: 4096)
    #expect(try lockFile.pin().version == bounds.newest + 1)
  }

  /// Replaces bytes of the lock file.
  func poke(_ bytes: [UInt8], at offset: Int) {
    let file = open(lockPath, O_WRONLY | O_CLOEXEC)
    defer { close(file) }
    #expect(pwrite(file, bytes, bytes.count, offset) == bytes.count)
  }

  @Test(arguments: [
    [], ["pin"], ["pin", "lock"], ["lock", "purge"], ["lock", "purge", "announce 2"],
    ["die-holding \(LockLayout.writeMutex)"], ["die-holding \(LockLayout.controlMutex)"],
    ["die-holding \(LockLayout.versionsMutex)"],
  ])
  func deathOfAnotherBlocksNobody(_ commands: [String]) throws {
    let survivor = try join()
    let victim = Participant(path)
    #expect(victim("join") == "joined")
    for command in commands { victim(command) }
    victim.kill()
    try expectToWork(survivor)
    let next = Participant(path)
    #expect(next("join") == "joined")
    #expect(next("lock") == "ok")
  }

  @Test func deathOfTheLastLeavesNoSession() throws {
    let victim = Participant(path)
    #expect(victim("join") == "began")
    victim("pin")
    victim("lock")
    victim.kill()
    let lockFile = try join()
    #expect(lockFile.hasBegunSession)
    #expect(try lockFile.participantCount() == 1)
    try expectToWork(lockFile)
  }

  @Test func deathOfTheExclusiveOneFreesTheRealm() throws {
    let victim = Participant(path)
    #expect(victim("exclusive") == "ok")
    #expect(throws: LockError.self) { try join(timeoutMilliseconds: 10) }
    victim.kill()
    try expectToWork(try join())
  }

  func poke(_ number: UInt64, at offset: Int) {
    poke(withUnsafeBytes(of: number.littleEndian) { Array($0) }, at: offset)
  }

  /// Makes the lock file what a genuine writer leaves that dies while it publishes version 2.
  func dieWhilePublishing(_ point: PublicationPoint) {
    let slot = LockLayout.byteCount(slotCount: 7)
    poke([1], at: LockLayout.criticalPhase)
    if point == .marked { return }
    if point == .grown {
      #expect(truncate(lockPath, LockLayout.byteCount(slotCount: 64)) == 0)
      return
    }
    poke([7, 0, 0, 0], at: LockLayout.slotBeingFilled)
    if point == .named { return }
    poke(4096, at: slot + 8)
    poke(24, at: slot + 16)
    if point == .halfFilled { return }
    poke(2, at: slot)
    if point == .filled { return }
    poke([7, 0, 0, 0], at: LockLayout.newestSlot)
  }

  enum PublicationPoint: CaseIterable {
    case marked, grown, named, halfFilled, filled, published
  }

  /// The next writer puts right what remains, and readers do not notice.
  @Test(arguments: PublicationPoint.allCases)
  func deathWhilePublishingBlocksNobody(_ point: PublicationPoint) throws {
    let survivor = try join()
    let other = Participant(path)
    #expect(other("join") == "joined")
    let pin = try survivor.pin()
    for _ in 0..<2 {
      let before = try survivor.pin().version
      if before == 1 { dieWhilePublishing(point) } else { poke([1], at: LockLayout.criticalPhase) }
      let version = before + (before == 1 && point == .published ? 1 : 0)
      #expect(try survivor.pin().version == version)
      #expect(other("lock") == "ok")
      #expect(other("purge") == "1 1 \(version)")
      #expect(try !survivor.tryLockForWriting())
      #expect(other("announce \(version + 1)") == "ok")
      #expect(other("unlock") == "ok")
      #expect(survivor.newestVersion == version + 1)
      try expectToWork(survivor)
    }
    withExtendedLifetime(pin) {}
  }

  /// Faults that no death of a writer explains end writing; the next session is whole.
  @Test func contradictionsEndTheSession() throws {
    let faults: [(at: Int, UInt64)] = [
      (LockLayout.byteCount(slotCount: 0) + 16, 4),
      (LockLayout.byteCount(slotCount: 0) + 16, 1 << 40),
      (LockLayout.byteCount(slotCount: 3), 1),
      (LockLayout.newestVersion, 2),
    ]
    for fault in faults {
      do {
        let survivor = try join()
        poke([1], at: LockLayout.criticalPhase)
        poke(fault.1, at: fault.at)
        for _ in 0..<2 {
          #expect(throws: LockError.sessionBroken) { try survivor.lockForWriting() }
          #expect(throws: LockError.sessionBroken) { try survivor.tryLockForWriting() }
        }
        #expect(try survivor.pin().version == 1)
      }
      try expectToWork(try join())
    }
  }

  /// A writer died after it had named the slot it would fill, and had filled a part.
  @Test func halfFilledSlotIsForgotten() throws {
    let survivor = try join()
    poke([5, 0, 0, 0], at: LockLayout.slotBeingFilled)
    poke([99], at: LockLayout.byteCount(slotCount: 5))
    try expectToWork(survivor)
    try expectToWork(survivor)
    #expect(survivor.newestVersion == 3)
    try survivor.lockForWriting()
    #expect(try survivor.purgeVersions() == VersionBounds(oldest: 3, oldestLive: 3, newest: 3))
    survivor.unlockForWriting()
  }

  @Test func killedAtAnyTimeLeavesNothingThatBlocks() throws {
    var random = SplitMix64(seed: 11)
    for _ in 0..<40 {
      let survivor = Participant(path)
      survivor("join")
      let victims = (0..<2).map { _ in Participant(path) }
      victims[0].send("join")
      victims[0].send("count 1000000")
      victims[1].send("churn 1000000")
      usleep(UInt32.random(in: 3000...25_000, using: &random))
      for victim in victims { victim.kill() }
      #expect(survivor("count 3", withinMilliseconds: 10_000) == "ok")
      #expect(survivor("pin") != "(silence)")
      survivor.kill()
    }
    try expectToWork(try join())
  }

  /// A process that hangs with the control mutex keeps others from joining, not from leaving.
  @Test func heldControlMutexDoesNotHoldUpTheEnd() throws {
    let lockFile = try join()
    let other = Participant(path)
    #expect(other("join") == "joined")
    try lockFile.withControl {
      #expect(other("lock") == "ok")
      #expect(other("purge") == "1 1 1")
      #expect(other("announce 2") == "ok")
      #expect(other("unlock") == "ok")
      #expect(other("leave") == "ok")
      #expect(other("join 100") == "timedOut")
    }
    #expect(try lockFile.pin().version == 2)
    #expect(lockFile.newestVersion == 1)
    try expectToWork(lockFile)
    #expect(lockFile.newestVersion == 3)
  }

  @Test func garbageWithoutHolderIsReplaced() throws {
    var random = SplitMix64(seed: 3)
    for byteCount in [1, 2, 7, 100, 1727, 1728, 1729, 5000] {
      Files.write((0..<byteCount).map { _ in .random(in: 0...255, using: &random) }, to: lockPath)
      try expectToWork(try join())
      Files.write([UInt8](repeating: 1, count: byteCount), to: lockPath)
      try expectToWork(try join())
    }
  }

  /// Someone else holds the file and it does not become usable.
  @Test func misfitsTellTheHolder() throws {
    let good: [UInt8]
    do {
      let lockFile = try join()
      good = Files.read(lockPath)
      withExtendedLifetime(lockFile) {}
    }
    let holder = open(lockPath, O_RDWR | O_CLOEXEC)
    defer { close(holder) }
    #expect(flock(holder, LOCK_SH) == 0)
    func misfit(_ bytes: [UInt8]) -> LockError? {
      Files.write(bytes, to: lockPath)
      return #expect(throws: LockError.self) { try join(timeoutMilliseconds: 100) }
    }
    func changed(_ offset: Int, _ byte: UInt8) -> [UInt8] {
      var bytes = good
      bytes[offset] = byte
      return bytes
    }
    func error(_ what: LockError.Mismatch, _ found: Int, _ expected: Int) -> LockError {
      .incompatible(what, found: found, expected: expected, holder: getpid())
    }
    #expect(misfit([]) == error(.initialization, 0, 1))
    #expect(misfit(changed(0, 0)) == error(.initialization, 0, 1))
    #expect(misfit(changed(0, 77)) == error(.initialization, 77, 1))
    #expect(misfit(Array(good.dropLast())) == error(.byteCount, good.count - 1, good.count))
    #expect(misfit(changed(6, 13)) == error(.generation, 13, 14))
    #expect(misfit(changed(1, 48)) == error(.mutexByteCount, 48, LockLayout.mutexByteCount))
    #expect(misfit(changed(2, 40)) == error(.conditionByteCount, 40, LockLayout.conditionByteCount))
    let kind = LockLayout.controlMutex + 16
    #expect(misfit(changed(kind, 0)) == error(.mutexKind, 0, Int(good[kind])))
  }

  /// Numbers in a running session that would lead out of the mapping.
  @Test func wildNumbersInTheListAreErrors() throws {
    let lockFile = try join()
    func expectDamage() {
      #expect(throws: LockError.damagedVersionList) { try lockFile.pin() }
    }
    poke([200, 0, 0, 0], at: LockLayout.newestSlot)
    expectDamage()
    poke([255, 255, 255, 255], at: LockLayout.newestSlot)
    expectDamage()
    poke([3, 0, 0, 0], at: LockLayout.newestSlot)
    expectDamage()
    poke([0, 0, 0, 0], at: LockLayout.newestSlot)
    poke([255, 255, 255, 255], at: LockLayout.slotCount)
    expectDamage()
    poke([0, 0, 0, 0], at: LockLayout.slotCount)
    expectDamage()
    poke([32, 0, 0, 0], at: LockLayout.slotCount)
    #expect(try lockFile.pin().version == 1)
  }

  @Test func lockFileMustBeAFile() throws {
    #expect(mkdir(lockPath, 0o755) == 0)
    #expect(throws: LockError.notAFile) { try join() }
    rmdir(lockPath)
    #expect(mkfifo(lockPath, 0o600) == 0)
    #expect(throws: LockError.notAFile) { try join() }
    #expect(throws: LockError.notAFile) { try ExclusiveLock(realmPath: path) }
    let missing = folder.file("missing/x.realm")
    #expect(throws: LockError.system(.open, ENOENT)) { try ExclusiveLock(realmPath: missing) }
  }
}
