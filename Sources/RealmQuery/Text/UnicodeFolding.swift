// The normal forms are what String itself compares by.
@_spi(_Unicode) import Swift

/// Texts without the differences that `[cu]` and `[cd]` ignore.
///
/// Letters take the form that full case folding gives them, so that ß is ss; the result is in normal
/// form C. With marks dropped é is e; what has no decomposition, such as ø, stays.
/// Source: Unicode 5.18, 3.13 D145.
enum UnicodeFolding {
  static func isASCII(_ text: UnsafeRawBufferPointer) -> Bool {
    var position = 0
    while position &+ 8 <= text.count {
      let word = text.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      if word & 0x8080_8080_8080_8080 != 0 { return false }
      position &+= 8
    }
    while position < text.count {
      if text[position] >= 0x80 { return false }
      position &+= 1
    }
    return true
  }

  /// Replaces `result` by the folded text; false if the bytes are not UTF-8.
  static func fold(
    _ text: UnsafeRawBufferPointer, dropsMarks: Bool, into result: inout [UInt8]
  ) -> Bool {
    result.removeAll(keepingCapacity: true)
    if isASCII(text) {
      for byte in text { result.append(byte &- 0x41 < 26 ? byte | 0x20 : byte) }
      return true
    }
    guard let string = String(validating: text, as: UTF8.self) else { return false }
    var folded = String.UnicodeScalarView()
    for scalar in string._nfd { append(scalar, to: &folded) }
    if dropsMarks {
      folded = String.UnicodeScalarView(String(folded)._nfd.lazy.filter { !isMark($0) })
    }
    for scalar in String(folded)._nfc { result += UTF8.encode(scalar).map { Array($0) } ?? [] }
    return true
  }

  /// Appends the case folding of a scalar.
  private static func append(_ scalar: Unicode.Scalar, to folded: inout String.UnicodeScalarView) {
    let properties = scalar.properties
    // The dotless i has a capital form that is not its own.
    guard scalar.value != 0x131,
      properties.changesWhenLowercased || properties.changesWhenUppercased
    else {
      folded.append(scalar)
      return
    }
    for lower in properties.lowercaseMapping.unicodeScalars {
      for upper in lower.properties.uppercaseMapping.unicodeScalars {
        folded.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
      }
    }
  }

  /// Whether a scalar is a mark on the letter before it that no word depends on.
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    return properties.generalCategory == .nonspacingMark && properties.isDiacritic
  }

  /// Whether no mark follows that belongs to the character before a position.
  static func isEndOfCharacter(_ text: UnsafeRawBufferPointer, _ position: Int) -> Bool {
    guard position < text.count, text[position] >= 0x80 else { return true }
    var decoder = UTF8()
    var bytes = text[position...].makeIterator()
    guard case .scalarValue(let scalar) = decoder.decode(&bytes) else { return true }
    return scalar.properties.canonicalCombiningClass == .notReordered
  }
}
