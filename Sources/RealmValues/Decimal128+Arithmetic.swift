/// IEEE 754 arithmetic with 34 digits, ties to an even last digit.
///
/// Exact results keep trailing zeros: 1.10 + 2.20 is 3.30. An operand that is not a number is
/// passed on.
extension Decimal128 {
  /// The sum.
  public static func + (a: Decimal128, b: Decimal128) -> Decimal128 {
    guard a.isFinite, b.isFinite else {
      if a.isNaN { return a }
      if b.isNaN { return b }
      guard a.isInfinite else { return b }
      return b.isInfinite && a.isNegative != b.isNegative ? .nan : a
    }
    let (upper, lower) = a.exponent >= b.exponent ? (a, b) : (b, a)
    guard upper.coefficient != 0 else {
      let isNegative = lower.isNegative && (upper.isNegative || lower.coefficient != 0)
      return Decimal128(
        isNegative: isNegative, coefficient: lower.coefficient, exponent: lower.exponent)
    }
    let gap = upper.exponent - lower.exponent
    // With more room than this the scaled sum could exceed 10^76.
    let scaling = min(gap, 41)
    let scaled = UInt256(upper.coefficient, times: powerOfTen(min(scaling, 38)))
      .multiplied(by: powerOfTen(scaling - min(scaling, 38)))
    var addend = lower.coefficient
    var rest: UInt128 = 0
    if gap > scaling, addend != 0 {
      // The digits of the smaller number beyond those of the scaled one matter for rounding only.
      let cut = gap - scaling
      (addend, rest) =
        cut <= 38 ? addend.quotientAndRemainder(dividingBy: powerOfTen(cut)) : (0, addend)
    }
    return sum(upper, scaled, lower, addend, hasRest: rest != 0, exponent: upper.exponent - scaling)
  }

  /// Adds `scaled` with the sign of `upper` and `addend`, plus a rest below one, with that of
  /// `lower`.
  private static func sum(
    _ upper: Decimal128, _ scaled: UInt256, _ lower: Decimal128, _ addend: UInt128,
    hasRest: Bool, exponent: Int
  ) -> Decimal128 {
    if upper.isNegative == lower.isNegative {
      return rounded(
        isNegative: upper.isNegative, scaled.adding(addend), exponent: exponent,
        isInexact: hasRest)
    }
    if scaled.high == 0, scaled.low < addend {
      // Then the exponents are so close that there is no rest.
      return rounded(
        isNegative: lower.isNegative, UInt256(addend - scaled.low), exponent: exponent)
    }
    // What is taken away is greater than the addend by the rest: take one more, then the exact
    // difference is greater than the result by less than one.
    let difference = scaled.subtracting(addend + (hasRest ? 1 : 0))
    let isZero = difference.high == 0 && difference.low == 0
    return rounded(
      isNegative: upper.isNegative && !isZero, difference, exponent: exponent, isInexact: hasRest)
  }

  /// The difference.
  public static func - (a: Decimal128, b: Decimal128) -> Decimal128 {
    b.isNaN && !a.isNaN ? b : a + -b
  }

  /// The product.
  public static func * (a: Decimal128, b: Decimal128) -> Decimal128 {
    let isNegative = a.isNegative != b.isNegative
    guard a.isFinite, b.isFinite else {
      if a.isNaN { return a }
      if b.isNaN { return b }
      return a.isZero || b.isZero ? .nan : .infinity(isNegative: isNegative)
    }
    return rounded(
      isNegative: isNegative, UInt256(a.coefficient, times: b.coefficient),
      exponent: a.exponent + b.exponent)
  }

  /// The quotient; infinite for a number that is divided by zero.
  public static func / (a: Decimal128, b: Decimal128) -> Decimal128 {
    let isNegative = a.isNegative != b.isNegative
    guard a.isFinite, b.isFinite else {
      if a.isNaN { return a }
      if b.isNaN { return b }
      guard a.isInfinite else {
        return Decimal128(
          isNegative: isNegative, coefficient: 0, exponent: exponents.lowerBound)
      }
      return b.isInfinite ? .nan : .infinity(isNegative: isNegative)
    }
    guard b.coefficient != 0 else {
      return a.coefficient == 0 ? .nan : .infinity(isNegative: isNegative)
    }
    guard a.coefficient != 0 else {
      return rounded(isNegative: isNegative, UInt256(0), exponent: a.exponent - b.exponent)
    }
    return quotient(a, b, isNegative: isNegative)
  }

  /// The quotient of two numbers other than 0.
  private static func quotient(
    _ a: Decimal128, _ b: Decimal128, isNegative: Bool
  ) -> Decimal128 {
    // So many zeros that the quotient has 36 or 37 digits, two more than needed for rounding.
    let scaling = 36 + decimalDigitCount(b.coefficient) - decimalDigitCount(a.coefficient)
    let first = min(scaling, 38)
    let dividend = UInt256(a.coefficient, times: powerOfTen(first))
      .multiplied(by: powerOfTen(scaling - first))
    let (wide, rest) = dividend.quotientAndRemainder(dividingBy: b.coefficient)
    var quotient = wide.low
    let preferred = a.exponent - b.exponent
    var exponent = preferred - scaling
    if rest == 0 {
      while exponent < preferred, quotient % 10 == 0 {
        quotient /= 10
        exponent += 1
      }
    }
    return rounded(
      isNegative: isNegative, UInt256(quotient), exponent: exponent, isInexact: rest != 0)
  }
}
