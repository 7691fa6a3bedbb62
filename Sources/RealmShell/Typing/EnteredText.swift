import ByteKernels
import RealmLanguage

/// A text that was entered at the prompt, cut into its statements.
struct EnteredText {
  /// One statement.
  struct Part {
    /// From its first to its last character, without what separates it from others.
    let range: Range<Int>
    let text: String
    /// Whether the history may keep it.
    let mayBeKept: Bool
  }

  let parts: [Part]
  private let bytes: [UInt8]

  init(_ text: String) {
    bytes = Array(text.utf8)
    var parts: [Part] = []
    var offset = 0
    while let outline = StatementParser.outline(of: bytes, from: offset) {
      offset = outline.range.upperBound
      var end = offset
      while end > outline.range.lowerBound, bytes[end - 1] <= UInt8(ascii: " ") { end -= 1 }
      let range = outline.range.lowerBound..<end
      parts.append(
        Part(
          range: range, text: String(decoding: bytes[range], as: UTF8.self),
          mayBeKept: !Self.startsWithBlank(range.lowerBound, bytes)
            && !KeyText.isIn(bytes[range])))
    }
    self.parts = parts
  }

  /// The text from a statement on.
  func text(from part: Part) -> String {
    let end = (bytes.lastIndex { $0 > UInt8(ascii: " ") } ?? 0) + 1
    return String(decoding: bytes[part.range.lowerBound..<end], as: UTF8.self)
  }

  /// The text of the row in front of a statement.
  func rowStart(of part: Part) -> String {
    let before = bytes[..<part.range.lowerBound]
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return String(decoding: before[start...], as: UTF8.self)
  }

  /// The row begins with a blank: the user wants the statement to be forgotten.
  private static func startsWithBlank(_ start: Int, _ bytes: [UInt8]) -> Bool {
    let rowStart = bytes[..<start].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return bytes[rowStart] == UInt8(ascii: " ") || bytes[rowStart] == UInt8(ascii: "\t")
  }
}
