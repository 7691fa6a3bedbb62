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
  /// Returns when everything written so far is on the disk, and the header that leads to it; at no
  /// time the disk has the one without the other.
  func sync(selecting header: SelectedHeader) throws(StorageError)
  /// Forgets what was written since the last sync, if it has not reached the file: another
  /// transaction begins.
  func discardUnsynced()
}

extension FileBackend {
  /// No key: the bytes are not encrypted.
  public var key: EncryptionKey? { nil }

  /// Writes the slot, waits for the disk, selects the slot, and waits once more.
  ///
  /// Source: file-format-writing.md 2.2 (6 to 9).
  public func sync(selecting header: SelectedHeader) throws(StorageError) {
    try header.writeSlot(to: self)
    try sync()
    try header.select(in: self)
    try sync()
  }

  /// Does nothing: what was written has reached the file.
  public func discardUnsynced() {}

  /// Writes a value as it lies in memory.
  func write<Value: BitwiseCopyable>(_ value: Value, at offset: Int) throws(StorageError) {
    try withUnsafeBytes(of: value) { (bytes) -> Result<Void, StorageError> in
      Result { () throws(StorageError) in try write(bytes, at: offset) }
    }.get()
  }
}

/// A slot of the header that is to be filled and selected.
public struct SelectedHeader {
  let slot: Int
  let topRef: Int64
  /// The byte that selects.
  let flags: UInt8
  /// Whether the slot has the number of the format already.
  let hasFormat: Bool

  /// - Parameter present: The header before.
  init(slot: Int, topRef: Int64, present: FileHeader) {
    (self.slot, self.topRef) = (slot, topRef)
    flags = UInt8(truncatingIfNeeded: present.words.2 >> 56) & 0xFE | UInt8(slot)
    hasFormat = present.version(slot: slot) == FileFormat.current.number
  }

  /// Fills the slot, which is not selected.
  func writeSlot(to file: any FileBackend) throws(StorageError) {
    try file.write(topRef.littleEndian, at: 8 * slot)
    if !hasFormat { try file.write(FileFormat.current.number, at: 20 + slot) }
  }

  /// Makes the slot the live one.
  func select(in file: any FileBackend) throws(StorageError) { try file.write(flags, at: 23) }
}
