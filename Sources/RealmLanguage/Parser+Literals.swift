import ByteKernels
import RealmValues

/// Literals of the shell. Source: shell.md 4.
extension Parser {
  /// Takes a literal that starts at the current token, or nothing if none does. Words that only
  /// look like one (`uuid` without a parenthesis) are left.
  mutating func acceptLiteral() throws(SyntaxError) -> Literal? {
    switch token.kind {
    case .number:
      let range = token.range
      let kind = try numberKind(range, isNegative: false)
      try advance()
      return Literal(kind, range: range)
    case .minus, .plus: return try signedNumber()
    case .date: return try dateLiteral(token.range)
    case .string:
      let range = token.range
      let value = try unescaped(range)
      try advance()
      return Literal(.string(value), range: range)
    case .word: return try wordLiteral()
    default: return nil
    }
  }

  private mutating func dateLiteral(_ range: SourceRange) throws(SyntaxError) -> Literal {
    guard let value = DateText.timestamp(bytes.span.extracting(range.bounds)) else {
      throw SyntaxError("no such date", range: range)
    }
    resume(at: range.end)
    return Literal(.date(value), range: range)
  }

  /// A number, or a date beyond the years 0 to 9999, after its sign; nothing if neither follows
  /// directly.
  private mutating func signedNumber() throws(SyntaxError) -> Literal? {
    let sign = token
    let next = Lexer.token(in: bytes.span, at: sign.end)
    let range = SourceRange(start: sign.start, end: next.end)
    let isNegative = sign.kind == .minus
    guard next.start == sign.end else { return nil }
    if let end = Lexer.dateEnd(in: bytes.span, at: sign.start) {
      return try dateLiteral(SourceRange(start: sign.start, end: end))
    }
    if next.kind == .number {
      let kind = try numberKind(next.range, isNegative: isNegative)
      resume(at: next.end)
      return Literal(kind, range: range)
    }
    guard next.kind == .word else { return nil }
    switch text(next.range).lowercased() {
    case "inf", "infinity":
      resume(at: next.end)
      let value = isNegative ? -Double.infinity : .infinity
      return Literal(.double(value, text: isNegative ? "-inf" : "inf"), range: range)
    case "nan":
      resume(at: next.end)
      return Literal(.double(.nan, text: "nan"), range: range)
    default: return nil
    }
  }

  private mutating func wordLiteral() throws(SyntaxError) -> Literal? {
    let range = token.range
    guard range.length <= 20, Self.startsLiteralWord(bytes[range.start]) else { return nil }
    func take(_ kind: Literal.Kind) throws(SyntaxError) -> Literal {
      try advance()
      return Literal(kind, range: range)
    }
    if isWord("null") || isWord("nil") { return try take(.null) }
    let isUppercase = bytes[range.end - 1] < UInt8(ascii: "a")
    if isWord("true"), isOneCase(range, isUppercase) { return try take(.bool(true)) }
    if isWord("false"), isOneCase(range, isUppercase) { return try take(.bool(false)) }
    if bytes[range.start] == UInt8(ascii: "T"), let literal = try secondsLiteral() {
      return literal
    }
    if isWord("inf") || isWord("infinity") { return try take(.double(.infinity, text: "inf")) }
    if isWord("nan"), byte(at: range.end) != UInt8(ascii: "(") {
      return try take(.double(.nan, text: "nan"))
    }
    switch byte(at: range.end) {
    case UInt8(ascii: "\"") where isWord("b64") && bytes[range.start] == UInt8(ascii: "B"):
      return try base64Literal()
    case UInt8(ascii: "("):
      for constructor in Constructor.allCases where isWord(constructor.rawValue) {
        return try constructorLiteral(constructor)
      }
      return nil
    default: return nil
    }
  }

  /// The words of literals that look like calls.
  private enum Constructor: String, CaseIterable {
    case oid, uuid, hex, binary, decimal, nan
  }

  /// The letters at `range` are all of one case, which is that of the last one.
  private func isOneCase(_ range: SourceRange, _ isUppercase: Bool) -> Bool {
    for index in range.start..<range.end
    where (bytes[index] < UInt8(ascii: "a")) != isUppercase { return false }
    return true
  }

  /// Whether a word that starts with the byte can be or open a literal; saves reading most names.
  private static func startsLiteralWord(_ byte: UInt8) -> Bool {
    switch byte | 0x20 {
    case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "i"),
      UInt8(ascii: "b"), UInt8(ascii: "o"), UInt8(ascii: "u"), UInt8(ascii: "h"),
      UInt8(ascii: "d"):
      true
    default: false
    }
  }

  private mutating func base64Literal() throws(SyntaxError) -> Literal {
    let word = token
    try advance()
    guard token.kind == .string else { throw failure() }
    let range = SourceRange(start: word.start, end: token.end)
    guard let value = Base64.decode(bytes[token.start + 1..<token.end - 1]) else {
      throw SyntaxError("malformed Base64", range: range, category: .badBase64)
    }
    try advance()
    return Literal(.data(value), range: range)
  }

  /// `T1714564800:0`: seconds and nanoseconds.
  private mutating func secondsLiteral() throws(SyntaxError) -> Literal? {
    guard let match = RQLLexer.secondsAndNanoseconds(in: bytes.span, at: token.start) else {
      return nil
    }
    let range = SourceRange(start: token.start, end: match.end)
    guard let value = DateText.timestamp(bytes.span.extracting(range.bounds)) else {
      throw SyntaxError(
        "seconds and nanoseconds have opposite signs, or too many nanoseconds", range: range,
        category: .badTimestamp)
    }
    resume(at: range.end)
    return Literal(.date(value), range: range)
  }

  /// `oid(…)`, `uuid(…)`, `hex("…")`, `binary("…")`, `decimal(…)`, `nan("…")` with constant content;
  /// nothing if the content makes it a call of the function of that name.
  private mutating func constructorLiteral(
    _ constructor: Constructor
  ) throws(SyntaxError) -> Literal? {
    let start = token.start
    let inner = Lexer.token(in: bytes.span, at: token.end + 1)
    var content = inner.range
    var value: [UInt8]
    if inner.kind == .string {
      value = try unescaped(inner.range)
    } else if constructor == .hex || constructor == .binary || constructor == .nan {
      return nil
    } else {
      content = rawContent(from: token.end + 1)
      value = Array(bytes[content.start..<content.end])
    }
    let close = Lexer.token(in: bytes.span, at: content.end)
    guard close.kind == .closeParenthesis else { return nil }
    let range = SourceRange(start: start, end: close.end)
    let kind: Literal.Kind?
    switch constructor {
    case .oid: kind = ObjectID(hex: value).map(Literal.Kind.objectID)
    case .uuid: kind = UUIDValue(hex: value).map(Literal.Kind.uuid)
    case .hex:
      // Unsafe only in form: the kernel reads no further than the buffer's count.
      let data = unsafe value.withUnsafeBytes { bytes in unsafe decodeHexadecimal(bytes) }
      kind = data.map(Literal.Kind.data)
    case .decimal:
      kind = (Self.decimal(bits: value) ?? Decimal128(parsing: value)).map(Literal.Kind.decimal)
    case .binary: kind = .data(value)
    case .nan: kind = Self.notANumber(value)
    }
    guard let kind else {
      if inner.kind != .string, value.isEmpty || constructor == .decimal { return nil }
      throw SyntaxError(Self.wrongContent(of: constructor), range: content)
    }
    mark(.literal, range)
    resume(at: close.end)
    return Literal(kind, range: range)
  }

  /// What is not a number, by the bits of a float or a double.
  private static func notANumber(_ digits: [UInt8]) -> Literal.Kind? {
    // Unsafe only in form: the kernel reads no further than the buffer's count.
    let decoded = unsafe digits.withUnsafeBytes { bytes in unsafe decodeHexadecimal(bytes) }
    guard let decoded, decoded.count == 4 || decoded.count == 8 else { return nil }
    let bits = decoded.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    if decoded.count == 4 {
      let value = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
      return value.isNaN ? .float(value, text: "nan") : nil
    }
    let value = Double(bitPattern: bits)
    return value.isNaN ? .double(value, text: "nan") : nil
  }

  /// A decimal by the digits of its bits: `0x` and 32 of them.
  private static func decimal(bits text: [UInt8]) -> Decimal128? {
    guard text.count == 34, text.starts(with: "0x".utf8) else { return nil }
    // Unsafe only in form: the kernel reads no further than the buffer's count.
    let decoded = unsafe text[2...].withUnsafeBytes { bytes in unsafe decodeHexadecimal(bytes) }
    guard let decoded else { return nil }
    func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    return Decimal128(low: word(decoded[8...]), high: word(decoded[..<8]))
  }

  private static func wrongContent(of constructor: Constructor) -> String {
    switch constructor {
    case .oid: "an object id has 24 hexadecimal digits"
    case .uuid: "a UUID has 32 hexadecimal digits in groups of 8-4-4-4-12"
    case .hex: "expected pairs of hexadecimal digits"
    case .nan: "expected the 8 or 16 hexadecimal digits of what is not a number"
    case .binary, .decimal: "not a decimal number"
    }
  }

  /// The text from `offset` up to a parenthesis, blank or end, blanks before it skipped.
  private func rawContent(from offset: Int) -> SourceRange {
    var start = offset
    while byte(at: start) == UInt8(ascii: " ") { start += 1 }
    var end = start
    while end < bytes.count, bytes[end] > UInt8(ascii: " "), bytes[end] != UInt8(ascii: "("),
      bytes[end] != UInt8(ascii: ")")
    {
      end += 1
    }
    return SourceRange(start: start, end: end)
  }

  /// The value of the number at `range`.
  func numberKind(_ range: SourceRange, isNegative: Bool) throws(SyntaxError) -> Literal.Kind {
    // The sign stands right before the digits.
    let number = SourceRange(start: range.start - (isNegative ? 1 : 0), end: range.end)
    switch NumberText.kind(bytes.span.extracting(number.bounds)) {
    case .integer(let value): return .integer(value)
    case .float(let value):
      return .float(value, text: text(SourceRange(start: number.start, end: number.end - 1)))
    case .double(let value): return .double(value, text: text(number))
    case nil: throw SyntaxError("a hexadecimal number beyond 64 bits", range: range)
    }
  }

  /// The bytes of the quoted text at `range` with its escapes translated. Source: shell.md 4.
  func unescaped(_ range: SourceRange) throws(SyntaxError) -> [UInt8] {
    let end = range.end - 1
    let span = bytes.span
    var index = firstIndex(
      of: span[range.start], or: UInt8(ascii: "\\"), in: span, from: range.start + 1)
    var result = Array(bytes[range.start + 1..<index])
    if index == end { return result }
    result.reserveCapacity(end - range.start)
    while index < end {
      let byte = bytes[index]
      guard byte == UInt8(ascii: "\\") else {
        result.append(byte)
        index += 1
        continue
      }
      switch self.byte(at: index + 1) {
      case UInt8(ascii: "n"): result.append(UInt8(ascii: "\n"))
      case UInt8(ascii: "t"): result.append(UInt8(ascii: "\t"))
      case UInt8(ascii: "r"): result.append(UInt8(ascii: "\r"))
      case UInt8(ascii: "u"):
        guard let scalar = unicodeEscape(at: index + 2, before: end) else {
          throw SyntaxError(
            "expected four hexadecimal digits of a character after \\u",
            range: SourceRange(start: index, end: min(index + 6, end)))
        }
        result.append(contentsOf: Array(String(Character(scalar)).utf8))
        index += 4
      case UInt8(ascii: "x"):
        guard let byte = byteEscape(at: index + 2, before: end) else {
          throw SyntaxError(
            "expected two hexadecimal digits, 80 to ff, of a byte that is not UTF-8 after \\x",
            range: SourceRange(start: index, end: min(index + 4, end)))
        }
        result.append(byte)
        index += 2
      case let other where "\\\"'`/".utf8.contains(other): result.append(other)
      default:
        throw SyntaxError(
          "unknown escape; \\n \\t \\r \\\\ \\\" \\' and \\u0000 are known",
          range: SourceRange(start: index, end: index + 2))
      }
      index += 2
    }
    return result
  }

  /// A byte of a text that is not UTF-8; every other text can be written as it is.
  private func byteEscape(at offset: Int, before end: Int) -> UInt8? {
    guard offset + 2 <= end, let high = hexadecimalDigit(bytes[offset]),
      let low = hexadecimalDigit(bytes[offset + 1]), high >= 8
    else { return nil }
    return UInt8(truncatingIfNeeded: high << 4 | low)
  }

  private func unicodeEscape(at offset: Int, before end: Int) -> Unicode.Scalar? {
    guard offset + 4 <= end else { return nil }
    var value: UInt32 = 0
    for index in offset..<offset + 4 {
      guard let digit = hexadecimalDigit(bytes[index]) else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return Unicode.Scalar(value)
  }
}
