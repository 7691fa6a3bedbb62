import Glibc
import RealmStorage

// A program for the tests of sharing: a participant of its own process. The only argument is the path
// of a realm; it reads commands, one a line, and answers each with a line. The commands of `Probe`
// make the lock file only, those of `DatabaseProbe` the database.

struct Probe {
  let path: String
  /// What a session begins with that this process begins.
  var start = SessionStart()
  var lockFile: LockFile?
  var pins: [VersionPin] = []
  var exclusive: ExclusiveLock?

  /// Runs one command; the answer is "ok", a number, or the error.
  mutating func run(_ words: [Substring]) -> String {
    let number = words.count > 1 ? Int(words[1]) ?? 0 : 0
    do throws(LockError) {
      switch words.first {
      case "join":
        let start = start
        lockFile = try LockFile(
          realmPath: path, profile: .local, timeoutMilliseconds: words.count > 1 ? number : 10_000
        ) { () throws(StorageError) in start }
        return lockFile?.hasBegunSession == true ? "began" : "joined"
      case "start":
        let numbers = words.dropFirst().compactMap { UInt64($0) }
        guard numbers.count == 3 else { return "version, top, size" }
        start = SessionStart(
          version: numbers[0], topRef: numbers[1], logicalByteCount: numbers[2], historyType: 2,
          historySchemaVersion: 1)
      case "leave":
        pins = []
        lockFile = nil
      case "exclusive":
        exclusive = try ExclusiveLock(realmPath: path, timeoutMilliseconds: number)
      case "share": exclusive = nil
      case "churn": try churn(number)
      case "die": kill(getpid(), SIGKILL)
      case "die-holding": lockMutex(at: number)
      default: return try runJoined(words, number)
      }
      return "ok"
    } catch {
      return "\(error)"
    }
  }

  private mutating func runJoined(
    _ words: [Substring], _ number: Int
  ) throws(LockError) -> String {
    guard let lockFile else { return "not joined" }
    switch words.first {
    case "pin":
      pins.append(try lockFile.pin(words.count > 1 ? .frozen : .live))
      return "\(pins[pins.count - 1].version)"
    case "unpin": pins.removeFirst()
    case "lock": try lockFile.lockForWriting(timeoutMilliseconds: words.count > 1 ? number : nil)
    case "try": return try lockFile.tryLockForWriting() ? "ok" : "busy"
    case "unlock": lockFile.unlockForWriting()
    case "purge":
      let bounds = try lockFile.purgeVersions()
      return "\(bounds.oldest) \(bounds.oldestLive) \(bounds.newest)"
    case "announce":
      try lockFile.announce(version: UInt64(number), topRef: 24, logicalByteCount: 4096)
    case "count": try count(lockFile, number)
    case "newest": return "\(lockFile.newestVersion)"
    case "participants": return "\(try lockFile.participantCount())"
    case "wait":
      let newest = lockFile.waitForVersion(otherThan: UInt64(number), timeoutMilliseconds: 5000)
      return newest.map { "\($0)" } ?? "timeout"
    default: return "unknown command"
    }
    return "ok"
  }

  /// Joins, pins, writes nothing, and leaves, many times.
  private func churn(_ times: Int) throws(LockError) {
    let start = start
    for _ in 0..<times {
      let lockFile = try LockFile(realmPath: path, profile: .local) {
        () throws(StorageError) in start
      }
      let pin = try lockFile.pin()
      try lockFile.lockForWriting()
      defer { lockFile.unlockForWriting() }
      let bounds = try lockFile.purgeVersions()
      guard bounds.oldest <= pin.version, bounds.newest >= pin.version else {
        throw .damagedVersionList
      }
    }
  }

  /// Raises a number in a file, and announces a version each time, as a writer does: only mutual
  /// exclusion keeps increments from getting lost.
  private func count(_ lockFile: LockFile, _ times: Int) throws(LockError) {
    let file = open(path + ".count", O_RDWR | O_CREAT, 0o644)
    defer { close(file) }
    for _ in 0..<times {
      try lockFile.lockForWriting()
      defer { lockFile.unlockForWriting() }
      let bounds = try lockFile.purgeVersions()
      var value: UInt64 = 0
      pread(file, &value, 8, 0)
      if Int(value) % 7 == 0 { sched_yield() }
      value += 1
      pwrite(file, &value, 8, 0)
      try lockFile.announce(
        version: bounds.newest + 1, topRef: 24, logicalByteCount: 4096)
      let pin = try lockFile.pin()
      guard pin.version == bounds.newest + 1 else { throw .damagedVersionList }
    }
  }

  /// Locks a mutex of the lock file behind the back of the library, for the moments of dying that no
  /// call of it stops at.
  private func lockMutex(at offset: Int) {
    let file = open(path + ".lock", O_RDWR)
    guard let base = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
      base != MAP_FAILED
    else { return }
    pthread_mutex_lock((base + offset).assumingMemoryBound(to: pthread_mutex_t.self))
    kill(getpid(), SIGKILL)
  }
}

/// Answers until the input ends.
func runProbe() -> Int32 {
  guard CommandLine.arguments.count == 2 else { return 2 }
  var probe = Probe(path: CommandLine.arguments[1])
  var databaseProbe = DatabaseProbe(path: CommandLine.arguments[1])
  while let line = readLine() {
    let words = line.split(separator: " ")
    print(databaseProbe.run(words) ?? probe.run(words))
    fflush(nil)
  }
  return 0
}

exit(runProbe())
