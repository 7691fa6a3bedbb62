import RealmStorage
import RealmValues
import TestSupport
import Testing

/// Random changes of a graph of objects, compared with a model after every commit.
struct RandomWritingTests {
  @Test(arguments: [1, 2, 3])
  func graphsStayConsistent(seed: UInt64) throws {
    let file = try WrittenFile()
    let graph = try file.write { try RandomGraph($0, seed: seed) }
    for _ in 0..<25 {
      try file.write { transaction in
        for _ in 0..<30 { try graph.change(transaction) }
        try graph.compare(with: try transaction.snapshot())
        for _ in 0..<30 { try graph.change(transaction) }
        try graph.compare(with: try transaction.snapshot())
      }
      try graph.compare(with: try file.snapshot())
    }
  }

  @Test func cancelledChangesLeaveNothing() throws {
    let file = try WrittenFile()
    let graph = try file.write { try RandomGraph($0, seed: 9) }
    try file.write { transaction in for _ in 0..<50 { try graph.change(transaction) } }
    let before = Files.read(file.path)
    let transaction = try file.database.beginWrite()
    let copy = RandomGraph(copying: graph)
    for _ in 0..<50 { try copy.change(transaction) }
    transaction.cancel()
    #expect(Files.read(file.path) == before)
    try graph.compare(with: try file.snapshot())
  }

  /// Keys far apart, in descending order, and the removal of most objects.
  @Test func deepTrees() throws {
    let file = try WrittenFile()
    let (table, number, name) = try file.write { transaction in
      try transaction.setSchemaVersion(0)
      let table = try transaction.createTable("class_Many")
      let number = try transaction.addColumn(table, ColumnDefinition("number", .int))
      let name = try transaction.addColumn(
        table, ColumnDefinition("name", .string, isNullable: true))
      try transaction.addIndex(table, number)
      try transaction.addIndex(table, name)
      return (table, number, name)
    }
    var expected: [ObjectKey: Int64] = [:]
    try file.write { transaction in
      for i in 0..<3000 as Range<Int64> {
        let object = try transaction.createObject(table)
        try transaction.set(table, object, number, .int(i * 7919 % 3001))
        try transaction.set(table, object, name, .string(Array("name \(i % 40)".utf8)))
        expected[object] = i * 7919 % 3001
      }
    }
    #expect(try file.rows("class_Many").count == 3000)
    var random = SplitMix64(seed: 4)
    for _ in 0..<3 {
      try file.write { transaction in
        for object in try transaction.objects(table) where Int.random(in: 0..<4, using: &random) > 0
        {
          try transaction.deleteObject(table, object)
          expected[object] = nil
        }
      }
      let rows = try file.rows("class_Many")
      #expect(rows.map { $0[0] } == expected.sorted { $0.key < $1.key }.map { .int($0.value) })
    }
    try file.write { try $0.deleteAllObjects(table) }
    #expect(try file.rows("class_Many").isEmpty)
  }

  @Test func longLists() throws {
    let file = try WrittenFile()
    let (table, object, list) = try file.write { transaction in
      try transaction.setSchemaVersion(0)
      let table = try transaction.createTable("class_Long")
      let list = try transaction.addColumn(
        table, ColumnDefinition("list", .int, collection: .list, isNullable: true))
      return (table, try transaction.createObject(table), list)
    }
    var expected: [ScalarValue] = []
    var random = SplitMix64(seed: 6)
    for round in 0..<6 {
      try file.write { transaction in
        for i in 0..<1500 as Range<Int64> {
          let isGrowing = round < 4 || expected.isEmpty
          let last = expected.count - 1
          if isGrowing {
            let index =
              round == 0 ? expected.count : Int.random(in: 0...expected.count, using: &random)
            let value: ScalarValue = i % 50 == 0 ? .null : .int(i * i * i)
            try transaction.insert(table, object, list, at: index, value)
            expected.insert(value, at: index)
          } else {
            let index = Int.random(in: 0...last, using: &random)
            try transaction.remove(table, object, list, at: index)
            expected.remove(at: index)
          }
        }
      }
      #expect(try file.elements("class_Long", "list") == expected)
    }
  }

  @Test(arguments: [ValueKind.string, .data])
  func textsOfEveryLength(kind: ValueKind) throws {
    let file = try WrittenFile()
    let (table, object, list) = try file.write { transaction in
      try transaction.setSchemaVersion(0)
      let table = try transaction.createTable("class_Texts")
      let list = try transaction.addColumn(
        table, ColumnDefinition("list", kind, collection: .list, isNullable: true))
      return (table, try transaction.createObject(table), list)
    }
    var expected: [ScalarValue] = []
    var random = SplitMix64(seed: 8)
    for limit in [0, 10, 15, 16, 40, 63, 64, 65, 200] {
      try file.write { transaction in
        for _ in 0..<150 {
          let length = Int.random(in: -1...limit, using: &random)
          let bytes = [UInt8](
            repeating: UInt8.random(in: 65...90, using: &random), count: max(0, length))
          let value: ScalarValue =
            length < 0 ? .null : kind == .string ? .string(bytes) : .data(bytes)
          let index = Int.random(in: 0...expected.count, using: &random)
          switch Int.random(in: 0..<4, using: &random) {
          case 0 where index < expected.count:
            try transaction.remove(table, object, list, at: index)
            expected.remove(at: index)
          case 1 where index < expected.count:
            try transaction.set(table, object, list, at: index, value)
            expected[index] = value
          default:
            try transaction.insert(table, object, list, at: index, value)
            expected.insert(value, at: index)
          }
        }
      }
      #expect(try file.elements("class_Texts", "list") == expected)
    }
  }
}
