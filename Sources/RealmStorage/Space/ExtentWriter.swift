import Glibc

/// Memory in which output is collected; it can be used again.
final class OutputBuffer {
  private(set) var start: UnsafeMutableRawPointer
  private(set) var byteCount = 1 << 16

  /// Most bytes that are collected, unless one piece is larger.
  static let limit = 1 << 20
  /// What has at least so many bytes is better not collected.
  static let largePiece = 1 << 18

  init() { start = .allocate(byteCount: byteCount, alignment: 16) }

  deinit { start.deallocate() }

  /// Makes room for more bytes; the first `count` stay.
  func grow(to newByteCount: Int, keeping count: Int) {
    guard newByteCount > byteCount else { return }
    let larger = max(newByteCount, min(2 * byteCount, OutputBuffer.limit))
    let target = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    memcpy(target, start, count)
    start.deallocate()
    (start, byteCount) = (target, larger)
  }
}

/// Joins writes to neighbouring places.
struct ExtentWriter {
  /// What has been written so far, in order of time; neighbours are joined.
  private(set) var extents: [Extent] = []
  private let file: any FileBackend
  private let buffer: OutputBuffer
  /// Where the collected bytes belong.
  private var pending = Extent(offset: 0, byteCount: 0)

  init(_ file: any FileBackend, _ buffer: OutputBuffer) {
    (self.file, self.buffer) = (file, buffer)
  }

  /// Room for bytes that belong to a place in the file; they must be filled in before the next call.
  mutating func room(
    _ byteCount: Int, at offset: Int
  ) throws(StorageError) -> UnsafeMutableRawPointer {
    if offset != pending.end || pending.byteCount + byteCount > OutputBuffer.limit { try flush() }
    if pending.byteCount == 0 { pending.offset = offset }
    buffer.grow(to: pending.byteCount + byteCount, keeping: pending.byteCount)
    defer { pending.byteCount += byteCount }
    return buffer.start + pending.byteCount
  }

  /// Writes bytes at once, behind what has been collected.
  mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
    try flush()
    try file.write(bytes, at: offset)
    note(Extent(offset: offset, byteCount: bytes.count))
    pending = Extent(offset: offset + bytes.count, byteCount: 0)
  }

  /// Writes what has been collected.
  mutating func flush() throws(StorageError) {
    guard pending.byteCount > 0 else { return }
    let bytes = UnsafeRawBufferPointer(start: buffer.start, count: pending.byteCount)
    try file.write(bytes, at: pending.offset)
    note(pending)
    pending = Extent(offset: pending.end, byteCount: 0)
  }

  private mutating func note(_ written: Extent) {
    if let last = extents.last, last.end == written.offset {
      extents[extents.count - 1].byteCount += written.byteCount
    } else {
      extents.append(written)
    }
  }
}
