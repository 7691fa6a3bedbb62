/// A universally unique identifier of 16 bytes.
///
/// Source: object-model.md 10.4.
public struct UUIDValue: Hashable, Comparable, Sendable {
  // Numbers with the first byte highest, so that they compare like the bytes.
  private let high: UInt64
  private let low: UInt64

  private init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The identifier in the 16 bytes at `bytes`, which need not be aligned.
  public init(_ bytes: UnsafeRawPointer) {
    high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }

  /// Reads groups of 8, 4, 4, 4 and 12 hexadecimal digits of either case with dashes between.
  public init?(hex text: UnsafeRawBufferPointer) {
    var cursor = TextCursor(text)
    guard let first = cursor.hexNumber(digits: 8), cursor.skip("-"),
      let second = cursor.hexNumber(digits: 4), cursor.skip("-"),
      let third = cursor.hexNumber(digits: 4), cursor.skip("-"),
      let fourth = cursor.hexNumber(digits: 4), cursor.skip("-"),
      let fifth = cursor.hexNumber(digits: 12), cursor.isAtEnd
    else { return nil }
    self.init(high: first << 32 | second << 16 | third, low: fourth << 48 | fifth)
  }

  /// Reads a text; see the initialiser for a buffer.
  public init?(hex text: [UInt8]) {
    guard let value = text.withUnsafeBytes({ UUIDValue(hex: $0) }) else { return nil }
    self = value
  }

  /// A new random identifier (version 4).
  public static func random() -> UUIDValue {
    UUIDValue(
      high: UInt64.random(in: 0...UInt64.max) & ~0xF000 | 0x4000,
      low: UInt64.random(in: 0...UInt64.max) >> 2 | 1 << 63)
  }

  /// Orders by bytes.
  public static func < (a: UUIDValue, b: UUIDValue) -> Bool {
    a.high != b.high ? a.high < b.high : a.low < b.low
  }

  /// Calls `body` with the 16 bytes, valid during the call.
  public func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let words = (high.bigEndian, low.bigEndian)
    return try withUnsafePointer(to: words) { (pointer) throws(Failure) in
      try body(UnsafeRawBufferPointer(start: pointer, count: 16))
    }
  }
}

extension UUIDValue: CustomStringConvertible {
  /// Lower-case groups of 8, 4, 4, 4 and 12 digits.
  public var description: String {
    var text: [UInt8] = []
    append(to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends the description.
  public func append(to out: inout [UInt8]) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 36) { buffer in
      var writer = DigitWriter(buffer)
      writer.putHex(high >> 32, digits: 8)
      writer.put("-")
      writer.putHex(high >> 16, digits: 4)
      writer.put("-")
      writer.putHex(high, digits: 4)
      writer.put("-")
      writer.putHex(low >> 48, digits: 4)
      writer.put("-")
      writer.putHex(low, digits: 12)
      out.append(contentsOf: writer.written)
    }
  }
}
