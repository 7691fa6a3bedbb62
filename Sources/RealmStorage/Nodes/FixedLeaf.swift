public import RealmValues

/// Decimals of a leaf: all equal, or 4, 8 or 16 bytes each.
///
/// Source: file-format.md 3.9.
public struct DecimalLeaf {
  /// Number of rows.
  public let count: Int
  private let payload: UnsafeRawPointer
  private let width: Int
  private let isZero: Bool

  init(_ node: NodeView) throws(StorageError) {
    guard node.scheme == .bytes, [0, 4, 8, 16].contains(node.width) || node.count == 0 else {
      throw .damage(.wrongNodeKind, at: node.offset, found: Int(node.flags))
    }
    payload = node.payload
    width = node.width
    isZero = node.hasContext
    count = node.count
  }

  private init(count: Int, payload: UnsafeRawPointer, width: Int, isZero: Bool) {
    self.count = count
    self.payload = payload
    self.width = width
    self.isZero = isZero
  }

  func suffix(from start: Int, count: Int) -> DecimalLeaf {
    DecimalLeaf(count: count, payload: payload + start * width, width: width, isZero: isZero)
  }

  /// The value of a row; nil if it is null.
  public func value(at row: Int) -> Decimal128? {
    precondition(UInt(bitPattern: row) < UInt(bitPattern: count))
    switch width {
    case 4:
      let bits = payload.loadUnaligned(fromByteOffset: row * 4, as: UInt32.self)
      return bits == 0x7C00_00AA ? nil : Decimal128(bid32: bits)
    case 8:
      let bits = payload.loadUnaligned(fromByteOffset: row * 8, as: UInt64.self)
      return bits == 0x7C00_0000_0000_00AA ? nil : Decimal128(bid64: bits)
    case 16:
      let value = Decimal128(
        low: payload.loadUnaligned(fromByteOffset: row * 16, as: UInt64.self),
        high: payload.loadUnaligned(fromByteOffset: row * 16 + 8, as: UInt64.self))
      return value.isNull ? nil : value
    default:
      return isZero ? Decimal128(0) : nil
    }
  }
}

/// Values of 12 or 16 bytes in blocks of 8, each block led by a byte of null bits.
///
/// Source: file-format.md 3.10.
public struct FixedBytesLeaf {
  /// Number of rows.
  public let count: Int
  private let first: Int
  private let payload: UnsafeRawPointer
  private let valueByteCount: Int

  init(_ node: NodeView, valueByteCount: Int) throws(StorageError) {
    guard node.scheme == .bytes, node.width == 1 || node.count == 0 else {
      throw .damage(.wrongNodeKind, at: node.offset, found: Int(node.flags))
    }
    let blockByteCount = 8 * valueByteCount + 1
    let blockCount = (node.count + blockByteCount - 1) / blockByteCount
    let valueBytes = node.count - blockCount
    guard valueBytes % valueByteCount == 0 else {
      throw .damage(.badLength, at: node.offset, found: valueBytes, limit: valueByteCount)
    }
    count = valueBytes / valueByteCount
    first = 0
    payload = node.payload
    self.valueByteCount = valueByteCount
  }

  private init(count: Int, first: Int, payload: UnsafeRawPointer, valueByteCount: Int) {
    self.count = count
    self.first = first
    self.payload = payload
    self.valueByteCount = valueByteCount
  }

  func suffix(from start: Int, count: Int) -> FixedBytesLeaf {
    FixedBytesLeaf(
      count: count, first: first + start, payload: payload, valueByteCount: valueByteCount)
  }

  /// The bytes of a row; nil if it is null.
  public func value(at row: Int) -> UnsafeRawPointer? {
    precondition(UInt(bitPattern: row) < UInt(bitPattern: count))
    let index = first + row
    let block = payload + (index / 8) * (8 * valueByteCount + 1)
    if block.load(as: UInt8.self) >> UInt8(index % 8) & 1 != 0 { return nil }
    return block + (1 + (index % 8) * valueByteCount)
  }
}
