import RealmStorage
import RealmValues

/// A value while a predicate is evaluated: texts and binaries are not copied.
///
/// Bytes belong to the file or to the `ConstantPool` of the query.
enum QueryValue {
  case null
  case bool(Bool)
  case int(Int64)
  case float(Float)
  case double(Double)
  case decimal(Decimal128)
  case string(UnsafeRawBufferPointer)
  case data(UnsafeRawBufferPointer)
  case date(Timestamp)
  case objectID(ObjectID)
  case uuid(UUIDValue)
  /// A link as mixed values have it: with its table.
  case typedLink(TableKey, ObjectKey)
  /// A link as link properties have it.
  case link(ObjectKey)
  /// What `@type` yields.
  case type(TypeSet)
  case list(StoredList)
  case dictionary(StoredDictionary)

  /// A value of a property, a collection or a mixed value.
  @inline(__always)
  init(_ value: StoredValue) {
    switch value {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .int(value)
    case .float(let value): self = .float(value)
    case .double(let value): self = .double(value)
    case .decimal(let value): self = .decimal(value)
    case .string(let value): self = .string(value)
    case .data(let value): self = .data(value)
    case .date(let value): self = .date(value)
    case .objectID(let value): self = .objectID(value)
    case .uuid(let value): self = .uuid(value)
    case .link(let table, let key): self = .typedLink(table, key)
    case .list(let value): self = .list(value)
    case .dictionary(let value): self = .dictionary(value)
    }
  }

  var isNull: Bool { if case .null = self { true } else { false } }

  var isTypedLink: Bool { if case .typedLink = self { true } else { false } }

  /// The bytes of a string or binary.
  var bytes: UnsafeRawBufferPointer? {
    switch self {
    case .string(let bytes), .data(let bytes): bytes
    default: nil
    }
  }

  /// The value as a table looks it up, for the types of primary keys.
  var primaryKey: ScalarValue? {
    switch self {
    case .null: .null
    case .int(let value): .int(value)
    case .string(let text): .string([UInt8](text))
    case .objectID(let value): .objectID(value)
    case .uuid(let value): .uuid(value)
    default: nil
    }
  }

  /// Place of the kind in the total order; numbers share one.
  var rank: Int {
    switch self {
    case .null: 0
    case .bool: 1
    case .int, .float, .double, .decimal: 2
    case .string: 3
    case .data: 4
    case .date: 5
    case .objectID: 6
    case .uuid: 7
    case .typedLink: 8
    case .link: 9
    case .list(let list): list.isSet ? 11 : 10
    case .dictionary: 12
    case .type: 13
    }
  }
}

/// Kinds of values as `@type` tells them; a name can stand for several.
///
/// Source: query-language.md 15.
struct TypeSet: OptionSet {
  let rawValue: UInt32

  static let null = TypeSet(rawValue: 1 << 0)
  static let int = TypeSet(rawValue: 1 << 1)
  static let bool = TypeSet(rawValue: 1 << 2)
  static let string = TypeSet(rawValue: 1 << 3)
  static let binary = TypeSet(rawValue: 1 << 4)
  static let timestamp = TypeSet(rawValue: 1 << 5)
  static let float = TypeSet(rawValue: 1 << 6)
  static let double = TypeSet(rawValue: 1 << 7)
  static let decimal = TypeSet(rawValue: 1 << 8)
  static let link = TypeSet(rawValue: 1 << 9)
  static let objectID = TypeSet(rawValue: 1 << 10)
  static let uuid = TypeSet(rawValue: 1 << 11)
  static let dictionary = TypeSet(rawValue: 1 << 12)
  static let list = TypeSet(rawValue: 1 << 13)

  private static let names: [String: TypeSet] = [
    "null": .null, "int": .int, "integer": .int, "int16": .int, "int32": .int, "int64": .int,
    "short": .int, "long": .int, "byte": .int, "char": .int, "bool": .bool, "boolean": .bool,
    "string": .string, "binary": .binary, "data": .binary, "bytearray": .binary,
    "byte[]": .binary, "bindata": .binary, "date": .timestamp, "datetimeoffset": .timestamp,
    "timestamp": .timestamp, "float": .float, "double": .double, "decimal": .decimal,
    "decimal128": .decimal, "link": .link, "objectlink": .link, "objectid": .objectID,
    "uuid": .uuid, "guid": .uuid, "object": .dictionary, "dictionary": .dictionary,
    "array": .list, "list": .list, "numeric": [.int, .float, .double, .decimal],
    "collection": [.list, .dictionary],
  ]

  /// The kinds a name stands for, in any letter case; nil if it is unknown.
  init?(name: UnsafeRawBufferPointer) {
    guard let types = TypeSet.names[String(decoding: name, as: UTF8.self).lowercased()] else {
      return nil
    }
    self = types
  }

  init(rawValue: UInt32) { self.rawValue = rawValue }

  /// All names, for suggestions.
  static var allNames: [String] { names.keys.sorted() }
}

extension QueryValue {
  /// The kind of the value.
  var typeSet: TypeSet {
    switch self {
    case .null, .type: .null
    case .bool: .bool
    case .int: .int
    case .float: .float
    case .double: .double
    case .decimal: .decimal
    case .string: .string
    case .data: .binary
    case .date: .timestamp
    case .objectID: .objectID
    case .uuid: .uuid
    case .typedLink, .link: .link
    case .list: .list
    case .dictionary: .dictionary
    }
  }
}
