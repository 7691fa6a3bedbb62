public import RealmStorage

/// An open database: its file, the snapshot in use, and the schema of that snapshot.
///
/// Opening and reading takes no lock and makes no side file. `refresh` moves to the newest version.
/// The first `beginWrite` opens the file for writing as well.
public final class Realm {
  /// Which state of the file is shown.
  public enum State: Sendable {
    case live
    /// The state before the last commit.
    case previous
  }

  /// The path as it was given.
  public let path: String
  /// Which state of the file is shown.
  public let state: State
  /// The snapshot in use.
  public private(set) var snapshot: Snapshot
  /// The schema of the snapshot.
  public private(set) var schema: Schema

  private let key: EncryptionKey?
  /// The file open for writing; nil as long as nothing was written.
  private var database: Database?
  /// The open write transaction.
  public private(set) var transaction: WriteTransaction?
  /// Whether the transaction has changed something since `snapshot` was taken.
  private var hasUnseenChanges = false

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
    if let transaction {
      if hasUnseenChanges {
        let current = try transaction.snapshot()
        (snapshot, schema) = (current, try Schema(current))
        hasUnseenChanges = false
      }
      return false
    }
    if snapshot.isNewest() { return false }
    (snapshot, schema) = try Realm.read(path, key, state)
    return true
  }

  // MARK: Writing

  /// Whether a write transaction is open.
  public var isWriting: Bool { transaction != nil }

  /// Moves to the newest version and starts a write transaction on it.
  ///
  /// - Throws: `StorageError`: why the file cannot be written now.
  /// - Precondition: no write transaction is open.
  public func beginWrite() throws(StorageError) {
    precondition(transaction == nil, "a write transaction is open")
    if database == nil { database = try Database.openForWriting(path: path) }
    transaction = try database?.beginWrite()
    hasUnseenChanges = true
    try refresh()
  }

  /// Tells that the transaction has changed something: `refresh` shows it.
  public func noteChange() { hasUnseenChanges = true }

  /// Makes the changes durable and moves to the new version.
  ///
  /// - Returns: the number of the new version.
  /// - Throws: `StorageError`; the changes are lost then.
  @discardableResult
  public func commitWrite() throws(StorageError) -> Int64 {
    guard let transaction else { preconditionFailure("no write transaction is open") }
    defer { self.transaction = nil }
    let version = try transaction.commit()
    self.transaction = nil
    (snapshot, schema) = try Realm.read(path, key, state)
    return version
  }

  /// Forgets the changes and returns to the newest version.
  ///
  /// - Throws: `StorageError` as on opening.
  public func cancelWrite() throws(StorageError) {
    guard let transaction else { preconditionFailure("no write transaction is open") }
    transaction.cancel()
    self.transaction = nil
    (snapshot, schema) = try Realm.read(path, key, state)
  }
}
