/// The verbs of the group Transaction, and those that copy files and objects. Source: shell.md 5.
extension Parser {
  mutating func beginStatement() throws(SyntaxError) -> StatementBody {
    if try accept(word: "nowait") { return .begin(.nowait) }
    if try accept(word: "timeout") { return .begin(.timeout(try duration())) }
    return .begin(.wait)
  }

  mutating func commitStatement() throws(SyntaxError) -> StatementBody {
    guard try accept(word: "without") else { return .commit(without: []) }
    var observers: [ObserverOperand] = []
    repeat { observers.append(try observer()) } while try accept(.comma, ",")
    return .commit(without: observers)
  }

  /// `NAME | INT`.
  mutating func observer() throws(SyntaxError) -> ObserverOperand {
    if let name = try acceptName(.observer) { return .name(name) }
    guard let number = try acceptInteger() else { throw failure() }
    return .number(number)
  }

  mutating func writeStatement() throws(SyntaxError) -> StatementBody { .write(try block()) }

  /// `"{" program "}"`.
  mutating func block() throws(SyntaxError) -> Block {
    let start = token.start
    let outer = try openBlock()
    var kept: [Statement] = []
    var rest: Int?
    var plain = PlainAdd()
    while true {
      if try accept(&plain) {
        rest = rest ?? plain.range.start
      } else if let statement = try blockStatement() {
        if rest == nil, kept.count < Block.keptCount {
          kept.append(statement)
        } else {
          rest = rest ?? statement.range.start
        }
      } else {
        break
      }
    }
    try closeBlock(outer)
    return Block(
      kept: kept, rest: rest, bytes: bytes, range: SourceRange(start: start, end: position))
  }

  /// Takes the next statement of the innermost block if it is a plain `add`.
  mutating func accept(_ add: inout PlainAdd) throws(SyntaxError) -> Bool {
    guard !records else { return false }
    let next = blockStatementToken
    guard add.read(in: bytes.span, at: next.start, isInBlock: true) else { return false }
    try count(4 * (add.fields.count + 1), at: add.range)
    resume(at: add.range.end)
    return true
  }

  /// The token behind the separators.
  private var blockStatementToken: Token {
    var next = token
    while next.kind == .newline || next.kind == .semicolon {
      next = Lexer.token(in: bytes.span, at: next.end)
    }
    return next
  }

  /// The next statement of the innermost block, nil at its end.
  mutating func blockStatement() throws(SyntaxError) -> Statement? {
    while token.kind == .newline || token.kind == .semicolon { try advance() }
    expect(.verb)
    expect(.symbol("}"))
    if token.kind == .closeBrace || token.kind == .end { return nil }
    return try statement()
  }

  /// Takes a number and its unit, without a blank between them.
  mutating func duration() throws(SyntaxError) -> DurationOperand {
    expect(.duration)
    let unit = Lexer.token(in: bytes.span, at: token.end)
    guard token.kind == .number, unit.kind == .word, unit.start == token.end,
      let milliseconds = Self.milliseconds(in: text(unit.range))
    else { throw failure() }
    let range = token.range.joined(with: unit.range)
    for index in token.start..<token.end where !Lexer.isDigit(bytes[index]) { throw failure() }
    let count = NumberText.integerOfDigits(bytes.span.extracting(token.range.bounds)) ?? .max
    let (product, overflow) = count.multipliedReportingOverflow(by: milliseconds)
    guard !overflow else {
      throw SyntaxError("a duration that is too long", name: .limitExceeded, range: range)
    }
    resume(at: range.end)
    return DurationOperand(milliseconds: product, range: range)
  }

  private static func milliseconds(in unit: String) -> Int64? {
    switch unit.lowercased() {
    case "ms": 1
    case "s": 1000
    case "m": 60_000
    default: nil
    }
  }

  // MARK: Copies

  mutating func copyStatement() throws(SyntaxError) -> StatementBody {
    if try accept(word: "to") {
      let path = try filePath(.output)
      let isNew = try accept(word: "new")
      return .copy(.database(to: path, new: isNew, key: try acceptKey()))
    }
    let source = try source()
    let condition = try acceptCondition(on: source, clauseWords: ["args", "into"])
    try require(word: "into")
    var copy = ObjectCopy(
      source: source, condition: condition, database: try name(.database))
    copy.links = try accept(word: "links")
    copy.policy = try acceptPolicy()
    return .copy(.objects(copy))
  }

  mutating func compactStatement() throws(SyntaxError) -> StatementBody {
    .compact(to: try accept(word: "to") ? try filePath(.output) : nil)
  }

  mutating func upgradeStatement() throws(SyntaxError) -> StatementBody {
    if try accept(word: "to") { return .upgrade(.file(try filePath(.output))) }
    try require(word: "in")
    try require(word: "place")
    return .upgrade(.inPlace)
  }
}
