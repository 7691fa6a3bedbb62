/// The types of values that columns declare; the raw values are those in the file.
///
/// Source: file-format.md 0.
public enum ValueKind: UInt8, Hashable, Sendable {
  case int = 0
  case bool = 1
  case string = 2
  case data = 4
  case mixed = 6
  case date = 8
  case float = 9
  case double = 10
  case decimal = 11
  case link = 12
  case objectID = 15
  case typedLink = 16
  case uuid = 17

  /// The word for the type in schemas and messages.
  public var name: String {
    switch self {
    case .int: "int"
    case .bool: "bool"
    case .string: "string"
    case .data: "data"
    case .mixed: "mixed"
    case .date: "date"
    case .float: "float"
    case .double: "double"
    case .decimal: "decimal128"
    case .link, .typedLink: "link"
    case .objectID: "objectId"
    case .uuid: "uuid"
    }
  }
}
