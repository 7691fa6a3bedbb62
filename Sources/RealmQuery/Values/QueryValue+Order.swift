import RealmStorage
import RealmValues

extension QueryValue {
  /// The total order: below 0 if `a` comes first. Source: query-language.md 4.
  static func order(_ a: QueryValue, _ b: QueryValue) -> Int {
    switch (a, b) {
    case (.int(let x), .int(let y)): return ScalarValue.compare(x, y)
    case (.string(let x), .string(let y)), (.data(let x), .data(let y)):
      return ScalarValue.compare(x, y)
    case (.double(let x), .double(let y)): return ScalarValue.compare(x, y)
    case (.float(let x), .float(let y)): return ScalarValue.compare(x, y)
    case (.bool(let x), .bool(let y)): return (x ? 1 : 0) - (y ? 1 : 0)
    case (.date(let x), .date(let y)): return ScalarValue.compare(x, y)
    case (.objectID(let x), .objectID(let y)): return ScalarValue.compare(x, y)
    case (.uuid(let x), .uuid(let y)): return ScalarValue.compare(x, y)
    case (.link(let x), .link(let y)): return ScalarValue.compare(x, y)
    case (.typedLink(let table, let x), .typedLink(let otherTable, let y)):
      return table == otherTable
        ? ScalarValue.compare(x, y) : ScalarValue.compare(table, otherTable)
    case (.type(let x), .type(let y)): return ScalarValue.compare(x.rawValue, y.rawValue)
    default:
      let rank = a.rank
      let otherRank = b.rank
      if rank != otherRank { return rank - otherRank }
      return rank == 2 ? orderOfNumbers(a, b) : 0
    }
  }

  /// Order of two numbers of different types, or of two decimals.
  private static func orderOfNumbers(_ a: QueryValue, _ b: QueryValue) -> Int {
    if case .decimal(let x) = a { return Decimal128.compare(x, b.asDecimal ?? .null) }
    if case .decimal(let y) = b { return Decimal128.compare(a.asDecimal ?? .null, y) }
    switch (a, b) {
    case (.int(let x), _): return ScalarValue.compare(x, b.asDouble ?? 0)
    case (_, .int(let y)): return -ScalarValue.compare(y, a.asDouble ?? 0)
    default: return ScalarValue.compare(a.asDouble ?? 0, b.asDouble ?? 0)
    }
  }

  /// A float or double as a double; nil for other values.
  var asDouble: Double? {
    switch self {
    case .float(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }

  /// A number as a decimal; nil for other values. Source: query-language.md 4.
  var asDecimal: Decimal128? {
    switch self {
    case .int(let value): Decimal128(value)
    case .float(let value): Decimal128(rounding: value)
    case .double(let value): Decimal128(rounding: value)
    case .decimal(let value): value
    default: nil
    }
  }

  /// Whether values of the two kinds can be equal or ordered: the types are equal or both are
  /// numeric; null is comparable with nothing.
  @inline(__always)
  static func areComparable(_ a: QueryValue, _ b: QueryValue) -> Bool {
    let rank = a.rank
    return rank != 0 && rank == b.rank
  }
}
