import RealmObjects
import RealmStorage
import RealmValues

/// The type an operand has before any object is looked at. Source: query-language.md 1, 7.
enum DeclaredType: Equatable {
  case int, bool, string, binary, timestamp, float, double, decimal, objectID, uuid, mixed, link
  /// What `@type` yields.
  case typeName
  /// `null` where nothing gives it a type.
  case none

  init(_ kind: ValueKind) {
    switch kind {
    case .int: self = .int
    case .bool: self = .bool
    case .string: self = .string
    case .data: self = .binary
    case .mixed, .typedLink: self = .mixed
    case .date: self = .timestamp
    case .float: self = .float
    case .double: self = .double
    case .decimal: self = .decimal
    case .link: self = .link
    case .objectID: self = .objectID
    case .uuid: self = .uuid
    }
  }

  /// Int, float, double, decimal.
  var isNumeric: Bool {
    switch self {
    case .int, .float, .double, .decimal: true
    default: false
    }
  }

  /// Equal, or both numeric, or one of them mixed.
  func isCompatible(with other: DeclaredType) -> Bool {
    self == other || isNumeric && other.isNumeric || self == .mixed || other == .mixed
  }

  /// Whether a string operator can have it on the right.
  var isText: Bool { self == .string || self == .binary || self == .mixed }

  /// The name for messages.
  var name: String {
    switch self {
    case .int: "int"
    case .bool: "bool"
    case .string: "string"
    case .binary: "data"
    case .timestamp: "date"
    case .float: "float"
    case .double: "double"
    case .decimal: "decimal"
    case .objectID: "objectId"
    case .uuid: "uuid"
    case .mixed: "mixed"
    case .link: "link"
    case .typeName: "@type"
    case .none: "null"
    }
  }
}

extension QueryValue {
  /// The declared type of a constant with this value.
  var declaredType: DeclaredType {
    switch self {
    case .null: .none
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
    case .type: .typeName
    case .list, .dictionary: .mixed
    }
  }
}
