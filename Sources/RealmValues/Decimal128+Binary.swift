import Glibc

extension Decimal128 {
  /// The number itself if 15 digits can express it, else rounded to 15 digits, ties to even.
  ///
  /// Rounded numbers keep trailing zeros: 0.1 becomes 1.00000000000000E-1.
  /// Source: object-model.md 10.5.
  public init(rounding value: Double) { self.init(value, digits: 15) }

  /// The number itself if 7 digits can express it, else rounded to 7 digits, ties to even.
  public init(rounding value: Float) { self.init(Double(value), digits: 7) }

  private init(_ value: Double, digits: Int) {
    let isNegative = value.sign == .minus
    guard value.isFinite else {
      self = value.isNaN ? .nan(isNegative: isNegative) : .infinity(isNegative: isNegative)
      return
    }
    if value == value.rounded(), value.magnitude < Self.doublePowersOfTen[digits] {
      self.init(isNegative: isNegative, coefficient: UInt128(UInt64(value.magnitude)), exponent: 0)
      return
    }
    guard let scaled = Self.scaled(value.magnitude, digits: digits) else {
      self = Self.printed(value, digits: digits)
      return
    }
    let excess = decimalDigitCount(scaled.coefficient) - digits
    let unit = powerOfTen(excess)
    var (coefficient, rest) = scaled.coefficient.quotientAndRemainder(dividingBy: unit)
    var exponent = scaled.exponent + excess
    if rest == 0, !scaled.isInexact {
      while exponent < 0, coefficient % 10 == 0 {
        coefficient /= 10
        exponent += 1
      }
    } else {
      let half = unit / 2
      if rest != half ? rest > half : scaled.isInexact || coefficient & 1 == 1 {
        coefficient += 1
        if coefficient == powerOfTen(digits) {
          coefficient /= 10
          exponent += 1
        }
      }
    }
    self.init(isNegative: isNegative, coefficient: coefficient, exponent: exponent)
  }

  /// The powers of ten that a double can hold exactly, 10^0 ... 10^22.
  private static let doublePowersOfTen = (0...22).map { Double(powerOfTen($0)) }

  /// The first one or two digits more than asked for, and whether others than zeros follow.
  ///
  /// Nil if 256 bits do not suffice, which is so below about 10^-22 and above 10^38.
  private static func scaled(
    _ value: Double, digits: Int
  ) -> (coefficient: UInt128, exponent: Int, isInexact: Bool)? {
    // 1233 / 4096 is about log10(2): the first digit stands at this power of ten or the next.
    let top = (Int(value.exponent) * 1233) >> 12
    let power = digits - top
    guard power <= 38, value.exponent < 127 else { return nil }
    // In this range all numbers are normal. Without trailing zeros whole numbers are shifted left.
    let bits = value.significandBitPattern | 1 << 52
    let zeros = bits.trailingZeroBitCount
    let significand = UInt128(bits >> UInt64(zeros))
    let shift = Int(value.exponent) - 52 + zeros
    if power < 0 {
      // Numbers this large are whole, also those made from 24-bit floats.
      let (quotient, rest) = (significand << shift).quotientAndRemainder(
        dividingBy: powerOfTen(-power))
      return (quotient, -power, rest != 0)
    }
    let product = UInt256(significand, times: powerOfTen(power))
    if shift >= 0 { return (product.low << shift, -power, false) }
    let (quotient, isInexact) = product.shiftedRight(-shift)
    return (quotient.low, -power, isInexact)
  }

  /// Very large and small numbers, which are never exact: what the C library prints is.
  private static func printed(_ value: Double, digits: Int) -> Decimal128 {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
      let count = withVaList([Int32(digits - 1), value.magnitude]) {
        vsnprintf(buffer.baseAddress, buffer.count, "%.*e", $0)
      }
      // d, a point that depends on the locale, digits, e, sign, digits.
      var coefficient: UInt128 = 0
      var index = 0
      while index < count, buffer[index] != CChar(UInt8(ascii: "e")) {
        let digit = UInt8(bitPattern: buffer[index]) &- UInt8(ascii: "0")
        if digit < 10 { coefficient = coefficient * 10 + UInt128(digit) }
        index += 1
      }
      let isSmall = buffer[index + 1] == CChar(UInt8(ascii: "-"))
      var power = 0
      for place in index + 2..<Int(count) { power = power * 10 + Int(buffer[place] - 48) }
      return Decimal128(
        isNegative: value.sign == .minus, coefficient: coefficient,
        exponent: (isSmall ? -power : power) - (digits - 1))
    }
  }

  /// The nearest double, ties to even; infinite beyond the range.
  public func toDouble() -> Double {
    guard isFinite else {
      let magnitude: Double = isNaN ? .nan : .infinity
      return isNegative ? -magnitude : magnitude
    }
    let magnitude: Double
    if coefficient <= 1 << 53, exponent.magnitude <= 22 {
      // Both operands are exact doubles, so the one operation rounds correctly.
      let power = Self.doublePowersOfTen[Int(exponent.magnitude)]
      magnitude =
        exponent < 0 ? Double(UInt64(coefficient)) / power : Double(UInt64(coefficient)) * power
    } else {
      magnitude = readByLibrary()
    }
    return isNegative ? -magnitude : magnitude
  }

  /// The magnitude, converted by the C library.
  private func readByLibrary() -> Double {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 48) { buffer in
      var writer = DigitWriter(buffer)
      let (top, bottom) = coefficient.quotientAndRemainder(dividingBy: powerOfTen(17))
      writer.put(UInt64(top), digits: 17)
      writer.put(UInt64(bottom), digits: 17)
      writer.put("E")
      writer.put(exponent < 0 ? "-" : "+")
      writer.put(UInt64(exponent.magnitude))
      writer.put("\0")
      return writer.written.withMemoryRebound(to: CChar.self) { text in
        text.baseAddress.map { strtod($0, nil) } ?? 0
      }
    }
  }
}
