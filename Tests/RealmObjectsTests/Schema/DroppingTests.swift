import RealmObjects
import RealmStorage
import RealmValues
import Testing

/// The statements `rename`, `drop` and `schema version`.
///
/// Source: shell.md 7.
struct DroppingTests {
  /// Persons with dogs and embedded addresses.
  private func dogs() throws -> SchemaFile {
    let file = try SchemaFile(
      define("Dog", "_id: int primary", "name: string indexed", "note: string fulltext"),
      define(
        "Person", "dog: Dog?", "dogs: Dog[]", "byName: Dog?{}", "any: mixed", "anys: mixed[]",
        "home: Address?"),
      define("Address embedded", "street: string", "next: Person?"))
    try file.write {
      let transaction = try #require(file.realm.transaction)
      let dog = try file.add("Dog", ["_id": .int(1), "name": .text("Rex")])
      let link = ScalarValue.link(try file.objectClass("Dog").table.key, dog)
      let person = try file.add("Person", ["dog": link, "any": link])
      let table = try file.objectClass("Person").table.key
      try transaction.insert(table, person, try file.column("dogs", of: "Person"), at: 0, link)
      try transaction.insert(table, person, try file.column("anys", of: "Person"), at: 0, link)
      try transaction.set(
        table, person, try file.column("byName", of: "Person"), key: Array("r".utf8), link)
      let home = try transaction.createEmbedded(
        table, person, try file.column("home", of: "Person"))
      try transaction.set(
        try file.objectClass("Address").table.key, home, try file.column("next", of: "Address"),
        .link(table, person))
    }
    return file
  }

  @Test func renamedClass() throws {
    let file = try dogs()
    try file.write { try file.editor.renameClass("Dog", to: "Hound") }
    #expect(file.realm.schema.objectClass(named: "Dog") == nil)
    #expect(try file.values("name", of: "Hound") == ["Rex"])
    #expect(try file.properties("Person")[0] == property("dog: Hound?"))
  }

  @Test func renamedProperty() throws {
    let file = try dogs()
    try file.write {
      try file.editor.renameProperty("name", of: "Dog", to: "called")
      try file.editor.renameProperty("_id", of: "Dog", to: "key")
    }
    #expect(
      try file.properties("Dog") == [
        property("key: int primary"), property("called: string indexed"),
        property("note: string fulltext"),
      ])
    #expect(try file.values("called", of: "Dog") == ["Rex"])
  }

  @Test func wrongNames() throws {
    let file = try dogs()
    let long = String(repeating: "x", count: 64)
    try file.refuse("NoSuchTable") { try file.editor.renameClass("Cat", to: "Hound") }
    try file.refuse("NoSuchTable") { try file.editor.renameClass("metadata", to: "Hound") }
    try file.refuse("InvalidName") { try file.editor.renameClass("Dog", to: "Person") }
    try file.refuse("InvalidName") { try file.editor.renameClass("Dog", to: long) }
    try file.refuse("InvalidName") { try file.editor.renameClass("Dog", to: "") }
    try file.refuse("InvalidProperty") {
      try file.editor.renameProperty("age", of: "Dog", to: "name")
    }
    try file.refuse("InvalidName") { try file.editor.renameProperty("_id", of: "Dog", to: "name") }
    try file.refuse("InvalidName") { try file.editor.renameProperty("_id", of: "Dog", to: long) }
  }

  @Test func classInUse() throws {
    let file = try dogs()
    try file.refuse("InUse") {
      try file.editor.dropClass("Dog")
    } check: { error in
      guard case .inUse("Dog", let places) = error else { return }
      #expect(places.map { $0.property } == ["dog", "dogs", "byName"])
    }
    try file.refuse("InUse") { try file.editor.dropClass("Address") }
    try file.refuse("NoSuchTable") { try file.editor.dropClass("Cat") }
  }

  @Test func classWithLinksToIt() throws {
    let file = try dogs()
    let outcome = try file.write { try file.editor.dropClass("Dog", droppingLinks: true) }
    #expect(outcome.objectCount == 1)
    #expect(outcome.links.map { $0.property } == ["dog", "dogs", "byName"])
    #expect(try file.properties("Person").map { $0.name } == ["any", "anys", "home"])
    // What was a mixed link is null, or gone from its list.
    #expect(try file.values("any", of: "Person") == [nil])
    #expect(try file.values("anys", of: "Person") == [.list([])])
    #expect(file.realm.schema.objectClass(named: "Dog") == nil)
  }

  @Test func classWithEmbeddedObjects() throws {
    let file = try dogs()
    let outcome = try file.write { try file.editor.dropClass("Person", droppingLinks: true) }
    #expect(outcome.links == [SchemaError.Place("Address", "next")])
    #expect(try file.objectClass("Address").table.objectCount() == 0)
    try file.write { try file.editor.dropClass("Address") }
    try file.write { try file.editor.dropClass("Dog") }
    #expect(file.realm.schema.classes.isEmpty)
    try file.write { try file.editor.declare([define("Dog", "n: int")]) }
  }

  @Test func properties() throws {
    let file = try dogs()
    try file.write {
      #expect(
        try file.editor.dropProperty("_id", of: "Dog") == property("_id: int primary"))
      try file.editor.dropProperty("home", of: "Person")
      try file.editor.dropProperty("any", of: "Person")
      try file.editor.dropProperty("dogs", of: "Person")
    }
    #expect(try file.objectClass("Dog").primaryKey == nil)
    #expect(try file.objectClass("Address").table.objectCount() == 0)
    try file.refuse("InvalidProperty") { try file.editor.dropProperty("any", of: "Person") }
    try file.refuse("NoSuchTable") { try file.editor.dropProperty("any", of: "Cat") }
  }

  @Test func indexes() throws {
    let file = try dogs()
    try file.refuse("IllegalOperation") { try file.editor.dropIndex(of: "_id", in: "Dog") }
    try file.refuse("IllegalOperation") { try file.editor.dropIndex(of: "any", in: "Person") }
    try file.write {
      try file.editor.dropIndex(of: "name", in: "Dog")
      try file.editor.dropIndex(of: "note", in: "Dog")
    }
    #expect(
      try file.properties("Dog") == [
        property("_id: int primary"), property("name: string"), property("note: string"),
      ])
  }

  @Test func schemaVersion() throws {
    let file = try SchemaFile()
    #expect(try file.write { try file.editor.setVersion(4) } == nil)
    #expect(try file.write { try file.editor.setVersion(2) } == 4)
    #expect(file.realm.schema.version == 2)
  }
}
