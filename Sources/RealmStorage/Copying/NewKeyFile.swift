import Glibc

/// A new key, and the file that it is written to together with the database that it encrypts.
///
/// The file gets its name when the database is complete and is about to get its own. If the program
/// is killed between the two, the database waits beside its place, and the next attempt with the same
/// files takes the key that is there.
public final class NewKeyFile {
  /// The key.
  public let key: EncryptionKey
  /// The file without a name; nil if it has its name.
  private var pending: PendingFile?
  private let path: String
  private var isPublished = false

  /// Makes a key for a file that must not exist.
  ///
  /// - Parameter database: The file that is going to be encrypted; nil if it is made later.
  /// - Throws: `system`, with EEXIST if there is a file.
  public init(path: String, for database: String? = nil) throws(StorageError) {
    self.path = path
    if let database, let left = NewKeyFile.keyLeft(at: path, by: database) {
      key = left
      return
    }
    var status = stat()
    guard lstat(path, &status) != 0 else { throw .system(.open, EEXIST) }
    key = try EncryptionKey.random()
    let file = try PendingFile(for: path, mode: 0o600)
    let written = key.withBytes { bytes in
      Result { () throws(StorageError) in
        try file.file.write(bytes, at: 0)
        try file.file.sync()
      }
    }
    try written.get()
    pending = file
  }

  /// The key that an attempt has left that was killed after it had written the key.
  private static func keyLeft(
    at path: String, by database: String
  ) -> EncryptionKey? {
    let place = (try? Syscalls.resolved(database)) ?? database
    guard access(path, F_OK) == 0, let file = try? DiskFile(path: path),
      file.byteCount == EncryptionKey.byteCount,
      let key = EncryptionKey(readFrom: file.descriptor),
      opens(PendingFile.waitingPath(for: place), with: key),
      // The key in use is no new one.
      !opens(place, with: key)
    else { return nil }
    return key
  }

  private static func opens(_ path: String, with key: EncryptionKey) -> Bool {
    (try? RealmFile(path: path, key: key))?.isEncrypted == true
  }

  /// Gives the file its name.
  ///
  /// - Throws: `system`, with EEXIST if there is a file.
  public func publish() throws(StorageError) {
    guard let pending else { return }
    try pending.publish(isReplacing: false)
    (self.pending, isPublished) = (nil, true)
  }

  /// Takes the file away again, since there will be no database with the key.
  public func withdraw() {
    if isPublished { unlink(path) }
    isPublished = false
  }
}
