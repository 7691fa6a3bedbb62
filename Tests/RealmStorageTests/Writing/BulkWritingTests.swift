import RealmStorage
import RealmValues
import TestSupport
import Testing

/// Objects that are appended, set, calculated and deleted many at once, mixed with single changes.
struct BulkWritingTests {
  @Test(arguments: [1, 2, 3, 4, 5, 6])
  func mixedChanges(seed: UInt64) throws {
    let file = try WrittenFile()
    let model = try file.write { try BulkModel($0, seed: seed) }
    for round in 0..<6 {
      try file.write { transaction in
        for _ in 0..<(round < 3 ? 40 : 15) { try model.change(transaction) }
      }
      try model.compare(with: try file.snapshot())
    }
    let database = file.database
    let transaction = try database.beginWrite()
    let cancelled = BulkModel(copying: model)
    for _ in 0..<20 { try cancelled.change(transaction) }
    transaction.cancel()
    try model.compare(with: try file.snapshot())
  }

  /// Values that agree in long beginnings, and many equal ones, go deep into an index.
  @Test func sharedBeginnings() throws {
    let file = try WrittenFile()
    var random = SplitMix64(seed: 11)
    let start = [UInt8](repeating: 0x61, count: 210)
    var texts: [[UInt8]] = [[], [0], [0x58], [0, 0, 0, 0], Array("abX".utf8), Array("abX\0".utf8)]
    for length in [1, 3, 4, 5, 7, 8, 9, 12, 100, 199, 200, 201, 204, 205, 210] {
      texts.append(Array(start[..<length]))
      texts.append(Array(start[..<length]) + [0x58])
      texts.append(Array(start[..<length]) + [0x62, 0, 0, 0, 0, 0x63])
    }
    let (table, text) = try file.write { transaction in
      try transaction.setSchemaVersion(0)
      let table = try transaction.createTable("class_Deep")
      let text = try transaction.addColumn(
        table, ColumnDefinition("text", .string, isNullable: true))
      try transaction.addIndex(table, text)
      return (table, text)
    }
    var expected: [ObjectKey: ScalarValue] = [:]
    for round in 0..<5 {
      try file.write { transaction in
        let appender = try transaction.appender(table)
        for _ in 0..<(round == 0 ? 900 : 200) {
          let value = texts.randomElement(using: &random).map { ScalarValue.string($0) } ?? .null
          if Int.random(in: 0..<20, using: &random) > 0 { try appender.set(0, value) }
          let object = try appender.append()
          expected[object] = try transaction.hasObject(table, object) ? value : nil
          if try transaction.value(table, object, text) == .null { expected[object] = .null }
        }
        let doomed = expected.keys.sorted().filter { _ in Int.random(in: 0..<3, using: &random) == 0
        }
        #expect(try transaction.deleteObjects(table, doomed) == doomed.count)
        for object in doomed { expected[object] = nil }
      }
      let rows = try file.rows("class_Deep")
      #expect(rows.map { $0[0] } == expected.sorted { $0.key < $1.key }.map { $0.value })
    }
  }

  @Test func duplicatesAreFoundBeforeAndAfterFlushing() throws {
    let file = try WrittenFile()
    try file.write { transaction in
      try transaction.setSchemaVersion(0)
      let table = try transaction.createTable("class_Key")
      let name = try transaction.addColumn(table, ColumnDefinition("name", .string))
      try transaction.setPrimaryKey(table, name)
      let appender = try transaction.appender(table)
      #expect(throws: StorageError.rejected(.wrongType)) { try appender.append() }
      var keys: [ObjectKey] = []
      for i in 0..<700 {
        try appender.set(0, .string(Array("name \(i)".utf8)))
        keys.append(try appender.append())
        if i % 300 == 299 { #expect(try transaction.objects(table) == keys) }
        for other in [0, i / 2, i] {
          let value = ScalarValue.string(Array("name \(other)".utf8))
          try appender.set(0, value)
          #expect(throws: StorageError.rejected(.duplicatePrimaryKey(keys[other]))) {
            try appender.append()
          }
          #expect(try transaction.object(table, primaryKey: value) == keys[other])
        }
      }
    }
    #expect(try file.rows("class_Key").count == 700)
  }

  @Test func calculationsThatDoNotFitChangeNothing() throws {
    let file = try WrittenFile()
    let (table, number, real) = try file.write { transaction in
      try transaction.setSchemaVersion(0)
      let table = try transaction.createTable("class_Number")
      let number = try transaction.addColumn(
        table, ColumnDefinition("number", .int, isNullable: true))
      let real = try transaction.addColumn(table, ColumnDefinition("real", .double))
      try transaction.addIndex(table, number)
      let appender = try transaction.appender(table)
      for i in 0..<1000 as Range<Int64> {
        if i % 10 != 0 { try appender.set(0, .int(i == 501 ? .max : i)) }
        try appender.set(1, .double(Double(i)))
        _ = try appender.append()
      }
      return (table, number, real)
    }
    let before = try file.rows("class_Number")
    try file.write { transaction in
      let objects = try transaction.objects(table)
      let (second, last) = (objects[1], objects[501])
      #expect(throws: StorageError.rejected(.overflow(last))) {
        try transaction.calculate(table, nil, number, .add, .int(1))
      }
      #expect(throws: StorageError.rejected(.wrongType)) {
        try transaction.calculate(table, nil, number, .add, .double(1))
      }
      #expect(throws: StorageError.rejected(.overflow(second))) {
        try transaction.calculate(table, nil, number, .divide, .int(0))
      }
    }
    #expect(try file.rows("class_Number") == before)
    try file.write { transaction in
      let numbers = try transaction.calculate(table, nil, number, .subtract, .int(2))
      let reals = try transaction.calculate(table, nil, real, .multiply, .double(0.5))
      #expect([numbers, reals] == [900, 1000])
    }
    let after = try file.rows("class_Number")
    for (old, new) in zip(before, after) {
      if case .int(let value) = old[0] { #expect(new[0] == .int(value - 2)) }
      if case .double(let value) = old[1] { #expect(new[1] == .double(value * 0.5)) }
    }
  }
}
