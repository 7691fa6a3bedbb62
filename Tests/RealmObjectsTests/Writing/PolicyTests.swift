import RealmStorage
import RealmValues
import TestSupport
import Testing

@testable import RealmObjects

/// The policies `modified` and `all`, kind of property by kind of property.
///
/// Source: object-model.md 4.3, 4.4.
struct PolicyTests {
  private func boat(_ rest: InputValue...) throws -> WrittenRealm {
    let realm = try WrittenRealm.boats()
    for value in rest { try realm.add("Boat", value) }
    return realm
  }

  @Test func lists() throws {
    let realm = try boat(["id": 1, "crew": 1, "nums": [1, 2, 3]])
    try realm.upsert("Boat", .modified, ["id": 1, "nums": [1, 9]])
    #expect(try realm["Boat", 1, "nums"] == "[1, 9]")
    var outcome = try realm.upsert("Boat", .modified, ["id": 1, "nums": [1, 9]])
    #expect(outcome.subjects.map(\.effect) == [.unchanged])
    try realm.upsert("Boat", .modified, ["id": 1, "nums": [1, 9, 4, 5]])
    #expect(try realm["Boat", 1, "nums"] == "[1, 9, 4, 5]")
    outcome = try realm.upsert("Boat", .all, ["id": 1, "nums": [1, 9, 4, 5]])
    #expect(outcome.subjects.map(\.effect) == [.changed(["nums"])])
    #expect(try realm["Boat", 1, "nums"] == "[1, 9, 4, 5]")
    try realm.commitAndCheck()
  }

  @Test func sets() throws {
    let realm = try boat(["id": 1, "crew": 1, "tags": [1, 2]])
    var outcome = try realm.upsert("Boat", .modified, ["id": 1, "tags": [2, 3]])
    #expect(try realm["Boat", 1, "tags"] == "[1, 2, 3]")
    #expect(outcome.subjects.map(\.effect) == [.changed(["tags"])])
    outcome = try realm.upsert("Boat", .modified, ["id": 1, "tags": [2, 3, 2]])
    #expect(outcome.subjects.map(\.effect) == [.unchanged])
    try realm.upsert("Boat", .all, ["id": 1, "tags": [3]])
    #expect(try realm["Boat", 1, "tags"] == "[3]")
  }

  @Test func dictionaries() throws {
    let realm = try boat(["id": 1, "crew": 1, "marks": ["a": 1, "b": 2]])
    try realm.upsert("Boat", .modified, ["id": 1, "marks": ["b": 5, "c": 6]])
    #expect(try realm["Boat", 1, "marks"] == "{a: 1, b: 5, c: 6}")
    let outcome = try realm.upsert("Boat", .modified, ["id": 1, "marks": ["c": 6]])
    #expect(outcome.subjects.map(\.effect) == [.unchanged])
    try realm.upsert("Boat", .all, ["id": 1, "marks": ["z": 1]])
    #expect(try realm["Boat", 1, "marks"] == "{z: 1}")
    #expect(
      try realm.error { try realm.upsert("Boat", .all, ["id": 1, "marks": ["$x": 1]]) }
        == "InvalidDictionaryKey/value0/marks/$x")
    #expect(
      try realm.error { try realm.upsert("Boat", .all, ["id": 1, "marks": ["a.b": 1]]) }
        == "InvalidDictionaryKey/value0/marks/a.b")
    try realm.upsert("Boat", .all, ["id": 1, "marks": ["a$": 1, "": 2]])
    #expect(try realm["Boat", 1, "marks"] == "{: 2, a$: 1}")
  }

  @Test func nullEmptiesCollections() throws {
    for policy in [UpdatePolicy.modified, .all] {
      let realm = try boat([
        "id": 1, "crew": 1, "nums": [1], "tags": [1], "marks": ["a": 1], "logs": [["a": 1]],
      ])
      let outcome = try realm.upsert(
        "Boat", policy,
        ["id": 1, "nums": .null, "tags": .null, "marks": .null, "logs": .null])
      #expect(outcome.subjects.map(\.effect) == [.changed(["nums", "tags", "marks", "logs"])])
      #expect(outcome.deletedEmbedded.map(\.count) == [1])
      for name in ["nums", "tags", "logs"] { #expect(try realm["Boat", 1, name] == "[]") }
      #expect(try realm["Boat", 1, "marks"] == "{}")
      try realm.commitAndCheck()
    }
  }

  @Test func listsOfObjectsWithoutKey() throws {
    let realm = try boat([
      "id": 1, "crew": 1, "ports": [["city": "a", "depth": 1], ["city": "h"]],
    ])
    try realm.upsert("Boat", .modified, ["id": 1, "ports": [["city": "b"]]])
    #expect(try realm["Boat", 1, "ports"] == "[Harbour#0]")
    #expect(
      try realm.objects("Harbour") == ["{city: \"b\", depth: 1}", "{city: \"h\", depth: null}"])
    try realm.upsert("Boat", .all, ["id": 1, "ports": [["city": "c"]]])
    #expect(try realm["Boat", 1, "ports"] == "[Harbour#2]")
    #expect(try realm.count("Harbour") == 3)
    try realm.commitAndCheck()
  }

  @Test func listsOfEmbeddedObjects() throws {
    let realm = try boat(["id": 1, "crew": 1, "logs": [["a": 5, "b": 6], ["a": 7]]])
    let outcome = try realm.upsert(
      "Boat", .modified, ["id": 1, "logs": [["a": 70], ["b": 71], ["a": 72]]])
    #expect(outcome.subjects.map(\.effect) == [.changed(["logs"])])
    #expect(
      try realm["Boat", 1, "logs"] == "[{a: 70, b: 6}, {a: 7, b: 71}, {a: 72, b: null}]")
    try realm.upsert("Boat", .modified, ["id": 1, "logs": [["a": 1]]])
    #expect(try realm["Boat", 1, "logs"] == "[{a: 1, b: 6}]")
    #expect(try realm.count("Log") == 1)
    try realm.upsert("Boat", .all, ["id": 1, "logs": [["a": 2]]])
    #expect(try realm["Boat", 1, "logs"] == "[{a: 2, b: null}]")
    #expect(try realm.count("Log") == 1)
    try realm.commitAndCheck()
  }

  @Test func embeddedObjects() throws {
    let realm = try boat(["id": 1, "crew": 1, "log": ["a": 1, "b": 2]])
    var outcome = try realm.upsert("Boat", .modified, ["id": 1, "log": ["a": 9]])
    #expect(try realm["Boat", 1, "log"] == "{a: 9, b: 2}")
    #expect(outcome.subjects.map(\.effect) == [.changed(["log"])])
    #expect(outcome.deletedEmbedded.isEmpty && outcome.addedNested.isEmpty)
    outcome = try realm.upsert("Boat", .modified, ["id": 1, "log": ["a": 9]])
    #expect(outcome.subjects.map(\.effect) == [.unchanged])
    outcome = try realm.upsert("Boat", .all, ["id": 1, "log": ["a": 9]])
    #expect(try realm["Boat", 1, "log"] == "{a: 9, b: null}")
    #expect(outcome.deletedEmbedded.map(\.count) == [1])
    #expect(try realm.count("Log") == 1)
    outcome = try realm.upsert("Boat", .modified, ["id": 1, "log": .null])
    #expect(outcome.deletedEmbedded.map(\.count) == [1])
    #expect(try realm["Boat", 1, "log"] == "null")
    #expect(try realm.count("Log") == 0)
    outcome = try realm.upsert("Boat", .modified, ["id": 1, "log": .null])
    #expect(outcome.subjects.map(\.effect) == [.unchanged])
    try realm.upsert("Boat", .modified, ["id": 1, "log": ["b": 3]])
    #expect(try realm["Boat", 1, "log"] == "{a: null, b: 3}")
    try realm.commitAndCheck()
  }

  @Test func links() throws {
    let realm = try boat(["id": 1, "crew": 1], ["id": 2, "crew": 1])
    try realm.upsert("Boat", .modified, ["id": 1, "mate": try realm.object("Boat", 2)])
    #expect(try realm["Boat", 1, "mate"] == "Boat(2)")
    var outcome = try realm.upsert(
      "Boat", .modified, ["id": 1, "mate": try realm.object("Boat", 2)])
    #expect(outcome.subjects.map(\.effect) == [.unchanged])
    outcome = try realm.upsert("Boat", .modified, ["id": 1, "mate": ["id": 2]])
    #expect(outcome.subjects.map(\.effect) == [.unchanged])
    outcome = try realm.upsert("Boat", .all, ["id": 1, "mate": ["id": 2]])
    #expect(outcome.subjects.map(\.effect) == [.changed(["mate"])])
    outcome = try realm.upsert("Boat", .all, ["id": 1, "home": .null])
    #expect(outcome.subjects.map(\.effect) == [.changed(["home"])])
    outcome = try realm.upsert("Boat", .modified, ["id": 1, "home": .null])
    #expect(outcome.subjects.map(\.effect) == [.unchanged])
    let harbour = try realm.add("Harbour", ["city": "x"])
    let other = InputValue.object(
      try realm.objectClass("Harbour"), harbour.subjects[0].key)
    #expect(
      try realm.error { try realm.upsert("Boat", .modified, ["id": 1, "mate": other]) }
        == "ObjectTypeMismatch/value0/mate")
    #expect(
      try realm.error { try realm.upsert("Boat", .modified, ["id": 1, "fleet": [other]]) }
        == "ObjectTypeMismatch/value0/fleet/0")
    try realm.commitAndCheck()
  }

  @Test func mixedDictionaries() throws {
    let realm = try boat(["id": 1, "crew": 1, "x": ["k": 1]])
    try realm.upsert("Boat", .modified, ["id": 1, "x": ["j": 2]])
    #expect(try realm["Boat", 1, "x"] == "{j: 2, k: 1}")
    let outcome = try realm.upsert("Boat", .modified, ["id": 1, "x": ["j": 2]])
    #expect(outcome.subjects.map(\.effect) == [.unchanged])
    try realm.upsert("Boat", .all, ["id": 1, "x": ["j": 2]])
    #expect(try realm["Boat", 1, "x"] == "{j: 2}")
  }

  @Test func mixedLists() throws {
    let realm = try boat(["id": 1, "crew": 1, "x": [3]])
    try realm.upsert("Boat", .modified, ["id": 1, "x": [4, 5]])
    #expect(try realm["Boat", 1, "x"] == "[4, 5]")
    try realm.upsert("Boat", .modified, ["id": 1, "x": []])
    #expect(try realm["Boat", 1, "x"] == "[]")
    try realm.upsert("Boat", .modified, ["id": 1, "x": ["a": 1]])
    #expect(try realm["Boat", 1, "x"] == "{a: 1}")
    // The type counts.
    try realm.upsert("Boat", .modified, ["id": 1, "x": 1])
    let outcome = try realm.upsert("Boat", .modified, ["id": 1, "x": 1.0])
    #expect(outcome.subjects.map(\.effect) == [.changed(["x"])])
    #expect(try realm["Boat", 1, "x"] == "1.0")
    try realm.commitAndCheck()
  }

  @Test func mixedNesting() throws {
    let realm = try boat(["id": 1, "crew": 1, "x": [1, ["k": [2]]]])
    #expect(try realm["Boat", 1, "x"] == "[1, {k: [2]}]")
    var deep: InputValue = []
    for _ in 1..<100 { deep = .array([deep]) }
    try realm.upsert("Boat", .all, ["id": 1, "x": deep])
    let place = "LimitExceeded/value0/x" + String(repeating: "/0", count: 100)
    #expect(try realm.error { try realm.upsert("Boat", .all, ["id": 1, "x": [deep]]) } == place)
    #expect(
      try realm.error { try realm.upsert("Boat", .all, ["id": 1, "x": .set([1])]) }
        == "IllegalOperation/value0/x")
    try realm.upsert("Boat", .all, ["id": 1, "log": ["a": 1]])
    let log = InputValue.object(try realm.objectClass("Log"), ObjectKey(0))
    #expect(
      try realm.error { try realm.upsert("Boat", .all, ["id": 1, "x": log]) }
        == "IllegalOperation/value0/x")
    try realm.upsert("Boat", .all, ["id": 1, "x": try realm.object("Boat", 1)])
    #expect(try realm["Boat", 1, "x"] == "Boat(1)")
    try realm.commitAndCheck()
  }
}
