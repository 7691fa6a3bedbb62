/// The words of a text as a full-text index knows them.
///
/// Letters and digits of ASCII, and the letters U+00C0 to U+00FE, make up words; everything else
/// separates them. Letters are lower case and without diacritics. A word has at most 64 bytes; what
/// does not fit is left out.
///
/// Source: file-format-writing.md 8.11.
public enum FullTextWords {
  private static let maximumByteCount = 64

  /// The distinct words of a text.
  public static func words(in text: [UInt8]) -> Set<[UInt8]> {
    var result: Set<[UInt8]> = []
    var word: [UInt8]?
    var i = 0
    while i < text.count {
      let byte = text[i]
      i += 1
      var letter: [UInt8]?
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        letter = [byte]
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): letter = [byte + 32]
      case 0xC3 where i < text.count && (0x80...0xBE).contains(text[i]):
        letter = plainLetter(text[i] - 0x80)
        i += 1
      default: break
      }
      if let letter {
        let start = word ?? []
        word = start.count + letter.count <= maximumByteCount ? start + letter : start
      } else if let whole = word {
        result.insert(whole)
        word = nil
      }
    }
    if let word { result.insert(word) }
    return result
  }

  /// The lower case of U+00C0 + `index` without diacritics; the multiplication sign counts as a
  /// letter and adds nothing.
  private static func plainLetter(_ index: UInt8) -> [UInt8] {
    switch index & 31 {
    case 0...4: [UInt8(ascii: "a")]
    case 5: [0xC3, 0xA5]
    case 6: [0xC3, 0xA6]
    case 7: [UInt8(ascii: "c")]
    case 8...11: [UInt8(ascii: "e")]
    case 12...15: [UInt8(ascii: "i")]
    case 16: [0xC3, 0xB0]
    case 17: [UInt8(ascii: "n")]
    case 18...22: [UInt8(ascii: "o")]
    case 23: []
    case 24: [0xC3, 0xB8]
    case 25...28: [UInt8(ascii: "u")]
    case 29: [UInt8(ascii: "y")]
    case 30: [0xC3, 0xBE]
    default: [0xC3, 0x9F]
    }
  }
}
