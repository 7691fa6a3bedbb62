import RealmValues
import Testing

/// Goal: decimals agree with an independent implementation of IEEE 754 decimal arithmetic, digit by
/// digit, including the exponents of exact results.
struct DecimalTests {
  private func decimal(_ text: String) throws -> Decimal128 {
    try #require(Decimal128(parsing: Array(text.utf8)), "\(text)")
  }

  @Test func texts() throws {
    for (text, printed) in DecimalCases.texts {
      #expect(try decimal(text).description == printed)
    }
  }

  @Test func printedTextReadsBack() throws {
    for (text, printed) in DecimalCases.texts {
      let (a, b) = (try decimal(text), try decimal(printed))
      #expect(a.low == b.low && a.high == b.high, "\(text)")
    }
  }

  @Test func operations() throws {
    for (left, sign, right, expected) in DecimalCases.operations {
      let (a, b) = (try decimal(left), try decimal(right))
      let result =
        switch sign {
        case "+": a + b
        case "-": a - b
        case "*": a * b
        default: a / b
        }
      #expect(result.description == expected, "\(left) \(sign) \(right)")
    }
  }

  @Test func comparisons() throws {
    for (left, right, expected) in DecimalCases.comparisons {
      let (a, b) = (try decimal(left), try decimal(right))
      #expect(Decimal128.compare(a, b).signum() == expected, "\(left) \(right)")
      #expect(Decimal128.compare(b, a).signum() == -expected, "\(right) \(left)")
    }
  }

  @Test func equalNumbersHashAlike() throws {
    for group in [["1", "1.0", "10E-1", "1.00"], ["0", "-0", "0E5"], ["1E33", "1.00E33"]] {
      #expect(Set(try group.map(decimal)).count == 1)
    }
    #expect(Set([.null, .nan, .infinity, -.infinity, Decimal128(1)]).count == 5)
  }

  @Test func specialValuesInOrder() throws {
    let ascending = [
      Decimal128.nan, .null, -.nan, -.infinity, try decimal("-1E6111"), Decimal128(0),
      try decimal("1E-6176"), .infinity,
    ]
    for (index, a) in ascending.enumerated() {
      for (otherIndex, b) in ascending.enumerated() {
        #expect((a < b) == (index < otherIndex))
        #expect((a == b) == (index == otherIndex))
      }
    }
  }

  @Test func binaryFloatingPoint() throws {
    for (text, bits) in DecimalCases.toDouble {
      #expect(try decimal(text).toDouble().bitPattern == bits, "\(text)")
    }
    for (bits, printed) in DecimalCases.fromDouble {
      #expect(Decimal128(rounding: Double(bitPattern: bits)).description == printed)
    }
    for (bits, printed) in DecimalCases.fromFloat {
      #expect(Decimal128(rounding: Float(Double(bitPattern: bits))).description == printed)
    }
  }

  @Test func specialOperations() throws {
    let one = Decimal128(1)
    #expect((one / Decimal128(0)).description == "Inf")
    #expect((-one / Decimal128(0)).description == "-Inf")
    #expect((Decimal128(0) / Decimal128(0)).isNaN)
    #expect((Decimal128.infinity - .infinity).isNaN)
    #expect((Decimal128.infinity * Decimal128(0)).isNaN)
    #expect((one / .infinity).description == "0E-6176")
    #expect((one - -.nan).description == "-NaN")
    #expect(Decimal128(.min).description == "-9223372036854775808")
  }

  @Test(arguments: [
    "", "-", ".", "1e", "1e+", "e5", "1.2.3", "1 ", " 1", "0x10", "1f", "in", "infinit", "nanx",
    "1,5",
  ])
  func refuses(_ text: String) {
    #expect(Decimal128(parsing: Array(text.utf8)) == nil)
  }

  @Test func narrowEncodings() {
    #expect(Decimal128(bid32: 0x7C00_00AA).isNull)
    #expect(Decimal128(bid64: 0x7C00_0000_0000_00AA).isNull)
    #expect(Decimal128(bid32: 99 << 23 | 150).description == "1.50")
    #expect(Decimal128(bid32: 1 << 31 | 101 << 23 | 8_388_607).description == "-8388607")
    #expect(Decimal128(bid32: 3 << 29 | 101 << 21 | 1_611_391).description == "9999999")
    #expect(Decimal128(bid32: 3 << 29 | 101 << 21 | 1_611_392).description == "0")
    #expect(Decimal128(bid32: 0x7800_0000).description == "Inf")
    #expect(Decimal128(bid32: 0xFC00_0000).description == "-NaN")
    #expect(Decimal128(bid64: 396 << 53 | 150).description == "1.50")
    #expect(Decimal128(bid64: 3 << 61 | 398 << 51).description == "9007199254740992")
    #expect(Decimal128(bid64: 3 << 61 | 398 << 51 | 992_800_745_259_008).description == "0")
    #expect(Decimal128(bid64: 0xF800_0000_0000_0000).description == "-Inf")
  }

  @Test func wideCoefficientsBeyondTheLargestCountAsZero() {
    // 10^34 has the bits of 0x1ED09BEAD87C0378D8E6400000000.
    let tooLarge = Decimal128(low: 0x378D_8E64_0000_0000, high: 0x3041_ED09_BEAD_87C0)
    #expect(tooLarge.isZero && tooLarge.exponent == 0)
    let largest = Decimal128(low: 0x378D_8E63_FFFF_FFFF, high: 0x3041_ED09_BEAD_87C0)
    #expect(largest.description == "+9999999999999999999999999999999999E+0")
    #expect(Decimal128(low: 5, high: 0x6C10_0000_0000_0000) == Decimal128(0))
  }
}
