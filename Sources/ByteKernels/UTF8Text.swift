/// The position of the first byte that does not belong to well-formed UTF-8; nil if all do.
///
/// Well-formed as in table 3-7 of the Unicode standard: no overlong forms, no surrogates.
public func firstInvalidUTF8(in bytes: UnsafeRawBufferPointer) -> Int? {
  var i = asciiPrefixCount(of: bytes)
  while i < bytes.count {
    let byteCount = sequenceByteCount(in: bytes, at: i)
    if byteCount == 0 { return i }
    i &+= byteCount
    if byteCount == 1 {
      // Text that has returned to ASCII often stays there.
      i &+= asciiPrefixCount(of: UnsafeRawBufferPointer(rebasing: bytes[i...]))
    }
  }
  return nil
}

/// The number of bytes at the beginning that are ASCII.
public func asciiPrefixCount(of bytes: UnsafeRawBufferPointer) -> Int {
  var i = 0
  while bytes.count &- i >= 8 {
    let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: i, as: UInt64.self))
    let high = word & 0x8080_8080_8080_8080
    if high != 0 { return i &+ high.trailingZeroBitCount / 8 }
    i &+= 8
  }
  while i < bytes.count, bytes[i] < 0x80 { i &+= 1 }
  return i
}

/// The number of bytes of the character (one UTF-8 sequence) at a position; an invalid byte is one.
///
/// - Precondition: `i` is a position in `bytes`.
@inline(__always)
public func characterByteCount(in bytes: UnsafeRawBufferPointer, at i: Int) -> Int {
  precondition(i >= 0 && i < bytes.count)
  return bytes[i] < 0x80 ? 1 : max(1, sequenceByteCount(in: bytes, at: i))
}

/// Decodes the scalar at a position; nil if no well-formed sequence begins there.
///
/// - Precondition: `i` is a position in `bytes`.
public func decodeScalar(
  in bytes: UnsafeRawBufferPointer, at i: Int
) -> (scalar: Unicode.Scalar, byteCount: Int)? {
  precondition(i >= 0 && i < bytes.count)
  let byteCount = sequenceByteCount(in: bytes, at: i)
  func tail(_ k: Int) -> UInt32 { UInt32(bytes[i &+ k] & 0x3F) }
  let lead = UInt32(bytes[i])
  let value: UInt32
  switch byteCount {
  case 1: value = lead
  case 2: value = (lead & 0x1F) &<< 6 | tail(1)
  case 3: value = (lead & 0x0F) &<< 12 | tail(1) &<< 6 | tail(2)
  case 4: value = (lead & 0x07) &<< 18 | tail(1) &<< 12 | tail(2) &<< 6 | tail(3)
  default: return nil
  }
  return Unicode.Scalar(value).map { ($0, byteCount) }
}

/// The number of bytes of the well-formed sequence at a position, 0 if there is none.
@inline(__always)
private func sequenceByteCount(in bytes: UnsafeRawBufferPointer, at i: Int) -> Int {
  let lead = bytes[i]
  if lead < 0x80 { return 1 }
  let rest = bytes.count &- i
  // The lead limits the second byte; all further ones are 80...BF.
  let byteCount: Int
  var second: ClosedRange<UInt8> = 0x80...0xBF
  switch lead {
  case 0xC2...0xDF: byteCount = 2
  case 0xE0: (byteCount, second) = (3, 0xA0...0xBF)
  case 0xED: (byteCount, second) = (3, 0x80...0x9F)
  case 0xE1...0xEF: byteCount = 3
  case 0xF0: (byteCount, second) = (4, 0x90...0xBF)
  case 0xF1...0xF3: byteCount = 4
  case 0xF4: (byteCount, second) = (4, 0x80...0x8F)
  default: return 0
  }
  guard rest >= byteCount, second.contains(bytes[i &+ 1]) else { return 0 }
  for k in 2..<max(2, byteCount) where bytes[i &+ k] & 0xC0 != 0x80 { return 0 }
  return byteCount
}

/// Whether a text is ASCII without control characters and without two given characters.
public func isPrintableASCII(
  _ bytes: UnsafeRawBufferPointer, without first: UInt8, _ second: UInt8
) -> Bool {
  !hasSpecialByte(bytes, first, second, high: .max)
}

/// Whether a text is free of ASCII control characters and of two given ASCII characters.
public func isPrintable(
  _ bytes: UnsafeRawBufferPointer, without first: UInt8, _ second: UInt8
) -> Bool {
  !hasSpecialByte(bytes, first, second, high: 0)
}

/// Looks for ASCII control characters, two given bytes, and, if `high` is not 0, bytes from 0x80 on.
@inline(__always)
private func hasSpecialByte(
  _ bytes: UnsafeRawBufferPointer, _ first: UInt8, _ second: UInt8, high: UInt64
) -> Bool {
  let ones: UInt64 = 0x0101_0101_0101_0101
  /// Not 0 if a byte of the word is special.
  func marks(_ word: UInt64) -> UInt64 {
    // A subtraction borrows from bit 7 of a byte below the limit; borrows into the bytes above it
    // can only add marks to a word that has one.
    func equal(_ byte: UInt8) -> UInt64 {
      let difference = word ^ (ones &* UInt64(byte))
      return (difference &- ones) & ~difference
    }
    let controls = (word &- ones &* 0x20) & ~word | equal(0x7F)
    return (controls | equal(first) | equal(second) | (word & high)) & (ones &* 0x80)
  }
  let count = bytes.count
  if count >= 8 {
    var i = 0
    while i &+ 8 <= count {
      if marks(bytes.loadUnaligned(fromByteOffset: i, as: UInt64.self)) != 0 { return true }
      i &+= 8
    }
    return i < count
      && marks(bytes.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)) != 0
  }
  if count >= 4 {
    let low = UInt64(bytes.loadUnaligned(as: UInt32.self))
    let top = UInt64(bytes.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
    return marks(low | top &<< 32) != 0
  }
  return bytes.contains {
    $0 < 0x20 || $0 == 0x7F || $0 == first || $0 == second || ($0 >= 0x80 && high != 0)
  }
}
