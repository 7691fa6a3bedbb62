import RealmStorage
import RealmValues
import TestSupport
import Testing

/// Collections inside mixed values.
struct NestedWritingTests {
  @Test func nestedCollectionsComeAndGo() throws {
    let file = try WrittenFile()
    let (table, any, list, map) = try file.write { transaction in
      try transaction.setSchemaVersion(0)
      let table = try transaction.createTable("class_Any")
      let any = try transaction.addColumn(table, ColumnDefinition("any", .mixed))
      let list = try transaction.addColumn(
        table, ColumnDefinition("list", .mixed, collection: .list))
      let map = try transaction.addColumn(
        table, ColumnDefinition("map", .mixed, collection: .dictionary))
      try transaction.addIndex(table, any)
      return (table, any, list, map)
    }
    let (first, second) = try file.write { transaction in
      let first = try transaction.createObject(table)
      let second = try transaction.createObject(table)
      let link = MixedValue.scalar(.link(table, second))
      let tree = MixedValue.dictionary([
        (Array("b".utf8), .list([.scalar(.int(1)), link, .list([link]), .list([])])),
        (Array("a".utf8), link), (Array("c".utf8), .dictionary([])),
      ])
      try transaction.set(table, first, any, mixed: tree)
      try transaction.set(table, second, any, mixed: .list([tree, tree]))
      for i in 0..<3 {
        try transaction.insert(table, first, list, at: i, mixed: .list([link, .scalar(.null)]))
        try transaction.set(table, first, map, key: Array("k\(i)".utf8), mixed: tree)
      }
      try transaction.set(table, first, list, at: 1, mixed: tree)
      try transaction.set(table, first, list, at: 2, .int(5))
      return (first, second)
    }
    #expect(try elements(file) == ["{a: L, b: [1, L, [L], []], c: {}}", "[{…}, {…}]"])
    try file.write { transaction in
      for _ in 0..<300 {
        let object = try transaction.createObject(table)
        try transaction.set(table, object, any, mixed: .list([.scalar(.link(table, first))]))
      }
    }
    try file.write { try $0.deleteObject(table, second) }
    #expect(try elements(file)[0] == "{a: null, b: [1, [], []], c: {}}")
    try file.write { transaction in
      try transaction.set(table, first, any, .string(Array("plain".utf8)))
      try transaction.removeAll(table, first, map)
    }
    try file.write { try $0.deleteObject(table, first) }
    #expect(try elements(file).allSatisfy { $0 == "[]" })
    try file.write { try $0.removeColumn(table, any) }
    try file.write { try $0.removeTable(table) }
  }

  @Test func badValuesAreRefused() throws {
    let file = try WrittenFile()
    try file.write { transaction in
      let table = try transaction.createTable("class_Any")
      let any = try transaction.addColumn(table, ColumnDefinition("any", .mixed))
      let object = try transaction.createObject(table)
      var deep = MixedValue.list([])
      for _ in 0..<120 { deep = .list([deep]) }
      #expect(throws: StorageError.rejected(.notSupported)) {
        try transaction.set(table, object, any, mixed: deep)
      }
      #expect(throws: StorageError.rejected(.badName)) {
        let entry = (key: Array("a".utf8), value: MixedValue.scalar(.null))
        try transaction.set(table, object, any, mixed: .dictionary([entry, entry]))
      }
      #expect(throws: StorageError.rejected(.noObject)) {
        try transaction.set(
          table, object, any, mixed: .list([.scalar(.link(table, ObjectKey(77)))]))
      }
    }
  }

  /// The mixed property of all objects as text.
  private func elements(_ file: WrittenFile) throws -> [String] {
    let table = try #require(try file.snapshot().table(named: "class_Any"))
    let cursor = try TableCursor(table, columns: [0])
    var result: [String] = []
    while try cursor.next() {
      for row in 0..<cursor.count { result.append(try text(try cursor.value(0, at: row), 0)) }
    }
    return result
  }

  private func text(_ value: StoredValue, _ depth: Int) throws -> String {
    switch value {
    case .list(let list):
      return "[\(try list.values().map { try text($0, depth + 1) }.joined(separator: ", "))]"
    case .dictionary(let dictionary):
      if depth > 0, try dictionary.count() > 0 { return "{…}" }
      let entries = try dictionary.entries().map {
        "\(String(decoding: $0.key, as: UTF8.self)): \(try text($0.value, depth + 1))"
      }
      return "{\(entries.joined(separator: ", "))}"
    case .int(let number): return "\(number)"
    case .link: return "L"
    case .null: return "null"
    default: return "?"
    }
  }
}
