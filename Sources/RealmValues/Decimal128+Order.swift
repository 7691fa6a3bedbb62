extension Decimal128: Hashable, Comparable {
  /// The order by value: below 0 if `a` comes first, 0 if both are equal.
  ///
  /// 1.0 equals 1.00 and -0 equals 0. What is not a number comes before all numbers, among
  /// themselves by bits, high word first. Source: query-language.md 4.
  public static func compare(_ a: Decimal128, _ b: Decimal128) -> Int {
    guard a.isFinite, b.isFinite else { return compareSpecial(a, b) }
    let x = a.coefficient
    let y = b.coefficient
    let sign = x == 0 ? 0 : a.isNegative ? -1 : 1
    let otherSign = y == 0 ? 0 : b.isNegative ? -1 : 1
    guard sign == otherSign else { return sign - otherSign }
    return sign == 0 ? 0 : sign * compareMagnitudes(x, a.exponent, y, b.exponent)
  }

  /// At least one of the two is infinite or not a number.
  private static func compareSpecial(_ a: Decimal128, _ b: Decimal128) -> Int {
    if a.isNaN, b.isNaN {
      return a.high != b.high
        ? (a.high < b.high ? -1 : 1) : a.low < b.low ? -1 : a.low > b.low ? 1 : 0
    }
    return a.specialRank - b.specialRank
  }

  /// 0 not a number, 1 negative infinity, 2 any number, 3 positive infinity.
  private var specialRank: Int { isNaN ? 0 : isFinite ? 2 : isNegative ? 1 : 3 }

  /// Compares x × 10^a with y × 10^b; x and y must not be 0.
  private static func compareMagnitudes(_ x: UInt128, _ a: Int, _ y: UInt128, _ b: Int) -> Int {
    var x = x
    var y = y
    if a != b {
      let top = decimalDigitCount(x) + a
      let otherTop = decimalDigitCount(y) + b
      guard top == otherTop else { return top < otherTop ? -1 : 1 }
      // Equal first places: the one with the greater exponent has so many digits less, so it still
      // has at most 34 after this.
      if a > b { x *= powerOfTen(a - b) } else { y *= powerOfTen(b - a) }
    }
    return x < y ? -1 : x > y ? 1 : 0
  }

  /// Whether both have the same place in the order.
  public static func == (a: Decimal128, b: Decimal128) -> Bool { compare(a, b) == 0 }

  /// Orders by value.
  public static func < (a: Decimal128, b: Decimal128) -> Bool { compare(a, b) < 0 }

  /// Hashes the value without regard to trailing zeros and to the sign of zero.
  public func hash(into hasher: inout Hasher) {
    guard isFinite else {
      // The other bits of an infinity have no meaning.
      hasher.combine(high)
      if isNaN { hasher.combine(low) }
      return
    }
    var digits = coefficient
    var place = exponent
    guard digits != 0 else { return hasher.combine(0) }
    while case (let shorter, let last) = digits.quotientAndRemainder(dividingBy: 10), last == 0 {
      digits = shorter
      place += 1
    }
    hasher.combine(isNegative)
    hasher.combine(digits)
    hasher.combine(place)
  }
}
