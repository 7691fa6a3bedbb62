/// Remembers the names of a text by their bytes, so that a name that occurs again and again is the
/// same string and costs no allocation.
struct NameCache {
  private struct Entry {
    var start = 0
    var length = 0
    var text = ""
  }

  /// A power of two: one entry for each value of the hash.
  private static let size = 128
  private var entries: [Entry] = []

  /// The text of a name that is not empty.
  mutating func text(at range: SourceRange, in bytes: [UInt8]) -> String {
    if entries.isEmpty { entries = [Entry](repeating: Entry(), count: Self.size) }
    let slot = Self.hash(range, bytes.span)
    if entries[slot].length == range.length,
      Self.isEqual(entries[slot].start, range, bytes.span)
    {
      return entries[slot].text
    }
    let text = String(decoding: bytes[range.start..<range.end], as: UTF8.self)
    entries[slot] = Entry(start: range.start, length: range.length, text: text)
    return text
  }

  private static func hash(_ range: SourceRange, _ bytes: Span<UInt8>) -> Int {
    let first = Int(bytes[range.start])
    let middle = Int(bytes[range.start + range.length / 2])
    let last = Int(bytes[range.end - 1])
    return (range.length &+ first &* 3 &+ middle &* 17 &+ last &* 31) & (size - 1)
  }

  /// The bytes from `start` on are those of `range`.
  private static func isEqual(_ start: Int, _ range: SourceRange, _ bytes: Span<UInt8>) -> Bool {
    for offset in 0..<range.length where bytes[start + offset] != bytes[range.start + offset] {
      return false
    }
    return true
  }
}
