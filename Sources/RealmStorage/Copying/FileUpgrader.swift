import Glibc

/// Rewrites databases of older formats in the present one.
///
/// The new file is built from what the old one shows, compared with it object by object, and gets
/// its name only then. The old file is not touched before that, and is only read.
public enum FileUpgrader {
  /// What an upgrade did.
  public struct Outcome: Sendable {
    /// The format of the old file; nil if it was empty.
    public var oldFormat: UInt8?
    /// Number of the version in the new file.
    public var version: Int64
    /// Number of objects that were rewritten; 0 if the file had the present format.
    public var objectCount: Int
    /// Size of the new file.
    public var byteCount: Int

    /// Whether the old file had an older format.
    public var isUpgrade: Bool { oldFormat.map { $0 != FileFormat.current.number } ?? false }
  }

  /// Writes a copy in the present format. One of a synchronised database is a local one.
  ///
  /// - Parameters: as of `FileCopier.copy`; progress is told in thousandths of its parts.
  /// - Throws: as `FileCopier.copy`; `rejected(.copyDiffers)`; `rejected(.duplicatePrimaryKey)` if
  ///   an old file has several objects with one; other errors if the old file is damaged.
  public static func upgrade(
    _ snapshot: Snapshot, to path: String, key: EncryptionKey? = nil, overwrite: Bool = false,
    onProgress: FileCopier.Progress = { _, _ in true }
  ) throws(StorageError) -> Outcome {
    let target = try CopyTarget(path, overwrite: overwrite)
    defer { withExtendedLifetime(target) {} }
    let pending = try PendingFile(for: target.path, like: snapshot.file.path)
    let outcome = try write(snapshot, to: pending, key, onProgress)
    guard snapshot.isIntact() else { throw .rejected(.versionGone) }
    try pending.publish(isReplacing: target.exists)
    return outcome
  }

  /// Rewrites a file in the present format; nothing happens if it has that already.
  ///
  /// - Parameter key: The key of the file, which the new one has as well.
  /// - Throws: as `upgrade`; `rejected(.inUse)` if anybody has the file open;
  ///   `rejected(.synchronised)`.
  public static func upgradeInPlace(
    path: String, key: EncryptionKey?, onProgress: FileCopier.Progress = { _, _ in true }
  ) throws(StorageError) -> Outcome {
    let lock = try Database.exclusiveLock(path)
    defer { withExtendedLifetime(lock) {} }
    let file = try RealmFile(path: path, key: key)
    let snapshot = try Snapshot(of: file)
    guard let format = snapshot.format, format != .current else {
      return Outcome(
        oldFormat: snapshot.format?.number, version: snapshot.version, objectCount: 0,
        byteCount: file.byteCount)
    }
    guard snapshot.historyType == .none || snapshot.historyType == .inRealm else {
      throw .rejected(.synchronised)
    }
    let pending = try PendingFile(for: try Syscalls.resolved(path))
    let outcome = try write(snapshot, to: pending, file.isEncrypted ? key : nil, onProgress)
    try pending.publish(isReplacing: true)
    return outcome
  }

  private static func write(
    _ snapshot: Snapshot, to pending: PendingFile, _ key: EncryptionKey?,
    _ onProgress: FileCopier.Progress
  ) throws(StorageError) -> Outcome {
    let isLocal = snapshot.historyType == .none || snapshot.historyType == .inRealm
    var outcome = Outcome(
      oldFormat: snapshot.format?.number, version: snapshot.version, objectCount: 0, byteCount: 0)
    if isLocal, snapshot.format.map({ $0 == .current }) ?? true {
      try FileCopier.write(snapshot, to: pending, key: key, onProgress)
    } else {
      outcome.version = max(2, snapshot.version &+ 1)
      outcome.objectCount = try rebuild(snapshot, pending, key, outcome.version, onProgress)
    }
    outcome.byteCount = pending.file.byteCount
    return outcome
  }

  /// Builds the tables in a file that is given up afterwards, and copies that compactly.
  private static func rebuild(
    _ snapshot: Snapshot, _ pending: PendingFile, _ key: EncryptionKey?, _ version: Int64,
    _ onProgress: FileCopier.Progress
  ) throws(StorageError) -> Int {
    let scratch = try PendingFile(for: pending.target, like: snapshot.file.path)
    scratch.file.isTemporary = true
    let backend: any FileBackend = try FileCopier.backend(scratch.file, key)
    try Database.writeHeader(backend)
    let database = try Database(path: "", file: backend)
    return try withoutActuallyEscaping(onProgress) {
      (onProgress) -> Result<Int, StorageError> in
      Result { () throws(StorageError) in
        // Building, copying, comparing and checking are a quarter each.
        func share(_ part: Int, _ done: Int, _ total: Int) -> Bool {
          let fraction = Double(done) / Double(max(total, 1))
          return onProgress(part * 1000 + Int(min(1, fraction) * 1000), 4000)
        }
        let objectCount = try TableRebuilder.copy(snapshot, into: database) { share(0, $0, $1) }
        try FileCopier.write(
          try database.snapshot(), to: pending, key: key, version: version, { share(1, $0, $1) })
        let copy = try Snapshot(of: try pending.reader(key: key))
        let isEqual = try SnapshotComparison.areEqual(snapshot, copy) { share(2, $0, objectCount) }
        guard isEqual else { throw .rejected(.copyDiffers) }
        try check(copy) { share(3, $0, $1) }
        return objectCount
      }
    }.get()
  }

  /// Makes sure that a rewritten file is good.
  private static func check(
    _ copy: Snapshot, _ onProgress: @escaping FileCopier.Progress
  ) throws(StorageError) {
    var isStopped = false
    let report = FileChecker.check(copy, depth: .deep) {
      isStopped = !onProgress($0, $1)
      return !isStopped
    }
    if isStopped { throw .rejected(.interrupted) }
    for finding in report.findings {
      switch finding.kind {
      // Such values and objects are as they were in the old file.
      case .invalidText, .ownerCount: continue
      case .unreadable(let error): throw error
      default: throw .rejected(.copyDiffers)
      }
    }
  }
}
