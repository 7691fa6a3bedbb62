import RealmStorage
import RealmValues
import TestSupport
import Testing

@testable import RealmObjects

/// Creation and update, with the scenarios of object-model.md 4 at the level of values.
struct CreationTests {
  @Test func missingRequiredValuesAreReported() throws {
    let realm = try WrittenRealm.boats()
    #expect(
      try realm.error { try realm.add("Boat", ["id": 1]) } == "MissingPropertyValue/value0")
    #expect(
      try realm.error { try realm.add("Boat", ["id": 1, "crew": .null]) }
        == "MissingPropertyValue/value0/crew")
    #expect(
      try realm.error { try realm.add("Boat", ["crew": 2]) } == "MissingPropertyValue/value0")
    #expect(
      try realm.error { try realm.add("Boat", ["id": .null, "crew": 2]) }
        == "MissingPropertyValue/value0/id")
  }

  @Test func unmentionedPropertiesAreNullOrEmpty() throws {
    let realm = try WrittenRealm.boats()
    let outcome = try realm.add("Boat", ["id": 1, "crew": 2, "name": "Tern"])
    #expect(
      try realm.objects("Boat") == [
        "{id: 1, name: \"Tern\", crew: 2, home: null, mate: null, nums: [], tags: [], marks: {}, "
          + "ports: [], fleet: [], log: null, logs: [], x: null}"
      ])
    #expect(outcome.subjects.map(\.effect) == [.added])
    #expect(outcome.addedCount == 1)
    try realm.commitAndCheck()
  }

  @Test func unknownNamesAreErrors() throws {
    let realm = try WrittenRealm.boats()
    #expect(
      try realm.error { try realm.add("Boat", ["id": 1, "crew": 2, "colour": "red"]) }
        == "InvalidProperty/value0/colour")
    #expect(
      try realm.error { try realm.add("Boat", ["id": 1, "crew": 2, "crew": 3]) }
        == "InvalidArgument/value0/crew")
  }

  @Test func arraysGiveValuesInSchemaOrder() throws {
    let realm = try WrittenRealm.boats()
    try realm.add("Boat", [1, "Tern", 2])
    #expect(try realm["Boat", 1, "name"] == "\"Tern\"")
    #expect(try realm["Boat", 1, "crew"] == "2")
    // A short array tolerates a missing required value.
    try realm.add("Boat", [2, "Rook"])
    #expect(try realm["Boat", 2, "crew"] == "0")
    #expect(
      try realm.error { try realm.add("Boat", [3, "Rook", .null]) }
        == "MissingPropertyValue/value0/2")
    #expect(
      try realm.error { try realm.add("Harbour", ["a", 2, 9]) } == "InvalidArgument/value0/2")
  }

  @Test func typesAreChecked() throws {
    let realm = try WrittenRealm.boats()
    #expect(
      try realm.error { try realm.add("Boat", ["id": 1, "crew": "two"]) }
        == "TypeMismatch/value0/crew")
    #expect(
      try realm.error { try realm.add("Boat", ["id": 1, "crew": 1, "nums": 5]) }
        == "TypeMismatch/value0/nums")
    #expect(
      try realm.error { try realm.add("Boat", ["id": 1, "crew": 1, "nums": [5, "six"]]) }
        == "TypeMismatch/value0/nums/1")
    #expect(
      try realm.error { try realm.add("Boat", ["id": 1, "crew": 1, "nums": [.null]]) }
        == "PropertyNotNullable/value0/nums/0")
    #expect(
      try realm.error { try realm.add("Boat", ["id": 1, "crew": 1, "marks": ["a": "x"]]) }
        == "TypeMismatch/value0/marks/a")
    #expect(
      try realm.error { try realm.add("Boat", ["id": 1, "crew": 1, "home": 7]) }
        == "TypeMismatch/value0/home")
    #expect(try realm.error { try realm.add("Boat", .null) } == "InvalidArgument/value0")
    #expect(
      try realm.error { try realm.add("Log", ["a": 1]) } == "IllegalOperation/value0")
  }

  @Test func keysAreUnique() throws {
    let realm = try WrittenRealm.boats()
    try realm.add("Boat", ["id": 1, "crew": 2])
    #expect(
      try realm.error { try realm.add("Boat", ["id": 1, "crew": 9]) }
        == "ObjectAlreadyExists/value0/id")
    #expect(
      try realm.error { try realm.add("Boat", ["id": 5, "crew": 1], ["id": 5, "crew": 1]) }
        == "ObjectAlreadyExists/value1/id")
    #expect(try realm["Boat", 1, "crew"] == "2")
  }

  @Test func defaultsFillWhatIsMissing() throws {
    let realm = try WrittenRealm.boats()
    realm.writer.defaults = { $1.name == "crew" ? 4 : $1.name == "name" ? "new" : nil }
    try realm.add("Boat", ["id": 1, "name": .null])
    #expect(try realm["Boat", 1, "crew"] == "4")
    #expect(try realm["Boat", 1, "name"] == "null")
    try realm.set("Boat", 1, replace("crew", with: 6))
    try realm.upsert("Boat", .modified, ["id": 1, "name": "b"])
    #expect(try realm["Boat", 1, "crew"] == "6")
    // An explicit null is no missing value.
    #expect(
      try realm.error { try realm.add("Boat", ["id": 2, "crew": .null]) }
        == "MissingPropertyValue/value0/crew")
  }

  @Test func updatesKeepWhatIsNotMentioned() throws {
    let realm = try WrittenRealm.boats()
    try realm.add("Boat", ["id": 1, "crew": 2, "name": "Tern"])
    var outcome = try realm.upsert("Boat", .modified, ["id": 1, "name": "Gull"])
    #expect(outcome.subjects.map(\.effect) == [.changed(["name"])])
    #expect(try realm["Boat", 1, "crew"] == "2")
    #expect(try realm["Boat", 1, "name"] == "\"Gull\"")
    outcome = try realm.upsert("Boat", .modified, ["id": 1, "name": "Gull"])
    #expect(outcome.subjects.map(\.effect) == [.unchanged])
    outcome = try realm.upsert("Boat", .all, ["id": 1, "name": "Gull"])
    #expect(outcome.subjects.map(\.effect) == [.changed(["name"])])
    try realm.upsert("Boat", .modified, ["id": 1, "name": .null])
    #expect(try realm["Boat", 1, "name"] == "null")
    #expect(
      try realm.error { try realm.upsert("Boat", .modified, ["id": 7, "name": "x"]) }
        == "MissingPropertyValue/value0")
    #expect(
      try realm.error { try realm.upsert("Boat", .error, ["id": 1, "name": "x"]) }
        == "ObjectAlreadyExists/value0/id")
    #expect(
      try realm.error { try realm.upsert("Harbour", .modified, ["city": "x"]) }
        == "MissingPrimaryKey")
  }

  @Test func nestedObjectsWithoutKey() throws {
    let realm = try WrittenRealm.boats()
    try realm.add("Boat", ["id": 1, "crew": 2, "home": ["city": "Kiel", "depth": 9]])
    let outcome = try realm.upsert("Boat", .modified, ["id": 1, "home": ["city": "Lund"]])
    #expect(outcome.subjects.map(\.effect) == [.unchanged])
    #expect(outcome.changedNested.map(\.count) == [1])
    #expect(try realm.objects("Harbour") == ["{city: \"Lund\", depth: 9}"])
    try realm.upsert("Boat", .all, ["id": 1, "home": ["city": "Oslo"]])
    #expect(
      try realm.objects("Harbour") == [
        "{city: \"Lund\", depth: 9}", "{city: \"Oslo\", depth: null}",
      ])
    #expect(try realm["Boat", 1, "home"] == "Harbour#1")
    try realm.commitAndCheck()
  }

  @Test func nestedObjectsWithKey() throws {
    let realm = try WrittenRealm.boats()
    try realm.add("Boat", ["id": 1, "crew": 1], ["id": 2, "crew": 3, "name": "b"])
    var outcome = try realm.upsert("Boat", .modified, ["id": 1, "mate": ["id": 2, "name": "c"]])
    #expect(outcome.subjects.map(\.effect) == [.changed(["mate"])])
    #expect(try realm["Boat", 2, "name"] == "\"c\"")
    #expect(try realm["Boat", 2, "crew"] == "3")
    #expect(try realm["Boat", 1, "mate"] == "Boat(2)")
    #expect(
      try realm.error {
        try realm.add("Boat", ["id": 3, "crew": 1, "mate": ["id": 2, "crew": 1]])
      } == "ObjectAlreadyExists/value0/mate/id")
    outcome = try realm.upsert("Boat", .modified, ["id": 1, "mate": ["id": 5, "crew": 3]])
    #expect(outcome.addedNested.map(\.count) == [1])
    #expect(try realm["Boat", 1, "mate"] == "Boat(5)")
    #expect(
      try realm.error { try realm.upsert("Boat", .modified, ["id": 1, "mate": ["id": 6]]) }
        == "MissingPropertyValue/value0/mate")
    // Itself, while it is made and afterwards.
    try realm.upsert("Boat", .modified, ["id": 9, "crew": 2, "mate": ["id": 9, "name": "me"]])
    #expect(try realm["Boat", 9, "mate"] == "Boat(9)")
    #expect(try realm["Boat", 9, "name"] == "\"me\"")
    try realm.upsert("Boat", .modified, ["id": 1, "mate": ["id": 1, "name": "me too"]])
    #expect(try realm["Boat", 1, "name"] == "\"me too\"")
    #expect(try realm["Boat", 1, "mate"] == "Boat(1)")
    try realm.commitAndCheck()
  }

  @Test func sameTargetTwice() throws {
    let realm = try WrittenRealm.boats()
    try realm.add("Boat", ["id": 1, "crew": 1], ["id": 2, "crew": 1])
    try realm.upsert(
      "Boat", .modified,
      ["id": 1, "fleet": [["id": 2, "name": "p"], ["id": 4, "crew": 4], ["id": 2]]])
    #expect(try realm["Boat", 1, "fleet"] == "[Boat(2), Boat(4), Boat(2)]")
    #expect(try realm["Boat", 2, "name"] == "\"p\"")
    try realm.commitAndCheck()
  }

  @Test func laterValuesSeeEarlierOnes() throws {
    let realm = try WrittenRealm.boats()
    let outcome = try realm.upsert(
      "Boat", .modified,
      ["id": 1, "crew": 1, "nums": [1, 2, 3], "log": ["a": 1], "marks": ["k": 1], "x": [1]],
      ["id": 1, "nums": [1, 9], "log": ["b": 2], "marks": ["l": 2], "x": [2, 3]],
      ["id": 1, "name": "n", "log": .null, "tags": [1]], ["id": 1, "log": ["a": 7], "tags": [2]])
    #expect(
      try realm.objects("Boat") == [
        "{id: 1, name: \"n\", crew: 1, home: null, mate: null, nums: [1, 9], tags: [1, 2], "
          + "marks: {k: 1, l: 2}, ports: [], fleet: [], log: {a: 7, b: null}, logs: [], "
          + "x: [2, 3]}"
      ])
    #expect(outcome.subjects.count == 4)
    #expect(try realm.count("Log") == 1)
    try realm.commitAndCheck()
  }

  /// A value that changes the list it is put into must not trap.
  @Test func objectsThatChangeTheirOwnList() throws {
    let realm = try WrittenRealm.boats()
    try realm.add("Boat", ["id": 1, "crew": 1], ["id": 2, "crew": 1])
    for policy in [UpdatePolicy.modified, .all] {
      try realm.upsert(
        "Boat", policy,
        ["id": 1, "fleet": [["id": 1, "fleet": [["id": 2], ["id": 2]]], ["id": 2], ["id": 1]]])
      try realm.upsert(
        "Boat", policy, ["id": 1, "fleet": [["id": 2], ["id": 1, "fleet": []], ["id": 2]]])
      try realm.upsert(
        "Boat", policy,
        ["id": 1, "logs": [["a": 1]], "mate": ["id": 1, "logs": []], "log": ["b": 1]])
    }
    try realm.commitAndCheck()
  }

  /// A value that takes the place away from the embedded object it belongs to.
  @Test func embeddedObjectsThatLoseTheirPlace() throws {
    let realm = try WrittenRealm { transaction in
      let owner = try transaction.createTable("class_Owner")
      let log = try transaction.createTable("class_Log", kind: .embedded)
      let id = try transaction.addColumn(owner, ColumnDefinition("id", .int))
      try transaction.setPrimaryKey(owner, id)
      for definition in [
        ColumnDefinition("owner", .link, target: owner),
        ColumnDefinition("log", .link, target: log),
        ColumnDefinition("z", .int, isNullable: true),
      ] { _ = try transaction.addColumn(log, definition) }
      _ = try transaction.addColumn(owner, ColumnDefinition("log", .link, target: log))
    }
    try realm.add("Owner", ["id": 1, "log": ["z": 1]])
    for policy in [UpdatePolicy.modified, .all] {
      try realm.upsert(
        "Owner", policy,
        ["id": 1, "log": ["owner": ["id": 1, "log": .null], "log": ["z": 4], "z": 5]])
      try realm.upsert(
        "Owner", policy,
        ["id": 2, "log": ["owner": ["id": 2, "log": ["z": 1]], "log": ["z": 4], "z": 5]])
    }
    try realm.commitAndCheck()
  }

  @Test func objectsAreCopied() throws {
    let realm = try WrittenRealm.boats()
    try realm.add("Harbour", ["city": "a", "depth": 1])
    let harbour = InputValue.object(try realm.objectClass("Harbour"), ObjectKey(0))
    try realm.add("Harbour", harbour)
    #expect(
      try realm.objects("Harbour") == ["{city: \"a\", depth: 1}", "{city: \"a\", depth: 1}"])
    try realm.add("Boat", ["id": 1, "crew": 1, "log": ["a": 1], "home": harbour])
    let boat = try realm.object("Boat", 1)
    let outcome = try realm.upsert("Boat", .modified, boat)
    #expect(outcome.subjects.map(\.effect) == [.unchanged])
    #expect(try realm.error { try realm.add("Boat", boat) } == "ObjectAlreadyExists/value0")
    #expect(
      try realm.error { try realm.add("Boat", harbour) } == "ObjectTypeMismatch/value0")
    // An embedded object inside a new one is copied as well.
    let log = InputValue.object(try realm.objectClass("Log"), ObjectKey(0))
    try realm.add("Boat", ["id": 2, "crew": 1, "log": log, "logs": [log, ["b": 2]]])
    #expect(try realm["Boat", 2, "log"] == "{a: 1, b: null}")
    #expect(try realm["Boat", 2, "logs"] == "[{a: 1, b: null}, {a: null, b: 2}]")
    try realm.commitAndCheck()
  }

  @Test func positionalNesting() throws {
    let realm = try WrittenRealm.boats()
    try realm.add("Boat", ["id": 1, "crew": 2, "name": "Ada"])
    let outcome = try realm.upsert("Boat", .modified, ["id": 1, "ports": [["Buster", 5]]])
    #expect(outcome.subjects.map(\.effect) == [.changed(["ports"])])
    #expect(outcome.addedNested.map(\.objectClass.name) == ["Harbour"])
    #expect(try realm["Boat", 1, "name"] == "\"Ada\"")
    #expect(try realm.objects("Harbour") == ["{city: \"Buster\", depth: 5}"])
  }

  /// At most one object has the key null, which is not the empty text.
  @Test func nullIsAKey() throws {
    let realm = try WrittenRealm { transaction in
      let table = try transaction.createTable("class_Name")
      let definition = ColumnDefinition("text", .string, isNullable: true)
      try transaction.setPrimaryKey(table, try transaction.addColumn(table, definition))
      _ = try transaction.createTable("class_Empty")
    }
    try realm.add("Name", [:])
    try realm.add("Name", [""])
    #expect(try realm.error { try realm.add("Name", [:]) } == "ObjectAlreadyExists/value0/text")
    #expect(try realm.error { try realm.add("Name", [.null]) } == "ObjectAlreadyExists/value0/0")
    #expect(try realm.error { try realm.add("Name", [""]) } == "ObjectAlreadyExists/value0/0")
    let outcome = try realm.upsert("Name", .modified, ["text": .null], ["text": "b"], ["b"])
    #expect(outcome.subjects.map(\.effect) == [.unchanged, .added, .added])
    #expect(try realm.objects("Name") == ["{text: null}", "{text: \"\"}", "{text: \"b\"}"])
    // A class without properties.
    try realm.add("Empty", [:], [])
    #expect(try realm.objects("Empty") == ["{}", "{}"])
    #expect(try realm.error { try realm.add("Empty", [1]) } == "InvalidArgument/value0/0")
    try realm.commitAndCheck()
  }

  @Test func deletedObjectsCannotBeUsed() throws {
    let realm = try WrittenRealm.boats()
    try realm.add("Harbour", ["city": "a"])
    let harbour = InputValue.object(try realm.objectClass("Harbour"), ObjectKey(0))
    try realm.delete("Harbour", ObjectKey(0))
    #expect(
      try realm.error { try realm.add("Boat", ["id": 1, "crew": 1, "home": harbour]) }
        == "InvalidatedObject/value0/home")
    #expect(
      try realm.error { try realm.delete("Harbour", ObjectKey(0)) } == "InvalidatedObject/value0")
  }
}
