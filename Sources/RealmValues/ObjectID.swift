import Synchronization

/// Twelve bytes that identify an object: seconds, process, counter.
///
/// Source: object-model.md 10.3.
public struct ObjectID: Hashable, Comparable, Sendable {
  // Numbers with the first byte highest, so that they compare like the bytes.
  private let high: UInt64
  private let low: UInt32

  private init(high: UInt64, low: UInt32) {
    self.high = high
    self.low = low
  }

  /// The identifier in the 12 bytes at `bytes`, which need not be aligned.
  public init(_ bytes: UnsafeRawPointer) {
    high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    low = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
  }

  /// Reads exactly 24 hexadecimal digits of either case; nil for any other text.
  public init?(hex text: UnsafeRawBufferPointer) {
    var cursor = TextCursor(text)
    guard let high = cursor.hexNumber(digits: 16), let low = cursor.hexNumber(digits: 8),
      cursor.isAtEnd
    else { return nil }
    self.init(high: high, low: UInt32(low))
  }

  /// Reads a text; see the initialiser for a buffer.
  public init?(hex text: [UInt8]) {
    guard let value = text.withUnsafeBytes({ ObjectID(hex: $0) }) else { return nil }
    self = value
  }

  /// A new identifier, greater than those made before by this process until the counter wraps.
  public static func generate() -> ObjectID {
    let seconds = UInt64(UInt32(truncatingIfNeeded: Timestamp.now().seconds))
    let count = counter.wrappingAdd(1, ordering: .relaxed).oldValue & 0xFF_FFFF
    return ObjectID(
      high: seconds << 32 | process >> 8, low: UInt32(process & 0xFF) << 24 | count)
  }

  /// Five random bytes, the same in all identifiers of this process.
  private static let process = UInt64.random(in: 0..<1 << 40)
  private static let counter = Atomic<UInt32>(UInt32.random(in: 0..<1 << 24))

  /// When the identifier was made, according to its first four bytes.
  public var creationTime: Timestamp { Timestamp(seconds: Int64(high >> 32), nanoseconds: 0) }

  /// Orders by bytes.
  public static func < (a: ObjectID, b: ObjectID) -> Bool {
    a.high != b.high ? a.high < b.high : a.low < b.low
  }

  /// Calls `body` with the 12 bytes, valid during the call.
  public func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // Twelve bytes in the order of the file: two words of which the second is used by half.
    let words = (high.bigEndian, low.bigEndian)
    return try withUnsafePointer(to: words) { (pointer) throws(Failure) in
      try body(UnsafeRawBufferPointer(start: pointer, count: 12))
    }
  }
}

extension ObjectID: CustomStringConvertible {
  /// 24 hexadecimal digits in lower case.
  public var description: String {
    var text: [UInt8] = []
    append(to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends the description.
  public func append(to out: inout [UInt8]) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 24) { buffer in
      var writer = DigitWriter(buffer)
      writer.putHex(high, digits: 16)
      writer.putHex(UInt64(low), digits: 8)
      out.append(contentsOf: writer.written)
    }
  }
}
