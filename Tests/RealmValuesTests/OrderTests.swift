import RealmValues
import Testing

/// Goal: the order of values of all types is a total order, and agrees with exact arithmetic where
/// types of numbers meet. Method: random values around the places where rounding would show.
struct OrderTests {
  /// A small repeatable generator (SplitMix64).
  private struct Random: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }

  private static let interesting: [Double] = [
    0, -0.0, 1, 0.5, -1.5, 0x1p53, 0x1p53 + 2, 0x1p62, 0x1p63, -0x1p63, 1e300, .infinity,
    -.infinity,
    .nan, -Double.nan, .leastNonzeroMagnitude,
  ]

  /// Without doubles next to decimals: these are compared after rounding, which is not transitive.
  private static func value(_ random: inout Random, withDecimals: Bool) -> ScalarValue {
    func bytes() -> [UInt8] {
      (0..<Int.random(in: 0...2, using: &random)).map { _ in
        [0, 65, 255].randomElement(using: &random) ?? 0
      }
    }
    let key = ObjectKey(.random(in: -2...2, using: &random))
    let double = interesting.randomElement(using: &random) ?? 0
    switch Int.random(in: 0...12, using: &random) {
    case 0: return .null
    case 1: return .bool(.random(using: &random))
    case 2: return .string(bytes())
    case 3: return .data(bytes())
    case 4: return .date(Timestamp(seconds: key.rawValue, nanoseconds: 0))
    case 5: return .objectID(.generate())
    case 6: return .uuid(.random())
    case 7: return .link(TableKey(.random(in: 0...1, using: &random)), key)
    case 8: return .key(key)
    case 9: return .int((Int64(1) << 53) &+ key.rawValue)
    case 10:
      return .int([.min, .max, 0, 1, -1, 1 << 62].randomElement(using: &random) ?? 0)
    case 11 where withDecimals: return .decimal(Decimal128((1 << 53) &+ key.rawValue))
    case 12 where withDecimals: return .decimal(Decimal128(rounding: double))
    case 11: return .float(Float(double))
    default: return .double(double)
    }
  }

  @Test(arguments: [false, true])
  func isATotalOrder(withDecimals: Bool) {
    var random = Random(state: 42)
    for _ in 0..<20_000 {
      let (a, b, c) = (
        Self.value(&random, withDecimals: withDecimals),
        Self.value(&random, withDecimals: withDecimals),
        Self.value(&random, withDecimals: withDecimals)
      )
      let order = a.totalOrder(b).signum()
      #expect(order == -b.totalOrder(a).signum(), "\(a) \(b)")
      if order <= 0, b.totalOrder(c) <= 0 {
        #expect(a.totalOrder(c) <= 0, "\(a) \(b) \(c)")
        #expect(a.totalOrder(c) < 0 || (order == 0 && b.totalOrder(c) == 0), "\(a) \(b) \(c)")
      }
      #expect(a.totalOrder(a) == 0)
      if a == b { #expect(order == 0 && a.hashValue == b.hashValue) }
    }
  }

  @Test func intsAndDoublesCompareExactly() {
    var random = Random(state: 1)
    for _ in 0..<20_000 {
      let int = Int64(bitPattern: random.next()) >> Int64.random(in: 0...63, using: &random)
      let double =
        Double(int &+ .random(in: -2...2, using: &random)) + [0, 0.5, -0.5][Int(random.next() % 3)]
      // A double below 2^64 is a multiple of 2^-10 here, so 128 bits hold both exactly.
      guard double.magnitude >= 0x1p-10 || double == 0 else { continue }
      let scaled = Int128(double * 1024)
      let expected = ScalarValue.compare(Int128(int) * 1024, scaled)
      #expect(ScalarValue.compare(int, double) == expected, "\(int) \(double)")
    }
  }

  @Test(
    arguments: [
      (.int(9_007_199_254_740_993), .double(9_007_199_254_740_992), 1),
      (.int(.max), .double(0x1p63), -1),
      (.int(.min), .double(-0x1p63), 0),
      (.double(0.1), .float(0.1), -1),
      (.int(1), .float(1), 0),
      (.int(0), .double(-.nan), 1),
      (.double(-.infinity), .double(.nan), 1),
      (.bool(true), .int(0), -1),
      (.string([255]), .data([]), -1),
      (.link(TableKey(9), ObjectKey(9)), .key(ObjectKey(0)), -1),
    ] as [(ScalarValue, ScalarValue, Int)])
  func examples(_ a: ScalarValue, _ b: ScalarValue, _ expected: Int) {
    #expect(a.totalOrder(b).signum() == expected)
    #expect(b.totalOrder(a).signum() == -expected)
  }

  @Test func decimalsMeetRoundedFloatingPoint() throws {
    let tenth = ScalarValue.decimal(try #require(Decimal128(parsing: Array("0.1".utf8))))
    #expect(ScalarValue.double(0.1).isEqual(to: tenth))
    #expect(ScalarValue.float(0.1).isEqual(to: tenth))
    #expect(ScalarValue.int(1).totalOrder(tenth) > 0)
    #expect(ScalarValue.double(.infinity).isEqual(to: .decimal(.infinity)))
    #expect(ScalarValue.double(.nan).totalOrder(.decimal(-.infinity)) < 0)
  }

  @Test func comparability() {
    #expect(ScalarValue.int(1).isComparable(with: .decimal(Decimal128(2))))
    #expect(ScalarValue.string([]).isComparable(with: .string([1])))
    #expect(!ScalarValue.string([]).isComparable(with: .data([])))
    #expect(!ScalarValue.null.isComparable(with: .null))
    #expect(ScalarValue.null.isEqual(to: .null))
    #expect(!ScalarValue.null.isEqual(to: .int(0)))
  }
}
