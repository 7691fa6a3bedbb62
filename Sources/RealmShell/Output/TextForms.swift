import ByteKernels

/// Strings of JSON.
enum JSONText {
  /// Writes a string with quotes; bytes that are not UTF-8 become U+FFFD.
  static func writeString(_ bytes: UnsafeRawBufferPointer, to out: ByteWriter) {
    out.byte(UInt8(ascii: "\""))
    writeEscaped(bytes, to: out)
    out.byte(UInt8(ascii: "\""))
  }

  /// Writes a string with quotes.
  static func writeString(_ text: String, to out: ByteWriter) {
    var text = text
    text.withUTF8 { writeString(UnsafeRawBufferPointer($0), to: out) }
  }

  private static func writeEscaped(_ bytes: UnsafeRawBufferPointer, to out: ByteWriter) {
    var start = 0
    let plain = asciiPrefixCount(of: bytes)
    let invalid = plain == bytes.count ? nil : firstInvalidUTF8(in: bytes)
    let end = invalid ?? bytes.count
    for i in 0..<end {
      let byte = bytes[i]
      guard byte < 0x20 || byte == 0x22 || byte == 0x5C else { continue }
      out.write(UnsafeRawBufferPointer(rebasing: bytes[start..<i]))
      start = i + 1
      writeEscape(byte, to: out)
    }
    out.write(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
    if invalid != nil {
      out.write("\u{FFFD}")
      writeEscaped(UnsafeRawBufferPointer(rebasing: bytes[(end + 1)...]), to: out)
    }
  }

  private static func writeEscape(_ byte: UInt8, to out: ByteWriter) {
    switch byte {
    case 0x22: out.write("\\\"")
    case 0x5C: out.write("\\\\")
    case 0x0A: out.write("\\n")
    case 0x0D: out.write("\\r")
    case 0x09: out.write("\\t")
    default:
      out.write("\\u00")
      LiteralText.writeHex(byte, to: out)
    }
  }
}

/// Texts in the literal form.
///
/// Source: shell.md 4.
enum LiteralText {
  /// Writes the inside of a string with escapes; bytes that are not UTF-8 as `\xNN`.
  ///
  /// - Parameter quote: Whether the double quote and the backslash are escaped.
  static func writeEscaped(_ bytes: UnsafeRawBufferPointer, quote: Bool, to out: ByteWriter) {
    var rest = bytes
    while true {
      let plain = asciiPrefixCount(of: rest)
      let invalid = plain == rest.count ? nil : firstInvalidUTF8(in: rest)
      let end = invalid ?? rest.count
      writeValid(UnsafeRawBufferPointer(rebasing: rest[..<end]), quote: quote, to: out)
      guard invalid != nil else { return }
      out.write("\\x")
      writeHex(rest[end], to: out)
      rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...])
    }
  }

  private static func writeValid(
    _ bytes: UnsafeRawBufferPointer, quote: Bool, to out: ByteWriter
  ) {
    var start = 0
    for i in 0..<bytes.count {
      let byte = bytes[i]
      let isSpecial =
        byte < 0x20 || byte == 0x7F || (quote && (byte == 0x22 || byte == 0x5C))
      guard isSpecial else { continue }
      out.write(UnsafeRawBufferPointer(rebasing: bytes[start..<i]))
      start = i + 1
      switch byte {
      case 0x22: out.write("\\\"")
      case 0x5C: out.write("\\\\")
      case 0x0A: out.write("\\n")
      case 0x0D: out.write("\\r")
      case 0x09: out.write("\\t")
      default:
        out.write("\\u00")
        writeHex(byte, to: out)
      }
    }
    out.write(UnsafeRawBufferPointer(rebasing: bytes[start...]))
  }

  /// Two hexadecimal digits.
  static func writeHex(_ byte: UInt8, to out: ByteWriter) {
    let digits: StaticString = "0123456789abcdef"
    out.byte(digits.utf8Start[Int(byte >> 4)])
    out.byte(digits.utf8Start[Int(byte & 15)])
  }

  /// Whether a text can stand as a name without quotes.
  static func isName(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let first = bytes.first else { return false }
    func isLetter(_ byte: UInt8) -> Bool { byte == 0x5F || (byte | 0x20) &- 0x61 < 26 }
    if asciiPrefixCount(of: bytes) == bytes.count {
      return isLetter(first) && bytes.allSatisfy { isLetter($0) || $0 &- 0x30 < 10 }
    }
    let text = String(decoding: bytes, as: UTF8.self)
    guard firstInvalidUTF8(in: bytes) == nil else { return false }
    return text.unicodeScalars.first.map { $0 == "_" || $0.properties.isXIDStart } ?? false
      && text.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isXIDContinue }
  }

  /// Whether a string in a cell has to stand in quotes, since it could be mistaken.
  static func needsQuotes(_ bytes: UnsafeRawBufferPointer, isMixed: Bool) -> Bool {
    guard let first = bytes.first, let last = bytes.last else { return true }
    if first == 0x20 || last == 0x20 { return true }
    if bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) { return true }
    if bytes.count == 4, bytes.elementsEqual("null".utf8) { return true }
    return isMixed && readsAsOtherType(bytes, first: first)
  }

  /// Whether a text could be a literal of another type than string.
  private static func readsAsOtherType(_ bytes: UnsafeRawBufferPointer, first: UInt8) -> Bool {
    if first &- 0x30 < 10 || "+-.\"'[{$`".utf8.contains(first) { return true }
    let text = String(decoding: bytes, as: UTF8.self)
    if ["true", "false", "nil", "inf", "infinity", "nan"].contains(text.lowercased()) {
      return true
    }
    guard let mark = text.firstIndex(where: { $0 == "(" || $0 == "#" || $0 == "\"" || $0 == ":" })
    else { return false }
    return text[..<mark].allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
  }
}
