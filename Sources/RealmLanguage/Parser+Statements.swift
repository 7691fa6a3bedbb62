/// Statements: prefixes, the choice of the verb, and what several verbs have in common.
extension Parser {
  /// `{ prefix } simple [ "|" REST ]` or `"!" REST`, up to the newline, `;` or end behind it.
  mutating func statement() throws(SyntaxError) -> Statement {
    let start = token.start
    statementStart = start
    if start == recordingStart { records = true }
    if token.kind == .not {
      position = token.end
      let command = restOfLine()
      let range = SourceRange(start: start, end: command.range.end)
      return Statement(body: .command(command.text, range: range), range: range)
    }
    var prefixes: [Prefix] = []
    let body = try body(&prefixes)
    let range = SourceRange(start: start, end: position)
    expect(.offeredWord("|"))
    expect(.endOfStatement)
    var pipe: String?
    if token.kind == .pipe {
      position = token.end
      pipe = restOfLine().text
    }
    if closesBlock { expect(.symbol("}")) }
    let isEnd = token.kind.endsStatement && token.kind != .pipe || closesBlock
    guard isEnd else { throw failure() }
    return Statement(prefixes: prefixes, body: body, range: range, pipe: pipe)
  }

  /// `{ prefix } simple`.
  private mutating func body(_ prefixes: inout [Prefix]) throws(SyntaxError) -> StatementBody {
    let isOutermost = blockDepth == 0
    while true {
      while let prefix = try acceptPrefix() { try append(prefix, to: &prefixes) }
      if isOutermost, !prefixes.isEmpty { outermostPrefixes = prefixes }
      let start = token.start
      let body = try verbStatement()
      guard case .on(.thread(let thread, nil)) = body, try accept(.colon, ":") else { return body }
      let range = SourceRange(start: start, end: position)
      try append(Prefix(.on(thread), range: range), to: &prefixes)
    }
  }

  private func append(_ prefix: Prefix, to prefixes: inout [Prefix]) throws(SyntaxError) {
    guard prefixes.count < Self.greatestPrefixCount else {
      throw SyntaxError(
        "more than \(Self.greatestPrefixCount) prefixes", name: .limitExceeded,
        range: prefix.range)
    }
    prefixes.append(prefix)
  }

  private mutating func acceptPrefix() throws(SyntaxError) -> Prefix? {
    expect(.verb)
    let start = token.start
    let kind: Prefix.Kind
    if isWord("time") {
      try advanceWord()
      kind = .time
    } else if isWord("explain") {
      try advanceWord()
      kind = .explain(run: try accept(word: "run"))
    } else if isWord("expect") {
      try advanceWord()
      try require(word: "error")
      let name = try acceptName(.errorName)
      try require(.colon, ":")
      kind = .expectError(name)
    } else {
      return nil
    }
    return Prefix(kind, range: SourceRange(start: start, end: position))
  }

  /// A verb and what belongs to it.
  mutating func verbStatement() throws(SyntaxError) -> StatementBody {
    expect(.verb)
    guard token.kind == .word || token.kind == .question else { throw failure() }
    guard let index = Grammar.verbIndex(at: token, in: bytes.span) else {
      let word = text(token.range)
      let words = furthest == token.start ? Self.words(fitting: expected) : []
      throw SyntaxError(
        "no verb \(word)", name: .unknownVerb, range: token.range, expected: [.verb],
        suggestion: Spelling.nearest(
          to: word.lowercased(), among: Grammar.words(fitting: .verb) + words))
    }
    try advanceWord()
    if records { lastVerb = (index, position) }
    return try Grammar.verbs[index].parse(&self)
  }

  // MARK: Parts of several verbs

  /// A class, a projection, a collection of an object, or a variable.
  mutating func source() throws(SyntaxError) -> Source {
    expect(.className)
    expect(.variable)
    switch token.kind {
    case .variable: return .path(try variablePath())
    case .word, .quotedName:
      guard startsObjectName else {
        let name = try name(.className)
        offerObjectName()
        return .name(name)
      }
      let path = try objectPath()
      expect(.symbol("."))
      guard !path.steps.isEmpty else { throw failure() }
      return .path(path)
    default: throw failure()
    }
  }

  /// Whose properties a predicate on `source` can name.
  func owner(of source: Source) -> PropertyOwner? {
    guard records else { return nil }
    switch source {
    case .name(let name): return PropertyOwner(className: name.text)
    case .path(let path):
      var owner: PropertyOwner
      switch path.base {
      case .object(let object): owner = PropertyOwner(className: object.className.text)
      case .variable(let name): owner = PropertyOwner(variable: name.text)
      case .row, .old: return nil
      }
      for step in path.steps {
        if case .property(let name) = step.kind { owner.steps.append(name) }
        if case .backlinks(let className, let property) = step.kind {
          owner.steps.append("@links.\(className).\(property)")
        }
      }
      return owner
    }
  }

  /// `"where" RQL [args]`; `clauseWords`, `args` among them, may follow.
  mutating func acceptCondition(
    on source: Source, clauseWords: [String]
  ) throws(SyntaxError) -> Condition? {
    guard try accept(word: "where") else { return nil }
    var condition = Condition(
      query: try query(owner: owner(of: source), clauseWords: clauseWords))
    if let arguments = try acceptArguments() { condition.arguments = arguments }
    return condition
  }

  /// `"args" "(" expr { "," expr } ")"`.
  mutating func acceptArguments() throws(SyntaxError) -> [Expression]? {
    guard try accept(word: "args") else { return nil }
    try require(.openParenthesis, "(")
    let arguments = try expressions()
    try require(.closeParenthesis, ")")
    return arguments
  }

  /// `"show" column { "," column }`; `owner` is the class of the rows.
  mutating func acceptColumns(of owner: PropertyOwner?) throws(SyntaxError) -> [Column]? {
    guard try accept(word: "show") else { return nil }
    propertyOwner = owner
    return try columns()
  }

  private mutating func columns() throws(SyntaxError) -> [Column] {
    var result: [Column] = []
    repeat { result.append(try column()) } while try accept(.comma, ",")
    return result
  }

  private mutating func column() throws(SyntaxError) -> Column {
    expect(.symbol("*"))
    expect(.symbol("**"))
    if token.kind == .star || token.kind == .doubleStar {
      let star = token
      try track(opens: false, closes: false, at: star.range)
      // Not an operator, so a newline after it ends the statement.
      resume(at: star.end)
      return star.kind == .star ? .stored(star.range) : .everything(star.range)
    }
    if try acceptExcept() { return try exceptColumn() }
    let value = try expression()
    if case .path(let path) = value {
      if records { offer(["{"]) }
      if token.kind == .openBrace { return try shape(of: path) }
    }
    var columnName: Name?
    if try accept(word: "as") { columnName = try name(.newName) }
    return .expression(value, name: columnName)
  }

  /// Takes `except` if names follow; else it is a property.
  private mutating func acceptExcept() throws(SyntaxError) -> Bool {
    expect(.offeredWord("except"))
    guard isWord("except") else { return false }
    let next = Lexer.token(in: bytes.span, at: token.end)
    guard next.kind == .word || next.kind == .quotedName || next.kind == .end,
      !StatementBounds.equalsIgnoringCase(next, "as", in: bytes.span)
    else { return false }
    try advanceWord()
    return true
  }

  private mutating func exceptColumn() throws(SyntaxError) -> Column {
    let start = position - "except".utf8.count
    var names = [try name(.property(propertyOwner))]
    while !startsClause, let name = try acceptName(.property(propertyOwner)) { names.append(name) }
    return .except(names, range: SourceRange(start: start, end: position))
  }

  private var startsClause: Bool { columnEnds.contains { isWord($0) } }

  private mutating func shape(of path: PathExpression) throws(SyntaxError) -> Column {
    let outer = propertyOwner
    if records {
      propertyOwner = outer?.adding(
        path.steps.compactMap { step in
          if case .property(let name) = step.kind { name } else { nil }
        })
    }
    try require(.openBrace, "{")
    let inner = try columns()
    try require(.closeBrace, "}")
    propertyOwner = outer
    return .shape(path, inner, range: SourceRange(start: path.range.start, end: position))
  }

  /// `"key" ( STRING | PATH )`.
  mutating func acceptKey() throws(SyntaxError) -> FilePath? {
    return try accept(word: "key") ? try keySource() : nil
  }

  /// What stands behind `key`.
  mutating func keySource() throws(SyntaxError) -> FilePath {
    let source = try filePath(.key)
    // Paths are the only sources without quotes.
    if token.kind == .colon, token.start == source.range.end {
      throw SyntaxError(
        "a key source with a colon stands in quotes: key \"\(source.text):...\"",
        range: SourceRange(start: source.range.start, end: token.end))
    }
    return source
  }

  /// Takes an output mode if one stands here.
  mutating func acceptMode() throws(SyntaxError) -> Name? {
    expect(.mode)
    guard token.kind == .word else { return nil }
    let mode = text(token.range).lowercased()
    guard Grammar.modes.contains(where: { $0.name == mode }) else {
      throw failure(suggestingFrom: Grammar.modes.map(\.name))
    }
    return Name(mode, range: try advanceWord())
  }
}
