import ByteKernels
import RealmLanguage

/// Strings of JSON.
enum JSONText {
  /// Writes a string with quotes; bytes that are not UTF-8 become U+FFFD.
  static func writeString(_ bytes: UnsafeRawBufferPointer, to out: ByteWriter) {
    out.byte(UInt8(ascii: "\""))
    EscapedText.write(bytes, .json, to: out)
    out.byte(UInt8(ascii: "\""))
  }

  /// Writes a string with quotes.
  static func writeString(_ text: String, to out: ByteWriter) {
    var text = text
    text.withUTF8 { writeString(UnsafeRawBufferPointer($0), to: out) }
  }
}

/// The inside of strings: most bytes are copied in runs, some are written as escapes.
enum EscapedText {
  /// What cannot stand as it is.
  enum Form {
    /// Quotes, backslashes and controls below U+0020; bytes that are not UTF-8 become U+FFFD.
    case json
    /// Quotes, backslashes, all controls and overrides of the writing direction, by which a text
    /// could look like another; bytes that are not UTF-8 become `\xNN`.
    case literal
    /// The same without quotes and backslashes.
    case bare
  }

  /// A text for people, from wherever it comes.
  static func bare(_ text: String) -> String {
    var text = text
    return text.withUTF8 { utf8 in
      let bytes = UnsafeRawBufferPointer(utf8)
      if isPrintableASCII(bytes, without: 0x7F, 0x7F) {
        return String(decoding: bytes, as: UTF8.self)
      }
      let writer = ByteWriter()
      write(bytes, .bare, to: writer)
      return String(decoding: writer.takeBytes(), as: UTF8.self)
    }
  }

  /// Whether terminals turn round what follows a character.
  static func overridesDirection(_ scalar: Unicode.Scalar) -> Bool {
    (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
  }

  static func write(_ bytes: UnsafeRawBufferPointer, _ form: Form, to out: ByteWriter) {
    let isPlain =
      form == .bare
      ? isPrintableASCII(bytes, without: 0x7F, 0x7F) : isPrintableASCII(bytes, without: 0x22, 0x5C)
    if isPlain {
      out.write(bytes)
      return
    }
    var start = 0
    var i = 0
    while i < bytes.count {
      let byteCount = plainByteCount(bytes, i, form)
      if byteCount > 0 {
        i += byteCount
      } else {
        out.write(UnsafeRawBufferPointer(rebasing: bytes[start..<i]))
        i += writeEscape(bytes, i, form, to: out)
        start = i
      }
    }
    out.write(UnsafeRawBufferPointer(rebasing: bytes[start...]))
  }

  /// Number of bytes of the character at a position if it stands for itself; else 0.
  private static func plainByteCount(
    _ bytes: UnsafeRawBufferPointer, _ i: Int, _ form: Form
  ) -> Int {
    let byte = bytes[i]
    if byte < 0x80 {
      if byte == 0x7F { return form == .json ? 1 : 0 }
      let isQuote = byte == 0x22 || byte == 0x5C
      return byte < 0x20 || (isQuote && form != .bare) ? 0 : 1
    }
    guard let (scalar, byteCount) = decodeScalar(in: bytes, at: i) else { return 0 }
    return form != .json && (scalar.value < 0xA0 || overridesDirection(scalar)) ? 0 : byteCount
  }

  /// Writes the escape for the character at a position and gives the number of bytes it replaces.
  private static func writeEscape(
    _ bytes: UnsafeRawBufferPointer, _ i: Int, _ form: Form, to out: ByteWriter
  ) -> Int {
    let byte = bytes[i]
    switch byte {
    case 0x22: out.write("\\\"")
    case 0x5C: out.write("\\\\")
    case 0x0A: out.write("\\n")
    case 0x0D: out.write("\\r")
    case 0x09: out.write("\\t")
    case 0..<0x80: writeHex(byte, after: "\\u00", to: out)
    default:
      if let (scalar, byteCount) = decodeScalar(in: bytes, at: i) {
        writeHex(UInt8(truncatingIfNeeded: scalar.value >> 8), after: "\\u", to: out)
        writeHex(UInt8(truncatingIfNeeded: scalar.value), after: "", to: out)
        return byteCount
      }
      if form == .json { out.write("\u{FFFD}") } else { writeHex(byte, after: "\\x", to: out) }
    }
    return 1
  }

  private static func writeHex(_ byte: UInt8, after prefix: StaticString, to out: ByteWriter) {
    out.write(prefix)
    withUnsafeBytes(of: byte) { out.writeHexadecimal($0) }
  }
}

/// Texts in the literal form.
///
/// Source: shell.md 4.
enum LiteralText {
  /// Writes a string with quotes.
  static func writeQuoted(_ bytes: UnsafeRawBufferPointer, to out: ByteWriter) {
    out.byte(UInt8(ascii: "\""))
    EscapedText.write(bytes, .literal, to: out)
    out.byte(UInt8(ascii: "\""))
  }

  /// Writes a string in a cell of a table, in quotes if it could be mistaken.
  static func writeCell(
    _ bytes: UnsafeRawBufferPointer, isMixed: Bool, to out: ByteWriter
  ) {
    if needsQuotes(bytes, isMixed: isMixed) {
      writeQuoted(bytes, to: out)
    } else {
      EscapedText.write(bytes, .bare, to: out)
    }
  }

  /// Whether a text can stand as a name without quotes.
  static func isName(_ bytes: UnsafeRawBufferPointer) -> Bool {
    firstInvalidUTF8(in: bytes) == nil
      && CanonicalText.isBareName(bytes.bindMemory(to: UInt8.self).span)
  }

  /// Whether a string in a cell has to stand in quotes.
  static func needsQuotes(_ bytes: UnsafeRawBufferPointer, isMixed: Bool) -> Bool {
    guard let first = bytes.first, let last = bytes.last else { return true }
    if first == 0x20 || last == 0x20 || containsControl(bytes) { return true }
    if bytes.count == 4, bytes.elementsEqual("null".utf8) { return true }
    return isMixed && readsAsOtherType(bytes, first: first)
  }

  private static func containsControl(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if isPrintableASCII(bytes, without: 0x7F, 0x7F) { return false }
    return !isPrintable(bytes, without: 0x7F, 0x7F) || containsLateControl(bytes)
  }

  /// Whether there is a control from U+0080 to U+009F, which some terminals obey, or an override of
  /// the writing direction.
  private static func containsLateControl(_ bytes: UnsafeRawBufferPointer) -> Bool {
    (0..<max(0, bytes.count - 1)).contains { i in
      switch bytes[i] {
      case 0xC2: bytes[i + 1] & 0xE0 == 0x80
      case 0xE2:
        decodeScalar(in: bytes, at: i).map { EscapedText.overridesDirection($0.scalar) } ?? false
      default: false
      }
    }
  }

  /// Longer texts that begin like a literal are quoted without being read.
  private static let longestReadText = 200

  /// Whether a text would be read as a value that is not this text.
  private static func readsAsOtherType(_ bytes: UnsafeRawBufferPointer, first: UInt8) -> Bool {
    let isWord = first == 0x5F || (first | 0x20) &- 0x61 < 26 || first >= 0x80
    if isWord, !bytes.contains(where: { "(#\":".utf8.contains($0) }) {
      return bytes.count <= 8
        && ["null", "true", "false", "nil", "inf", "infinity", "nan"].contains(
          String(decoding: bytes, as: UTF8.self).lowercased())
    }
    if "\"'`$".utf8.contains(first) { return true }
    guard isWord || first &- 0x30 < 10 || "+-.[{".utf8.contains(first) else { return false }
    if bytes.count > longestReadText { return true }
    let text = String(decoding: bytes, as: UTF8.self)
    guard let statements = try? StatementParser.parse("print " + text), statements.count == 1,
      case .print(let expressions) = statements[0].body, expressions.count == 1
    else { return false }
    return isLiteral(expressions[0])
  }

  private static func isLiteral(_ expression: Expression) -> Bool {
    switch expression {
    case .literal, .call: true
    case .path(let path):
      if case .object = path.base { path.steps.isEmpty } else { false }
    case .unary(.minus, let operand, _): isLiteral(operand)
    case .array(let members, _): members.allSatisfy(isLiteral)
    case .object(let fields, _): fields.allSatisfy { isLiteral($0.value) }
    default: false
    }
  }
}
