import RealmLanguage
import Testing

@Suite struct LexerTests {
  private func kinds(_ text: String) -> [String] {
    let bytes = Array(text.utf8)
    var result: [String] = []
    var token = Lexer.token(in: bytes.span, at: 0)
    while token.kind != .end {
      result.append(
        "\(token.kind):" + String(decoding: bytes[token.start..<token.end], as: UTF8.self))
      token = Lexer.token(in: bytes.span, at: token.end)
    }
    return result
  }

  private func rqlKinds(_ text: String, isBare: Bool = true) -> [String] {
    let bytes = Array(text.utf8)
    var result: [String] = []
    var offset = 0
    while true {
      let token = RQLLexer.token(
        in: bytes.span, at: offset, isBare: isBare, skipsNewlines: true)
      if token.kind == .end { return result }
      result.append("\(token.kind)")
      offset = token.end
    }
  }

  @Test func commentsAndNewlines() {
    #expect(
      kinds("# x\na#1 # y\n;#z\n(#w") == [
        "newline:\n", "word:a", "hash:#", "number:1", "newline:\n", "semicolon:;", "newline:\n",
        "openParenthesis:(",
      ])
    #expect(kinds("a \\ \n b\r\nc") == ["word:a", "word:b", "newline:\r\n", "word:c"])
  }

  @Test func wordsAndNumbers() {
    #expect(
      kinds("狗 e\u{301}1 `a``b` $x @count 🐶") == [
        "word:狗", "word:e\u{301}1", "quotedName:`a``b`", "variable:$x", "atWord:@count", "other:🐶",
      ])
    #expect(
      kinds("1 0x2A 1.5 1. .5 1e3 1e 1.5f 12ab 2024-05-01T00:00:00.5Z 2024-05-1") == [
        "number:1", "number:0x2A", "number:1.5", "number:1.", "number:.5", "number:1e3", "number:1",
        "word:e", "number:1.5f", "number:12", "word:ab", "date:2024-05-01T00:00:00.5Z",
        "number:2024", "minus:-", "number:05", "minus:-", "number:1",
      ])
  }

  @Test func stringsSpanLinesAndMayBeOpen() {
    #expect(kinds("\"a\\\"\nb\" 'c") == ["string:\"a\\\"\nb\"", "unterminatedString:'c"])
  }

  @Test func predicatesHaveTheirOwnTokens() {
    #expect(
      rqlKinds("count-1 count - 1 count -1") == [
        "identifier", "identifier", "minus", "natural", "identifier", "number",
      ])
    #expect(
      rqlKinds("nullable T1700 T1:0 O5x O5 L1:2 L1 inf -inf -info $0 $0a $K1 $x") == [
        "identifier", "identifier", "seconds", "identifier", "link", "typedLink", "identifier",
        "infinity", "infinity", "infinity", "identifier", "argument", "identifier",
        "keyPathArgument", "identifier",
      ])
    #expect(
      rqlKinds("In IN and AnD Not NOT [c] [ c ] True TRUE nIl") == [
        "identifier", "in", "and", "and", "identifier", "not", "ignoringCase", "openBracket",
        "identifier", "closeBracket", "identifier", "true", "null",
      ])
    #expect(
      rqlKinds("1AND 1..0 1e5f 0x1 .5 5. 1-1-1@1:1:1:1 x\\ y @maximum B64\"YQ\" B64'x'") == [
        "natural", "and", "float", "float", "float", "number", "float", "float", "calendar",
        "identifier", "aggregate", "identifier", "base64", "identifier", "string",
      ])
    #expect(rqlKinds("2024-05-01") == ["natural", "number", "number"])
    #expect(rqlKinds("2024-05-01 # x\n`a b`", isBare: false) == ["date", "quotedName"])
    #expect(rqlKinds("2024-05-01@00:00:00", isBare: false) == ["calendar"])
  }
}

@Suite struct StatementBoundsTests {
  private func completeness(_ text: String) -> Completeness {
    StatementBounds.completeness(of: Array(text.utf8).span)
  }

  @Test(arguments: [
    "", "count Dog", "count Dog\n", "where Dog show *", "where Dog show **", "where Dog show a, *",
    "cd /", "cd ../", "open a/", "help ,", "! ls (", "where Dog | less (", "# (", "print \"a\nb\"",
    "count Dog # and", "write { add Dog {a: 1} }", "a )", "count Dog; count Cat",
    "where Dog \\\n\n", "write {\n help ( {\n}", "write {\n ! ls (\n count A | less {\n}\n",
    "time write { ? ( \n }", "where Dog show write {help}", "class A {\n a: int,\n b: int\n}",
    "on x: write { help (\n}", "write { where A show write {help} }", "set Dog 1 a +=\n 1",
    "expect error X: write { help { \n }", "compact to a/", "explain run write { !(\n}",
    "help |", "help | less (", "help where; count Dog", "help ||; use",
  ])
  func complete(_ text: String) { #expect(completeness(text) == .complete) }

  @Test(arguments: [
    ("where Dog (", 1), ("write {\n add Dog {", 2), ("print 1 +", 0), ("print a *", 0),
    ("where Dog age > 3 and", 0), ("where Dog AND", 0), ("where Dog show", 0), ("print 1,", 0),
    ("print \"a", 0), ("print [\"a", 1), ("count Dog \\", 0), ("count Dog \\\n", 0),
    ("expect error:", 0), ("print `a", 0), ("count Dog; print (", 1), ("write {", 1),
    ("write {\n add A {a: 1}\n", 1), ("write {\n write {\n add A [\n", 3),
    ("class A {\n a: int", 1),
    ("write { help }", 1), ("write { count A | wc }", 1), ("set A 1 a *=", 0), ("add A [1,", 1),
    ("write { where A show write {help\n}", 1), ("help x; add A {", 1), ("help x # |; y\nadd [", 1),
  ])
  func incomplete(_ text: String, _ brackets: Int) {
    #expect(completeness(text) == .incomplete(openBrackets: brackets))
  }

  @Test func scriptsAreReadInWholeLines() {
    let script = Array("open x\n\nwhere Dog (a\n == 1); count\nprint 1 +\n2\nlast".utf8)
    var chunks: [String] = []
    var start = 0
    while start < script.count {
      let end = StatementBounds.chunkEnd(in: script.span, from: start)
      chunks.append(String(decoding: script[start..<end], as: UTF8.self))
      start = end
    }
    #expect(
      chunks == ["open x\n", "\n", "where Dog (a\n == 1); count\n", "print 1 +\n2\n", "last"])
  }

  @Test func linesThatGoOnAreOneStatement() throws {
    let text = "where Dog a == 1 and\n b == 2\ncount Dog \\\n where x == 1; print (1\n, 2)\r\nuse"
    #expect(throws: SyntaxError.self) { try StatementParser.parse(text) }
    let fixed = "where Dog a == 1 and\n b == 2\ncount Dog \\\n where x == 1; print [1\n, 2]\r\nuse"
    #expect(try StatementParser.parse(fixed).count == 4)
  }
}
