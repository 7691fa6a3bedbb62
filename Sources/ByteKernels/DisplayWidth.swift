// Terminal columns of text, counted in grapheme clusters: 2 for East Asian wide and full-width
// characters and for emoji presentation, 0 for what joins the cluster before it, 1 for the rest.
// Source: shell.md 18, layout rule 2.

/// The number of terminal columns that a text takes.
///
/// A control character and a byte that is not UTF-8 (shown as a replacement character) count 1.
public func displayWidth(of bytes: UnsafeRawBufferPointer) -> Int {
  let asciiCount = asciiPrefixCount(of: bytes)
  guard asciiCount < bytes.count else { return bytes.count }
  // The last ASCII character may be the base of a cluster.
  let start = max(0, asciiCount &- 1)
  var total = start
  forEachCluster(in: UnsafeRawBufferPointer(rebasing: bytes[start...])) { _, width in
    total &+= width
    return true
  }
  return total
}

/// Calls a closure with the byte range and the columns of each grapheme cluster until it is false.
///
/// An invalid byte makes a cluster of one column. A line feed after a carriage return is a cluster
/// of its own.
public func forEachCluster(
  in bytes: UnsafeRawBufferPointer, _ body: (_ range: Range<Int>, _ width: Int) -> Bool
) {
  var i = 0
  while i < bytes.count {
    guard let (scalar, byteCount) = decodeScalar(in: bytes, at: i) else {
      guard body(i..<i &+ 1, 1) else { return }
      i &+= 1
      continue
    }
    let width = standaloneWidth(scalar)
    let end = endOfRun(in: bytes, at: i &+ byteCount, afterStandalone: width != nil)
    if let width, end == i &+ byteCount {
      guard body(i..<end, width) else { return }
      i = end
      continue
    }
    let run = UnsafeRawBufferPointer(rebasing: bytes[i..<end])
    for character in String(decoding: run, as: UTF8.self) {
      let range = i..<i &+ character.utf8.count
      guard body(range, clusterWidth(character)) else { return }
      i = range.upperBound
    }
  }
}

/// The next position at or after `start` where a cluster surely ends: between two standalone
/// characters, before an invalid byte, or at the end.
private func endOfRun(
  in bytes: UnsafeRawBufferPointer, at start: Int, afterStandalone: Bool
) -> Int {
  var end = start
  var previousIsStandalone = afterStandalone
  while end < bytes.count, let (scalar, byteCount) = decodeScalar(in: bytes, at: end) {
    let isStandalone = standaloneWidth(scalar) != nil
    if isStandalone && previousIsStandalone { break }
    previousIsStandalone = isStandalone
    end &+= byteCount
  }
  return end
}

/// The columns of a frequent character that never joins another one of this kind; nil for others.
///
/// Spares the general segmentation: between two such characters there is always a boundary.
@inline(__always)
private func standaloneWidth(_ scalar: Unicode.Scalar) -> Int? {
  switch scalar.value {
  case 0x00...0x7F, 0xA0...0xAC, 0xAE...0x2FF, 0x370...0x482, 0x48A...0x58F: 1
  case 0x2010...0x2027, 0x20A0...0x20C0, 0x2500...0x259F, 0xFF61...0xFF9D: 1
  case 0x3001...0x3029, 0x3041...0x3096, 0x309B...0x30FF, 0x3400...0x4DBF: 2
  case 0x4E00...0x9FFF, 0xAC00...0xD7A3, 0xFF01...0xFF60: 2
  default: nil
  }
}

/// A cluster is as wide as its widest scalar, and wide if it asks for emoji presentation.
private func clusterWidth(_ character: Character) -> Int {
  let scalars = character.unicodeScalars
  if scalars.contains("\u{FE0F}"), scalars.first?.properties.isEmoji == true { return 2 }
  return scalars.reduce(0) { max($0, scalarWidth($1)) }
}

private func scalarWidth(_ scalar: Unicode.Scalar) -> Int {
  if let width = standaloneWidth(scalar) { return width }
  switch scalar.properties.generalCategory {
  case .nonspacingMark, .enclosingMark: return 0
  default: break
  }
  // Vowels and finals of Hangul join the consonant before them.
  if 0x1160...0x11FF ~= scalar.value || 0xD7B0...0xD7FF ~= scalar.value { return 0 }
  if scalar.properties.isDefaultIgnorableCodePoint && scalar != "\u{AD}" { return 0 }
  return isWide(scalar) ? 2 : 1
}

/// Whether a character takes two columns by itself (East Asian Width W and F, and the indicators
/// that flags are made of).
private func isWide(_ scalar: Unicode.Scalar) -> Bool {
  // The number of borders at or below the scalar is odd inside a range.
  var low = 0
  var high = wideBorders.count
  while low < high {
    let middle = (low &+ high) / 2
    if wideBorders[middle] <= scalar.value { low = middle &+ 1 } else { high = middle }
  }
  return low & 1 == 1
}

/// The first scalar of each wide range and the first one after it, ascending.
///
/// Source: Unicode 18, EastAsianWidth.txt.
private let wideBorders: InlineArray<248, UInt32> = [
  0x1100, 0x1160, 0x231A, 0x231C, 0x2329, 0x232B, 0x23E9, 0x23ED, 0x23F0, 0x23F1, 0x23F3, 0x23F4,
  0x25FD, 0x25FF, 0x2614, 0x2616, 0x2630, 0x2638, 0x2648, 0x2654, 0x267F, 0x2680, 0x268A, 0x2690,
  0x2693, 0x2694, 0x26A1, 0x26A2, 0x26AA, 0x26AC, 0x26BD, 0x26BF, 0x26C4, 0x26C6, 0x26CE, 0x26CF,
  0x26D4, 0x26D5, 0x26EA, 0x26EB, 0x26F2, 0x26F4, 0x26F5, 0x26F6, 0x26FA, 0x26FB, 0x26FD, 0x26FE,
  0x2705, 0x2706, 0x270A, 0x270C, 0x2728, 0x2729, 0x274C, 0x274D, 0x274E, 0x274F, 0x2753, 0x2756,
  0x2757, 0x2758, 0x2795, 0x2798, 0x27B0, 0x27B1, 0x27BF, 0x27C0, 0x2B1B, 0x2B1D, 0x2B50, 0x2B51,
  0x2B55, 0x2B56, 0x2E80, 0x2E9A, 0x2E9B, 0x2EF4, 0x2F00, 0x2FD6, 0x2FF0, 0x303F, 0x3041, 0x3100,
  0x3105, 0x3130, 0x3131, 0x318F, 0x3190, 0x31E6, 0x31EF, 0x321F, 0x3220, 0x3248, 0x3250, 0xA48D,
  0xA490, 0xA4C7, 0xA960, 0xA97D, 0xAC00, 0xD7A4, 0xF900, 0xFB00, 0xFE10, 0xFE1A, 0xFE30, 0xFE53,
  0xFE54, 0xFE67, 0xFE68, 0xFE6C, 0xFF01, 0xFF61, 0xFFE0, 0xFFE7, 0x16FE0, 0x16FF7, 0x17000,
  0x18CDB, 0x18CFF, 0x18D21, 0x18D80, 0x18DF3, 0x18E00, 0x19192, 0x191A0, 0x191D3, 0x1AFF0, 0x1AFF4,
  0x1AFF5, 0x1AFFC, 0x1AFFD, 0x1AFFF, 0x1B000, 0x1B129, 0x1B132, 0x1B133, 0x1B150, 0x1B153, 0x1B155,
  0x1B156, 0x1B164, 0x1B169, 0x1B170, 0x1B2FC, 0x1D300, 0x1D357, 0x1D360, 0x1D377, 0x1F004, 0x1F005,
  0x1F0CF, 0x1F0D0, 0x1F18E, 0x1F18F, 0x1F191, 0x1F19B, 0x1F1AE, 0x1F1AF, 0x1F1E6, 0x1F203, 0x1F210,
  0x1F23C, 0x1F240, 0x1F249, 0x1F250, 0x1F252, 0x1F260, 0x1F266, 0x1F300, 0x1F321, 0x1F32D, 0x1F336,
  0x1F337, 0x1F37D, 0x1F37E, 0x1F394, 0x1F3A0, 0x1F3CB, 0x1F3CF, 0x1F3D4, 0x1F3E0, 0x1F3F1, 0x1F3F4,
  0x1F3F5, 0x1F3F8, 0x1F43F, 0x1F440, 0x1F441, 0x1F442, 0x1F4FD, 0x1F4FF, 0x1F53E, 0x1F54B, 0x1F54F,
  0x1F550, 0x1F568, 0x1F57A, 0x1F57B, 0x1F595, 0x1F597, 0x1F5A4, 0x1F5A5, 0x1F5FB, 0x1F650, 0x1F680,
  0x1F6C6, 0x1F6CC, 0x1F6CD, 0x1F6D0, 0x1F6D3, 0x1F6D5, 0x1F6DA, 0x1F6DC, 0x1F6E0, 0x1F6EB, 0x1F6ED,
  0x1F6F4, 0x1F6FD, 0x1F7DA, 0x1F7DB, 0x1F7E0, 0x1F7EC, 0x1F7F0, 0x1F7F1, 0x1F90C, 0x1F93B, 0x1F93C,
  0x1F946, 0x1F947, 0x1FA00, 0x1FA70, 0x1FA7D, 0x1FA80, 0x1FAC7, 0x1FAC8, 0x1FAC9, 0x1FACC, 0x1FADE,
  0x1FADF, 0x1FAEC, 0x1FAEF, 0x1FAFB, 0x20000, 0x2FFFE, 0x30000, 0x3FFFE,
]
