#if arch(x86_64)
  import _Builtin_intrinsics.intel.sse2
#endif

// Masks as in RowMask.swift: bit i of a mask belongs to element `start + i`.
extension PackedIntegers {
  /// The sum of the elements in a range, modulo 2^64.
  ///
  /// - Precondition: `start` and `count` are not negative, `start + count` is at most `self.count`.
  public func sum(from start: Int, count: Int) -> Int64 {
    checkRange(start, count)
    switch width {
    case 0: return 0
    case 1, 2, 4: return sumOfFields(start, count)
    case 8: return sumOfBytes(base + start, count)
    case 16: return sumOfInt16(base + start &* 2, count)
    case 32: return sum(Int32.self, start, count)
    default: return sum(Int64.self, start, count)
    }
  }

  /// The sum of the elements of a range that are in the mask, modulo 2^64.
  ///
  /// - Precondition: As for `sum(from:count:)`.
  public func sum(from start: Int, count: Int, mask: UnsafePointer<UInt64>) -> Int64 {
    checkRange(start, count)
    switch width {
    case 8: return maskedSum(Int8.self, start, count, mask)
    case 16: return maskedSum(Int16.self, start, count, mask)
    case 32: return maskedSum(Int32.self, start, count, mask)
    case 64: return maskedSum(Int64.self, start, count, mask)
    default:
      var total: Int64 = 0
      forEachRow(in: mask, count: count) { total &+= self[start &+ $0] }
      return total
    }
  }

  /// The smallest element in a range; nil if the range is empty.
  ///
  /// - Precondition: As for `sum(from:count:)`.
  public func minimum(from start: Int, count: Int) -> Int64? {
    extreme(start, count, isMinimum: true)
  }

  /// The largest element in a range; nil if the range is empty.
  ///
  /// - Precondition: As for `sum(from:count:)`.
  public func maximum(from start: Int, count: Int) -> Int64? {
    extreme(start, count, isMinimum: false)
  }

  /// The smallest element of a range that is in the mask; nil if there is none.
  ///
  /// - Precondition: As for `sum(from:count:)`.
  public func minimum(from start: Int, count: Int, mask: UnsafePointer<UInt64>) -> Int64? {
    extreme(start, count, mask, isMinimum: true)
  }

  /// The largest element of a range that is in the mask; nil if there is none.
  ///
  /// - Precondition: As for `sum(from:count:)`.
  public func maximum(from start: Int, count: Int, mask: UnsafePointer<UInt64>) -> Int64? {
    extreme(start, count, mask, isMinimum: false)
  }

  private func extreme(
    _ start: Int, _ count: Int, _ mask: UnsafePointer<UInt64>, isMinimum: Bool
  ) -> Int64? {
    checkRange(start, count)
    guard !maskIsEmpty(mask, count: count) else { return nil }
    switch width {
    case 8: return maskedExtreme(Int8.self, start, count, mask, isMinimum: isMinimum)
    case 16: return maskedExtreme(Int16.self, start, count, mask, isMinimum: isMinimum)
    case 32: return maskedExtreme(Int32.self, start, count, mask, isMinimum: isMinimum)
    case 64: return maskedExtreme(Int64.self, start, count, mask, isMinimum: isMinimum)
    default:
      var present: UInt64 = 0
      forEachRow(in: mask, count: count) { present |= 1 &<< unsigned(start &+ $0) }
      return Self.extreme(ofPresent: present, isMinimum: isMinimum)
    }
  }

  private func extreme(_ start: Int, _ count: Int, isMinimum: Bool) -> Int64? {
    checkRange(start, count)
    guard count > 0 else { return nil }
    switch width {
    case 0: return 0
    case 1, 2, 4:
      // Bit v is set when the value v occurs.
      var present: UInt64 = 0
      for i in start..<start &+ count { present |= 1 &<< unsigned(i) }
      return Self.extreme(ofPresent: present, isMinimum: isMinimum)
    case 8: return extreme(Int8.self, start, count, isMinimum: isMinimum)
    case 16: return extreme(Int16.self, start, count, isMinimum: isMinimum)
    case 32: return extreme(Int32.self, start, count, isMinimum: isMinimum)
    default: return extreme(Int64.self, start, count, isMinimum: isMinimum)
    }
  }

  private func extreme<T: FixedWidthInteger & BitwiseCopyable>(
    _ type: T.Type, _ start: Int, _ count: Int, isMinimum: Bool
  ) -> Int64 {
    let size = MemoryLayout<T>.size
    let p = base + start &* size
    var best = isMinimum ? T.max : T.min
    if isMinimum {
      for i in 0..<count {
        best = min(best, p.loadUnaligned(fromByteOffset: i &* size, as: T.self))
      }
    } else {
      for i in 0..<count {
        best = max(best, p.loadUnaligned(fromByteOffset: i &* size, as: T.self))
      }
    }
    return Int64(truncatingIfNeeded: best)
  }

  private static func extreme(ofPresent present: UInt64, isMinimum: Bool) -> Int64 {
    Int64(isMinimum ? present.trailingZeroBitCount : 63 &- present.leadingZeroBitCount)
  }

  private func sum<T: FixedWidthInteger & BitwiseCopyable>(
    _ type: T.Type, _ start: Int, _ count: Int
  ) -> Int64 {
    let size = MemoryLayout<T>.size
    let p = base + start &* size
    var total: Int64 = 0
    for i in 0..<count {
      let element = p.loadUnaligned(fromByteOffset: i &* size, as: T.self)
      total &+= Int64(truncatingIfNeeded: element)
    }
    return total
  }

  private func sumOfInt16(_ p: UnsafeRawPointer, _ count: Int) -> Int64 {
    var total: Int64 = 0
    var i = 0
    while i < count {
      // So many elements cannot overflow 32 bits, whose lanes add up twice as fast.
      let end = min(i &+ 0xFFFF, count)
      var part: Int32 = 0
      while i < end {
        part &+= Int32(p.loadUnaligned(fromByteOffset: i &* 2, as: Int16.self))
        i &+= 1
      }
      total &+= Int64(part)
    }
    return total
  }

  /// The sum of elements narrower than a byte, 8 bytes at a time.
  private func sumOfFields(_ start: Int, _ count: Int) -> Int64 {
    let perByte = 8 / Int(width)
    let perWord = 8 &* perByte
    let end = start &+ count
    var total: Int64 = 0
    var i = start
    while i < end, i % perByte != 0 {
      total &+= self[i]
      i &+= 1
    }
    var p = base + i / perByte
    while end &- i >= perWord {
      total &+= sumOfFields(p.loadUnaligned(as: UInt64.self))
      p += 8
      i &+= perWord
    }
    while i < end {
      total &+= self[i]
      i &+= 1
    }
    return total
  }

  @inline(__always)
  private func sumOfFields(_ word: UInt64) -> Int64 {
    if width == 1 { return Int64(word.nonzeroBitCount) }
    var fields = word
    if width == 2 {
      fields = (fields & 0x3333_3333_3333_3333) &+ (fields &>> 2 & 0x3333_3333_3333_3333)
    }
    let bytes = (fields & 0x0F0F_0F0F_0F0F_0F0F) &+ (fields &>> 4 & 0x0F0F_0F0F_0F0F_0F0F)
    // At most 8 bytes of 30: the sum fits the highest byte of the product.
    return Int64((bytes &* 0x0101_0101_0101_0101) &>> 56)
  }

  private func sumOfBytes(_ p: UnsafeRawPointer, _ count: Int) -> Int64 {
    var total: Int64 = 0
    var i = 0
    #if arch(x86_64)
      // The instruction adds unsigned bytes: add 128 to each and take it off again.
      var sums = _mm_setzero_si128()
      let flip = _mm_set1_epi8(.min)
      while count &- i >= 16 {
        let v = p.loadUnaligned(fromByteOffset: i, as: __m128i.self)
        sums = _mm_add_epi64(sums, _mm_sad_epu8(_mm_xor_si128(v, flip), _mm_setzero_si128()))
        i &+= 16
      }
      total = sums[0] &+ sums[1] &- Int64(i) &* 128
    #endif
    while i < count {
      total &+= Int64(p.load(fromByteOffset: i, as: Int8.self))
      i &+= 1
    }
    return total
  }
}
