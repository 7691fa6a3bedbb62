import Glibc

/// Room that any 64-bit integer needs as text.
public let maximumIntegerByteCount = 20

/// Room that any double or float needs as text.
public let maximumDoubleByteCount = 32

/// Stores a number in decimal and returns the number of bytes, at most `maximumIntegerByteCount`.
@inlinable @inline(__always)
public func printInt(_ value: Int64, to out: UnsafeMutableRawPointer) -> Int {
  guard value < 0 else { return printUInt(UInt64(bitPattern: value), to: out) }
  out.storeBytes(of: 0x2D, as: UInt8.self)
  return 1 &+ printUInt(value.magnitude, to: out + 1)
}

/// Stores a number in decimal and returns the number of bytes, at most `maximumIntegerByteCount`.
public func printUInt(_ value: UInt64, to out: UnsafeMutableRawPointer) -> Int {
  let byteCount = decimalDigitCount(value)
  var rest = value
  var end = byteCount
  while rest >= 100 {
    let quotient = rest / 100
    end &-= 2
    storeTwoDigits(rest &- quotient &* 100, to: out + end)
    rest = quotient
  }
  if rest >= 10 {
    storeTwoDigits(rest, to: out)
  } else {
    out.storeBytes(of: UInt8(truncatingIfNeeded: rest) &+ 0x30, as: UInt8.self)
  }
  return byteCount
}

@inline(__always)
private func storeTwoDigits(_ value: UInt64, to out: UnsafeMutableRawPointer) {
  let tens = (value &* 103) &>> 10  // value / 10, exact below 179
  let pair = tens | (value &- tens &* 10) &<< 8 | 0x3030
  out.storeBytes(of: UInt16(truncatingIfNeeded: pair).littleEndian, as: UInt16.self)
}

/// The number of decimal digits of a value, 1 for zero.
@inline(__always)
public func decimalDigitCount(_ value: UInt64) -> Int {
  var count = 1
  var rest = value
  while rest >= 10_000 {
    rest /= 10_000
    count &+= 4
  }
  if rest >= 1000 { return count &+ 3 }
  if rest >= 100 { return count &+ 2 }
  return rest >= 10 ? count &+ 1 : count
}

/// Reads a decimal integer with an optional sign; nil if anything else is there or it overflows.
public func parseInt(_ bytes: UnsafeRawBufferPointer) -> Int64? {
  var i = 0
  let isNegative = bytes.count > 0 && bytes[0] == 0x2D
  if isNegative || (bytes.count > 0 && bytes[0] == 0x2B) { i = 1 }
  guard i < bytes.count else { return nil }
  var magnitude: UInt64 = 0
  let safeEnd = min(bytes.count, i &+ 19)  // 19 digits always fit 64 bits
  while i < safeEnd {
    let digit = bytes[i] &- 0x30
    guard digit < 10 else { return nil }
    magnitude = magnitude &* 10 &+ UInt64(digit)
    i &+= 1
  }
  while i < bytes.count {
    let digit = bytes[i] &- 0x30
    let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
    guard digit < 10, !overflow, product <= UInt64.max &- 9 else { return nil }
    magnitude = product &+ UInt64(digit)
    i &+= 1
  }
  if isNegative {
    return magnitude <= Int64.min.magnitude ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil
  }
  return Int64(exactly: magnitude)
}

/// Stores the shortest text that reads back as the same double; returns the number of bytes.
///
/// Always shows that it is no integer: `1.5`, `100.0`, `1e+16`, `5e-324`, `inf`, `-inf`, `nan`.
/// Stores at most `maximumDoubleByteCount` bytes.
public func printDouble(_ value: Double, to out: UnsafeMutableRawPointer) -> Int {
  // Whole numbers below 2^53 are exact in 64 bits and need no search for the shortest form.
  if value.magnitude < 9_007_199_254_740_992, value == value.rounded(.towardZero), value != 0 {
    let byteCount = printInt(Int64(value), to: out)
    out.storeBytes(of: 0x2E, toByteOffset: byteCount, as: UInt8.self)
    out.storeBytes(of: 0x30, toByteOffset: byteCount &+ 1, as: UInt8.self)
    return byteCount &+ 2
  }
  if value.isNaN { return storeText("nan", to: out) }
  return storeText(value.description, to: out)
}

/// Stores the shortest text that reads back as the same float; same forms as `printDouble`.
public func printFloat(_ value: Float, to out: UnsafeMutableRawPointer) -> Int {
  storeText(value.isNaN ? "nan" : value.description, to: out)
}

private func storeText(_ text: String, to out: UnsafeMutableRawPointer) -> Int {
  var text = text
  return text.withUTF8 { bytes in
    guard let source = bytes.baseAddress else { return 0 }
    precondition(bytes.count <= maximumDoubleByteCount)
    memcpy(out, source, bytes.count)
    return bytes.count
  }
}

/// Reads a double; nil unless the whole text is a decimal number, `inf`, `infinity` or `nan`.
///
/// Number: optional sign, digits with an optional point (a digit on at least one side of it),
/// optional exponent. The words are read in any letter case, with an optional sign. Correctly
/// rounded; overflow gives infinity.
public func parseDouble(_ bytes: UnsafeRawBufferPointer) -> Double? {
  guard let number = DecimalText(bytes) else { return parseFloatingWord(bytes) }
  // Both operands are exact doubles, so one operation rounds correctly.
  if number.isExact, number.mantissa < 1 &<< 53, number.exponent.magnitude <= 22 {
    let value = Double(number.mantissa)
    let power = powersOfTen[Int(number.exponent.magnitude)]
    let magnitude = number.exponent < 0 ? value / power : value * power
    return number.isNegative ? -magnitude : magnitude
  }
  return withTerminatedCopy(of: bytes) { strtod($0, nil) }
}

/// Reads a float, rounded once from the decimal text; accepts the same texts as `parseDouble`.
public func parseFloat(_ bytes: UnsafeRawBufferPointer) -> Float? {
  guard DecimalText(bytes) != nil else { return parseFloatingWord(bytes).map { Float($0) } }
  return withTerminatedCopy(of: bytes) { strtof($0, nil) }
}

private let powersOfTen: InlineArray<23, Double> = [
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
  1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
]

/// The C functions want a NUL at the end; LC_NUMERIC is never changed, so the point is a point.
private func withTerminatedCopy<Result>(
  of bytes: UnsafeRawBufferPointer, _ body: (UnsafePointer<CChar>) -> Result
) -> Result? {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count + 1) { copy in
    guard let start = copy.baseAddress, let source = bytes.baseAddress else { return nil }
    memcpy(start, source, bytes.count)
    start[bytes.count] = 0
    return body(start)
  }
}

private func parseFloatingWord(_ bytes: UnsafeRawBufferPointer) -> Double? {
  var word = bytes[...]
  let isNegative = word.first == 0x2D
  if isNegative || word.first == 0x2B { word = word.dropFirst() }
  let magnitude: Double
  if isWord(word, "inf") || isWord(word, "infinity") {
    magnitude = .infinity
  } else if isWord(word, "nan") {
    magnitude = .nan
  } else {
    return nil
  }
  return isNegative ? -magnitude : magnitude
}

private func isWord(_ bytes: Slice<UnsafeRawBufferPointer>, _ word: StaticString) -> Bool {
  guard bytes.count == word.utf8CodeUnitCount else { return false }
  var letter = word.utf8Start
  for byte in bytes {
    guard byte | 0x20 == letter.pointee else { return false }
    letter += 1
  }
  return true
}

/// A decimal number taken apart: its value is `mantissa` times ten to the `exponent`.
private struct DecimalText {
  private(set) var isNegative = false
  /// The first 19 significant digits.
  private(set) var mantissa: UInt64 = 0
  private(set) var exponent = 0
  /// False when there were more than 19 significant digits.
  private(set) var isExact = true

  /// Fails unless all bytes belong to the number.
  init?(_ bytes: UnsafeRawBufferPointer) {
    var i = 0
    let end = bytes.count
    if end > 0, bytes[0] == 0x2D || bytes[0] == 0x2B {
      isNegative = bytes[0] == 0x2D
      i = 1
    }
    var digitCount = 0
    var hasPoint = false
    while i < end {
      let digit = bytes[i] &- 0x30
      if digit < 10 {
        digitCount &+= 1
        if mantissa < 1_000_000_000_000_000_000 {
          mantissa = mantissa &* 10 &+ UInt64(digit)
          if hasPoint { exponent &-= 1 }
        } else {
          isExact = false
        }
      } else if bytes[i] == 0x2E, !hasPoint {
        hasPoint = true
      } else {
        break
      }
      i &+= 1
    }
    guard digitCount > 0 else { return nil }
    guard i < end else { return }
    guard bytes[i] | 0x20 == 0x65 else { return nil }
    i &+= 1
    var isSmall = false
    if i < end, bytes[i] == 0x2D || bytes[i] == 0x2B {
      isSmall = bytes[i] == 0x2D
      i &+= 1
    }
    guard i < end else { return nil }
    var written = 0
    while i < end {
      let digit = bytes[i] &- 0x30
      guard digit < 10 else { return nil }
      if written < 1_000_000 { written = written &* 10 &+ Int(digit) }
      i &+= 1
    }
    exponent &+= isSmall ? 0 &- written : written
  }
}
