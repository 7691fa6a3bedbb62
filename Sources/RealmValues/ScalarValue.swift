/// Null or one value of any type that is not a collection; what a mixed property can hold.
public enum ScalarValue: Sendable {
  case null
  case bool(Bool)
  case int(Int64)
  case float(Float)
  case double(Double)
  case decimal(Decimal128)
  /// The bytes of a text, UTF-8 unless the file is damaged.
  case string([UInt8])
  case data([UInt8])
  case date(Timestamp)
  case objectID(ObjectID)
  case uuid(UUIDValue)
  /// A link to an object of any table.
  case link(TableKey, ObjectKey)
  /// A link to an object of the one table that the context names.
  case key(ObjectKey)

  /// The type; nil for null.
  public var kind: ValueKind? {
    switch self {
    case .null: nil
    case .bool: .bool
    case .int: .int
    case .float: .float
    case .double: .double
    case .decimal: .decimal
    case .string: .string
    case .data: .data
    case .date: .date
    case .objectID: .objectID
    case .uuid: .uuid
    case .link: .typedLink
    case .key: .link
    }
  }
}

extension ScalarValue: Hashable {
  /// Whether both are the same value of the same type, bit by bit.
  ///
  /// This tells 1 from 1.0, decimal 1.0 from 1.00 and -0 from 0; see `isEqual` for the equality of
  /// queries.
  public static func == (a: ScalarValue, b: ScalarValue) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.bool(let x), .bool(let y)): x == y
    case (.int(let x), .int(let y)): x == y
    case (.float(let x), .float(let y)): x.bitPattern == y.bitPattern
    case (.double(let x), .double(let y)): x.bitPattern == y.bitPattern
    case (.decimal(let x), .decimal(let y)): x.low == y.low && x.high == y.high
    case (.string(let x), .string(let y)), (.data(let x), .data(let y)): x == y
    case (.date(let x), .date(let y)): x == y
    case (.objectID(let x), .objectID(let y)): x == y
    case (.uuid(let x), .uuid(let y)): x == y
    case (.link(let table, let x), .link(let otherTable, let y)): table == otherTable && x == y
    case (.key(let x), .key(let y)): x == y
    default: false
    }
  }

  /// Hashes type and bits.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    switch self {
    case .null: break
    case .bool(let value): hasher.combine(value)
    case .int(let value): hasher.combine(value)
    case .float(let value): hasher.combine(value.bitPattern)
    case .double(let value): hasher.combine(value.bitPattern)
    case .decimal(let value):
      hasher.combine(value.high)
      hasher.combine(value.low)
    case .string(let bytes), .data(let bytes): hasher.combine(bytes)
    case .date(let value): hasher.combine(value)
    case .objectID(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .link(let table, let key):
      hasher.combine(table)
      hasher.combine(key)
    case .key(let key): hasher.combine(key)
    }
  }
}
