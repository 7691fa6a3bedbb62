import RealmStorage
import RealmValues
import TestSupport
import Testing

@testable import RealmObjects

/// The changes of `set`: paths, operators, methods.
///
/// Source: shell.md 9, object-model.md 4.6 to 4.8.
struct ChangeTests {
  private func boat(_ rest: InputField...) throws -> WrittenRealm {
    let realm = try WrittenRealm.boats()
    try realm.add("Boat", .map([InputField("id", 1), InputField("crew", 3)] + rest))
    return realm
  }

  @Test func singleValues() throws {
    let realm = try boat()
    let outcome = try realm.set(
      "Boat", 1, replace("name", with: "Rook"), replace("crew", with: 3), replace("x", with: 1.5))
    // An equal value is a change.
    #expect(outcome.subjects.map(\.effect) == [.changed(["name", "crew", "x"])])
    #expect(try realm["Boat", 1, "name"] == "\"Rook\"")
    #expect(try realm["Boat", 1, "x"] == "1.5")
    #expect(
      try realm.error { try realm.set("Boat", 1, replace("name", with: 5)) }
        == "TypeMismatch/change0/argument0")
    #expect(
      try realm.error { try realm.set("Boat", 1, replace("crew", with: .null)) }
        == "PropertyNotNullable/change0/argument0")
    #expect(
      try realm.error { try realm.set("Boat", 1, replace("id", with: 1)) }
        == "ModifyPrimaryKey/change0/step0")
    #expect(
      try realm.error { try realm.set("Boat", 1, add(1, to: "crew"), replace("no", with: 1)) }
        == "InvalidProperty/change1/step0")
  }

  @Test func arithmetic() throws {
    let realm = try boat()
    try realm.set("Boat", 1, add(1, to: "crew"), add(1, to: "crew"))
    #expect(try realm["Boat", 1, "crew"] == "5")
    try realm.set("Boat", 1, subtract(2, from: "crew"))
    try realm.set("Boat", 1, PropertyChange(["crew"], .multiply(7)))
    #expect(try realm["Boat", 1, "crew"] == "21")
    try realm.set("Boat", 1, PropertyChange(["crew"], .divide(4)))
    #expect(try realm["Boat", 1, "crew"] == "5")
    #expect(
      try realm.error { try realm.set("Boat", 1, add("x", to: "crew")) }
        == "TypeMismatch/change0/argument0")
    #expect(
      try realm.error { try realm.set("Boat", 1, add(.scalar(.int(.max)), to: "crew")) }
        == "Arithmetic/change0/argument0")
    #expect(
      try realm.error { try realm.set("Boat", 1, PropertyChange(["crew"], .divide(0))) }
        == "Arithmetic/change0/argument0")
    #expect(
      try realm.error { try realm.set("Boat", 1, add(0.5, to: "crew")) }
        == "TypeMismatch/change0/argument0")
    try realm.set("Boat", 1, replace("name", with: "Te"), add("rn", to: "name"))
    #expect(try realm["Boat", 1, "name"] == "\"Tern\"")
    #expect(
      try realm.error { try realm.set("Boat", 1, subtract("x", from: "name")) }
        == "IllegalOperation/change0/argument0")
    try realm.set("Boat", 1, replace("x", with: 1.5), add(1, to: "x"))
    #expect(try realm["Boat", 1, "x"] == "2.5")
    // Null stays null.
    try realm.set("Boat", 1, replace("name", with: .null), add("x", to: "name"))
    #expect(try realm["Boat", 1, "name"] == "null")
  }

  @Test func lists() throws {
    let realm = try boat(InputField("nums", [10, 20]))
    try realm.set("Boat", 1, call(.insert, 1, 15, on: "nums"))
    #expect(try realm["Boat", 1, "nums"] == "[10, 15, 20]")
    try realm.set("Boat", 1, call(.insert, 3, 30, on: "nums"))
    #expect(try realm["Boat", 1, "nums"] == "[10, 15, 20, 30]")
    #expect(
      try realm.error { try realm.set("Boat", 1, call(.insert, 5, 1, on: "nums")) }
        == "OutOfBounds/change0/argument0")
    #expect(
      try realm.error { try realm.set("Boat", 1, replace("nums", 9, with: 1)) }
        == "OutOfBounds/change0/step1")
    #expect(
      try realm.error { try realm.set("Boat", 1, call(.removeAt, 9, on: "nums")) }
        == "OutOfBounds/change0/argument0")
    try realm.set("Boat", 1, replace("nums", -1, with: 31), replace("nums", 0, with: 11))
    #expect(try realm["Boat", 1, "nums"] == "[11, 15, 20, 31]")
    try realm.set("Boat", 1, add(1, to: "nums"), add([2, 1], to: "nums"))
    #expect(try realm["Boat", 1, "nums"] == "[11, 15, 20, 31, 1, 2, 1]")
    try realm.set("Boat", 1, subtract(1, from: "nums"), subtract([15, 99], from: "nums"))
    #expect(try realm["Boat", 1, "nums"] == "[11, 20, 31, 2]")
    try realm.set("Boat", 1, call(.append, 20, 21, on: "nums"), call(.remove, 20, on: "nums"))
    #expect(try realm["Boat", 1, "nums"] == "[11, 31, 2, 20, 21]")
    try realm.set("Boat", 1, add(1, to: "nums", 0), call(.removeAt, -1, on: "nums"))
    #expect(try realm["Boat", 1, "nums"] == "[12, 31, 2, 20]")
    #expect(
      try realm.error { try realm.set("Boat", 1, call(.append, 1, "x", on: "nums")) }
        == "TypeMismatch/change0/argument1")
    #expect(
      try realm.error { try realm.set("Boat", 1, call(.append, on: "nums")) }
        == "InvalidArgument/change0")
    #expect(
      try realm.error { try realm.set("Boat", 1, call(.union, [1], on: "nums")) }
        == "IllegalOperation/change0")
    var outcome = try realm.set("Boat", 1, call(.clear, on: "nums"))
    #expect(outcome.subjects.map(\.effect) == [.changed(["nums"])])
    outcome = try realm.set("Boat", 1, call(.clear, on: "nums"), call(.remove, 1, on: "nums"))
    #expect(outcome.subjects.map(\.effect) == [.unchanged])
    try realm.commitAndCheck()
  }

  @Test func moves() throws {
    let realm = try boat(InputField("nums", [0, 1, 2, 3, 4]))
    try realm.set("Boat", 1, call(.move, 1, 3, on: "nums"))
    #expect(try realm["Boat", 1, "nums"] == "[0, 2, 3, 1, 4]")
    try realm.set("Boat", 1, call(.move, 3, 0, on: "nums"))
    #expect(try realm["Boat", 1, "nums"] == "[1, 0, 2, 3, 4]")
    try realm.set("Boat", 1, call(.swap, 0, 4, on: "nums"))
    #expect(try realm["Boat", 1, "nums"] == "[4, 0, 2, 3, 1]")
    try realm.set("Boat", 1, call(.swap, 2, 1, on: "nums"), call(.swap, 3, 3, on: "nums"))
    #expect(try realm["Boat", 1, "nums"] == "[4, 2, 0, 3, 1]")
    #expect(
      try realm.error { try realm.set("Boat", 1, call(.move, 0, 5, on: "nums")) }
        == "OutOfBounds/change0/argument1")
  }

  @Test func sets() throws {
    let realm = try boat(InputField("tags", [1, 2, 3]))
    var outcome = try realm.set("Boat", 1, call(.union, [3, 4], on: "tags"))
    #expect(outcome.subjects.map(\.effect) == [.changed(["tags"])])
    #expect(try realm["Boat", 1, "tags"] == "[1, 2, 3, 4]")
    try realm.set("Boat", 1, call(.subtract, .set([3, 4]), on: "tags"))
    #expect(try realm["Boat", 1, "tags"] == "[1, 2]")
    try realm.set("Boat", 1, add(3, to: "tags"), call(.intersect, [3, 4], on: "tags"))
    #expect(try realm["Boat", 1, "tags"] == "[3]")
    outcome = try realm.set("Boat", 1, call(.insert, 3, on: "tags"))
    #expect(outcome.subjects.map(\.effect) == [.unchanged])
    try realm.set("Boat", 1, add([4, 5], to: "tags"), subtract(3, from: "tags"))
    #expect(try realm["Boat", 1, "tags"] == "[4, 5]")
    try realm.set("Boat", 1, call(.remove, 4, on: "tags"), subtract([5, 6], from: "tags"))
    #expect(try realm["Boat", 1, "tags"] == "[]")
    #expect(
      try realm.error { try realm.set("Boat", 1, call(.union, 1, on: "tags")) }
        == "TypeMismatch/change0/argument0")
    #expect(
      try realm.error { try realm.set("Boat", 1, call(.append, 1, on: "tags")) }
        == "IllegalOperation/change0")
    try realm.set("Boat", 1, replace("tags", with: [9, 8, 9]))
    #expect(try realm["Boat", 1, "tags"] == "[8, 9]")
    try realm.commitAndCheck()
  }

  @Test func dictionaries() throws {
    let realm = try boat()
    try realm.set(
      "Boat", 1, replace("marks", .key("a"), with: 1), replace("marks", .key("b"), with: 2),
      replace("marks", .key("a"), with: 3))
    #expect(try realm["Boat", 1, "marks"] == "{a: 3, b: 2}")
    try realm.set("Boat", 1, subtract("b", from: "marks"))
    #expect(try realm["Boat", 1, "marks"] == "{a: 3}")
    var outcome = try realm.set("Boat", 1, call(.remove, "zz", on: "marks"))
    #expect(outcome.subjects.map(\.effect) == [.unchanged])
    outcome = try realm.set("Boat", 1, replace("marks", .key("c"), with: .null))
    #expect(outcome.subjects.map(\.effect) == [.changed(["marks"])])
    #expect(try realm["Boat", 1, "marks"] == "{a: 3, c: null}")
    try realm.set("Boat", 1, add(1, to: "marks", .key("a")), add(["d": 4], to: "marks"))
    #expect(try realm["Boat", 1, "marks"] == "{a: 4, c: null, d: 4}")
    try realm.set("Boat", 1, subtract(["a", "c", "no"], from: "marks"))
    #expect(try realm["Boat", 1, "marks"] == "{d: 4}")
    #expect(
      try realm.error { try realm.set("Boat", 1, add(1, to: "marks", .key("no"))) }
        == "KeyNotFound/change0")
    #expect(
      try realm.error { try realm.set("Boat", 1, replace("marks", .key("$x"), with: 1)) }
        == "InvalidDictionaryKey/change0/step1")
    #expect(
      try realm.error { try realm.set("Boat", 1, add(["a.b": 1], to: "marks")) }
        == "InvalidDictionaryKey/change0/argument0/a.b")
    try realm.set("Boat", 1, call(.clear, on: "marks"), replace("marks", .key(""), with: 1))
    #expect(try realm["Boat", 1, "marks"] == "{: 1}")
    try realm.set("Boat", 1, replace("marks", with: ["z": 1, "y": 2]))
    #expect(try realm["Boat", 1, "marks"] == "{y: 2, z: 1}")
    try realm.set(
      "Boat", 1,
      replace("marks", with: ["b": 1, "B": 1, "a": 1, "é": 1, "aa": 1, "10": 1, "9": 1]))
    #expect(try realm["Boat", 1, "marks"] == "{10: 1, 9: 1, B: 1, a: 1, aa: 1, b: 1, é: 1}")
    try realm.commitAndCheck()
  }

  @Test func links() throws {
    let realm = try boat()
    try realm.add("Boat", ["id": 2, "crew": 1])
    #expect(
      try realm.error { try realm.set("Boat", 1, replace("mate", with: ["id": 2, "crew": 1])) }
        == "ObjectAlreadyExists/change0/argument0/id")
    var outcome = try realm.set("Boat", 1, replace("home", with: ["city": "q"]))
    #expect(outcome.addedNested.map(\.count) == [1])
    #expect(try realm["Boat", 1, "home"] == "Harbour#0")
    outcome = try realm.set("Boat", 1, replace("home", "depth", with: 7))
    #expect(outcome.subjects.map(\.effect) == [.changed(["home.depth"])])
    #expect(outcome.changedNested.isEmpty)
    #expect(try realm.objects("Harbour") == ["{city: \"q\", depth: 7}"])
    #expect(
      try realm.error { try realm.set("Boat", 1, replace("mate", "name", with: "x")) }
        == "NullInPath/change0/step0")
    try realm.set("Boat", 1, replace("mate", with: try realm.object("Boat", 2)))
    try realm.set("Boat", 1, replace("mate", "name", with: "x"), add(1, to: "mate", "crew"))
    #expect(try realm["Boat", 2, "name"] == "\"x\"")
    #expect(try realm["Boat", 2, "crew"] == "2")
    #expect(
      try realm.error { try realm.set("Boat", 1, replace("mate", "id", with: 5)) }
        == "ModifyPrimaryKey/change0/step1")
    #expect(
      try realm.error {
        try realm.set("Boat", 1, call(.append, try realm.object("Boat", 2), on: "ports"))
      } == "ObjectTypeMismatch/change0/argument0")
    try realm.set(
      "Boat", 1, add(["city": "n"], to: "ports"),
      add(try realm.object("Boat", 2), to: "fleet"), replace("fleet", 0, "crew", with: 8))
    #expect(try realm["Boat", 1, "ports"] == "[Harbour#1]")
    #expect(try realm["Boat", 2, "crew"] == "8")
    // A new object is changed before it is made.
    try realm.set(
      "Boat", 1, replace("home", with: ["city": "r"]), replace("home", "depth", with: 2))
    #expect(try realm.objects("Harbour").last == "{city: \"r\", depth: 2}")
    try realm.commitAndCheck()
  }

  @Test func embeddedObjects() throws {
    let realm = try boat()
    #expect(
      try realm.error { try realm.set("Boat", 1, replace("log", "a", with: 5)) }
        == "NullInPath/change0/step0")
    try realm.set("Boat", 1, replace("log", with: ["a": 5]))
    var outcome = try realm.set("Boat", 1, replace("log", "a", with: 6))
    #expect(outcome.subjects.map(\.effect) == [.changed(["log.a"])])
    #expect(try realm["Boat", 1, "log"] == "{a: 6, b: null}")
    outcome = try realm.set("Boat", 1, replace("log", with: ["b": 1]))
    #expect(try realm["Boat", 1, "log"] == "{a: null, b: 1}")
    #expect(outcome.deletedEmbedded.map(\.count) == [1])
    let log = try realm.objectClass("Log")
    let key = try #require(try keys(realm, "Log").first)
    try realm.add("Boat", ["id": 2, "crew": 1])
    #expect(
      try realm.error { try realm.set("Boat", 1, call(.append, .object(log, key), on: "logs")) }
        == "IllegalOperation/change0/argument0")
    #expect(
      try realm.error { try realm.set("Boat", 2, replace("log", with: .object(log, key))) }
        == "IllegalOperation/change0/argument0")
    // Set to itself nothing happens.
    outcome = try realm.set("Boat", 1, replace("log", with: .object(log, key)))
    #expect(outcome.subjects.map(\.effect) == [.unchanged])
    try realm.set("Boat", 1, call(.append, ["a": 1], ["a": 2], ["a": 3], on: "logs"))
    try realm.set("Boat", 1, replace("logs", 1, with: ["b": 9]), call(.swap, 0, 2, on: "logs"))
    #expect(
      try realm["Boat", 1, "logs"] == "[{a: 3, b: null}, {a: null, b: 9}, {a: 1, b: null}]")
    #expect(try realm.count("Log") == 4)
    let members = try keys(realm, "Log").filter { $0 != key }.map { InputValue.object(log, $0) }
    let same = [members[1], members[2], members[0]]
    outcome = try realm.set("Boat", 1, replace("logs", with: .array(same)))
    #expect(outcome.subjects.map(\.effect) == [.unchanged])
    #expect(
      try realm.error { try realm.set("Boat", 1, replace("logs", with: .array(members))) }
        == "IllegalOperation/change0/argument0/0")
    try realm.set("Boat", 1, replace("logs", 0, "a", with: 4))
    #expect(try realm["Boat", 1, "logs"].hasPrefix("[{a: 4"))
    outcome = try realm.set("Boat", 1, call(.removeAt, 0, on: "logs"))
    #expect(outcome.deletedEmbedded.map(\.count) == [1])
    #expect(try realm.count("Log") == 3)
    try realm.commitAndCheck()
  }

  private func keys(_ realm: WrittenRealm, _ name: String) throws -> [ObjectKey] {
    let transaction = try #require(realm.realm.transaction)
    return try transaction.objects(try realm.objectClass(name).table.key)
  }

  @Test func mixedValues() throws {
    let realm = try boat(InputField("x", [1, ["k": [2]]]))
    try realm.set("Boat", 1, replace("x", 1, .key("k"), 0, with: 5))
    #expect(try realm["Boat", 1, "x"] == "[1, {k: [5]}]")
    try realm.set("Boat", 1, add([6, 7], to: "x", 1, "k"), replace("x", -1, .key("n"), with: "s"))
    #expect(try realm["Boat", 1, "x"] == "[1, {k: [5, 6, 7], n: \"s\"}]")
    try realm.set(
      "Boat", 1, add(1, to: "x", 0), add("t", to: "x", 1, "n"), subtract(6, from: "x", 1, "k"))
    #expect(try realm["Boat", 1, "x"] == "[2, {k: [5, 7], n: \"st\"}]")
    try realm.set(
      "Boat", 1, call(.insert, 0, true, on: "x"), call(.swap, 0, 1, on: "x"),
      call(.remove, "n", on: "x", 2), call(.clear, on: "x", 2, "k"))
    #expect(try realm["Boat", 1, "x"] == "[2, true, {k: []}]")
    #expect(
      try realm.error { try realm.set("Boat", 1, replace("x", 3, with: 1)) }
        == "OutOfBounds/change0/step1")
    #expect(
      try realm.error { try realm.set("Boat", 1, replace("x", 2, "k", 0, with: 1)) }
        == "OutOfBounds/change0/step3")
    #expect(
      try realm.error { try realm.set("Boat", 1, replace("x", 0, "k", with: 1)) }
        == "IllegalOperation/change0/step2")
    #expect(
      try realm.error { try realm.set("Boat", 1, replace("x", 2, "z", "y", with: 1)) }
        == "NullInPath/change0/step2")
    #expect(
      try realm.error { try realm.set("Boat", 1, replace("x", 2, .key("a.b"), with: 1)) }
        == "InvalidDictionaryKey/change0/step2")
    #expect(
      try realm.error { try realm.set("Boat", 1, replace("x", 0, with: .set([]))) }
        == "IllegalOperation/change0/argument0")
    try realm.set("Boat", 1, replace("x", 0, with: try realm.object("Boat", 1)))
    try realm.set("Boat", 1, replace("x", 0, "name", with: "by x"))
    #expect(try realm["Boat", 1, "name"] == "\"by x\"")
    try realm.set("Boat", 1, add(["q": 1], to: "x", 2), subtract("k", from: "x", 2))
    #expect(try realm["Boat", 1, "x"] == "[Boat(1), true, {q: 1}]")
    try realm.commitAndCheck()
  }

  @Test func bulkChanges() throws {
    let realm = try WrittenRealm.boats()
    for i in 0..<1000 as Range<Int64> {
      let home: InputValue = i % 2 == 0 ? ["depth": 1] : .null
      try realm.add("Boat", ["id": .scalar(.int(i)), "crew": 1, "home": home])
    }
    let boats = try realm.objectClass("Boat")
    let keys = try keys(realm, "Boat")
    var plan = try realm.writer.planBulkSet(boats)
    for key in keys { try plan.set(key, [add(1, to: "crew"), replace("name", with: "n")]) }
    var outcome = try realm.writer.apply(plan)
    #expect(outcome.changedInBulk == 1000)
    try realm.realm.refresh()
    #expect(try realm["Boat", 999, "crew"] == "2")
    #expect(try realm["Boat", 999, "name"] == "\"n\"")
    plan = try realm.writer.planBulkSet(try realm.objectClass("Boat"))
    for key in keys { try plan.set(key, [add(1, to: "home", "depth"), add(5, to: "nums")]) }
    #expect(plan.skippedCount == 500)
    #expect(plan.skipReason == "home")
    outcome = try realm.writer.apply(plan)
    #expect(outcome.changedInBulk == 500)
    try realm.realm.refresh()
    #expect(try realm["Boat", 998, "nums"] == "[5]")
    #expect(try realm["Boat", 999, "nums"] == "[]")
    #expect(try realm.objects("Harbour").allSatisfy { $0 == "{city: null, depth: 2}" })
    #expect(
      try realm.error {
        let plan = try realm.writer.planBulkSet(try realm.objectClass("Boat"))
        try plan.set(keys[0], [add("x", to: "crew")])
      } == "TypeMismatch/change0/argument0")
    try realm.commitAndCheck()
  }

  /// Changes that are the same for all objects are made column by column.
  @Test func constantBulkChanges() throws {
    let realm = try WrittenRealm { transaction in
      let table = try transaction.createTable("class_Item")
      for definition in [
        ColumnDefinition("int", .int, isNullable: true), ColumnDefinition("float", .float),
        ColumnDefinition("double", .double, isNullable: true),
        ColumnDefinition("text", .string, isNullable: true),
        ColumnDefinition("decimal", .decimal),
      ] { _ = try transaction.addColumn(table, definition) }
    }
    for i in 0..<600 as Range<Int64> {
      let int: InputValue = i % 3 == 0 ? .null : .scalar(.int(i))
      try realm.add("Item", [int, .scalar(.float(Float(i))), 0.5, "t", 1])
    }
    let keys = try keys(realm, "Item")
    func bulk(_ keys: [ObjectKey], _ changes: PropertyChange...) throws -> Int {
      let plan = try realm.writer.planBulkSet(try realm.objectClass("Item"))
      if try !plan.setTogether(keys, changes) {
        for key in keys { try plan.set(key, changes) }
      }
      return try realm.writer.apply(plan).changedInBulk
    }
    #expect(try bulk(keys, add(1, to: "int"), PropertyChange(["float"], .multiply(2))) == 600)
    #expect(
      try bulk(
        keys.reversed() + keys, subtract(1, from: "double"), add("s", to: "text"),
        add(.number(.double(0.1), text: "0.1"), to: "decimal")) == 600)
    #expect(try bulk(Array(keys[0..<2]), replace("text", with: "new")) == 2)
    #expect(
      try realm.objects("Item").prefix(3) == [
        "{int: null, float: 0.0f, double: -0.5, text: \"new\", decimal: decimal(1.1)}",
        "{int: 2, float: 2.0f, double: -0.5, text: \"new\", decimal: decimal(1.1)}",
        "{int: 3, float: 4.0f, double: -0.5, text: \"ts\", decimal: decimal(1.1)}",
      ])
    let large = InputValue.scalar(.int(.max))
    #expect(
      try realm.error { _ = try bulk(keys, add(large, to: "int")) }
        == "Arithmetic/change0/argument0")
    #expect(try bulk([keys[0]], add(large, to: "int")) == 1)
    #expect(
      try realm.error { _ = try bulk(keys, PropertyChange(["double"], .divide(0))) }
        == "Arithmetic/change0/argument0")
    #expect(
      try realm.error { _ = try bulk(keys, replace("int", with: "x")) }
        == "TypeMismatch/change0/argument0")
    try realm.commitAndCheck()
  }

  @Test func deletion() throws {
    let realm = try boat(
      InputField("log", ["a": 1]), InputField("logs", [["a": 2], ["b": 3]]),
      InputField("home", ["city": "h"]))
    try realm.add("Boat", ["id": 2, "crew": 1, "mate": try realm.object("Boat", 1)])
    let outcome = try realm.delete("Boat", try realm.key("Boat", 1))
    #expect(outcome.deleted.map(\.count) == [1])
    #expect(outcome.deletedEmbedded.map(\.count) == [3])
    #expect(outcome.deletedCount == 4)
    #expect(try realm.count("Log") == 0)
    #expect(try realm.count("Harbour") == 1)
    #expect(try realm["Boat", 2, "mate"] == "null")
    try realm.add("Boat", ["id": 3, "crew": 1, "log": ["a": 1]])
    let all = try realm.writer.apply(realm.writer.planDeleteEverything())
    #expect(
      all.deleted.map { "\($0.objectClass.name) \($0.count)" } == ["Boat 2", "Harbour 1", "Log 1"])
    try realm.realm.refresh()
    #expect(try realm.everything() == [])
    try realm.commitAndCheck()
  }
}
