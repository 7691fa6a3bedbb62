import RealmObjects
import RealmStorage
import RealmValues
import Testing

/// The rules for classes; the numbers are those of the cases of object-model.md.
struct ValidatorTests {
  private func violations(_ classes: ClassDefinition...) -> [SchemaViolation] {
    SchemaValidator.violations(of: classes)
  }

  /// A class with one property of exactly this type.
  private func ferry(_ type: PropertyType, isPrimaryKey: Bool = false) -> ClassDefinition {
    ClassDefinition("Ferry", [PropertyDefinition("p", type, isPrimaryKey: isPrimaryKey)])
  }

  private let quay = define("Quay", "len: int")

  @Test func case2_01_requiredLink() {
    #expect(
      violations(ferry(PropertyType(.link, target: "Quay")), quay) == [
        SchemaViolation(.mustBeNullable, "Ferry", "p")
      ])
  }

  @Test(arguments: [StoredColumn.Collection.list, .set])
  func case2_02_collectionOfNullableObjects(collection: StoredColumn.Collection) {
    let type = PropertyType(.link, collection, isNullable: true, target: "Quay")
    #expect(
      violations(ferry(type), quay) == [SchemaViolation(.cannotBeNullable, "Ferry", "p")])
  }

  @Test func case2_03_dictionaryOfObjects() {
    let type = PropertyType(.link, .dictionary, target: "Quay")
    #expect(violations(ferry(type), quay) == [SchemaViolation(.mustBeNullable, "Ferry", "p")])
    #expect(violations(define("Ferry", "p: Quay?{}"), quay).isEmpty)
  }

  @Test(arguments: [StoredColumn.Collection.none, .list, .set, .dictionary])
  func case2_04_requiredMixed(collection: StoredColumn.Collection) {
    #expect(
      violations(ferry(PropertyType(.mixed, collection))) == [
        SchemaViolation(.mustBeNullable, "Ferry", "p")
      ])
  }

  @Test(arguments: ["int", "string", "objectId", "uuid", "int?", "string?", "objectId?", "uuid?"])
  func case2_05_keyTypes(type: String) {
    #expect(violations(define("Ferry", "p: \(type) primary")).isEmpty)
  }

  @Test(arguments: [
    "bool", "date", "double", "float", "decimal128", "data", "mixed", "Quay", "int[]", "string<>",
    "int{}",
  ])
  func case2_05_and_06_otherKeys(type: String) {
    #expect(
      violations(define("Ferry", "p: \(type) primary"), quay) == [
        SchemaViolation(.primaryKeyType, "Ferry", "p")
      ])
  }

  @Test func case2_07_twoKeys() {
    #expect(
      violations(define("Ferry", "a: int primary", "b: int primary")) == [
        SchemaViolation(.secondPrimaryKey("a"), "Ferry", "b")
      ])
  }

  @Test(arguments: ["int", "bool", "string", "date", "objectId", "uuid", "mixed", "string[]"])
  func case2_08_indexableTypes(type: String) {
    #expect(violations(define("Ferry", "p: \(type) indexed")).isEmpty)
  }

  @Test(arguments: [
    "float", "double", "decimal128", "data", "Quay", "int[]", "string<>", "string{}",
  ])
  func case2_08_otherIndexes(type: String) {
    #expect(
      violations(define("Ferry", "p: \(type) indexed"), quay) == [
        SchemaViolation(.notIndexable, "Ferry", "p")
      ])
  }

  @Test func fullTextIndexes() {
    #expect(violations(define("Ferry", "p: string? fulltext")).isEmpty)
    for type in ["int", "string[]", "mixed"] {
      #expect(
        violations(define("Ferry", "p: \(type) fulltext")) == [
          SchemaViolation(.notFullTextIndexable, "Ferry", "p")
        ])
    }
    for flag in ["indexed", "primary"] {
      #expect(
        violations(define("Ferry", "p: string fulltext \(flag)")) == [
          SchemaViolation(.secondIndex, "Ferry", "p")
        ])
    }
  }

  @Test func case2_09_unknownTarget() {
    #expect(
      violations(define("Ferry", "home: Pier?")) == [
        SchemaViolation(.unknownTarget("Pier"), "Ferry", "home")
      ])
  }

  @Test func case2_10_inverses() {
    let ferry = define("Ferry", "home: Quay?", "name: string", "other: Crate?")
    let crate = define("Crate", "kg: int")
    func found(_ origin: String) -> [SchemaViolation] {
      violations(define("Quay", "ferries: @links.\(origin)"), ferry, crate)
    }
    #expect(found("Ferry.home").isEmpty)
    let expected: [(String, SchemaViolation.Kind)] = [
      ("Ferry.name", .originIsNoLink(originClass: "Ferry", property: "name")),
      ("Ferry.gone", .noOrigin(originClass: "Ferry", property: "gone")),
      ("Ferry.other", .originLinksTo("Crate", originClass: "Ferry", property: "other")),
      ("Boat.home", .unknownTarget("Boat")),
    ]
    for (origin, kind) in expected {
      #expect(found(origin) == [SchemaViolation(kind, "Quay", "ferries")])
    }
  }

  @Test func case2_11_keyOfEmbedded() {
    #expect(
      violations(define("Tag embedded", "id: int primary")) == [
        SchemaViolation(.primaryKeyOfEmbedded, "Tag", "id")
      ])
  }

  @Test func case2_12_setOfEmbedded() {
    #expect(
      violations(define("Ferry", "s: Tag<>"), define("Tag embedded", "n: int")) == [
        SchemaViolation(.setOfEmbedded("Tag"), "Ferry", "s")
      ])
  }

  @Test func case2_13_cycles() {
    for type in ["Tag?", "Tag[]", "Tag?{}"] {
      #expect(
        violations(define("Tag embedded", "sub: \(type)")) == [
          SchemaViolation(.embeddedCycle(path: ["sub"]), "Tag", "sub")
        ])
    }
    #expect(
      violations(define("T1 embedded", "b: T2?"), define("T2 embedded", "a: T1?")) == [
        SchemaViolation(.embeddedCycle(path: ["b", "a"]), "T1", "b"),
        SchemaViolation(.embeddedCycle(path: ["a", "b"]), "T2", "a"),
      ])
    // A class that leads to a cycle is not on it.
    #expect(
      violations(define("In embedded", "t: Tag?"), define("Tag embedded", "sub: Tag?")).count == 1)
  }

  @Test func case2_14_to_2_16_goodClasses() {
    #expect(
      violations(define("Tag embedded", "owner: Ferry?"), define("Ferry", "tag: Tag?")).isEmpty)
    #expect(violations(define("Node", "up: Node?")).isEmpty)
    #expect(violations(define("Tag embedded", "n: int")).isEmpty)
  }

  @Test func case2_17_fourErrors() {
    let classA = ClassDefinition(
      "A",
      [
        property("id: bool primary"),
        PropertyDefinition("x", PropertyType(.link, target: "A")),
        property("y: Q?"),
        PropertyDefinition("z", PropertyType(.mixed)),
      ])
    #expect(
      violations(classA) == [
        SchemaViolation(.primaryKeyType, "A", "id"), SchemaViolation(.mustBeNullable, "A", "x"),
        SchemaViolation(.unknownTarget("Q"), "A", "y"),
        SchemaViolation(.mustBeNullable, "A", "z"),
      ])
  }

  @Test func case2_18_duplicateNames() {
    #expect(
      violations(define("Ferry", "n: int", "n: string")) == [
        SchemaViolation(.duplicateProperty, "Ferry", "n")
      ])
    #expect(
      violations(define("Ferry", "n: Ferry?", "n: @links.Ferry.n")) == [
        SchemaViolation(.duplicateProperty, "Ferry", "n")
      ])
    #expect(
      violations(define("Ferry", "n: int"), define("Ferry", "n: int")) == [
        SchemaViolation(.duplicateClass, "Ferry")
      ])
  }

  @Test func case2_19_nameLengths() {
    func name(_ byteCount: Int) -> String { String(repeating: "n", count: byteCount) }
    #expect(violations(ClassDefinition(name(57), [property("\(name(63)): int")])).isEmpty)
    let found = violations(ClassDefinition(name(58), [property("\(name(64)): int")]))
    #expect(
      found == [
        SchemaViolation(.nameTooLong(byteCount: 58, limit: 57), name(58)),
        SchemaViolation(.nameTooLong(byteCount: 64, limit: 63), name(58), name(64)),
      ])
    #expect(SchemaError.invalid(found).name == "InvalidName")
    // Bytes count, not characters.
    #expect(violations(ClassDefinition(String(repeating: "ü", count: 29), [])).count == 1)
    #expect(violations(ClassDefinition("", [])).count == 1)
  }

  @Test func asymmetricClasses() {
    #expect(
      violations(define("Log asymmetric", "id: int primary"), define("Ferry", "log: Log?")) == [
        SchemaViolation(.linkToAsymmetric("Log"), "Ferry", "log"),
        SchemaViolation(.asymmetric, "Log"),
      ])
  }

  @Test func longChainsOfEmbeddedClasses() {
    let classes = (0..<2000).map { define("E\($0) embedded", "next: E\($0 + 1)?") }
    #expect(SchemaValidator.violations(of: classes + [define("E2000 embedded", "n: int")]).isEmpty)
  }
}
