import RealmLanguage
import Testing

/// Every error names its place, cause and, if there is one, the nearest right word.
@Suite struct ErrorTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var text: String
    var name: SyntaxError.Name
    var range: Range<Int>
    var message: String
    var suggestion: String?
    var testDescription: String { text }

    init(
      _ text: String, _ range: Range<Int>, _ message: String, _ suggestion: String? = nil,
      _ name: SyntaxError.Name = .syntax
    ) {
      self.text = text
      self.name = name
      self.range = range
      self.message = message
      self.suggestion = suggestion
    }
  }

  static let rows = [
    Row(
      "where Dog age > 3 shw name", 18..<21,
      "expected SORT, DISTINCT, LIMIT, and, or, args, show or end of statement", "show"),
    Row("where Dog name = = \"Rex\"", 17..<18, "expected a value"),
    Row("wehre Dog", 0..<5, "no verb wehre", "where", .unknownVerb),
    Row("conut Dog", 0..<5, "no verb conut", "count", .unknownVerb),
    Row("1 + 1", 0..<1, "expected a verb"),
    Row("where", 5..<5, "expected a class or a variable"),
    Row("where Dog age", 13..<13, "expected an operator"),
    Row("where Dog age >", 15..<15, "expected a value"),
    Row("where Dog age > 3 and\n", 22..<22, "expected a value"),
    Row("where Dog (age > 3", 18..<18, "expected and, or or )"),
    Row("where Dog SORT(age) show x", 18..<19, "expected ASC or DESC"),
    Row("where Dog SORT(age AS)", 19..<21, "expected ASC or DESC", "ASC"),
    Row("where Dog LIMIT(x)", 16..<17, "expected a whole number"),
    Row("where Dog age in {1,2", 21..<21, "expected , or }"),
    Row("where Dog age in {1,x}", 20..<21, "expected a value"),
    Row("where Dog name == \"abc", 18..<19, "the closing quote is missing"),
    Row("where Dog `name == 1", 10..<11, "the closing quote is missing"),
    Row("where Dog name == 'a\\q'", 20..<22, "an escape that predicates do not know"),
    Row("where Dog b == B64\"A\"", 15..<21, "malformed Base64"),
    Row(
      "where Dog t == T1:-1", 15..<20,
      "seconds and nanoseconds have opposite signs, or too many nanoseconds"),
    Row("where Dog t == 1899-01-01@00:00:00", 15..<34, "a date before the year 1900"),
    Row("where Dog t == 2024-13-01", 15..<25, "no such date"),
    Row("where Dog age > 3 show", 22..<22, "expected a value"),
    Row("where Dog age > 3 args (1", 25..<25, "expected , or )"),
    Row("where Dog a + 1 like 'x'", 16..<20, "expected an operator"),
    Row("where Dog(1)", 12..<12, "expected ."),
    Row("where Dog age ~ 3", 14..<15, "expected an operator"),
    Row(
      "count Dog where age > 3 shw", 24..<27,
      "expected SORT, DISTINCT, LIMIT, and, or, args or end of statement"),
    Row("count Dog whree age > 3", 10..<15, "expected where or end of statement", "where"),
    Row("aggregate", 9..<9, "expected a class or a variable"),
    Row("aggregate Dog", 13..<13, "expected count, sum, avg, min or max"),
    Row("aggregate Dog cuont()", 14..<19, "expected count, sum, avg, min or max", "count"),
    Row("aggregate Dog count", 19..<19, "expected ("),
    Row("aggregate Dog count(a)", 20..<21, "expected )"),
    Row("aggregate Dog avg()", 18..<19, "expected a property"),
    Row("aggregate Dog avg(a", 19..<19, "expected )"),
    Row("aggregate Dog avg(a) ass b", 21..<24, "expected as, by, where or end of statement", "as"),
    Row("aggregate Dog avg(a) by", 23..<23, "expected a value"),
    Row("sections Dog", 12..<12, "expected by"),
    Row("sections Dog by", 15..<15, "expected a value"),
    Row("sections Dog by a shw b", 18..<21, "expected where, show or end of statement", "show"),
    Row("exit 3 4", 7..<8, "expected end of statement"),
    Row("info file", 9..<9, "expected a file"),
    Row("open", 4..<4, "expected memory or a file"),
    Row("open a.realm raedonly", 13..<21, readonlyOptions, "readonly"),
    Row("schema as jsn", 10..<13, schemaFormats, "json"),
    Row("export Dog a.csv", 11..<12, "expected where, show or to"),
    Row(
      "export Dog to a.csv format cvs", 27..<30,
      "expected csv, tsv, json, jsonl, sql or sqlite", "csv"),
    Row("last jsnl", 5..<9, "expected an output mode", "jsonl"),
    Row("get Dog", 7..<7, "expected a value"),
    Row("get Dog#x", 8..<9, "expected a whole number"),
    Row("print upper(1", 13..<13, "expected , or )"),
    Row("print [1, 2", 11..<11, "expected , or ]"),
    Row("print {a 1}", 9..<10, "expected :"),
    Row("print \"\\q\"", 7..<9, "unknown escape; \\n \\t \\r \\\\ \\\" \\' and \\u0000 are known"),
    Row(
      "print \"\\ud800\"", 7..<13, "expected four hexadecimal digits of a character after \\u"),
    Row("print oid(12)", 10..<12, "an object id has 24 hexadecimal digits"),
    Row("print uuid(\"x\")", 11..<14, "a UUID has 32 hexadecimal digits in groups of 8-4-4-4-12"),
    Row("print hex(\"abc\")", 10..<15, "expected pairs of hexadecimal digits"),
    Row("print decimal(\"x\")", 14..<17, "not a decimal number"),
    Row("print 0xFFFFFFFFFFFFFFFFF", 6..<25, "a hexadecimal number beyond 64 bits"),
    Row("print a.@cout", 8..<13, "no word @cout", "@count"),
    Row("expect count Dog", 7..<12, "expected error"),
    Row("expect error NoSuchTable count Dog", 25..<30, "expected :"),
    Row("assert 1 == 1, 2", 15..<16, "expected a text in quotes"),
    Row("print €", 6..<9, "expected a value"),
    Row(
      "print " + String(repeating: "(", count: 201) + "1", 206..<207,
      "nested more than 200 deep", nil, .limitExceeded),
    Row(
      "where Dog " + String(repeating: "not ", count: 201) + "a == 1", 810..<813,
      "nested more than 200 deep", nil, .limitExceeded),
    Row(
      "print 1" + String(repeating: "+1", count: 200), 405..<406, "nested more than 200 deep", nil,
      .limitExceeded),
    Row(
      "where Dog a" + String(repeating: " + a", count: 200) + " == 1", 808..<809,
      "nested more than 200 deep", nil, .limitExceeded),
  ]

  private static let readonlyOptions =
    "expected as, create, new, readonly, shared, key, schema, version, …"
  private static let schemaFormats =
    "expected text, json, mermaid, dot, swift, kotlin, dart, csharp, …"

  @Test(arguments: rows + changingRows) func hasPlaceAndSuggestion(_ row: Row) {
    var parser = StatementParser(SourceText(row.text))
    let error = #expect(throws: SyntaxError.self) {
      while try parser.next() != nil {}
    }
    #expect(error?.name == row.name)
    #expect(error?.message == row.message)
    #expect(error?.range == SourceRange(start: row.range.lowerBound, end: row.range.upperBound))
    #expect(error?.suggestion == row.suggestion)
  }

  @Test func textThatIsNotUTF8IsRefusedAtItsPlace() {
    let bytes = Array("count Dog\ncount ".utf8) + [0xFF] + Array(" x".utf8)
    var parser = StatementParser(SourceText(fileName: "x", bytes: bytes))
    let error = #expect(throws: SyntaxError.self) { try parser.next() }
    #expect(error?.name == .invalidUTF8)
    #expect(error?.range == SourceRange(start: 16, end: 17))
    #expect(throws: Never.self) { try parser.next() == nil }
  }

  @Test func longStatementsCanBeInterrupted() throws {
    let long = "write { add A [" + String(repeating: "1,", count: 40_000) + "] }\ncount B"
    var parser = StatementParser(SourceText("count A\n" + long)) { true }
    #expect(try parser.next().map(outline) == "count(name(A))")
    let error = #expect(throws: SyntaxError.self) { try parser.next() }
    #expect(error?.name == .interrupted)
    #expect(try parser.next() == nil)
    var other = StatementParser(SourceText(long)) { false }
    #expect(try other.next() != nil)
  }

  @Test func expectedWordsAreKnownDeepInABlock() {
    let text = "write {\n write { cancel }\n count A; write { begin nwait }\n}"
    let error = #expect(throws: SyntaxError.self) { try StatementParser.parse(text) }
    #expect(error?.message == "expected nowait, timeout or end of statement")
    #expect(error?.suggestion == "nowait")
    let behind = #expect(throws: SyntaxError.self) {
      try StatementParser.parse("write { write { cancel } x }")
    }
    #expect(behind?.message == "expected end of statement")
  }

  @Test func parsingGoesOnAfterAnError() throws {
    var parser = StatementParser(SourceText("count Dog wher x; count\n  mode box # x\n"))
    #expect(throws: SyntaxError.self) { try parser.next() }
    #expect(throws: SyntaxError.self) { try parser.next() }
    #expect(try parser.next().map(outline) == "mode(box)")
    #expect(try parser.next() == nil)
  }

  @Test func placesCountLinesAndClusters() {
    let source = SourceText(
      fileName: "a", bytes: Array("open x\r\nwhere 狗🇳🇴 e\u{301} x".utf8), baseLine: 5)
    let place = source.place(of: source.bytes.count - 1)
    #expect(place == SourceText.Place(line: 6, column: 12))
    #expect(source.line(containing: 2) == "open x")
    #expect(source.line(containing: 9) == "where 狗🇳🇴 e\u{301} x")
    #expect(source.place(of: 100_000).line == 6)
    let second = source.lineStart(of: 10)
    #expect((second.offset, second.line) == (8, 6))
    #expect(source.place(of: 14, after: second) == SourceText.Place(line: 6, column: 7))
    #expect(source.place(of: 2, after: second) == SourceText.Place(line: 5, column: 3))
  }
}
