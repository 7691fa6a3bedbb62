import Glibc

/// Memory for a text that has to be put together.
final class Scratch {
  private var base: UnsafeMutableRawPointer
  private var capacity = 4096
  private var count = 0

  init() { base = .allocate(byteCount: capacity, alignment: 16) }

  deinit { base.deallocate() }

  /// The text, valid until the next change.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  /// Removes the text.
  func clear() { count = 0 }

  /// Adds a byte.
  @inline(__always)
  func append(_ byte: UInt8) {
    if count == capacity { grow(to: count + 1) }
    base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count &+= 1
  }

  /// Adds bytes.
  func append(_ text: UnsafeRawBufferPointer) {
    guard let source = text.baseAddress else { return }
    if count + text.count > capacity { grow(to: count + text.count) }
    memcpy(base + count, source, text.count)
    count += text.count
  }

  private func grow(to byteCount: Int) {
    capacity = max(2 * capacity, byteCount)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    memcpy(larger, base, count)
    base.deallocate()
    base = larger
  }
}
