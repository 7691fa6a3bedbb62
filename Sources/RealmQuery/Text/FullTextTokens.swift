/// Cuts texts into the words of a full-text index. Source: query-language.md 24.
struct FullTextTokens {
  /// Longer words are cut.
  static let maximumByteCount = 64

  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Stores the next word into `word`; false at the end.
  mutating func next(into word: inout [UInt8]) -> Bool {
    word.removeAll(keepingCapacity: true)
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case 0x30...0x39, 0x61...0x7A: word.append(byte)
      case 0x41...0x5A: word.append(byte | 0x20)
      case 0xC3 where position < bytes.count && (0x80...0xBE).contains(bytes[position]):
        FullTextTokens.append(bytes[position], to: &word)
        position += 1
      default: if !word.isEmpty { return finish(&word) }
      }
    }
    return !word.isEmpty && finish(&word)
  }

  private func finish(_ word: inout [UInt8]) -> Bool {
    if word.count > FullTextTokens.maximumByteCount {
      word.removeSubrange(FullTextTokens.maximumByteCount...)
    }
    return true
  }

  /// Adds the letter U+00C0 + n in its basic form; `byte` is the second byte, 0x80 + n.
  private static func append(_ byte: UInt8, to word: inout [UInt8]) {
    // Multiplication and division sign vanish; ß has no capital letter.
    if byte == 0x97 || byte == 0xB7 { return }
    let small = byte < 0xA0 && byte != 0x9F ? byte + 0x20 : byte
    switch small {
    case 0xA0...0xA4: word.append(UInt8(ascii: "a"))
    case 0xA7: word.append(UInt8(ascii: "c"))
    case 0xA8...0xAB: word.append(UInt8(ascii: "e"))
    case 0xAC...0xAF: word.append(UInt8(ascii: "i"))
    case 0xB1: word.append(UInt8(ascii: "n"))
    case 0xB2...0xB6: word.append(UInt8(ascii: "o"))
    case 0xB9...0xBC: word.append(UInt8(ascii: "u"))
    case 0xBD: word.append(UInt8(ascii: "y"))
    default: word += [0xC3, small]
    }
  }
}
