public import RealmStorage

/// An open database: its file, the snapshot in use, and the schema of that snapshot.
///
/// Opening and reading takes no lock and makes no side file. `refresh` moves to the newest version.
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
  /// - Returns: whether there was a newer one.
  /// - Throws: `StorageError` as on opening; the old snapshot stays in use then.
  @discardableResult
  public func refresh() throws(StorageError) -> Bool {
    snapshot.file.renewWork()
    if snapshot.isNewest() { return false }
    (snapshot, schema) = try Realm.read(path, key, state)
    return true
  }
}
