extension Decimal128 {
  /// The number nearest to `magnitude × 10^exponent`, ties to an even last digit.
  ///
  /// The magnitude must be below 10^76. Too large numbers become infinite, too small ones lose
  /// digits or become 0. The exponent is kept if the digits allow, else as close as possible.
  ///
  /// - Parameter isInexact: The exact value is greater, by less than one unit of `magnitude`.
  static func rounded(
    isNegative: Bool, _ magnitude: UInt256, exponent: Int, isInexact: Bool = false
  ) -> Decimal128 {
    var exponent = exponent
    let excess = max(magnitude.decimalDigits - 34, exponents.lowerBound - exponent, 0)
    var coefficient = magnitude.low
    if excess > 0 {
      coefficient = quotient(magnitude, droppingDigits: excess, isInexact: isInexact)
      exponent += excess
      if coefficient > largestCoefficient {
        // 999...9 was rounded up to 10^34.
        coefficient /= 10
        exponent += 1
      }
    }
    if exponent > exponents.upperBound {
      if coefficient == 0 {
        exponent = exponents.upperBound
      } else {
        let padding = exponent - exponents.upperBound
        guard padding <= 34 - decimalDigitCount(coefficient) else {
          return infinity(isNegative: isNegative)
        }
        coefficient *= powerOfTen(padding)
        exponent = exponents.upperBound
      }
    }
    return Decimal128(isNegative: isNegative, coefficient: coefficient, exponent: exponent)
  }

  /// `magnitude / 10^count` rounded to the nearest whole number; `count` is at least 1.
  ///
  /// The quotient must have at most 34 digits.
  private static func quotient(
    _ magnitude: UInt256, droppingDigits count: Int, isInexact: Bool
  ) -> UInt128 {
    // The magnitude is below 10^76; cut off 77 digits and it is less than a tenth.
    guard count <= 76 else { return 0 }
    var rest = magnitude
    var isInexact = isInexact
    if count > 38 {
      let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: powerOfTen(count - 38))
      rest = quotient
      isInexact = isInexact || remainder != 0
    }
    let divisor = powerOfTen(min(count, 38))
    let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: divisor)
    let half = divisor / 2
    let isUp =
      remainder != half ? remainder > half : isInexact || quotient.low & 1 == 1
    return quotient.low + (isUp ? 1 : 0)
  }
}
