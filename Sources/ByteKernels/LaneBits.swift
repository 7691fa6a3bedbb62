#if arch(x86_64)
  import _Builtin_intrinsics.intel.sse2
#endif

/// Bit i tells whether lane i of the mask is set.
@inline(__always)
func laneBits(_ mask: SIMDMask<SIMD16<Int8>>) -> UInt32 {
  #if arch(x86_64)
    // A mask is stored as lanes of all ones and all zeros; it has no conversion to them.
    UInt32(bitPattern: _mm_movemask_epi8(unsafeBitCast(mask, to: __m128i.self)))
  #else
    let weights = SIMD16<UInt8>(1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128)
    // As above.
    let ones = unsafeBitCast(mask, to: SIMD16<UInt8>.self) & weights
    return UInt32(ones.lowHalf.wrappedSum()) | UInt32(ones.highHalf.wrappedSum()) &<< 8
  #endif
}
