import RealmLanguage
import RealmValues
import Testing

@Suite struct CanonicalTextTests {
  private func literal(_ text: String) throws -> Literal {
    guard case .print(let values)? = try StatementParser.parse("print " + text).first?.body,
      case .literal(let literal)? = values.first
    else {
      Issue.record("no literal: \(text)")
      return Literal(.null, range: SourceRange(start: 0, end: 0))
    }
    return literal
  }

  /// A literal and its printed form, alone and in a mixed property.
  static let literals = [
    ("null", "null", "null"), ("TRUE", "true", "true"), ("-42", "-42", "-42"),
    ("-9223372036854775808", "-9223372036854775808", "-9223372036854775808"),
    ("1.50f", "1.5", "1.5f"), ("1e300", "1e+300", "1e+300"), ("-infinity", "-inf", "-inf"),
    ("NaN", "nan", "nan"), ("5.", "5.0", "5.0"), ("decimal(1.50)", "1.50", "decimal(1.50)"),
    ("'it\\'s\\n\\u0001é'", "\"it's\\n\\u0001é\"", "\"it's\\n\\u0001é\""),
    ("hex(\"deadbeef\")", "B64\"3q2+7w==\"", "B64\"3q2+7w==\""),
    ("binary(\"ab\")", "B64\"YWI=\"", "B64\"YWI=\""), ("B64\"\"", "B64\"\"", "B64\"\""),
    ("2024-05-01", "2024-05-01T00:00:00Z", "2024-05-01T00:00:00Z"),
    ("2024-05-01@12:00:00:7", "2024-05-01T12:00:00.000000007Z", "2024-05-01T12:00:00.000000007Z"),
    ("1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59.5Z"),
    ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
    (
      "9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z",
      "9999-12-31T23:59:59.999999999Z"
    ),
    ("T253402300800:0", "+10000-01-01T00:00:00Z", "+10000-01-01T00:00:00Z"),
    ("-0001-02-28@00:00:00", "-0001-02-28T00:00:00Z", "-0001-02-28T00:00:00Z"),
    ("2024-02-29T01:00:00+02:30", "2024-02-28T22:30:00Z", "2024-02-28T22:30:00Z"),
    (
      "oid(64f1c2a90f3b5d0012ab34cd)", "oid(64f1c2a90f3b5d0012ab34cd)",
      "oid(64f1c2a90f3b5d0012ab34cd)"
    ),
    (
      "uuid(\"3B241101-e2bb-4255-8caf-4136c566a962\")",
      "uuid(3b241101-e2bb-4255-8caf-4136c566a962)",
      "uuid(3b241101-e2bb-4255-8caf-4136c566a962)"
    ),
  ]

  @Test(arguments: literals)
  func literalsHaveOneForm(_ text: String, _ plain: String, _ mixed: String) throws {
    let value = try literal(text).scalar
    #expect(CanonicalText.string(value, inMixed: false) == plain)
    #expect(CanonicalText.string(value, inMixed: true) == mixed)
    let again = try literal(mixed).scalar
    #expect(CanonicalText.string(again, inMixed: true) == mixed)
  }

  @Test func badBytesPrintAsNumbers() {
    let value = ScalarValue.string([0x61, 0xFF, 0xC3, 0xA9])
    #expect(CanonicalText.string(value, inMixed: false) == "\"a\\xffé\"")
  }

  @Test(arguments: [
    ("Dog", "Dog"), ("my-class", "`my-class`"), ("狗", "狗"), ("a`b", "`a``b`"), ("", "``"),
    ("1a", "`1a`"), ("_x1", "_x1"), ("a b", "`a b`"), ("🐶", "`🐶`"),
  ])
  func namesGetBackQuotesWhereNeeded(_ name: String, _ printed: String) {
    var text: [UInt8] = []
    CanonicalText.append(name: name, to: &text)
    #expect(String(decoding: text, as: UTF8.self) == printed)
  }

  @Test func objectNames() {
    var text: [UInt8] = []
    CanonicalText.append(object: "Dog", primaryKey: .string(Array("a".utf8)), to: &text)
    CanonicalText.append(object: "my-class", key: ObjectKey(12), to: &text)
    #expect(String(decoding: text, as: UTF8.self) == "Dog(\"a\")`my-class`#12")
  }

  /// What is printed can stand in each statement that takes a value or a name.
  @Test(arguments: literals.map(\.2))
  func printedLiteralsStandInStatements(_ printed: String) throws {
    for text in [
      "add C {a: \(printed)}", "upsert C [\(printed)]", "set C 1 a = \(printed)",
      "set C 1 a.append(\(printed), 1)", "class C { a: mixed = \(printed) }", "let $x = \(printed)",
      "set C(\(printed)) a = 1", "set C \(printed) a = 1", "delete C \(printed)",
      "write { delete C(\(printed)) }",
    ] {
      let tree = try StatementParser.parse(text).map(outline).joined()
      #expect(tree.contains(outline(try literal(printed).kind)), "\(text)")
    }
  }

  @Test(arguments: ["Dog", "my-class", "a`b", "a b", "where", "狗"])
  func printedNamesStandInStatements(_ name: String) throws {
    var bytes: [UInt8] = []
    CanonicalText.append(name: name, to: &bytes)
    let printed = String(decoding: bytes, as: UTF8.self)
    for (text, count) in [
      ("class \(printed) { \(printed): \(printed)[] }", 3), ("alter \(printed).\(printed): int", 2),
      ("rename class \(printed) to \(printed)", 2), ("drop index \(printed).\(printed)", 2),
      ("add \(printed) {\(printed): \(printed)(1), b: \(printed)#2}", 4),
      ("set \(printed)(1) \(printed).\(printed) += 1", 3), ("delete \(printed) all", 1),
      ("copy \(printed) into \(printed)", 2),
    ] {
      let tree = try StatementParser.parse(text).map(outline).joined()
      #expect(
        tree.split(separator: name, omittingEmptySubsequences: false).count == count + 1,
        "\(text): \(tree)")
    }
  }

  private func query(_ text: String) throws -> QuerySyntax {
    guard case .where(let statement)? = try StatementParser.parse("where C " + text).first?.body
    else {
      Issue.record("no where: \(text)")
      throw SyntaxError("no where", range: SourceRange(start: 0, end: 0))
    }
    return statement.condition.query
  }

  static let predicates = [
    ("name = 'Rex' AND age>2 sort(age descending)", "name == \"Rex\" and age > 2 SORT(age DESC)"),
    ("(a = 1 || b = 2) && !(c = 3 && d = 4)", "(a == 1 or b == 2) and not (c == 3 and d == 4)"),
    ("(a == 1 and b == 2) and c == 3", "(a == 1 and b == 2) and c == 3"),
    ("(a == 1 and b == 2) or c == 3", "a == 1 and b == 2 or c == 3"),
    ("a - (b - c) == (a * b) / (c / d)", "a - (b - c) == a * b / (c / d)"),
    ("(a + b) * c == 1", "(a + b) * c == 1"),
    ("s == 'say \"hi\"'", "s == 'say \"hi\"'"),
    ("`show` == 1 and a.show == $x", "`show` == 1 and a.`show` == $x"),
    ("x.@size == 1 and y[size] == 2", "x.@count == 1 and y[SIZE] == 2"),
    ("some a.b[first] in {1f, 1.50, nil}", "ANY a.b[FIRST] in {1.0f, 1.50, null}"),
    ("to\\ kid.a-b == 1", "`to kid`.a-b == 1"),
    ("subquery(c, $s, $s.a == $t).@count > 0", "SUBQUERY(c, $s, $s.a == $t).@count > 0"),
    ("d == +12024-05-01T00:00:00Z", "d == +12024-05-01T00:00:00Z"),
    ("d == 2024-05-01 or l == Dog(1)", "d == 2024-05-01T00:00:00Z or l == Dog(1)"),
    ("name ==[cu] 'x' or a like [cd] \"é*\"", "name ==[cu] \"x\" or a like[cd] \"é*\""),
    ("a > 1 offset(2) limit(1)", "a > 1 OFFSET(2) LIMIT(1)"), ("Offset(010)", "OFFSET(8)"),
    ("Offset(3) == link", "Offset(3) == link"), ("offset == 1", "offset == 1"),
    ("limit(3)", "LIMIT(3)"), ("TruePredicate", "TRUEPREDICATE"), ("", ""),
    ("p geowithin geocircle([1, 2.5], 0.1)", "p geowithin geoCircle([1, 2.5], 0.1)"),
  ]

  @Test(arguments: predicates) func predicatesHaveOneForm(_ text: String, _ printed: String) throws
  {
    #expect(CanonicalText.string(try query(text)) == printed)
    #expect(CanonicalText.string(try query(printed)) == printed)
  }

  /// Every legal predicate of the cases, printed and parsed again, gives the same tree.
  @Test func printedPredicatesParseToTheSameTree() throws {
    guard let cases = RQLCase.load() else {
      print("skipped: the folder with cases/rql.jsonl is not there; REALMSH_SHARED can name it")
      return
    }
    for one in cases where one.error == nil {
      let tree = try PredicateParser.parse(one.predicate)
      let printed = CanonicalText.string(tree)
      guard let again = try? query(printed) else {
        Issue.record("\(one.id): does not parse: \(printed)")
        continue
      }
      #expect(outline(again) == outline(tree), "\(one.id): \(one.predicate): \(printed)")
    }
  }
}
