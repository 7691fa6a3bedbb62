import Glibc
import RealmValues

extension Binder {
  /// A constant fitted to the declared type of the other side; unchanged where nothing fits.
  ///
  /// Source: query-language.md 8.
  func coerce(_ value: QueryValue, hint: DeclaredType) -> QueryValue {
    switch (value, hint) {
    case (.int(let number), .decimal): .decimal(Decimal128(number))
    case (.double(let number), .float): .float(Float(number))
    case (.double(let number), .decimal): .decimal(Decimal128(rounding: number))
    case (.double(let number), .int): Int64(exactly: number).map { .int($0) } ?? value
    case (.float(let number), .int): Int64(exactly: number).map { .int($0) } ?? value
    case (.string(let text), .int): NumberPrefix.int(text).map { .int($0) } ?? value
    case (.string(let text), .double): NumberPrefix.double(text).map { .double($0) } ?? value
    case (.string(let text), .float): NumberPrefix.float(text).map { .float($0) } ?? value
    case (.string(let text), .decimal): NumberPrefix.decimal(text).map { .decimal($0) } ?? value
    case (.string(let text), .typeName): TypeSet(name: text).map { .type($0) } ?? value
    default: value
    }
  }
}

/// Numbers read from the beginning of texts, as C++ streams do.
///
/// Source: query-language.md 8.
enum NumberPrefix {
  /// Most bytes of a number that are looked at.
  private static let maximumByteCount = 1024

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (9...13).contains(byte) }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  /// The optionally signed decimal number a text begins with; nil without one or beyond 64 bits.
  static func int(_ text: UnsafeRawBufferPointer) -> Int64? {
    var rest = text.drop(while: isBlank)
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
    guard let first = rest.first, isDigit(first) else { return nil }
    var magnitude: UInt64 = 0
    for byte in rest.prefix(while: isDigit) {
      let (shifted, overflow) = magnitude.multipliedReportingOverflow(by: 10)
      let (sum, carry) = shifted.addingReportingOverflow(UInt64(byte &- 0x30))
      if overflow || carry { return nil }
      magnitude = sum
    }
    if isNegative { return magnitude <= 1 << 63 ? 0 &- Int64(bitPattern: magnitude) : nil }
    return Int64(exactly: magnitude)
  }

  /// The number a text begins with, or the infinity or NaN that it is.
  static func double(_ text: UnsafeRawBufferPointer) -> Double? {
    if let special = special(text) { return special }
    guard let number = prefix(text) else { return nil }
    let value = strtod(number, nil)
    return value.isInfinite ? nil : value
  }

  /// As `double`, rounded once to a float.
  static func float(_ text: UnsafeRawBufferPointer) -> Float? {
    if let special = special(text) { return Float(special) }
    guard let number = prefix(text) else { return nil }
    let value = strtof(number, nil)
    return value.isInfinite ? nil : value
  }

  /// The decimal number or infinity that the whole text is.
  static func decimal(_ text: UnsafeRawBufferPointer) -> Decimal128? {
    let rest = UnsafeRawBufferPointer(rebasing: text.drop(while: isBlank))
    guard let value = Decimal128(parsing: rest), !value.isNaN else { return nil }
    return value
  }

  private static func special(_ text: UnsafeRawBufferPointer) -> Double? {
    guard text.count <= 9 else { return nil }
    switch String(decoding: text, as: UTF8.self).lowercased() {
    case "inf", "+inf", "infinity", "+infinity": return .infinity
    case "-inf", "-infinity": return -.infinity
    case "nan", "+nan", "-nan": return Double(bitPattern: 0x7FF8_0000_0000_0000)
    default: return nil
    }
  }

  /// The text of the number at the beginning; nil without digits or with an incomplete exponent.
  private static func prefix(_ text: UnsafeRawBufferPointer) -> String? {
    var rest = text.drop(while: isBlank).prefix(maximumByteCount)
    var number: [UInt8] = []
    func take(_ condition: (UInt8) -> Bool) -> Int {
      let run = rest.prefix(while: condition)
      number += run
      rest = rest.dropFirst(run.count)
      return run.count
    }
    if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      number.append(sign)
      rest = rest.dropFirst()
    }
    var digitCount = take(isDigit)
    if rest.first == UInt8(ascii: ".") {
      number.append(UInt8(ascii: "."))
      rest = rest.dropFirst()
      digitCount += take(isDigit)
    }
    guard digitCount > 0 else { return nil }
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      number.append(UInt8(ascii: "e"))
      rest = rest.dropFirst()
      if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
        number.append(sign)
        rest = rest.dropFirst()
      }
      guard take(isDigit) > 0 else { return nil }
    }
    return String(decoding: number, as: UTF8.self)
  }
}
