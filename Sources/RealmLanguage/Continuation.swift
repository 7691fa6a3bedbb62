/// The place up to which a text could be parsed and what would go on from there.
public struct Continuation: Equatable, Sendable {
  /// Offset of the word under the cursor, or of the cursor.
  public var offset: Int
  /// What fits there.
  public var expected: [Expectation]
  /// The property before an operator that is expected; nil if something else stands there.
  public var leftOperand: PropertyOwner?
  /// Offset of the statement.
  public var statementStart: Int
  /// The verb read last.
  public var verb: FoundVerb?

  /// A verb with its place.
  public struct FoundVerb: Equatable, Sendable {
    /// The name in the table of verbs.
    public var name: String
    /// Offset behind it.
    public var end: Int
  }
}

extension StatementParser {
  /// What may stand at the end of `text`, which is what was typed up to the cursor. A name, variable,
  /// path or open string that touches the end counts as not yet typed: it is what will be completed.
  public static func continuation(of text: [UInt8]) -> Continuation {
    let start = lastStatementStart(in: text)
    let word = wordStart(in: text, after: start, isPath: false)
    let quote = lastQuote(in: text, from: start)
    if let quote, text[quote] == UInt8(ascii: "`") {
      return continuation(of: text, at: quote, from: start)
    }
    for offset in [quote, wordStart(in: text, after: start, isPath: true)] {
      guard let offset, offset < word else { continue }
      let result = continuation(of: text, at: offset, from: start)
      let isWanted = result.expected.contains { expectation in
        switch expectation {
        case .file: true
        case .string, .primaryKey: offset == quote
        default: false
        }
      }
      if isWanted { return result }
    }
    return continuation(of: text, at: word, from: start)
  }

  /// What may follow `text`, all of which counts as typed.
  public static func followers(of text: [UInt8]) -> Continuation {
    continuation(of: text, at: text.count, from: lastStatementStart(in: text))
  }

  /// The start of the statement that ends with the text.
  private static func lastStatementStart(in text: [UInt8]) -> Int {
    var start = 0
    while start < text.count {
      let end = StatementBounds.statementEnd(in: text.span, from: start)
      let next = Lexer.token(in: text.span, at: end)
      guard next.kind == .newline || next.kind == .semicolon else { break }
      start = next.end
    }
    return start
  }

  /// What fits at `offset` if nothing stands behind it.
  private static func continuation(
    of text: [UInt8], at offset: Int, from start: Int
  ) -> Continuation {
    let bytes = Array(text[..<offset])
    // In a long block only the statement that is not finished matters.
    var finder = Parser(bytes: bytes, position: start)
    finder.start()
    _ = try? finder.statement()
    var parser = Parser(bytes: bytes, position: start)
    parser.recordingStart = finder.statementStart
    parser.start()
    _ = try? parser.statement()
    let isReached = parser.furthest >= offset
    return Continuation(
      offset: offset, expected: isReached ? parser.expected : [],
      leftOperand: isReached ? parser.leftOperand : nil, statementStart: start,
      verb: parser.lastVerb.map { verb in
        Continuation.FoundVerb(name: Grammar.verbs[verb.index].name, end: verb.end)
      })
  }

  /// The start of the string or quoted name that ends with `text`, or is open there.
  private static func lastQuote(in text: [UInt8], from start: Int) -> Int? {
    var token = Lexer.token(in: text.span, at: start)
    while token.kind != .end {
      switch token.kind {
      case .unterminatedString, .unterminatedName: return token.start
      case .string, .quotedName: if token.end == text.count { return token.start }
      default: break
      }
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
