extension ScalarValue {
  /// The order of values of all types: below 0 if this one comes before `other`, 0 if both are
  /// equal.
  ///
  /// Null, then bools, numbers, strings, data, dates, object ids, uuids, links. Numbers of all
  /// types are ordered by value. Source: query-language.md 4.
  public func totalOrder(_ other: ScalarValue) -> Int {
    switch (self, other) {
    case (.bool(let a), .bool(let b)): (a ? 1 : 0) - (b ? 1 : 0)
    case (.string(let a), .string(let b)), (.data(let a), .data(let b)): Self.compare(a, b)
    case (.date(let a), .date(let b)): Self.compare(a, b)
    case (.objectID(let a), .objectID(let b)): Self.compare(a, b)
    case (.uuid(let a), .uuid(let b)): Self.compare(a, b)
    case (.link(let table, let a), .link(let otherTable, let b)):
      table == otherTable ? Self.compare(a, b) : Self.compare(table, otherTable)
    case (.key(let a), .key(let b)): Self.compare(a, b)
    default:
      isNumeric && other.isNumeric ? compareNumbers(other) : rank - other.rank
    }
  }

  /// Whether the two may be compared in a query: both of one type, or both numbers; never null.
  public func isComparable(with other: ScalarValue) -> Bool { rank == other.rank && rank != 0 }

  /// The equality of queries: both null, or comparable and of the same place in the order.
  public func isEqual(to other: ScalarValue) -> Bool { totalOrder(other) == 0 }

  /// Whether the value is an int, a float, a double or a decimal.
  public var isNumeric: Bool { rank == 2 }

  /// Place of the type in the order; all numbers share one, and only null has 0.
  private var rank: Int {
    switch self {
    case .null: 0
    case .bool: 1
    case .int, .float, .double, .decimal: 2
    case .string: 3
    case .data: 4
    case .date: 5
    case .objectID: 6
    case .uuid: 7
    case .link: 8
    case .key: 9
    }
  }

  /// Both values must be numbers.
  private func compareNumbers(_ other: ScalarValue) -> Int {
    switch (self, other) {
    case (.int(let a), .int(let b)): Self.compare(a, b)
    case (.int(let a), .float(let b)): Self.compare(a, Double(b))
    case (.int(let a), .double(let b)): Self.compare(a, b)
    case (.float(let a), .int(let b)): -Self.compare(b, Double(a))
    case (.float(let a), .float(let b)): Self.compare(a, b)
    case (.float(let a), .double(let b)): Self.compare(Double(a), b)
    case (.double(let a), .int(let b)): -Self.compare(b, a)
    case (.double(let a), .float(let b)): Self.compare(a, Double(b))
    case (.double(let a), .double(let b)): Self.compare(a, b)
    default: Decimal128.compare(decimal, other.decimal)
    }
  }

  /// The number as decimal, rounded as in comparisons; the value must be a number.
  private var decimal: Decimal128 {
    switch self {
    case .int(let value): Decimal128(value)
    case .float(let value): Decimal128(rounding: value)
    case .double(let value): Decimal128(rounding: value)
    case .decimal(let value): value
    default: preconditionFailure("not a number")
    }
  }
}
