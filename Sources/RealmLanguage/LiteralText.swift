import ByteKernels
import RealmValues

/// Reads numbers from their text.
enum NumberText {
  /// A number with the type that its form tells.
  enum Kind {
    case integer(Int64)
    case float(Float)
    case double(Double)
  }

  /// The value of a lexically correct number, which may start with `-`; nil for hexadecimal digits
  /// beyond 64 bits.
  static func kind(_ text: Span<UInt8>) -> Kind? {
    let isNegative = text[0] == UInt8(ascii: "-")
    let digits = text.extracting(droppingFirst: isNegative ? 1 : 0)
    if let value = integer(digits, isNegative: isNegative) { return .integer(value) }
    if isHexadecimal(digits) { return nil }
    guard text[text.count - 1] == UInt8(ascii: "f") else { return .double(double(text)) }
    return .float(float(text.extracting(droppingLast: 1)))
  }

  /// Whether digits begin with `0x`.
  static func isHexadecimal(_ text: Span<UInt8>) -> Bool {
    text.count > 2 && text[1] | 0x20 == UInt8(ascii: "x")
  }

  /// The value of unsigned decimal or `0x` digits; nil if there is anything else or it does not fit.
  static func integer(_ text: Span<UInt8>, isNegative: Bool) -> Int64? {
    if let value = integerOfDigits(text) { return isNegative ? -value : value }
    let isHex = isHexadecimal(text)
    let digits = text.extracting(droppingFirst: isHex ? 2 : 0)
    guard
      let magnitude = magnitude(digits, base: isHex ? 16 : 10, stopsAtOtherBytes: false)
    else { return nil }
    if isNegative {
      return magnitude <= UInt64(Int64.max) + 1 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil
    }
    return Int64(exactly: magnitude)
  }

  /// The value of an optionally signed number as C reads it with base 0, clamped to 64 bits: `0x` is
  /// hexadecimal, a leading `0` octal, reading stops at the first other digit.
  /// Source: query-language.md 5.
  static func integerOfBase0(_ text: Span<UInt8>) -> Int64 {
    let sign = text.count > 0 ? text[0] : 0
    let isNegative = sign == UInt8(ascii: "-")
    let hasSign = isNegative || sign == UInt8(ascii: "+")
    let digits = text.extracting(droppingFirst: hasSign ? 1 : 0)
    let isHex = isHexadecimal(digits)
    let isOctal = digits.count > 0 && digits[0] == UInt8(ascii: "0")
    let magnitude =
      magnitude(
        digits.extracting(droppingFirst: isHex ? 2 : 0), base: isHex ? 16 : isOctal ? 8 : 10,
        stopsAtOtherBytes: true) ?? .max
    if isNegative {
      return magnitude > UInt64(Int64.max) ? .min : -Int64(magnitude)
    }
    return Int64(clamping: magnitude)
  }

  /// nil if the value does not fit or, unless `stopsAtOtherBytes`, another byte occurs.
  private static func magnitude(
    _ digits: Span<UInt8>, base: UInt64, stopsAtOtherBytes: Bool
  ) -> UInt64? {
    guard digits.count > 0 else { return stopsAtOtherBytes ? 0 : nil }
    var value: UInt64 = 0
    for index in digits.indices {
      guard let digit = hexadecimalDigit(digits[index]), digit < base else {
        return stopsAtOtherBytes ? value : nil
      }
      let (product, overflow) = value.multipliedReportingOverflow(by: base)
      let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
      if overflow || carry { return nil }
      value = sum
    }
    return value
  }

  /// The double a lexically correct number stands for; overflow gives infinity.
  static func double(_ text: Span<UInt8>) -> Double {
    // Unsafe only in form: the kernel reads no further than the buffer's count.
    unsafe text.bytes.withUnsafeBytes { bytes in unsafe parseDouble(bytes) } ?? .nan
  }

  /// The float a lexically correct number stands for; overflow gives infinity.
  static func float(_ text: Span<UInt8>) -> Float {
    // Unsafe only in form: the kernel reads no further than the buffer's count.
    unsafe text.bytes.withUnsafeBytes { bytes in unsafe parseFloat(bytes) } ?? .nan
  }

  /// The value of plain decimal digits, nil if one is something else, there is none or there are
  /// more than 18.
  static func integerOfDigits(_ digits: Span<UInt8>) -> Int64? {
    guard digits.count <= 18 else { return nil }
    var value: Int64 = 0
    for index in digits.indices {
      let digit = digits[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value &* 10 &+ Int64(digit)
    }
    return digits.count > 0 ? value : nil
  }
}

/// Reads dates, those of predicates by rules of realm-core that no other part of the program shares.
enum DateText {
  /// The date in one of the forms of literals, nil if there is none.
  static func timestamp(_ text: Span<UInt8>) -> Timestamp? {
    // Unsafe only in form: the parser reads no further than the buffer's count.
    unsafe text.bytes.withUnsafeBytes { bytes in unsafe Timestamp(parsing: bytes) }
  }

  /// Not one of the two is positive and the other negative.
  static func haveSameSign(_ seconds: Int64, _ nanoseconds: Int64) -> Bool {
    seconds == 0 || nanoseconds == 0 || (seconds < 0) == (nanoseconds < 0)
  }

  /// Days from 1970-01-01 to a date of the proleptic Gregorian calendar; `month` is 1 to 12, `day`
  /// may be any number.
  private static func daysSinceEpoch(year: Int64, month: Int64, day: Int64) -> Int64 {
    // Years that start in March put the leap day at their end.
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5
    return era * 146097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear + day - 1
      - 719468
  }

  /// The date of the calendar form of predicates, UTC: parts carry over, the seconds are cut to 32
  /// bits as realm-core does; nil for a year before 1900. Source: query-language.md 5.
  static func calendar(_ text: ArraySlice<UInt8>) -> Timestamp? {
    guard let (parts, exact) = exactCalendar(text) else { return nil }
    let seconds = Int64(Int32(truncatingIfNeeded: exact))
    let nanoseconds = parts.count > 6 ? Int32(truncatingIfNeeded: parts[6]) : 0
    return Timestamp(seconds: seconds, nanoseconds: seconds < 0 ? -nanoseconds : nanoseconds)
  }

  /// The parts of a date in calendar form, and its seconds before they are cut; nil for a year before
  /// 1900.
  static func exactCalendar(_ text: ArraySlice<UInt8>) -> (parts: [Int64], seconds: Int64)? {
    let parts = text.split { !Lexer.isDigit($0) }.map { digits in
      Int64(Int32(clamping: NumberText.integerOfDigits(digits.span) ?? .max))
    }
    guard parts.count >= 6, parts[0] >= 1900 else { return nil }
    let month = parts[1] - 1
    let carried = month >= 0 ? month / 12 : -1
    let days = daysSinceEpoch(
      year: parts[0] + carried, month: month - carried * 12 + 1, day: parts[2])
    return (parts, days * 86400 + parts[3] * 3600 + parts[4] * 60 + parts[5])
  }

  /// Whether the month of a date, which is 1 to 12, has fewer days.
  static func isBeyondMonth(_ parts: [Int64]) -> Bool {
    guard (1...12).contains(parts[1]) else { return false }
    let next = parts[1] == 12 ? (parts[0] + 1, Int64(1)) : (parts[0], parts[1] + 1)
    let dayCount =
      daysSinceEpoch(year: next.0, month: next.1, day: 1)
      - daysSinceEpoch(year: parts[0], month: parts[1], day: 1)
    return parts[2] > dayCount
  }
}

/// Base64 in literals.
enum Base64 {
  /// Appends the padded form.
  static func append(_ data: [UInt8], to text: inout [UInt8]) {
    // Unsafe only in form: the kernel reads no further than the buffer's count.
    text += unsafe data.withUnsafeBytes { bytes in unsafe base64(bytes) }
  }

  /// Reads Base64 with or without padding, unlike `decodeBase64` also if the unused bits of the last
  /// digit are set, as predicates do. Source: query-language.md 5.
  ///
  /// nil if a character is none of the alphabet, the length is impossible, or data follows padding.
  static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var digits = text
    while digits.last == UInt8(ascii: "=") { digits.removeLast() }
    let padding = text.count - digits.count
    guard digits.count % 4 != 1, padding <= 2, padding == 0 || text.count.isMultiple(of: 4) else {
      return nil
    }
    var result: [UInt8] = []
    result.reserveCapacity(digits.count / 4 * 3 + 2)
    var buffer: UInt32 = 0
    var bits = 0
    for byte in digits {
      guard let value = value(of: byte) else { return nil }
      buffer = buffer << 6 | value
      bits += 6
      if bits >= 8 {
        bits -= 8
        result.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
      }
    }
    return result
  }

  private static func value(of byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
