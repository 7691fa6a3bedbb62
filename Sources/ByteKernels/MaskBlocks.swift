import Glibc

/// Stores one word per block of 64 elements of `width` bits, from element `start` on.
///
/// `block` turns the address of 64 elements into a word. Blocks begin at whole bytes; where `start`
/// does not (only below 8 bits), each block is spread over two words. A block that is not complete
/// is copied first, so that nothing is read behind the last element.
@inline(__always)
func fillMaskBlocks(
  _ out: UnsafeMutablePointer<UInt64>, _ base: UnsafeRawPointer, _ width: UInt8, _ start: Int,
  _ count: Int, _ block: (UnsafeRawPointer) -> UInt64
) {
  guard count > 0 else { return }
  let bitWidth = Int(width)
  let byteCount = bitWidth &* 8  // of a block
  let shift = UInt64(truncatingIfNeeded: (start &* bitWidth & 7) / bitWidth)
  let first = base + (start &* bitWidth) &>> 3
  let end = base + (((start &+ count) &* bitWidth &+ 7) &>> 3)
  let wordCount = maskWordCount(count)
  for i in 0..<maskWordCount(count &+ Int(shift)) {
    let p = first + i &* byteCount
    let bits = end - p >= byteCount ? block(p) : incompleteBlock(p, end - p, byteCount, block)
    if shift == 0 {
      out[i] = bits
    } else {
      if i > 0 { out[i &- 1] |= bits &<< (64 &- shift) }
      if i < wordCount { out[i] = bits &>> shift }
    }
  }
  clearUnusedBits(out, count)
}

@inline(__always)
private func incompleteBlock(
  _ p: UnsafeRawPointer, _ presentByteCount: Int, _ byteCount: Int,
  _ block: (UnsafeRawPointer) -> UInt64
) -> UInt64 {
  withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 16) { copy in
    guard let target = copy.baseAddress else { return 0 }
    memset(target, 0, byteCount)
    memcpy(target, p, presentByteCount)
    return block(target)
  }
}
