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
}
