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
  ///   - keyFile: The file of a new key, which gets its name together with the copy.
  ///   - onProgress: Called now and then.
  /// - Returns: size of the new file.
  /// - Throws: `system` (with EEXIST if there is a file, also one at the place of the new key), `notARealmFile` or another error of
  ///   opening if what is to be replaced is no Realm file; `rejected(.inUse)` if somebody has it
  ///   open; `rejected(.needsUpgrade)`, `rejected(.synchronised)`; `rejected(.interrupted)`;
  ///   `rejected(.versionGone)` or another error if the snapshot is not pinned and others have
  ///   overwritten it; `damaged`.
  @discardableResult
  public static func copy(
    _ snapshot: Snapshot, to path: String, key: EncryptionKey? = nil, overwrite: Bool = false,
    keyFile: NewKeyFile? = nil, onProgress: Progress = { _, _ in true }
  ) throws(StorageError) -> Int {
    let target = try CopyTarget(path, overwrite: overwrite)
    defer { withExtendedLifetime(target) {} }
    let pending = try PendingFile(for: target.path, like: snapshot.file.path)
    try write(snapshot, to: pending, key: key, onProgress)
    guard snapshot.isIntact() else { throw .rejected(.versionGone) }
    try pending.publish(isReplacing: target.exists, with: keyFile)
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
    try rewrite(path, key, nil, onProgress) { $0.isEncrypted ? key : nil }
  }

  /// Rewrites a file with another key, or without one, and without its free space.
  ///
  /// - Parameters:
  ///   - key: The key of the file.
  ///   - newKey: The key of the new one; nil for one that is not encrypted.
  ///   - keyFile: The file of the new key, if it is to get its name together with the new file.
  /// - Returns: its size before and after.
  /// - Throws: as `compact`; `system` (with EEXIST) if the place of the new key is taken.
  @discardableResult
  public static func rekey(
    path: String, key: EncryptionKey?, newKey: EncryptionKey?, keyFile: NewKeyFile? = nil,
    onProgress: Progress = { _, _ in true }
  ) throws(StorageError) -> (before: Int, after: Int) {
    try rewrite(path, key, keyFile, onProgress) { _ in newKey }
  }

  private static func rewrite(
    _ path: String, _ key: EncryptionKey?, _ keyFile: NewKeyFile?, _ onProgress: Progress,
    newKey: (RealmFile) -> EncryptionKey?
  ) throws(StorageError) -> (before: Int, after: Int) {
    let lock = try Database.exclusiveLock(path)
    defer { withExtendedLifetime(lock) {} }
    let file = try RealmFile(path: path, key: key)
    file.memory.forgets = true
    let pending = try PendingFile(for: try Syscalls.resolved(path))
    try write(try Snapshot(of: file), to: pending, key: newKey(file), onProgress)
    try pending.publish(isReplacing: true, with: keyFile)
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
        // Checking is the second half.
        try SnapshotWriter.write(snapshot, to: file, version: version ?? snapshot.version) {
          onProgress($0, 2 * $1)
        }
        // The disk works during the check; what is encrypted must be in the file before.
        if key != nil { try file.sync() }
        try check(pending, key: key) { onProgress($1 + $0, 2 * $1) }
        try file.sync()
      }
    }.get()
  }

  static func backend(
    _ file: DiskFile, _ key: EncryptionKey?
  ) throws(StorageError) -> any FileBackend {
    guard let key else { return file }
    return EncryptedFile(file, key: key)
  }

  /// Makes sure that a new file can be read.
  private static func check(
    _ pending: PendingFile, key: EncryptionKey?, _ onProgress: @escaping Progress
  ) throws(StorageError) {
    let file = try pending.reader(key: key)
    file.memory.forgets = true
    var isStopped = false
    let report = FileChecker.check(try Snapshot(of: file), depth: .normal) {
      isStopped = !onProgress($0, $1)
      return !isStopped
    }
    if isStopped { throw .rejected(.interrupted) }
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
