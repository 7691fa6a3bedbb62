import RealmLanguage
import RealmObjects
import RealmQuery
import RealmStorage
import RealmValues

/// A class with the queries that are measured on it.
struct QueriedClass {
  typealias Line = QueryBenchmarks.Line

  private let realm: Realm
  private let objectClass: ObjectClass
  private var table: StoredTable { objectClass.table }

  /// Nil if there is no such class.
  init?(_ realm: Realm, _ name: String) {
    guard let objectClass = realm.schema.objectClass(named: name) else { return nil }
    (self.realm, self.objectClass) = (realm, objectClass)
  }

  private func query(_ text: String) throws(QueryFailure) -> Query {
    do throws(StorageError) { try realm.refresh() } catch { throw .storage(error) }
    guard let syntax = try? PredicateParser.parse(text) else {
      preconditionFailure("no predicate: \(text)")
    }
    return try Query(syntax, class: objectClass, schema: realm.schema)
  }

  private func count(_ name: String, _ text: String) -> Line {
    Line(name: name) { () throws(QueryFailure) in "\(try query(text).count())" }
  }

  private func keys(_ name: String, _ text: String) -> Line {
    Line(name: name) { () throws(QueryFailure) in "\(try query(text).keys().count)" }
  }

  // MARK: Lines

  var scans: [Line] {
    [
      count("count_age_lt", "age < 30"),
      count("count_city_eq", "city == 'Paris'"),
      count("count_contains_ci", "name CONTAINS[c] 'stein'"),
      count("count_weight_age", "weight > 50 AND age < 40"),
      count("count_between", "age BETWEEN {20, 29}"),
      count("count_name_eq", "name == 'Alna Steinman'"),
      count("count_beginswith", "name BEGINSWITH 'Be'"),
      count("count_like", "name LIKE '*tein*'"),
      count("count_name_eq_ci", "name ==[c] 'alna steinman'"),
      count("count_score_null", "score == NULL"),
      count("count_born_gt", "born > 2000-01-01@00:00:00"),
      count("count_in", "age IN {1, 5, 9, 50}"),
      count("count_or", "age < 5 OR city == 'Rome'"),
      keys("keys_age_lt", "age < 30"),
    ]
  }

  func lookups(_ count: Int64) -> [Line] {
    let probes = (0..<100_000 as Range<Int64>).map { Item.probe($0, count: count) }
    var item = Item()
    let emails = probes.map { number in
      item.become(number)
      return ScalarValue.string(item.email)
    }
    return [
      lookup("lookup_pk_100k", "id", probes.map { .int($0) }),
      lookup("lookup_email_100k", "email", emails),
      Line(name: "read_all_props") { () throws(QueryFailure) in
        do throws(StorageError) { return "\(try sumOfAll())" } catch { throw .storage(error) }
      },
    ]
  }

  private func lookup(_ name: String, _ property: String, _ values: [ScalarValue]) -> Line {
    Line(name: name) { () throws(QueryFailure) in
      guard let column = table.column(named: property), let age = table.column(named: "age")
      else { return "" }
      do throws(StorageError) {
        try realm.refresh()
        var sum: Int64 = 0
        let reader = ObjectReader(table, columns: [age])
        for value in values {
          guard try reader.move(to: value, inColumn: column) == true,
            case .int(let number) = try reader.value(0)
          else { continue }
          sum += number
        }
        return "\(sum)"
      } catch { throw .storage(error) }
    }
  }

  /// Reads every property of every object.
  private func sumOfAll() throws(StorageError) -> Int64 {
    try realm.refresh()
    var sum: Int64 = 0
    let cursor = try TableCursor(table, columns: Array(table.columns.indices))
    while try cursor.next() {
      for i in table.columns.indices {
        switch try cursor.leaf(i) {
        case .int(let leaf): for row in 0..<cursor.count { sum += leaf.value(at: row) ?? 0 }
        case .double(let leaf):
          for row in 0..<cursor.count { sum += Int64(leaf.value(at: row) ?? 0) }
        case .string(let leaf):
          for row in 0..<cursor.count { sum += Int64(try leaf.value(at: row)?.count ?? 0) }
        case .date(let leaf):
          for row in 0..<cursor.count { sum += try leaf.value(at: row)?.seconds ?? 0 }
        default: break
        }
      }
    }
    return sum
  }

  var sorts: [Line] {
    [
      keys("sort_name", "TRUEPREDICATE SORT(name ASC)"),
      keys("sort_age", "TRUEPREDICATE SORT(age ASC)"),
      keys("sort_weight", "TRUEPREDICATE SORT(weight DESC)"),
      keys("sort_name_limit10", "TRUEPREDICATE SORT(name ASC) LIMIT(10)"),
      keys("distinct_city", "TRUEPREDICATE DISTINCT(city)"),
    ]
  }

  var aggregates: [Line] {
    [
      aggregate("sum_age", .sum, "age"),
      aggregate("avg_weight", .average, "weight"),
      aggregate("min_born", .minimum, "born", peerScale: 0.001),
      aggregate("max_score", .maximum, "score"),
      aggregate("sum_age_where", .sum, "age", "weight > 50"),
    ]
  }

  private func aggregate(
    _ name: String, _ operation: AggregateOperation, _ property: String,
    _ text: String = "TRUEPREDICATE", peerScale: Double = 1
  ) -> Line {
    Line(name: name, peerScale: peerScale) { () throws(QueryFailure) in
      guard let property = objectClass.property(named: property) else { return "" }
      switch try query(text).aggregate(operation, of: property) {
      case .int(let value): return "\(value)"
      case .double(let value): return "\(value)"
      case .date(let value): return "\(value.seconds)"
      default: return ""
      }
    }
  }

  var links: [Line] {
    [
      count("link_any_dogs_age", "ANY dogs.age > 3"),
      count("link_single_age", "favourite.age > 3"),
      count("link_agg_sum", "dogs.@sum.age > 20"),
      count("link_subquery", "SUBQUERY(dogs, $d, $d.age > 3).@count > 1"),
    ]
  }

  var backlinks: [Line] {
    [
      count("backlink_count_query", "@links.Person.favourite.@count > 1"),
      Line(name: "backlink_count_each") { () throws(QueryFailure) in
        do throws(StorageError) { return "\(try backlinkCount())" } catch { throw .storage(error) }
      },
    ]
  }

  /// Counts the links to each object.
  private func backlinkCount() throws(StorageError) -> Int {
    try realm.refresh()
    var sum = 0
    let counts = UnsafeMutablePointer<Int64>.allocate(capacity: 256)
    defer { counts.deallocate() }
    let cursor = try TableCursor(table, columns: [])
    while try cursor.next() {
      for backlink in table.backlinks {
        try table.countBacklinks(backlink, cursor, counts)
        for row in 0..<cursor.count { sum += Int(counts[row]) }
      }
    }
    return sum
  }
}
