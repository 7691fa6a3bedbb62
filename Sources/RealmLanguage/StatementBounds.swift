/// Whether a text can be run or needs more lines.
public enum Completeness: Equatable, Sendable {
  /// Whole statements.
  case complete
  /// A bracket, string or line is open; the next row is indented by two blanks for each bracket.
  case incomplete(openBrackets: Int)
}

/// Finds where statements end, without parsing them. The prompt and scripts use the same test.
/// Source: shell.md 3.
public enum StatementBounds {

  /// Whether `text` consists of whole statements.
  public static func completeness(of text: Span<UInt8>) -> Completeness {
    var scan = Scan(offset: 0)
    while scan.offset < text.count { scan.line(of: text) }
    return scan.isComplete ? .complete : .incomplete(openBrackets: scan.depth)
  }

  /// The end of the shortest run of lines from `offset` on that consists of whole statements, or the
  /// end of the text. `offset` is the start of a line.
  public static func chunkEnd(in text: Span<UInt8>, from offset: Int) -> Int {
    var scan = Scan(offset: offset)
    repeat { scan.line(of: text) } while scan.offset < text.count && !scan.isComplete
    return scan.offset
  }

  /// Finds the whole statements of a text that grows at its end.
  public struct GrowingText {
    private var scan = Scan(offset: 0)
    /// The end of the last line read behind which no statement is open.
    public private(set) var end = 0

    /// Starts with an empty text.
    public init() {}

    /// Reads the lines that have become whole.
    public mutating func read(_ text: Span<UInt8>) {
      var next = scan
      while next.line(of: text) {
        scan = next
        if scan.isComplete { end = scan.offset }
      }
    }
  }

  /// The end of the statement that starts at `offset`, before its newline or `;`.
  static func statementEnd(in text: Span<UInt8>, from offset: Int) -> Int {
    var scan = Scan(offset: offset)
    while scan.offset < text.count {
      scan.line(of: text, oneStatement: true)
      if scan.isComplete { break }
    }
    return scan.offset
  }

  /// The state between two tokens.
  private struct Scan {
    var offset: Int
    /// The open brackets, true for the braces of blocks: right inside those statements start.
    private var brackets: [Bool] = []
    /// How far the statement read last has got.
    private var stage = Stage.start
    /// The last two tokens of the statement.
    private var last: Token?
    private var beforeLast: TokenKind?
    /// The line read last asks for another one.
    private var continues = false
    /// The statement reads a path, where operators are ordinary characters.
    private var isPathStatement = false

    /// What tells where a verb stands and whether a block follows it.
    private enum Stage {
      /// Nothing but prefixes has been read.
      case start
      /// A prefix that ends with a colon; a verb `on` looks the same and has a block.
      case prefix
      /// `explain`, after which `run` may follow.
      case explain
      /// A verb with a block.
      case block
      /// Another verb.
      case verb
    }

    init(offset: Int) { self.offset = offset }

    var depth: Int { brackets.count }

    var isComplete: Bool { depth == 0 && !continues }

    /// Statements are separated here.
    private var isBetweenBrackets: Bool { brackets.last ?? true }

    /// Reads to the end of the line, or of the first statement in it; false if the text ends before.
    @discardableResult
    mutating func line(of text: Span<UInt8>, oneStatement: Bool = false) -> Bool {
      continues = false
      while true {
        let token = Lexer.token(in: text, at: offset)
        switch token.kind {
        case .end:
          continues = asksForMore(text) || endsWithBackslash(text)
          offset = token.end
          return false
        case .newline:
          continues = asksForMore(text)
          if isBetweenBrackets, !continues { endStatement() }
          offset = oneStatement && isComplete ? token.start : token.end
          return true
        case .semicolon where isBetweenBrackets:
          endStatement()
          let isEnd = oneStatement && depth == 0
          offset = isEnd ? token.start : token.end
          if isEnd { return true }
        default:
          if isRaw(token, in: text) {
            let isHelp = token.kind == .word || token.kind == .question
            offset =
              isHelp
              ? Lexer.topicEnd(in: text, from: token.end)
              : Lexer.lineEnd(in: text, from: token.end)
            last = nil
            stage = .verb
          } else {
            take(token, in: text)
          }
        }
      }
    }

    private mutating func endStatement() {
      last = nil
      stage = .start
      isPathStatement = false
    }

    /// A token after which the rest of the line is not ours: `|`, `!`, `help`, `?`.
    private func isRaw(_ token: Token, in text: Span<UInt8>) -> Bool {
      let startsStatement = stage == .start && isBetweenBrackets
      return switch token.kind {
      case .pipe: isBetweenBrackets
      case .not, .question: startsStatement
      case .word: startsStatement && equalsIgnoringCase(token, "help", in: text)
      default: false
      }
    }

    private mutating func take(_ token: Token, in text: Span<UInt8>) {
      let isAtVerb = isBetweenBrackets
      if token.kind.opens {
        let isBlock =
          token.kind == .openBrace && isAtVerb && (stage == .block || stage == .prefix)
        brackets.append(isBlock)
        if isBlock {
          endStatement()
          offset = token.end
          return
        }
      } else if token.kind.closes, let wasBlock = brackets.popLast(), wasBlock {
        // What follows belongs to the statement of the block.
        stage = .verb
      } else if isAtVerb {
        takeWord(token, in: text)
      }
      beforeLast = last?.kind
      last = token
      offset = token.end
    }

    /// Finds the verb.
    private mutating func takeWord(_ token: Token, in text: Span<UInt8>) {
      func isWord(_ words: String...) -> Bool {
        token.kind == .word && words.contains { equalsIgnoringCase(token, $0, in: text) }
      }
      switch stage {
      case .start where isWord("time"), .explain where isWord("run"): stage = .start
      case .start where isWord("explain"): stage = .explain
      case .start where isWord("expect", "on"): stage = .prefix
      case .start, .explain:
        stage = isWord("write", "migrate", "version") ? .block : .verb
        isPathStatement = isWord(
          "cd", "open", "source", "output", "compact", "encrypt", "decrypt", "rekey", "upgrade")
      case .prefix where token.kind == .colon: stage = .start
      case .prefix, .block, .verb: break
      }
    }

    /// The last token does not end a line.
    private func asksForMore(_ text: Span<UInt8>) -> Bool {
      guard let last else { return false }
      switch last.kind {
      case .unterminatedString, .unterminatedName: return true
      case .word: return isContinuingWord(last, in: text)
      case .star:
        // After an operand an operator, elsewhere the column `*`; `show` is no operand.
        return !isPathStatement && beforeLast.map(isOperandEnd) ?? false
          && !startsColumns(before: last, in: text)
      case .plus, .minus, .slash, .percent: return !isPathStatement
      default: return last.kind.continuesLine
      }
    }

    private func startsColumns(before token: Token, in text: Span<UInt8>) -> Bool {
      var end = token.start
      while end > 0, text[end - 1] == UInt8(ascii: " ") { end -= 1 }
      guard end >= 4 else { return false }
      return equalsIgnoringCase(Token(.word, start: end - 4, end: end), "show", in: text)
    }

    private func isOperandEnd(_ kind: TokenKind) -> Bool {
      switch kind {
      case .word, .quotedName, .variable, .atWord, .string, .number, .date: true
      default: kind.closes
      }
    }

    /// What follows the last token is a backslash that joins its line to the next.
    private func endsWithBackslash(_ text: Span<UInt8>) -> Bool {
      var index = offset
      while index < text.count,
        text[index] == UInt8(ascii: " ") || text[index] == UInt8(ascii: "\t")
      {
        index += 1
      }
      return Lexer.peek(text, index) == UInt8(ascii: "\\")
    }
  }

  /// The token is a word that never ends a line, in any case. Source: shell.md 3.
  static func isContinuingWord(_ token: Token, in text: Span<UInt8>) -> Bool {
    func isWord(_ word: String) -> Bool { equalsIgnoringCase(token, word, in: text) }
    guard token.kind == .word else { return false }
    switch token.end - token.start {
    case 2: return isWord("or") || isWord("in") || isWord("by") || isWord("to")
    case 3: return isWord("and") || isWord("not")
    case 4: return isWord("like") || isWord("from") || isWord("show")
    case 5: return isWord("where")
    case 7: return isWord("between")
    case 8: return isWord("contains") || isWord("endswith")
    case 10: return isWord("beginswith")
    default: return false
    }
  }

  /// The token is `word`.
  static func equals(_ token: Token, _ word: StaticString, in text: Span<UInt8>) -> Bool {
    guard word.utf8CodeUnitCount == token.end - token.start else { return false }
    for index in 0..<word.utf8CodeUnitCount {
      // Within the word, whose bytes live as long as the program.
      let byte = unsafe word.utf8Start[index]
      if text[token.start + index] != byte { return false }
    }
    return true
  }

  /// The token is `word`, ASCII letters in any case. Most words are told apart by their length.
  @inline(__always)
  static func equalsIgnoringCase(_ token: Token, _ word: String, in text: Span<UInt8>) -> Bool {
    word.utf8.count == token.end &- token.start && hasLetters(token, of: word, in: text)
  }

  /// The token, which is as long as the word, is the word.
  private static func hasLetters(
    _ token: Token, of word: String, in text: Span<UInt8>
  ) -> Bool {
    var index = token.start
    for byte in word.utf8 {
      let difference = text[index] ^ byte
      let isSame =
        difference == 0 || (difference == 0x20 && (byte | 0x20) &- UInt8(ascii: "a") < 26)
      if !isSame { return false }
      index += 1
    }
    return true
  }
}
