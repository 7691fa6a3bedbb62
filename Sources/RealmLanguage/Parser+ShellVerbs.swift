/// The verbs of the groups Shell and In and out that take no objects. Source: shell.md 5.
extension Parser {
  mutating func sourceStatement() throws(SyntaxError) -> StatementBody {
    .source(try filePath(.script))
  }

  /// `off` is the word; a file of that name is written in quotes.
  mutating func outputStatement() throws(SyntaxError) -> StatementBody {
    expect(.word("off"))
    expect(.file(.output))
    if isWord("off"), barePathRange == token.range {
      try advance()
      return .output(.off)
    }
    let path = try filePath(.output)
    return .output(.file(path, append: try accept(word: "append")))
  }

  mutating func printStatement() throws(SyntaxError) -> StatementBody { .print(try expressions()) }

  mutating func helpStatement() throws(SyntaxError) -> StatementBody {
    expect(.helpTopic)
    let topic = restOfLine(until: Lexer.topicEnd(in: bytes.span, from: position))
    return .help(topic: topic.text.isEmpty ? nil : topic)
  }

  mutating func configStatement() throws(SyntaxError) -> StatementBody {
    guard let name = try acceptName(.setting) else {
      return .config(ConfigStatement(name: nil, value: nil))
    }
    expect(.settingValue(of: name.text))
    var value = try acceptString()
    if value == nil, barePathRange.length > 0 {
      let range = barePathRange
      resume(at: range.end)
      value = Name(text(range), range: range)
    }
    return .config(ConfigStatement(name: name, value: value))
  }

  mutating func modeStatement() throws(SyntaxError) -> StatementBody { .mode(try acceptMode()) }

  mutating func historyStatement() throws(SyntaxError) -> StatementBody {
    let count = try acceptInteger()
    return .history(HistoryStatement(count: count, text: try acceptString()))
  }

  mutating func editStatement() throws(SyntaxError) -> StatementBody {
    .edit(try acceptInteger())
  }

  mutating func assertStatement() throws(SyntaxError) -> StatementBody {
    let condition = try expression()
    var message: String?
    if try accept(.comma, ",") {
      guard let text = try acceptString() else { throw failure() }
      message = text.text
    }
    return .assert(AssertStatement(condition: condition, message: message))
  }

  mutating func cdStatement() throws(SyntaxError) -> StatementBody {
    .cd(try acceptFilePath(.folder))
  }

  mutating func exitStatement() throws(SyntaxError) -> StatementBody {
    .exit(code: try acceptInteger())
  }
}
