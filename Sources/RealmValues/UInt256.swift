/// An unsigned number of 256 bits: products and aligned sums of decimal coefficients.
struct UInt256 {
  var high: UInt128
  var low: UInt128

  init(_ value: UInt128) {
    high = 0
    low = value
  }

  /// The full product.
  init(_ a: UInt128, times b: UInt128) { (high, low) = a.multipliedFullWidth(by: b) }

  /// The product, which must fit.
  func multiplied(by factor: UInt128) -> UInt256 {
    var product = UInt256(low, times: factor)
    product.high += high * factor
    return product
  }

  /// The sum, which must fit.
  func adding(_ other: UInt128) -> UInt256 {
    var sum = self
    let (partial, carry) = low.addingReportingOverflow(other)
    sum.low = partial
    if carry { sum.high += 1 }
    return sum
  }

  /// The difference, which must not be negative.
  func subtracting(_ other: UInt128) -> UInt256 {
    var difference = self
    let (partial, borrow) = low.subtractingReportingOverflow(other)
    difference.low = partial
    if borrow { difference.high -= 1 }
    return difference
  }

  func quotientAndRemainder(dividingBy divisor: UInt128) -> (UInt256, UInt128) {
    var quotient = self
    let (top, rest) = high.quotientAndRemainder(dividingBy: divisor)
    let (bottom, remainder) = divisor.dividingFullWidth((rest, low))
    quotient.high = top
    quotient.low = bottom
    return (quotient, remainder)
  }

  /// The number without its last `count` bits, and whether one of these was set.
  ///
  /// The count must be 1 ... 255.
  func shiftedRight(_ count: Int) -> (UInt256, isInexact: Bool) {
    var shifted = self
    let cutOff: UInt128
    if count >= 128 {
      shifted.low = high >> (count - 128)
      shifted.high = 0
      cutOff = low | (high & ((1 << (count - 128)) - 1))
    } else {
      shifted.low = low >> count | high << (128 - count)
      shifted.high = high >> count
      cutOff = low & ((1 << count) - 1)
    }
    return (shifted, cutOff != 0)
  }

  /// Number of decimal digits, 1 for 0; the number must be below 10^76.
  var decimalDigits: Int {
    if high == 0 { return decimalDigitCount(low) }
    let (quotient, _) = quotientAndRemainder(dividingBy: powerOfTen(38))
    return 38 + decimalDigitCount(quotient.low)
  }
}
