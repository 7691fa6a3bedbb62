import ByteKernels
import RealmObjects
import RealmStorage
import RealmValues

/// A property of the object itself compared with constants; whole leaves are tested at once.
final class ColumnTest {
  enum Kind {
    /// Ints that are not null, and for `notEqual` nulls too.
    case int(Comparison, Int64)
    /// Ints in a range that are not null.
    case intBetween(Int64, Int64)
    /// Ints among the keys, which ascend, and nulls if wanted.
    case intAny([Int64], matchesNull: Bool)
    /// Whether a bool is this one; null only where it has to differ.
    case bool(Bool, isEqual: Bool)
    /// As IEEE 754 compares; null only for `notEqual`.
    case double(Comparison, Double)
    case float(Comparison, Float)
    /// In the total order, where NaN is the least number; the key is no NaN.
    case orderedDouble(Comparison, Double)
    /// Dates that are not null, and for `notEqual` nulls too.
    case date(Comparison, Timestamp)
    /// Null, or not.
    case null(Bool)
    /// A text or binary against one that is not null.
    case text(ValueCondition, UnsafeRawBufferPointer, matchesNull: Bool)
    /// A text or binary against one, by a folding of all scripts.
    case folded(FoldedPattern, matchesNull: Bool)
    /// The general condition, with the constant on the right or on the left.
    case value(ValueCondition, QueryValue, isReversed: Bool)
    /// Equal to one of several values of the type of the column, which ascend.
    case any([QueryValue], matchesNull: Bool)
    /// Equal to a value, also by the key that a search index would have for both.
    case indexedMixed(QueryValue)
    /// A link to one of several objects, null if wanted; or, if not equal, to any other. The numbers
    /// are those stored for them, key + 1, and ascend.
    case link([Int64], matchesNull: Bool, isEqual: Bool)
    /// A link to an object with a property; null if wanted.
    case target(TargetTest, matchesNull: Bool)
  }

  /// Position of the column.
  let position: Int
  let kind: Kind
  /// Whether the column has nulls.
  let isNullable: Bool
  /// Leaves without an int or date in it have no match.
  let interval: ClosedRange<Int64>?
  /// The condition as it is understood, if somebody wants to know.
  var understood: UnderstoodCondition?

  init(_ property: Property, _ kind: Kind) {
    position = property.position
    isNullable = property.isNullable
    self.kind = kind
    interval = kind.interval
  }

  /// Whether the test holds for a value of the column.
  func matches(_ value: QueryValue) throws(QueryFailure) -> Bool {
    switch kind {
    case .int(let comparison, let key):
      if case .int(let number) = value { return comparison.holds(number, key) }
      return comparison == .notEqual
    case .intBetween(let low, let high):
      if case .int(let number) = value { return low <= number && number <= high }
      return false
    case .intAny(let keys, let matchesNull):
      if case .int(let number) = value {
        return keys.hasAscending { ScalarValue.compare($0, number) }
      }
      return matchesNull
    case .bool(let wanted, let isEqual):
      if case .bool(let flag) = value { return (flag == wanted) == isEqual }
      return !isEqual
    case .orderedDouble(let comparison, let key):
      if case .double(let number) = value {
        return comparison.holds(ScalarValue.compare(number, key), 0)
      }
      return comparison == .notEqual
    case .double(let comparison, let key):
      if case .double(let number) = value { return comparison.holds(number, key) }
      return comparison == .notEqual
    case .float(let comparison, let key):
      if case .float(let number) = value { return comparison.holds(number, key) }
      return comparison == .notEqual
    case .date(let comparison, let key):
      if case .date(let date) = value { return comparison.holds(date, key) }
      return comparison == .notEqual
    case .null(let isWanted): return value.isNull == isWanted
    case .text(let condition, let pattern, let matchesNull):
      guard let text = value.bytes else { return matchesNull }
      return condition.matches(text, pattern)
    case .folded(let pattern, let matchesNull):
      return value.bytes.map { pattern.matches($0) } ?? matchesNull
    case .value(let condition, let constant, let isReversed):
      return isReversed ? condition.holds(constant, value) : condition.holds(value, constant)
    case .any(let constants, let matchesNull):
      if value.isNull { return matchesNull }
      return constants.hasAscending { QueryValue.order($0, value) }
    case .indexedMixed(let constant):
      return ValueCondition(.equal).holds(value, constant) && value.hasIndexKey(of: constant)
    case .link(let keys, let matchesNull, let isEqual):
      guard let key = value.linkKey else { return matchesNull }
      return keys.hasAscending { ScalarValue.compare($0, key.rawValue &+ 1) } == isEqual
    case .target(let target, let matchesNull):
      guard let key = value.linkKey else { return matchesNull }
      return try target.matches(key)
    }
  }
}

extension Array {
  /// Whether an element of an ascending array has order 0.
  @inline(__always)
  func hasAscending(_ order: (Element) -> Int) -> Bool {
    var low = 0
    var high = count
    while low < high {
      let middle = low &+ (high &- low) / 2
      let result = order(self[middle])
      if result == 0 { return true }
      if result < 0 { low = middle &+ 1 } else { high = middle }
    }
    return false
  }
}

extension Comparison {
  /// Whether two values compare this way.
  @inline(__always)
  func holds<Value: Comparable>(_ a: Value, _ b: Value) -> Bool {
    switch self {
    case .equal: a == b
    case .notEqual: a != b
    case .less: a < b
    case .lessOrEqual: a <= b
    case .greater: a > b
    case .greaterOrEqual: a >= b
    }
  }
}

extension QueryValue {
  /// The object of a link.
  var linkKey: ObjectKey? {
    switch self {
    case .typedLink(_, let key), .link(let key): key
    default: nil
    }
  }

  /// Whether a search index on mixed values files both under one key.
  ///
  /// Source: query-language.md 9.4, last point.
  fileprivate func hasIndexKey(of other: QueryValue) -> Bool {
    switch (indexNumber, other.indexNumber) {
    case (let a?, let b?): return a == b
    case (nil, nil): break
    default: return false
    }
    switch (self, other) {
    case (.float(let a), .float(let b)): return a.bitPattern == b.bitPattern
    case (.double(let a), .double(let b)): return a.bitPattern == b.bitPattern
    case (.decimal(let a), .decimal(let b)): return a.low == b.low && a.high == b.high
    case (.float, _), (.double, _), (.decimal, _), (_, .float), (_, .double), (_, .decimal):
      return false
    default: return true
    }
  }

  /// The number a search index files the value under, for those it files under numbers.
  var indexNumber: Int64? {
    switch self {
    case .int(let value): value
    case .bool(let value): value ? 1 : 0
    case .float(let value): Int32(exactly: value).map { Int64($0) }
    case .double(let value): Int32(exactly: value).map { Int64($0) }
    case .decimal(let value): value.truncated
    default: nil
    }
  }
}

extension Decimal128 {
  /// The number without its fraction; nil beyond 64 bits and for what is no number.
  fileprivate var truncated: Int64? {
    guard isFinite else { return nil }
    var whole = coefficient
    if exponent > 0 {
      for _ in 0..<exponent where whole != 0 {
        whole = whole &* 10
        if whole > UInt128(UInt64.max) { return nil }
      }
    } else {
      for _ in 0..<(-exponent) where whole != 0 { whole /= 10 }
    }
    guard let magnitude = UInt64(exactly: whole) else { return nil }
    if isNegative { return magnitude <= 1 << 63 ? 0 &- Int64(bitPattern: magnitude) : nil }
    return Int64(exactly: magnitude)
  }
}
