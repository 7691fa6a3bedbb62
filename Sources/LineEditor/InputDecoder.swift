/// Bytes from a terminal, taken out character by character.
///
/// A character may arrive in several pieces; it is delivered when it is whole. Bytes that are no
/// UTF-8 become U+FFFD, so that a wrong key can never stop the editor.
struct InputDecoder {
  /// Bytes that are taken from the terminal at once.
  private static let chunkByteCount = 64 << 10

  private var bytes: [UInt8] = []
  private var position = 0
  private var chunk: [UInt8] = []

  /// Appends what a function reads, and returns what it returns.
  mutating func fill(_ read: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
    if chunk.isEmpty { chunk = Array(repeating: 0, count: Self.chunkByteCount) }
    let count = chunk.withUnsafeMutableBytes(read)
    if count > 0 { append(chunk[..<count]) }
    return count
  }

  /// Appends what one read from the terminal gave.
  mutating func append(_ chunk: ArraySlice<UInt8>) {
    if position == bytes.count {
      removeAll()
    }
    bytes.append(contentsOf: chunk)
  }

  /// Puts characters back, to be taken out next.
  mutating func putBack(_ scalars: [Unicode.Scalar]) {
    let returned = scalars.flatMap { Array(UTF8.encode($0) ?? UTF8.encodedReplacementCharacter) }
    bytes = returned + bytes[position...]
    position = 0
  }

  /// Forgets everything that has not been taken out.
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    position = 0
  }

  /// The next character, which stays; nil if more bytes are needed for one.
  func peek() -> Unicode.Scalar? {
    var copy = self
    return copy.next()
  }

  /// Takes out the next character, or returns nil if more bytes are needed for one.
  mutating func next() -> Unicode.Scalar? {
    guard position < bytes.count else { return nil }
    let first = bytes[position]
    if first < 0x80 {
      position += 1
      return Unicode.Scalar(first)
    }
    let byteCount = Self.sequenceLength(startingWith: first)
    let available = bytes[position...].prefix(byteCount)
    // A byte that cannot continue the sequence ends it early and starts the next character.
    let whole =
      available.dropFirst().firstIndex { $0 & 0xC0 != 0x80 }.map { available[..<$0] } ?? available
    if whole.count == available.count && available.count < byteCount {
      return nil
    }
    position += whole.count
    let scalars = String(decoding: whole, as: UTF8.self).unicodeScalars
    guard scalars.count == 1, let scalar = scalars.first else { return "\u{FFFD}" }
    // No key sends a control character of ISO 6429; one of them stands for Escape inside.
    return 0x80...0x9F ~= scalar.value ? "\u{FFFD}" : scalar
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
