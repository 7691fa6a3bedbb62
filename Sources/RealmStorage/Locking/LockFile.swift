import Glibc
import Synchronization

/// One participant of the session of a realm: the readers, the writer and the notifications of all
/// processes that have the realm open meet in the memory of its lock file.
///
/// A process takes part like the genuine engine on Linux with glibc and 64 bit: same file, same
/// mutexes, same list of versions. Source: file-format-writing.md 6.2, 6.6, 6.7.
///
/// ```
///            nobody has the file open
///                      |  exclusive flock: emptied, initialised
///                      v
///   closed ------> attached ------> joined <------> writing ------> publishing
///     ^   shared flock    control    |  ^  write mutex      announce      |
///     |                   mutex      |  |                                 |
///     |                              |  +--- write mutex given up <-------+
///     +------------------------------+              announce done
///        control mutex: one less; flock dropped
/// ```
///
/// A process that dies goes from any state to "closed" by itself: the system drops its flock and
/// hands its mutexes to the next one that locks them. What remains of it:
///
/// | died | remains | who repairs it |
/// | --- | --- | --- |
/// | while initialising | an incomplete lock file | the next one to get the exclusive flock |
/// | joined | one participant and its pins too many | the next session |
/// | with the version list mutex | a slot half filled, not yet the newest | `purgeVersions` |
/// | writing | nothing; a ticket that costs the next writer half a second | - |
/// | writing, the commit is on the disk | a header that leads past the newest version | the next commit |
/// | publishing | a slot half filled, not yet the newest | `purgeVersions` |
/// | publishing, a genuine process | the mark of the critical phase as well | `lockForWriting` |
/// | after that | a number of the newest version that is too low | `purgeVersions` |
///
/// Invariants:
///
/// 1. The flock is held, shared, from before the first look at the content until after the last.
///    So nobody empties or initialises the file meanwhile, and a file without holders is nobody's.
/// 2. The page with the mutexes stays at one address from joining to leaving: the system finds the
///    mutexes of a dead thread by address. The slots have a mapping of their own, which moves.
/// 3. Order of locking: write mutex, control mutex; the version list mutex is innermost and held for
///    a look at the slots only. No system call that can wait for others is made under it.
/// 4. Slots are read and changed under the version list mutex only. The slot of the newest version
///    is never freed; a slot with readers is never freed or refilled.
/// 5. Only the owner of the write mutex adds versions, and it has a free slot before it changes the
///    database file (`purgeVersions`), so that announcing cannot fail.
/// 6. The control mutex is held while a session begins, and otherwise for a few stores. Whoever dies
///    with it makes genuine processes hang that open the realm before anyone else locks the mutex.
/// 7. This process never waits on the condition variables. With glibc before 2.41 a waiter that is
///    killed makes every later broadcast hang, and genuine writers broadcast under the control mutex;
///    killing this program would freeze others. It looks at the newest version now and then instead.
///    It does broadcast, since genuine processes wait; without any mutex, in case one was killed. And
///    it waits for the control mutex for a limited time only, in case a genuine writer hangs so.
/// 8. Nothing in the file is trusted: indexes are checked against the mapping, the mapping against
///    the size of the file.
///
/// A writer calls `lockForWriting`, `pin`, `purgeVersions`, writes the commit to the disk, calls
/// `announce`, lets the pin go, and calls `unlockForWriting`.
///
/// All functions may be called from any thread, those of the writer only from the thread that has
/// the write mutex. That it may be shared between threads is not checked by the compiler: the fixed
/// part is reached with atomics or under the mutexes in it, `slots` under the version list mutex, the
/// state of the writer by the owner of the write mutex.
public final class LockFile: @unchecked Sendable {  // Reason: see the last paragraph above.
  /// What the participants have agreed on.
  public let profile: SessionProfile
  /// Whether this participant found nobody and began the session.
  public let hasBegunSession: Bool

  let realmPath: String
  let descriptor: LockDescriptor
  let header: SharedHeader
  let slots: SlotMapping
  /// The pins that this process has on the versions of the session.
  let pins: ProcessPins
  /// Whether a thread of this process has the write mutex.
  var isWriting = false
  /// Whether the owner of the write mutex has added a version that nobody was told of yet.
  var hasNews = false

  var controlMutex: SharedMutex { header.mutex(at: LockLayout.controlMutex) }
  var versionsMutex: SharedMutex { header.mutex(at: LockLayout.versionsMutex) }
  var writeMutex: SharedMutex { header.mutex(at: LockLayout.writeMutex) }

  /// Opens a realm's lock file and joins its session, or begins one.
  ///
  /// - Parameter realmPath: The path of the database file.
  /// - Parameter lockPath: The path of the lock file, if it is not the one beside the database file.
  /// - Parameter timeoutMilliseconds: How long to wait for a process that has the realm for itself,
  ///   or for one that is just opening it; nil for ever.
  /// - Parameter begin: Opens, checks and prepares the database file, if the session begins: repairs
  ///   its size and converts the streaming form. Called under the control mutex.
  /// - Throws: `incompatible` when the session or the file does not fit the profile; its numbers may
  ///   allow another try with another profile. `inUse` when another process has the realm for
  ///   itself, `timedOut`, `sessionBroken`, `file` from `begin`, `system`, `notAFile`.
  public init(
    realmPath: String, lockPath: String? = nil, profile: SessionProfile,
    timeoutMilliseconds: Int? = 10_000,
    begin: () throws(StorageError) -> SessionStart
  ) throws(LockError) {
    LockLayout.check()
    let deadline = Deadline(afterMilliseconds: timeoutMilliseconds)
    let descriptor = try Attachment.attach(
      lockPath ?? LockDescriptor.path(ofRealm: realmPath), profile: profile, deadline: deadline)
    let identity = try descriptor.status().identity
    let header = SharedHeader(base: try descriptor.map(byteCount: LockLayout.slots))
    let slots = SlotMapping(descriptor: descriptor)
    let hasBegun: Bool
    do throws(LockError) {
      let control = header.mutex(at: LockLayout.controlMutex)
      try control.lock(until: deadline)
      defer { control.unlock() }
      let count = header.value(at: LockLayout.participantCount, as: UInt32.self)
      hasBegun = count == 0
      if hasBegun {
        try Self.beginSession(header, slots, profile, try Self.start(begin))
      } else {
        try Attachment.checkSession(header, profile, descriptor)
      }
      header.set(count &+ 1, at: LockLayout.participantCount)
    } catch {
      slots.unmap()
      munmap(header.base, LockLayout.slots)
      throw error
    }
    // Nothing fails from here on: otherwise `deinit` would leave a session that was not joined.
    self.realmPath = realmPath
    pins = ProcessPins(lockFile: identity)
    self.profile = profile
    self.descriptor = descriptor
    self.header = header
    self.slots = slots
    hasBegunSession = hasBegun
  }

  deinit {
    precondition(!isWriting, "closed while writing")
    if (try? controlMutex.lock(until: Self.controlDeadline)) != nil {
      let count = header.value(at: LockLayout.participantCount, as: UInt32.self)
      if count > 0 { header.set(count - 1, at: LockLayout.participantCount) }
      controlMutex.unlock()
    }
    slots.unmap()
    munmap(header.base, LockLayout.slots)
  }

  private static func start(
    _ begin: () throws(StorageError) -> SessionStart
  ) throws(LockError) -> SessionStart {
    do {
      return try begin()
    } catch {
      throw .file(error)
    }
  }

  /// Fills the shared memory for a session in which nobody else is; under the control mutex.
  ///
  /// Sets also what was set when the lock file was made: the process that made it may have closed
  /// it, or died, before it began the session.
  ///
  /// Source: file-format-writing.md 6.6 (1).
  private static func beginSession(
    _ header: SharedHeader, _ slots: SlotMapping, _ profile: SessionProfile, _ start: SessionStart
  ) throws(LockError) {
    try profile.check(start)
    header.set(profile.historyType, at: LockLayout.historyType)
    header.set(profile.historySchemaVersion, at: LockLayout.historySchemaVersion)
    header.set(SessionProfile.fullDurability, at: LockLayout.durability)
    header.set(SessionProfile.fileFormat, at: LockLayout.fileFormat)
    header.set(
      profile.isEncrypted ? UInt64(UInt32(bitPattern: getpid())) : 0, at: LockLayout.initiatorID)
    header.atomic(at: LockLayout.versionCount).pointee.store(1 as UInt64, ordering: .relaxed)
    header.atomic(at: LockLayout.newestVersion).pointee.store(start.version, ordering: .relaxed)

    let mutex = header.mutex(at: LockLayout.versionsMutex)
    try mutex.lock()
    defer { mutex.unlock() }
    let all = try slots.all(header)
    for i in all.indices { all[i] = .free }
    all[0] = ReaderSlot(
      version: start.version, logicalByteCount: start.logicalByteCount, topRef: start.topRef,
      liveCount: 0, frozenCount: 0, fullCount: 0)
    header.atomic(at: LockLayout.slotBeingFilled).pointee.store(0 as UInt32, ordering: .relaxed)
    header.atomic(at: LockLayout.newestSlot).pointee.store(0 as UInt32, ordering: .releasing)
  }

  /// When to give up the control mutex, which nobody holds for long who is not opening the file.
  static var controlDeadline: Deadline { Deadline(afterMilliseconds: 2000) }

  /// Does something while no process can join or leave, or grow the database file; keep it short.
  ///
  /// - Throws: `timedOut`, `sessionBroken`.
  public func withControl<Result>(_ body: () -> Result) throws(LockError) -> Result {
    try controlMutex.lock(until: Self.controlDeadline)
    defer { controlMutex.unlock() }
    return body()
  }

  /// The number of participants in all processes; dead ones count until the session ends.
  ///
  /// - Throws: `timedOut`, `sessionBroken`.
  public func participantCount() throws(LockError) -> Int {
    try withControl { Int(header.value(at: LockLayout.participantCount, as: UInt32.self)) }
  }
}

/// The mapping of the reader slots, which moves when the list grows.
///
/// Used under the version list mutex only.
final class SlotMapping {
  private let descriptor: LockDescriptor
  private var start: UnsafeMutableRawPointer?
  private var count: UInt32 = 0

  init(descriptor: LockDescriptor) { self.descriptor = descriptor }

  /// All slots; valid while the version list mutex is held.
  ///
  /// - Throws: `damagedVersionList` when the file is too small for them, `system`.
  func all(_ header: SharedHeader) throws(LockError) -> UnsafeMutableBufferPointer<ReaderSlot> {
    let current = header.value(at: LockLayout.slotCount, as: UInt32.self)
    if start == nil || current > count {
      let byteCount = LockLayout.byteCount(slotCount: current)
      guard current > 0, try descriptor.status().byteCount >= byteCount else {
        throw .damagedVersionList
      }
      let mapped = try descriptor.map(byteCount: byteCount)
      unmap()
      (start, count) = (mapped, current)
    }
    guard let start else { throw .damagedVersionList }
    // Safety: the file was long enough when it was mapped, and nobody cuts it off (invariant 1).
    return UnsafeMutableBufferPointer(
      start: (start + LockLayout.slots).assumingMemoryBound(to: ReaderSlot.self),
      count: Int(min(current, count)))
  }

  /// Makes the list longer by one step.
  func grow(_ header: SharedHeader) throws(LockError) {
    let (longer, hasOverflown) = header.value(at: LockLayout.slotCount, as: UInt32.self)
      .addingReportingOverflow(LockLayout.slotCountStep)
    guard !hasOverflown else { throw .damagedVersionList }
    let first = try all(header).count
    let byteCount = LockLayout.byteCount(slotCount: longer)
    try descriptor.reserve(byteCount: byteCount)
    let mapped = try descriptor.map(byteCount: byteCount)
    unmap()
    (start, count) = (mapped, longer)
    let added = (mapped + LockLayout.slots).assumingMemoryBound(to: ReaderSlot.self)
    for i in first..<Int(longer) { added[i] = .free }
    // Last, for a process that dies in between leaves a longer file and nothing else.
    header.atomic(at: LockLayout.slotCount).pointee.store(longer, ordering: .releasing)
  }

  func unmap() {
    if let start { munmap(start, LockLayout.byteCount(slotCount: count)) }
    (start, count) = (nil, 0)
  }
}
