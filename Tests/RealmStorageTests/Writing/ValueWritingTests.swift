import RealmStorage
import RealmValues
import TestSupport
import Testing

/// Values of every type come back as they were written.
struct ValueWritingTests {
  static let values: [(ValueKind, [ScalarValue])] = [
    (.int, [.int(0), .int(1), .int(3), .int(127), .int(-1), .int(.max), .int(.min), .int(70_000)]),
    (.bool, [.bool(true), .bool(false)]),
    (.float, [.float(0), .float(-1.5), .float(.infinity)]),
    (.double, [.double(0), .double(2.25), .double(-.infinity)]),
    (
      .string,
      [0, 1, 15, 16, 63, 64, 300].map { .string(Array(repeating: 0x61, count: $0)) }
    ),
    (.data, [0, 1, 64, 65, 300].map { .data(Array(repeating: 0, count: $0)) }),
    (
      .date,
      [
        .date(Timestamp(seconds: -1, nanoseconds: -5)),
        .date(Timestamp(seconds: 3, nanoseconds: 7)),
      ]
    ),
    (.decimal, [.decimal(Decimal128(15)), .decimal(Decimal128(bid64: 0x31C0_0000_0000_0001))]),
    (.objectID, [.objectID(.generate()), .objectID(.generate())]),
    (.uuid, [.uuid(.random()), .uuid(.random())]),
    (
      .mixed,
      [
        .int(5), .int(.max), .string([0x62]), .data([1, 2]), .bool(true), .float(1.5), .double(2.5),
        .decimal(Decimal128(3)), .date(Timestamp(seconds: 9, nanoseconds: 1)),
        .objectID(.generate()), .uuid(.random()), .string(Array(repeating: 0x63, count: 100)),
      ]
    ),
  ]

  @Test func propertiesOfAllTypes() throws {
    let file = try WrittenFile()
    var random = SplitMix64(seed: 5)
    let (table, keys) = try file.write { transaction in
      try transaction.setSchemaVersion(0)
      let table = try transaction.createTable("class_All")
      var keys: [(ColumnKey, [ScalarValue])] = []
      for (kind, values) in Self.values {
        for isNullable in [false, true] where kind != .mixed || isNullable {
          let key = try transaction.addColumn(
            table,
            ColumnDefinition("\(kind.name)\(isNullable)", kind, isNullable: isNullable))
          keys.append((key, isNullable ? values + [.null] : values))
        }
      }
      return (table, keys)
    }
    var objects: [ObjectKey] = []
    var expected: [[ScalarValue]] = []
    for _ in 0..<12 {
      try file.write { transaction in
        for _ in 0..<50 {
          let object = try transaction.createObject(table)
          objects.append(object)
          var row: [ScalarValue] = []
          for (key, values) in keys {
            let value = values[Int.random(in: 0..<values.count, using: &random)]
            try transaction.set(table, object, key, value)
            row.append(value)
          }
          expected.append(row)
        }
        for _ in 0..<30 {
          let i = Int.random(in: 0..<objects.count, using: &random)
          let j = Int.random(in: 0..<keys.count, using: &random)
          let value = keys[j].1[Int.random(in: 0..<keys[j].1.count, using: &random)]
          try transaction.set(table, objects[i], keys[j].0, value)
          expected[i][j] = value
        }
        for _ in 0..<10 {
          let i = Int.random(in: 0..<objects.count, using: &random)
          try transaction.deleteObject(table, objects[i])
          objects.remove(at: i)
          expected.remove(at: i)
        }
      }
      #expect(try file.rows("class_All") == expected)
    }
  }

  @Test func hugeValues() throws {
    let file = try WrittenFile()
    let large = [UInt8](repeating: 7, count: 17_000_000)
    let text = [UInt8](repeating: 0x61, count: 5_000_000)
    try file.write { transaction in
      try transaction.setSchemaVersion(0)
      let table = try transaction.createTable("class_Huge")
      let data = try transaction.addColumn(table, ColumnDefinition("data", .data))
      let string = try transaction.addColumn(table, ColumnDefinition("text", .string))
      let object = try transaction.createObject(table)
      _ = try transaction.createObject(table)
      try transaction.set(table, object, data, .data(large))
      try transaction.set(table, object, string, .string(text))
    }
    #expect(
      try file.rows("class_Huge")
        == [[.data(large), .string(text)], [.data([]), .string([])]])
  }
}
