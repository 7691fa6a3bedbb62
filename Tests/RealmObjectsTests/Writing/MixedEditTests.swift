import RealmStorage
import RealmValues
import TestSupport
import Testing

@testable import RealmObjects

/// What the change sets of commits tell of collections in mixed values leads from the old elements to
/// the new ones.
struct MixedEditTests {
  /// The elements of the property `x` of the only boat; entries as `key: value`.
  private func elements(_ realm: WrittenRealm, _ key: ObjectKey) throws -> [String] {
    let table = try realm.objectClass("Boat").table
    let row = try #require(try table.row(of: key))
    switch try table.value(of: try #require(table.column(named: "x")), in: row) {
    case .list(let list): return try list.values().map { try realm.text($0) }
    case .dictionary(let dictionary):
      return try dictionary.entries().map {
        "\(String(decoding: $0.key, as: UTF8.self)): \(try realm.text($0.value))"
      }
    default: return []
    }
  }

  private func value(_ random: inout SplitMix64) -> InputValue {
    .scalar(.int(Int64.random(in: 0..<4, using: &random)))
  }

  /// A random edit of a collection with so many elements.
  private func edit(_ count: Int, isList: Bool, _ random: inout SplitMix64) -> PropertyChange {
    let x = PropertyChange.Step.property("x")
    guard isList else {
      let key = ["a", "b", "c", "d"].randomElement(using: &random) ?? "a"
      switch Int.random(in: 0..<6, using: &random) {
      case 0: return PropertyChange([x], .add(.map([InputField(key, value(&random))])))
      case 1: return PropertyChange([x], .subtract(.scalar(.string(Array(key.utf8)))))
      case 2 where count > 2: return PropertyChange([x], .call(.clear, []))
      default: return PropertyChange([x, .key(key)], .replace(value(&random)))
      }
    }
    func position() -> InputValue {
      .scalar(.int(Int64.random(in: 0..<Int64(count), using: &random)))
    }
    switch Int.random(in: 0..<(count == 0 ? 2 : 8), using: &random) {
    case 0: return PropertyChange([x], .call(.append, [value(&random), value(&random)]))
    case 1: return PropertyChange([x], .add(.array([value(&random)])))
    case 2: return PropertyChange([x], .call(.insert, [position(), value(&random)]))
    case 3: return PropertyChange([x], .call(.removeAt, [position()]))
    case 4: return PropertyChange([x], .call(.move, [position(), position()]))
    case 5: return PropertyChange([x], .subtract(.array([value(&random)])))
    case 6 where count > 3: return PropertyChange([x], .call(.clear, []))
    default:
      let index = Int64.random(in: -1..<Int64(count), using: &random)
      return PropertyChange([x, .index(index)], .replace(value(&random)))
    }
  }

  @Test(arguments: [true, false]) func editsAreRecorded(isList: Bool) throws {
    let realm = try WrittenRealm.boats()
    var random = SplitMix64(seed: isList ? 5 : 6)
    try realm.add(
      "Boat", .map([InputField("id", .scalar(.int(1))), InputField("crew", .scalar(.int(0)))]))
    let key = try realm.key("Boat", 1)
    try realm.set(
      "Boat", 1, PropertyChange([.property("x")], .replace(isList ? .array([]) : .map([]))))
    try realm.realm.commitWrite()
    try realm.realm.share()
    let boat = try realm.objectClass("Boat")
    let column = boat.table.columns[try #require(boat.table.column(named: "x"))].key
    let place = TransactionChanges.CollectionKey(table: boat.table.key, column: column, object: key)
    for round in 0..<TestScale.number("MIXED_EDITS", standard: 300) {
      let before = realm.realm.snapshot
      let old = try elements(realm, key)
      try realm.realm.beginWrite()
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        try realm.realm.refresh()
        let count = try elements(realm, key).count
        try realm.set("Boat", 1, edit(count, isList: isList, &random))
      }
      try realm.realm.commitWrite()
      let new = try elements(realm, key)
      var changes = TransactionChanges(watching: [place])
      for bytes in try #require(try realm.realm.snapshot.changeSets(since: before.version)) {
        try changes.apply(bytes)
      }
      var recorder = ChangeRecorder()
      for operations in changes.collections[place] ?? [] {
        recorder.merge(ChangeRecorder(operations))
      }
      let difference = recorder.changes()
      #expect(changes.replacements.isEmpty)
      #expect(changes.tables[boat.table.key]?.modified[key]?.contains(column) == true)
      guard difference.fits(from: old.count, to: new.count) else {
        Issue.record("round \(round): \(difference) does not lead from \(old) to \(new)")
        return
      }
      // What has changed in its place is told as such.
      var expected = ChangeModelTests.applied(difference, to: old, new: new)
      for position in difference.newModifications { expected[position] = new[position] }
      guard expected == new else {
        Issue.record("round \(round): \(difference) leads from \(old) to \(expected), not \(new)")
        return
      }
    }
  }
}
