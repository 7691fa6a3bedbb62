public import RealmValues

/// A value as it lies in the file: texts and binaries are not copied.
///
/// Valid while the `RealmFile` that it was read from is alive.
public enum StoredValue {
  case null
  case bool(Bool)
  case int(Int64)
  case float(Float)
  case double(Double)
  case decimal(Decimal128)
  /// Text; need not be valid UTF-8.
  case string(UnsafeRawBufferPointer)
  case data(UnsafeRawBufferPointer)
  case date(Timestamp)
  case objectID(ObjectID)
  case uuid(UUIDValue)
  /// A link to an object of a table; the object may be missing in a damaged file.
  case link(TableKey, ObjectKey)
  /// A list or a set.
  case list(StoredList)
  case dictionary(StoredDictionary)
}

extension StoredValue {
  /// A copy that does not depend on the file; nil for collections.
  public var scalar: ScalarValue? {
    switch self {
    case .null: .null
    case .bool(let value): .bool(value)
    case .int(let value): .int(value)
    case .float(let value): .float(value)
    case .double(let value): .double(value)
    case .decimal(let value): .decimal(value)
    case .string(let bytes): .string([UInt8](bytes))
    case .data(let bytes): .data([UInt8](bytes))
    case .date(let value): .date(value)
    case .objectID(let value): .objectID(value)
    case .uuid(let value): .uuid(value)
    case .link(let table, let key): .link(table, key)
    case .list, .dictionary: nil
    }
  }
}
