import Glibc

// Letters with case are A-Z and U+00C0...U+00DE without U+00D7; their small forms are a-z and
// U+00E0...U+00FE without U+00F7. In UTF-8 both differ in bit 5 of one byte, so folding keeps the
// length. Nothing else has case. Source: query-language.md 12.3.

/// The byte folded to the small letter, given the byte before it (0 at the beginning).
///
/// The second byte of a Latin-1 letter is 80...9E after C3. A byte after C3 is never an ASCII
/// letter in well-formed text; in other bytes both rules apply side by side.
@inlinable @inline(__always)
public func foldedByte(_ byte: UInt8, after previous: UInt8) -> UInt8 {
  let isASCIILetter = byte &- 0x41 < 26
  let isLatinLetter = previous == 0xC3 && byte &- 0x80 < 31 && byte != 0x97
  return isASCIILetter || isLatinLetter ? byte | 0x20 : byte
}

/// Folds the letters of a text in place.
public func foldCase(_ bytes: UnsafeMutableRawBufferPointer) {
  var previous: UInt8 = 0
  for i in 0..<bytes.count {
    let byte = bytes[i]
    bytes[i] = foldedByte(byte, after: previous)
    previous = byte
  }
}

/// A copy of a text with its letters folded.
public func foldedCase(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
  var copy = [UInt8](bytes)
  copy.withUnsafeMutableBytes { foldCase($0) }
  return copy
}

/// Whether two texts of the same length in bytes are equal without regard to case.
public func equalsFolded(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
  guard a.count == b.count else { return false }
  guard let p = a.baseAddress, let q = b.baseAddress else { return true }
  return equalsFoldedBytes(p, q, a.count)
}

/// Whether a text begins with a prefix without regard to case.
public func hasPrefixFolded(
  _ text: UnsafeRawBufferPointer, _ prefix: UnsafeRawBufferPointer
) -> Bool {
  prefix.count <= text.count
    && equalsFolded(UnsafeRawBufferPointer(rebasing: text[..<prefix.count]), prefix)
}

/// Whether a text ends with a suffix without regard to case.
public func hasSuffixFolded(
  _ text: UnsafeRawBufferPointer, _ suffix: UnsafeRawBufferPointer
) -> Bool {
  suffix.count <= text.count
    && equalsFolded(UnsafeRawBufferPointer(rebasing: text[(text.count &- suffix.count)...]), suffix)
}

/// Whether a text contains another one without regard to case.
public func containsFolded(
  _ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer
) -> Bool {
  firstIndexFolded(of: part, in: text) != nil
}

/// Compares 8 bytes at a time; only blocks that differ somewhere are looked at byte by byte.
@inline(__always)
func equalsFoldedBytes(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ byteCount: Int) -> Bool {
  var i = 0
  while i < byteCount {
    let blockEnd = min(i &+ 8, byteCount)
    if blockEnd &- i == 8 {
      let x = a.loadUnaligned(fromByteOffset: i, as: UInt64.self)
      let difference = x ^ b.loadUnaligned(fromByteOffset: i, as: UInt64.self)
      // Case is one bit: a difference in any other settles it.
      if difference & ~0x2020_2020_2020_2020 != 0 { return false }
      if difference == 0 {
        i = blockEnd
        continue
      }
    }
    while i < blockEnd {
      let x = a.load(fromByteOffset: i, as: UInt8.self)
      let y = b.load(fromByteOffset: i, as: UInt8.self)
      if x != y {
        let beforeX = i > 0 ? a.load(fromByteOffset: i &- 1, as: UInt8.self) : 0
        let beforeY = i > 0 ? b.load(fromByteOffset: i &- 1, as: UInt8.self) : 0
        if foldedByte(x, after: beforeX) != foldedByte(y, after: beforeY) { return false }
      }
      i &+= 1
    }
  }
  return true
}
