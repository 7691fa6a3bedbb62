/// The digits of numbers in base 16.
private let lowercaseDigits: StaticString = "0123456789abcdef"

/// Stores two lower-case hexadecimal digits per byte; `out` has room for twice the bytes.
public func encodeHexadecimal(
  _ bytes: UnsafeRawBufferPointer, to out: UnsafeMutableRawPointer
) {
  let digits = lowercaseDigits.utf8Start
  for i in 0..<bytes.count {
    out.storeBytes(of: digits[Int(bytes[i] &>> 4)], toByteOffset: i &* 2, as: UInt8.self)
    out.storeBytes(of: digits[Int(bytes[i] & 15)], toByteOffset: i &* 2 &+ 1, as: UInt8.self)
  }
}

/// Two lower-case hexadecimal digits per byte.
public func hexadecimal(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: bytes.count * 2) { buffer, initializedCount in
    if let out = buffer.baseAddress { encodeHexadecimal(bytes, to: out) }
    initializedCount = bytes.count &* 2
  }
}

/// Reads two hexadecimal digits per byte, in any letter case; nil if anything else is there.
public func decodeHexadecimal(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
  guard text.count & 1 == 0 else { return nil }
  var bytes = [UInt8](repeating: 0, count: text.count / 2)
  for i in 0..<bytes.count {
    guard let high = hexadecimalDigit(text[i &* 2]), let low = hexadecimalDigit(text[i &* 2 &+ 1])
    else { return nil }
    bytes[i] = high &<< 4 | low
  }
  return bytes
}

/// The value of a hexadecimal digit in any letter case; nil for other bytes.
@inlinable @inline(__always)
public func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
  let decimal = byte &- 0x30
  if decimal < 10 { return decimal }
  let letter = (byte | 0x20) &- 0x61
  return letter < 6 ? letter &+ 10 : nil
}

extension ByteWriter {
  /// Appends two lower-case hexadecimal digits per byte.
  public func writeHexadecimal(_ bytes: UnsafeRawBufferPointer) {
    let pieceByteCount = 16 * 1024
    var start = 0
    while start < bytes.count {
      let end = min(start &+ pieceByteCount, bytes.count)
      let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
      write(atMost: piece.count &* 2) { out in
        encodeHexadecimal(piece, to: out)
        return piece.count &* 2
      }
      start = end
    }
  }
}
