// Eight elements of a mask at a time: the byte of the mask is spread over eight lanes, and what is
// not chosen is replaced by a value that changes nothing.
extension PackedIntegers {
  /// The sum of the chosen elements of type `T`, modulo 2^64.
  @inline(__always)
  func maskedSum<T: FixedWidthInteger & SIMDScalar & BitwiseCopyable>(
    _ type: T.Type, _ start: Int, _ count: Int, _ mask: UnsafePointer<UInt64>
  ) -> Int64 {
    var sums = SIMD8<Int64>(repeating: 0)
    var total: Int64 = 0
    forEachOctet(type, start, count, mask) { elements, isChosen in
      let chosen = elements.replacing(with: 0, where: .!isChosen)
      sums &+= SIMD8(truncatingIfNeeded: chosen)
    } element: {
      total &+= Int64($0)
    }
    return total &+ sums.wrappedSum()
  }

  /// The smallest or largest chosen element of type `T`; there is at least one.
  @inline(__always)
  func maskedExtreme<T: FixedWidthInteger & SIMDScalar & BitwiseCopyable>(
    _ type: T.Type, _ start: Int, _ count: Int, _ mask: UnsafePointer<UInt64>, isMinimum: Bool
  ) -> Int64 {
    let neutral = isMinimum ? T.max : T.min
    var lanes = SIMD8<T>(repeating: neutral)
    var best = neutral
    forEachOctet(type, start, count, mask) { elements, isChosen in
      let chosen = elements.replacing(with: neutral, where: .!isChosen)
      lanes = isMinimum ? pointwiseMin(lanes, chosen) : pointwiseMax(lanes, chosen)
    } element: {
      best = isMinimum ? min(best, $0) : max(best, $0)
    }
    return Int64(isMinimum ? min(best, lanes.min()) : max(best, lanes.max()))
  }

  /// Calls `octet` with the elements of each byte of the mask that is not zero, and `element` with
  /// the chosen ones after the last whole octet.
  @inline(__always)
  private func forEachOctet<T: FixedWidthInteger & SIMDScalar & BitwiseCopyable>(
    _ type: T.Type, _ start: Int, _ count: Int, _ mask: UnsafePointer<UInt64>,
    _ octet: (SIMD8<T>, SIMDMask<SIMD8<T>.MaskStorage>) -> Void, element: (T) -> Void
  ) {
    let weights = SIMD8<T>(truncatingIfNeeded: SIMD8<UInt8>(1, 2, 4, 8, 16, 32, 64, 128))
    let size = MemoryLayout<T>.size
    let p = base + start &* size
    for word in 0..<maskWordCount(count) {
      var rest = mask[word]
      var i = word &* 64
      while rest != 0, i &+ 8 <= count {
        let byte = UInt8(truncatingIfNeeded: rest)
        if byte != 0 {
          let elements = p.loadUnaligned(fromByteOffset: i &* size, as: SIMD8<T>.self)
          octet(elements, weights & T(truncatingIfNeeded: byte) .!= 0)
        }
        rest &>>= 8
        i &+= 8
      }
      while rest != 0 {
        let position = i &+ rest.trailingZeroBitCount
        element(p.loadUnaligned(fromByteOffset: position &* size, as: T.self))
        rest &= rest &- 1
      }
    }
  }
}
