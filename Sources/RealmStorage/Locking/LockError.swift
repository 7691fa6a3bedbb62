/// Why a process cannot take part in a session, or cannot have a realm for itself.
public enum LockError: Error, Equatable, Sendable {
  /// A system call failed with this `errno`.
  case system(SystemOperation, Int32)
  /// The database file could not be opened or prepared.
  case file(StorageError)
  /// The path of the lock file names something that is not a regular file.
  case notAFile
  /// Another process holds the lock; its id, if the system tells.
  case inUse(holder: Int32?)
  /// The time was over before another participant gave up a mutex.
  case timedOut
  /// The one who waited gave up.
  case interrupted
  /// The thread has the write mutex already, through another participant.
  case ownLock
  /// A participant that is at work keeps the session in a state that this one cannot join.
  case incompatible(Mismatch, found: Int, expected: Int, holder: Int32?)
  /// A participant died and left a mutex beyond repair, or a list of versions that contradicts
  /// itself. The session has to end before anyone can write: every process must close the file.
  case sessionBroken
  /// The list of versions contradicts itself or the size of the lock file.
  case damagedVersionList

  /// The system call of `LockError.system`.
  public enum SystemOperation: UInt8, Sendable {
    case open, status, lock, resize, map, initialize
  }

  /// What does not fit, in the order of the checks.
  public enum Mismatch: UInt8, Sendable {
    /// The lock file was never completed, and its holder does not complete it.
    case initialization
    /// The lock file is smaller than the shared structure (bytes).
    case byteCount
    /// The version of the layout.
    case generation
    /// The size of a mutex: another architecture or C library.
    case mutexByteCount
    /// The size of a condition variable: another architecture or C library.
    case conditionByteCount
    /// The attributes of the mutexes: not shared or not robust.
    case mutexKind
    /// How much the session cares for durability.
    case durability
    /// The history type, of the session or stored in the file.
    case historyType
    /// The schema version of the history, of the session or stored in the file.
    case historySchemaVersion
    /// The file format that the session writes.
    case fileFormat
  }
}

extension StorageError {
  /// The error of a session as one of its database.
  ///
  /// - Parameter holder: Another process that takes part in the session, if one is known.
  init(_ error: LockError, holder: Int32? = nil) {
    switch error {
    case .system(_, let number): self = .system(.lock, number)
    case .file(let error): self = error
    case .notAFile: self = .rejected(.unusableLockFile(holder: nil))
    case .damagedVersionList: self = .rejected(.unusableLockFile(holder: holder))
    case .inUse(let holder): self = .rejected(.inUse(holder: holder))
    case .timedOut: self = .rejected(.inUse(holder: nil))
    case .interrupted: self = .rejected(.interrupted)
    case .ownLock: self = .rejected(.wouldWaitForItself)
    case .incompatible(let what, let found, let expected, let holder):
      self = .rejected(
        .incompatibleSession(what, found: found, expected: expected, holder: holder))
    case .sessionBroken: self = .rejected(.brokenSession(holder: holder))
    }
  }
}
