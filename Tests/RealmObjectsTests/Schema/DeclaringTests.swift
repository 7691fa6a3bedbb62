import RealmObjects
import RealmStorage
import RealmValues
import Testing

/// The statement `class`.
///
/// Source: shell.md 7.
struct DeclaringTests {
  private let dog = define("Dog", "_id: int primary", "name: string indexed", "age: int")

  @Test func newClasses() throws {
    let file = try SchemaFile()
    let outcomes = try file.write {
      try file.editor.declare([define("Person", "dogs: Dog[]"), dog])
    }
    #expect(outcomes.map { $0.className } == ["Person", "Dog"])
    #expect(outcomes.allSatisfy { $0.isNew })
    #expect(try file.properties("Dog") == dog.properties)
    #expect(try file.properties("Person") == [property("dogs: Dog[]")])
    // Apps take a file without version for an empty one.
    #expect(file.realm.schema.version == 0)
  }

  @Test func everyType() throws {
    let file = try SchemaFile()
    var definition = ClassDefinition("All", [])
    var number = 0
    for base in [
      "int", "bool", "string", "data", "date", "float", "double", "decimal128", "objectId", "uuid",
    ] {
      for mark in ["", "?"] {
        for collection in ["", "[]", "<>", "{}"] {
          number += 1
          definition.properties.append(property("p\(number): \(base)\(mark)\(collection)"))
        }
      }
    }
    for type in [
      "mixed", "mixed[]", "mixed<>", "mixed{}", "All?", "All[]", "All<>", "All?{}", "Tag?",
      "Tag[]", "Tag?{}",
    ] {
      number += 1
      definition.properties.append(property("p\(number): \(type)"))
    }
    let tag = define("Tag embedded", "n: int")
    try file.write { try file.editor.declare([definition, tag]) }
    #expect(try file.properties("All") == definition.properties)
    #expect(try file.objectClass("Tag").isEmbedded)
    let again = try file.write { try file.editor.declare([definition]) }
    #expect(again[0].isUnchanged)
  }

  @Test func case2_25_typeDefaults() throws {
    let file = try SchemaFile(define("K", "a: int"))
    try file.write { try file.add("K") }
    let outcomes = try file.write {
      try file.editor.declare([
        define(
          "K", "b: bool", "s: string", "d: data", "t: date", "f: float", "g: double",
          "o: objectId", "u: uuid", "c: decimal128", "m: mixed", "q: int?", "l: int[]")
      ])
    }
    #expect(outcomes[0].filledCount == 1)
    let expected: [String: Content] = [
      "b": .scalar(.bool(false)), "s": "", "d": .scalar(.data([])),
      "t": .scalar(.date(Timestamp(seconds: 0, nanoseconds: 0))), "f": .scalar(.float(0)),
      "g": .scalar(.double(0)),
      "o": .scalar(.objectID(try #require(ObjectID(hex: Array(repeating: 48, count: 24))))),
      "c": .scalar(.decimal(Decimal128(0))), "m": nil, "q": nil, "l": .list([]),
    ]
    for (name, value) in expected { #expect(try file.values(name, of: "K") == [value]) }
  }

  @Test func addedPropertiesAndIndexes() throws {
    let file = try SchemaFile(dog)
    try file.write { for i in 0..<3 { try file.add("Dog", ["_id": .int(Int64(i))]) } }
    var asked = define(
      "Dog", "name: string indexed", "age: int indexed", "weight: double?", "tags: string[]",
      "coat: string indexed", "extra: mixed", "scores: int{}", "marks: int<>", "big: decimal128")
    asked.defaults = [
      "tags": .array([.scalar(.text("a")), .scalar(.text("b"))]), "coat": .scalar(.text("red")),
      "extra": .map([InputField("k", .array([.scalar(.int(1))]))]),
      "scores": .map([InputField("x", .scalar(.int(7)))]),
      "marks": .array([.scalar(.int(2)), .scalar(.int(1)), .scalar(.int(2))]),
      "big": .scalar(.int(12)),
    ]
    let outcome = try file.write { try file.editor.declare([asked])[0] }
    #expect(!outcome.isNew)
    #expect(outcome.added == Array(asked.properties[2...]))
    #expect(outcome.indexed == [property("age: int indexed")])
    #expect(outcome.filledCount == 3)
    #expect(try file.values("weight", of: "Dog") == [nil, nil, nil])
    #expect(try file.values("coat", of: "Dog") == ["red", "red", "red"])
    #expect(try file.values("tags", of: "Dog").last == .list(["a", "b"]))
    #expect(
      try file.values("extra", of: "Dog").first == .dictionary([Array("k".utf8): .list([1])]))
    #expect(try file.values("scores", of: "Dog").first == .dictionary([Array("x".utf8): 7]))
    #expect(try file.values("marks", of: "Dog").first == .list([1, 2]))
    #expect(try file.values("big", of: "Dog").first == .scalar(.decimal(Decimal128(12))))
    #expect(
      try file.properties("Dog").map { $0.name } == [
        "_id", "name", "age", "weight", "tags", "coat", "extra", "scores", "marks", "big",
      ])
  }

  @Test func wrongDefaults() throws {
    let file = try SchemaFile(dog)
    try file.write { try file.add("Dog", ["_id": .int(1)]) }
    let cases: [(String, InputValue, String)] = [
      ("int", .scalar(.text("x")), "TypeMismatch"), ("int", .null, "PropertyNotNullable"),
      ("int[]", .scalar(.int(1)), "TypeMismatch"),
      ("int[]", .array([.null]), "PropertyNotNullable"),
      ("int{}", .map([InputField("a.b", .scalar(.int(1)))]), "InvalidDictionaryKey"),
      ("mixed", .set([]), "IllegalOperation"),
    ]
    for (type, value, name) in cases {
      var asked = define("Dog", "first: int", "p: \(type)")
      asked.defaults["p"] = value
      try file.refuse(name) { try file.editor.declare([asked]) }
    }
  }

  @Test func differences() throws {
    let file = try SchemaFile(
      dog, define("Person", "dog: Dog?", "note: string fulltext", "age: int indexed"),
      define("Tag embedded", "n: int"))
    let cases: [(ClassDefinition, [SchemaChange.Kind])] = [
      (
        define("Dog", "age: string", "name: string? indexed", "new: int"),
        [
          .makeNullable(
            from: property("name: string indexed"), to: property("name: string? indexed")),
          .changeType(from: property("age: int"), to: property("age: string")),
        ]
      ),
      (
        define("Dog", "age: int primary"), [.changePrimaryKey(from: "_id", to: "age")]
      ),
      (define("Dog", "_id: int"), [.changePrimaryKey(from: "_id", to: nil)]),
      (
        define("Person", "dog: Person?"),
        [.changeType(from: property("dog: Dog?"), to: property("dog: Person?"))]
      ),
      (define("Person", "age: int"), [.removeIndex(.general)]),
      (define("Person", "note: string indexed"), [.removeIndex(.fullText), .addIndex(.general)]),
      (define("Person embedded", "dog: Dog?"), [.changeClassKind(from: .topLevel, to: .embedded)]),
      (define("Tag", "n: int"), [.changeClassKind(from: .embedded, to: .topLevel)]),
    ]
    for (asked, expected) in cases {
      try file.refuse("SchemaMismatch") {
        try file.editor.declare([asked])
      } check: { error in
        guard case .mismatch(let changes) = error else { return }
        #expect(changes.map { $0.kind } == expected)
      }
    }
  }

  @Test func violations() throws {
    let file = try SchemaFile(dog)
    for asked in [
      define("Dog", "p: Dog?[]"), define("Cat", "n: int", "n: int"),
      define("Cat", "owner: @links.Dog.age"), define("Tag embedded", "sub: Tag?"),
      define("Dog", "more: float indexed"),
    ] {
      try file.refuse("SchemaValidationFailed") { try file.editor.declare([asked]) }
    }
    try file.refuse("InvalidName") {
      try file.editor.declare([define(String(repeating: "x", count: 58), "n: int")])
    }
    try file.refuse("InvalidName") {
      try file.editor.declare([define("Cat", "other: \(String(repeating: "x", count: 58))?")])
    }
  }

  // MARK: Forward references

  @Test func classesNamedBeforeTheyAreDeclared() throws {
    let file = try SchemaFile()
    let outcome = try file.write {
      try file.editor.declare([
        define("Person", "dog: Dog?", "home: Home?", "clubs: @links.Club.members")
      ])
      #expect(file.editor.pendingClasses == ["Dog", "Home"])
      try file.editor.declare([define("Home embedded", "street: string")])
      try file.editor.declare([define("Club", "members: Person[]")])
      return try file.editor.declare([dog])[0]
    }
    #expect(outcome.isNew)
    #expect(file.editor.pendingClasses.isEmpty)
    #expect(try file.properties("Dog") == dog.properties)
    #expect(try file.properties("Person") == [property("dog: Dog?"), property("home: Home?")])
    #expect(try file.objectClass("Home").isEmbedded)
  }

  @Test func classesThatAreNeverDeclared() throws {
    let file = try SchemaFile(dog)
    try file.refuse("SchemaValidationFailed", isFirst: false) {
      try file.editor.declare([define("Person", "dog: Dog?", "home: Home?")])
    } check: { error in
      guard case .invalid(let violations) = error else { return }
      #expect(violations == [SchemaViolation(.unknownTarget("Home"), "Person", "home")])
    }
    try file.refuse("SchemaValidationFailed", isFirst: false) {
      try file.editor.declare([define("Person", "clubs: @links.Club.members")])
    }
    // Another transaction knows nothing of them.
    try file.write { try file.editor.declare([define("Person", "dog: Dog?")]) }
    #expect(file.realm.schema.objectClass(named: "Home") == nil)
  }

  @Test func classesThatMustBeThere() throws {
    let file = try SchemaFile(dog)
    let asked = define(
      "Person", "id: bool primary", "dog: Dog?", "home: Home?", "clubs: @links.Club.members")
    try file.refuse("SchemaValidationFailed") {
      try file.editor.declare([asked], mayLinkForward: false)
    } check: { error in
      guard case .invalid(let violations) = error else { return }
      #expect(
        violations == [
          SchemaViolation(.primaryKeyType, "Person", "id"),
          SchemaViolation(.unknownTarget("Home"), "Person", "home"),
          SchemaViolation(.unknownTarget("Club"), "Person", "clubs"),
        ])
    }
  }

  @Test func wrongForwardReferences() throws {
    let file = try SchemaFile()
    try file.refuse("SchemaValidationFailed", isFirst: false) {
      try file.editor.declare([define("Person", "homes: Home<>")])
      try file.editor.declare([define("Home embedded", "street: string")])
    }
    try file.refuse("SchemaValidationFailed", isFirst: false) {
      try file.editor.declare([define("T1 embedded", "b: T2?")])
      try file.editor.declare([define("T2 embedded", "a: T1?")])
    }
    try file.refuse("SchemaValidationFailed", isFirst: false) {
      try file.editor.declare([define("Person", "clubs: @links.Club.members")])
      try file.editor.declare([define("Club", "members: Club[]")])
    }
  }

  @Test func droppedForwardReferences() throws {
    let file = try SchemaFile()
    try file.write {
      try file.editor.declare([define("Person", "home: Home?", "dog: Dog?", "n: int")])
      try file.editor.dropProperty("home", of: "Person")
      try file.editor.renameClass("Dog", to: "Cat")
      try file.editor.declare([define("Cat", "n: int")])
    }
    #expect(file.realm.schema.classes.map { $0.name }.sorted() == ["Cat", "Person"])
  }
}
