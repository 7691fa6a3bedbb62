/// A decimal number of up to 34 digits with an exponent, in IEEE 754-2008 binary integer encoding.
///
/// The value of a finite number is `coefficient × 10^exponent`; trailing zeros are kept, so 1.0 and
/// 1.00 are equal and print differently. Source: file-format.md 3.9.
public struct Decimal128: Sendable {
  /// The low 64 bits as stored.
  public let low: UInt64
  /// The high 64 bits as stored: sign, exponent, top of the coefficient.
  public let high: UInt64

  /// The number with the given bits; all bit patterns are valid.
  public init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  /// The number 10^34 - 1.
  static let largestCoefficient: UInt128 = 9_999_999_999_999_999_999_999_999_999_999_999
  static let exponents = -6176...6111
  private static let bias = 6176
  private static let signBit: UInt64 = 1 << 63
  private static let infinityBits: UInt64 = 0x7800_0000_0000_0000
  private static let nanBits: UInt64 = 0x7C00_0000_0000_0000

  /// The pattern that stands for null in a file.
  public static let null = Decimal128(low: 0xAA, high: nanBits)
  /// Not a number, without sign and payload.
  public static let nan = Decimal128(low: 0, high: nanBits)
  /// Positive infinity.
  public static let infinity = Decimal128(low: 0, high: infinityBits)

  /// A finite number; the coefficient and the exponent must be in their ranges.
  init(isNegative: Bool, coefficient: UInt128, exponent: Int) {
    precondition(
      coefficient <= Self.largestCoefficient && Self.exponents.contains(exponent))
    low = UInt64(truncatingIfNeeded: coefficient)
    high =
      UInt64(truncatingIfNeeded: coefficient >> 64) | UInt64(exponent + Self.bias) << 49
      | (isNegative ? Self.signBit : 0)
  }

  /// The number with the given bits below the sign, for infinities and what is not a number.
  private init(isNegative: Bool, special: UInt64, payload: UInt64 = 0) {
    self.init(low: payload, high: special | (isNegative ? Self.signBit : 0))
  }

  /// Not a number, with a sign.
  static func nan(isNegative: Bool) -> Decimal128 {
    Decimal128(isNegative: isNegative, special: nanBits)
  }

  /// Infinity of either sign.
  static func infinity(isNegative: Bool) -> Decimal128 {
    Decimal128(isNegative: isNegative, special: infinityBits)
  }

  /// The whole number, exactly.
  public init(_ value: Int64) {
    self.init(isNegative: value < 0, coefficient: UInt128(value.magnitude), exponent: 0)
  }
}

extension Decimal128 {
  /// Expands a number of the 32-bit encoding; coefficient and exponent stay as they are.
  public init(bid32 bits: UInt32) {
    self.init(
      bits: UInt64(bits), width: 32, exponentWidth: 8, bias: 101, largestCoefficient: 9_999_999)
  }

  /// Expands a number of the 64-bit encoding; coefficient and exponent stay as they are.
  public init(bid64 bits: UInt64) {
    self.init(
      bits: bits, width: 64, exponentWidth: 10, bias: 398,
      largestCoefficient: 9_999_999_999_999_999)
  }

  /// The two narrow encodings differ in these constants only.
  private init(
    bits: UInt64, width: UInt64, exponentWidth: UInt64, bias: Int, largestCoefficient: UInt64
  ) {
    let isNegative = bits >> (width - 1) & 1 != 0
    let exponentMask = (1 << exponentWidth) - 1 as UInt64
    // Where the exponent starts: below the sign, or below the two ones that mark the large form.
    let isLarge = bits >> (width - 3) & 3 == 3
    let coefficientWidth = width - 1 - exponentWidth - (isLarge ? 2 : 0)
    let coefficientBits = bits & ((1 << coefficientWidth) - 1)
    switch bits >> (width - 6) & 31 {
    case 0b11111:
      // The payload is kept in place, so that the null of the narrow form becomes null.
      self.init(
        isNegative: isNegative, special: Self.nanBits,
        payload: bits & ((1 << (coefficientWidth - 1)) - 1))
    case 0b11110:
      self.init(isNegative: isNegative, special: Self.infinityBits)
    default:
      let coefficient = isLarge ? 4 << coefficientWidth | coefficientBits : coefficientBits
      let exponent = Int(bits >> coefficientWidth & exponentMask) - bias
      self.init(
        isNegative: isNegative,
        coefficient: coefficient > largestCoefficient ? 0 : UInt128(coefficient),
        exponent: exponent)
    }
  }

  /// Whether the text of the value gives back the same bits: what is not a number can carry others
  /// than those of `NaN`, and some patterns count as zero.
  public var isCanonical: Bool {
    let plain: Decimal128
    if isNaN {
      plain = .nan(isNegative: isNegative)
    } else if isInfinite {
      plain = .infinity(isNegative: isNegative)
    } else {
      plain = Decimal128(isNegative: isNegative, coefficient: coefficient, exponent: exponent)
    }
    return low == plain.low && high == plain.high
  }

  /// Whether the value is the pattern that stands for null; null is also `isNaN`.
  public var isNull: Bool { low == 0xAA && high == Self.nanBits }

  /// Whether the value is not a number.
  public var isNaN: Bool { high & Self.nanBits == Self.nanBits }

  /// Whether the value is positive or negative infinity.
  public var isInfinite: Bool { high & Self.nanBits == Self.infinityBits }

  /// Whether the value is a number and not infinite.
  public var isFinite: Bool { high & Self.infinityBits != Self.infinityBits }

  /// Whether the sign bit is set.
  public var isNegative: Bool { high & Self.signBit != 0 }

  /// Whether the value is a zero of either sign.
  public var isZero: Bool { isFinite && coefficient == 0 }

  /// Whether the coefficient would need more bits than its largest value; it then counts as 0.
  private var hasLargeForm: Bool { high >> 61 & 3 == 3 }

  /// The digits as a number of at most 34 digits; 0 for infinities and what is not a number.
  public var coefficient: UInt128 {
    guard !hasLargeForm else { return 0 }
    let value = UInt128(high & 0x1_FFFF_FFFF_FFFF) << 64 | UInt128(low)
    return value > Self.largestCoefficient ? 0 : value
  }

  /// The power of ten of the last digit, -6176 ... 6111; meaningless unless `isFinite`.
  public var exponent: Int {
    Int(high >> (hasLargeForm ? 47 : 49) & 0x3FFF) - Self.bias
  }

  /// The number with the opposite sign; also turns the sign of what is not a number.
  public static prefix func - (value: Decimal128) -> Decimal128 {
    Decimal128(low: value.low, high: value.high ^ signBit)
  }
}
