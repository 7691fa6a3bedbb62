import ByteKernels

/// The state shared by the parts of the parser: one token of look-ahead, and a record of what would
/// have been accepted at the furthest place reached.
///
/// Statements are parsed without that record; only when one fails, or the prompt wants to know how
/// to go on, is it parsed once more with it.
struct Parser {
  /// Brackets and `not`s may be nested this deep, and so may operators. Source: shell.md 25.
  static let greatestDepth = 200
  /// Most prefixes of one statement; each is a call inside another when it runs.
  static let greatestPrefixCount = 20
  private static let tokensBetweenChecks = 1 << 16
  /// Bytes of the stack that have to be free at each fourth level.
  private static let stackReserve: UInt = 384 << 10
  /// Room is made in advance for at most so many members.
  static let greatestReserve = 64

  let bytes: [UInt8]
  /// The end of the last token taken.
  var position: Int
  /// The next token, when a statement is read.
  var token = Token(.end, start: 0, end: 0)
  /// The next token, when a predicate is read.
  var rql = RQLToken(.end, start: 0, end: 0)
  /// The last token taken; decides whether a newline ends the statement.
  private(set) var lastToken: Token?
  /// Open brackets, those of blocks among them.
  private(set) var depth = 0
  /// The value of `depth` right inside the innermost block; newlines do not count in the brackets
  /// beyond it.
  private(set) var blockDepth = 0
  /// Members of the array or object value read last: a guess for the next one.
  var lastCount = 0
  /// Changes of the statement `set` read last: a guess for the next one.
  var lastChangeCount = 0
  /// The text of the names read so far.
  var names = NameCache()
  /// Levels of the operand or expression parsed last.
  var height = 0
  /// The text is a bare predicate, without the additions of the shell.
  var isBarePredicate = false
  /// What the class and variables of the predicate are called, for completion.
  var propertyOwner: PropertyOwner?
  /// What the class of the object value is called whose fields are read, for completion.
  var fieldOwner: PropertyOwner?
  /// The expression may name values from before the change with `old.`, for completion.
  var hasOld = false
  /// Variables of the enclosing SUBQUERYs with the owners of their properties.
  var subqueryVariables: [(name: String, owner: PropertyOwner?)] = []

  /// Words that end the names behind `except`.
  var columnEnds = Self.columnEndsOfQueries
  static let columnEndsOfQueries = ["to", "args", "show"]

  /// Asked now and then; true stops the parser.
  private let isInterrupted: (@Sendable () -> Bool)?
  /// Tokens since it was asked last.
  private var tokenCount = 0
  /// Where the stack of the thread ends, once it was asked for.
  private var lowestAddress: UInt?

  /// Where the innermost statement starts that is read.
  var statementStart = 0
  /// The prefixes of the outermost statement that have been read.
  var outermostPrefixes: [Prefix] = []
  /// `records` is set at the statement that starts here.
  var recordingStart: Int?
  /// Collects `marks`, and `expected` too.
  var records = false
  /// Whether expectations are collected when something is.
  var collectsExpectations = true
  private(set) var furthest = 0
  private(set) var expected: [Expectation] = []
  /// The places before the furthest one with what was expected there, the last ones only.
  private var trail: [(place: Int, expected: [Expectation])] = []
  private static let trailLength = 3
  /// The property before an operator that is expected at the furthest place.
  private(set) var leftOperand: PropertyOwner?
  /// What the tokens taken are.
  var marks: [Mark] = []
  /// The verb read last, as an index in `Grammar.verbs`, and where it ends.
  var lastVerb: (index: Int, end: Int)?

  /// Starts at `position`; the first token is read by `start`.
  init(bytes: [UInt8], position: Int, isInterrupted: (@Sendable () -> Bool)? = nil) {
    self.bytes = bytes
    self.position = position
    self.isInterrupted = isInterrupted
  }

  /// Starts at a statement of a block.
  init(bytes: [UInt8], insideBlockAt position: Int) {
    self.init(bytes: bytes, position: position)
    depth = 1
    blockDepth = 1
    start()
  }

  /// Forgets the statement read last, apart from what speeds up the next one.
  mutating func restart() {
    lastToken = nil
    depth = 0
    blockDepth = 0
    height = 0
    propertyOwner = nil
    fieldOwner = nil
    subqueryVariables.removeAll()
    outermostPrefixes.removeAll()
  }

  // MARK: Tokens of statements

  /// Reads the first token at `position`.
  mutating func start() { token = nextToken(from: position) }

  /// The token at or after `offset`; a newline only if it ends the statement.
  private func nextToken(from offset: Int) -> Token {
    var next = Lexer.token(in: bytes.span, at: offset)
    while next.kind == .newline, skipsNewlines {
      next = Lexer.token(in: bytes.span, at: next.end)
    }
    return next
  }

  /// A newline after the last token is a blank.
  var skipsNewlines: Bool { depth > blockDepth || asksForMore }

  private var asksForMore: Bool {
    guard let lastToken else { return false }
    return lastToken.kind.continuesLine
      || StatementBounds.isContinuingWord(lastToken, in: bytes.span)
  }

  /// Takes the token; returns it.
  @discardableResult
  mutating func advance() throws(SyntaxError) -> Token {
    let taken = token
    try track(opens: taken.kind.opens, closes: taken.kind.closes, at: taken.range)
    position = taken.end
    lastToken = taken
    token = nextToken(from: position)
    return taken
  }

  /// Takes the brace that opens a block, inside which newlines separate.
  ///
  /// - Returns: What `closeBlock` needs.
  mutating func openBlock() throws(SyntaxError) -> Int {
    expect(.symbol("{"))
    guard token.kind == .openBrace else { throw failure() }
    let outer = blockDepth
    blockDepth = depth + 1
    try advance()
    return outer
  }

  /// Takes the brace that closes the block.
  mutating func closeBlock(_ outer: Int) throws(SyntaxError) {
    expect(.symbol("}"))
    if token.kind == .end {
      // How the last statement could go on is not what is missing.
      let expected = [Expectation.symbol("}")]
      throw SyntaxError(
        SyntaxError.message(expecting: expected), range: token.range, expected: expected)
    }
    guard token.kind == .closeBrace else { throw failure() }
    blockDepth = outer
    try advance()
  }

  /// The token is the brace that closes the innermost block.
  var closesBlock: Bool { token.kind == .closeBrace && blockDepth > 0 && depth == blockDepth }

  /// Counts a token, and a bracket if it is one.
  @inline(__always)
  mutating func track(opens: Bool, closes: Bool, at range: SourceRange) throws(SyntaxError) {
    try count(1, at: range)
    if opens {
      try deepen(at: range)
    } else if closes, depth > 0 {
      depth -= 1
    }
  }

  private mutating func deepen(at range: SourceRange) throws(SyntaxError) {
    depth += 1
    guard depth <= Self.greatestDepth else { throw Self.tooDeep(at: range) }
    if depth & 3 == 0 { try checkStack(at: range) }
  }

  /// Counts tokens, and sees now and then whether to stop.
  @inline(__always)
  mutating func count(_ tokens: Int, at range: SourceRange) throws(SyntaxError) {
    tokenCount &+= tokens
    guard tokenCount >= Self.tokensBetweenChecks else { return }
    tokenCount = 0
    if let isInterrupted, isInterrupted() {
      throw SyntaxError("interrupted", name: .interrupted, range: range)
    }
  }

  /// Makes sure that the stack has room for some more levels, and for who works on them later.
  private mutating func checkStack(at range: SourceRange) throws(SyntaxError) {
    let lowest = lowestAddress ?? lowestStackAddress()
    lowestAddress = lowest
    guard currentStackAddress() &- lowest < Self.stackReserve else { return }
    throw SyntaxError(
      "nested more than \(depth) deep, for which the stack is too small", name: .limitExceeded,
      range: range)
  }

  /// Goes on at `offset`, after text that is not made of tokens; it ends like an operand.
  mutating func resume(at offset: Int) {
    position = offset
    lastToken = nil
    token = nextToken(from: offset)
  }

  /// The error for text that is nested too deep.
  static func tooDeep(at range: SourceRange) -> SyntaxError {
    SyntaxError("nested more than \(greatestDepth) deep", name: .limitExceeded, range: range)
  }

  /// Notes that an operator stands above operands of heights `left` and the current one.
  mutating func raiseHeight(above left: Int, at range: SourceRange) throws(SyntaxError) {
    height = max(left, height) + 1
    guard height <= Self.greatestDepth else { throw Self.tooDeep(at: range) }
  }

  /// The text of a range.
  func text(_ range: SourceRange) -> String {
    String(decoding: bytes[range.start..<range.end], as: UTF8.self)
  }

  /// The byte at `offset`, 0 beyond the end.
  func byte(at offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 0 }

  // MARK: Expectations

  /// Records that `expectation` would be accepted here.
  @inline(__always)
  mutating func expect(_ expectation: @autoclosure () -> Expectation) {
    if records { record(expectation(), at: token.start) }
  }

  mutating func record(_ expectation: Expectation, at place: Int) {
    guard collectsExpectations else { return }
    if place > furthest {
      if trail.count == Self.trailLength { trail.removeFirst() }
      trail.append((furthest, expected))
      furthest = place
      expected.removeAll(keepingCapacity: true)
      leftOperand = nil
    }
    if place == furthest, !expected.contains(expectation) { expected.append(expectation) }
  }

  /// Records that words or signs would be accepted here, of which messages say nothing.
  mutating func offer(_ words: [String]) {
    for word in words { record(.offeredWord(word), at: token.start) }
  }

  /// Records the property that an operator at `place` would stand behind.
  mutating func recordLeftOperand(_ owner: PropertyOwner?, at place: Int) {
    if records, place == furthest { leftOperand = owner }
  }

  /// The error for a token that nothing accepts.
  func failure(suggestingFrom names: [String] = []) -> SyntaxError {
    failure(
      at: token.range, isWord: token.kind == .word || token.kind == .atWord,
      isUnterminated: token.kind == .unterminatedString || token.kind == .unterminatedName,
      isOther: token.kind == .other, suggestingFrom: names)
  }

  /// The error for text at `range` that nothing accepts.
  func failure(
    at range: SourceRange, isWord: Bool, isUnterminated: Bool, isOther: Bool,
    suggestingFrom names: [String] = []
  ) -> SyntaxError {
    if isUnterminated {
      return SyntaxError(
        "the closing quote is missing", range: SourceRange(start: range.start, end: range.start + 1)
      )
    }
    let here = range.start == furthest ? expected : []
    var range = range
    if !isWord, range.start < bytes.count, bytes[range.start] == UInt8(ascii: "\n") {
      range.end = range.start
    }
    var message = SyntaxError.message(expecting: here)
    if isOther, here.isEmpty { message = "a character that has no meaning here" }
    var suggestion: String?
    if isWord {
      suggestion = Spelling.nearest(to: text(range), among: Self.words(fitting: here) + names)
    }
    let error = SyntaxError(message, range: range, expected: here, suggestion: suggestion)
    guard suggestion == nil, var guess = misspelledWord(before: range) else { return error }
    guess.withoutGuess = [error]
    return guess
  }

  static func words(fitting expected: [Expectation]) -> [String] {
    expected.flatMap { expectation in Grammar.words(fitting: expectation) }
      .map { $0.hasSuffix("(") ? String($0.dropLast()) : $0 }
      .filter { $0.utf8.contains { Lexer.isASCIINameStart($0) } }
  }

  /// The error for a word of the grammar right before the place, which was taken for a name because
  /// of a typing error: `where Dog shw name`.
  private func misspelledWord(before place: SourceRange) -> SyntaxError? {
    guard place.start == furthest else { return nil }
    var next = place.start
    for (start, expected) in trail.reversed() {
      let token = Lexer.token(in: bytes.span, at: start)
      guard Lexer.token(in: bytes.span, at: token.end).start == next else { return nil }
      next = token.start
      // The word seems to be a class, and this a part of the name of an object of it.
      if token.kind == .openParenthesis || token.kind == .variable { continue }
      let words = Self.words(fitting: expected)
      guard token.kind == .word,
        place.length > 0 || token.end - token.start >= Self.shortestLastWord,
        !words.contains(where: { StatementBounds.equalsIgnoringCase(token, $0, in: bytes.span) }),
        let nearest = Spelling.nearest(to: text(token.range), among: words)
      else { return nil }
      return SyntaxError(
        SyntaxError.message(expecting: expected), range: token.range, expected: expected,
        suggestion: nearest)
    }
    return nil
  }

  /// Bytes of a word at the end of a text that may have been meant to be another one.
  private static let shortestLastWord = 5

  // MARK: Words and signs

  /// The token is the word, in any case.
  @inline(__always)
  func isWord(_ word: String) -> Bool {
    token.kind == .word && StatementBounds.equalsIgnoringCase(token, word, in: bytes.span)
  }

  /// Takes the word if it stands here.
  mutating func accept(word: String) throws(SyntaxError) -> Bool {
    expect(.word(word))
    guard isWord(word) else { return false }
    try advanceWord()
    return true
  }

  /// Takes a word of the grammar.
  @discardableResult
  mutating func advanceWord() throws(SyntaxError) -> SourceRange {
    let range = try advance().range
    mark(.word, range)
    return range
  }

  /// Takes the word, which must stand here.
  mutating func require(word: String) throws(SyntaxError) {
    guard try accept(word: word) else { throw failure() }
  }

  /// Takes the sign if it stands here; `spelling` is for messages.
  @inline(__always)
  mutating func accept(_ kind: TokenKind, _ spelling: String) throws(SyntaxError) -> Bool {
    expect(.symbol(spelling))
    guard token.kind == kind else { return false }
    try advance()
    return true
  }

  /// Takes the sign, which must stand here.
  @inline(__always)
  mutating func require(_ kind: TokenKind, _ spelling: String) throws(SyntaxError) {
    guard try accept(kind, spelling) else { throw failure() }
  }

  /// Takes the one of `words` that stands here, in any case, or nothing.
  mutating func accept<Choice: RawRepresentable<String> & CaseIterable>(
    oneOf choices: Choice.Type
  ) throws(SyntaxError) -> Choice? {
    guard records || token.kind == .word else { return nil }
    for choice in choices.allCases where try accept(word: choice.rawValue) { return choice }
    return nil
  }

  /// Takes a name, in back quotes or not; `expectation` says what it names.
  mutating func name(_ expectation: Expectation) throws(SyntaxError) -> Name {
    guard let name = try acceptName(expectation) else { throw failure() }
    return name
  }

  /// Takes a name if one stands here.
  mutating func acceptName(
    _ expectation: Expectation
  ) throws(SyntaxError) -> Name? {
    expect(expectation)
    switch token.kind {
    case .word:
      let range = try advance().range
      if records { markName(expectation, range) }
      return Name(names.text(at: range, in: bytes), range: range)
    case .quotedName:
      let range = try advance().range
      if records { markName(expectation, range) }
      return Name(unquotedName(range), range: range)
    default: return nil
    }
  }

  /// The name in the back quotes at `range`.
  func unquotedName(_ range: SourceRange) -> String {
    let inner = text(SourceRange(start: range.start + 1, end: range.end - 1))
    guard inner.utf8.contains(UInt8(ascii: "`")) else { return inner }
    return String(
      decoding: Self.halvingBackQuotes(inner.utf8), as: UTF8.self)
  }

  private static func halvingBackQuotes(_ utf8: String.UTF8View) -> [UInt8] {
    var result: [UInt8] = []
    var skip = false
    for byte in utf8 {
      let isQuote = byte == UInt8(ascii: "`")
      if isQuote, skip {
        skip = false
        continue
      }
      result.append(byte)
      skip = isQuote
    }
    return result
  }

  /// The name of a variable token, without its dollar sign.
  func variableName(_ range: SourceRange) -> Name {
    Name(text(SourceRange(start: range.start + 1, end: range.end)), range: range)
  }

  /// Takes a whole number without sign, decimal or hexadecimal, if one stands here.
  mutating func acceptInteger() throws(SyntaxError) -> IntegerOperand? {
    expect(.integer)
    guard token.kind == .number else { return nil }
    guard case .integer(let value) = try numberKind(token.range, isNegative: false) else {
      return nil
    }
    return IntegerOperand(value, range: try advance().range)
  }

  /// Takes a whole number, which must stand here.
  mutating func integer() throws(SyntaxError) -> IntegerOperand {
    if let value = try acceptInteger() { return value }
    let text = text(token.range)
    guard token.kind == .number, text.utf8.allSatisfy({ $0 &- 0x30 < 10 }) else { throw failure() }
    throw SyntaxError("a whole number of at most 64 bits is needed", range: token.range)
  }

  /// Takes a text in quotes if one stands here.
  mutating func acceptString() throws(SyntaxError) -> Name? {
    expect(.string)
    guard token.kind == .string else { return nil }
    let range = token.range
    let value = try utf8(range)
    try advance()
    return Name(value, range: range)
  }

  /// The quoted text at `range`, which has to be one that is UTF-8.
  private func utf8(_ range: SourceRange) throws(SyntaxError) -> String {
    guard let text = String(validating: try unescaped(range), as: UTF8.self) else {
      throw SyntaxError("bytes that are not UTF-8 can stand in values only", range: range)
    }
    return text
  }

  // MARK: Paths and raw text

  /// Takes a file path: a text in quotes or a bare word of letters, digits and `. _ - / ~ +`.
  mutating func filePath(_ kind: Expectation.FileKind) throws(SyntaxError) -> FilePath {
    guard let path = try acceptFilePath(kind) else { throw failure() }
    return path
  }

  /// Takes a file path if one stands here.
  mutating func acceptFilePath(
    _ kind: Expectation.FileKind
  ) throws(SyntaxError) -> FilePath? {
    expect(.file(kind))
    if token.kind == .string {
      let range = token.range
      let value = try utf8(range)
      mark(.file(kind), range)
      resume(at: range.end)
      return FilePath(value, isQuoted: true, range: range)
    }
    let range = barePathRange
    guard range.length > 0 else { return nil }
    mark(.file(kind), range)
    resume(at: range.end)
    return FilePath(text(range), range: range)
  }

  /// The bare path at the current token; empty if there is none.
  var barePathRange: SourceRange {
    let span = bytes.span
    var end = token.start
    while end < span.count {
      switch span[end] {
      case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "/"), UInt8(ascii: "~"),
        UInt8(ascii: "+"):
        end += 1
      default:
        let next = Lexer.nameEnd(in: span, from: end)
        if next == end { return SourceRange(start: token.start, end: end) }
        end = next
      }
    }
    return SourceRange(start: token.start, end: end)
  }

  /// Takes the rest of the line, without blanks around it.
  ///
  /// - Parameter end: Where it ends before the end of the line.
  mutating func restOfLine(until end: Int? = nil) -> Name {
    let lineEnd = end ?? Lexer.lineEnd(in: bytes.span, from: position)
    var start = position
    var end = lineEnd
    func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    while start < end, isBlank(bytes[start]) { start += 1 }
    while end > start, isBlank(bytes[end - 1]) { end -= 1 }
    resume(at: lineEnd)
    let range = SourceRange(start: start, end: end)
    mark(.raw, range)
    return Name(text(range), range: range)
  }
}
