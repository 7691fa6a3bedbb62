import RealmLanguage
import RealmObjects
import RealmQuery
import TestSupport
import Testing

/// Each trap is told, and nothing else is.
@Suite struct TrapTests {
  /// Warnings about the predicate of a statement `where CLASS PREDICATE`.
  private static func warnings(_ statement: String) throws -> [TrapWarning] {
    let text = "where " + statement
    var parser = StatementParser(SourceText(text)) { false }
    guard case .where(let statement)? = try parser.next()?.body,
      case .name(let name) = statement.source
    else { return [] }
    let isMixed = ["Cell", "Crib"].contains(name.text)
    let file = isMixed ? "rql-mixed.realm" : "rql-scalars.realm"
    let realm = try Realm(path: "\(Fixtures.root)/Tests/Fixtures/\(file)")
    guard let objectClass = realm.schema.objectClass(named: name.text) else { return [] }
    let query = try Query(
      statement.condition.query, class: objectClass, schema: realm.schema,
      examining: Array(text.utf8))
    return query.warnings
  }

  @Test(
    arguments: [
      ("Gauge count == 010", ["octal"]),
      ("Gauge count == -010", ["octal"]),
      ("Gauge count == 089", ["octal"]),
      ("Gauge count == 1 LIMIT(010)", ["octal"]),
      ("Gauge seen == T010:0", ["octal"]),
      ("Gauge buddy == O010", ["octal"]),
      ("Gauge count == 9223372036854775808", ["clamped"]),
      ("Gauge level == 1e999", ["clamped"]),
      ("Gauge seen > 2038-01-19@03:14:08", ["date"]),
      ("Gauge seen > 1901-01-01@00:00:00", ["date"]),
      ("Gauge seen > 2024-13-01@00:00:00", ["calendar"]),
      ("Gauge seen > 2024-02-30T00:00:00", ["calendar"]),
      ("Gauge seen > 2024-02-01@25:00:00", ["calendar"]),
      (#"Gauge tag == "a\n""#, ["escape"]),
      (#"Gauge tag IN {"a", 'it\'s'}"#, ["escape"]),
      ("Cell vs IN {1, 2}", ["wholeLists"]),
      ("Cell vs == {1, 2}", ["wholeLists"]),
      ("Crib cells.num IN {1, 2}", ["wholeLists"]),
      ("Crib cells.num != cells.num", ["wholeLists"]),
      (#"Cell v.name IN {"x", "y"}"#, ["wholeLists"]),
      ("Cell ALL vs IN {1, 2, 3}", ["repeated"]),
      ("Gauge buddy == NONE {O1}", ["word"]),
      ("Cell v == NONE {5}", ["word"]),
      ("Crib ALL cells.@count == 3", ["word"]),
      ("Gauge count BETWEEN NONE {1, 2}", ["word"]),
      (#"Gauge tag IN[c] {"a", "b"}"#, ["letterCase"]),
      ("Gauge count ==[c] 5", ["letterCase"]),
      (#"Gauge tag ==[c] "Ж""#, ["letterCase"]),
      ("Cell vmap.one.@max == 2", ["key"]),
      ("Cell v.age BETWEEN {1, 2}", ["key"]),
      ("Cell null == v_x.a", ["key"]),
      ("Gauge count >= -9223372036854775808", ["always"]),
      ("Gauge tag CONTAINS ''", ["always"]),
      ("Gauge tag != null", ["always"]),
      ("Gauge level != nan", ["always"]),
      ("Gauge label_x >= null", ["always"]),
      ("Gauge count < -9223372036854775808", ["never"]),
      ("Gauge tag == null", ["never"]),
      ("Gauge level == nan", ["never"]),
      ("Gauge count == 1.5", ["never"]),
      ("Gauge level == 0.1f", ["number"]),
      ("Gauge count BEGINSWITH 'x'", ["never"]),
      ("Gauge count BETWEEN {5, 3}", ["never"]),
      ("Gauge count IN {}", ["never"]),
      ("Gauge count_n > null", ["never"]),
      ("Gauge label < null", ["never"]),
      ("Cell v == O5", ["never"]),
      ("Cell v == next", ["never"]),
      ("Gauge count IN {1, 'x'}", ["element"]),
      ("Gauge ratio IN {1}", ["always", "element"]),
      ("Gauge count IN {1.5}", ["element", "element"]),
      ("Gauge label < 'B'", ["nullText"]),
      ("Gauge label_x <= 'B'", ["nullText"]),
      ("Gauge count_n >= null", ["nullOrder"]),
      ("Gauge label > null", ["nullOrder"]),
      ("Cell vmap.a == null", ["missing"]),
      ("Cell v.name == null", ["missing"]),
      ("Crib cell.next.@count == 0", ["missing"]),
      ("Gauge count == '42abc'", ["number"]),
      ("Gauge count == 7 / 2", ["arithmetic"]),
      ("Gauge count == 7 / 0", ["arithmetic"]),
      ("Gauge count == 9223372036854775807 + 1", ["arithmetic"]),
      ("Crib cells.num BETWEEN {1, 2}", ["bounds"]),
      ("Crib ALL cells.vs > 0", ["eachList"]),
      ("Gauge tag LIKE 'a**'", ["wildcard"]),
      ("Gauge tag LIKE '%a%'", ["wildcard"]),
      ("Cell v_x == 2.5", ["mixedIndex"]),
    ])
  func trapIsTold(_ statement: String, _ kinds: [String]) throws {
    #expect(try Self.warnings(statement).map(\.kind.rawValue) == kinds)
  }

  @Test(
    arguments: [
      "Gauge count == 10 LIMIT(10)", "Gauge count == 0 or count == 07 or count == 0x10",
      "Gauge level == 0.5 or level < 010.5", "Gauge count == 9223372036854775807",
      "Gauge seen > 2024-02-29@23:59:59 and seen < 2100-01-01T00:00:00Z",
      "Gauge tag == 'plain' or tag != \"\"", "Gauge buddy.count IN {1, 2}",
      "Cell ANY vs IN {1, 2} or 3 IN vs", "Cell vs == {}", "Cell ALL vs IN {1, 2}",
      "Crib ANY cells.num == 3", "Crib NONE cells.num > 3", "Gauge count == {1}",
      "Gauge tag ==[c] 'é' or tag ==[cu] 'Ж'", "Gauge tag IN {'a', 'b'}", "Gauge ratio IN {1.0}",
      "Gauge count_n == null or label != null", "Gauge tag < 'B'", "Gauge label > 'B'",
      "Gauge count == '42' or level == '1.5'", "Gauge count == 6 / 2 or level == 7 / 2.0",
      "Gauge count BETWEEN {3, 3}", "Gauge tag LIKE '*a*' or tag LIKE 'a?'",
      "Cell v == 5 or v_x == 5 or w == 2.5", "Cell vmap.a == 1", "Cell vmap.@max == 2",
      "Gauge count + 0.5 == 1.5 or price == 1e7000", "Cell v[0] == {5} or v[0] BETWEEN {0, 2}",
      "Gauge count > 1 and not (ratio < 0.5) SORT(count ASC) DISTINCT(tag)", "Gauge",
      "Crib cells.@count == 0",
    ])
  func restIsQuiet(_ statement: String) throws {
    #expect(try Self.warnings(statement).map(\.message) == [])
  }

  @Test func warningsFollowTheText() throws {
    let warnings = try Self.warnings("Gauge count == 010 and level IN {1} and tag == null")
    #expect(warnings.map(\.range.start) == warnings.map(\.range.start).sorted())
    #expect(warnings.contains { $0.kind == .octal && $0.remedy == "write 10" })
  }
}
