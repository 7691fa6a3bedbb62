import RealmLanguage
import RealmObjects
import RealmQuery
import RealmStorage
import RealmValues
import TestSupport
import Testing

/// However a query is run, its results are the same: by an index, leaf by leaf, links in blocks, with
/// filters before the ordering, or object by object.
@Suite struct PlanTests {
  private static let count = 5000
  private static let words = [
    "", "a", "ab", "Ab", "abc", "älter", "ÄLTER", "sixteen letters.", "seventeen letters",
    "seventeen letterS", "a text of more than thirty-two letters", "a\u{0}", "x*y?z",
  ]

  /// Two classes with the same objects, one with indexes and one without; a part of the objects is
  /// deleted again.
  private static func makeRealm(
    _ path: String, _ random: inout SplitMix64
  ) throws(StorageError) -> Realm {
    let database = try Database.create(path: path)
    let transaction = try database.beginWrite()
    let seed = random.next()
    for name in ["Indexed", "Bare"] {
      var random = SplitMix64(seed: seed)
      try fill(transaction, name, &random)
    }
    try transaction.commit()
    return try Realm(path: path)
  }

  private static func fill(
    _ transaction: WriteTransaction, _ name: String, _ random: inout SplitMix64
  ) throws(StorageError) {
    let table = try transaction.createTable("class_\(name)")
    let columns = [
      ColumnDefinition("id", .int), ColumnDefinition("n", .int),
      ColumnDefinition("m", .int, isNullable: true), ColumnDefinition("s", .string),
      ColumnDefinition("u", .string, isNullable: true), ColumnDefinition("d", .double),
      ColumnDefinition("w", .date, isNullable: true), ColumnDefinition("f", .string),
      ColumnDefinition("friend", .link, target: table),
      ColumnDefinition("friends", .link, collection: .list, target: table),
      ColumnDefinition("key", .int),
    ]
    var keys: [ColumnKey] = []
    for column in columns { keys.append(try transaction.addColumn(table, column)) }
    // Objects of classes without a primary key have other keys.
    if Bool.random(using: &random) { try transaction.setPrimaryKey(table, keys[10]) }
    if name == "Indexed" {
      for position in [0, 1, 2, 3, 4, 6] { try transaction.addIndex(table, keys[position]) }
    }
    try transaction.addFullTextIndex(table, keys[7])
    let appender = try transaction.appender(table)
    var objects: [ObjectKey] = []
    for number in 0..<count {
      for (position, value) in values(number, &random).enumerated() {
        try appender.set(position, value)
      }
      try appender.set(9, .int(Int64(number)))
      objects.append(try appender.append())
    }
    for object in objects {
      if Bool.random(using: &random), let friend = objects.randomElement(using: &random) {
        try transaction.set(table, object, keys[8], .key(friend))
      }
      for place in 0..<Int.random(in: 0...3, using: &random) {
        guard let friend = objects.randomElement(using: &random) else { continue }
        try transaction.insert(table, object, keys[9], at: place, .key(friend))
      }
    }
    // Links to these are gone, and the keys of the others have gaps.
    for object in objects where Int.random(in: 0..<20, using: &random) == 0 {
      try transaction.deleteObject(table, object)
    }
  }

  private static func values(_ number: Int, _ random: inout SplitMix64) -> [ScalarValue] {
    func word() -> [UInt8] { Array((words.randomElement(using: &random) ?? "").utf8) }
    let few = Int64.random(in: -3...12, using: &random)
    let many = Int64.random(in: -100_000...100_000, using: &random)
    let doubles = [0.0, -0.0, .infinity, Double(few), Double(many) / 7]
    let seconds = Int64.random(in: -2...5, using: &random)
    let part = Int32.random(in: 0...1, using: &random) * (seconds < 0 ? -1 : 1)
    return [
      .int(Int64(number) * 3), .int(few),
      Bool.random(using: &random) ? .null : .int(many), .string(word()),
      Bool.random(using: &random) ? .null : .string(word()),
      .double(doubles.randomElement(using: &random) ?? 0),
      few == 0 ? .null : .date(Timestamp(seconds: seconds, nanoseconds: part)),
      .string(Array("the \(few) word \(number % 7)".utf8)),
    ]
  }

  // MARK: Predicates

  private static func literal(_ random: inout SplitMix64) -> String {
    let word = words.filter { !$0.contains("\u{0}") }.randomElement(using: &random) ?? ""
    return "'\(word)'"
  }

  /// A condition on a class.
  private static func condition(_ name: String, _ random: inout SplitMix64) -> String {
    let n = Int.random(in: -4...13, using: &random)
    let text = literal(&random)
    let comparison = ["==", "!=", "<", "<=", ">", ">="].randomElement(using: &random) ?? "=="
    let forms = [
      "n == \(n)", "n IN {\(n), 3, 5}", "id == \(3 * (n + 10))", "id IN {3, 30, 31, 33}",
      "s == \(text)", "s ==[c] \(text)", "s != \(text)", "u == \(text)", "u != \(text)",
      "s IN {\(text), 'ab'}", "u == NULL", "m == NULL", "m == \(n)",
      "w == 1970-01-01@00:00:0\(abs(n) % 6)", "w \(comparison) 1970-01-01@00:00:01",
      "s BEGINSWITH \(text)", "u BEGINSWITH[c] \(text)", "s CONTAINS \(text)",
      "u CONTAINS[c] \(text)", "s LIKE '*t*e?*'", "f TEXT 'word \(n)'", "f TEXT 'th*'",
      "id \(comparison) \(1000 * n)", "id BETWEEN {\(500 * n), \(500 * n + 900)}",
      "n \(comparison) \(n)", "d \(comparison) \(n)", "m \(comparison) \(n * 1000)",
      "friend.n \(comparison) \(n)", "friend == NULL", "ANY friends.n \(comparison) \(n)",
      "ALL friends.n \(comparison) \(n)", "NONE friends.s == \(text)",
      "friends.@count \(comparison) \(abs(n) % 4)", "friends.@sum.n \(comparison) \(n)",
      "friends.@min.n \(comparison) \(n)", "friends.@max.m \(comparison) \(n)",
      "friends.@avg.n \(comparison) \(n)", "friends.@sum.d \(comparison) \(n)",
      "friend.friends.@sum.n \(comparison) \(n)",
      "SUBQUERY(friends, $x, $x.n \(comparison) \(n)).@count \(comparison) 1",
      "@links.\(name).friend.@count \(comparison) \(abs(n) % 4)",
      "@links.\(name).friends.@count > \(abs(n) % 4)", "@links.@count \(comparison) \(abs(n) % 4)",
      "ANY @links.\(name).friends.n \(comparison) \(n)",
    ]
    return forms.randomElement(using: &random) ?? "TRUEPREDICATE"
  }

  private static func predicate(_ name: String, _ random: inout SplitMix64) -> String {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: "NOT \(condition(name, &random))"
    case 1: "\(condition(name, &random)) AND \(condition(name, &random))"
    case 2: "\(condition(name, &random)) OR \(condition(name, &random))"
    case 3: "n < 9 AND (\(condition(name, &random)) OR \(condition(name, &random)))"
    default: condition(name, &random)
    }
  }

  private static let orderings = [
    "", "", " LIMIT(7)", " SORT(n ASC)", " SORT(m DESC)", " SORT(s ASC, n DESC)", " SORT(u DESC)",
    " SORT(d ASC)", " SORT(d DESC, s ASC) LIMIT(9)", " SORT(w ASC)", " SORT(w DESC) LIMIT(30)",
    " SORT(s ASC) LIMIT(5)", " SORT(u ASC) LIMIT(2000)", " SORT(m ASC) LIMIT(3)",
    " SORT(n DESC) LIMIT(40)", " DISTINCT(s)", " DISTINCT(n)", " DISTINCT(u) SORT(n ASC)",
    " DISTINCT(m) LIMIT(50)", " DISTINCT(n, s)", " SORT(s DESC) DISTINCT(n)",
    " SORT(friend.s ASC) LIMIT(20)",
  ]

  @Test func plansAgree() throws {
    let folder = TemporaryFolder()
    var random = SplitMix64.fresh(for: "plansAgree")
    let realm = try Self.makeRealm(folder.file("plans.realm"), &random)
    let indexed = try #require(realm.schema.objectClass(named: "Indexed"))
    let bare = try #require(realm.schema.objectClass(named: "Bare"))
    let all = try LeafTests.query("TRUEPREDICATE", indexed, realm).keys()
    #expect(try LeafTests.query("TRUEPREDICATE", bare, realm).keys() == all)
    for (a, b) in zip(indexed.properties, bare.properties) where a.kind != .link {
      let values = (try LeafTests.values(a, indexed, all), try LeafTests.values(b, bare, all))
      let different = all.indices.first { values.0[$0].totalOrder(values.1[$0]) != 0 }
      #expect(different == nil, "\(a.name)")
    }
    for _ in 0..<TestScale.number("PLAN_QUERIES", standard: 60) {
      try realm.refresh()
      let seed = random.next()
      let ordering = Self.orderings.randomElement(using: &random) ?? ""
      func text(_ name: String) -> String {
        var random = SplitMix64(seed: seed)
        return Self.predicate(name, &random) + ordering
      }
      let query = try LeafTests.query(text("Indexed"), indexed, realm)
      let keys = try query.keys()
      let byScan = try LeafTests.query(text("Bare"), bare, realm).keys()
      #expect(keys == byScan, "index and scan: \(text("Indexed"))")
      #expect(try query.keys(among: all) == keys, "blocks and objects: \(text("Indexed"))")
      #expect(try query.count() == keys.count)
      try Self.checkAggregates(query, keys, indexed, realm, text("Indexed"))
    }
  }

  /// Aggregates of the results are those of their values one by one.
  private static func checkAggregates(
    _ query: Query, _ keys: [ObjectKey], _ objectClass: ObjectClass, _ realm: Realm, _ text: String
  ) throws {
    func aggregate(
      _ operation: (GroupingSource) -> Aggregate, _ name: String
    ) throws -> ScalarValue {
      let found = SingleProperty([name], of: objectClass, schema: realm.schema)
      let property = try #require(found)
      let grouping = Grouping(by: [], [operation(.property(property))])
      try query.add(to: grouping)
      return try grouping.rows()[0][0]
    }
    for name in ["n", "m", "w", "d"] {
      let property = try #require(objectClass.property(named: name))
      let values = try LeafTests.values(property, objectClass, keys).filter { $0 != .null }
      let least = values.min { $0.totalOrder($1) < 0 } ?? .null
      let greatest = values.max { $0.totalOrder($1) < 0 } ?? .null
      let (minimum, maximum) = (
        try aggregate(Aggregate.minimum, name), try aggregate(Aggregate.maximum, name)
      )
      #expect(minimum.totalOrder(least) == 0, "@min.\(name): \(text)")
      #expect(maximum.totalOrder(greatest) == 0, "@max.\(name): \(text)")
      if name == "w" { continue }
      var (ints, doubles) = (0 as Int64, 0.0)
      for value in values {
        if case .int(let number) = value { ints += number }
        if case .double(let number) = value { doubles += number }
      }
      let isInt = property.kind == .int
      let sum = isInt ? ScalarValue.int(ints) : .double(doubles)
      #expect(try aggregate(Aggregate.sum, name) == sum, "@sum.\(name): \(text)")
      let mean = (isInt ? Double(ints) : doubles) / Double(values.count)
      #expect(
        try aggregate(Aggregate.average, name) == (values.isEmpty ? .null : .double(mean)),
        "@avg.\(name): \(text)")
    }
  }
}
