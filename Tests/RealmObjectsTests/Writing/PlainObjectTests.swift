import RealmStorage
import RealmValues
import Testing

@testable import RealmObjects

/// Objects that are added without a plan: one that does not fit leaves no trace.
struct PlainObjectTests {
  private let realm: WrittenRealm

  init() throws {
    realm = try WrittenRealm { transaction in
      let item = try transaction.createTable("class_Item")
      for definition in [
        ColumnDefinition("id", .int), ColumnDefinition("name", .string, isNullable: true),
        ColumnDefinition("weight", .double),
      ] { _ = try transaction.addColumn(item, definition) }
      try transaction.setPrimaryKey(item, try transaction.columnKey(item, "id"))
    }
  }

  /// Whether an object was added.
  private func add(_ names: [StaticString?], _ values: [PlainValue]) throws -> Bool {
    let item = try realm.objectClass("Item")
    let key = try realm.writer.addPlain(item, count: values.count) { position in
      (names[position].map(Self.bytes), values[position])
    }
    return key != nil
  }

  /// The bytes of a literal, which live as long as the program.
  private static func bytes(_ text: StaticString) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
  }

  private static func text(_ text: StaticString) -> PlainValue { .string(bytes(text)) }

  @Test func fittingValuesAreAdded() throws {
    #expect(try add(["id", "name", "weight"], [.int(1), Self.text("Tern"), .int(2)]))
    #expect(try add([nil, nil, nil], [.int(2), .null, .double(3, text: Self.bytes("3.0"))]))
    #expect(
      try realm.objects("Item") == [
        "{id: 1, name: \"Tern\", weight: 2.0}", "{id: 2, name: null, weight: 3.0}",
      ])
    try realm.commitAndCheck()
  }

  @Test func othersAreLeftToThePlan() throws {
    let rook = Self.text("Rook")
    #expect(try add(["id", "name", "weight"], [.int(1), Self.text("Tern"), .int(2)]))
    // The same primary key, a null that is not allowed, a wrong type, a wrong order, a missing
    // property.
    #expect(try !add(["id", "name", "weight"], [.int(1), rook, .int(2)]))
    #expect(try !add(["id", "name", "weight"], [.int(2), rook, .null]))
    #expect(try !add(["id", "name", "weight"], [.int(2), .int(3), .int(4)]))
    #expect(try !add(["name", "id", "weight"], [rook, .int(2), .int(4)]))
    #expect(try !add(["id", "name"], [.int(2), rook]))
    try realm.add("Item", ["id": 3, "weight": 1])
    #expect(
      try realm.objects("Item") == [
        "{id: 1, name: \"Tern\", weight: 2.0}", "{id: 3, name: null, weight: 1.0}",
      ])
    try realm.commitAndCheck()
  }

  @Test func embeddedAndLinkedObjectsAreLeftToThePlan() throws {
    let boats = try WrittenRealm.boats()
    let log = try boats.objectClass("Log")
    #expect(try boats.writer.addPlain(log, count: 2) { _ in (nil, .null) } == nil)
    let boat = try boats.objectClass("Boat")
    #expect(try boats.writer.addPlain(boat, count: 13) { _ in (nil, .int(1)) } == nil)
  }
}
