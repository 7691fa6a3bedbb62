import Glibc

/// The order within and between types, for values that are not boxed in a `ScalarValue`.
///
/// Each gives a number below 0 if the first comes first, 0 if both are equal.
/// Source: query-language.md 4.
extension ScalarValue {
  /// Orders values whose type has an order of its own.
  @inlinable
  public static func compare<Value: Comparable>(_ a: Value, _ b: Value) -> Int {
    a < b ? -1 : a == b ? 0 : 1
  }

  /// Orders by value; NaN comes first, two NaN go by their bits.
  @inlinable
  public static func compare(_ a: Double, _ b: Double) -> Int {
    if a < b { return -1 }
    if a > b { return 1 }
    if a == b { return 0 }
    if a.isNaN, b.isNaN { return compare(a.bitPattern, b.bitPattern) }
    return a.isNaN ? -1 : 1
  }

  /// Orders by value; NaN comes first, two NaN go by their bits.
  @inlinable
  public static func compare(_ a: Float, _ b: Float) -> Int {
    if a < b { return -1 }
    if a > b { return 1 }
    if a == b { return 0 }
    if a.isNaN, b.isNaN { return compare(a.bitPattern, b.bitPattern) }
    return a.isNaN ? -1 : 1
  }

  /// Orders by value without rounding either; NaN comes first.
  @inlinable
  public static func compare(_ a: Int64, _ b: Double) -> Int {
    // The limits are powers of two, hence exact.
    if b >= 0x1p63 { return -1 }
    guard b >= -0x1p63 else { return 1 }
    let whole = b.rounded(.towardZero)
    let order = compare(a, Int64(whole))
    return order != 0 ? order : compare(whole, b)
  }

  /// Orders by value, exactly.
  public static func compare(_ a: Int64, _ b: Decimal128) -> Int {
    Decimal128.compare(Decimal128(a), b)
  }

  /// Orders by value after rounding `a` to 15 digits.
  public static func compare(_ a: Double, _ b: Decimal128) -> Int {
    Decimal128.compare(Decimal128(rounding: a), b)
  }

  /// Orders by value after rounding `a` to 7 digits.
  public static func compare(_ a: Float, _ b: Decimal128) -> Int {
    Decimal128.compare(Decimal128(rounding: a), b)
  }

  /// Orders by value.
  public static func compare(_ a: Decimal128, _ b: Decimal128) -> Int {
    Decimal128.compare(a, b)
  }

  /// Orders by unsigned bytes, the shorter first if it is the start of the other.
  @inline(__always)
  public static func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    if let start = a.baseAddress, let otherStart = b.baseAddress {
      let order = Int(memcmp(start, otherStart, min(a.count, b.count)))
      if order != 0 { return order }
    }
    return a.count - b.count
  }

  /// Orders by unsigned bytes, the shorter first if it is the start of the other.
  public static func compare(_ a: [UInt8], _ b: [UInt8]) -> Int {
    a.withUnsafeBytes { a in b.withUnsafeBytes { b in compare(a, b) } }
  }
}
