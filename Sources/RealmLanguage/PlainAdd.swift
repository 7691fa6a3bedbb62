import ByteKernels
public import RealmValues

/// An `add` or `upsert` statement with one object of nothing but literals, which is what long scripts
/// are full of: `add Dog {_id: 1, name: "Rex"}`.
///
/// It is recognised token by token without a syntax tree. What is not of this form, an error among
/// it, is left to the parser, which reads it as if nothing had happened.
public struct PlainAdd: Sendable {
  /// A literal; a text stays where it stands.
  public enum Value: Equatable, Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case date(Timestamp)
    /// A text without escapes.
    case string
  }

  /// One value.
  public struct Field: Equatable, Sendable {
    /// The name of the property; empty in an array.
    public var key: SourceRange
    /// What was read.
    public var value: Value
    /// The literal, a text without its quotes.
    public var literal: SourceRange
  }

  /// The statement is an `upsert`, of whatever policy.
  public private(set) var isUpsert = false
  /// Where the name of the class stands.
  public private(set) var className = SourceRange(start: 0, end: 0)
  /// The values in the order of the text.
  public private(set) var fields: [Field] = []
  /// The whole statement.
  public private(set) var range = SourceRange(start: 0, end: 0)

  /// Makes an empty statement, to be read into again and again.
  public init() {}

  /// Reads the statement at `offset`.
  ///
  /// - Parameter isInBlock: A brace may end the statement too.
  /// - Returns: whether it is of this form.
  mutating func read(in bytes: Span<UInt8>, at offset: Int, isInBlock: Bool) -> Bool {
    let verb = Lexer.token(in: bytes, at: offset)
    guard verb.kind == .word else { return false }
    isUpsert = StatementBounds.equalsIgnoringCase(verb, "upsert", in: bytes)
    guard isUpsert || StatementBounds.equalsIgnoringCase(verb, "add", in: bytes) else {
      return false
    }
    let name = Lexer.token(in: bytes, at: verb.end)
    guard name.kind == .word else { return false }
    className = name.range
    let open = Lexer.token(in: bytes, at: name.end)
    let close: TokenKind
    switch open.kind {
    case .openBrace: close = .closeBrace
    case .openBracket: close = .closeBracket
    default: return false
    }
    fields.removeAll(keepingCapacity: true)
    guard var end = readFields(in: bytes, from: open.end, upTo: close) else { return false }
    if isUpsert { end = Self.policyEnd(in: bytes, after: end) }
    range = SourceRange(start: verb.start, end: end)
    switch Lexer.token(in: bytes, at: end).kind {
    case .newline, .semicolon, .end: return true
    case .closeBrace: return isInBlock
    default: return false
    }
  }

  /// The end of `policy P` if that follows, else `offset`.
  private static func policyEnd(in bytes: Span<UInt8>, after offset: Int) -> Int {
    let word = Lexer.token(in: bytes, at: offset)
    guard word.kind == .word, StatementBounds.equalsIgnoringCase(word, "policy", in: bytes) else {
      return offset
    }
    let policy = Lexer.token(in: bytes, at: word.end)
    let isKnown = PolicyOperand.Kind.allCases.contains { kind in
      policy.kind == .word
        && StatementBounds.equalsIgnoringCase(policy, kind.rawValue, in: bytes)
    }
    return isKnown ? policy.end : offset
  }

  /// - Returns: the end of the closing bracket.
  private mutating func readFields(
    in bytes: Span<UInt8>, from offset: Int, upTo close: TokenKind
  ) -> Int? {
    var token = Self.token(in: bytes, at: offset)
    while token.kind != close {
      var key = SourceRange(start: token.start, end: token.start)
      if close == .closeBrace {
        guard token.kind == .word else { return nil }
        key = token.range
        var end = token.end
        // Most signs follow at once and need not be cut out as tokens.
        if Lexer.peek(bytes, end) == UInt8(ascii: ":") {
          end += 1
        } else {
          let colon = Self.token(in: bytes, at: end)
          guard colon.kind == .colon else { return nil }
          end = colon.end
        }
        token = Self.token(in: bytes, at: end)
      }
      guard let (value, literal, end) = Self.value(token, in: bytes) else { return nil }
      fields.append(Field(key: key, value: value, literal: literal))
      if Lexer.peek(bytes, end) == UInt8(ascii: ",") {
        token = Self.token(in: bytes, at: end + 1)
        continue
      }
      token = Self.token(in: bytes, at: end)
      guard token.kind == .comma else { break }
      token = Self.token(in: bytes, at: token.end)
    }
    return token.kind == close ? token.end : nil
  }

  /// The next token inside of brackets, where newlines are blanks.
  @inline(__always)
  private static func token(in bytes: Span<UInt8>, at offset: Int) -> Token {
    var token = Lexer.token(in: bytes, at: offset)
    while token.kind == .newline { token = Lexer.token(in: bytes, at: token.end) }
    return token
  }

  /// The literal that is or starts with a token, if it is of the plain kind, with its place and the
  /// end of its last token.
  @inline(__always)
  private static func value(
    _ token: Token, in bytes: Span<UInt8>
  ) -> (Value, SourceRange, end: Int)? {
    switch token.kind {
    case .string:
      let text = SourceRange(start: token.start + 1, end: token.end - 1)
      let backslash = UInt8(ascii: "\\")
      guard
        firstIndex(of: bytes[token.start], or: backslash, in: bytes, from: text.start) == text.end
      else { return nil }
      return (.string, text, token.end)
    case .number: return number(token.range, in: bytes)
    case .minus:
      let digits = Lexer.token(in: bytes, at: token.end)
      guard digits.kind == .number, digits.start == token.end,
        Lexer.dateEnd(in: bytes, at: token.start) == nil
      else { return nil }
      return number(token.range.joined(with: digits.range), in: bytes)
    case .date:
      guard let date = DateText.timestamp(bytes.extracting(token.range.bounds)) else { return nil }
      return (.date(date), token.range, token.end)
    case .word:
      if StatementBounds.equals(token, "null", in: bytes) { return (.null, token.range, token.end) }
      if StatementBounds.equals(token, "true", in: bytes) {
        return (.bool(true), token.range, token.end)
      }
      guard StatementBounds.equals(token, "false", in: bytes) else { return nil }
      return (.bool(false), token.range, token.end)
    default: return nil
    }
  }

  /// The number at a range, which may start with `-`.
  private static func number(
    _ range: SourceRange, in bytes: Span<UInt8>
  ) -> (Value, SourceRange, end: Int)? {
    switch NumberText.kind(bytes.extracting(range.bounds)) {
    case .integer(let value): (.int(value), range, range.end)
    case .double(let value): (.double(value), range, range.end)
    case .float, nil: nil
    }
  }
}

/// Statements one after the other, from which plain `add`s can be taken without a syntax tree.
public protocol PlainAddSource {
  /// Reads the next statement if it is a plain `add`; else nothing is read.
  mutating func next(_ add: inout PlainAdd) -> Bool

  /// Goes back to the start of the plain `add` that was read last: `next` gives it as a statement.
  mutating func goBack(to add: PlainAdd)
}
