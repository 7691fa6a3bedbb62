/// The right to write to a database that other processes have open, from getting it to giving it up.
///
/// Keeps the version that the changes start from readable. Used by the thread that made it.
///
/// Source: file-format-writing.md 6.6 (4, 5).
final class WriteLease {
  private let lockFile: LockFile
  /// The newest version, on which the changes are based; nil when the lease has ended.
  private(set) var pin: VersionPin?

  /// Waits for the right to write.
  ///
  /// - Throws: `rejected(.writeLocked)`, `rejected(.wouldWaitForItself)`, `rejected(.interrupted)`,
  ///   `rejected(.brokenSession)` and other errors of the session.
  init(
    _ lockFile: LockFile, _ wait: LockWait, whileWaiting: (_ holder: Int32?) -> Bool
  ) throws(StorageError) {
    self.lockFile = lockFile
    try WriteLease.lock(lockFile, wait, whileWaiting: whileWaiting)
    do throws(LockError) {
      pin = try lockFile.pin()
    } catch {
      lockFile.unlockForWriting()
      throw StorageError(error, holder: lockFile.otherParticipant)
    }
  }

  deinit { end() }

  private static func lock(
    _ lockFile: LockFile, _ wait: LockWait, whileWaiting: (_ holder: Int32?) -> Bool
  ) throws(StorageError) {
    do throws(LockError) {
      switch wait {
      case .no:
        if try lockFile.tryLockForWriting() { return }
        guard !lockFile.isLockedByThisThread else { throw LockError.ownLock }
        throw LockError.timedOut
      case .forever:
        try lockFile.lockForWriting(whileWaiting: whileWaiting)
      case .milliseconds(let limit):
        try lockFile.lockForWriting(timeoutMilliseconds: limit, whileWaiting: whileWaiting)
      }
    } catch {
      switch error {
      case .timedOut: throw .rejected(.writeLocked(holder: lockFile.writerProcess))
      case .interrupted: throw .rejected(.interrupted)
      case .ownLock: throw .rejected(.wouldWaitForItself)
      default: throw StorageError(error, holder: lockFile.otherParticipant)
      }
    }
  }

  /// Forgets the versions that nobody needs and tells what may be overwritten.
  func versionBounds() throws(StorageError) -> VersionBounds {
    do throws(LockError) { return try lockFile.purgeVersions() } catch {
      throw StorageError(error, holder: lockFile.otherParticipant)
    }
  }

  /// The versions that somebody reads, the oldest first.
  func versionsInUse() throws(StorageError) -> [(version: UInt64, topRef: UInt64)] {
    do throws(LockError) { return try lockFile.versionsInUse() } catch {
      throw StorageError(error, holder: lockFile.otherParticipant)
    }
  }

  /// Whether the commits of the session carry a history of changes.
  var keepsHistory: Bool { lockFile.profile.historyType == SessionProfile.local.historyType }

  /// Makes the file longer while nobody opens it.
  ///
  /// Source: file-format-writing.md 6.6 (5d).
  func extend(_ file: any FileBackend, to byteCount: Int) throws(StorageError) {
    let result: Result<Void, StorageError>
    do throws(LockError) {
      result = try lockFile.withControl {
        Result { () throws(StorageError) in try file.extend(to: byteCount) }
      }
    } catch {
      throw StorageError(error, holder: lockFile.otherParticipant)
    }
    try result.get()
  }

  /// Hands a commit that is on the disk to the readers of all processes.
  func announce(_ commit: CommittedVersion) throws(StorageError) {
    do throws(LockError) {
      try lockFile.announce(
        version: UInt64(commit.version), topRef: UInt64(commit.topRef),
        logicalByteCount: UInt64(commit.logicalByteCount))
    } catch {
      throw StorageError(error, holder: lockFile.otherParticipant)
    }
  }

  /// Lets the next writer in; does nothing the second time.
  func end() {
    guard pin != nil else { return }
    pin = nil
    lockFile.unlockForWriting()
  }
}

/// What a commit has made.
struct CommittedVersion {
  /// The version number.
  var version: Int64
  /// Ref of the top array.
  var topRef: Int64
  /// Number of bytes of the file that belong to it.
  var logicalByteCount: Int
  /// Its lists of free space.
  var freeEntries: [FreeSpaceList.Entry]
  /// Where it has been written; nothing if these are many places.
  var written: [Extent]
}
