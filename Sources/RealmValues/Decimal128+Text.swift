extension Decimal128: CustomStringConvertible {
  /// All digits, with a point after the first one if there is an exponent: `1.50`, `1.2E-2`.
  ///
  /// Coefficients of 2^64 and above are printed whole with a sign: `+18446744073709551616E+0`.
  /// Source: object-model.md 10.5.
  public var description: String {
    var text: [UInt8] = []
    append(to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends the description.
  public func append(to out: inout [UInt8]) {
    guard isFinite else {
      if isNull {
        out.append(contentsOf: "NULL".utf8)
      } else {
        if isNegative { out.append(UInt8(ascii: "-")) }
        out.append(contentsOf: (isNaN ? "NaN" : "Inf").utf8)
      }
      return
    }
    // At most a sign, 34 digits, a point, E, a sign and four digits.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 48) { buffer in
      var writer = DigitWriter(buffer)
      if let small = UInt64(exactly: coefficient) {
        write(small, to: &writer)
      } else {
        writeWhole(to: &writer)
      }
      out.append(contentsOf: writer.written)
    }
  }

  private func write(_ coefficient: UInt64, to writer: inout DigitWriter) {
    let digits = DigitWriter.digitCount(coefficient)
    // How far the point moves to the left: until the exponent is 0 or one digit stands before it.
    let moved = exponent <= 0 ? min(-exponent, digits - 1) : digits - 1
    let shownExponent = exponent + moved
    if isNegative { writer.put("-") }
    if moved == 0 {
      writer.put(coefficient, digits: digits)
    } else {
      let divisor = UInt64(powerOfTen(moved))
      writer.put(coefficient / divisor, digits: digits - moved)
      writer.put(".")
      writer.put(coefficient % divisor, digits: moved)
    }
    if shownExponent != 0 {
      writer.put("E")
      if shownExponent < 0 { writer.put("-") }
      writer.put(UInt64(shownExponent.magnitude))
    }
  }

  private func writeWhole(to writer: inout DigitWriter) {
    let (top, bottom) = coefficient.quotientAndRemainder(dividingBy: powerOfTen(17))
    writer.put(isNegative ? "-" : "+")
    writer.put(UInt64(top), digits: decimalDigitCount(top))
    writer.put(UInt64(bottom), digits: 17)
    writer.put("E")
    writer.put(exponent < 0 ? "-" : "+")
    writer.put(UInt64(exponent.magnitude))
  }
}

extension Decimal128 {
  /// Reads digits with an optional sign, point and exponent; `inf`, `infinity` and `nan` in any
  /// case.
  ///
  /// More than 34 digits are rounded, ties to even; too large numbers become infinite. Nil if the
  /// text has another form.
  public init?(parsing text: UnsafeRawBufferPointer) {
    var cursor = TextCursor(text)
    let isNegative = cursor.skipSign()
    if cursor.isWord("inf") || cursor.isWord("infinity") {
      self = .infinity(isNegative: isNegative)
    } else if cursor.isWord("nan") {
      self = .nan(isNegative: isNegative)
    } else if let value = Self.number(&cursor, isNegative: isNegative) {
      self = value
    } else {
      return nil
    }
  }

  /// Reads a text; see the initialiser for a buffer.
  public init?(parsing text: [UInt8]) {
    guard let value = text.withUnsafeBytes({ Decimal128(parsing: $0) }) else { return nil }
    self = value
  }

  private static func number(_ cursor: inout TextCursor, isNegative: Bool) -> Decimal128? {
    var coefficient: UInt128 = 0
    var exponent = 0
    var isInexact = false
    var hasDigits = false
    var hasPoint = false
    while true {
      if let digit = cursor.digit() {
        hasDigits = true
        if hasPoint { exponent -= 1 }
        // Further digits than 37 only tell whether something follows.
        if coefficient < powerOfTen(37) {
          coefficient = coefficient * 10 + UInt128(digit)
        } else {
          exponent += 1
          isInexact = isInexact || digit != 0
        }
      } else if hasPoint || !cursor.skip(".") {
        break
      } else {
        hasPoint = true
      }
    }
    guard hasDigits else { return nil }
    if cursor.skip("e") || cursor.skip("E") {
      guard let power = exponentNumber(&cursor) else { return nil }
      exponent += power
    }
    guard cursor.isAtEnd else { return nil }
    return rounded(
      isNegative: isNegative, UInt256(coefficient), exponent: exponent, isInexact: isInexact)
  }

  /// The exponent after `e`, limited to numbers far from overflow.
  private static func exponentNumber(_ cursor: inout TextCursor) -> Int? {
    let isNegative = cursor.skipSign()
    guard var value = cursor.digit().map(Int.init) else { return nil }
    while let digit = cursor.digit() {
      // Larger than any number of digits that can offset it.
      value = min(value * 10 + Int(digit), 1 << 48)
    }
    return isNegative ? -value : value
  }
}
