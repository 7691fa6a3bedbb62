/// Bytes from a terminal, taken out character by character.
///
/// A character may arrive in several pieces; it is delivered when it is whole. Bytes that are no
/// UTF-8 become U+FFFD, so that a wrong key can never stop the editor.
struct InputDecoder {
  private var bytes: [UInt8] = []
  private var position = 0

  /// Appends what one read from the terminal gave.
  mutating func append(_ chunk: ArraySlice<UInt8>) {
    if position == bytes.count {
      removeAll()
    }
    bytes.append(contentsOf: chunk)
  }

  /// Forgets everything that has not been taken out.
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    position = 0
  }

  /// Takes out the next character, or returns nil if more bytes are needed for one.
  mutating func next() -> Unicode.Scalar? {
    guard position < bytes.count else { return nil }
    let byteCount = Self.sequenceLength(startingWith: bytes[position])
    let available = bytes[position...].prefix(byteCount)
    // A byte that cannot continue the sequence ends it early and starts the next character.
    let whole =
      available.dropFirst().firstIndex { $0 & 0xC0 != 0x80 }.map { available[..<$0] } ?? available
    if whole.count == available.count && available.count < byteCount {
      return nil
    }
    position += whole.count
    let scalars = String(decoding: whole, as: UTF8.self).unicodeScalars
    return scalars.count == 1 ? scalars.first : "\u{FFFD}"
  }

  /// Bytes of a UTF-8 sequence by its first byte; 1 for a byte that starts none.
  private static func sequenceLength(startingWith first: UInt8) -> Int {
    switch first {
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 1
    }
  }
}
