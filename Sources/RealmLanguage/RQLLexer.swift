/// One token of a predicate. Source: query-language.md 2.
public struct RQLToken: Equatable, Sendable {
  /// What it is.
  public var kind: RQLTokenKind
  /// Offset of its first byte.
  public var start: Int
  /// Offset just past its last byte.
  public var end: Int

  init(_ kind: RQLTokenKind, start: Int, end: Int) {
    self.kind = kind
    self.start = start
    self.end = end
  }

  /// Where it stands.
  public var range: SourceRange { SourceRange(start: start, end: end) }
}

/// The kinds of tokens of predicates.
public enum RQLTokenKind: UInt8, Sendable {
  /// End of the text, or a newline that ends the statement.
  case end
  case plus, minus, star, slash
  case equal, notEqual, less, greater, lessEqual, greaterEqual
  case openBracket, closeBracket, openParenthesis, closeParenthesis, openBrace, closeBrace
  case comma, dot
  case `in`, and, or, not, any, all, none
  case beginsWith, endsWith, contains, text, like, between, geoWithin
  case truePredicate, falsePredicate
  case sort, distinct, limit
  case binary, object, ascending, descending, subquery
  case geoBox, geoPolygon, geoCircle
  /// `@size`, `@count`.
  case size
  /// `@max`, `@min`, `@sum`, `@avg`.
  case aggregate
  /// `@links`.
  case backlink
  /// `@type`.
  case type
  /// `@keys`, `@values`.
  case keyValue
  case indexFirst, indexLast, indexSize
  /// `[c]`, `[cu]`, `[cd]`.
  case ignoringCase
  case `true`, `false`, infinity, nan, null
  case uuid, objectID
  /// `T1:0`.
  case seconds
  /// `2024-05-01@00:00:00`.
  case calendar
  /// `O5`.
  case link
  /// `L1:5`.
  case typedLink
  case natural, argument, keyPathArgument
  /// A signed or hexadecimal whole number.
  case number
  case float, base64, string
  case identifier
  /// A name in back quotes; only in statements.
  case quotedName
  /// A date of the shell's own forms; only in statements.
  case date
  /// A text without its closing quote.
  case unterminated
  /// Bytes that no rule accepts.
  case invalid

  /// The token is a word of the language where it is no name.
  var isKeyword: Bool {
    switch self {
    case .in, .and, .or, .not, .any, .all, .none, .beginsWith, .endsWith, .contains, .text, .like,
      .between, .geoWithin, .truePredicate, .falsePredicate, .sort, .distinct, .limit, .binary,
      .object, .ascending, .descending, .subquery, .geoBox, .geoPolygon, .geoCircle, .size,
      .aggregate, .backlink, .type, .keyValue, .indexFirst, .indexLast, .indexSize, .ignoringCase:
      true
    default: false
    }
  }

  /// The token can be a name in a path.
  var isName: Bool {
    switch self {
    case .identifier, .quotedName, .backlink, .keyValue, .beginsWith, .endsWith, .contains, .like,
      .between, .text, .sort, .distinct, .limit, .ascending, .descending, .in, .binary,
      .indexFirst, .indexLast, .indexSize:
      true
    default: false
    }
  }

  /// A line that ends with this token goes on in the next one. Source: shell.md 3.
  var continuesLine: Bool {
    switch self {
    case .plus, .minus, .star, .slash, .equal, .notEqual, .less, .greater, .lessEqual,
      .greaterEqual, .comma, .in, .and, .or, .not, .beginsWith, .endsWith, .contains, .like,
      .between:
      true
    default: false
    }
  }
}

/// Cuts predicates into tokens, one at a time: the longest possible one wins, signs belong to
/// numbers, strings are not translated. Source: query-language.md 2.
public enum RQLLexer {
  /// The token at or after `offset`. `isBare` selects the language of realm-core alone; otherwise
  /// the shell's comments, back quotes and dates are known too, and a newline is skipped only if
  /// `skipsNewlines`, else it gives `end`.
  public static func token(
    in bytes: Span<UInt8>, at offset: Int, isBare: Bool, skipsNewlines: Bool
  ) -> RQLToken {
    let start = skipBlanks(
      in: bytes, from: offset, isBare: isBare, skipsNewlines: skipsNewlines)
    guard start < bytes.count else { return RQLToken(.end, start: bytes.count, end: bytes.count) }
    let byte = bytes[start]
    if isIdentifierStart(bytes, start) { return word(in: bytes, at: start) }
    if Lexer.isDigit(byte) {
      if !isBare, let end = Lexer.dateEnd(in: bytes, at: start) {
        let calendar = calendarEnd(in: bytes, at: start)
        if calendar ?? 0 < end { return RQLToken(.date, start: start, end: end) }
      }
      return number(in: bytes, at: start)
    }
    switch byte {
    case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
      if !isBare, byte != UInt8(ascii: "."), let end = Lexer.dateEnd(in: bytes, at: start) {
        return RQLToken(.date, start: start, end: end)
      }
      return signOrNumber(in: bytes, at: start)
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return string(in: bytes, at: start)
    case UInt8(ascii: "@"): return atWord(in: bytes, at: start)
    case UInt8(ascii: "`") where !isBare:
      let name = Lexer.token(in: bytes, at: start)
      return RQLToken(
        name.kind == .quotedName ? .quotedName : .unterminated, start: start, end: name.end)
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
      return RQLToken(.end, start: start, end: start)
    default: return symbol(in: bytes, at: start)
    }
  }

  private static func skipBlanks(
    in bytes: Span<UInt8>, from offset: Int, isBare: Bool, skipsNewlines: Bool
  ) -> Int {
    var index = offset
    while true {
      if !isBare { index = Lexer.skipBlanks(in: bytes, from: index) }
      switch Lexer.peek(bytes, index) {
      case UInt8(ascii: " "), UInt8(ascii: "\t"): index += 1
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        guard isBare || skipsNewlines else { return index }
        index += 1
      default: return index
      }
    }
  }

  // MARK: Words

  private static func isIdentifierStart(_ bytes: Span<UInt8>, _ index: Int) -> Bool {
    let byte = bytes[index]
    if Lexer.isASCIINameStart(byte) || byte == UInt8(ascii: "$") { return true }
    return byte >= 0x80 && Lexer.scalar(in: bytes, at: index).0 != nil
  }

  /// The end of the identifier that starts at `start`.
  private static func identifierEnd(in bytes: Span<UInt8>, from start: Int) -> Int {
    var index = start
    while index < bytes.count {
      let byte = bytes[index]
      if Lexer.isASCIINameStart(byte) || Lexer.isDigit(byte) || byte == UInt8(ascii: "$")
        || byte == UInt8(ascii: "-")
      {
        index += 1
      } else if byte == UInt8(ascii: "\\") {
        switch Lexer.peek(bytes, index + 1) {
        case UInt8(ascii: " "), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"): index += 2
        default: return index
        }
      } else if byte >= 0x80, case (let scalar?, let length) = Lexer.scalar(in: bytes, at: index),
        scalar.value >= 0x80
      {
        index += length
      } else {
        return index
      }
    }
    return index
  }

  private static func word(in bytes: Span<UInt8>, at start: Int) -> RQLToken {
    let end = identifierEnd(in: bytes, from: start + (bytes[start] < 0x80 ? 1 : 0))
    func longer(_ kind: RQLTokenKind, _ other: Int?) -> RQLToken? {
      guard let other, other >= end else { return nil }
      return RQLToken(kind, start: start, end: other)
    }
    let special: RQLToken? =
      switch bytes[start] {
      case UInt8(ascii: "T"):
        longer(.seconds, secondsAndNanoseconds(in: bytes, at: start)?.end)
      case UInt8(ascii: "O"): longer(.link, digitsEnd(in: bytes, from: start + 1))
      case UInt8(ascii: "L"): longer(.typedLink, typedLinkEnd(in: bytes, at: start))
      case UInt8(ascii: "B"): longer(.base64, base64End(in: bytes, at: start))
      case UInt8(ascii: "u"):
        longer(.uuid, constructorEnd(in: bytes, at: start, "uuid(", groups: [8, 4, 4, 4, 12]))
      case UInt8(ascii: "o"):
        longer(.objectID, constructorEnd(in: bytes, at: start, "oid(", groups: [24]))
      case UInt8(ascii: "$"):
        longer(.argument, digitsEnd(in: bytes, from: start + 1))
          ?? (Lexer.peek(bytes, start + 1) == UInt8(ascii: "K")
            ? longer(.keyPathArgument, digitsEnd(in: bytes, from: start + 2)) : nil)
      default: nil
      }
    return special
      ?? RQLToken(keyword(in: bytes, start: start, end: end), start: start, end: end)
  }

  /// The end of one or more digits, nil if there is none.
  private static func digitsEnd(in bytes: Span<UInt8>, from offset: Int) -> Int? {
    var index = offset
    while index < bytes.count, Lexer.isDigit(bytes[index]) { index += 1 }
    return index > offset ? index : nil
  }

  private static func signedDigitsEnd(in bytes: Span<UInt8>, from offset: Int) -> Int? {
    let first = Lexer.peek(bytes, offset)
    let isSign = first == UInt8(ascii: "+") || first == UInt8(ascii: "-")
    return digitsEnd(in: bytes, from: offset + (isSign ? 1 : 0))
  }

  /// The parts and end of `T` sint `:` sint at `start`.
  static func secondsAndNanoseconds(
    in bytes: Span<UInt8>, at start: Int
  ) -> (seconds: Int64, nanoseconds: Int64, end: Int)? {
    guard let middle = signedDigitsEnd(in: bytes, from: start + 1),
      Lexer.peek(bytes, middle) == UInt8(ascii: ":"),
      let end = signedDigitsEnd(in: bytes, from: middle + 1)
    else { return nil }
    return (
      NumberText.integerOfBase0(bytes.extracting(start + 1..<middle)),
      NumberText.integerOfBase0(bytes.extracting(middle + 1..<end)), end
    )
  }

  private static func typedLinkEnd(in bytes: Span<UInt8>, at start: Int) -> Int? {
    guard let middle = digitsEnd(in: bytes, from: start + 1),
      Lexer.peek(bytes, middle) == UInt8(ascii: ":")
    else { return nil }
    return digitsEnd(in: bytes, from: middle + 1)
  }

  private static func base64End(in bytes: Span<UInt8>, at start: Int) -> Int? {
    guard matches(bytes, start, "B64\"") else { return nil }
    var index = start + 4
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "+"),
        UInt8(ascii: "="):
        index += 1
      case UInt8(ascii: "\""): return index + 1
      default: return nil
      }
    }
    return nil
  }

  private static func constructorEnd(
    in bytes: Span<UInt8>, at start: Int, _ opening: String, groups: [Int]
  ) -> Int? {
    guard matches(bytes, start, opening) else { return nil }
    var index = start + opening.utf8.count
    for (number, count) in groups.enumerated() {
      if number > 0 {
        guard Lexer.peek(bytes, index) == UInt8(ascii: "-") else { return nil }
        index += 1
      }
      for _ in 0..<count {
        guard Lexer.isHexDigit(Lexer.peek(bytes, index)) else { return nil }
        index += 1
      }
    }
    return Lexer.peek(bytes, index) == UInt8(ascii: ")") ? index + 1 : nil
  }

  private static func matches(_ bytes: Span<UInt8>, _ start: Int, _ text: String) -> Bool {
    var index = start
    for byte in text.utf8 {
      if Lexer.peek(bytes, index) != byte { return false }
      index += 1
    }
    return true
  }

  private static func atWord(in bytes: Span<UInt8>, at start: Int) -> RQLToken {
    let words: [(String, RQLTokenKind)] = [
      ("@size", .size), ("@count", .size), ("@max", .aggregate), ("@min", .aggregate),
      ("@sum", .aggregate), ("@avg", .aggregate), ("@links", .backlink), ("@type", .type),
      ("@keys", .keyValue), ("@values", .keyValue),
    ]
    for (word, kind) in words where matches(bytes, start, word) {
      return RQLToken(kind, start: start, end: start + word.utf8.count)
    }
    return RQLToken(
      .invalid, start: start, end: max(start + 1, Lexer.nameEnd(in: bytes, from: start + 1)))
  }

  // MARK: Numbers

  private static func number(in bytes: Span<UInt8>, at start: Int) -> RQLToken {
    if let end = calendarEnd(in: bytes, at: start) {
      return RQLToken(.calendar, start: start, end: end)
    }
    if bytes[start] == UInt8(ascii: "0"), Lexer.peek(bytes, start + 1) | 0x20 == UInt8(ascii: "x"),
      Lexer.isHexDigit(Lexer.peek(bytes, start + 2))
    {
      var end = start + 3
      while end < bytes.count, Lexer.isHexDigit(bytes[end]) { end += 1 }
      return RQLToken(.number, start: start, end: end)
    }
    let whole = digitsEnd(in: bytes, from: start) ?? start
    let end = floatEnd(in: bytes, from: start)
    return end > whole
      ? RQLToken(.float, start: start, end: end) : RQLToken(.natural, start: start, end: whole)
  }

  /// The end of digits with point, exponent and `f` as far as they go; the sign is not included.
  private static func floatEnd(in bytes: Span<UInt8>, from start: Int) -> Int {
    var end = digitsEnd(in: bytes, from: start) ?? start
    if Lexer.peek(bytes, end) == UInt8(ascii: ".") {
      end = digitsEnd(in: bytes, from: end + 1) ?? end + 1
    }
    if Lexer.peek(bytes, end) | 0x20 == UInt8(ascii: "e"),
      let exponent = signedDigitsEnd(in: bytes, from: end + 1)
    {
      end = exponent
    }
    return Lexer.peek(bytes, end) == UInt8(ascii: "f") ? end + 1 : end
  }

  /// The end of int `-` int `-` int (`@` or `T`) int `:` int `:` int, maybe `:` int.
  private static func calendarEnd(in bytes: Span<UInt8>, at start: Int) -> Int? {
    guard var end = digitsEnd(in: bytes, from: start) else { return nil }
    for separators in ["-", "-", "@T", ":", ":"] {
      guard separators.utf8.contains(Lexer.peek(bytes, end)),
        let next = digitsEnd(in: bytes, from: end + 1)
      else { return nil }
      end = next
    }
    if Lexer.peek(bytes, end) == UInt8(ascii: ":"),
      let nanoseconds = digitsEnd(in: bytes, from: end + 1)
    {
      end = nanoseconds
    }
    return end
  }

  private static func signOrNumber(in bytes: Span<UInt8>, at start: Int) -> RQLToken {
    let isSign = bytes[start] != UInt8(ascii: ".")
    let first = start + (isSign ? 1 : 0)
    let next = Lexer.peek(bytes, first)
    if Lexer.isDigit(next)
      || (next == UInt8(ascii: ".") && Lexer.isDigit(Lexer.peek(bytes, first + 1)))
    {
      let end = floatEnd(in: bytes, from: first)
      let isWhole = digitsEnd(in: bytes, from: first) == end
      return RQLToken(isWhole ? .number : .float, start: start, end: end)
    }
    if isSign {
      for (word, kind) in [("infinity", RQLTokenKind.infinity), ("inf", .infinity), ("nan", .nan)] {
        let token = Token(.word, start: first, end: first + word.utf8.count)
        if token.end <= bytes.count, StatementBounds.equalsIgnoringCase(token, word, in: bytes) {
          return RQLToken(kind, start: start, end: token.end)
        }
      }
    }
    let kind: RQLTokenKind =
      !isSign ? .dot : bytes[start] == UInt8(ascii: "+") ? .plus : .minus
    return RQLToken(kind, start: start, end: start + 1)
  }

  // MARK: Strings and signs

  private static func string(in bytes: Span<UInt8>, at start: Int) -> RQLToken {
    let quote = bytes[start]
    var index = start + 1
    while index < bytes.count {
      let byte = bytes[index]
      if byte == quote { return RQLToken(.string, start: start, end: index + 1) }
      guard byte == UInt8(ascii: "\\") else {
        index += 1
        continue
      }
      switch Lexer.peek(bytes, index + 1) {
      case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "/"), UInt8(ascii: "b"),
        UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"),
        UInt8(ascii: "0"), UInt8(ascii: "\\"):
        index += 2
      case UInt8(ascii: "u")
      where (2..<6).allSatisfy { Lexer.isHexDigit(Lexer.peek(bytes, index + $0)) }:
        index += 6
      default: return RQLToken(.invalid, start: index, end: min(index + 2, bytes.count))
      }
    }
    return RQLToken(.unterminated, start: start, end: bytes.count)
  }

  private static func symbol(in bytes: Span<UInt8>, at start: Int) -> RQLToken {
    let next = Lexer.peek(bytes, start + 1)
    func one(_ kind: RQLTokenKind) -> RQLToken { RQLToken(kind, start: start, end: start + 1) }
    func two(_ kind: RQLTokenKind) -> RQLToken { RQLToken(kind, start: start, end: start + 2) }
    switch bytes[start] {
    case UInt8(ascii: "*"): return one(.star)
    case UInt8(ascii: "/"): return one(.slash)
    case UInt8(ascii: "="):
      switch next {
      case UInt8(ascii: "="): return two(.equal)
      case UInt8(ascii: "<"): return two(.lessEqual)
      case UInt8(ascii: ">"): return two(.greaterEqual)
      default: return one(.equal)
      }
    case UInt8(ascii: "!"): return next == UInt8(ascii: "=") ? two(.notEqual) : one(.not)
    case UInt8(ascii: "<"):
      switch next {
      case UInt8(ascii: ">"): return two(.notEqual)
      case UInt8(ascii: "="): return two(.lessEqual)
      default: return one(.less)
      }
    case UInt8(ascii: ">"): return next == UInt8(ascii: "=") ? two(.greaterEqual) : one(.greater)
    case UInt8(ascii: "["):
      for folding in ["[c]", "[cu]", "[cd]"] where matches(bytes, start, folding) {
        return RQLToken(.ignoringCase, start: start, end: start + folding.utf8.count)
      }
      return one(.openBracket)
    case UInt8(ascii: "]"): return one(.closeBracket)
    case UInt8(ascii: "("): return one(.openParenthesis)
    case UInt8(ascii: ")"): return one(.closeParenthesis)
    case UInt8(ascii: "{"): return one(.openBrace)
    case UInt8(ascii: "}"): return one(.closeBrace)
    case UInt8(ascii: ","): return one(.comma)
    case UInt8(ascii: "&"): return next == UInt8(ascii: "&") ? two(.and) : one(.invalid)
    case UInt8(ascii: "|"): return next == UInt8(ascii: "|") ? two(.or) : one(.invalid)
    default: return one(.invalid)
    }
  }

  // MARK: Keywords

  private static let anyCase: [String: RQLTokenKind] = [
    "and": .and, "or": .or, "beginswith": .beginsWith, "endswith": .endsWith,
    "contains": .contains, "text": .text, "like": .like, "between": .between,
    "geowithin": .geoWithin, "truepredicate": .truePredicate, "falsepredicate": .falsePredicate,
    "sort": .sort, "distinct": .distinct, "limit": .limit, "bin": .binary, "binary": .binary,
    "obj": .object, "asc": .ascending, "ascending": .ascending, "desc": .descending,
    "descending": .descending, "subquery": .subquery, "geobox": .geoBox,
    "geopolygon": .geoPolygon, "geocircle": .geoCircle, "inf": .infinity, "infinity": .infinity,
    "nan": .nan, "null": .null, "nil": .null,
  ]

  private static let exactCase: [String: RQLTokenKind] = [
    "in": .in, "IN": .in, "not": .not, "NOT": .not, "any": .any, "ANY": .any, "some": .any,
    "SOME": .any, "all": .all, "ALL": .all, "none": .none, "NONE": .none, "FIRST": .indexFirst,
    "first": .indexFirst, "LAST": .indexLast, "last": .indexLast, "SIZE": .indexSize,
    "size": .indexSize, "true": .true, "TRUE": .true, "false": .false, "FALSE": .false,
  ]

  /// A keyword by its bytes, so that it is found without making a string.
  private struct Keyword {
    /// The bytes of the word, letters in lower case, and as they must be written, 0 for in any case.
    let lowered: UInt128
    let exact: UInt128
    let kind: RQLTokenKind
  }

  private static let greatestKeywordLength = 14

  /// The keywords of each length, those that must be written as they are first.
  private static let keywords: [[Keyword]] = {
    var lists = [[Keyword]](repeating: [], count: greatestKeywordLength + 1)
    for (words, isExact) in [(exactCase, true), (anyCase, false)] {
      for (word, kind) in words {
        let key = word.utf8.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        let lowered = word.utf8.reduce(UInt128(0)) { $0 << 8 | UInt128($1 | 0x20) }
        lists[word.utf8.count].append(
          Keyword(lowered: lowered, exact: isExact ? key : 0, kind: kind))
      }
    }
    return lists
  }()

  private static func keyword(in bytes: Span<UInt8>, start: Int, end: Int) -> RQLTokenKind {
    guard end - start <= greatestKeywordLength else { return .identifier }
    var exact: UInt128 = 0
    var lowered: UInt128 = 0
    for index in start..<end {
      let byte = bytes[index]
      guard Lexer.isASCIINameStart(byte) else { return .identifier }
      exact = exact &<< 8 | UInt128(byte)
      lowered = lowered &<< 8 | UInt128(byte | 0x20)
    }
    for keyword in keywords[end - start] where keyword.lowered == lowered {
      if keyword.exact == 0 || keyword.exact == exact { return keyword.kind }
    }
    return .identifier
  }
}
