import Glibc

/// Writes compact copies of databases.
///
/// A copy holds the nodes that can be reached from one snapshot, one behind the other. It has no
/// name until it is complete, checked and on the disk: a failure or an interruption leaves nothing
/// behind, and never touches a file that is to be replaced.
///
/// Source: file-format-writing.md 10.2.
public enum FileCopier {
  /// Tells the bytes done and of all; false ends the copying.
  public typealias Progress = (Int, Int) -> Bool

  /// Writes a copy of a snapshot, which may be that of an open transaction.
  ///
  /// - Parameters:
  ///   - path: Of the copy.
  ///   - key: The key of the copy; nil for one that is not encrypted.
  ///   - overwrite: Whether a Realm file at the path is replaced.
  ///   - onProgress: Called now and then.
  /// - Returns: size of the new file.
  /// - Throws: `system` (with EEXIST if there is a file), `notARealmFile` or another error of
  ///   opening if what is to be replaced is no Realm file; `rejected(.inUse)` if somebody has it
  ///   open; `rejected(.needsUpgrade)`, `rejected(.synchronised)`; `rejected(.interrupted)`;
  ///   `rejected(.versionGone)` or another error if the snapshot is not pinned and others have
  ///   overwritten it; `damaged`.
  @discardableResult
  public static func copy(
    _ snapshot: Snapshot, to path: String, key: EncryptionKey? = nil, overwrite: Bool = false,
    onProgress: Progress = { _, _ in true }
  ) throws(StorageError) -> Int {
    let target = try CopyTarget(path, overwrite: overwrite)
    defer { withExtendedLifetime(target) {} }
    let pending = try PendingFile(for: target.path, like: snapshot.file.path)
    try write(snapshot, to: pending, key: key, onProgress)
    guard snapshot.isIntact() else { throw .rejected(.versionGone) }
    try pending.publish(isReplacing: target.exists)
    return pending.file.byteCount
  }

  /// Rewrites a file without its free space.
  ///
  /// - Parameter key: The key of the file, which the new one has as well.
  /// - Returns: its size before and after.
  /// - Throws: as `copy`; `rejected(.inUse)` if anybody has the file open.
  @discardableResult
  public static func compact(
    path: String, key: EncryptionKey?, onProgress: Progress = { _, _ in true }
  ) throws(StorageError) -> (before: Int, after: Int) {
    let lock = try Database.exclusiveLock(path)
    defer { withExtendedLifetime(lock) {} }
    let file = try RealmFile(path: path, key: key)
    let pending = try PendingFile(for: try Syscalls.resolved(path))
    try write(
      try Snapshot(of: file), to: pending, key: file.isEncrypted ? key : nil, onProgress)
    try pending.publish(isReplacing: true)
    return (file.byteCount, pending.file.byteCount)
  }

  // MARK: Writing

  /// Writes a copy into an empty file and checks it.
  ///
  /// - Parameter version: Its number; nil for that of the snapshot.
  static func write(
    _ snapshot: Snapshot, to pending: PendingFile, key: EncryptionKey?, version: Int64? = nil,
    _ onProgress: Progress
  ) throws(StorageError) {
    try withoutActuallyEscaping(onProgress) { (onProgress) -> Result<Void, StorageError> in
      Result { () throws(StorageError) in
        let file = try backend(pending.file, key)
        guard snapshot.format.map({ $0 == .current }) ?? true else {
          throw .rejected(.needsUpgrade(snapshot.format?.number ?? 0))
        }
        guard snapshot.historyType == .none || snapshot.historyType == .inRealm else {
          throw .rejected(.synchronised)
        }
        try SnapshotWriter.write(
          snapshot, to: file, version: version ?? snapshot.version, onProgress)
        // The disk works during the check; what is encrypted must be in the file before.
        if key != nil { try file.sync() }
        try check(pending, key: key)
        try file.sync()
      }
    }.get()
  }

  static func backend(
    _ file: DiskFile, _ key: EncryptionKey?
  ) throws(StorageError) -> any FileBackend {
    guard let key else { return file }
    return try EncryptedFile(file, key: key)
  }

  /// Makes sure that a new file can be read.
  private static func check(
    _ pending: PendingFile, key: EncryptionKey?
  ) throws(StorageError) {
    let snapshot = try Snapshot(of: try pending.reader(key: key))
    let report = FileChecker.check(snapshot, depth: .normal)
    guard let finding = report.findings.first else { return }
    if case .unreadable(let error) = finding.kind { throw error }
    throw .damage(.cyclicRefs, at: Int(truncatingIfNeeded: finding.offset ?? 0))
  }
}

/// Where a copy is to go.
struct CopyTarget {
  /// The path with links followed, if there is a file.
  let path: String
  /// Whether there is a file.
  let exists: Bool
  /// Keeps others from opening the file that is replaced.
  private let lock: ExclusiveLock?

  /// Makes sure that a copy may be written to a path.
  ///
  /// - Throws: as `FileCopier.copy`.
  init(_ path: String, overwrite: Bool) throws(StorageError) {
    guard access(path, F_OK) == 0 else {
      (self.path, exists) = (path, false)
      // A lock file without its database: somebody may still have the deleted one open.
      let lockPath = LockDescriptor.path(ofRealm: path)
      lock = access(lockPath, F_OK) == 0 ? try Database.exclusiveLock(path) : nil
      return
    }
    guard overwrite else { throw .system(.open, EEXIST) }
    do throws(StorageError) {
      _ = try RealmFile(path: path, key: nil)
    } catch .noKey {
      // An encrypted file, whatever its key.
    }
    lock = try Database.exclusiveLock(path)
    (self.path, exists) = (try Syscalls.resolved(path), true)
  }
}
