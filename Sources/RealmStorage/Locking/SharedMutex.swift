import Glibc
import Synchronization

/// A robust mutex in memory that several processes share.
///
/// When its owner dies the next one to lock it gets it all the same; what it protects is then put
/// right by the code that relies on it.
///
/// Source: file-format-writing.md 6.6, 6.7.
struct SharedMutex {
  private let pointer: UnsafeMutablePointer<pthread_mutex_t>

  init(_ address: UnsafeMutableRawPointer) {
    pointer = address.assumingMemoryBound(to: pthread_mutex_t.self)
  }

  /// Makes an unlocked mutex of zeroed bytes.
  func initialize() throws(LockError) {
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    defer { pthread_mutexattr_destroy(&attributes) }
    pthread_mutexattr_setpshared(&attributes, Int32(PTHREAD_PROCESS_SHARED))
    pthread_mutexattr_setrobust(&attributes, Int32(PTHREAD_MUTEX_ROBUST))
    let result = pthread_mutex_init(pointer, &attributes)
    guard result == 0 else { throw .system(.initialize, result) }
  }

  /// The word that says whether it is shared and robust; others would not wake us, or would stay
  /// locked for ever.
  var kind: Int32 { pointer.pointee.__data.__kind }

  /// The id of the thread that has it locked; nil if none has.
  ///
  /// The kernel demands this form of the word of every robust mutex; it takes the id out when the
  /// thread dies.
  var owner: pid_t? {
    let word = UnsafeRawPointer(pointer).assumingMemoryBound(to: Atomic<UInt32>.self)
    let id = word.pointee.load(ordering: .relaxed) & 0x3FFF_FFFF
    return id == 0 ? nil : pid_t(id)
  }

  /// The kind of a mutex that `initialize` has made.
  static func sharedRobustKind() throws(LockError) -> Int32 {
    var sample = pthread_mutex_t()
    return try withUnsafeMutablePointer(to: &sample) { address throws(LockError) in
      let mutex = SharedMutex(address)
      try mutex.initialize()
      defer { pthread_mutex_destroy(address) }
      return mutex.kind
    }
  }

  /// Locks it, however long that takes.
  ///
  /// - Throws: `sessionBroken`.
  func lock() throws(LockError) {
    _ = try isOwned(pthread_mutex_lock(pointer))
  }

  /// Locks it if that can be done before the deadline.
  ///
  /// - Throws: `timedOut`, `sessionBroken`.
  func lock(until deadline: Deadline) throws(LockError) {
    guard !deadline.isNever else { return try lock() }
    var end = deadline.wallClock
    guard try isOwned(pthread_mutex_timedlock(pointer, &end)) else { throw .timedOut }
  }

  /// Locks it if nobody has it; returns whether that worked.
  ///
  /// - Throws: `sessionBroken`.
  func tryLock() throws(LockError) -> Bool {
    try isOwned(pthread_mutex_trylock(pointer))
  }

  /// Gives it up; only for the thread that has it.
  func unlock() {
    let result = pthread_mutex_unlock(pointer)
    precondition(result == 0, "unlocked by a thread that has not locked it")
  }

  /// Does something while it is locked, however long it takes to get it.
  func withLock<Result>(
    _ body: () throws(LockError) -> Result
  ) throws(LockError) -> Result {
    try lock()
    defer { unlock() }
    return try body()
  }

  private func isOwned(_ result: Int32) throws(LockError) -> Bool {
    switch result {
    case 0: return true
    case EBUSY, ETIMEDOUT: return false
    case EOWNERDEAD:
      pthread_mutex_consistent(pointer)
      return true
    default: throw .sessionBroken
    }
  }
}

/// A condition variable in memory that several processes share, on which this process never waits;
/// `LockFile` says why.
struct SharedCondition {
  private let pointer: UnsafeMutablePointer<pthread_cond_t>

  init(_ address: UnsafeMutableRawPointer) {
    pointer = address.assumingMemoryBound(to: pthread_cond_t.self)
  }

  /// Makes one without waiters of zeroed bytes.
  func initialize() throws(LockError) {
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    defer { pthread_condattr_destroy(&attributes) }
    pthread_condattr_setpshared(&attributes, Int32(PTHREAD_PROCESS_SHARED))
    let result = pthread_cond_init(pointer, &attributes)
    guard result == 0 else { throw .system(.initialize, result) }
  }

  /// Wakes all that wait; does not touch the memory if nobody does.
  func broadcast() { pthread_cond_broadcast(pointer) }
}

/// A point in time of the monotonic clock, or never.
struct Deadline {
  private let nanoseconds: Int64?

  /// - Parameter milliseconds: From now on; nil for never.
  init(afterMilliseconds milliseconds: Int?) {
    nanoseconds = milliseconds.map { milliseconds in
      Self.now(CLOCK_MONOTONIC) &+ Int64(min(max(0, milliseconds), 1_000_000_000)) * 1_000_000
    }
  }

  /// The one of two points that comes first.
  func earlier(_ other: Deadline) -> Deadline {
    remainingNanoseconds <= other.remainingNanoseconds ? self : other
  }

  var isNever: Bool { nanoseconds == nil }

  var isPast: Bool { remainingNanoseconds == 0 }

  private var remainingNanoseconds: Int64 {
    guard let nanoseconds else { return .max }
    return max(0, nanoseconds - Self.now(CLOCK_MONOTONIC))
  }

  /// The point in time on the clock of the day, which `pthread_mutex_timedlock` wants.
  var wallClock: timespec {
    let end = Self.now(CLOCK_REALTIME) + min(remainingNanoseconds, 1_000_000_000_000_000)
    return timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
  }

  /// Sleeps for a while, not beyond the deadline.
  func sleep(microseconds: UInt32) {
    usleep(UInt32(min(Int64(microseconds), remainingNanoseconds / 1000 + 1)))
  }

  private static func now(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
