import RealmLanguage
import RealmObjects
import RealmQuery
import RealmStorage
import RealmValues
import TestSupport
import Testing

/// Cases that generated predicates have turned up, with the answers of realm-core to the same data.
@Suite struct GeneratedCaseTests {
  private static let cases: [(predicate: String, keys: [Int64])] = [
    // Sums of dictionaries are those of their type.
    ("f.@sum == 2", [0]), ("f.@sum == 0.3", []), ("g.@sum > 0.3", [0, 1]), ("g.@avg == 2.0", [0]),
    ("d.@sum == 0.3", [0]), ("i.@sum == -2", [1]), ("(i.@sum / 2) == 2", [0]),
    ("i.@avg == 9007199254740992", [2]), ("f.@min < 2", [0, 1, 2]),
    // Averages of ints do not overflow.
    ("i.@avg > 0", [0, 1, 2]), ("l.@avg >= 5", [0]), ("l.@sum < 0", [0]),
    ("kids.@avg.id == 1.5", [4]),
    // What counts as zero beside a fraction.
    ("b + 1.5 == 1.5", [0, 1, 2, 5]), ("b + 1.5 == null", [3, 4, 6]),
    ("2.5f - b == 2.5f", [0, 1, 2, 5]), ("b * 2.0 == 0", [0, 1, 2, 5]),
    ("b + 1 == null", [0, 1, 2, 3, 4, 5, 6]),
    // Entries without a link.
    ("map.@count == 1", [1]), ("next.map.@count == 1", [4]), ("next.map.@count == 2", [3]),
    ("kids.map.@count == 2", [4]),
    // The last of several keys orders.
    ("TRUEPREDICATE SORT(map.a.b DESC)", [6, 1, 0, 2, 3, 4, 5]),
    ("TRUEPREDICATE SORT(i.x.a DESC)", [1, 2, 0, 3, 4, 5, 6]),
    ("TRUEPREDICATE DISTINCT(map.a.b)", [0, 1, 6]),
    ("TRUEPREDICATE SORT(map.a.nosuch ASC)", [0, 1, 2, 3, 4, 5, 6]),
    ("TRUEPREDICATE SORT(map.a.l ASC)", [0, 1, 2, 3, 4, 5, 6]),
    // Types of two collections, and a word before a type that is known.
    ("d.@type == i.@type", [3, 4, 5, 6]), ("f.@type == g.@type", [3, 4, 5, 6]),
    ("i.@type == ALL kids.id.@type", [0, 1, 2]), ("i.@type == NONE kids.id.@type", [0, 1, 2]),
    ("ANY m.@type == {'bool', 'bool', 'bool'}", [0]),
    // Null on the left of a path into an indexed value.
    ("null == bx.a", [0, 1, 2, 3, 4, 5, 6]), ("null == next.bx.a", []),
    // Links to any class have an order; IN takes paths into mixed values behind many links.
    ("$0 < b", [3]), ("2 IN kids.b.a", []),
  ]
  private static let refusals: [(predicate: String, category: String)] = [
    ("f.@type == NONE id.@type", "not-a-list"), ("O0 < b", "bad-operator"),
    ("id > $1", "type-mismatch"), ("id IN $1", "type-mismatch"), ("2 IN b.a", "not-a-list"),
    ("TRUEPREDICATE SORT(l ASC) LIMIT(0)", "bad-sort"),
  ]

  private let folder = TemporaryFolder()

  @Test func agreesWithRealmCore() throws {
    let path = folder.file("x.realm")
    let table = try make(path)
    let realm = try Realm(path: path)
    let objectClass = try #require(realm.schema.objectClass(named: "X"))
    func keys(_ predicate: String) throws -> [Int64] {
      let query = try Query(
        try PredicateParser.parse(predicate), class: objectClass, schema: realm.schema,
        arguments: [.scalar(.link(table, ObjectKey(0))), .list([.double(.infinity), .int(1)])])
      return try query.keys().map(\.rawValue)
    }
    for one in Self.cases {
      #expect(try keys(one.predicate) == one.keys, "\(one.predicate)")
    }
    for one in Self.refusals {
      do {
        _ = try keys(one.predicate)
        Issue.record("\(one.predicate) is not refused")
      } catch QueryFailure.query(let error) {
        #expect(error.category.rawValue == one.category, "\(one.predicate)")
      }
    }
  }

  private func makeColumns(
    _ transaction: WriteTransaction, _ table: TableKey
  ) throws -> [String: ColumnKey] {
    let definitions = [
      ColumnDefinition("id", .int),
      ColumnDefinition("b", .mixed, isNullable: true),
      ColumnDefinition("bx", .mixed, isNullable: true),
      ColumnDefinition("d", .mixed, collection: .dictionary, isNullable: true),
      ColumnDefinition("f", .float, collection: .dictionary),
      ColumnDefinition("g", .double, collection: .dictionary, isNullable: true),
      ColumnDefinition("i", .int, collection: .dictionary),
      ColumnDefinition("l", .int, collection: .list),
      ColumnDefinition("m", .mixed, collection: .list, isNullable: true),
      ColumnDefinition("map", .link, collection: .dictionary, isNullable: true, target: table),
      ColumnDefinition("next", .link, isNullable: true, target: table),
      ColumnDefinition("kids", .link, collection: .list, target: table),
    ]
    var columns: [String: ColumnKey] = [:]
    for definition in definitions {
      columns[definition.name] = try transaction.addColumn(table, definition)
    }
    try transaction.addIndex(table, try #require(columns["bx"]))
    return columns
  }

  /// Makes the file with the objects 0 to 6 of class X.
  private func make(_ path: String) throws -> TableKey {
    let transaction = try Database.create(path: path).beginWrite()
    let table = try transaction.createTable("class_X")
    let columns = try makeColumns(transaction, table)
    for _ in 0...6 { _ = try transaction.createObject(table) }
    func set(_ object: Int64, _ name: String, _ value: ScalarValue) throws {
      try transaction.set(table, ObjectKey(object), try #require(columns[name]), value)
    }
    func put(_ object: Int64, _ name: String, _ values: KeyValuePairs<String, ScalarValue>) throws {
      for (key, value) in values {
        try transaction.set(
          table, ObjectKey(object), try #require(columns[name]), key: Array(key.utf8), value)
      }
    }
    func append(_ object: Int64, _ name: String, _ values: ScalarValue...) throws {
      for (i, value) in values.enumerated() {
        try transaction.insert(
          table, ObjectKey(object), try #require(columns[name]), at: i, value)
      }
    }
    func link(_ object: Int64) -> ScalarValue { .link(table, ObjectKey(object)) }
    for object in 0...6 as ClosedRange<Int64> { try set(object, "id", .int(object)) }
    try set(0, "b", .bool(true))
    try set(1, "b", .string(Array("x".utf8)))
    try set(2, "b", .bool(false))
    try set(3, "b", link(1))
    try transaction.set(
      table, ObjectKey(4), try #require(columns["b"]),
      mixed: .list([.scalar(.int(1)), .scalar(.int(2))]))
    try set(5, "b", .date(Timestamp(seconds: 3, nanoseconds: 0)))
    try put(0, "f", ["a": .float(.nan), "b": .float(2)])
    try put(0, "g", ["a": .double(.nan), "b": .double(2)])
    try put(0, "i", ["a": .int(1), "b": .int(2), "c": .int(2)])
    try put(0, "d", ["a": .double(0.1), "b": .double(0.2)])
    try append(0, "l", .int(3), .int(.max))
    try append(0, "m", .int(1), .string(Array("a".utf8)), .bool(true))
    try put(1, "f", ["a": .float(0.1), "b": .float(0.2)])
    try put(1, "g", ["a": .double(0.1), "b": .double(0.2)])
    try put(1, "i", ["a": .int(.max), "b": .int(.max)])
    try put(1, "map", ["a": .null, "b": link(0)])
    try put(2, "f", ["a": .float(1), "b": .float(2)])
    try put(2, "i", ["a": .int(9_007_199_254_740_993)])
    try put(2, "map", ["a": .null])
    try put(6, "map", ["a": link(1), "b": link(2), "c": .null])
    try set(3, "next", link(1))
    try set(4, "next", link(2))
    try set(5, "next", link(0))
    try append(4, "kids", link(1), link(2))
    try transaction.commit()
    return table
  }
}
