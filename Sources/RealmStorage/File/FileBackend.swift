/// The file below a database that is being written.
///
/// Sizes and offsets are those of the database: of the plaintext, if the file is encrypted. A test
/// can put another one in the place of `DiskFile`, to lose writes that were not synced.
public protocol FileBackend: AnyObject {
  /// Descriptor of the open file, for mapping what was committed.
  var descriptor: Int32 { get }
  /// What decrypts the bytes behind the descriptor; nil if they are not encrypted.
  var key: EncryptionKey? { get }
  /// Size of the file.
  var byteCount: Int { get }
  /// Asks for the size anew, which another process may have changed.
  func measure() throws(StorageError)
  /// Writes bytes at an offset; all of them or an error.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError)
  /// Makes the file longer, with zeros, and takes room for it on the disk.
  func extend(to byteCount: Int) throws(StorageError)
  /// Returns when everything written so far is on the disk.
  func sync() throws(StorageError)
  /// Forgets what was written since the last sync, if it has not reached the file: another
  /// transaction begins.
  func discardUnsynced()
}

extension FileBackend {
  /// No key: the bytes are not encrypted.
  public var key: EncryptionKey? { nil }

  /// Does nothing: what was written has reached the file.
  public func discardUnsynced() {}

  /// Writes a value as it lies in memory.
  func write<Value: BitwiseCopyable>(_ value: Value, at offset: Int) throws(StorageError) {
    try withUnsafeBytes(of: value) { (bytes) -> Result<Void, StorageError> in
      Result { () throws(StorageError) in try write(bytes, at: offset) }
    }.get()
  }
}
