/// A part of a text with what the parser has taken it for: the source of highlighting, of the help
/// for a word, and of the places of keys.
public struct Mark: Equatable, Sendable {
  /// What a part of a text is.
  public enum Role: Hashable, Sendable {
    /// A verb, a prefix, a clause word or an operator in letters.
    case word
    /// A class or projection.
    case className
    /// A class that the statement makes.
    case declaredClass
    /// A property of the owner; of an owner that is not known if nil.
    case property(PropertyOwner?)
    /// A function.
    case function
    /// A literal that is no single token.
    case literal
    /// A file, or the source of a key.
    case file(Expectation.FileKind)
    /// Text of another language: a system command, a topic of `help`.
    case raw
  }

  /// Where it stands.
  public var range: SourceRange
  /// What it is.
  public var role: Role

  /// Makes a mark.
  public init(_ role: Role, _ range: SourceRange) { (self.role, self.range) = (role, range) }
}

extension Parser {
  /// Notes what a token is.
  mutating func mark(_ role: @autoclosure () -> Mark.Role, _ range: SourceRange) {
    if records { marks.append(Mark(role(), range)) }
  }

  /// Notes what a token is that meets an expectation.
  mutating func markName(_ expectation: Expectation, _ range: SourceRange) {
    switch expectation {
    case .className, .storedClass, .schemaClass: mark(.className, range)
    case .property(let owner): mark(.property(owner), range)
    case .function: mark(.function, range)
    default: break
    }
  }
}

extension StatementParser {
  /// One statement as far as it can be parsed, for highlighting.
  public struct Outline: Sendable {
    /// From the start of the statement to the separator behind it.
    public var range: Range<Int>
    /// What its parts are, in ascending order without overlaps; none from an error on.
    public var marks: [Mark]
    /// Where the parser could not go on; nil if it went to the end.
    public var errorOffset: Int?
  }

  /// The statement that starts at or after `offset`; nil if there is none.
  public static func outline(of text: [UInt8], from offset: Int) -> Outline? {
    var start = offset
    while true {
      let token = Lexer.token(in: text.span, at: start)
      guard token.kind == .newline || token.kind == .semicolon else {
        start = token.start
        break
      }
      start = token.end
    }
    guard start < text.count else { return nil }
    var parser = Parser(bytes: text, position: start)
    parser.records = true
    parser.collectsExpectations = false
    parser.start()
    var errorOffset: Int?
    var end: Int
    do throws(SyntaxError) {
      _ = try parser.statement()
      end = parser.token.start
    } catch {
      errorOffset = error.range.start
      end = StatementBounds.statementEnd(in: text.span, from: start)
    }
    end = max(end, start + 1)
    var marks: [Mark] = []
    for mark in parser.marks where mark.range.end <= end {
      // What is read twice is what it was taken for last.
      while let last = marks.last, last.range.end > mark.range.start { marks.removeLast() }
      marks.append(mark)
    }
    return Outline(range: start..<end, marks: marks, errorOffset: errorOffset)
  }
}
