#if arch(x86_64)
  import _Builtin_intrinsics.intel.sse2

  /// The test `low <= element <= high`, made ready for all lanes of a vector.
  ///
  /// Moving `low` to the smallest signed number leaves one comparison: an element is outside when
  /// the moved element is greater than the moved `high`.
  struct LaneRange {
    private let offset: __m128i
    private let limit: __m128i

    /// Makes the test for elements of 8 (also for narrower ones), 16, 32 or 64 bits.
    ///
    /// `low <= high`, both representable in that width.
    @inline(__always)
    init(width: UInt8, low: Int64, high: Int64) {
      let span = high &- low
      switch width {
      case 16:
        offset = _mm_set1_epi16(Int16(truncatingIfNeeded: low) &- .min)
        limit = _mm_set1_epi16(Int16(truncatingIfNeeded: span) &+ .min)
      case 32:
        offset = _mm_set1_epi32(Int32(truncatingIfNeeded: low) &- .min)
        limit = _mm_set1_epi32(Int32(truncatingIfNeeded: span) &+ .min)
      case 64:
        offset = _mm_set1_epi64x(low &- .min)
        limit = _mm_set1_epi64x(span &+ .min)
      default:
        offset = _mm_set1_epi8(Int8(truncatingIfNeeded: low) &- .min)
        limit = _mm_set1_epi8(Int8(truncatingIfNeeded: span) &+ .min)
      }
    }

    /// Bit i tells whether the i-th of 64 elements of a width of 2 or more bits is in the range.
    ///
    /// Reads 8 bytes per bit of width at any address.
    @inline(__always)
    func mask(_ p: UnsafeRawPointer, width: UInt8) -> UInt64 {
      switch width {
      case 2: return mask2(p)
      case 4: return mask4(p)
      case 8: return mask8(p)
      case 16: return mask16(p)
      case 32: return mask32(p)
      default: return mask64(p)
      }
    }

    @inline(__always)
    private func load(_ p: UnsafeRawPointer, _ i: Int) -> __m128i {
      p.loadUnaligned(fromByteOffset: i &* 16, as: __m128i.self)
    }

    @inline(__always)
    private func bitsOutside(bytes v: __m128i) -> UInt64 {
      let outside = _mm_cmpgt_epi8(_mm_sub_epi8(v, offset), limit)
      return UInt64(UInt32(bitPattern: _mm_movemask_epi8(outside)))
    }

    /// The bits of 32 elements, two to the byte.
    @inline(__always)
    private func bitsOutside(nibbles v: __m128i) -> UInt64 {
      let low = _mm_set1_epi8(15)
      let even = _mm_and_si128(v, low)
      let odd = _mm_and_si128(_mm_srli_epi16(v, 4), low)
      return bitsOutside(bytes: _mm_unpacklo_epi8(even, odd))
        | bitsOutside(bytes: _mm_unpackhi_epi8(even, odd)) &<< 16
    }

    @inline(__always)
    private func mask2(_ p: UnsafeRawPointer) -> UInt64 {
      let v = load(p, 0)
      let low = _mm_set1_epi8(0x33)
      let even = _mm_and_si128(v, low)
      let odd = _mm_and_si128(_mm_srli_epi16(v, 2), low)
      // Each byte of `even` now holds the elements 0 and 2 of a group of four, `odd` 1 and 3.
      let first = _mm_or_si128(
        _mm_and_si128(even, _mm_set1_epi8(15)),
        _mm_slli_epi16(_mm_and_si128(odd, _mm_set1_epi8(15)), 4))
      let second = _mm_or_si128(
        _mm_and_si128(_mm_srli_epi16(even, 4), _mm_set1_epi8(15)),
        _mm_andnot_si128(_mm_set1_epi8(15), odd))
      return
        ~(bitsOutside(nibbles: _mm_unpacklo_epi8(first, second))
        | bitsOutside(nibbles: _mm_unpackhi_epi8(first, second)) &<< 32)
    }

    @inline(__always)
    private func mask4(_ p: UnsafeRawPointer) -> UInt64 {
      ~(bitsOutside(nibbles: load(p, 0)) | bitsOutside(nibbles: load(p, 1)) &<< 32)
    }

    @inline(__always)
    private func mask8(_ p: UnsafeRawPointer) -> UInt64 {
      let low = bitsOutside(bytes: load(p, 0)) | bitsOutside(bytes: load(p, 1)) &<< 16
      let high = bitsOutside(bytes: load(p, 2)) | bitsOutside(bytes: load(p, 3)) &<< 16
      return ~(low | high &<< 32)
    }

    @inline(__always)
    private func outside16(_ p: UnsafeRawPointer, _ i: Int) -> __m128i {
      _mm_cmpgt_epi16(_mm_sub_epi16(load(p, i), offset), limit)
    }

    @inline(__always)
    private func mask16(_ p: UnsafeRawPointer) -> UInt64 {
      var bits: UInt64 = 0
      for i in 0..<4 {
        let narrow = _mm_packs_epi16(outside16(p, i &* 2), outside16(p, i &* 2 &+ 1))
        let part = UInt64(UInt32(bitPattern: _mm_movemask_epi8(narrow)))
        bits |= part &<< UInt64(truncatingIfNeeded: i &* 16)
      }
      return ~bits
    }

    @inline(__always)
    private func outside32(_ p: UnsafeRawPointer, _ i: Int) -> __m128i {
      _mm_cmpgt_epi32(_mm_sub_epi32(load(p, i), offset), limit)
    }

    @inline(__always)
    private func mask32(_ p: UnsafeRawPointer) -> UInt64 {
      var bits: UInt64 = 0
      for i in 0..<4 {
        let low = _mm_packs_epi32(outside32(p, i &* 4), outside32(p, i &* 4 &+ 1))
        let high = _mm_packs_epi32(outside32(p, i &* 4 &+ 2), outside32(p, i &* 4 &+ 3))
        let part = UInt64(UInt32(bitPattern: _mm_movemask_epi8(_mm_packs_epi16(low, high))))
        bits |= part &<< UInt64(truncatingIfNeeded: i &* 16)
      }
      return ~bits
    }

    @inline(__always)
    private func mask64(_ p: UnsafeRawPointer) -> UInt64 {
      var bits: UInt64 = 0
      for i in 0..<32 {
        // SSE2 cannot compare 64-bit lanes: take the sign of limit - v, corrected for overflow.
        let v = _mm_sub_epi64(load(p, i), offset)
        let difference = _mm_sub_epi64(limit, v)
        let outside = _mm_or_si128(
          _mm_andnot_si128(v, limit),
          _mm_andnot_si128(_mm_xor_si128(limit, v), difference))
        let part = UInt64(UInt32(bitPattern: _mm_movemask_pd(_mm_castsi128_pd(outside))))
        bits |= part &<< UInt64(truncatingIfNeeded: i &* 2)
      }
      return ~bits
    }
  }
#else
  /// The test `low <= element <= high`, made ready for all lanes of a vector.
  struct LaneRange {
    private let low: Int64
    private let span: UInt64

    /// Makes the test; `low <= high`, both representable in the width of the elements.
    @inline(__always)
    init(width: UInt8, low: Int64, high: Int64) {
      self.low = low
      span = UInt64(bitPattern: high &- low)
    }

    /// Bit i tells whether the i-th of 64 elements of a width of 2 or more bits is in the range.
    ///
    /// Reads 8 bytes per bit of width at any address.
    @inline(__always)
    func mask(_ p: UnsafeRawPointer, width: UInt8) -> UInt64 {
      switch width {
      case 2:
        return gather(UInt8.self) { i in
          let group = p.loadUnaligned(fromByteOffset: i &* 2, as: UInt16.self)
          let lanes = SIMD8<UInt16>(repeating: group) &>> SIMD8(0, 2, 4, 6, 8, 10, 12, 14)
          return SIMD8(truncatingIfNeeded: lanes & 3)
        }
      case 4:
        return gather(UInt8.self) { i in
          let group = p.loadUnaligned(fromByteOffset: i &* 4, as: UInt32.self)
          let lanes = SIMD8<UInt32>(repeating: group) &>> SIMD8(0, 4, 8, 12, 16, 20, 24, 28)
          return SIMD8(truncatingIfNeeded: lanes & 15)
        }
      case 8: return gather(UInt8.self) { p.loadUnaligned(fromByteOffset: $0 &* 8, as: SIMD8.self) }
      case 16:
        return gather(UInt16.self) { p.loadUnaligned(fromByteOffset: $0 &* 16, as: SIMD8.self) }
      case 32:
        return gather(UInt32.self) { p.loadUnaligned(fromByteOffset: $0 &* 32, as: SIMD8.self) }
      default:
        return gather(UInt64.self) { p.loadUnaligned(fromByteOffset: $0 &* 64, as: SIMD8.self) }
      }
    }

    @inline(__always)
    private func gather<T: FixedWidthInteger & UnsignedInteger & SIMDScalar>(
      _ type: T.Type, _ lanes: (Int) -> SIMD8<T>
    ) -> UInt64 {
      let weights = SIMD8<UInt8>(1, 2, 4, 8, 16, 32, 64, 128)
      var bits: UInt64 = 0
      for i in 0..<8 {
        let inside = lanes(i) &- T(truncatingIfNeeded: low) .<= T(truncatingIfNeeded: span)
        let ones = SIMD8<T>(repeating: 0).replacing(with: 255, where: inside)
        let part = (SIMD8<UInt8>(truncatingIfNeeded: ones) & weights).wrappedSum()
        bits |= UInt64(part) &<< UInt64(truncatingIfNeeded: i &* 8)
      }
      return bits
    }
  }
#endif
