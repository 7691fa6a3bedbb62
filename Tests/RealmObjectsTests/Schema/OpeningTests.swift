import RealmObjects
import RealmStorage
import RealmValues
import Testing

/// Opening with declared classes; the numbers are those of the cases of object-model.md.
struct OpeningTests {
  /// A database opened with a class at a version, and objects with numbers in `kg`.
  private func crates(
    _ definition: ClassDefinition = define("Crate", "kg: int"), version: UInt64 = 0,
    numbers: [Int64] = [5]
  ) throws -> SchemaFile {
    let file = try SchemaFile()
    try file.write {
      try file.editor.open([definition], version: version)
      for number in numbers { try file.add("Crate", ["kg": .int(number)]) }
    }
    return file
  }

  private func changes(
    _ name: String, _ file: SchemaFile, version: UInt64?, _ classes: ClassDefinition...
  ) throws -> [SchemaChange] {
    var found: [SchemaChange] = []
    try file.refuse(name) {
      try file.editor.open(classes, version: version)
    } check: { error in
      switch error {
      case .mismatch(let changes), .migrationNeeded(let changes, _, _): found = changes
      default: break
      }
    }
    return found
  }

  private func open(
    _ file: SchemaFile, version: UInt64?, _ classes: ClassDefinition...
  ) throws {
    try file.write { try file.editor.open(classes, version: version) }
  }

  @Test func case1_01_freshFile() throws {
    let file = try SchemaFile()
    #expect(file.realm.schema.version == nil)
    try open(file, version: 3, define("Quay", "len: int"))
    #expect(file.realm.schema.version == 3)
    #expect(try file.objectClass("Quay").table.objectCount() == 0)
    #expect(try file.properties("Quay") == [property("len: int")])
  }

  @Test func case1_04_unchanged() throws {
    let file = try crates(version: 3)
    for version in [3, nil] as [UInt64?] {
      let opening = try SchemaOpening.plan(
        file.realm.schema, [define("Crate", "kg: int")], version: version)
      #expect(opening.isNothing)
    }
  }

  @Test func case1_05_lowerVersion() throws {
    let file = try crates(version: 3)
    try file.refuse("InvalidSchemaVersion") {
      try file.editor.open([define("Crate", "kg: int")], version: 2)
    }
  }

  @Test func case1_06_addedProperty() throws {
    let file = try crates()
    let asked = define("Crate", "kg: int", "tag: string?")
    let expected = SchemaChange(.addProperty(property("tag: string?")), "Crate", "tag")
    #expect(try changes("SchemaMismatch", file, version: 0, asked) == [expected])
  }

  @Test func case1_07_removedProperty() throws {
    let file = try crates(define("Crate", "kg: int", "tag: string?"))
    let expected = SchemaChange(.removeProperty(property("tag: string?")), "Crate", "tag")
    #expect(
      try changes("SchemaMismatch", file, version: 0, define("Crate", "kg: int")) == [expected])
  }

  @Test func case1_08_and_1_09_classes() throws {
    let file = try crates()
    let (crate, lid) = (define("Crate", "kg: int"), define("Lid", "size: int"))
    try open(file, version: 0, crate, lid)
    #expect(try file.objectClass("Lid").table.objectCount() == 0)
    #expect(try file.values("kg", of: "Crate") == [5])
    for classes in [[lid], [crate, lid]] {
      #expect(
        try SchemaOpening.plan(file.realm.schema, classes, version: 0).isNothing)
    }
  }

  @Test func case1_10_indexes() throws {
    let file = try crates()
    try open(file, version: 0, define("Crate", "kg: int indexed"))
    #expect(try file.properties("Crate") == [property("kg: int indexed")])
    try open(file, version: 0, define("Crate", "kg: int"))
    #expect(try file.properties("Crate") == [property("kg: int")])
  }

  @Test func case1_11_orderOfProperties() throws {
    let file = try crates(define("Crate", "kg: int", "tag: string?"))
    let asked = [define("Crate", "tag: string?", "kg: int")]
    #expect(try SchemaOpening.plan(file.realm.schema, asked, version: 0).isNothing)
  }

  @Test func case1_12_severalDifferences() throws {
    let file = try crates(define("Crate", "kg: int", "tag: string?", "w: double"))
    let asked = define("Crate", "kg: string", "tag: string", "id: int primary")
    #expect(
      try changes("SchemaMismatch", file, version: 0, asked) == [
        SchemaChange(
          .changeType(from: property("kg: int"), to: property("kg: string")), "Crate", "kg"),
        SchemaChange(
          .makeRequired(from: property("tag: string?"), to: property("tag: string")), "Crate",
          "tag"),
        SchemaChange(.removeProperty(property("w: double")), "Crate", "w"),
        SchemaChange(.addProperty(property("id: int primary")), "Crate", "id"),
        SchemaChange(.changePrimaryKey(from: nil, to: "id"), "Crate", "id"),
      ])
  }

  @Test func case1_13_optionalMadeRequired() throws {
    let file = try crates(define("Crate", "kg: int", "tag: string?"))
    let asked = define("Crate", "kg: int", "tag: string")
    #expect(try changes("SchemaMismatch", file, version: 0, asked).count == 1)
    // A greater version does not help: values would be lost.
    #expect(try changes("MigrationNeeded", file, version: 1, asked).count == 1)
  }

  @Test func case1_14_greaterVersion() throws {
    let file = try crates()
    try open(file, version: 9, define("Crate", "kg: int"))
    #expect(file.realm.schema.version == 9)
  }

  @Test func case1_15_greaterVersionWithProperties() throws {
    let file = try crates()
    try open(file, version: 1, define("Crate", "kg: int?", "n: int", "m: int?"))
    #expect(file.realm.schema.version == 1)
    #expect(try file.values("kg", of: "Crate") == [5])
    #expect(try file.values("n", of: "Crate") == [0])
    #expect(try file.values("m", of: "Crate") == [nil])
    #expect(
      try file.properties("Crate") == [
        property("kg: int?"), property("n: int"), property("m: int?"),
      ])
  }

  @Test func kindsOfClassesAndWrongClasses() throws {
    let file = try crates(numbers: [])
    let asked = define("Crate embedded", "kg: int")
    let expected = SchemaChange(.changeClassKind(from: .topLevel, to: .embedded), "Crate")
    #expect(try changes("SchemaMismatch", file, version: 0, asked) == [expected])
    #expect(try changes("MigrationNeeded", file, version: 1, asked) == [expected])
    try file.refuse("SchemaValidationFailed") {
      try file.editor.open([define("Crate", "kg: int", "lid: Lid?")], version: 0)
    }
  }

  @Test func orderOfChanges() {
    let old = [define("B", "x: int indexed", "y: string"), define("C", "n: int")]
    let new = [
      define("D", "b: B?"), define("A", "n: int"), define("C embedded", "n: int?"),
      define("B", "z: int", "y: string fulltext"),
    ]
    let kinds = SchemaChange.list(from: old, to: new).map { "\($0.className) \($0.property ?? "")" }
    #expect(kinds == ["A ", "D ", "B x", "B y", "B z", "C n", "A ", "D ", "C "])
  }
}
