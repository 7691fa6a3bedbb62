import RealmObjects
import RealmStorage
import RealmValues
import Testing

/// The statement `alter`.
///
/// Source: shell.md 7, object-model.md 8.7.
struct AlteringTests {
  /// Dogs with ages from 0 on; every third has no color.
  private func dogs(_ count: Int = 3) throws -> SchemaFile {
    let file = try SchemaFile(
      define(
        "Dog", "_id: int primary", "name: string indexed", "age: int", "color: string?",
        "tags: int[]", "note: string? fulltext", "marks: string?<>", "scores: double?{}"))
    try file.write {
      let transaction = try #require(file.realm.transaction)
      for i in 0..<count {
        let dog = try file.add(
          "Dog",
          [
            "_id": .int(Int64(i)), "name": .text("dog \(i)"), "age": .int(Int64(i)),
            "color": i % 3 == 2 ? .null : .text("color \(i)"), "note": .text("good dog"),
          ])
        let table = try file.objectClass("Dog").table.key
        for n in 0..<2 {
          try transaction.insert(
            table, dog, try file.column("tags", of: "Dog"), at: n, .int(Int64(i * 1000 + n)))
        }
        try transaction.insert(
          table, dog, try file.column("marks", of: "Dog"), member: .text("m"))
        try transaction.set(
          table, dog, try file.column("scores", of: "Dog"), key: Array("s".utf8),
          .double(Double(i)))
      }
      file.realm.noteChange()
    }
    return file
  }

  @discardableResult
  private func alter(
    _ file: SchemaFile, _ text: String, _ value: ((ObjectKey) -> InputValue)? = nil
  ) throws -> AlterationOutcome {
    let alteration = try file.editor.planAlteration(
      of: "Dog", to: property(text), takesValues: value != nil)
    if let value { for object in alteration.objects { try alteration.supply(value(object)) } }
    return try alteration.apply()
  }

  @Test(arguments: [3, 700])
  func nullability(count: Int) throws {
    let file = try dogs(count)
    let before = try file.contents()
    let texts = [
      "_id: int? primary", "name: string? indexed", "age: int?", "tags: int?[]",
    ]
    let order = try file.properties("Dog").map { $0.name }
    for text in texts {
      let outcome = try file.write { try alter(file, text) }
      #expect(outcome.new == property(text))
      #expect(outcome.rewrittenCount == nil)
      #expect(try file.properties("Dog").contains(property(text)))
      #expect(try file.contents() == before)
    }
    for text in texts + ["note: string fulltext", "marks: string<>", "scores: double{}"] {
      let required = text.replacing("?", with: "")
      try file.write { try alter(file, required) }
      #expect(try file.properties("Dog").contains(property(required)))
      #expect(try file.contents() == before)
    }
    #expect(try file.properties("Dog").map { $0.name } == order)
  }

  @Test func nullsInTheWay() throws {
    let file = try dogs()
    try file.refuse("HasNulls") {
      try alter(file, "color: string")
    } check: { error in
      guard case .hasNulls(let place, count: 1, of: 3) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(place == SchemaError.Place("Dog", "color"))
    }
    try file.write {
      let transaction = try #require(file.realm.transaction)
      let table = try file.objectClass("Dog").table.key
      for (name, key) in [("marks", 0), ("scores", 1)] as [(String, Int64)] {
        let column = try file.column(name, of: "Dog")
        if name == "marks" {
          try transaction.insert(table, ObjectKey(key), column, member: .null)
        } else {
          try transaction.set(table, ObjectKey(key), column, key: Array("t".utf8), .null)
        }
      }
      file.realm.noteChange()
    }
    try file.refuse("HasNulls") { try alter(file, "marks: string<>") }
    try file.refuse("HasNulls") { try alter(file, "scores: double{}") }
  }

  @Test func indexes() throws {
    let file = try dogs()
    for text in [
      "age: int indexed", "age: int", "name: string", "name: string fulltext",
      "name: string indexed", "note: string?", "note: string? indexed",
    ] {
      try file.write { try alter(file, text) }
      #expect(try file.properties("Dog").contains(property(text)))
    }
    for text in ["tags: int[] indexed", "age: int fulltext", "_id: int primary fulltext"] {
      try file.refuse("SchemaValidationFailed") { try alter(file, text) }
    }
  }

  @Test(arguments: [3, 700])
  func givenValues(count: Int) throws {
    let file = try dogs(count)
    let order = try file.properties("Dog").map { $0.name }
    let outcome = try file.write {
      try alter(file, "age: string indexed") { .scalar(.text("a\($0.rawValue)")) }
    }
    #expect(outcome.old == property("age: int"))
    #expect(outcome.rewrittenCount == count)
    #expect(try file.values("age", of: "Dog")[2] == "a2")
    try file.write {
      try alter(file, "color: string") {
        $0.rawValue % 3 == 2 ? .scalar(.text("")) : .scalar(.text("c"))
      }
      try alter(file, "name: mixed indexed") { .scalar(.int($0.rawValue)) }
      try alter(file, "tags: string<>") { object in
        .array([.scalar(.text("x")), .scalar(.text("y\(object.rawValue)"))])
      }
      try alter(file, "scores: Dog?") { _ in
        .object(try! file.objectClass("Dog"), ObjectKey(1))  // The class exists.
      }
      try alter(file, "_id: string primary") { .scalar(.text("k\($0.rawValue)")) }
    }
    #expect(try file.values("color", of: "Dog")[2] == "")
    #expect(try file.values("name", of: "Dog")[1] == 1)
    #expect(try file.values("tags", of: "Dog")[1] == .list(["x", "y1"]))
    #expect(try file.values("_id", of: "Dog")[2] == "k2")
    let key = try file.objectClass("Dog").table.key
    #expect(try file.values("scores", of: "Dog")[0] == .scalar(.link(key, ObjectKey(1))))
    #expect(try file.properties("Dog").map { $0.name } == order)
    #expect(try file.objectClass("Dog").primaryKey?.name == "_id")
  }

  @Test func missingAndWrongValues() throws {
    let file = try dogs()
    try file.refuse("InvalidSchemaChange") {
      try alter(file, "age: string")
    } check: { error in
      guard case .needsValues(let old, let new, className: "Dog") = error else { return }
      #expect(old == property("age: int") && new == property("age: string"))
    }
    try file.refuse("TypeMismatch") { try alter(file, "age: string") { _ in .scalar(.int(1)) } }
    try file.refuse("PropertyNotNullable") { try alter(file, "age: string") { _ in .null } }
    try file.refuse("ObjectTypeMismatch", isFirst: false) {
      try file.editor.declare([define("Cat", "n: int")])
      let cat = try file.objectClass("Cat")
      try alter(file, "age: Dog?") { _ in .object(cat, ObjectKey(0)) }
    }
    try file.refuse("InvalidProperty") { try alter(file, "weight: int") }
    try file.refuse("SchemaValidationFailed") { try alter(file, "age: Cat?") }
    try file.refuse("SchemaValidationFailed") { try alter(file, "age: int primary") }
    try file.refuse("NoSuchTable") {
      _ = try file.editor.planAlteration(of: "Cat", to: property("n: int"))
    }
    try file.refuse("ObjectAlreadyExists") {
      try alter(file, "_id: string primary") { .scalar(.text("\($0.rawValue / 2)")) }
    } check: { error in
      guard
        case .duplicatePrimaryKey(_, .string(let text), let first, let second) = error
      else { return }
      #expect(text == Array("0".utf8) && first == ObjectKey(0) && second == ObjectKey(1))
    }
  }

  @Test func anyTypeWithoutObjects() throws {
    let file = try dogs(0)
    try file.write {
      try alter(file, "age: Dog[]")
      try alter(file, "color: date indexed")
      try alter(file, "_id: uuid? primary")
    }
    #expect(
      try file.properties("Dog").prefix(4) == [
        property("_id: uuid? primary"), property("name: string indexed"), property("age: Dog[]"),
        property("color: date indexed"),
      ])
  }

  // MARK: Primary keys

  @Test func primaryKeys() throws {
    let file = try dogs(4)
    #expect(try file.write { try file.editor.setPrimaryKey(of: "Dog", to: "name") } == "_id")
    #expect(
      try file.properties("Dog").prefix(2) == [
        property("_id: int"), property("name: string primary"),
      ])
    #expect(try file.write { try file.editor.setPrimaryKey(of: "Dog", to: nil) } == "name")
    #expect(try file.objectClass("Dog").primaryKey == nil)
    #expect(try file.properties("Dog")[1] == property("name: string indexed"))
    #expect(try file.write { try file.editor.setPrimaryKey(of: "Dog", to: "age") } == nil)
    #expect(try file.write { try file.editor.setPrimaryKey(of: "Dog", to: "age") } == "age")
    try file.refuse("SchemaValidationFailed") {
      try file.editor.setPrimaryKey(of: "Dog", to: "tags")
    }
    try file.refuse("SchemaValidationFailed") {
      try file.editor.setPrimaryKey(of: "Dog", to: "note")
    }
    try file.refuse("InvalidProperty") { try file.editor.setPrimaryKey(of: "Dog", to: "weight") }
  }

  @Test func duplicatePrimaryKeys() throws {
    let file = try dogs(4)
    try file.write {
      let transaction = try #require(file.realm.transaction)
      let table = try file.objectClass("Dog").table.key
      let column = try file.column("color", of: "Dog")
      try transaction.set(table, ObjectKey(3), column, .text("color 1"))
      file.realm.noteChange()
    }
    try file.refuse("ObjectAlreadyExists") {
      try file.editor.setPrimaryKey(of: "Dog", to: "color")
    } check: { error in
      guard case .duplicatePrimaryKey(let place, _, let first, let second) = error else { return }
      #expect(place == SchemaError.Place("Dog", "color"))
      #expect(first == ObjectKey(1) && second == ObjectKey(3))
    }
    try file.refuse("SchemaValidationFailed") { try alter(file, "color: string? primary") }
  }

  // MARK: Kinds of classes

  private func places() throws -> SchemaFile {
    let file = try SchemaFile(
      define("Place", "name: string"),
      define("Trip", "from: Place?", "stops: Place[]", "any: mixed", "visited: Place<>"))
    try file.write {
      let transaction = try #require(file.realm.transaction)
      let table = try file.objectClass("Trip").table.key
      let trip = try file.add("Trip")
      let place = ScalarValue.link(try file.objectClass("Place").table.key, try file.add("Place"))
      try transaction.set(table, trip, try file.column("from", of: "Trip"), place)
      let other = ScalarValue.link(try file.objectClass("Place").table.key, try file.add("Place"))
      try transaction.insert(table, trip, try file.column("stops", of: "Trip"), at: 0, other)
      file.realm.noteChange()
    }
    return file
  }

  @Test func embedding() throws {
    let file = try places()
    try file.refuse("SchemaValidationFailed") {
      try file.editor.setKind(of: "Place", to: .embedded)
    }
    try file.write {
      try file.editor.dropProperty("visited", of: "Trip")
      #expect(try file.editor.setKind(of: "Place", to: .embedded))
    }
    #expect(try file.objectClass("Place").isEmbedded)
    #expect(try !file.write { try file.editor.setKind(of: "Place", to: .embedded) })
    // Embedded objects go with their parent.
    try file.write {
      let transaction = try #require(file.realm.transaction)
      let table = try file.objectClass("Trip").table.key
      try transaction.set(table, ObjectKey(0), try file.column("from", of: "Trip"), .null)
      file.realm.noteChange()
    }
    #expect(try file.objectClass("Place").table.objectCount() == 1)
    #expect(try file.write { try file.editor.setKind(of: "Place", to: .topLevel) })
    try file.write { try file.add("Place") }
    #expect(try file.objectClass("Place").table.objectCount() == 2)
  }

  @Test func embeddingIsRefused() throws {
    let file = try places()
    try file.write {
      try file.editor.dropProperty("visited", of: "Trip")
      let transaction = try #require(file.realm.transaction)
      let (trips, places) = (
        try file.objectClass("Trip").table.key, try file.objectClass("Place").table.key
      )
      try transaction.insert(
        trips, ObjectKey(0), try file.column("stops", of: "Trip"), at: 0,
        .link(places, ObjectKey(0)))
      try transaction.set(
        trips, ObjectKey(0), try file.column("any", of: "Trip"), .link(places, ObjectKey(1)))
      try file.add("Place")
    }
    try file.refuse("IllegalOperation") {
      try file.editor.setKind(of: "Place", to: .embedded)
    } check: { error in
      guard case .notEmbeddable("Place", let found) = error else { return }
      #expect(found.orphans == 1 && found.shared == 1 && found.inMixed == 1)
      #expect(found.first == ObjectKey(0) && found.primaryKey == nil)
    }
    try file.write { try file.editor.declare([define("Key", "id: int primary")]) }
    try file.refuse("IllegalOperation") { try file.editor.setKind(of: "Key", to: .embedded) }
  }
}
