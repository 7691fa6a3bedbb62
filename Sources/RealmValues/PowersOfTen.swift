private let powersOfTen: [UInt128] = (0...38).map { (0..<$0).reduce(1) { power, _ in power * 10 } }

/// 10^exponent; the exponent must be 0 ... 38.
func powerOfTen(_ exponent: Int) -> UInt128 { powersOfTen[exponent] }

/// Number of decimal digits, 1 for 0.
func decimalDigitCount(_ value: UInt128) -> Int {
  // 1233 / 4096 is slightly more than log10(2): the estimate is right or one too high.
  let estimate = ((128 - value.leadingZeroBitCount) * 1233) >> 12
  return estimate + (value >= powersOfTen[estimate] || estimate == 0 ? 1 : 0)
}
