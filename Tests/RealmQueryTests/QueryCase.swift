import RealmLanguage
import RealmObjects
import RealmQuery
import RealmStorage
import RealmValues
import TestSupport

/// One line of `cases/rql.jsonl`: a predicate with the answer of realm-core.
struct QueryCase {
  enum Expectation: Equatable {
    case keys([Int64])
    case error(String)
  }

  var id: String
  var file: String
  var className: String
  var predicate: String
  var arguments: [JSONValue]
  var expected: Expectation

  /// The name before the number in `id`.
  var feature: String { String(id[..<(id.lastIndex(of: "-") ?? id.endIndex)]) }

  /// All cases; nil if the folder with them is not at hand.
  static func load() -> [QueryCase]? {
    guard let path = Fixtures.shared("cases/rql.jsonl"), let text = Files.contents(path) else {
      return nil
    }
    return text.split(separator: UInt8(ascii: "\n")).compactMap { line in
      JSONValue(Array(line)).flatMap { QueryCase($0) }
    }
  }

  /// A case of which only the absence of a crash, or another answer, is expected.
  init(file: String, className: String, predicate: String) {
    id = "made-up"
    self.file = file
    self.className = className
    self.predicate = predicate
    arguments = []
    expected = .keys([])
  }

  private init?(_ json: JSONValue) {
    guard let id = json["id"]?.text, let file = json["file"]?.text,
      let className = json["class"]?.text, let predicate = json["predicate"]?.text,
      let expected = json["expect"]
    else { return nil }
    self.id = id
    self.file = file
    self.className = className
    self.predicate = predicate
    arguments = json["args"]?.elements ?? []
    if let category = expected["error"]?.text {
      self.expected = .error(category)
    } else {
      self.expected = .keys(expected["keys"]?.elements.compactMap(\.int) ?? [])
    }
  }
}

/// Runs cases on the data sets, which are opened once.
final class QueryCaseRunner {
  private var realms: [String: Realm] = [:]

  /// The answer of this program.
  func answer(_ one: QueryCase) throws -> QueryCase.Expectation {
    let realm = try realm(one.file)
    guard let objectClass = realm.schema.objectClass(named: one.className) else {
      return .error("no class \(one.className)")
    }
    do {
      let syntax = try PredicateParser.parse(one.predicate)
      let query = try Query(
        syntax, class: objectClass, schema: realm.schema,
        arguments: one.arguments.map { argument($0, realm.schema) })
      let keys = try query.keys()
      let count = try query.count()
      guard count == keys.count else { return .error("count is \(count), not \(keys.count)") }
      let everything = try Query(
        try PredicateParser.parse("TRUEPREDICATE"), class: objectClass, schema: realm.schema)
      guard try query.keys(among: try everything.keys()) == keys else {
        return .error("objects one by one give another result")
      }
      return .keys(keys.map(\.rawValue))
    } catch let error as SyntaxError {
      return .error(error.category.rawValue)
    } catch let QueryFailure.query(error) {
      return .error(error.category.rawValue)
    }
  }

  /// The query of a case, which can tell its warnings and steps.
  func query(_ one: QueryCase) throws -> Query? {
    let realm = try realm(one.file)
    guard let objectClass = realm.schema.objectClass(named: one.className) else { return nil }
    return try Query(
      try PredicateParser.parse(one.predicate), class: objectClass, schema: realm.schema,
      arguments: one.arguments.map { argument($0, realm.schema) },
      examining: Array(one.predicate.utf8))
  }

  private func realm(_ file: String) throws -> Realm {
    if let known = realms[file] { return known }
    let realm = try Realm(path: Fixtures.shared("fixtures/\(file)") ?? file)
    realms[file] = realm
    return realm
  }

  private func argument(_ json: JSONValue, _ schema: Schema) -> QueryArgument {
    if case .array(let elements) = json {
      return .list(elements.map { QueryCaseRunner.scalar($0, schema) })
    }
    return .scalar(QueryCaseRunner.scalar(json, schema))
  }

  /// A tagged value of `args`. Source: cases/README.md, "Arguments".
  private static func scalar(_ json: JSONValue, _ schema: Schema) -> ScalarValue {
    guard case .object(let members) = json, let (tag, value) = members.first else { return .null }
    let text = value.text ?? ""
    switch tag {
    case "int": return .int(value.int ?? 0)
    case "bool": return .bool(value.isTrue)
    case "float": return .float(Float(number(value)) ?? 0)
    case "double": return .double(Double(number(value)) ?? 0)
    case "string": return .string(Array(text.utf8))
    case "binary": return .data(base64(text))
    case "timestamp": return .date(timestamp(text))
    case "decimal128": return Decimal128(parsing: Array(text.utf8)).map { .decimal($0) } ?? .null
    case "objectId": return ObjectID(hex: Array(text.utf8)).map { .objectID($0) } ?? .null
    case "uuid": return UUIDValue(hex: Array(text.utf8)).map { .uuid($0) } ?? .null
    case "key": return .key(ObjectKey(value.int ?? 0))
    case "link":
      guard let name = value.elements.first?.text, let target = schema.objectClass(named: name),
        let key = value.elements.last?.int
      else { return .null }
      return .link(target.table.key, ObjectKey(key))
    default: return .null
    }
  }

  private static func number(_ json: JSONValue) -> String {
    if case .number(let text) = json { return text }
    return json.text ?? ""
  }

  private static func timestamp(_ text: String) -> Timestamp {
    let parts = text.dropFirst().split(separator: ":")
    return Timestamp(
      seconds: parts.first.flatMap { Int64($0) } ?? 0,
      nanoseconds: parts.last.flatMap { Int32($0) } ?? 0)
  }

  private static func base64(_ text: String) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var result: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    for byte in text.utf8 {
      guard let digit = alphabet.firstIndex(of: byte) else { break }
      bits = bits << 6 | UInt32(digit)
      count += 6
      if count >= 8 {
        count -= 8
        result.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    return result
  }
}
