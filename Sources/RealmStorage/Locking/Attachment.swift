import Glibc
import Synchronization

/// The way to a lock file that is initialised, fits, and has our shared flock on it.
///
/// Source: file-format-writing.md 6.2 (1-4).
enum Attachment {
  /// What an attempt has come to.
  private enum Attempt {
    case attached
    /// Someone has the exclusive lock: the realm for itself, or he is initialising.
    case isLocked
    /// The holders have not completed the file, or cannot.
    case misfit(LockError)
  }

  /// Attempts at a file that does not fit: its holders may go, and the next attempt initialises it.
  private static let patience = 10

  static func attach(
    _ path: String, profile: SessionProfile, deadline: Deadline
  ) throws(LockError) -> LockDescriptor {
    var misfits = 0
    while true {
      let descriptor = try LockDescriptor(path: path)
      switch try attempt(descriptor, profile) {
      case .attached:
        if try descriptor.isCurrent() { return descriptor }
      case .isLocked:
        if deadline.isPast { throw .inUse(holder: descriptor.holder()) }
        deadline.sleep(microseconds: .random(in: 500...3000))
      case .misfit(let error):
        misfits += 1
        // While we wait we hold no lock: two that wait for each other would never see the file free.
        if misfits > patience { throw error }
        _ = try? descriptor.unlock()
        deadline.sleep(microseconds: .random(in: 0...(UInt32(misfits) * 10_000)))
      }
    }
  }

  private static func attempt(
    _ descriptor: LockDescriptor, _ profile: SessionProfile
  ) throws(LockError) -> Attempt {
    if try descriptor.tryExclusive() {
      if try descriptor.isCurrent() { try initialize(descriptor, profile) }
    }
    // Not atomic: someone else may get the exclusive lock in between. The checks then find an
    // incomplete file, or his complete one.
    guard try descriptor.tryShared() else { return .isLocked }
    if let error = try misfit(descriptor) { return .misfit(error) }
    return .attached
  }

  /// Makes the content of the file; under the exclusive flock.
  ///
  /// Source: file-format-writing.md 6.2 (2), 6.6 (1).
  private static func initialize(
    _ descriptor: LockDescriptor, _ profile: SessionProfile
  ) throws(LockError) {
    try descriptor.truncate()
    try descriptor.reserve(byteCount: LockLayout.byteCount)
    let base = try descriptor.map(byteCount: LockLayout.byteCount)
    defer { munmap(base, LockLayout.byteCount) }
    let header = SharedHeader(base: base)
    header.set(UInt8(LockLayout.mutexByteCount), at: LockLayout.mutexByteCountField)
    header.set(UInt8(LockLayout.conditionByteCount), at: LockLayout.conditionByteCountField)
    header.set(SessionProfile.fileFormat, at: LockLayout.fileFormat)
    header.set(profile.historyType, at: LockLayout.historyType)
    header.set(LockLayout.knownGeneration, at: LockLayout.generation)
    header.set(SessionProfile.fullDurability, at: LockLayout.durability)
    header.set(profile.historySchemaVersion, at: LockLayout.historySchemaVersion)
    for offset in [LockLayout.writeMutex, LockLayout.controlMutex, LockLayout.versionsMutex] {
      try header.mutex(at: offset).initialize()
    }
    try header.condition(at: LockLayout.newVersionCondition).initialize()
    try header.condition(at: LockLayout.nextWriterCondition).initialize()
    header.set(LockLayout.slotCountStep, at: LockLayout.slotCount)
    header.set(LockLayout.noSlot, at: LockLayout.newestSlot)
    // Last: until then a process that dies here leaves a file that counts as not initialised.
    header.atomic(at: LockLayout.initialized).pointee.store(1 as UInt8, ordering: .releasing)
  }

  /// Why a file does not fit, or nil.
  ///
  /// Source: file-format-writing.md 6.2 (4).
  private static func misfit(_ descriptor: LockDescriptor) throws(LockError) -> LockError? {
    let byteCount = try descriptor.status().byteCount
    func misfit(_ what: LockError.Mismatch, _ found: Int, _ expected: Int) -> LockError {
      .incompatible(what, found: found, expected: expected, holder: descriptor.holder())
    }
    guard byteCount > 0 else { return misfit(.initialization, 0, 1) }
    // One page at least, of which the bytes beyond the end of the file read as zeros.
    let base = try descriptor.map(byteCount: LockLayout.slots)
    defer { munmap(base, LockLayout.slots) }
    let header = SharedHeader(base: base)
    let initialized = header.atomic(at: LockLayout.initialized, as: UInt8.self).pointee
      .load(ordering: .acquiring)
    guard initialized == 1 else { return misfit(.initialization, Int(initialized), 1) }
    guard byteCount >= LockLayout.byteCount else {
      return misfit(.byteCount, byteCount, LockLayout.byteCount)
    }
    let generation: UInt16 = header.value(at: LockLayout.generation)
    guard generation == LockLayout.knownGeneration else {
      return misfit(.generation, Int(generation), Int(LockLayout.knownGeneration))
    }
    let mutexByteCount: UInt8 = header.value(at: LockLayout.mutexByteCountField)
    guard mutexByteCount == LockLayout.mutexByteCount else {
      return misfit(.mutexByteCount, Int(mutexByteCount), LockLayout.mutexByteCount)
    }
    let conditionByteCount: UInt8 = header.value(at: LockLayout.conditionByteCountField)
    guard conditionByteCount == LockLayout.conditionByteCount else {
      return misfit(.conditionByteCount, Int(conditionByteCount), LockLayout.conditionByteCount)
    }
    let kind = try SharedMutex.sharedRobustKind()
    for offset in [LockLayout.writeMutex, LockLayout.controlMutex, LockLayout.versionsMutex] {
      let found = header.mutex(at: offset).kind
      guard found == kind else { return misfit(.mutexKind, Int(found), Int(kind)) }
    }
    return nil
  }

  /// Checks that a session that others have begun fits; under the control mutex.
  ///
  /// Source: file-format-writing.md 6.6 (1).
  static func checkSession(
    _ header: SharedHeader, _ profile: SessionProfile, _ descriptor: LockDescriptor
  ) throws(LockError) {
    func check(_ what: LockError.Mismatch, _ found: Int, _ expected: Int) throws(LockError) {
      guard found == expected else {
        throw .incompatible(what, found: found, expected: expected, holder: descriptor.holder())
      }
    }
    try check(
      .durability, Int(header.value(at: LockLayout.durability, as: UInt16.self)),
      Int(SessionProfile.fullDurability))
    try check(
      .historyType, Int(header.value(at: LockLayout.historyType, as: Int8.self)),
      Int(profile.historyType))
    try check(
      .historySchemaVersion,
      Int(header.value(at: LockLayout.historySchemaVersion, as: UInt16.self)),
      Int(profile.historySchemaVersion))
    try check(
      .fileFormat, Int(header.value(at: LockLayout.fileFormat, as: UInt8.self)),
      Int(SessionProfile.fileFormat))
  }
}
