/// Parses the statements of a text one after the other.
public struct StatementParser: PlainAddSource {
  /// The text.
  public let source: SourceText
  private var offset: Int
  private var parser: Parser
  private var invalidOffset: Int?
  /// The statement that the last call of `next` could not parse.
  public private(set) var failure: Failure?
  private let isInterrupted: (@Sendable () -> Bool)?

  /// A statement with a syntax error.
  public struct Failure: Equatable, Sendable {
    /// The prefixes before the error.
    public var prefixes: [Prefix]
    /// The whole statement.
    public var range: SourceRange
  }

  /// Starts at the beginning of `source`; a byte-order mark there is skipped.
  ///
  /// - Parameter isInterrupted: Asked now and then within a long statement; if true, the statement
  ///   fails with the error `interrupted` and is the last one.
  public init(_ source: SourceText, isInterrupted: (@Sendable () -> Bool)? = nil) {
    self.source = source
    self.isInterrupted = isInterrupted
    offset = source.bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    parser = Parser(bytes: source.bytes, position: 0, isInterrupted: isInterrupted)
    do {
      _ = try UTF8Span(validating: source.bytes.span)
    } catch {
      invalidOffset = error.byteOffsets.lowerBound
    }
  }

  /// The next statement, nil at the end of the text. After an error the next call goes on behind
  /// the statement that failed; text that is not UTF-8 gives one error and no statement.
  public mutating func next() throws(SyntaxError) -> Statement? {
    if let invalid = invalidOffset {
      invalidOffset = nil
      offset = source.bytes.count
      throw SyntaxError(
        "text that is not UTF-8", name: .invalidUTF8,
        range: SourceRange(start: invalid, end: invalid + 1))
    }
    skipSeparators()
    failure = nil
    guard offset < source.bytes.count else { return nil }
    parser.restart()
    do throws(SyntaxError) {
      parser.resume(at: offset)
      let statement = try parser.statement()
      offset = parser.token.start
      return statement
    } catch {
      guard error.name != .interrupted else {
        offset = source.bytes.count
        throw error
      }
      // Once more, to know what would have been right.
      var recorder = Parser(bytes: source.bytes, position: offset, isInterrupted: isInterrupted)
      recorder.recordingStart = parser.statementStart
      let start = offset
      offset = StatementBounds.statementEnd(in: source.bytes.span, from: offset)
      var end = offset
      while end > start, source.bytes[end - 1] <= UInt8(ascii: " ") { end -= 1 }
      failure = Failure(
        prefixes: parser.outermostPrefixes, range: SourceRange(start: start, end: end))
      recorder.start()
      _ = try recorder.statement()
      throw error
    }
  }

  /// Reads the next statement if it is a plain `add`; else nothing is read.
  public mutating func next(_ add: inout PlainAdd) -> Bool {
    guard invalidOffset == nil else { return false }
    skipSeparators()
    guard add.read(in: source.bytes.span, at: offset, isInBlock: false) else { return false }
    offset = add.range.end
    return true
  }

  /// Goes back to the start of the plain `add` that was read last: `next` gives it as a statement.
  public mutating func goBack(to add: PlainAdd) { offset = add.range.start }

  private mutating func skipSeparators() {
    while true {
      let token = Lexer.token(in: source.bytes.span, at: offset)
      switch token.kind {
      case .newline, .semicolon: offset = token.end
      default:
        offset = token.start
        return
      }
    }
  }

  /// All statements of a text.
  public static func parse(_ text: String) throws(SyntaxError) -> [Statement] {
    var parser = StatementParser(SourceText(text))
    var statements: [Statement] = []
    while let statement = try parser.next() { statements.append(statement) }
    return statements
  }

  /// What may stand at the end of `text`, which is what was typed up to the cursor. A name, variable,
  /// path or open string that touches the end counts as not yet typed: it is what will be completed.
  public static func continuation(of text: [UInt8]) -> Continuation {
    var start = 0
    while start < text.count {
      let end = StatementBounds.statementEnd(in: text.span, from: start)
      let next = Lexer.token(in: text.span, at: end)
      guard next.kind == .newline || next.kind == .semicolon else { break }
      start = next.end
    }
    let word = wordStart(in: text, after: start, isPath: false)
    for offset in [
      openString(in: text, from: start), wordStart(in: text, after: start, isPath: true),
    ] {
      guard let offset, offset < word else { continue }
      let expected = expectations(at: offset, of: text, from: start)
      let isFile = expected.contains { if case .file = $0 { true } else { false } }
      if isFile { return Continuation(offset: offset, expected: expected) }
    }
    return Continuation(offset: word, expected: expectations(at: word, of: text, from: start))
  }

  /// What fits at `offset` if nothing stands behind it.
  private static func expectations(
    at offset: Int, of text: [UInt8], from start: Int
  ) -> [Expectation] {
    var parser = Parser(bytes: Array(text[..<offset]), position: start)
    parser.records = true
    parser.start()
    _ = try? parser.statement()
    return parser.furthest >= offset ? parser.expected : []
  }

  /// The start of the string that is open at the end of `text`.
  private static func openString(in text: [UInt8], from start: Int) -> Int? {
    var token = Lexer.token(in: text.span, at: start)
    while token.kind != .end {
      if token.kind == .unterminatedString { return token.start }
      token = Lexer.token(in: text.span, at: token.end)
    }
    return nil
  }

  /// The start of the word, or path, that ends with the text.
  private static func wordStart(in text: [UInt8], after start: Int, isPath: Bool) -> Int {
    var index = text.count
    while index > start {
      let byte = text[index - 1]
      let belongs =
        Lexer.isASCIINameStart(byte) || Lexer.isDigit(byte) || byte >= 0x80
        || (isPath ? "./-~+" : "$@").utf8.contains(byte)
      guard belongs else { break }
      index -= 1
    }
    return index
  }
}
