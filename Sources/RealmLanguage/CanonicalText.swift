public import RealmValues

/// Prints values and names in the one form that can be typed again. Source: shell.md 4.
public enum CanonicalText {
  /// Appends the literal form of a value. In `mixed` floats and decimals are marked, as only their
  /// form tells the type there. Links print as RQL spells them; with their class known they should
  /// be printed as object names.
  public static func append(_ value: ScalarValue, inMixed: Bool, to text: inout [UInt8]) {
    switch value {
    case .null: text += "null".utf8
    case .bool(let value): text += (value ? "true" : "false").utf8
    case .int(let value): append(value, to: &text)
    case .float(let value):
      text += value.description.utf8
      if inMixed, value.isFinite { text.append(UInt8(ascii: "f")) }
    case .double(let value): text += value.description.utf8
    case .decimal(let value):
      text += (inMixed ? "decimal(\(value))" : "\(value)").utf8
    case .string(let value): append(string: value, to: &text)
    case .data(let value):
      text += "B64\"".utf8
      Base64.append(value, to: &text)
      text.append(UInt8(ascii: "\""))
    case .date(let value): value.append(to: &text)
    case .objectID(let value): text += "oid(\(value))".utf8
    case .uuid(let value): text += "uuid(\(value))".utf8
    case .link(let table, let object): text += "L\(table.rawValue):\(object.rawValue)".utf8
    case .key(let object): text += "O\(object.rawValue)".utf8
    }
  }

  /// The literal form of a value.
  public static func string(_ value: ScalarValue, inMixed: Bool) -> String {
    var text: [UInt8] = []
    append(value, inMixed: inMixed, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends decimal digits.
  public static func append(_ value: Int64, to text: inout [UInt8]) {
    if value < 0 { text.append(UInt8(ascii: "-")) }
    var rest = value.magnitude
    let start = text.count
    repeat {
      text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    text[start...].reverse()
  }

  /// Appends a text in double quotes with its escapes; a byte that is not UTF-8 prints as `\xNN`.
  public static func append(string: [UInt8], to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\""))
    var index = 0
    while index < string.count {
      var end = index
      while end < string.count, isPlain(string[end]) { end += 1 }
      text += string[index..<end]
      index = end
      guard index < string.count else { break }
      let (scalar, length) = Lexer.scalar(in: string.span, at: index)
      append(
        escaped: scalar, byte: string[index], original: string[index..<index + length], to: &text)
      index += length
    }
    text.append(UInt8(ascii: "\""))
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  private static func append(
    escaped scalar: Unicode.Scalar?, byte: UInt8, original: ArraySlice<UInt8>,
    to text: inout [UInt8]
  ) {
    switch scalar {
    case nil: text += ("\\x" + hexadecimal(UInt32(byte), digits: 2)).utf8
    case "\n": text += "\\n".utf8
    case "\t": text += "\\t".utf8
    case "\r": text += "\\r".utf8
    case "\"": text += "\\\"".utf8
    case "\\": text += "\\\\".utf8
    case let scalar? where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value):
      text += ("\\u" + hexadecimal(scalar.value, digits: 4)).utf8
    default: text += original
    }
  }

  private static func hexadecimal(_ value: UInt32, digits: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }

  /// Appends a name, in back quotes if it is not made of letters, digits and `_`.
  public static func append(name: String, to text: inout [UInt8]) {
    if isBareName(Array(name.utf8).span) {
      text += name.utf8
    } else {
      append(quotedName: name, to: &text)
    }
  }

  /// A name, in back quotes if it is not made of letters, digits and `_`.
  public static func string(name: String) -> String {
    var text: [UInt8] = []
    append(name: name, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// The name can be typed without back quotes.
  public static func isBareName(_ name: Span<UInt8>) -> Bool {
    let token = Lexer.token(in: name, at: 0)
    return token.kind == .word && token.start == 0 && token.end == name.count
  }

  static func append(quotedName name: String, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "`"))
    for byte in name.utf8 {
      text.append(byte)
      if byte == UInt8(ascii: "`") { text.append(byte) }
    }
    text.append(UInt8(ascii: "`"))
  }

  /// Appends `Dog(1)`, the name of an object with a primary key.
  public static func append(
    object className: String, primaryKey: ScalarValue, to text: inout [UInt8]
  ) {
    append(name: className, to: &text)
    text.append(UInt8(ascii: "("))
    append(primaryKey, inMixed: false, to: &text)
    text.append(UInt8(ascii: ")"))
  }

  /// Appends `Dog#12`, the name of an object without a primary key.
  public static func append(object className: String, key: ObjectKey, to text: inout [UInt8]) {
    append(name: className, to: &text)
    text.append(UInt8(ascii: "#"))
    append(key.rawValue, to: &text)
  }

  /// Appends the name of an object as it was written.
  static func append(_ object: ObjectName, to text: inout [UInt8]) {
    switch object.key {
    case .primaryKey(let key):
      append(object: object.className.text, primaryKey: key.scalar, to: &text)
    case .variable(let name):
      append(name: object.className.text, to: &text)
      text += "($\(name.text))".utf8
    case .objectKey(let key):
      append(name: object.className.text, to: &text)
      text.append(UInt8(ascii: "#"))
      append(key, to: &text)
    }
  }
}
