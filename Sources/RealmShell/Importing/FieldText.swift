import ByteKernels
import RealmStorage
import RealmValues

/// Values that are written as text: fields of CSV and TSV, strings of JSON.
///
/// Source: shell.md 4, 16.
enum FieldText {
  /// The value of a type that is neither link nor mixed; nil if the text is none.
  static func value(_ text: UnsafeRawBufferPointer, _ kind: ValueKind) -> ScalarValue? {
    if let value = exactValue(text, kind) { return value }
    guard kind != .string, kind != .data else { return nil }
    let trimmed = trimmed(text)
    return trimmed.count == text.count ? nil : exactValue(trimmed, kind)
  }

  private static func exactValue(
    _ text: UnsafeRawBufferPointer, _ kind: ValueKind
  ) -> ScalarValue? {
    switch kind {
    case .int: integer(text).map { .int($0) }
    case .bool: bool(text).map { .bool($0) }
    case .string: .string([UInt8](text))
    case .data: decodeBase64(text).map { .data($0) }
    case .date: Timestamp(parsing: text).map { .date($0) }
    case .float: float(text).map { .float($0) }
    case .double: double(text).map { .double($0) }
    case .decimal: decimal(text).map { .decimal($0) }
    case .objectID: ObjectID(hex: text).map { .objectID($0) }
    case .uuid: UUIDValue(hex: text).map { .uuid($0) }
    case .mixed, .link, .typedLink: nil
    }
  }

  private static func trimmed(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var (start, end) = (0, text.count)
    while start < end, text[start] == 0x20 || text[start] == 0x09 { start += 1 }
    while end > start, text[end - 1] == 0x20 || text[end - 1] == 0x09 { end -= 1 }
    return UnsafeRawBufferPointer(rebasing: text[start..<end])
  }

  /// An integer; programs that have no nulls for integers write `3.0`.
  static func integer(_ text: UnsafeRawBufferPointer) -> Int64? {
    if let number = parseInt(text) { return number }
    guard text.contains(UInt8(ascii: ".")) else { return nil }
    return parseDouble(text).flatMap { Int64(exactly: $0) }
  }

  /// A double; digits that are too large for one are none.
  @inline(__always)
  static func double(_ text: UnsafeRawBufferPointer) -> Double? {
    guard let number = parseDouble(text), number.isFinite || !hasDigits(text) else { return nil }
    return number
  }

  private static func float(_ text: UnsafeRawBufferPointer) -> Float? {
    guard let number = parseFloat(text), number.isFinite || !hasDigits(text) else { return nil }
    return number
  }

  private static func decimal(_ text: UnsafeRawBufferPointer) -> Decimal128? {
    guard let number = Decimal128(parsing: text), !number.isInfinite || !hasDigits(text) else {
      return nil
    }
    return number
  }

  private static func hasDigits(_ text: UnsafeRawBufferPointer) -> Bool {
    text.contains { $0 &- 0x30 < 10 }
  }

  private static func bool(_ text: UnsafeRawBufferPointer) -> Bool? {
    func isWord(_ word: StaticString) -> Bool {
      text.count == word.utf8CodeUnitCount
        && text.indices.allSatisfy { text[$0] | 0x20 == word.utf8Start[$0] }
    }
    if isWord("true") { return true }
    if isWord("false") { return false }
    guard text.count == 1 else { return nil }
    return text[0] == UInt8(ascii: "1") ? true : text[0] == UInt8(ascii: "0") ? false : nil
  }

  /// Why a text is no value of a type, behind the text.
  static func refusal(_ text: UnsafeRawBufferPointer, _ kind: ValueKind) -> String {
    let text = trimmed(text)
    switch kind {
    case .float, .double, .decimal:
      guard hasDigits(text), Decimal128(parsing: text) != nil else { break }
      return "is too large for \(name(of: kind))"
    case .int:
      let digits = text.first == UInt8(ascii: "-") || text.first == UInt8(ascii: "+") ? 1 : 0
      guard text.count > digits, text[digits...].allSatisfy({ $0 &- 0x30 < 10 }) else { break }
      return "is too large for an int of 64 bits"
    default: break
    }
    return "is not \(name(of: kind))"
  }

  /// How values of a type are written; nil if that needs no words.
  static func form(of kind: ValueKind) -> String? {
    switch kind {
    case .bool: "true, false, 1 or 0"
    case .date: "a date is 2024-05-01 or 2024-05-01T12:00:00Z, also with .5 or +02:00 in the time"
    case .objectID: "an objectId is 24 hex digits"
    case .uuid: "a uuid is 32 hex digits: 3b241101-e2bb-4255-8caf-4136c566a962"
    default: nil
    }
  }

  /// What values of a type are, behind "is not".
  static func name(of kind: ValueKind) -> String {
    switch kind {
    case .int: "an int"
    case .objectID: "an objectId"
    case .data: "Base64"
    default: "a \(kind.name)"
    }
  }

  /// Most characters of a text in messages.
  private static let maximumShownCount = 40

  /// A text in quotes, cut if it is long.
  static func quoted(_ text: UnsafeRawBufferPointer) -> String {
    let part = UnsafeRawBufferPointer(rebasing: text.prefix(4 * maximumShownCount + 4))
    let characters = String(decoding: part, as: UTF8.self)
    let shown = characters.prefix(maximumShownCount)
    return "\"\(shown)\(shown.count < characters.count ? "…" : "")\""
  }
}
