import Glibc

/// Writes nodes one behind the other into an empty file.
///
/// No node crosses the boundary of a section; the space that is skipped for that is remembered.
///
/// Source: file-format-writing.md 1.4, 3.4.
struct CompactWriter {
  private let file: any FileBackend
  private let buffer: UnsafeMutableRawBufferPointer
  private var fill = 0
  /// File offset of the start of the buffer.
  private var start = FileView.headerByteCount
  /// What was skipped.
  private(set) var gaps: [Extent] = []

  private static let bufferByteCount = 1 << 20

  /// - Precondition: `release` is called in the end.
  init(_ file: any FileBackend) {
    self.file = file
    buffer = .allocate(byteCount: CompactWriter.bufferByteCount, alignment: 16)
  }

  func release() { buffer.deallocate() }

  /// Offset of what is written next.
  var end: Int { start + fill }

  /// Takes room for a node of at most 64 MiB.
  ///
  /// - Returns: its offset.
  mutating func place(_ byteCount: Int) throws(StorageError) -> Int {
    let section = FreeSpaceList.sectionByteCount
    let boundary = (end / section + 1) * section
    if byteCount > boundary - end {
      let gap = Extent(offset: end, byteCount: boundary - end)
      gaps.append(gap)
      try flush()
      start = boundary
    }
    return end
  }

  /// Appends the header of a node.
  mutating func appendHeader(flags: UInt8, count: Int) throws(StorageError) {
    try makeRoom(8)
    guard let base = buffer.baseAddress else { return }
    base.storeBytes(of: 0x4141_4141 as UInt32, toByteOffset: fill, as: UInt32.self)
    let word = UInt32(flags) << 24 | UInt32(count)
    base.storeBytes(of: word.bigEndian, toByteOffset: fill + 4, as: UInt32.self)
    fill += 8
  }

  /// Appends a payload, padded to a multiple of 8 bytes.
  mutating func append(_ payload: UnsafeRawPointer, _ byteCount: Int) throws(StorageError) {
    let padded = (byteCount + 7) & ~7
    guard padded <= buffer.count else {
      try flush()
      let whole = byteCount & ~7
      let bytes = UnsafeRawBufferPointer(start: payload, count: whole)
      try file.write(bytes, at: start)
      start += whole
      if whole < byteCount { try append(payload + whole, byteCount - whole) }
      return
    }
    try makeRoom(padded)
    guard let base = buffer.baseAddress, padded > 0 else { return }
    base.storeBytes(of: 0 as UInt64, toByteOffset: fill + padded - 8, as: UInt64.self)
    memcpy(base + fill, payload, byteCount)
    fill += padded
  }

  /// Appends at most a page of zeros.
  mutating func appendZeros(_ byteCount: Int) throws(StorageError) {
    try makeRoom(byteCount)
    guard let base = buffer.baseAddress else { return }
    memset(base + fill, 0, byteCount)
    fill += byteCount
  }

  private mutating func makeRoom(_ byteCount: Int) throws(StorageError) {
    if byteCount > buffer.count - fill { try flush() }
  }

  /// Writes what has been collected.
  mutating func flush() throws(StorageError) {
    guard fill > 0 else { return }
    try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<fill]), at: start)
    start += fill
    fill = 0
  }
}
