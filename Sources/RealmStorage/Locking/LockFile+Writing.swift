import Glibc
import Synchronization

extension LockFile {
  /// How long a writer lets those go first that came before it. Source: file-format-writing.md 6.6.
  private static let courtesyMilliseconds = 500
  /// How often a waiting writer is asked whether it goes on.
  private static let pollMilliseconds = 100

  private var nextTicket: UnsafeMutablePointer<Atomic<UInt32>> {
    header.atomic(at: LockLayout.nextTicket)
  }
  private var servedTicket: UnsafeMutablePointer<Atomic<UInt32>> {
    header.atomic(at: LockLayout.servedTicket)
  }
  /// The mark of a genuine writer that it is publishing a version.
  var criticalPhase: UnsafeMutablePointer<Atomic<UInt8>> {
    header.atomic(at: LockLayout.criticalPhase)
  }

  /// Becomes the only writer of all processes; waits for the others, first come first served.
  ///
  /// A writer that gives up while others wait behind it leaves a ticket behind, which costs the next
  /// one half a second at most.
  ///
  /// Source: file-format-writing.md 6.6 (4).
  ///
  /// - Parameter timeoutMilliseconds: nil to wait for ever.
  /// - Parameter whileWaiting: Called after a moment and then ten times a second with the process
  ///   that is writing, if it is known; false gives up.
  /// - Throws: `timedOut`, `interrupted`; `ownLock` when the thread would wait for itself;
  ///   `sessionBroken` when a writer died and left what nobody can put right.
  public func lockForWriting(
    timeoutMilliseconds: Int? = nil, whileWaiting: (_ holder: Int32?) -> Bool = { _ in true }
  ) throws(LockError) {
    guard !isLockedByThisThread else { throw .ownLock }
    let deadline = Deadline(afterMilliseconds: timeoutMilliseconds)
    let ticket = nextTicket.pointee.wrappingAdd(1, ordering: .relaxed).oldValue
    do throws(LockError) {
      try wait(until: deadline, whileWaiting)
      if mustYield(ticket) {
        let end = Deadline(afterMilliseconds: Self.courtesyMilliseconds)
        while mustYield(ticket) && !end.isPast && !deadline.isPast {
          writeMutex.unlock()
          usleep(1000)
          try writeMutex.lock(until: deadline)
        }
      }
    } catch {
      // Gives the ticket back, if it is still the last one.
      _ = nextTicket.pointee.compareExchange(
        expected: ticket &+ 1, desired: ticket, ordering: .relaxed)
      throw error
    }
    try startWriting(ticket)
  }

  /// Locks the write mutex, and asks now and then whether to go on.
  private func wait(
    until deadline: Deadline, _ whileWaiting: (_ holder: Int32?) -> Bool
  ) throws(LockError) {
    while true {
      let pause = Deadline(afterMilliseconds: Self.pollMilliseconds)
      do throws(LockError) {
        return try writeMutex.lock(until: deadline.earlier(pause))
      } catch {
        guard case .timedOut = error, !deadline.isPast else { throw error }
      }
      guard whileWaiting(writerProcess) else { throw .interrupted }
    }
  }

  /// The id of the process that has the write mutex; nil if there is none or it is unknown.
  public var writerProcess: Int32? { writeMutex.owner.flatMap { Syscalls.process(ofThread: $0) } }

  /// Whether this thread has the write mutex, maybe through another participant.
  var isLockedByThisThread: Bool { writeMutex.owner.map { Syscalls.isThisThread($0) } ?? false }

  /// Becomes the only writer if nobody is writing; returns whether that worked.
  ///
  /// - Throws: `sessionBroken` when a writer died and left what nobody can put right.
  public func tryLockForWriting() throws(LockError) -> Bool {
    guard try writeMutex.tryLock() else { return false }
    try startWriting(nextTicket.pointee.wrappingAdd(1, ordering: .relaxed).oldValue)
    return true
  }

  /// Whether tickets before this one wait; numbers wrap around.
  private func mustYield(_ ticket: UInt32) -> Bool {
    Int32(bitPattern: ticket &- servedTicket.pointee.load(ordering: .relaxed)) > 0
  }

  private func startWriting(_ ticket: UInt32) throws(LockError) {
    servedTicket.pointee.store(ticket, ordering: .relaxed)
    if criticalPhase.pointee.load(ordering: .sequentiallyConsistent) != 0 {
      do throws(LockError) {
        try finishPublication()
      } catch {
        servedTicket.pointee.wrappingAdd(1, ordering: .relaxed)
        writeMutex.unlock()
        throw error
      }
    }
    forgetPageWrite()
    isWriting = true
    hasNews = false
  }

  /// Takes back the marks of a writer that died while it rewrote a page of an encrypted file: with
  /// an odd number readers would take a finished page for one being written, and the other way
  /// round.
  private func forgetPageWrite() {
    guard pageWrites.count & 1 == 1 || pageWrites.isWriting else { return }
    if pageWrites.count & 1 == 1 {
      pageWriteCounter.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
    }
    header.atomic(at: LockLayout.pageBeingWritten).pointee
      .store(0 as UInt64, ordering: .sequentiallyConsistent)
  }

  /// Lets the next writer in, and wakes those that wait for an announced version.
  ///
  /// - Precondition: The thread has the write mutex.
  public func unlockForWriting() {
    precondition(isWriting)
    let hadNews = hasNews
    (isWriting, hasNews) = (false, false)
    servedTicket.pointee.wrappingAdd(1, ordering: .relaxed)
    writeMutex.unlock()
    header.condition(at: LockLayout.nextWriterCondition).broadcast()
    if hadNews {
      wakeListeners()
      header.condition(at: LockLayout.newVersionCondition).broadcast()
    }
  }

  /// Writes a byte into the FIFO on which the SDKs of all processes listen, if there is one.
  ///
  /// It is emptied before, as listeners are told only when something arrives in an empty one.
  ///
  /// Source: file-format-writing.md 6.1, 6.6 (5i).
  private func wakeListeners() {
    let fifo = open(realmPath + ".note", O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
    guard fifo >= 0 else { return }
    defer { close(fifo) }
    var status = stat()
    guard fstat(fifo, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return }
    var bytes = [UInt8](repeating: 0, count: 1024)
    // Others may fill it meanwhile; then they have woken everyone.
    for _ in 0..<64 {
      while read(fifo, &bytes, bytes.count) > 0 {}
      if write(fifo, [0 as UInt8], 1) == 1 || errno != EAGAIN { return }
    }
  }

  /// The newest version of the session; costs a load.
  public var newestVersion: UInt64 {
    header.atomic(at: LockLayout.newestVersion, as: UInt64.self).pointee.load(ordering: .acquiring)
  }

  /// Waits until the newest version is another than this one.
  ///
  /// Looks again after half a millisecond, then less and less often, every 10 ms in the end.
  ///
  /// - Returns: the newest version, or nil when the time was over.
  public func waitForVersion(otherThan version: UInt64, timeoutMilliseconds: Int?) -> UInt64? {
    let deadline = Deadline(afterMilliseconds: timeoutMilliseconds)
    var pause: UInt32 = 500
    while true {
      let newest = newestVersion
      if newest != version { return newest }
      if deadline.isPast { return nil }
      deadline.sleep(microseconds: pause)
      pause = min(pause * 2, 10_000)
    }
  }

  /// Tells the readers of an encrypted file that a page is about to be rewritten.
  ///
  /// Source: file-format-writing.md 6.6 (table), 7.10.
  ///
  /// - Parameter offset: Plaintext offset of the page.
  public func beginPageWrite(at offset: UInt64) {
    header.atomic(at: LockLayout.pageBeingWritten).pointee
      .store(offset &+ 1, ordering: .sequentiallyConsistent)
    pageWriteCounter.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
  }

  /// Tells the readers of an encrypted file that the page is whole again.
  public func endPageWrite() {
    pageWriteCounter.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
    header.atomic(at: LockLayout.pageBeingWritten).pointee
      .store(0 as UInt64, ordering: .sequentiallyConsistent)
  }

  /// Changes with every page that is rewritten; a page that does not verify is read again if this
  /// has changed, or if a page is being written.
  public var pageWrites: (count: UInt64, isWriting: Bool) {
    let page = header.atomic(at: LockLayout.pageBeingWritten, as: UInt64.self)
    return (
      pageWriteCounter.pointee.load(ordering: .sequentiallyConsistent),
      page.pointee.load(ordering: .sequentiallyConsistent) != 0
    )
  }

  private var pageWriteCounter: UnsafeMutablePointer<Atomic<UInt64>> {
    header.atomic(at: LockLayout.pageWriteCounter)
  }
}
