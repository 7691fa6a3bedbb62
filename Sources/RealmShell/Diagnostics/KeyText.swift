/// Finds the keys of encrypted files that were written into a text, so that no history keeps them
/// and no message repeats them.
///
/// Source: shell.md 15.
enum KeyText {
  /// What stands before a key, in any case, and the digits of the key behind it.
  private enum Form: CaseIterable {
    case hexadecimal, base64, numbers

    var name: String.UTF8View {
      switch self {
      case .hexadecimal: "hex:".utf8
      case .base64: "base64:".utf8
      case .numbers: "bytes:".utf8
      }
    }

    func isDigit(_ byte: UInt8) -> Bool {
      switch self {
      case .hexadecimal: isHexadecimal(byte)
      case .base64: isBase64(byte)
      case .numbers: byte &- 0x30 < 10 || "-,".utf8.contains(byte)
      }
    }

    /// Whether the name ends with the colon at a position.
    func ends(at colon: Int, in bytes: [UInt8]) -> Bool {
      let start = colon + 1 - name.count
      return start >= 0
        && zip(bytes[start...colon], name).allSatisfy { $0 == $1 || $0 > 0x40 && $0 | 0x20 == $1 }
    }
  }

  /// From this length on digits alone are taken for a key: one of 64 bytes has 128, and one that
  /// was not copied whole is still no text to be shown.
  private static let shortestHexadecimal = 100
  /// A key has 88.
  private static let base64Lengths = 80...96
  /// Digits behind `hex:` and the like from which on they are not repeated; fewer are no key.
  private static let shortestRepeated = 16

  /// Whether a statement holds a key, not only the place where one is.
  static func isIn(_ statement: some Sequence<UInt8>) -> Bool {
    let bytes = Array(statement)
    return !ranges(in: bytes, shortest: 1).isEmpty
      || bytes.contains(UInt8(ascii: "\\")) && !ranges(in: unescaped(bytes), shortest: 1).isEmpty
  }

  /// The text with a star in the place of each digit of a key.
  static func masked(_ text: String) -> String {
    var bytes = Array(text.utf8)
    return mask(&bytes) ? String(decoding: bytes, as: UTF8.self) : text
  }

  /// Writes stars over keys, and tells whether there are any.
  @discardableResult
  static func mask(_ bytes: inout [UInt8]) -> Bool {
    var found = ranges(in: bytes, shortest: shortestRepeated)
    if bytes.contains(UInt8(ascii: "\\")),
      ranges(in: unescaped(bytes), shortest: shortestRepeated).count > found.count
    {
      // Which bytes make up the key is not worth finding out.
      found = [0..<bytes.count]
    }
    for range in found {
      for i in range where bytes[i] > 0x20 && bytes[i] < 0x80 { bytes[i] = UInt8(ascii: "*") }
    }
    return !found.isEmpty
  }

  /// The digits of keys.
  ///
  /// - Parameter shortest: Digits that have to follow `hex:` and the like.
  private static func ranges(in bytes: [UInt8], shortest: Int) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var i = 0
    while i < bytes.count {
      if bytes[i] == UInt8(ascii: ":"),
        let form = Form.allCases.first(where: { $0.ends(at: i, in: bytes) })
      {
        let (end, count) = digits(of: form, in: bytes, from: i + 1)
        if count >= shortest { found.append(i + 1..<end) }
        i = max(end, i + 1)
      } else if isBase64(bytes[i]) {
        let end = bytes[i...].firstIndex { !isBase64($0) } ?? bytes.count
        if isKey(bytes[i..<end]), !isData(bytes, before: i) { found.append(i..<end) }
        i = end
      } else {
        i += 1
      }
    }
    return found
  }

  /// Where digits end, between which blanks may stand, and how many there are.
  private static func digits(
    of form: Form, in bytes: [UInt8], from start: Int
  ) -> (end: Int, count: Int) {
    var (end, count) = (start, 0)
    var i = start
    while i < bytes.count {
      if form.isDigit(bytes[i]) {
        (end, count) = (i + 1, count + 1)
      } else if count == 0 || bytes[i] > UInt8(ascii: " ") {
        break
      }
      i += 1
    }
    return (end, count)
  }

  /// Whether digits without anything before them are a key.
  private static func isKey(_ digits: ArraySlice<UInt8>) -> Bool {
    digits.count >= shortestHexadecimal && digits.allSatisfy(isHexadecimal)
      || base64Lengths.contains(digits.count) && digits.suffix(2).elementsEqual("==".utf8)
  }

  /// Whether what follows is a value of type data.
  private static func isData(_ bytes: [UInt8], before offset: Int) -> Bool {
    ["B64\"", "hex(\"", "hex('"].contains {
      bytes[..<offset].suffix($0.utf8.count).elementsEqual($0.utf8)
    }
  }

  /// A text with what its escapes stand for; what they stand for outside of ASCII does not matter.
  private static func unescaped(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var i = 0
    while i < bytes.count {
      guard bytes[i] == UInt8(ascii: "\\"), i + 1 < bytes.count else {
        result.append(bytes[i])
        i += 1
        continue
      }
      let code = bytes[(i + 2)...].prefix(4)
      switch bytes[i + 1] {
      case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"): result.append(0x20)
      case UInt8(ascii: "u") where code.count == 4 && code.allSatisfy(isHexadecimal):
        let value = UInt32(String(decoding: code, as: UTF8.self), radix: 16) ?? 0
        result.append(value < 0x80 ? UInt8(value) : UInt8(ascii: "?"))
        i += 4
      case let other: result.append(other)
      }
      i += 2
    }
    return result
  }

}

private func isHexadecimal(_ byte: UInt8) -> Bool {
  byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 6
}

private func isBase64(_ byte: UInt8) -> Bool {
  byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || "+/=".utf8.contains(byte)
}
