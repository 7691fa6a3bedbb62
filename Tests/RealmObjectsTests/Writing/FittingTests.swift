import RealmStorage
import RealmValues
import TestSupport
import Testing

@testable import RealmObjects

/// What fits which type.
///
/// Source: object-model.md 4.6, 10.2.
struct FittingTests {
  /// One property of each type, required, in a class without primary key.
  private func realm(nullable: Bool = false) throws -> WrittenRealm {
    try WrittenRealm { transaction in
      let table = try transaction.createTable("class_All")
      let kinds: [ValueKind] = [
        .int, .bool, .string, .data, .date, .float, .double, .decimal, .objectID, .uuid, .mixed,
      ]
      for kind in kinds {
        let definition = ColumnDefinition(kind.name, kind, isNullable: nullable)
        _ = try transaction.addColumn(table, definition)
      }
      let links = ColumnDefinition("set", .mixed, collection: .set)
      _ = try transaction.addColumn(table, links)
    }
  }

  /// What a property holds after it was set to a value, or the error.
  private func stored(_ realm: WrittenRealm, _ property: String, _ value: InputValue) throws
    -> String
  {
    let objects = try realm.objectClass("All")
    let key = ObjectKey(0)
    if try realm.count("All") == 0 { try realm.add("All", []) }
    let text = try realm.error {
      let changes = [PropertyChange([.property(property)], .replace(value))]
      let plan = try realm.writer.planSet(objects, key, changes)
      _ = plan
    }
    guard text == "no error" else { return String(text.prefix { $0 != "/" }) }
    let changes = [PropertyChange([.property(property)], .replace(value))]
    _ = try realm.writer.apply(try realm.writer.planSet(objects, key, changes))
    try realm.realm.refresh()
    return try realm.text("All", key, property)
  }

  @Test func numbers() throws {
    let realm = try realm()
    let mismatch = "TypeMismatch"
    #expect(try stored(realm, "int", 2.0) == "2")
    #expect(try stored(realm, "int", 2.5) == mismatch)
    #expect(try stored(realm, "int", 1e300) == mismatch)
    #expect(try stored(realm, "int", true) == mismatch)
    #expect(try stored(realm, "int", "2") == mismatch)
    #expect(try stored(realm, "bool", 1) == "true")
    #expect(try stored(realm, "bool", 0) == "false")
    #expect(try stored(realm, "bool", 2) == mismatch)
    #expect(try stored(realm, "float", 3) == "3.0f")
    #expect(try stored(realm, "float", 1.5) == "1.5f")
    #expect(try stored(realm, "float", 1e300) == mismatch)
    #expect(try stored(realm, "float", .scalar(.double(.infinity))) == "inff")
    #expect(try stored(realm, "float", .scalar(.double(.nan))) == "nanf")
    #expect(try stored(realm, "double", 3) == "3.0")
    #expect(try stored(realm, "double", .scalar(.float(0.5))) == "0.5")
    #expect(try stored(realm, "double", .number(.float(0.1), text: "0.1f")) == "0.1")
    #expect(try stored(realm, "double", "1") == mismatch)
  }

  @Test func decimals() throws {
    let realm = try realm()
    #expect(try stored(realm, "decimal128", 3) == "decimal(3)")
    #expect(
      try stored(realm, "decimal128", .number(.double(1.1), text: "1.10")) == "decimal(1.10)")
    #expect(
      try stored(realm, "decimal128", .number(.float(1.5), text: "1.50f")) == "decimal(1.50)")
    #expect(
      try stored(realm, "decimal128", .number(.double(.infinity), text: "inf")) == "decimal(Inf)")
    #expect(try stored(realm, "decimal128", 0.1) == "decimal(1.00000000000000E-1)")
    #expect(try stored(realm, "decimal128", "12.50") == "decimal(12.50)")
    #expect(try stored(realm, "decimal128", "1e") == "TypeMismatch")
    #expect(try stored(realm, "decimal128", "") == "TypeMismatch")
    #expect(
      try stored(realm, "decimal128", .number(.double(1e20), text: "100000000000000000001"))
        == "decimal(+100000000000000000001E+0)")
  }

  @Test func otherTypes() throws {
    let realm = try realm()
    let mismatch = "TypeMismatch"
    let uuid = "3b241101-e2bb-4255-8caf-4136c566a962"
    #expect(try stored(realm, "uuid", .init(stringLiteral: uuid)) == "uuid(\(uuid))")
    #expect(try stored(realm, "uuid", "3b241101") == mismatch)
    #expect(try stored(realm, "objectId", "64f1c2a90f3b5d0012ab34cd") == mismatch)
    #expect(try stored(realm, "string", 5) == mismatch)
    #expect(try stored(realm, "data", "x") == mismatch)
    #expect(try stored(realm, "data", .scalar(.data([1, 2]))) == "data(2)")
    #expect(try stored(realm, "date", 5) == mismatch)
    let date = Timestamp(seconds: -1, nanoseconds: -500_000_000)
    #expect(try stored(realm, "date", .scalar(.date(date))) == "date(-1, -500000000)")
    for name in ["int", "bool", "string", "data", "date", "float", "double", "decimal128", "uuid"] {
      #expect(try stored(realm, name, .null) == "PropertyNotNullable")
      #expect(try stored(realm, name, [1]) == mismatch)
      #expect(try stored(realm, name, ["a": 1]) == mismatch)
    }
    let optional = try self.realm(nullable: true)
    for name in ["int", "bool", "string", "data", "date", "float", "double", "decimal128", "uuid"] {
      #expect(try stored(optional, name, .null) == "null")
    }
  }

  /// Objects are appended in batches; reading does not wait for the end of one.
  @Test func appendedObjectsCanBeReadAtOnce() throws {
    let realm = try realm(nullable: true)
    let transaction = try #require(realm.realm.transaction)
    let table = try realm.objectClass("All").table
    let id = try #require(ObjectID(hex: Array("64f1c2a90f3b5d0012ab34cd".utf8)))
    let uuid = try #require(UUIDValue(hex: Array("3b241101-e2bb-4255-8caf-4136c566a962".utf8)))
    let values: [ScalarValue] = [
      .int(5), .bool(true), .string([97]), .data([1, 2]),
      .date(Timestamp(seconds: -1, nanoseconds: -5)), .float(1.5), .double(2.5),
      .decimal(Decimal128(7)), .objectID(id), .uuid(uuid), .string([98]),
    ]
    let nulls = InputValue.array(values.map { _ in .null })
    for i in 0..<600 {
      let input = i % 2 == 0 ? InputValue.array(values.map { .scalar($0) }) : nulls
      let outcome = try realm.writer.apply(
        try realm.writer.planAdd(try realm.objectClass("All"), [input]))
      let key = outcome.subjects[0].key
      for (position, value) in values.enumerated() {
        let column = table.columns[position].key
        let expected = i % 2 == 0 ? value : .null
        #expect(try transaction.value(table.key, key, column) == expected)
        guard case .scalar(expected) = try transaction.mixed(table.key, key, column) else {
          Issue.record("\(column)")
          continue
        }
      }
      #expect(try transaction.elements(table.key, key, table.columns[values.count].key).isEmpty)
    }
    try realm.commitAndCheck()
  }

  @Test func sizes() throws {
    let realm = try realm()
    let text = [UInt8](repeating: 120, count: 16_777_200)
    #expect(try stored(realm, "string", .scalar(.string(text))) == "LimitExceeded")
    #expect(try stored(realm, "mixed", .scalar(.string(text))) == "LimitExceeded")
    #expect(try stored(realm, "data", .scalar(.data(text))) == "data(16777200)")
    #expect(try stored(realm, "data", .scalar(.data(text + [0]))) == "LimitExceeded")
  }

  @Test func setsOfMixedValues() throws {
    let realm = try realm()
    let one = InputValue.scalar(.decimal(Decimal128(1)))
    #expect(
      try stored(realm, "set", [1, 1.0, one, true, "1", .null]) == "[null, true, 1, \"1\"]")
    #expect(try stored(realm, "set", [[1]]) == "IllegalOperation")
    #expect(
      try stored(realm, "set", [1, .scalar(.double(.nan)), .scalar(.double(.nan)), .null])
        == "[null, nan, 1]")
    #expect(try stored(realm, "set", 5) == "TypeMismatch")
  }
}
