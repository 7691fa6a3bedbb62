/// A JSON text as a tree, for reading recorded answers.
public indirect enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  /// A number, as it was written.
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([(key: String, value: JSONValue)])

  /// Compares members in order.
  public static func == (a: JSONValue, b: JSONValue) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.bool(let x), .bool(let y)): x == y
    case (.number(let x), .number(let y)): x == y
    case (.string(let x), .string(let y)): x == y
    case (.array(let x), .array(let y)): x == y
    case (.object(let x), .object(let y)):
      x.count == y.count && zip(x, y).allSatisfy { $0.key == $1.key && $0.value == $1.value }
    default: false
    }
  }

  /// The member with a key; nil if this is no object or has none.
  public subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// The text, if this is one.
  public var text: String? { if case .string(let text) = self { text } else { nil } }
  /// The elements, if this is an array.
  public var elements: [JSONValue] { if case .array(let list) = self { list } else { [] } }
  /// The whole number, if this is one.
  public var int: Int64? { if case .number(let text) = self { Int64(text) } else { nil } }
  /// Whether this is `true`.
  public var isTrue: Bool { self == .bool(true) }

  /// Parses a text; nil if it is malformed.
  public init?(_ bytes: [UInt8]) {
    var parser = JSONParser(bytes: bytes)
    guard let value = parser.value() else { return nil }
    self = value
  }
}

private struct JSONParser {
  let bytes: [UInt8]
  var i = 0

  private mutating func skipBlanks() {
    while i < bytes.count, " \t\r\n".utf8.contains(bytes[i]) { i += 1 }
  }

  private mutating func take(_ byte: Character) -> Bool {
    skipBlanks()
    guard i < bytes.count, bytes[i] == byte.asciiValue else { return false }
    i += 1
    return true
  }

  mutating func value() -> JSONValue? {
    skipBlanks()
    guard i < bytes.count else { return nil }
    switch bytes[i] {
    case UInt8(ascii: "{"): return object()
    case UInt8(ascii: "["): return array()
    case UInt8(ascii: "\""): return string().map { .string($0) }
    default: return word()
    }
  }

  private mutating func object() -> JSONValue? {
    i += 1
    var members: [(key: String, value: JSONValue)] = []
    if take("}") { return .object([]) }
    repeat {
      skipBlanks()
      guard let key = string(), take(":"), let value = value() else { return nil }
      members.append((key, value))
    } while take(",")
    return take("}") ? .object(members) : nil
  }

  private mutating func array() -> JSONValue? {
    i += 1
    var elements: [JSONValue] = []
    if take("]") { return .array([]) }
    repeat {
      guard let value = value() else { return nil }
      elements.append(value)
    } while take(",")
    return take("]") ? .array(elements) : nil
  }

  private mutating func word() -> JSONValue? {
    let start = i
    while i < bytes.count, !",]} \t\r\n".utf8.contains(bytes[i]) { i += 1 }
    let text = String(decoding: bytes[start..<i], as: UTF8.self)
    switch text {
    case "null": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    default: return text.isEmpty ? nil : .number(text)
    }
  }

  private mutating func string() -> String? {
    guard i < bytes.count, bytes[i] == UInt8(ascii: "\"") else { return nil }
    i += 1
    var text: [UInt8] = []
    while i < bytes.count {
      let byte = bytes[i]
      i += 1
      if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
      guard byte == UInt8(ascii: "\\") else {
        text.append(byte)
        continue
      }
      guard i < bytes.count else { return nil }
      let escape = bytes[i]
      i += 1
      switch escape {
      case UInt8(ascii: "n"): text.append(10)
      case UInt8(ascii: "t"): text.append(9)
      case UInt8(ascii: "r"): text.append(13)
      case UInt8(ascii: "b"): text.append(8)
      case UInt8(ascii: "f"): text.append(12)
      case UInt8(ascii: "u"):
        guard let scalar = unicodeEscape() else { return nil }
        text += Array(String(scalar).utf8)
      default: text.append(escape)
      }
    }
    return nil
  }

  private mutating func unicodeEscape() -> Unicode.Scalar? {
    guard let high = fourDigits() else { return nil }
    if (0xD800..<0xDC00).contains(high), i + 1 < bytes.count, bytes[i] == UInt8(ascii: "\\") {
      i += 2
      guard let low = fourDigits(), (0xDC00..<0xE000).contains(low) else { return nil }
      return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
    }
    return Unicode.Scalar(high)
  }

  private mutating func fourDigits() -> UInt32? {
    guard i + 4 <= bytes.count else { return nil }
    defer { i += 4 }
    return UInt32(String(decoding: bytes[i..<i + 4], as: UTF8.self), radix: 16)
  }
}
