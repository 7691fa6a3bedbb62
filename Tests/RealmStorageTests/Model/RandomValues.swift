import RealmStorage
import RealmValues
import TestSupport

/// Values of all types, with a liking for those at limits.
struct RandomValues: RandomNumberGenerator {
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func next() -> UInt64 { random.next() }

  /// True once in `count` times.
  mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

  static let kinds: [ValueKind] = [
    .int, .bool, .float, .double, .string, .data, .date, .decimal, .objectID, .uuid, .mixed,
  ]

  /// A value for a property or element of a type that is not a link or mixed.
  mutating func value(_ kind: ValueKind) -> ScalarValue {
    switch kind {
    case .int: .int(int())
    case .bool: .bool(Bool.random(using: &random))
    case .float: .float(Float(double()))
    case .double: .double(double())
    case .string: .string(string())
    case .data: .data(data())
    case .date: .date(date())
    case .decimal: .decimal(decimal())
    case .objectID: .objectID(bytes(12).withUnsafeBytes { ObjectID($0.baseAddress!) })
    default: .uuid(bytes(16).withUnsafeBytes { UUIDValue($0.baseAddress!) })
    }
  }

  /// A value of any type but a link.
  mutating func scalar() -> ScalarValue {
    if oneIn(12) { return .null }
    // Equal to each other as values or in their index entries.
    let ones: [ScalarValue] = [
      .int(1), .bool(true), .double(1), .float(1), .decimal(Decimal128(1)), .double(1.5),
      .decimal(Decimal128(bid64: 0x3180_0000_0000_000F)),
    ]
    if oneIn(4) { return ones[Int.random(in: 0..<ones.count, using: &random)] }
    return value(Self.kinds[Int.random(in: 0..<(Self.kinds.count - 1), using: &random)])
  }

  private mutating func int() -> Int64 {
    let width = Int64.random(in: 0..<64, using: &random)
    let edge: Int64 = 1 << width
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return edge
    case 1: return edge &- 1
    case 2: return 0 &- edge
    case 3: return ~edge
    case 4: return Int64(bitPattern: random.next()) >> width
    default: return Int64.random(in: -2...20, using: &random)
    }
  }

  private mutating func double() -> Double {
    let edges = [
      0, -0.0, 1.5, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
      2_147_483_647, 9e18,
    ]
    return oneIn(3)
      ? edges[Int.random(in: 0..<edges.count, using: &random)]
      : Double(Int64.random(in: -100...100, using: &random)) / 4
  }

  /// Texts share beginnings, end at borders of the pieces of indexes, and have all lengths at which
  /// leaves change their form.
  mutating func string() -> [UInt8] {
    let odd = ["", "X", "X\0\0\0", "XX", "abc", "abcX", "abc\0", "\0", "é", "日本語", "a\u{308}"]
    switch Int.random(in: 0..<10, using: &random) {
    case 0: return Array(odd[Int.random(in: 0..<odd.count, using: &random)].utf8)
    case 1:
      let lengths = [3, 4, 7, 8, 14, 15, 16, 62, 63, 64, 65, 200, 204, 300]
      return [UInt8](
        repeating: 0x70, count: lengths[Int.random(in: 0..<lengths.count, using: &random)])
    case 2:
      return [UInt8](repeating: 0x70, count: Int.random(in: 196...210, using: &random))
        + letters(0...6)
    case 3...5:
      var text: [UInt8] = []
      for _ in 0..<Int.random(in: 1...6, using: &random) { text += letters(1...9) + [0x20] }
      return text
    case 6 where oneIn(20):
      return [UInt8](repeating: 0x71, count: Int.random(in: 1000...90_000, using: &random))
    default: return letters(0...8)
    }
  }

  private mutating func letters(_ lengths: ClosedRange<Int>) -> [UInt8] {
    (0..<Int.random(in: lengths, using: &random)).map { _ in
      UInt8.random(in: 0x61...0x63, using: &random)
    }
  }

  /// A key of a dictionary.
  mutating func key() -> [UInt8] {
    oneIn(10) ? [0x6B] + string().filter { $0 != 0x2E } : letters(0...3)
  }

  private mutating func data() -> [UInt8] {
    let lengths = [0, 1, 8, 63, 64, 65, 300]
    if oneIn(60) { return bytes(Int.random(in: 1000...90_000, using: &random)) }
    return bytes(lengths[Int.random(in: 0..<lengths.count, using: &random)])
  }

  private mutating func date() -> Timestamp {
    let nanoseconds = Int32.random(in: 0...999_999_999, using: &random)
    let seconds = oneIn(8) ? Int64(1) << Int64.random(in: 0..<62, using: &random) : int() >> 20
    return seconds < 0
      ? Timestamp(seconds: seconds, nanoseconds: -nanoseconds)
      : Timestamp(seconds: seconds, nanoseconds: nanoseconds)
  }

  private mutating func decimal() -> Decimal128 {
    let texts = [
      "0", "1", "1.0", "1.50", "-2.5", "1E+100", "1E-300", "Infinity", "-Infinity",
      "1234567890123456789012345678901234", "9007199254740993", "8388608",
    ]
    let text = texts[Int.random(in: 0..<texts.count, using: &random)]
    return Decimal128(parsing: Array(text.utf8)) ?? Decimal128(Int64(int() % 1000))
  }

  private mutating func bytes(_ count: Int) -> [UInt8] {
    let isFlat = oneIn(4)
    return (0..<count).map { _ in isFlat ? 7 : UInt8.random(in: 0...255, using: &random) }
  }
}
