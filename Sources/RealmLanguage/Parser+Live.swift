/// The verbs of the groups Live and Threads. Source: shell.md 5, 12, 13.
extension Parser {
  // MARK: Threads

  /// `"on" [ NAME [ "async" ] [ "with" VAR { "," VAR } ] [ block ] ]`. A colon in the place of the
  /// block, which makes it a prefix, is left to `statement`.
  mutating func onStatement() throws(SyntaxError) -> StatementBody {
    guard let name = try acceptName(.thread) else { return .on(.list) }
    var thread = ThreadOperand(name: name)
    thread.isAsync = try accept(word: "async")
    if try accept(word: "with") { thread.variables = try variables() }
    expect(.symbol(":"))
    expect(.symbol("{"))
    if token.kind == .openBrace { return .on(.thread(thread, try block())) }
    guard token.kind == .colon || !thread.isAsync else {
      // Only work can be asynchronous.
      let expected = [Expectation.symbol(":"), .symbol("{")]
      throw SyntaxError(
        SyntaxError.message(expecting: expected), range: token.range, expected: expected,
        suggestion: token.kind == .word && thread.variables.isEmpty
          ? Spelling.nearest(to: text(token.range), among: ["with"]) : nil)
    }
    return .on(.thread(thread, nil))
  }

  mutating func stopStatement() throws(SyntaxError) -> StatementBody {
    .stop(try name(.thread))
  }

  // MARK: Observers

  mutating func observeStatement() throws(SyntaxError) -> StatementBody {
    expect(.word("realm"))
    expect(.word("sections"))
    expect(.className)
    expect(.variable)
    if token.kind.endsStatement || closesBlock { return .observe(nil) }
    columnEnds = Self.observeWords
    defer { columnEnds = Self.columnEndsOfQueries }
    let start = token.start
    let subject = try observedSubject()
    var statement = ObserveStatement(
      subject: subject, subjectRange: SourceRange(start: start, end: position))
    let owner = owner(of: subject)
    while try observeOption(&statement, owner: owner) {}
    return .observe(statement)
  }

  /// Words that may follow what is observed.
  private static let observeWords = ["args", "as", "keys", "values", "show", "mode", "to"]

  private mutating func observedSubject() throws(SyntaxError) -> ObserveStatement.Subject {
    if isWord("realm"), !startsObjectName { return .realm(try advanceWord()) }
    if isWord("sections"), !startsObjectName {
      try advanceWord()
      return .sections(try sections(clauseWords: Self.observeWords))
    }
    switch try changeSubject(ofSet: false) {
    case .object(let object): return .object(object)
    case .source(let source):
      return .source(source, try acceptCondition(on: source, clauseWords: Self.observeWords))
    }
  }

  private func owner(of subject: ObserveStatement.Subject) -> PropertyOwner? {
    switch subject {
    case .realm: nil
    case .object(let object): PropertyOwner(className: object.className.text)
    case .source(let source, _): owner(of: source)
    case .sections(let sections): owner(of: sections.source)
    }
  }

  /// Takes one option.
  private mutating func observeOption(
    _ statement: inout ObserveStatement, owner: PropertyOwner?
  ) throws(SyntaxError) -> Bool {
    if try accept(word: "as") {
      statement.name = try name(.newName)
    } else if try accept(word: "keys") {
      statement.keyPaths = try keyPaths(of: owner)
    } else if try accept(word: "values") {
      statement.values = try required(ObserveStatement.Values.self)
    } else if let columns = try acceptColumns(of: owner) {
      statement.columns = columns
    } else if try accept(word: "mode") {
      statement.form = try required(ObserveStatement.Form.self)
    } else if try accept(word: "to") {
      statement.file = try filePath(.output)
    } else {
      return false
    }
    return true
  }

  /// Takes the one of the words that stands here.
  private mutating func required<Choice: RawRepresentable<String> & CaseIterable>(
    _ choices: Choice.Type
  ) throws(SyntaxError) -> Choice {
    guard let choice = try accept(oneOf: choices) else { throw failure() }
    return choice
  }

  /// `"(" path { "," path } ")"`, where `*` may stand for the name of a property.
  private mutating func keyPaths(of owner: PropertyOwner?) throws(SyntaxError) -> [KeyPathOperand] {
    try require(.openParenthesis, "(")
    var paths: [KeyPathOperand] = []
    repeat { paths.append(try keyPath(of: owner)) } while try accept(.comma, ",")
    try require(.closeParenthesis, ")")
    return paths
  }

  private mutating func keyPath(of owner: PropertyOwner?) throws(SyntaxError) -> KeyPathOperand {
    let start = token.start
    var owner = owner
    var steps: [KeyPathOperand.Step] = []
    repeat {
      let step = try keyPathStep(of: owner)
      if case .property(let name) = step { owner = owner?.adding([name.text]) } else { owner = nil }
      steps.append(step)
    } while try accept(.dot, ".")
    return KeyPathOperand(steps: steps, range: SourceRange(start: start, end: position))
  }

  private mutating func keyPathStep(
    of owner: PropertyOwner?
  ) throws(SyntaxError) -> KeyPathOperand.Step {
    expect(.symbol("*"))
    if token.kind == .star { return .any(try advance().range) }
    expect(.offeredWord("@links"))
    guard token.kind == .atWord, text(token.range) == "@links" else {
      return .property(try name(.property(owner)))
    }
    try advanceWord()
    try require(.dot, ".")
    let reference = try propertyReference()
    return .backlinks(className: reference.className, property: reference.property)
  }

  mutating func unobserveStatement() throws(SyntaxError) -> StatementBody {
    if try accept(word: "all") { return .unobserve(.all) }
    return .unobserve(.observer(try observer()))
  }

  mutating func waitStatement() throws(SyntaxError) -> StatementBody {
    var wait = WaitStatement(event: .interruption)
    expect(.duration)
    if try accept(word: "for") {
      expect(.thread)
      let subject = try observer()
      let count = try acceptInteger()
      if count != nil { try require(word: "changes") }
      wait.event = .work(of: subject, count: count)
    } else if token.kind == .number {
      wait.event = .time(try duration())
    }
    if try accept(word: "timeout") { wait.timeout = try duration() }
    return .wait(wait)
  }
}
