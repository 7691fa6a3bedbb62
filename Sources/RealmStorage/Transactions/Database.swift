import Glibc

/// A database that is open for changing it, together with the other processes that have it open.
///
/// Snapshots are pinned: nobody overwrites what they show as long as they live. Only one
/// transaction writes at a time; the others wait.
///
/// Source: file-format-writing.md 6.
public final class Database {
  /// The path as it was given.
  public let path: String
  let file: any FileBackend
  /// The session of all processes; nil for a file that nobody else can reach.
  let lockFile: LockFile?
  private let workspace = WriteWorkspace()

  // MARK: Opening

  /// Creates an empty database and opens it; fails if there is a file.
  ///
  /// - Throws: `system` (EEXIST and others), `rejected(.inUse)`.
  public static func create(
    path: String, key: EncryptionKey? = nil
  ) throws(StorageError) -> Database {
    do {
      let lock = try exclusiveLock(path)
      // Without the lock another process could take the empty file for its own new database.
      defer { withExtendedLifetime(lock) {} }
      let file = try DiskFile(path: path, creating: true)
      if let key {
        try writeHeader(EncryptedFile(file, key: key))
      } else {
        try writeHeader(file)
      }
      try Syscalls.syncFolder(of: path)
    }
    return try Database(path: path, key: key)
  }

  /// Creates an empty database in memory, which lives as long as the object.
  ///
  /// Others in this process read it through `path`. It has a session like a file on the disk, so that
  /// the threads of the process can share it.
  ///
  /// - Throws: `system`.
  public static func memory() throws(StorageError) -> Database {
    let file = try DiskFile(inMemory: "realm")
    let lock = try DiskFile(inMemory: "realm.lock")
    try writeHeader(file)
    defer { withExtendedLifetime(lock) {} }
    return try Database(
      path: pathInMemory(file.descriptor), sharing: file,
      lockPath: pathInMemory(lock.descriptor), isInMemory: true)
  }

  /// Creates a database in memory with what a snapshot holds, also of a file that is not to be touched.
  ///
  /// - Parameter onProgress: Told how much of how much is done; false stops.
  /// - Throws: `rejected(.needsUpgrade)`, `rejected(.synchronised)`, `rejected(.interrupted)`;
  ///   `rejected(.versionGone)` if somebody has overwritten the snapshot meanwhile; `damaged`, `system`.
  public static func memory(
    copying snapshot: Snapshot, onProgress: @escaping FileCopier.Progress = { _, _ in true }
  ) throws(StorageError) -> Database {
    try checkKind(of: snapshot)
    let file = try DiskFile(inMemory: "realm")
    let lock = try DiskFile(inMemory: "realm.lock")
    try SnapshotWriter.write(snapshot, to: file, version: snapshot.version, onProgress)
    guard snapshot.isIntact() else { throw .rejected(.versionGone) }
    defer { withExtendedLifetime(lock) {} }
    return try Database(
      path: pathInMemory(file.descriptor), sharing: file,
      lockPath: pathInMemory(lock.descriptor), isInMemory: true)
  }

  /// The path under which this process reaches an open file.
  static func pathInMemory(_ descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

  /// Keeps everybody else away from a file.
  static func exclusiveLock(_ path: String) throws(StorageError) -> ExclusiveLock {
    do throws(LockError) {
      // A child process that has not reached its exec yet can hold the lock for a moment.
      return try ExclusiveLock(realmPath: path, timeoutMilliseconds: 1000)
    } catch {
      throw StorageError(error)
    }
  }

  /// A header that selects no snapshot is a valid empty database.
  ///
  /// Source: file-format-writing.md 1.3.
  static func writeHeader(_ file: any FileBackend) throws(StorageError) {
    try file.write(
      (0, 0, UInt64(FileHeader.mnemonic.byteSwapped)) as (UInt64, UInt64, UInt64), at: 0)
    try file.sync()
  }

  /// Opens a database for changing it, and takes part in the session of the file.
  ///
  /// An empty file becomes an empty database. All nodes of the newest snapshot are checked first:
  /// writing into a damaged file would make it worse.
  ///
  /// - Parameter timeoutMilliseconds: How long to wait for a process that has the file for itself.
  /// - Throws: `rejected(.inUse)` if a process keeps the file for itself;
  ///   `rejected(.incompatibleSession)` if the other processes use it in another way;
  ///   `rejected(.needsUpgrade)`, `rejected(.synchronised)`; `rejected(.notSupported)` if a table has
  ///   enumerated columns or tombstones; `damaged`; `system`.
  public convenience init(
    path: String, key: EncryptionKey? = nil, timeoutMilliseconds: Int = 10_000
  ) throws(StorageError) {
    try self.init(
      path: path, sharing: try Database.backend(path, key),
      timeoutMilliseconds: timeoutMilliseconds)
  }

  /// Takes part in the session of a file with another backend.
  ///
  /// - Throws: as for a path.
  public convenience init(
    path: String, sharing file: any FileBackend, timeoutMilliseconds: Int = 10_000
  ) throws(StorageError) {
    try self.init(
      path: path, sharing: file, lockPath: nil, isInMemory: false,
      timeoutMilliseconds: timeoutMilliseconds)
  }

  private init(
    path: String, sharing file: any FileBackend, lockPath: String?, isInMemory: Bool,
    timeoutMilliseconds: Int = 10_000
  ) throws(StorageError) {
    (self.path, self.file, self.isInMemory) = (path, file, isInMemory)
    let lockFile = try Database.join(
      path, file, lockPath: lockPath, timeoutMilliseconds: timeoutMilliseconds)
    self.lockFile = lockFile
    (file as? EncryptedFile)?.lockFile = lockFile
    try check(try snapshot())
  }

  /// Takes part in a session that this process has joined already.
  init(path: String, _ file: any FileBackend, joined lockFile: LockFile, isInMemory: Bool) {
    (self.path, self.file, self.lockFile, self.isInMemory) = (path, file, lockFile, isInMemory)
    (file as? EncryptedFile)?.lockFile = lockFile
  }

  /// Opens a database on another backend, that nobody else can reach.
  ///
  /// - Parameter path: A file with the same bytes.
  init(path: String, file: any FileBackend) throws(StorageError) {
    (self.path, self.file, lockFile, isInMemory) = (path, file, nil, false)
    let snapshot = try snapshot()
    try Database.checkKind(of: snapshot)
    if snapshot.header.isStreaming {
      _ = try Database.checkNodes(of: snapshot)
      try Database.leaveStreamingForm(snapshot, file)
    }
    try check(snapshot)
  }

  /// Opens a file; a key is ignored if the file is neither encrypted nor empty.
  private static func backend(
    _ path: String, _ key: EncryptionKey?
  ) throws(StorageError) -> any FileBackend {
    let file = try DiskFile(path: path)
    guard let key else { return file }
    if file.byteCount > 0 {
      let mapped = try RealmFile(descriptor: file.descriptor, path: path, key: key)
      guard mapped.isEncrypted else { return file }
    }
    return EncryptedFile(file, key: key)
  }

  /// Joins the session of the other processes, whatever kind of history they keep.
  private static func join(
    _ path: String, _ file: any FileBackend, lockPath: String?, timeoutMilliseconds: Int
  ) throws(StorageError) -> LockFile {
    func join(_ profile: SessionProfile) throws(LockError) -> LockFile {
      var profile = profile
      profile.isEncrypted = file.key != nil
      return try LockFile(
        realmPath: path, lockPath: lockPath, profile: profile,
        timeoutMilliseconds: timeoutMilliseconds
      ) { () throws(StorageError) in try beginSession(path, file) }
    }
    do throws(LockError) {
      do throws(LockError) {
        return try join(.local)
      } catch {
        guard case .incompatible(.historyType, let found, _, _) = error, found == 0 else {
          throw error
        }
        return try join(.withoutHistory)
      }
    } catch {
      throw StorageError(error, holder: LockDescriptor.participant(ofRealm: path))
    }
  }

  /// Prepares a file that nobody else has open, and tells what is in it.
  ///
  /// Source: file-format-writing.md 6.6 (1).
  private static func beginSession(
    _ path: String, _ file: any FileBackend
  ) throws(StorageError) -> SessionStart {
    try file.measure()
    if file.byteCount == 0 { try writeHeader(file) }
    let snapshot = try Snapshot(
      of: try RealmFile(descriptor: file.descriptor, path: path, key: file.key))
    try checkKind(of: snapshot)
    if snapshot.header.isStreaming {
      _ = try checkNodes(of: snapshot)
      try leaveStreamingForm(snapshot, file)
    }
    let page = 4096
    try file.extend(to: (file.byteCount + page - 1) / page * page)
    guard snapshot.topRef != 0 else { return SessionStart() }
    return SessionStart(
      version: UInt64(snapshot.version), topRef: snapshot.topRef,
      logicalByteCount: UInt64(snapshot.logicalByteCount),
      historyType: Int(snapshot.historyType.rawValue),
      historySchemaVersion: Int(clamping: snapshot.historySchemaVersion))
  }

  // MARK: Checks

  /// Refuses files that must not be written.
  private static func checkKind(of snapshot: Snapshot) throws(StorageError) {
    if let format = snapshot.format, format != FileFormat.current {
      throw .rejected(.needsUpgrade(format.number))
    }
    guard snapshot.historyType == .none || snapshot.historyType == .inRealm else {
      throw .rejected(.synchronised)
    }
  }

  /// Visits all nodes.
  ///
  /// - Returns: whether the lists of free space are right; if not, they can be made anew.
  /// - Throws: `damaged` if anything else is wrong.
  private static func checkNodes(of snapshot: Snapshot) throws(StorageError) -> Bool {
    if let broken = snapshot.brokenTables.first { throw broken.error }
    var error: StorageError?
    for finding in FileChecker.check(snapshot, depth: .normal).findings {
      let place = Int(truncatingIfNeeded: finding.offset ?? 0)
      switch finding.kind {
      // Both only waste space.
      case .lostSpace, .reservedHeaderBits: continue
      case .unreadable(let damage) where finding.column != nil: throw damage
      case .unreadable(let damage): error = error ?? damage
      case .topElementCount, .historyType: throw .damage(.cyclicRefs, at: place)
      default: error = error ?? .damage(.cyclicRefs, at: place)
      }
    }
    guard let error else { return true }
    snapshot.file.renewWork()
    guard let view = snapshot.view,
      (try? ReachableSpace.gaps(
        belowTop: Int64(bitPattern: snapshot.topRef), in: view,
        fileEnd: snapshot.logicalByteCount)) != nil
    else { throw error }
    return false
  }

  /// Checks the newest snapshot; makes the lists of free space anew if only they are wrong.
  ///
  /// Source: file-format-writing.md 3.7.
  private func check(_ snapshot: Snapshot) throws(StorageError) {
    let isComplete = try Database.checkNodes(of: snapshot)
    // Others may have made the file longer since it was opened.
    try file.measure()
    // A table that cannot be written is refused here and not in the middle of a change.
    _ = try WriteTransaction(
      trying: file, from: snapshot.file.pin, workspace
    ).allEditors()
    withExtendedLifetime(snapshot) {}
    if isComplete { return }
    let transaction = try beginWrite()
    do throws(StorageError) {
      try transaction.renewFreeSpace()
    } catch {
      transaction.cancel()
      throw error
    }
    try transaction.commit()
  }

  /// Moves the top ref from the footer into the header, so that the footer may be overwritten.
  ///
  /// Source: file-format-writing.md 10.1.
  private static func leaveStreamingForm(
    _ snapshot: Snapshot, _ file: any FileBackend
  ) throws(StorageError) {
    try file.sync(
      selecting: SelectedHeader(
        slot: 1, topRef: Int64(bitPattern: snapshot.topRef), present: snapshot.header))
  }

  // MARK: Use

  /// The key of an encrypted file.
  public var key: EncryptionKey? { file.key }

  /// Whether the path still leads to this file.
  public var isCurrent: Bool {
    guard let status = try? Syscalls.status(ofPath: path),
      let own = try? Syscalls.status(of: file.descriptor)
    else { return false }
    return status.identity == own.identity
  }

  /// Whether it lives in the memory of this process.
  public let isInMemory: Bool

  /// The id of the process that is writing now; nil if there is none or it is not known.
  public var writerProcess: Int32? { lockFile?.writerProcess }

  /// The newest snapshot, pinned as long as it lives.
  ///
  /// - Throws: `damaged`, `system`; `rejected(.brokenSession)` and other errors of the session.
  public func snapshot() throws(StorageError) -> Snapshot {
    guard let lockFile else { return try snapshot(of: nil) }
    let pin: VersionPin
    do throws(LockError) {
      pin = try lockFile.pin()
    } catch {
      throw StorageError(error, holder: lockFile.otherParticipant)
    }
    return try snapshot(of: pin)
  }

  /// A snapshot of a version, which is kept readable as long as the snapshot lives.
  ///
  /// - Throws: as `snapshot()`.
  func snapshot(of pin: VersionPin?) throws(StorageError) -> Snapshot {
    try file.measure()
    guard let mapping = try workspace.mapping(of: file) else {
      return try Snapshot(
        of: try RealmFile(descriptor: file.descriptor, path: path, key: file.key, pin: pin))
    }
    return try Snapshot(of: RealmFile(mapping, path: path, pin: pin))
  }

  /// Starts a transaction on the newest version, when nobody else is writing.
  ///
  /// - Parameter wait: How long to wait for the one who is writing.
  /// - Parameter whileWaiting: Called now and then while waiting, with the process that is writing if
  ///   it is known; false gives up.
  /// - Throws: `rejected(.writeLocked)` after the time to wait, `rejected(.interrupted)` after
  ///   `whileWaiting` returned false, `rejected(.wouldWaitForItself)` if this thread has a
  ///   transaction on the file through another object, `rejected(.brokenSession)`; `damaged`,
  ///   `system`.
  public func beginWrite(
    wait: LockWait = .forever, whileWaiting: (_ holder: Int32?) -> Bool = { _ in true }
  ) throws(StorageError) -> WriteTransaction {
    guard let lockFile else { return try WriteTransaction(file, nil, workspace) }
    let lease = try WriteLease(lockFile, wait, whileWaiting: whileWaiting)
    try file.measure()
    return try WriteTransaction(file, lease, workspace)
  }
}
