/// Walks over the bytes of a text that is being parsed.
struct TextCursor {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// The next byte, nil at the end.
  var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  var isAtEnd: Bool { position == bytes.count }

  /// Moves over the next byte, which must exist.
  mutating func advance() { position += 1 }

  /// Moves over the next byte if it is the given one.
  mutating func skip(_ byte: Unicode.Scalar) -> Bool {
    guard let next, next == UInt8(ascii: byte) else { return false }
    position += 1
    return true
  }

  /// Moves over a `+` or `-`; true for `-`.
  mutating func skipSign() -> Bool {
    if skip("-") { return true }
    _ = skip("+")
    return false
  }

  /// Moves over one decimal digit and gives its value.
  mutating func digit() -> UInt8? {
    guard let next, next &- UInt8(ascii: "0") < 10 else { return nil }
    position += 1
    return next &- UInt8(ascii: "0")
  }

  /// The number made of all digits that follow, if their count is within the limits.
  ///
  /// At most 19 digits are allowed, so that the number fits.
  mutating func number(digits: ClosedRange<Int>) -> UInt64? {
    var value: UInt64 = 0
    var count = 0
    while let digit = digit() {
      count += 1
      guard count <= digits.upperBound else { return nil }
      value = value &* 10 &+ UInt64(digit)
    }
    return count >= digits.lowerBound ? value : nil
  }

  /// The number made of exactly so many hexadecimal digits, at most 16.
  mutating func hexNumber(digits: Int) -> UInt64? {
    var value: UInt64 = 0
    for _ in 0..<digits {
      guard let next else { return nil }
      let digit: UInt8
      switch next {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = next &- UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = next &- UInt8(ascii: "a") &+ 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = next &- UInt8(ascii: "A") &+ 10
      default: return nil
      }
      value = value &<< 4 | UInt64(digit)
      position += 1
    }
    return value
  }

  /// Whether what is left is the given lower-case word, in any case.
  func isWord(_ word: StaticString) -> Bool {
    guard bytes.count - position == word.utf8CodeUnitCount else { return false }
    return (0..<word.utf8CodeUnitCount).allSatisfy {
      bytes[position + $0] | 0x20 == word.utf8Start[$0]
    }
  }
}
