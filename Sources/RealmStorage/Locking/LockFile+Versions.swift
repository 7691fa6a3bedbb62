import Synchronization

/// Which versions somebody may still read; what a commit may overwrite follows from it.
///
/// Source: file-format-writing.md 3.2, 6.6 (5b).
public struct VersionBounds: Equatable, Sendable {
  /// The oldest version whose nodes are needed: a block released by version `v` may be reused if
  /// `v <= oldest`.
  public var oldest: UInt64
  /// The oldest version whose history is needed.
  public var oldestLive: UInt64
  /// The newest version.
  public var newest: UInt64
}

extension LockFile {
  /// Pins the newest version.
  ///
  /// - Throws: `damagedVersionList`, `sessionBroken`, `system`.
  public func pin(_ kind: VersionPin.Kind = .live) throws(LockError) -> VersionPin {
    try versionsMutex.lock()
    defer { versionsMutex.unlock() }
    let all = try slots.all(header)
    return try pin(try newestSlot(in: all), of: all, kind)
  }

  /// Pins a version once more that is pinned already.
  ///
  /// - Throws: `damagedVersionList`, `sessionBroken`, `system`.
  public func pin(
    _ kind: VersionPin.Kind = .live, sameAs other: VersionPin
  ) throws(LockError) -> VersionPin {
    precondition(other.lockFile === self)
    try versionsMutex.lock()
    defer { versionsMutex.unlock() }
    let all = try slots.all(header)
    guard other.slot < all.count, all[other.slot].version == other.version else {
      throw .damagedVersionList
    }
    // A live reader relies on history, which a frozen one does not keep.
    precondition(kind == .frozen || other.kind == .live, "a frozen version cannot become live")
    return try pin(other.slot, of: all, kind)
  }

  private func pin(
    _ slot: Int, of all: UnsafeMutableBufferPointer<ReaderSlot>, _ kind: VersionPin.Kind
  ) throws(LockError) -> VersionPin {
    let field = Self.count(of: kind)
    let (count, hasOverflown) = all[slot][keyPath: field].addingReportingOverflow(1)
    guard !hasOverflown else { throw .damagedVersionList }
    all[slot][keyPath: field] = count
    pins.add(1, to: all[slot].version)
    return VersionPin(slot, all[slot], kind, self)
  }

  /// Ends a pin; does nothing if the list is damaged.
  func unpin(_ pin: VersionPin) {
    guard (try? versionsMutex.lock()) != nil else { return }
    defer { versionsMutex.unlock() }
    guard let all = try? slots.all(header), pin.slot < all.count else { return }
    let field = Self.count(of: pin.kind)
    if all[pin.slot].version == pin.version, all[pin.slot][keyPath: field] > 0 {
      all[pin.slot][keyPath: field] -= 1
    }
    pins.add(-1, to: pin.version)
  }

  /// Pins a version by its number; nil if it is not alive any more.
  ///
  /// - Throws: `damagedVersionList`, `sessionBroken`, `system`.
  public func pin(version: UInt64) throws(LockError) -> VersionPin? {
    try versionsMutex.lock()
    defer { versionsMutex.unlock() }
    let all = try slots.all(header)
    // What is not needed any more is free: a slot that is not is readable (invariant 4).
    guard let slot = all.firstIndex(where: { $0.isActive && $0.version == version }) else {
      return nil
    }
    return try pin(slot, of: all, .live)
  }

  /// The versions that are alive, the oldest first: the newest one, and those that are pinned.
  ///
  /// - Throws: `damagedVersionList`, `sessionBroken`, `system`.
  public func livingVersions() throws(LockError) -> [LivingVersion] {
    try versionsMutex.lock()
    defer { versionsMutex.unlock() }
    let all = try slots.all(header)
    let newest = try newestSlot(in: all)
    let oldestFull =
      all.filter { $0.isActive && $0.fullCount > 0 }.map(\.version).min() ?? UInt64.max
    var result: [LivingVersion] = []
    for (i, slot) in all.enumerated() where slot.isActive {
      let count = Int(slot.liveCount) + Int(slot.frozenCount) + Int(slot.fullCount)
      guard i == newest || count > 0 || slot.version >= oldestFull else { continue }
      let own = min(count, pins.count(of: slot.version))
      result.append(
        LivingVersion(
          version: Int64(clamping: slot.version), ownCount: own, otherCount: count - own))
    }
    return result.sorted { $0.version < $1.version }
  }

  private static func count(of kind: VersionPin.Kind) -> WritableKeyPath<ReaderSlot, UInt32> {
    kind == .live ? \.liveCount : \.frozenCount
  }

  private func newestSlot(
    in all: UnsafeMutableBufferPointer<ReaderSlot>
  ) throws(LockError) -> Int {
    let slot = header.atomic(at: LockLayout.newestSlot, as: UInt32.self).pointee
      .load(ordering: .acquiring)
    guard slot < all.count, all[Int(slot)].isActive else { throw .damagedVersionList }
    return Int(slot)
  }

  /// Frees the slots of versions that nobody needs, and makes sure that there is a free one.
  ///
  /// To be called by a writer before it takes space for a commit, and before it changes the file.
  ///
  /// - Precondition: The thread has the write mutex.
  /// - Throws: `damagedVersionList`, `sessionBroken`, `system`, `timedOut` when someone hangs with the
  ///   control mutex.
  public func purgeVersions() throws(LockError) -> VersionBounds {
    precondition(isWriting)
    try finishAnnouncement()
    try versionsMutex.lock()
    defer { versionsMutex.unlock() }
    let all = try slots.all(header)
    let newest = try newestSlot(in: all)
    forgetHalfFilledSlot(in: all, newest: newest)

    var oldestFull = UInt64.max
    for slot in all where slot.isActive && slot.fullCount > 0 {
      oldestFull = min(oldestFull, slot.version)
    }
    var bounds = VersionBounds(
      oldest: all[newest].version, oldestLive: all[newest].version, newest: all[newest].version)
    var hasFreeSlot = false
    for i in all.indices {
      if all[i].isActive {
        let isFull = all[i].version >= oldestFull
        if isFull || all[i].liveCount > 0 || all[i].frozenCount > 0 {
          bounds.oldest = min(bounds.oldest, all[i].version)
        } else if i != newest {
          all[i] = .free
        }
        if isFull || all[i].liveCount > 0 {
          bounds.oldestLive = min(bounds.oldestLive, all[i].version)
        }
      }
      if !all[i].isActive { hasFreeSlot = true }
    }
    if !hasFreeSlot { try slots.grow(header) }
    return bounds
  }

  /// The versions that somebody reads, the oldest first, with their top refs; the newest one is not
  /// among them if nobody does.
  ///
  /// They stay readable until the next commit, even if their readers go.
  ///
  /// - Precondition: The thread has the write mutex.
  /// - Throws: `damagedVersionList`, `sessionBroken`, `system`.
  func versionsInUse() throws(LockError) -> [(version: UInt64, topRef: UInt64)] {
    precondition(isWriting)
    try versionsMutex.lock()
    defer { versionsMutex.unlock() }
    let all = try slots.all(header)
    let oldestFull =
      all.filter { $0.isActive && $0.fullCount > 0 }.map(\.version).min() ?? UInt64.max
    return all.filter {
      $0.isActive && ($0.version >= oldestFull || $0.liveCount > 0 || $0.frozenCount > 0)
    }
    .map { ($0.version, $0.topRef) }.sorted { $0.version < $1.version }
  }

  /// Announces the newest version fully, if its writer died or gave up before.
  ///
  /// Whoever opens the file reads it under the control mutex, as it was one commit ago at the oldest:
  /// the next commit, which may overwrite that, must not begin before the mutex was free.
  private func finishAnnouncement() throws(LockError) {
    let newest = try versionsMutex.withLock { () throws(LockError) in
      let all = try slots.all(header)
      return all[try newestSlot(in: all)].version
    }
    guard newestVersion != newest else { return }
    try controlMutex.lock(until: Self.controlDeadline)
    defer { controlMutex.unlock() }
    header.atomic(at: LockLayout.newestVersion).pointee.store(newest, ordering: .releasing)
    hasNews = true
  }

  /// Frees a slot that a writer was filling when it died.
  private func forgetHalfFilledSlot(
    in all: UnsafeMutableBufferPointer<ReaderSlot>, newest: Int
  ) {
    let filling = header.atomic(at: LockLayout.slotBeingFilled, as: UInt32.self)
    let slot = filling.pointee.load(ordering: .relaxed)
    guard slot != UInt32(newest) else { return }
    if slot < all.count { all[Int(slot)] = .free }
    // A genuine writer would fill the slot `filling` names without a look at its readers.
    filling.pointee.store(UInt32(newest), ordering: .relaxed)
  }

  /// Puts the list right after a genuine writer died, or gave up, while it published a version, and
  /// takes its mark of the critical phase away, which keeps all writers out.
  ///
  /// Whatever the writer had done, it named the slot before it filled it and named it the newest
  /// after that, and the commit was on the disk before: the list holds the version, or a slot that
  /// is half filled, or no trace. A list that has other faults is not touched.
  ///
  /// Source: file-format-writing.md 6.6 (5f), 6.7.
  ///
  /// - Precondition: The thread has the write mutex, so that no writer is alive in the phase.
  /// - Throws: `sessionBroken` when the list contradicts itself, `damagedVersionList`, `system`.
  func finishPublication() throws(LockError) {
    try versionsMutex.lock()
    defer { versionsMutex.unlock() }
    let all = try slots.all(header)
    let newest = try newestSlot(in: all)
    forgetHalfFilledSlot(in: all, newest: newest)
    let last = all[newest]
    guard last.topRef & 7 == 0, last.topRef < last.logicalByteCount, newestVersion <= last.version,
      all.indices.allSatisfy({ $0 == newest || all[$0].version < last.version })
    else { throw .sessionBroken }
    criticalPhase.pointee.store(0, ordering: .sequentiallyConsistent)
  }

  /// Adds a version, which readers use from now on; `unlockForWriting` wakes those that wait.
  ///
  /// To be called when the commit is on the disk, after `purgeVersions`. Does not set the mark of the
  /// critical phase: what a death in here leaves is put right by the next writer, genuine or not, and
  /// the mark would keep all writers out until every process has closed the file.
  ///
  /// Source: file-format-writing.md 6.6 (5b, 5f, 5g), 6.7.
  ///
  /// - Precondition: The thread has the write mutex; the version is greater than the newest.
  /// - Throws: `damagedVersionList`, `sessionBroken`, `system`; nobody sees the version then.
  public func announce(
    version: UInt64, topRef: UInt64, logicalByteCount: UInt64
  ) throws(LockError) {
    precondition(isWriting)
    let content = ReaderSlot(
      version: version, logicalByteCount: logicalByteCount, topRef: topRef, liveCount: 0,
      frozenCount: 0, fullCount: 0)
    let activeCount = try add(content)

    // The version is there for every reader; the next writer does the rest if this one cannot.
    hasNews = true
    guard (try? controlMutex.lock(until: Self.controlDeadline)) != nil else { return }
    defer { controlMutex.unlock() }
    header.atomic(at: LockLayout.versionCount).pointee.store(activeCount, ordering: .relaxed)
    header.atomic(at: LockLayout.newestVersion).pointee.store(version, ordering: .releasing)
  }

  /// Puts a version into a free slot; returns the number of slots in use.
  private func add(_ content: ReaderSlot) throws(LockError) -> UInt64 {
    try versionsMutex.lock()
    defer { versionsMutex.unlock() }
    let all = try slots.all(header)
    let newest = try newestSlot(in: all)
    precondition(content.version > all[newest].version)
    guard let free = all.firstIndex(where: { !$0.isActive }) else { throw .damagedVersionList }
    // In this order: a slot that is named as being filled is freed if the writer dies.
    header.atomic(at: LockLayout.slotBeingFilled).pointee
      .store(UInt32(free), ordering: .sequentiallyConsistent)
    all[free] = content
    header.atomic(at: LockLayout.newestSlot).pointee.store(UInt32(free), ordering: .releasing)
    return UInt64(all.count { $0.isActive })
  }
}
