public import RealmStorage

/// An open database: its file, the snapshot in use, and the schema of that snapshot.
///
/// Opening and reading takes no lock and makes no side file; `share`, and the first `beginWrite`, take
/// part in the session of all processes that have the file open. `refresh` moves to the newest
/// version.
public final class Realm {
  /// Which state of the file is shown.
  public enum State: Sendable {
    case live
    /// The state before the last commit.
    case previous
    /// A version that is kept as it is.
    case frozen
  }

  /// How the file is used.
  public enum Access: Sendable {
    /// Without a lock: what is read is checked afterwards.
    case reading
    /// Taking part in the session of the file: snapshots are pinned, writing is possible.
    case shared
  }

  /// The path as it was given.
  public let path: String
  /// How the file is used.
  public private(set) var access = Access.reading
  /// Which state of the file is shown.
  public let state: State
  /// The snapshot in use.
  public private(set) var snapshot: Snapshot
  /// The schema of the snapshot.
  public private(set) var schema: Schema {
    didSet {
      if !computedProperties.isEmpty { schema.setComputedProperties(computedProperties) }
    }
  }
  /// The computed properties of the classes, which the file does not store, by class.
  public var computedProperties: [String: [InverseDefinition]] = [:] {
    didSet { schema.setComputedProperties(computedProperties) }
  }

  /// The key that it is opened with; it may have none although a key is given.
  public private(set) var key: EncryptionKey?
  /// The file open for writing; nil as long as nothing was written.
  private var database: Database?
  /// The open write transaction.
  public private(set) var transaction: WriteTransaction?
  /// Whether the transaction has changed something since `snapshot` was taken.
  private var hasUnseenChanges = false
  /// Whether no version is read: the next use of the data begins with the newest one.
  public private(set) var isIdle = false

  /// Opens a file for reading.
  ///
  /// - Throws: `StorageError`: why the file cannot be reached or is no database.
  public init(
    path: String, key: EncryptionKey? = nil, state: State = .live
  ) throws(StorageError) {
    self.path = path
    self.key = key
    self.state = state
    (snapshot, schema) = try Realm.read(path, key, state)
  }

  /// Attempts at reading a file that another process keeps writing.
  private static let maximumAttempts = 20

  /// Reads the newest snapshot and its schema; anew if a commit came between.
  private static func read(
    _ path: String, _ key: EncryptionKey?, _ state: State
  ) throws(StorageError) -> (Snapshot, Schema) {
    var attempt = 0
    while true {
      attempt += 1
      let file = try RealmFile(path: path, key: key)
      var snapshot: Snapshot?
      do throws(StorageError) {
        let opened = try Snapshot(of: file, previous: state == .previous)
        snapshot = opened
        let schema = try Schema(opened)
        if opened.isIntact() || attempt == maximumAttempts { return (opened, schema) }
      } catch {
        // Damage that was met while somebody committed may be none.
        let isQuiet = snapshot?.isIntact() ?? file.isUnchanged()
        if isQuiet || attempt == maximumAttempts { throw error }
      }
    }
  }

  /// Whether all that was read since the last `refresh` belongs to one version.
  public func isIntact() -> Bool { snapshot.isIntact() }

  /// Moves to the newest version.
  ///
  /// In a write transaction it moves to what has been changed so far.
  ///
  /// - Returns: whether there was a newer version.
  /// - Throws: `StorageError` as on opening; the old snapshot stays in use then.
  @discardableResult
  public func refresh() throws(StorageError) -> Bool {
    snapshot.file.renewWork()
    if state == .frozen { return false }
    if let transaction {
      if hasUnseenChanges {
        let current = try transaction.snapshot()
        (snapshot, schema) = (current, try Schema(current))
        (hasUnseenChanges, isIdle) = (false, false)
      }
      return false
    }
    if !isIdle, snapshot.isNewest() { return false }
    let version = snapshot.version
    let wasIdle = isIdle
    try moveToNewest()
    return wasIdle || snapshot.version != version
  }

  private func moveToNewest() throws(StorageError) {
    // A file that took the place of ours has a session of its own.
    if let database, !database.isCurrent { (self.database, access) = (nil, .reading) }
    if let database {
      let newest = try database.snapshot()
      (snapshot, schema) = (newest, try Schema(newest))
    } else {
      (snapshot, schema) = try Realm.read(path, key, state)
    }
    isIdle = false
  }

  // MARK: Threads

  /// What another thread opens the database with; nil as long as the realm only reads the file.
  ///
  /// - Throws: `StorageError`: `system`.
  public func handle() throws(StorageError) -> DatabaseHandle? { try database?.handle() }

  /// Opens another instance of a database of this process, for the calling thread. It reads no
  /// version yet.
  ///
  /// - Throws: `StorageError`: `system`.
  public convenience init(_ handle: DatabaseHandle) throws(StorageError) {
    try self.init(of: try Database(handle))
    try invalidate()
  }

  private init(of database: Database) throws(StorageError) {
    (path, state, key) = (database.path, .live, database.key)
    (self.database, access) = (database, .shared)
    let newest = try database.snapshot()
    (snapshot, schema) = (newest, try Schema(newest))
  }

  /// Shows a version that is kept, for the calling thread.
  ///
  /// - Throws: `StorageError`: `system`, `damaged`.
  public init(_ version: FrozenVersion) throws(StorageError) {
    (path, state, key) = (version.path, .frozen, nil)
    let snapshot = try version.snapshot()
    (self.snapshot, schema) = (snapshot, try Schema(snapshot, frozen: version))
  }

  /// Keeps the version in use for every thread; in a write transaction the one before it.
  ///
  /// - Returns: nil if the realm only reads the file, and cannot keep others from overwriting it.
  /// - Throws: `StorageError`: `system` and errors of the session.
  public func freeze() throws(StorageError) -> FrozenVersion? {
    try database?.freeze(snapshot, in: transaction)
  }

  /// Lets go of the version in use, after the write transaction was cancelled if there is one. The
  /// next use begins with `beginReading`.
  ///
  /// - Throws: `StorageError` as on opening.
  /// - Precondition: the realm is not frozen.
  public func invalidate() throws(StorageError) {
    precondition(state != .frozen, "a frozen realm has nothing to let go of")
    transaction?.cancel()
    transaction = nil
    let nothing = try Snapshot(of: try RealmFile(bytes: [], key: nil))
    (snapshot, schema) = (nothing, .empty)
    isIdle = true
  }

  /// Begins to read if no version is read: a version, if it is alive still, or else the newest.
  ///
  /// - Throws: `StorageError` as on opening.
  public func beginReading(_ version: Int64? = nil) throws(StorageError) {
    guard isIdle else { return }
    if let version, let old = try database?.snapshot(version: version) {
      (snapshot, schema) = (old, try Schema(old))
      isIdle = false
    } else {
      try moveToNewest()
    }
  }

  /// The versions that are alive, the oldest first; only the one in use if the realm only reads the
  /// file.
  ///
  /// - Throws: `StorageError`: errors of the session.
  public func livingVersions() throws(StorageError) -> [LivingVersion] {
    guard let database else {
      return [LivingVersion(version: snapshot.version, ownCount: 1, otherCount: 0)]
    }
    return try database.livingVersions()
  }

  // MARK: Writing

  /// Creates a database without classes, and opens it; encrypted if a key is given.
  ///
  /// - Throws: `StorageError`: `system` (EEXIST and others) if there is a file already.
  public static func create(
    path: String, key: EncryptionKey? = nil
  ) throws(StorageError) -> Realm {
    let database = try Database.create(path: path, key: key)
    let realm = try Realm(path: path, key: key)
    (realm.database, realm.access) = (database, .shared)
    try realm.moveToNewest()
    return realm
  }

  /// Creates a database without classes in memory; it lives as long as the realm and its siblings.
  ///
  /// - Throws: `StorageError`: `system` if memory is short.
  public static func memory() throws(StorageError) -> Realm {
    try Realm(of: try Database.memory())
  }

  /// A copy in memory of what the realm shows, to be changed for a trial.
  ///
  /// - Parameter onProgress: Told how much of how much is done; false stops.
  /// - Throws: `StorageError` as `Database.memory(copying:)`.
  public func copyInMemory(
    onProgress: @escaping FileCopier.Progress = { _, _ in true }
  ) throws(StorageError) -> Realm {
    try Realm(of: try Database.memory(copying: snapshot, onProgress: onProgress))
  }

  /// Another instance of a database, with snapshot and transaction of its own.
  ///
  /// - Throws: `StorageError`: `system`.
  /// - Precondition: the realm takes part in the session of the file.
  public func sibling() throws(StorageError) -> Realm {
    guard let handle = try handle() else { preconditionFailure("the realm only reads the file") }
    return try Realm(handle)
  }

  /// Takes part in the session of the file from now on: snapshots are pinned, and writing is
  /// possible. Moves to the newest version; does nothing if it takes part already.
  ///
  /// - Throws: `StorageError`: why the file cannot be written; nothing has changed then.
  /// - Precondition: the realm shows the live state.
  public func share() throws(StorageError) { try share(.forever) }

  /// - Parameter wait: How long to wait for a process that has the file for itself.
  private func share(_ wait: LockWait) throws(StorageError) {
    precondition(state == .live, "an old state cannot be written")
    if let database, database.isCurrent { return }
    let milliseconds =
      switch wait {
      case .forever: 10_000
      // Whoever is just opening the file as well needs a moment.
      case .no: 100
      case .milliseconds(let limit): max(100, limit)
      }
    let opened = try Database(path: path, key: key, timeoutMilliseconds: milliseconds)
    let newest = try opened.snapshot()
    (snapshot, schema) = (newest, try Schema(newest))
    (database, access) = (opened, .shared)
  }

  /// Leaves the session of the file: what needs the file alone, such as compaction, can be done when
  /// no snapshot is in use any more that was taken before. Does nothing to a database in memory.
  ///
  /// - Throws: `StorageError` as on opening; the realm takes part still.
  /// - Precondition: no write transaction is open.
  public func unshare() throws(StorageError) {
    precondition(transaction == nil, "a write transaction is open")
    guard database?.isInMemory == false else { return }
    (snapshot, schema) = try Realm.read(path, key, state)
    (database, access) = (nil, .reading)
  }

  /// Takes another key, or none, for a file that has been written anew with it.
  ///
  /// - Precondition: the realm does not take part in the session of the file.
  public func changeKey(to key: EncryptionKey?) {
    precondition(access == .reading, "the file is in use")
    self.key = key
  }

  /// The id of the process that is writing to the file now; nil if there is none or it is not
  /// known. Known for `shared` access only.
  public var writerProcess: Int32? { database?.writerProcess }

  /// Whether a write transaction is open.
  public var isWriting: Bool { transaction != nil }

  /// Whether the open write transaction has changed anything.
  public var hasChanges: Bool { transaction?.hasChanges ?? false }

  /// Moves to the newest version and starts a write transaction on it.
  ///
  /// - Parameter wait: How long to wait for the process that is writing.
  /// - Parameter whileWaiting: Called now and then while waiting with the id of the process that is
  ///   writing, if it is known; false gives up.
  /// - Throws: `StorageError`: why the file cannot be written now. `rejected(.writeLocked)` after
  ///   the time to wait, `rejected(.interrupted)` after `whileWaiting` returned false,
  ///   `rejected(.wouldWaitForItself)` if another realm of this thread is writing to the file. No
  ///   transaction is open then.
  /// - Precondition: no write transaction is open; the realm shows the live state.
  public func beginWrite(
    wait: LockWait = .forever, whileWaiting: (_ holder: Int32?) -> Bool = { _ in true }
  ) throws(StorageError) {
    precondition(transaction == nil, "a write transaction is open")
    try share(wait)
    let begun = try database?.beginWrite(wait: wait, whileWaiting: whileWaiting)
    transaction = begun
    hasUnseenChanges = true
    do throws(StorageError) {
      try refresh()
    } catch {
      endTransaction()
      throw error
    }
  }

  /// Tells that the transaction has changed something: `refresh` shows it.
  public func noteChange() { hasUnseenChanges = true }

  /// The classes and objects as the transaction has made them so far, which stay readable until
  /// `releaseState`; states are released in the reverse order.
  ///
  /// - Throws: `StorageError` as reading.
  /// - Precondition: a write transaction is open.
  public func keepState() throws(StorageError) -> Schema {
    guard let transaction else { preconditionFailure("no write transaction is open") }
    return try Schema(try transaction.keepState())
  }

  /// Ends the state that was kept last.
  public func releaseState() throws(StorageError) {
    try transaction?.releaseState()
  }

  /// Makes the changes durable and moves to the new version.
  ///
  /// - Returns: the number of the new version.
  /// - Throws: `StorageError`; the changes are lost then, the transaction has ended, and the realm is
  ///   on the newest version again. `rejected(.fileReplaced)` if the path leads to another file now.
  @discardableResult
  public func commitWrite() throws(StorageError) -> Int64 {
    guard let transaction else { preconditionFailure("no write transaction is open") }
    defer { endTransaction() }
    // Nobody would ever see the commit.
    guard database?.isCurrent == true else { throw .rejected(.fileReplaced) }
    return try transaction.commit()
  }

  /// The newest version that was committed, with its schema: the one in use, or the one that the
  /// open transaction began on.
  ///
  /// - Throws: `StorageError` as on opening.
  public func committed() throws(StorageError) -> (snapshot: Snapshot, schema: Schema) {
    guard transaction != nil, let database else { return (snapshot, schema) }
    let newest = try database.snapshot()
    return (newest, try Schema(newest))
  }

  /// Forgets the changes and returns to the newest version.
  ///
  /// - Throws: `StorageError` as on opening; the transaction has ended all the same.
  public func cancelWrite() throws(StorageError) {
    guard let transaction else { preconditionFailure("no write transaction is open") }
    transaction.cancel()
    self.transaction = nil
    try moveToNewest()
  }

  /// Ends the transaction, whatever has become of it.
  private func endTransaction() {
    transaction?.cancel()
    transaction = nil
    // If this fails, the snapshot of the transaction stays until the next `refresh`.
    try? moveToNewest()
  }
}
