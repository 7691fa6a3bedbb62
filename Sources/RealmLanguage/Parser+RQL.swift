/// Tokens of predicates, and the places where the predicate language is entered and left.
extension Parser {
  /// Reads the first token of a predicate after the last token taken.
  mutating func startRQL() { rql = nextRQLToken(from: position, skipsNewlines: skipsNewlines) }

  private func nextRQLToken(from offset: Int, skipsNewlines: Bool) -> RQLToken {
    RQLLexer.token(
      in: bytes.span, at: offset, isBare: isBarePredicate, skipsNewlines: skipsNewlines)
  }

  /// Takes the token; returns it.
  @discardableResult
  mutating func advanceRQL() throws(SyntaxError) -> RQLToken {
    let taken = rql
    let kind = taken.kind
    try track(
      opens: kind == .openParenthesis || kind == .openBracket || kind == .openBrace,
      closes: kind == .closeParenthesis || kind == .closeBracket || kind == .closeBrace,
      at: taken.range)
    if records { markWord(taken) }
    position = taken.end
    rql = nextRQLToken(from: position, skipsNewlines: depth > blockDepth || kind.continuesLine)
    return taken
  }

  private mutating func markWord(_ token: RQLToken) {
    if token.kind.isKeyword {
      mark(.word, token.range)
    } else if token.kind == .uuid || token.kind == .objectID {
      mark(.literal, token.range)
    }
  }

  /// The token after the next one.
  var followingRQL: RQLToken { nextRQLToken(from: rql.end, skipsNewlines: true) }

  /// Records that `expectation` would be accepted here.
  @inline(__always)
  mutating func expectRQL(_ expectation: @autoclosure () -> Expectation) {
    if records { record(expectation(), at: rql.start) }
  }

  /// Records that words or signs would be accepted here, of which messages say nothing.
  mutating func offerRQL(_ words: [String]) {
    for word in words { record(.offeredWord(word), at: rql.start) }
  }

  /// Records that a property of an owner would be accepted here.
  mutating func expectProperty(of owner: PropertyOwner?) {
    if records { record(.property(owner), at: rql.start) }
  }

  /// The error for a token that nothing accepts.
  func rqlFailure() -> SyntaxError {
    if rql.kind == .invalid, byte(at: rql.start) == UInt8(ascii: "\\") {
      return SyntaxError("an escape that predicates do not know", range: rql.range)
    }
    return failure(
      at: rql.range, isWord: rql.kind.isName || byte(at: rql.start) == UInt8(ascii: "@"),
      isUnterminated: rql.kind == .unterminated,
      isOther: rql.kind == .invalid)
  }

  /// Takes a token of the kind if it stands here; `spelling` is for messages.
  mutating func acceptRQL(_ kind: RQLTokenKind, _ spelling: String) throws(SyntaxError) -> Bool {
    expectRQL(.symbol(spelling))
    guard rql.kind == kind else { return false }
    try advanceRQL()
    return true
  }

  /// Takes a token of the kind, which must stand here; returns it.
  @discardableResult
  mutating func requireRQL(
    _ kind: RQLTokenKind, _ spelling: String
  ) throws(SyntaxError) -> RQLToken {
    expectRQL(.symbol(spelling))
    guard rql.kind == kind else { throw rqlFailure() }
    return try advanceRQL()
  }

  /// Runs a part of the statement parser at the next token of the predicate.
  mutating func withStatementTokens<Result>(
    _ parse: (inout Parser) throws(SyntaxError) -> Result
  ) throws(SyntaxError) -> Result {
    resume(at: rql.start)
    let result = try parse(&self)
    startRQL()
    return result
  }

  // MARK: Queries

  /// The predicate and ordering clauses after the last token taken. Where a predicate may start, one
  /// of `clauseWords` ends it at once unless an operator, `.` or `[` follows; so does the end of the
  /// statement. Source: shell.md 3.
  mutating func query(
    owner: PropertyOwner?, clauseWords: [String]
  ) throws(SyntaxError) -> QuerySyntax {
    propertyOwner = owner
    let shellToken = token
    startRQL()
    let start = rql.start
    let predicate: Predicate
    if lacksPredicate(shellToken, clauseWords: clauseWords) {
      recordOperand()
      recordClauses()
      predicate = .truePredicate(SourceRange(start: start, end: start))
    } else {
      if records { offerRQL(clauseWords + ["SORT", "DISTINCT", "LIMIT", "OFFSET"]) }
      predicate = try wholePredicate()
      recordClauses()
      recordLogic()
    }
    let ordering = try orderingClauses()
    let end = max(start, position)
    resume(at: position)
    return QuerySyntax(
      predicate: predicate, ordering: ordering, range: SourceRange(start: start, end: end))
  }

  /// A predicate that fills the whole text, by the rules of realm-core alone.
  mutating func bareQuery() throws(SyntaxError) -> QuerySyntax {
    startRQL()
    let start = rql.start
    let predicate = try wholePredicate()
    let ordering = try orderingClauses()
    expectRQL(.word("and"))
    expectRQL(.word("or"))
    expectRQL(.endOfStatement)
    guard rql.kind == .end else { throw rqlFailure() }
    return QuerySyntax(
      predicate: predicate, ordering: ordering, range: SourceRange(start: start, end: position))
  }

  private func lacksPredicate(_ shellToken: Token, clauseWords: [String]) -> Bool {
    if shellToken.kind.endsStatement || shellToken.kind.closes { return true }
    switch rql.kind {
    case .end: return true
    case .sort, .distinct, .limit: return followingRQL.kind == .openParenthesis
    case .identifier where startsOffset: return true
    default: break
    }
    guard shellToken.kind == .word,
      clauseWords.contains(where: {
        StatementBounds.equalsIgnoringCase(shellToken, $0, in: bytes.span)
      })
    else { return false }
    let following = followingRQL
    switch following.kind {
    case .dot, .openBracket, .equal, .notEqual, .less, .greater, .lessEqual, .greaterEqual, .plus,
      .minus, .slash:
      return false
    case .in, .beginsWith, .endsWith, .contains, .text, .like, .between, .geoWithin:
      // Without a value behind it the word is a name: `show text, like as l`.
      let next = Lexer.token(in: bytes.span, at: following.end)
      return next.kind.endsStatement || next.kind == .comma || next.kind.closes
        || StatementBounds.equalsIgnoringCase(next, "as", in: bytes.span)
    default: return true
    }
  }

  /// Records what may join a predicate to another one.
  mutating func recordLogic() {
    expectRQL(.word("and"))
    expectRQL(.word("or"))
    if records { offerRQL(["&&", "||"]) }
  }

  private mutating func recordClauses() {
    expectRQL(.word("SORT"))
    expectRQL(.word("DISTINCT"))
    expectRQL(.word("LIMIT"))
    expectRQL(.offeredWord("OFFSET"))
  }

  private mutating func orderingClauses() throws(SyntaxError) -> [OrderingClause] {
    var clauses: [OrderingClause] = []
    while true {
      recordClauses()
      let start = rql.start
      let kind: OrderingClause.Kind
      switch rql.kind {
      case .sort: kind = try sortClause()
      case .distinct: kind = try distinctClause()
      case .limit: kind = .limit(try countOfClause())
      case .identifier where startsOffset: kind = .offset(try countOfClause())
      default: return clauses
      }
      clauses.append(OrderingClause(kind, range: SourceRange(start: start, end: position)))
    }
  }

  private mutating func sortClause() throws(SyntaxError) -> OrderingClause.Kind {
    try advanceRQL()
    try requireRQL(.openParenthesis, "(")
    var criteria: [SortCriterion] = []
    repeat {
      let path = try orderedPath()
      expectRQL(.word("ASC"))
      expectRQL(.word("DESC"))
      guard rql.kind == .ascending || rql.kind == .descending else { throw rqlFailure() }
      criteria.append(SortCriterion(path: path, isAscending: rql.kind == .ascending))
      try advanceRQL()
    } while try acceptRQL(.comma, ",")
    try requireRQL(.closeParenthesis, ")")
    return .sort(criteria)
  }

  private mutating func distinctClause() throws(SyntaxError) -> OrderingClause.Kind {
    try advanceRQL()
    try requireRQL(.openParenthesis, "(")
    var paths: [PropertyPath] = []
    repeat { paths.append(try orderedPath()) } while try acceptRQL(.comma, ",")
    try requireRQL(.closeParenthesis, ")")
    return .distinct(paths)
  }

  /// A path to what objects are ordered by.
  private mutating func orderedPath() throws(SyntaxError) -> PropertyPath {
    let path = try propertyPath()
    if records {
      offerRQL([".", "["])
      if rql.kind == .dot {
        try advanceRQL()
        recordPathEnd(after: path.elements)
        throw rqlFailure()
      }
    }
    return path
  }

  /// `OFFSET(n)`, which realm-core does not have. Before an operator it is the name of an object of a
  /// class.
  private var startsOffset: Bool {
    guard !isBarePredicate, rql.end - rql.start == 6,
      StatementBounds.equalsIgnoringCase(
        Token(.word, start: rql.start, end: rql.end), "offset", in: bytes.span)
    else { return false }
    var next = nextRQLToken(from: rql.end, skipsNewlines: true)
    guard next.kind == .openParenthesis else { return false }
    next = nextRQLToken(from: next.end, skipsNewlines: true)
    if next.kind == .end { return records }
    guard next.kind == .natural || next.kind == .number else { return false }
    next = nextRQLToken(from: next.end, skipsNewlines: true)
    if next.kind == .end { return records }
    guard next.kind == .closeParenthesis else { return false }
    switch nextRQLToken(from: next.end, skipsNewlines: false).kind {
    case .equal, .notEqual, .in, .less, .lessEqual, .greater, .greaterEqual: return false
    default: return true
    }
  }

  /// The number of a LIMIT or OFFSET.
  private mutating func countOfClause() throws(SyntaxError) -> Int64 {
    mark(.word, rql.range)
    try advanceRQL()
    try requireRQL(.openParenthesis, "(")
    expectRQL(.integer)
    guard rql.kind == .natural else { throw rqlFailure() }
    let number = try advanceRQL()
    try requireRQL(.closeParenthesis, ")")
    return NumberText.integerOfBase0(bytes.span.extracting(number.start..<number.end))
  }
}
