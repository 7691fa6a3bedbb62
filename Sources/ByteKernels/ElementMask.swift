#if arch(x86_64)
  import _Builtin_intrinsics.intel.sse2
#endif

/// What elements of a few bytes are compared with: some of their bits.
public struct ElementPattern {
  /// The widest elements.
  public static let maximumWidth = 64

  private var wanted = InlineArray<64, UInt8>(repeating: 0)
  private var care = InlineArray<64, UInt8>(repeating: 0)
  private let width: Int

  /// The pattern that all elements of `width` bytes match.
  ///
  /// - Precondition: `width` is a power of two from 1 to `maximumWidth`.
  public init(width: Int) {
    precondition(width > 0 && width <= Self.maximumWidth && width & (width &- 1) == 0)
    self.width = width
  }

  /// Demands a byte at a position, but for the bits that are ignored.
  ///
  /// - Precondition: The position is in `0..<width`.
  public mutating func want(_ byte: UInt8, at position: Int, ignoring ignored: UInt8 = 0) {
    precondition(position >= 0 && position < width)
    care[position] = ~ignored
    wanted[position] = byte & ~ignored
  }

  /// Demands the bytes of a text, from the first one on.
  ///
  /// - Parameter isFolded: Whether letters are compared without case, as by `equalsFolded`.
  /// - Precondition: The text has at most `width` bytes; with `isFolded` it is well-formed UTF-8.
  public mutating func want(_ text: UnsafeRawBufferPointer, isFolded: Bool) {
    var previous: UInt8 = 0
    for (position, byte) in text.enumerated() {
      let other = byte ^ 0x20
      let isLetter =
        isFolded && foldedByte(byte, after: previous) == foldedByte(other, after: previous)
      want(byte, at: position, ignoring: isLetter ? 0x20 : 0)
      previous = byte
    }
  }

  /// Bit i of the mask tells whether the i-th of `count` elements from `base` on matches.
  ///
  /// Stores ceil(count / 64) words; bits past `count` are zero. `base` needs no alignment.
  public func fillMask(
    _ out: UnsafeMutablePointer<UInt64>, base: UnsafeRawPointer, count: Int
  ) {
    withUnsafeBytes(of: wanted) { wanted in
      withUnsafeBytes(of: care) { care in
        guard let wanted = wanted.baseAddress, let care = care.baseAddress else { return }
        fill(out, base, count, wanted, care)
      }
    }
  }

  private func fill(
    _ out: UnsafeMutablePointer<UInt64>, _ base: UnsafeRawPointer, _ count: Int,
    _ wanted: UnsafeRawPointer, _ care: UnsafeRawPointer
  ) {
    switch width {
    case 16, 32, 64:
      // The first and the last part of sixteen bytes that decide something.
      var (first, last) = (width, 0)
      for part in stride(from: 0, to: width, by: 16) where PartTest.decides(care + part) {
        (first, last) = (min(first, part), part)
      }
      if first >= last {
        let test = PartTest(wanted + last, care + last)
        fillRows(out, base + last, count) { test.matches($0) }
      } else if last &- first == 16 {
        let (a, b) = (
          PartTest(wanted + first, care + first), PartTest(wanted + last, care + last)
        )
        fillRows(out, base + first, count) { a.match($0, and: b, $0 + 16) }
      } else {
        fillRows(out, base, count) { element in
          for part in stride(from: first, through: last, by: 16)
          where !PartTest(wanted + part, care + part).matches(element + part) { return false }
          return true
        }
      }
    case 8: fillRows(out, base, count, UInt64.self, wanted, care)
    case 4: fillRows(out, base, count, UInt32.self, wanted, care)
    case 2: fillRows(out, base, count, UInt16.self, wanted, care)
    default: fillRows(out, base, count, UInt8.self, wanted, care)
    }
  }

  private func fillRows<Word: FixedWidthInteger & BitwiseCopyable>(
    _ out: UnsafeMutablePointer<UInt64>, _ base: UnsafeRawPointer, _ count: Int,
    _ type: Word.Type, _ wanted: UnsafeRawPointer, _ care: UnsafeRawPointer
  ) {
    let wanted = wanted.loadUnaligned(as: Word.self)
    let care = care.loadUnaligned(as: Word.self)
    fillRows(out, base, count) { $0.loadUnaligned(as: Word.self) & care == wanted }
  }

  @inline(__always)
  private func fillRows(
    _ out: UnsafeMutablePointer<UInt64>, _ base: UnsafeRawPointer, _ count: Int,
    _ matches: (UnsafeRawPointer) -> Bool
  ) {
    var element = base
    for word in 0..<maskWordCount(count) {
      var bits: UInt64 = 0
      for i in 0..<min(64, count &- word &* 64) {
        bits |= (matches(element) ? 1 : 0) &<< UInt64(truncatingIfNeeded: i)
        element += width
      }
      out[word] = bits
    }
  }
}

/// Compares sixteen bytes.
private struct PartTest {
  /// Whether any bit of sixteen bytes matters.
  @inline(__always)
  static func decides(_ care: UnsafeRawPointer) -> Bool {
    care.loadUnaligned(as: UInt64.self) | care.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
      != 0
  }

  #if arch(x86_64)
    private let wanted: __m128i
    private let care: __m128i

    @inline(__always)
    init(_ wanted: UnsafeRawPointer, _ care: UnsafeRawPointer) {
      self.wanted = wanted.loadUnaligned(as: __m128i.self)
      self.care = care.loadUnaligned(as: __m128i.self)
    }

    @inline(__always)
    private func equalBytes(_ p: UnsafeRawPointer) -> __m128i {
      _mm_cmpeq_epi8(_mm_and_si128(p.loadUnaligned(as: __m128i.self), care), wanted)
    }

    @inline(__always)
    func matches(_ p: UnsafeRawPointer) -> Bool { _mm_movemask_epi8(equalBytes(p)) == 0xFFFF }

    @inline(__always)
    func match(_ p: UnsafeRawPointer, and other: PartTest, _ q: UnsafeRawPointer) -> Bool {
      _mm_movemask_epi8(_mm_and_si128(equalBytes(p), other.equalBytes(q))) == 0xFFFF
    }
  #else
    private let wanted: SIMD2<UInt64>
    private let care: SIMD2<UInt64>

    @inline(__always)
    init(_ wanted: UnsafeRawPointer, _ care: UnsafeRawPointer) {
      self.wanted = wanted.loadUnaligned(as: SIMD2<UInt64>.self)
      self.care = care.loadUnaligned(as: SIMD2<UInt64>.self)
    }

    @inline(__always)
    func matches(_ p: UnsafeRawPointer) -> Bool {
      p.loadUnaligned(as: SIMD2<UInt64>.self) & care == wanted
    }

    @inline(__always)
    func match(_ p: UnsafeRawPointer, and other: PartTest, _ q: UnsafeRawPointer) -> Bool {
      matches(p) && other.matches(q)
    }
  #endif
}
