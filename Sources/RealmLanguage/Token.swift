/// One token of a statement.
public struct Token: Equatable, Sendable {
  /// What it is.
  public var kind: TokenKind
  /// Offset of its first byte.
  public var start: Int
  /// Offset just past its last byte.
  public var end: Int

  /// Makes a token.
  public init(_ kind: TokenKind, start: Int, end: Int) {
    self.kind = kind
    self.start = start
    self.end = end
  }

  /// Where it stands.
  public var range: SourceRange { SourceRange(start: start, end: end) }
}

/// The kinds of tokens of statements; predicates have their own, see `RQLTokenKind`.
public enum TokenKind: UInt8, Sendable {
  /// End of the text.
  case end
  /// LF, with the CR before it.
  case newline
  case semicolon
  /// A name without quotes: verb, clause word, class, property.
  case word
  /// A name in back quotes.
  case quotedName
  /// `$name`, `$_`.
  case variable
  /// `@count` and its like.
  case atWord
  /// A text in single or double quotes.
  case string
  /// A number without sign.
  case number
  /// `2024-05-01`, `2024-05-01T12:00:00Z`.
  case date
  case comma, colon, dot, hash, question
  case openParenthesis, closeParenthesis, openBracket, closeBracket, openBrace, closeBrace
  case plus, minus, star, doubleStar, slash, percent
  /// `=` and `==`.
  case equal
  case notEqual, less, lessOrEqual, greater, greaterOrEqual
  /// `+=` and its like.
  case plusEqual, minusEqual, starEqual, slashEqual
  /// `&&`.
  case and
  /// `||`.
  case or
  /// `!`.
  case not
  /// `|`.
  case pipe
  /// `->`.
  case arrow
  /// A string without its closing quote; reaches to the end of the text.
  case unterminatedString
  /// A name without its closing back quote; reaches to the end of the text.
  case unterminatedName
  /// A character that has no meaning.
  case other

  /// `(`, `[`, `{`.
  public var opens: Bool {
    switch self {
    case .openParenthesis, .openBracket, .openBrace: true
    default: false
    }
  }

  /// `)`, `]`, `}`.
  public var closes: Bool {
    switch self {
    case .closeParenthesis, .closeBracket, .closeBrace: true
    default: false
    }
  }

  /// A statement ends before this token.
  public var endsStatement: Bool {
    switch self {
    case .end, .newline, .semicolon, .pipe: true
    default: false
    }
  }

  /// An expression ends before this token, which is no operator and no word.
  var endsExpression: Bool {
    switch self {
    case .end, .newline, .semicolon, .comma, .closeParenthesis, .closeBracket, .closeBrace: true
    default: false
    }
  }

  /// A line that ends with this token goes on in the next one. Source: shell.md 3.
  public var continuesLine: Bool {
    switch self {
    case .comma, .colon, .plus, .minus, .star, .slash, .percent, .equal, .notEqual, .less,
      .lessOrEqual, .greater, .greaterOrEqual, .plusEqual, .minusEqual, .starEqual, .slashEqual,
      .and, .or, .arrow:
      true
    default: false
    }
  }

  /// An operand of an expression may start with this token.
  var startsOperand: Bool {
    switch self {
    case .word, .quotedName, .variable, .string, .number, .date, .openParenthesis, .openBracket,
      .openBrace, .minus, .plus, .atWord, .dot, .not:
      true
    default: false
    }
  }
}
