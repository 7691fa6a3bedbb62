#if arch(x86_64)
  import _Builtin_intrinsics.intel.sse2
#endif

/// Bit i of the mask tells whether double i compares with the key as IEEE 754 says.
///
/// A NaN on either side matches only `notEqual`. `base` needs no alignment; stores ceil(count / 64)
/// words, bits past `count` are zero.
public func fillDoubleMask(
  _ out: UnsafeMutablePointer<UInt64>, base: UnsafeRawPointer, count: Int,
  _ comparison: Comparison, _ key: Double
) {
  #if arch(x86_64)
    let keys = _mm_set1_pd(key)
    func fill(_ test: (__m128d) -> __m128d) {
      fillMaskBlocks(out, base, 64, 0, count) { doubleBits($0, test) }
    }
    switch comparison {
    case .equal: fill { _mm_cmpeq_pd($0, keys) }
    case .notEqual: fill { _mm_cmpneq_pd($0, keys) }
    case .less: fill { _mm_cmplt_pd($0, keys) }
    case .lessOrEqual: fill { _mm_cmple_pd($0, keys) }
    case .greater: fill { _mm_cmpgt_pd($0, keys) }
    case .greaterOrEqual: fill { _mm_cmpge_pd($0, keys) }
    }
  #else
    fillMaskBlocks(out, base, 64, 0, count) { floatingBits($0, comparison, key) }
  #endif
}

/// Bit i of the mask tells whether float i compares with the key as IEEE 754 says.
///
/// A NaN on either side matches only `notEqual`. `base` needs no alignment; stores ceil(count / 64)
/// words, bits past `count` are zero.
public func fillFloatMask(
  _ out: UnsafeMutablePointer<UInt64>, base: UnsafeRawPointer, count: Int,
  _ comparison: Comparison, _ key: Float
) {
  #if arch(x86_64)
    let keys = _mm_set1_ps(key)
    func fill(_ test: (__m128) -> __m128) {
      fillMaskBlocks(out, base, 32, 0, count) { floatBits($0, test) }
    }
    switch comparison {
    case .equal: fill { _mm_cmpeq_ps($0, keys) }
    case .notEqual: fill { _mm_cmpneq_ps($0, keys) }
    case .less: fill { _mm_cmplt_ps($0, keys) }
    case .lessOrEqual: fill { _mm_cmple_ps($0, keys) }
    case .greater: fill { _mm_cmpgt_ps($0, keys) }
    case .greaterOrEqual: fill { _mm_cmpge_ps($0, keys) }
    }
  #else
    fillMaskBlocks(out, base, 32, 0, count) { floatingBits($0, comparison, key) }
  #endif
}

/// Bit i of the mask tells whether double i has exactly these bits, as the null pattern of a
/// nullable column.
public func fillDoubleEqualBitsMask(
  _ out: UnsafeMutablePointer<UInt64>, base: UnsafeRawPointer, count: Int, _ bits: UInt64
) {
  PackedIntegers(base: base, count: count, width: 64)
    .fillMask(out, from: 0, count: count, .equal, Int64(bitPattern: bits))
}

/// Bit i of the mask tells whether float i has exactly these bits, as the null pattern of a
/// nullable column.
public func fillFloatEqualBitsMask(
  _ out: UnsafeMutablePointer<UInt64>, base: UnsafeRawPointer, count: Int, _ bits: UInt32
) {
  PackedIntegers(base: base, count: count, width: 32)
    .fillMask(out, from: 0, count: count, .equal, Int64(Int32(bitPattern: bits)))
}

#if arch(x86_64)
  @inline(__always)
  private func doubleBits(_ p: UnsafeRawPointer, _ test: (__m128d) -> __m128d) -> UInt64 {
    var bits: UInt64 = 0
    for i in 0..<32 {
      let lanes = test(p.loadUnaligned(fromByteOffset: i &* 16, as: __m128d.self))
      let part = UInt64(UInt32(bitPattern: _mm_movemask_pd(lanes)))
      bits |= part &<< UInt64(truncatingIfNeeded: i &* 2)
    }
    return bits
  }

  @inline(__always)
  private func floatBits(_ p: UnsafeRawPointer, _ test: (__m128) -> __m128) -> UInt64 {
    var bits: UInt64 = 0
    for i in 0..<16 {
      let lanes = test(p.loadUnaligned(fromByteOffset: i &* 16, as: __m128.self))
      let part = UInt64(UInt32(bitPattern: _mm_movemask_ps(lanes)))
      bits |= part &<< UInt64(truncatingIfNeeded: i &* 4)
    }
    return bits
  }
#else
  @inline(__always)
  private func floatingBits<T: BinaryFloatingPoint & BitwiseCopyable>(
    _ p: UnsafeRawPointer, _ comparison: Comparison, _ key: T
  ) -> UInt64 {
    var bits: UInt64 = 0
    for i in 0..<64 {
      let value = p.loadUnaligned(fromByteOffset: i &* MemoryLayout<T>.size, as: T.self)
      let matches =
        switch comparison {
        case .equal: value == key
        case .notEqual: value != key
        case .less: value < key
        case .lessOrEqual: value <= key
        case .greater: value > key
        case .greaterOrEqual: value >= key
        }
      bits |= (matches ? 1 : 0) &<< UInt64(truncatingIfNeeded: i)
    }
    return bits
  }
#endif
