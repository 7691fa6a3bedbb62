import Glibc

/// A database that this process alone has open, for changing it.
///
/// Source: file-format-writing.md 6.4.
public final class Database {
  /// The path as it was given.
  public let path: String
  let file: any FileBackend
  /// Held as long as the object lives.
  private let lock: ExclusiveLock?

  /// Creates an empty database and opens it; fails if there is a file.
  ///
  /// - Throws: `system` (EEXIST and others), `rejected(.inUse)`.
  public static func create(path: String) throws(StorageError) -> Database {
    let lock = try exclusiveLock(path)
    let file = try DiskFile(path: path, creating: true)
    // A header that selects no snapshot is a valid empty database.
    var header: (UInt64, UInt64, UInt64) = (0, 0, UInt64(FileHeader.mnemonic.byteSwapped))
    try withUnsafeBytes(of: &header) { (bytes) -> Result<Void, StorageError> in
      Result { () throws(StorageError) in try file.write(bytes, at: 0) }
    }.get()
    try file.sync()
    try Syscalls.syncFolder(of: path)
    return try Database(path: path, file: file, lock: lock)
  }

  /// Opens a database for changing it.
  ///
  /// All nodes are checked first: writing into a damaged file would make it worse.
  ///
  /// - Throws: `rejected(.inUse)` if somebody has it open; `rejected(.notWritable)` if it is
  ///   encrypted, synchronised, or of a format below 24; `rejected(.notSupported)` if a table has
  ///   enumerated columns or tombstones; `damaged`; `system`.
  public static func openForWriting(path: String) throws(StorageError) -> Database {
    let lock = try exclusiveLock(path)
    return try Database(path: path, file: try DiskFile(path: path), lock: lock)
  }

  /// Keeps everybody else away.
  private static func exclusiveLock(_ path: String) throws(StorageError) -> ExclusiveLock {
    do throws(LockError) {
      // A child process that has not reached its exec yet can hold the lock for a moment.
      return try ExclusiveLock(realmPath: path, timeoutMilliseconds: 1000)
    } catch {
      switch error {
      case .inUse(let holder): throw .rejected(.inUse(holder: holder))
      case .system(_, let number): throw .system(.lock, number)
      case .file(let error): throw error
      case .notAFile: throw .notAFile
      case .timedOut, .incompatible, .sessionBroken, .damagedVersionList:
        // Only taking part in a session can end like this.
        throw .rejected(.inUse(holder: nil))
      }
    }
  }

  /// Opens a database on another backend, without a lock.
  ///
  /// - Parameter path: A file with the same bytes.
  init(path: String, file: any FileBackend, lock: ExclusiveLock?) throws(StorageError) {
    (self.path, self.file, self.lock) = (path, file, lock)
    let snapshot = try Snapshot(of: try RealmFile(path: path, key: nil))
    guard snapshot.format.map({ $0 == FileFormat.current }) ?? true else {
      throw .rejected(.notWritable)
    }
    guard snapshot.historyType == .none || snapshot.historyType == .inRealm else {
      throw .rejected(.notWritable)
    }
    if let broken = snapshot.brokenTables.first { throw broken.error }
    let report = FileChecker.check(snapshot, depth: .normal)
    for finding in report.findings {
      switch finding.kind {
      // Both only waste space.
      case .lostSpace, .reservedHeaderBits: continue
      case .unreadable(let error): throw error
      default: throw .damage(.cyclicRefs, at: Int(truncatingIfNeeded: finding.offset ?? 0))
      }
    }
    if snapshot.header.isStreaming { try leaveStreamingForm(snapshot) }
    // A table that cannot be written is refused here and not in the middle of a change.
    _ = try beginWrite().allEditors()
  }

  /// Moves the top ref from the footer into the header, so that the footer may be overwritten.
  ///
  /// Source: file-format-writing.md 10.1.
  private func leaveStreamingForm(_ snapshot: Snapshot) throws(StorageError) {
    try Commit.writeSlot(1, Int64(bitPattern: snapshot.topRef), file)
    try file.sync()
    try Commit.select(1, snapshot.header, file)
    try file.sync()
  }

  /// Starts a transaction on the newest snapshot; there may be only one at a time.
  public func beginWrite() throws(StorageError) -> WriteTransaction {
    try WriteTransaction(file)
  }
}
