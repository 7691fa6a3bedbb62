/// The file below a database that is being written.
///
/// A test can put another one in the place of `DiskFile`, to lose writes that were not synced.
public protocol FileBackend: AnyObject {
  /// Descriptor of the open file, for mapping what was committed.
  var descriptor: Int32 { get }
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
}
