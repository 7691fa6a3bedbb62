// Base 64 with the standard alphabet (`+` and `/`) and padding. Source: RFC 4648, section 4.

private let alphabet: StaticString =
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

/// The number of characters, with padding, that encode so many bytes.
public func base64Count(forByteCount byteCount: Int) -> Int { (byteCount + 2) / 3 * 4 }

/// Stores the padded base 64 text of bytes; `out` has room for `base64Count` characters.
public func encodeBase64(_ bytes: UnsafeRawBufferPointer, to out: UnsafeMutableRawPointer) {
  let letters = alphabet.utf8Start
  let padding = UInt8(ascii: "=")
  var target = out.assumingMemoryBound(to: UInt8.self)
  var i = 0
  while i < bytes.count {
    let rest = bytes.count &- i
    let second = rest > 1 ? UInt32(bytes[i &+ 1]) : 0
    let third = rest > 2 ? UInt32(bytes[i &+ 2]) : 0
    let group = UInt32(bytes[i]) &<< 16 | second &<< 8 | third
    target[0] = letters[Int(group &>> 18)]
    target[1] = letters[Int(group &>> 12 & 63)]
    target[2] = rest > 1 ? letters[Int(group &>> 6 & 63)] : padding
    target[3] = rest > 2 ? letters[Int(group & 63)] : padding
    target += 4
    i &+= 3
  }
}

/// The padded base 64 text of bytes.
public func base64(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
  let count = base64Count(forByteCount: bytes.count)
  return [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
    if let out = buffer.baseAddress { encodeBase64(bytes, to: out) }
    initializedCount = count
  }
}

/// Reads base 64 text; nil if a character is not of the alphabet, the padding is wrong, or the
/// unused bits of the last character are not zero.
///
/// - Parameter toleratesMissingPadding: Whether the text may end without its `=` characters.
public func decodeBase64(
  _ text: UnsafeRawBufferPointer, toleratesMissingPadding: Bool = false
) -> [UInt8]? {
  var count = text.count
  if count & 3 == 0 {
    // At most two, and only where they complete the last group.
    for _ in 0..<2 where count > 0 && text[count &- 1] == UInt8(ascii: "=") { count &-= 1 }
  } else if !toleratesMissingPadding {
    return nil
  }
  guard count & 3 != 1 else { return nil }
  var bytes: [UInt8] = []
  bytes.reserveCapacity(count / 4 &* 3 &+ 2)
  var group: UInt32 = 0
  for i in 0..<count {
    guard let digit = base64Digit(text[i]) else { return nil }
    group = group &<< 6 | UInt32(digit)
    if i & 3 == 3 {
      bytes.append(UInt8(truncatingIfNeeded: group &>> 16))
      bytes.append(UInt8(truncatingIfNeeded: group &>> 8))
      bytes.append(UInt8(truncatingIfNeeded: group))
    }
  }
  switch count & 3 {
  case 2:
    guard group & 15 == 0 else { return nil }
    bytes.append(UInt8(truncatingIfNeeded: group &>> 4))
  case 3:
    guard group & 3 == 0 else { return nil }
    bytes.append(UInt8(truncatingIfNeeded: group &>> 10))
    bytes.append(UInt8(truncatingIfNeeded: group &>> 2))
  default: break
  }
  return bytes
}

@inline(__always)
private func base64Digit(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte &- UInt8(ascii: "A")
  case UInt8(ascii: "a")...UInt8(ascii: "z"): byte &- UInt8(ascii: "a") &+ 26
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte &- UInt8(ascii: "0") &+ 52
  case UInt8(ascii: "+"): 62
  case UInt8(ascii: "/"): 63
  default: nil
  }
}

extension ByteWriter {
  /// Appends the padded base 64 text of bytes.
  public func writeBase64(_ bytes: UnsafeRawBufferPointer) {
    let pieceByteCount = 24 * 1024  // divisible by 3: only the last piece is padded
    var start = 0
    while start < bytes.count {
      let end = min(start &+ pieceByteCount, bytes.count)
      let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
      let count = base64Count(forByteCount: piece.count)
      write(atMost: count) { out in
        encodeBase64(piece, to: out)
        return count
      }
      start = end
    }
  }
}
