import ByteKernels

/// Cuts the text of statements into tokens, one at a time and without state, so that paths, raw
/// text and predicates can be read at any place. Never traps. Source: shell.md 3.
public enum Lexer {
  /// The token at or after `offset`, blanks and comments skipped.
  public static func token(in bytes: Span<UInt8>, at offset: Int) -> Token {
    // Between most tokens there is one blank or none.
    var start = offset
    if peek(bytes, start) == UInt8(ascii: " ") { start += 1 }
    switch peek(bytes, start) {
    case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "#"), UInt8(ascii: "\\"):
      start = skipBlanks(in: bytes, from: start)
    default: break
    }
    guard start < bytes.count else { return Token(.end, start: bytes.count, end: bytes.count) }
    let byte = bytes[start]
    if isASCIINameStart(byte) {
      return Token(.word, start: start, end: nameEnd(in: bytes, from: start + 1))
    }
    if isDigit(byte) || (byte == UInt8(ascii: ".") && isDigit(peek(bytes, start + 1))) {
      return number(in: bytes, at: start)
    }
    switch byte {
    case UInt8(ascii: "\n"): return Token(.newline, start: start, end: start + 1)
    case UInt8(ascii: "\r"):
      let isLineEnd = peek(bytes, start + 1) == UInt8(ascii: "\n")
      return Token(isLineEnd ? .newline : .other, start: start, end: start + (isLineEnd ? 2 : 1))
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return string(in: bytes, at: start)
    case UInt8(ascii: "`"): return quotedName(in: bytes, at: start)
    case UInt8(ascii: "$"):
      let end = nameEnd(in: bytes, from: start + 1)
      return Token(end > start + 1 ? .variable : .other, start: start, end: end)
    case UInt8(ascii: "@"):
      let end = nameEnd(in: bytes, from: start + 1)
      return Token(end > start + 1 ? .atWord : .other, start: start, end: end)
    case 0x80...: return multiByte(in: bytes, at: start)
    default: return symbol(in: bytes, at: start)
    }
  }

  /// The offset of the first byte at or after `offset` that is neither a blank nor part of a
  /// comment or of a backslash that joins two lines.
  static func skipBlanks(in bytes: Span<UInt8>, from offset: Int) -> Int {
    var index = offset
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: " "), UInt8(ascii: "\t"): index += 1
      case UInt8(ascii: "#") where startsComment(in: bytes, at: index):
        index = lineEnd(in: bytes, from: index)
      case UInt8(ascii: "\\"):
        guard let next = joinedLine(in: bytes, at: index) else { return index }
        index = next
      default: return index
      }
    }
    return index
  }

  /// The offset of the next line if the backslash at `index` is the last character of its line.
  private static func joinedLine(in bytes: Span<UInt8>, at index: Int) -> Int? {
    var next = index + 1
    while next < bytes.count {
      switch bytes[next] {
      case UInt8(ascii: "\n"): return next + 1
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): next += 1
      default: return nil
      }
    }
    return next
  }

  /// A `#` starts a comment at the start of a line and after a blank, `;` or bracket.
  private static func startsComment(in bytes: Span<UInt8>, at index: Int) -> Bool {
    guard index > 0 else { return true }
    switch bytes[index - 1] {
    case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: ";"),
      UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "["), UInt8(ascii: "]"),
      UInt8(ascii: "{"), UInt8(ascii: "}"):
      return true
    default: return false
    }
  }

  /// The offset of the line end (CR of CRLF, LF, or end of text) at or after `offset`.
  static func lineEnd(in bytes: Span<UInt8>, from offset: Int) -> Int {
    var index = offset
    while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
    if index > offset, index < bytes.count, bytes[index - 1] == UInt8(ascii: "\r") { index -= 1 }
    return index
  }

  /// Where the topic of a `help` ends that starts at `offset`: at a semicolon, a comment, a pipe with
  /// a command, or the line end.
  static func topicEnd(in bytes: Span<UInt8>, from offset: Int) -> Int {
    func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    let end = lineEnd(in: bytes, from: offset)
    var index = offset
    while index < end {
      switch bytes[index] {
      case UInt8(ascii: ";"): return index
      case UInt8(ascii: "#") where index == offset || isBlank(bytes[index - 1]): return index
      case UInt8(ascii: "|") where peek(bytes, index + 1) == UInt8(ascii: "|"): index += 2
      case UInt8(ascii: "|"):
        if (index + 1..<end).contains(where: { !isBlank(bytes[$0]) }) { return index }
        return end
      default: index += 1
      }
    }
    return end
  }

  /// The byte at `index`, 0 beyond the end.
  @inline(__always)
  static func peek(_ bytes: Span<UInt8>, _ index: Int) -> UInt8 {
    index < bytes.count ? bytes[index] : 0
  }

  @inline(__always)
  static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  @inline(__always)
  static func isHexDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 6
  }

  @inline(__always)
  static func isASCIINameStart(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_")
  }

  /// The end of the run of name characters that starts at `offset`.
  static func nameEnd(in bytes: Span<UInt8>, from offset: Int) -> Int {
    var index = offset
    while index < bytes.count {
      let byte = bytes[index]
      if isASCIINameStart(byte) || isDigit(byte) {
        index += 1
      } else if byte >= 0x80 {
        let (scalar, length) = scalar(in: bytes, at: index)
        guard let scalar, scalar.properties.isXIDContinue else { return index }
        index += length
      } else {
        return index
      }
    }
    return index
  }

  private static func multiByte(in bytes: Span<UInt8>, at start: Int) -> Token {
    let (scalar, length) = scalar(in: bytes, at: start)
    guard let scalar, scalar.properties.isXIDStart else {
      return Token(.other, start: start, end: start + length)
    }
    return Token(.word, start: start, end: nameEnd(in: bytes, from: start + length))
  }

  /// The character at `index` and its length in bytes; nil and 1 if it is ill-formed.
  static func scalar(in bytes: Span<UInt8>, at index: Int) -> (Unicode.Scalar?, length: Int) {
    let first = UInt32(bytes[index])
    let length: Int
    var value: UInt32
    let least: UInt32
    switch first {
    case 0..<0x80: return (Unicode.Scalar(first), 1)
    case 0xC2..<0xE0: (length, value, least) = (2, first & 0x1F, 0x80)
    case 0xE0..<0xF0: (length, value, least) = (3, first & 0x0F, 0x800)
    case 0xF0..<0xF5: (length, value, least) = (4, first & 0x07, 0x10000)
    default: return (nil, 1)
    }
    guard index + length <= bytes.count else { return (nil, 1) }
    for next in index + 1..<index + length {
      guard bytes[next] & 0xC0 == 0x80 else { return (nil, 1) }
      value = value << 6 | UInt32(bytes[next] & 0x3F)
    }
    guard value >= least, let scalar = Unicode.Scalar(value) else { return (nil, 1) }
    return (scalar, length)
  }

  private static func string(in bytes: Span<UInt8>, at start: Int) -> Token {
    let quote = bytes[start]
    var index = start + 1
    while index < bytes.count {
      index = firstIndex(of: quote, or: UInt8(ascii: "\\"), in: bytes, from: index)
      guard index < bytes.count else { break }
      if bytes[index] == quote { return Token(.string, start: start, end: index + 1) }
      index += 2
    }
    return Token(.unterminatedString, start: start, end: bytes.count)
  }

  private static func quotedName(in bytes: Span<UInt8>, at start: Int) -> Token {
    var index = start + 1
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "`") {
        guard peek(bytes, index + 1) == UInt8(ascii: "`") else {
          return Token(.quotedName, start: start, end: index + 1)
        }
        index += 1
      }
      index += 1
    }
    return Token(.unterminatedName, start: start, end: bytes.count)
  }

  private static func digitsEnd(in bytes: Span<UInt8>, from offset: Int) -> Int {
    var index = offset
    while index < bytes.count, isDigit(bytes[index]) { index += 1 }
    return index
  }

  private static func number(in bytes: Span<UInt8>, at start: Int) -> Token {
    // The year of a date without a sign has four digits.
    if peek(bytes, start + 4) == UInt8(ascii: "-"), let end = dateEnd(in: bytes, at: start) {
      return Token(.date, start: start, end: end)
    }
    if bytes[start] == UInt8(ascii: "0"), peek(bytes, start + 1) | 0x20 == UInt8(ascii: "x"),
      isHexDigit(peek(bytes, start + 2))
    {
      var end = start + 3
      while end < bytes.count, isHexDigit(bytes[end]) { end += 1 }
      return Token(.number, start: start, end: end)
    }
    var end = digitsEnd(in: bytes, from: start)
    if peek(bytes, end) == UInt8(ascii: ".") { end = digitsEnd(in: bytes, from: end + 1) }
    if peek(bytes, end) | 0x20 == UInt8(ascii: "e") {
      var digits = end + 1
      let sign = peek(bytes, digits)
      if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { digits += 1 }
      if isDigit(peek(bytes, digits)) { end = digitsEnd(in: bytes, from: digits) }
    }
    if peek(bytes, end) == UInt8(ascii: "f"), nameEnd(in: bytes, from: end) == end + 1 { end += 1 }
    return Token(.number, start: start, end: end)
  }

  /// The end of a date that starts at `start`: `YYYY-MM-DD`, maybe with a time, a fraction or
  /// nanoseconds, and an offset. With a sign before it the year may have more digits, but then the
  /// time is needed. The parts are checked when the value is read.
  static func dateEnd(in bytes: Span<UInt8>, at start: Int) -> Int? {
    func digits(_ offset: Int, _ count: Int) -> Bool {
      for index in offset..<offset + count where !isDigit(peek(bytes, index)) { return false }
      return !isDigit(peek(bytes, offset + count))
    }
    let hasSign = !isDigit(peek(bytes, start))
    let yearStart = hasSign ? start + 1 : start
    let yearEnd = digitsEnd(in: bytes, from: yearStart)
    guard yearEnd - yearStart == 4 || (hasSign && yearEnd - yearStart > 4),
      peek(bytes, yearEnd) == UInt8(ascii: "-"), digits(yearEnd + 1, 2),
      peek(bytes, yearEnd + 3) == UInt8(ascii: "-"), digits(yearEnd + 4, 2)
    else { return nil }
    var end = yearEnd + 6
    let separator = peek(bytes, end)
    guard separator == UInt8(ascii: "T") || separator == UInt8(ascii: "@"), digits(end + 1, 2),
      peek(bytes, end + 3) == UInt8(ascii: ":"), digits(end + 4, 2),
      peek(bytes, end + 6) == UInt8(ascii: ":"), digits(end + 7, 2)
    else { return hasSign ? nil : end }
    end += 9
    let mark = peek(bytes, end)
    if mark == UInt8(ascii: ".") || mark == UInt8(ascii: ":"), isDigit(peek(bytes, end + 1)) {
      end = digitsEnd(in: bytes, from: end + 1)
    }
    switch peek(bytes, end) {
    case UInt8(ascii: "Z"): return end + 1
    case UInt8(ascii: "+"), UInt8(ascii: "-"):
      guard digits(end + 1, 2), peek(bytes, end + 3) == UInt8(ascii: ":"), digits(end + 4, 2)
      else { return end }
      return end + 6
    default: return end
    }
  }

  private static func symbol(in bytes: Span<UInt8>, at start: Int) -> Token {
    let next = peek(bytes, start + 1)
    func one(_ kind: TokenKind) -> Token { Token(kind, start: start, end: start + 1) }
    func two(_ kind: TokenKind) -> Token { Token(kind, start: start, end: start + 2) }
    switch bytes[start] {
    case UInt8(ascii: ";"): return one(.semicolon)
    case UInt8(ascii: ","): return one(.comma)
    case UInt8(ascii: ":"): return one(.colon)
    case UInt8(ascii: "."): return one(.dot)
    case UInt8(ascii: "#"): return one(.hash)
    case UInt8(ascii: "?"): return one(.question)
    case UInt8(ascii: "("): return one(.openParenthesis)
    case UInt8(ascii: ")"): return one(.closeParenthesis)
    case UInt8(ascii: "["): return one(.openBracket)
    case UInt8(ascii: "]"): return one(.closeBracket)
    case UInt8(ascii: "{"): return one(.openBrace)
    case UInt8(ascii: "}"): return one(.closeBrace)
    case UInt8(ascii: "+"): return next == UInt8(ascii: "=") ? two(.plusEqual) : one(.plus)
    case UInt8(ascii: "-"):
      switch next {
      case UInt8(ascii: ">"): return two(.arrow)
      case UInt8(ascii: "="): return two(.minusEqual)
      default: return one(.minus)
      }
    case UInt8(ascii: "*"):
      switch next {
      case UInt8(ascii: "*"): return two(.doubleStar)
      case UInt8(ascii: "="): return two(.starEqual)
      default: return one(.star)
      }
    case UInt8(ascii: "/"): return next == UInt8(ascii: "=") ? two(.slashEqual) : one(.slash)
    case UInt8(ascii: "%"): return one(.percent)
    case UInt8(ascii: "="):
      switch next {
      case UInt8(ascii: "="): return two(.equal)
      case UInt8(ascii: "<"): return two(.lessOrEqual)
      case UInt8(ascii: ">"): return two(.greaterOrEqual)
      default: return one(.equal)
      }
    case UInt8(ascii: "!"): return next == UInt8(ascii: "=") ? two(.notEqual) : one(.not)
    case UInt8(ascii: "<"):
      switch next {
      case UInt8(ascii: "="): return two(.lessOrEqual)
      case UInt8(ascii: ">"): return two(.notEqual)
      default: return one(.less)
      }
    case UInt8(ascii: ">"): return next == UInt8(ascii: "=") ? two(.greaterOrEqual) : one(.greater)
    case UInt8(ascii: "&"): return next == UInt8(ascii: "&") ? two(.and) : one(.other)
    case UInt8(ascii: "|"): return next == UInt8(ascii: "|") ? two(.or) : one(.pipe)
    default: return one(.other)
    }
  }
}
