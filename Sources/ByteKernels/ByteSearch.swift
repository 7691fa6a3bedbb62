import Glibc

/// The first position of `needle` in `hay` at or after `start`; nil if there is none.
///
/// The empty needle is found at once. Sixteen positions at a time are tested for the first and the
/// last byte of the needle; the last block overlaps the one before it instead of a loop over bytes.
public func firstIndex(
  of needle: UnsafeRawBufferPointer, in hay: UnsafeRawBufferPointer, from start: Int = 0
) -> Int? {
  search(needle, hay, start, SearchExactly())
}

/// The first position of `needle` in `hay` at or after `start`, letters compared without case.
///
/// - Parameter needle: Well-formed UTF-8; what other bytes find is undefined.
public func firstIndexFolded(
  of needle: UnsafeRawBufferPointer, in hay: UnsafeRawBufferPointer, from start: Int = 0
) -> Int? {
  search(needle, hay, start, SearchFolded())
}

/// What a search tests: a few positions at a time by a necessary condition, then one exactly.
private protocol SearchTest {
  /// Setting these bits makes all bytes equal that may match.
  var ignoredBits: UInt8 { get }
  func matches(_ hay: UnsafeRawPointer, _ needle: UnsafeRawPointer, _ byteCount: Int) -> Bool
}

private struct SearchExactly: SearchTest {
  @inline(__always)
  var ignoredBits: UInt8 { 0 }

  @inline(__always)
  func matches(_ hay: UnsafeRawPointer, _ needle: UnsafeRawPointer, _ byteCount: Int) -> Bool {
    memcmp(hay, needle, byteCount) == 0
  }
}

private struct SearchFolded: SearchTest {
  /// Upper and lower letters, also the second bytes of the Latin-1 letters, differ only in this bit.
  @inline(__always)
  var ignoredBits: UInt8 { 0x20 }

  @inline(__always)
  func matches(_ hay: UnsafeRawPointer, _ needle: UnsafeRawPointer, _ byteCount: Int) -> Bool {
    equalsFoldedBytes(hay, needle, byteCount)
  }
}

@inline(__always)
private func search(
  _ needle: UnsafeRawBufferPointer, _ hay: UnsafeRawBufferPointer, _ start: Int,
  _ test: some SearchTest
) -> Int? {
  precondition(start >= 0)
  let needleCount = needle.count
  guard needleCount > 0 else { return start <= hay.count ? start : nil }
  let lastStart = hay.count &- needleCount
  guard start <= lastStart, let h = hay.baseAddress, let n = needle.baseAddress else { return nil }
  if lastStart &- start < 15 {
    // Too short for a block of sixteen positions.
    let firstByte = needle[0] | test.ignoredBits
    for i in start...lastStart where hay[i] | test.ignoredBits == firstByte {
      if test.matches(h + i, n, needleCount) { return i }
    }
    return nil
  }
  let ignored = SIMD16<UInt8>(repeating: test.ignoredBits)
  let first = SIMD16(repeating: needle[0]) | ignored
  let last = SIMD16(repeating: needle[needleCount &- 1]) | ignored
  let lastBlock = lastStart &- 15
  var i = start
  while i <= lastStart {
    let block = min(i, lastBlock)
    let a = h.loadUnaligned(fromByteOffset: block, as: SIMD16<UInt8>.self)
    let b = h.loadUnaligned(fromByteOffset: block &+ needleCount &- 1, as: SIMD16<UInt8>.self)
    var hits = laneBits((a | ignored .== first) .& (b | ignored .== last))
    while hits != 0 {
      let position = block &+ hits.trailingZeroBitCount
      if position >= i, test.matches(h + position, n, needleCount) { return position }
      hits &= hits &- 1
    }
    i = block &+ 16
  }
  return nil
}

/// The first position of `first` or `second` at or after `start`; the count of bytes if there is none.
public func firstIndex(
  of first: UInt8, or second: UInt8, in bytes: Span<UInt8>, from start: Int
) -> Int {
  precondition(start >= 0)
  return bytes.withUnsafeBufferPointer { bytes in
    var i = start
    if let base = UnsafeRawPointer(bytes.baseAddress), start <= bytes.count &- 16 {
      let (firsts, seconds) = (SIMD16(repeating: first), SIMD16(repeating: second))
      let lastBlock = bytes.count &- 16
      repeat {
        let block = base.loadUnaligned(fromByteOffset: i, as: SIMD16<UInt8>.self)
        let hits = laneBits((block .== firsts) .| (block .== seconds))
        if hits != 0 { return i &+ hits.trailingZeroBitCount }
        i &+= 16
      } while i <= lastBlock
    }
    while i < bytes.count, bytes[i] != first, bytes[i] != second { i &+= 1 }
    return i
  }
}
