import Glibc

/// Arrays of elements of a fixed number of bytes (width scheme "bytes").
extension NodeStore {
  /// Header bits of the scheme.
  static let byteScheme: UInt8 = 0x08

  /// Makes a node whose elements are the bytes in `contents`.
  func makeByteElements(
    width: Int, count: Int, _ contents: [UInt8]
  ) throws(StorageError) -> Int64 {
    let ref = try make(
      flags: NodeStore.byteScheme, width: width, count: count, payloadByteCount: contents.count)
    contents.withUnsafeBytes {
      if let source = $0.baseAddress { memcpy(bytes(ref) + 8, source, $0.count) }
    }
    return ref
  }

  /// Opens a gap of one element, to be filled by the caller.
  ///
  /// - Returns: the first byte of the gap.
  func openGap(_ ref: inout Int64, at row: Int) throws(StorageError) -> UnsafeMutableRawPointer {
    let old = try node(ref)
    try NodeStore.check(row, below: old.count + 1, ref)
    try makeRoom(&ref, payloadByteCount: (old.count + 1) * old.width)
    let place = bytes(ref) + 8 + row * old.width
    memmove(place + old.width, place, (old.count - row) * old.width)
    setHeader(ref, flags: old.flags & 0xF8, width: old.width, count: old.count + 1)
    return place
  }

  /// The bytes of an element, to be overwritten.
  func place(_ ref: inout Int64, of row: Int) throws(StorageError) -> UnsafeMutableRawPointer {
    try makeWritable(&ref)
    let node = try node(ref)
    try NodeStore.check(row, below: node.count, ref)
    return bytes(ref) + 8 + row * node.width
  }

  /// Removes an element.
  func closeGap(_ ref: inout Int64, at row: Int) throws(StorageError) {
    let place = try place(&ref, of: row)
    let node = try node(ref)
    memmove(place, place + node.width, (node.count - row - 1) * node.width)
    setHeader(ref, flags: node.flags & 0xF8, width: node.width, count: node.count - 1)
  }
}
