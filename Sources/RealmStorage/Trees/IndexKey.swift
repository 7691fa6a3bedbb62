import RealmValues

/// What a search index stores for a value: bytes, read in chunks of four.
///
///     value                 bytes
///     null                  none; distinct from an empty text
///     int, bool             8, little endian
///     string, data          the bytes
///     date                  8 seconds, 4 nanoseconds, little endian
///     objectId, uuid        12 or 16
///     float, double         if equal to an integer of 32 bits as that, else 4 or 8
///     decimal128            without its fraction, if that fits an integer, as that, else 16
///     link in a mixed       4 table key, 8 object key
///
/// Source: file-format.md 7.2.
struct IndexKey {
  private enum Storage {
    case null
    case words(UInt64, UInt64, count: Int)
    case pointer(UnsafeRawBufferPointer)
    case array([UInt8])
  }

  private let storage: Storage

  static var null: IndexKey { IndexKey(storage: .null) }

  private init(storage: Storage) { self.storage = storage }

  init(_ number: Int64) {
    storage = .words(UInt64(bitPattern: number), 0, count: 8)
  }

  init(_ date: Timestamp) {
    let part = UInt64(UInt32(bitPattern: date.nanoseconds))
    storage = .words(UInt64(bitPattern: date.seconds), part, count: 12)
  }

  init(_ table: TableKey, _ key: ObjectKey) {
    let bits = UInt64(bitPattern: key.rawValue)
    storage = .words(UInt64(table.rawValue) | bits << 32, bits >> 32, count: 12)
  }

  /// Bytes that stay where they are while the key is used.
  init(_ bytes: UnsafeRawBufferPointer) { storage = .pointer(bytes) }

  init(_ bytes: [UInt8]) { storage = .array(bytes) }

  init(_ value: Double) {
    if let number = Int32(exactly: value) {
      self.init(Int64(number))
    } else {
      self.init(storage: .words(value.bitPattern, 0, count: 8))
    }
  }

  init(_ value: Float) {
    if let number = Int32(exactly: value) {
      self.init(Int64(number))
    } else {
      self.init(storage: .words(UInt64(value.bitPattern), 0, count: 4))
    }
  }

  init(_ value: Decimal128) {
    if let number = IndexKey.wholePart(of: value) {
      self.init(number)
    } else {
      self.init(storage: .words(value.low, value.high, count: 16))
    }
  }

  /// The integer before the decimal point; nil if it has more than 64 bits.
  private static func wholePart(of value: Decimal128) -> Int64? {
    guard value.isFinite else { return nil }
    var (digits, exponent) = (value.coefficient, value.exponent)
    while exponent < 0, digits > 0 {
      digits /= 10
      exponent += 1
    }
    while exponent > 0, digits > 0 {
      guard digits < 1 << 64 else { return nil }
      digits *= 10
      exponent -= 1
    }
    guard digits <= UInt128(1) << 63 else { return nil }
    let bits = UInt64(digits)
    return value.isNegative
      ? Int64(bitPattern: 0 &- bits) : Int64(exactly: bits)
  }

  /// The chunk at a byte offset: four bytes, the first one highest. The end of the bytes is marked
  /// with an X.
  @inline(__always)
  func chunk(at offset: Int) -> Int32 {
    switch storage {
    case .words(let low, let high, let count) where offset &+ 4 <= count && offset & 3 == 0:
      let word = offset < 8 ? low &>> UInt64(8 &* offset) : high &>> UInt64(8 &* (offset &- 8))
      return Int32(bitPattern: UInt32(truncatingIfNeeded: word).byteSwapped)
    case .pointer(let bytes) where offset &+ 4 <= bytes.count:
      return bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self).byteSwapped
    case .array(let bytes) where offset &+ 4 <= bytes.count:
      return bytes.withUnsafeBytes {
        $0.loadUnaligned(fromByteOffset: offset, as: Int32.self).byteSwapped
      }
    default: return lastChunk(at: offset)
    }
  }

  /// A chunk with the end of the bytes in it.
  private func lastChunk(at offset: Int) -> Int32 {
    let count = count
    guard offset <= count else { return 0 }
    var result: UInt32 = 0
    for position in offset..<offset + 4 {
      let next = position < count ? byte(position) : position == count ? 0x58 : 0
      result = result << 8 | UInt32(next)
    }
    return Int32(bitPattern: result)
  }

  /// Two chunks one behind the other.
  @inline(__always)
  func chunks(at offset: Int) -> UInt64 {
    switch storage {
    case .words(let low, _, let count) where offset == 0 && count >= 8: return low.byteSwapped
    case .pointer(let bytes) where offset &+ 8 <= bytes.count:
      return bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self).byteSwapped
    default:
      let (first, second) = (chunk(at: offset), chunk(at: offset + 4))
      return UInt64(UInt32(bitPattern: first)) << 32 | UInt64(UInt32(bitPattern: second))
    }
  }

  /// Whether this is the key of null.
  var isNull: Bool { if case .null = storage { true } else { false } }

  /// Number of bytes; null has none.
  var byteCount: Int { max(0, count) }

  /// Number of bytes; below 0 for null.
  private var count: Int {
    switch storage {
    case .null: -1
    case .words(_, _, let count): count
    case .pointer(let bytes): bytes.count
    case .array(let bytes): bytes.count
    }
  }

  private func byte(_ position: Int) -> UInt8 {
    switch storage {
    case .null: 0
    case .words(let low, let high, _):
      UInt8(
        truncatingIfNeeded: position < 8
          ? low >> UInt64(8 * position) : high >> UInt64(8 * (position - 8)))
    case .pointer(let bytes): bytes[position]
    case .array(let bytes): bytes[position]
    }
  }
}

extension IndexKey {
  /// The key of a value of an indexed column; nil for the key of an object, which has none.
  init?(_ value: ScalarValue) {
    switch value {
    case .null: self = .null
    case .bool(let value): self.init(Int64(value ? 1 : 0))
    case .int(let value): self.init(value)
    case .float(let value): self.init(value)
    case .double(let value): self.init(value)
    case .string(let bytes), .data(let bytes): self.init(bytes)
    case .date(let value): self.init(value)
    case .link(let table, let key): self.init(table, key)
    case .decimal(let value): self.init(value)
    case .objectID(let value): self.init(value.withBytes { Array($0) })
    case .uuid(let value): self.init(value.withBytes { Array($0) })
    case .key: return nil
    }
  }

  /// The key of a row of an indexed column; nil for a column that cannot be indexed.
  init?(_ leaf: ColumnLeaf, at row: Int) throws(StorageError) {
    switch leaf {
    case .objectID(let leaf):
      self =
        leaf.value(at: row).map { IndexKey(UnsafeRawBufferPointer(start: $0, count: 12)) }
        ?? .null
    case .uuid(let leaf):
      self =
        leaf.value(at: row).map { IndexKey(UnsafeRawBufferPointer(start: $0, count: 16)) }
        ?? .null
    default:
      switch try leaf.value(at: row) {
      case .string(let bytes), .data(let bytes): self.init(bytes)
      case .list: self.init(Array("__List__".utf8))
      case .dictionary: self.init(Array("__Dictionary__".utf8))
      case let value:
        guard let scalar = value.scalar else { return nil }
        self.init(scalar)
      }
    }
  }
}

extension IndexKey: Hashable {
  static func == (a: IndexKey, b: IndexKey) -> Bool {
    switch (a.storage, b.storage) {
    case (.null, .null): true
    case (.null, _), (_, .null): false
    default:
      a.count == b.count && (0..<a.count).allSatisfy { a.byte($0) == b.byte($0) }
    }
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for position in 0..<max(0, count) { hasher.combine(byte(position)) }
  }
}
