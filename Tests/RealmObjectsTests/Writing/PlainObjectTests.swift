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
  private func add(_ names: [String?], _ values: [InputValue]) throws -> Bool {
    let item = try realm.objectClass("Item")
    let key = try realm.writer.addPlain(item, count: values.count) { (names[$0], values[$0]) }
    return key != nil
  }

  @Test func fittingValuesAreAdded() throws {
    #expect(try add(["id", "name", "weight"], [1, "Tern", 2]))
    #expect(try add([nil, nil, nil], [2, .null, 3]))
    #expect(
      try realm.objects("Item") == [
        "{id: 1, name: \"Tern\", weight: 2.0}", "{id: 2, name: null, weight: 3.0}",
      ])
    try realm.commitAndCheck()
  }

  @Test func othersAreLeftToThePlan() throws {
    #expect(try add(["id", "name", "weight"], [1, "Tern", 2]))
    // The same primary key, a null that is not allowed, a wrong type, a wrong order, a missing
    // property.
    #expect(try !add(["id", "name", "weight"], [1, "Rook", 2]))
    #expect(try !add(["id", "name", "weight"], [2, "Rook", .null]))
    #expect(try !add(["id", "name", "weight"], [2, 3, 4]))
    #expect(try !add(["name", "id", "weight"], ["Rook", 2, 4]))
    #expect(try !add(["id", "name"], [2, "Rook"]))
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
    #expect(try boats.writer.addPlain(boat, count: 13) { _ in (nil, 1) } == nil)
  }
}
