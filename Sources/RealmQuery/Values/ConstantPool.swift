/// Keeps the bytes of the constants of a query where they are.
final class ConstantPool {
  private var blocks: [UnsafeMutableRawPointer] = []

  deinit { for block in blocks { block.deallocate() } }

  /// A copy of `bytes` that lives as long as the pool; never without an address.
  func keep(_ bytes: some Collection<UInt8>) -> UnsafeRawBufferPointer {
    let count = bytes.count
    let block = UnsafeMutableRawPointer.allocate(byteCount: max(count, 1), alignment: 8)
    blocks.append(block)
    UnsafeMutableRawBufferPointer(start: block, count: count).copyBytes(from: bytes)
    return UnsafeRawBufferPointer(start: block, count: count)
  }
}
