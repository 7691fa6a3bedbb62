import RealmStorage
import RealmValues
import TestSupport
import Testing

/// A class with a property of every scalar type, changed many objects at once and one by one, in a
/// database and in a model.
final class BulkModel {
  private let table: TableKey
  private let other: TableKey
  private let columns: [ColumnKey]
  private let kinds: [ValueKind]
  private let primaryKey: Int?
  private let link: Int
  /// A link to an object of the same class.
  private let own: Int
  private let list: ColumnKey
  private var rows: [ObjectKey: [ScalarValue]] = [:]
  private var others: [ObjectKey] = []
  private var random: SplitMix64
  private var created: Int64 = 0

  init(_ transaction: WriteTransaction, seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    try transaction.setSchemaVersion(0)
    other = try transaction.createTable("class_Other")
    table = try transaction.createTable("class_Bulk")
    let scalars: [ValueKind] = [
      .int, .string, .bool, .float, .double, .decimal, .date, .data, .objectID, .uuid, .mixed,
      .int, .string, .date, .objectID,
    ]
    var columns: [ColumnKey] = []
    for (i, kind) in scalars.enumerated() {
      columns.append(
        try transaction.addColumn(
          table,
          ColumnDefinition(
            "c\(i)", kind, isNullable: kind == .mixed || (seed + UInt64(i)) % 3 != 0)))
    }
    kinds = scalars + [.link, .link]
    (link, own) = (scalars.count, scalars.count + 1)
    columns.append(
      try transaction.addColumn(table, ColumnDefinition("link", .link, target: other)))
    columns.append(
      try transaction.addColumn(table, ColumnDefinition("own", .link, target: table)))
    list = try transaction.addColumn(table, ColumnDefinition("list", .int, collection: .list))
    self.columns = columns
    primaryKey = [nil, 0, 1, 8][Int(seed % 4)]
    if let primaryKey { try transaction.setPrimaryKey(table, columns[primaryKey]) }
    for (i, kind) in scalars.enumerated() where (UInt64(i) + seed) % 2 == 0 {
      switch kind {
      case .float, .double, .decimal, .data: continue
      case .string where seed % 3 == 1 && i != primaryKey:
        try transaction.addFullTextIndex(table, columns[i])
      default: try transaction.addIndex(table, columns[i])
      }
    }
    for _ in 0..<5 { others.append(try transaction.createObject(other)) }
  }

  init(copying model: BulkModel) {
    (table, other, columns, kinds) = (model.table, model.other, model.columns, model.kinds)
    (primaryKey, link, own, list) = (model.primaryKey, model.link, model.own, model.list)
    (rows, others, random, created) = (model.rows, model.others, model.random, model.created)
  }

  private func value(_ column: Int, _ transaction: WriteTransaction) throws -> ScalarValue {
    let number = Int64.random(in: 0..<12, using: &random)
    let big = Int.random(in: 0..<40, using: &random) == 0 ? number << 40 : number
    switch kinds[column] {
    case .int: return .int(big)
    case .string:
      let lengths = [0, 3, 4, 9, 14, 30, 30, 80]
      let length = lengths[Int.random(in: 0..<(created < 300 ? 6 : 8), using: &random)]
      return .string([UInt8](repeating: 0x61 + UInt8(number), count: length))
    case .bool: return .bool(number % 2 == 0)
    case .float: return .float(Float(number))
    case .double: return .double(Double(number) / 3)
    case .decimal: return .decimal(Decimal128(big))
    case .date: return .date(Timestamp(seconds: big, nanoseconds: Int32(number)))
    case .data: return .data([UInt8](repeating: UInt8(number), count: Int(number) * 7))
    case .objectID: return .objectID(try #require(ObjectID(hex: hex(24, number))))
    case .uuid: return .uuid(uuid(number))
    case .link:
      let targets = column == own ? rows.keys.sorted() : others
      return number < 2 ? .null : targets.randomElement(using: &random).map { .key($0) } ?? .null
    default:
      let object = others.randomElement(using: &random)
      let values: [ScalarValue] = [
        .int(number), .string(Array("mixed \(number)".utf8)), .null, .bool(true),
        .double(Double(number)), object.map { .link(other, $0) } ?? .null,
      ]
      return values[Int(number) % values.count]
    }
  }

  private func hex(_ count: Int, _ number: Int64) -> [UInt8] {
    let digit = Array(String(number, radix: 16).utf8)[0]
    return [UInt8](repeating: 0x61, count: count - 1) + [digit]
  }

  private func uuid(_ number: Int64) -> UUIDValue {
    let bytes = [UInt8](repeating: UInt8(number), count: 16)
    // There are 16 bytes.
    return bytes.withUnsafeBytes { UUIDValue($0.baseAddress!) }
  }

  private func initial(_ column: Int) -> ScalarValue {
    if columns[column].attributes.contains(.nullable) || column >= link { return .null }
    let zeros = [UInt8](repeating: 0, count: 16)
    switch kinds[column] {
    case .int: return .int(0)
    case .string: return .string([])
    case .bool: return .bool(false)
    case .float: return .float(0)
    case .double: return .double(0)
    case .decimal: return .decimal(Decimal128(0))
    case .date: return .date(Timestamp(seconds: 0, nanoseconds: 0))
    case .data: return .data([])
    // There are 16 bytes.
    case .objectID: return .objectID(zeros.withUnsafeBytes { ObjectID($0.baseAddress!) })
    // There are 16 bytes.
    case .uuid: return .uuid(zeros.withUnsafeBytes { UUIDValue($0.baseAddress!) })
    default: return .null
    }
  }

  private func newPrimaryKey() throws -> ScalarValue {
    created += 1
    let number = created * 7919 % 1_000_003
    switch primaryKey {
    case 0: return .int(number)
    case 1: return .string(Array("primary \(number)".utf8))
    default:
      let digits = Array(String(number, radix: 16).utf8)
      return .objectID(
        try #require(
          ObjectID(hex: [UInt8](repeating: 0x30, count: 24 - digits.count) + digits)))
    }
  }

  private func some(_ share: Int) -> [ObjectKey] {
    rows.keys.sorted().filter { _ in Int.random(in: 0..<share, using: &random) == 0 }
  }

  /// One random change.
  func change(_ transaction: WriteTransaction) throws {
    let key = rows.keys.sorted().randomElement(using: &random)
    switch Int.random(in: 0..<13, using: &random) {
    case 0, 1, 2: try append([1, 3, 20, 300][Int.random(in: 0..<4, using: &random)], transaction)
    case 3: try create(transaction)
    case 4, 5:
      guard let key else { return }
      let column = Int.random(in: 0..<columns.count, using: &random)
      guard column != primaryKey else { return }
      let value = try value(column, transaction)
      try transaction.set(table, key, columns[column], value)
      rows[key]?[column] = value
    case 6:
      guard let key else { return }
      try transaction.deleteObject(table, key)
      forget([key])
      #expect(throws: StorageError.rejected(.noObject)) {
        try transaction.deleteObject(self.table, key)
      }
    case 7:
      let doomed = some([2, 5, 30][Int.random(in: 0..<3, using: &random)])
      #expect(
        try transaction.deleteObjects(table, doomed + [ObjectKey(1 << 50)]) == doomed.count)
      forget(doomed)
    case 8: try setMany(transaction)
    case 9: try calculate(transaction)
    case 10:
      guard let key else { return }
      try transaction.insert(table, key, list, at: 0, .int(4))
    case 11: try deleteOther(transaction)
    default: try read(key, transaction)
    }
  }

  private func forget(_ doomed: [ObjectKey]) {
    for object in doomed { rows[object] = nil }
    let gone = Set(doomed)
    for key in rows.keys {
      if case .key(let target) = rows[key]?[own], gone.contains(target) { rows[key]?[own] = .null }
    }
  }

  private func append(_ count: Int, _ transaction: WriteTransaction) throws {
    let appender = try transaction.appender(table)
    for _ in 0..<count {
      var row = columns.indices.map { initial($0) }
      for column in columns.indices {
        if column == primaryKey {
          row[column] = try newPrimaryKey()
        } else if Int.random(in: 0..<6, using: &random) > 0 {
          row[column] = try value(column, transaction)
        } else {
          continue
        }
        try appender.set(column, row[column])
      }
      let key = try appender.append()
      #expect(rows[key] == nil)
      rows[key] = row
      #expect(try transaction.hasObject(table, key))
    }
  }

  private func create(_ transaction: WriteTransaction) throws {
    var row = columns.indices.map { initial($0) }
    let key: ObjectKey
    if let primaryKey {
      row[primaryKey] = try newPrimaryKey()
      key = try transaction.createObject(table, primaryKey: row[primaryKey])
    } else {
      key = try transaction.createObject(table)
    }
    rows[key] = row
  }

  private func setMany(_ transaction: WriteTransaction) throws {
    let column = Int.random(in: 0..<columns.count, using: &random)
    guard column != primaryKey else { return }
    let objects = some([1, 4, 40][Int.random(in: 0..<3, using: &random)])
    let values = try objects.map { _ in try value(column, transaction) }
    try transaction.set(table, objects, columns[column]) { values[$0] }
    for (object, value) in zip(objects, values) { rows[object]?[column] = value }
  }

  private func calculate(_ transaction: WriteTransaction) throws {
    let column = [0, 3, 4, 11][Int.random(in: 0..<4, using: &random)]
    guard column != primaryKey else { return }
    let objects = some(2)
    let operand: ScalarValue =
      switch kinds[column] {
      case .int: .int(3)
      case .float: .float(3)
      default: .double(3)
      }
    let isAll = Bool.random(using: &random)
    try transaction.calculate(table, isAll ? nil : objects, columns[column], .add, operand)
    for object in isAll ? rows.keys.sorted() : objects {
      switch rows[object]?[column] {
      case .int(let value): rows[object]?[column] = .int(value + 3)
      case .float(let value): rows[object]?[column] = .float(value + 3)
      case .double(let value): rows[object]?[column] = .double(value + 3)
      default: break
      }
    }
  }

  /// Links to the object become null.
  private func deleteOther(_ transaction: WriteTransaction) throws {
    guard let doomed = others.popLast() else { return }
    try transaction.deleteObject(other, doomed)
    for key in rows.keys {
      for column in columns.indices {
        if column == own { continue }
        switch rows[key]?[column] {
        case .key(doomed), .link(other, doomed): rows[key]?[column] = .null
        default: break
        }
      }
    }
    let appender = try transaction.appender(other)
    others.insert(try appender.append(), at: 0)
  }

  private func read(_ key: ObjectKey?, _ transaction: WriteTransaction) throws {
    #expect(try transaction.objects(table) == rows.keys.sorted())
    guard let key, let row = rows[key] else { return }
    for column in columns.indices {
      #expect(try transaction.value(table, key, columns[column]) == row[column])
    }
    if let primaryKey {
      #expect(try transaction.object(table, primaryKey: row[primaryKey]) == key)
    }
    try compare(with: try transaction.snapshot())
  }

  /// Compares the model with what a reader sees.
  func compare(with snapshot: Snapshot) throws {
    let table = try #require(snapshot.table(named: "class_Bulk"))
    let positions = try columns.indices.map {
      let name = $0 == link ? "link" : $0 == own ? "own" : "c\($0)"
      return try #require(table.column(named: name))
    }
    let cursor = try TableCursor(table, columns: positions)
    var count = 0
    while try cursor.next() {
      for row in 0..<cursor.count {
        count += 1
        let expected = try #require(rows[cursor.key(at: row)])
        for column in columns.indices {
          var value = expected[column]
          if case .key(let key) = value { value = .link(column == own ? table.key : other, key) }
          let found = try cursor.value(column, at: row).scalar
          #expect(found == value, "column \(column) of \(cursor.key(at: row))")
        }
      }
    }
    #expect(count == rows.count)
  }
}
