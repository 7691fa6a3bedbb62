/// Writes ASCII text into a buffer that the caller made large enough.
struct DigitWriter {
  private let buffer: UnsafeMutableBufferPointer<UInt8>
  private var count = 0

  init(_ buffer: UnsafeMutableBufferPointer<UInt8>) { self.buffer = buffer }

  /// What was written so far.
  var written: UnsafeMutableBufferPointer<UInt8> { .init(rebasing: buffer[..<count]) }

  /// Writes one character.
  mutating func put(_ character: Unicode.Scalar) {
    buffer[count] = UInt8(ascii: character)
    count += 1
  }

  /// Writes a number with exactly so many digits, padded with zeros.
  mutating func put(_ number: UInt64, digits: Int) {
    var rest = number
    for place in stride(from: count + digits - 1, through: count, by: -1) {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      buffer[place] = UInt8(truncatingIfNeeded: digit) &+ UInt8(ascii: "0")
      rest = quotient
    }
    count += digits
  }

  /// Writes a number without leading zeros.
  mutating func put(_ number: UInt64) { put(number, digits: Self.digitCount(number)) }

  /// Writes the low digits of a number in lower-case hexadecimal.
  mutating func putHex(_ number: UInt64, digits: Int) {
    for place in stride(from: (digits - 1) * 4, through: 0, by: -4) {
      let digit = UInt8(truncatingIfNeeded: number &>> UInt64(place)) & 15
      buffer[count] = digit < 10 ? digit &+ UInt8(ascii: "0") : digit &- 10 &+ UInt8(ascii: "a")
      count += 1
    }
  }

  /// Number of decimal digits, 1 for 0.
  static func digitCount(_ number: UInt64) -> Int {
    var count = 1
    var rest = number
    while rest >= 10 {
      rest /= 10
      count += 1
    }
    return count
  }
}
