import RealmObjects
import RealmStorage
import RealmValues
import TestSupport
import Testing

/// The data sets of the query cases, read as their descriptions tell.
///
/// Source: cases/README.md, "Data sets of the query cases".
@Suite(.enabled(if: Fixtures.shared != nil, "the folder shared is not beside the checkout"))
struct QueryDataTests {
  @Test(arguments: ["scalars", "harbor", "crates", "mixed", "atlas"])
  func equalsItsDescription(_ name: String) throws {
    let stem = try #require(Fixtures.shared) + "/fixtures/rql-\(name)"
    let realm = try Realm(path: "\(stem).realm")
    let description = try #require(JSONValue(Files.read("\(stem).json")))
    let classes = description["classes"]?.elements ?? []
    #expect(realm.schema.classes.count == classes.count)
    for recorded in classes {
      let className = try #require(recorded["name"]?.text)
      let objectClass = try #require(realm.schema.objectClass(named: className))
      expectSchema(objectClass, recorded)
      try expectObjects(objectClass, recorded["objects"]?.elements ?? [], realm.schema)
    }
  }

  private func expectSchema(_ objectClass: ObjectClass, _ recorded: JSONValue) {
    #expect(Int64(objectClass.table.key.rawValue) == recorded["tableKey"]?.int)
    #expect(objectClass.isEmbedded == recorded["embedded"]?.isTrue)
    #expect(objectClass.primaryKey?.name == recorded["primaryKey"]?.text)
    let properties = recorded["properties"]?.elements ?? []
    #expect(objectClass.properties.map(\.name) == properties.map { $0["name"]?.text })
    for (property, expected) in zip(objectClass.properties, properties) {
      let place: Comment = "\(objectClass.name).\(property.name)"
      let column = objectClass.table.columns[property.position]
      let index = column.hasFullTextIndex ? "fulltext" : column.hasIndex ? "general" : "none"
      #expect(QueryDataForm.name(property.kind) == expected["type"]?.text, place)
      #expect("\(property.collection)" == expected["collection"]?.text, place)
      #expect(property.isNullable == expected["optional"]?.isTrue, place)
      #expect(property.targetName == expected["target"]?.text, place)
      #expect(index == expected["index"]?.text, place)
    }
  }

  private func expectObjects(
    _ objectClass: ObjectClass, _ recorded: [JSONValue], _ schema: Schema
  ) throws {
    let form = QueryDataForm(schema: schema)
    let cursor = try TableCursor(
      objectClass.table, columns: objectClass.properties.map(\.position))
    var position = 0
    while try cursor.next() {
      for row in 0..<cursor.count {
        try #require(position < recorded.count)
        let expected = recorded[position]
        position += 1
        #expect(cursor.key(at: row).rawValue == expected["key"]?.int)
        for (i, property) in objectClass.properties.enumerated() {
          let value = try form.value(
            try cursor.value(i, at: row), isMixed: property.kind == .mixed,
            isCollection: property.collection != .none)
          let wanted = expected["values"]?[property.name] ?? .null
          let place: Comment = "\(objectClass.name)#\(position - 1).\(property.name)"
          #expect(QueryDataForm.areEqual(value, wanted), place)
        }
      }
    }
    #expect(position == recorded.count)
  }
}

/// Values in the form of the descriptions.
struct QueryDataForm {
  let schema: Schema

  /// The name of a type; links have one for all classes.
  static func name(_ kind: ValueKind) -> String {
    switch kind {
    case .data: "binary"
    case .date: "timestamp"
    case .decimal: "decimal128"
    case .objectID: "objectId"
    default: "\(kind)"
    }
  }

  /// A value; inside mixed with a tag for its type.
  ///
  /// - Parameter isCollection: Whether it is the collection of a property, which has no tag.
  func value(
    _ value: StoredValue, isMixed: Bool, isCollection: Bool = false
  ) throws -> JSONValue {
    func tagged(_ tag: String, _ plain: JSONValue) -> JSONValue {
      isMixed ? .object([(tag, plain)]) : plain
    }
    switch value {
    case .null: return .null
    case .bool(let flag): return tagged("bool", .bool(flag))
    case .int(let number): return tagged("int", .number("\(number)"))
    case .float(let number): return tagged("float", Self.number(Double(number)))
    case .double(let number): return tagged("double", Self.number(number))
    case .decimal(let number): return tagged("decimal128", .string("\(number)"))
    case .string(let bytes):
      return tagged("string", .string(String(decoding: bytes, as: UTF8.self)))
    case .data(let bytes): return tagged("binary", .string(base64([UInt8](bytes))))
    case .date(let date):
      return tagged("timestamp", .string("T\(date.seconds):\(date.nanoseconds)"))
    case .objectID(let id): return tagged("objectId", .string("\(id)"))
    case .uuid(let id): return tagged("uuid", .string("\(id)"))
    case .link(let table, let key):
      let plain = JSONValue.number("\(key.rawValue)")
      guard isMixed else { return plain }
      let name = try #require(schema.objectClass(table)).name
      return .object([("link", .array([.string(name), plain]))])
    case .list(let list):
      let members = JSONValue.array(try list.values().map { try self.value($0, isMixed: isMixed) })
      return isCollection ? members : tagged("list", members)
    case .dictionary(let dictionary):
      let members = JSONValue.object(
        try dictionary.entries().map {
          (String(decoding: $0.key, as: UTF8.self), try self.value($0.value, isMixed: isMixed))
        })
      return isCollection ? members : tagged("dictionary", members)
    }
  }

  private static func number(_ value: Double) -> JSONValue {
    if value.isNaN { return .string("NaN") }
    if value.isInfinite { return .string(value < 0 ? "-Infinity" : "Infinity") }
    return .number("\(value)")
  }

  /// Compares numbers by value and objects without regard to the order of members.
  static func areEqual(_ a: JSONValue, _ b: JSONValue) -> Bool {
    switch (a, b) {
    case (.number(let x), .number(let y)): x == y || (Int64(x) == nil && Double(x) == Double(y))
    case (.array(let x), .array(let y)):
      x.count == y.count && zip(x, y).allSatisfy { areEqual($0, $1) }
    case (.object(let x), .object(let y)):
      x.count == y.count
        && x.allSatisfy { member in b[member.key].map { areEqual(member.value, $0) } ?? false }
    default: a == b
    }
  }
}
