import TestSupport
import Testing

/// `diff` finds what a model of both databases says, whatever the object keys are.
struct ComparingTests {
  /// An object of the model.
  private struct Item: Equatable {
    var age: Int
    var name: String
    var tags: Set<String>
    var friends: [Int]

    static func random(_ random: inout SplitMix64) -> Item {
      Item(
        age: Int.random(in: 0..<5, using: &random),
        name: String(repeating: "é", count: Int.random(in: 0..<30, using: &random)),
        tags: Set((0..<Int.random(in: 0..<3, using: &random)).map { "t\($0)" }), friends: [])
    }

    var text: String {
      let tags = tags.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
      return "age: \(age), name: \"\(name)\", tags: [\(tags)]"
    }

    var friendText: String { friends.map { "Item(\($0))" }.joined(separator: ", ") }
  }

  private static let schema =
    "class Item { _id: int primary, age: int, name: string, tags: string<>, friends: Item[] }"

  /// A script that makes the objects, in an order of its own.
  private static func script(
    _ items: [Int: Item], _ random: inout SplitMix64
  ) -> String {
    var lines = ["write {", schema]
    // Objects that are deleted again move the object keys.
    for i in 0..<3 { lines.append("add Item {_id: \(-1 - i), age: 0, name: \"\"}") }
    let order = items.keys.sorted().shuffled(using: &random)
    for key in order { lines.append("add Item {_id: \(key), \(items[key]?.text ?? "")}") }
    for key in order where items[key]?.friends.isEmpty == false {
      lines.append("set Item \(key) friends = [\(items[key]?.friendText ?? "")]")
    }
    lines.append("delete Item where _id < 0")
    return (lines + ["}", ""]).joined(separator: "\n")
  }

  /// Changes some of the objects: what is to be told, and statements that do the same.
  private static func change(
    _ items: inout [Int: Item], _ random: inout SplitMix64
  ) -> String {
    var lines = ["write {"]
    for key in items.keys.sorted() {
      switch Int.random(in: 0..<12, using: &random) {
      case 0:
        items[key] = nil
        lines.append("delete Item \(key)")
      case 1:
        items[key]?.age += 1
        lines.append("set Item \(key) age += 1")
      case 2:
        items[key]?.name += "x"
        lines.append("set Item \(key) name = \"\(items[key]?.name ?? "")\"")
      case 3:
        items[key]?.tags.formSymmetricDifference(["t0"])
        let tags = (items[key]?.tags.sorted() ?? []).map { "\"\($0)\"" }
        lines.append("set Item \(key) tags = [\(tags.joined(separator: ", "))]")
      default: break
      }
    }
    for i in 0..<Int.random(in: 0..<4, using: &random) {
      let item = Item.random(&random)
      items[1_000 + i] = item
      lines.append("add Item {_id: \(1_000 + i), \(item.text)}")
    }
    let keys = items.keys.sorted()
    for key in keys {
      let friends = items[key]?.friends.filter { items[$0] != nil } ?? []
      items[key]?.friends = friends
      if Int.random(in: 0..<10, using: &random) == 0, let other = keys.randomElement(using: &random)
      {
        items[key]?.friends.append(other)
        lines.append("set Item \(key) friends.append(Item(\(other)))")
      }
    }
    return (lines + ["}", ""]).joined(separator: "\n")
  }

  /// The lines that `diff` is to print, in any order.
  private static func expected(_ old: [Int: Item], _ new: [Int: Item]) -> Set<String> {
    var lines: Set<String> = []
    for key in Set(old.keys).union(new.keys) {
      switch (old[key], new[key]) {
      case (nil, _?): lines.insert("added Item(\(key))")
      case (_?, nil): lines.insert("deleted Item(\(key))")
      case (let a?, let b?) where a != b:
        var names: [String] = []
        if a.age != b.age { names.append("age") }
        if a.name != b.name { names.append("name") }
        if a.tags != b.tags { names.append("tags") }
        if a.friends != b.friends { names.append("friends") }
        lines.insert("changed Item(\(key)): \(names.joined(separator: ", "))")
      default: break
      }
    }
    return lines
  }

  /// What a run has told, in the same form.
  private static func told(_ output: [UInt8]) -> Set<String> {
    var lines: Set<String> = []
    for line in output.split(separator: UInt8(ascii: "\n")) {
      guard let value = JSONValue(Array(line)), let event = value["event"]?.text,
        let key = value["key"]?.text
      else { continue }
      guard case .object(let changes)? = value["changes"] else {
        lines.insert("\(event) \(key)")
        continue
      }
      lines.insert("\(event) \(key): \(changes.map(\.key).joined(separator: ", "))")
    }
    return lines
  }

  @Test func findsWhatTheModelSays() {
    var random = SplitMix64.fresh(for: "comparing")
    for round in 0..<12 {
      let folder = TemporaryFolder()
      var items: [Int: Item] = [:]
      let count = Int.random(in: 0..<(round % 4 == 0 ? 700 : 40), using: &random)
      for key in 0..<count { items[key] = Item.random(&random) }
      for key in 0..<count {
        let friends = (0..<Int.random(in: 0..<3, using: &random)).map { _ in
          Int.random(in: 0..<count, using: &random)
        }
        items[key]?.friends = friends
      }
      let before = items
      folder.write(Array(Self.script(before, &random).utf8), to: "before.realmsh")
      let change = Self.change(&items, &random)
      folder.write(Array(change.utf8), to: "change.realmsh")
      folder.write(Array(Self.script(items, &random).utf8), to: "after.realmsh")
      func run(_ arguments: String...) -> Process.Result {
        Realmsh.run(arguments, folder: folder.path)
      }
      #expect(run("-q", "--new", "a.realm", "-f", "before.realmsh").status == 0)
      #expect(run("-q", "--new", "c.realm", "-f", "after.realmsh").status == 0)
      #expect(run("-q", "a.realm", "copy to b.realm").status == 0)
      #expect(run("-q", "b.realm", "-f", "change.realmsh").status == 0)
      let expected = Self.expected(before, items)
      let status: Int32 = expected.isEmpty ? 0 : 7
      for statement in ["diff a.realm", "diff snapshot previous"] {
        let result = run("-m", "jsonl", "b.realm", statement)
        #expect(Self.told(result.output) == expected, "\(statement)")
        #expect(result.status == status)
      }
      // The same objects with other object keys.
      let rebuilt = run("-m", "jsonl", "c.realm", "diff a.realm")
      #expect(Self.told(rebuilt.output) == expected)
      let equal = run("c.realm", "diff b.realm")
      #expect(equal.outputText == "data and schema are equal\n")
      #expect(equal.status == 0)
    }
  }
}
