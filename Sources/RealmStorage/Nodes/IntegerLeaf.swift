public import ByteKernels
public import RealmValues

/// Integers of a leaf, nullable or not.
///
/// A nullable leaf has one extra element in front: the value that stands for null in it.
///
/// Source: file-format.md 3.1, 3.2.
public struct IntegerLeaf {
  /// The elements of the whole node.
  public let packed: PackedIntegers
  /// Element of `packed` that holds row 0.
  public let first: Int
  /// Number of rows.
  public let count: Int
  /// The value that stands for null; nil if there are no nulls.
  public let nullValue: Int64?

  init(_ node: NodeView, isNullable: Bool) throws(StorageError) {
    packed = node.integers
    if isNullable {
      guard node.count >= 1 else {
        throw .damage(.tooFewElements, at: node.offset, found: 0, limit: 1)
      }
      first = 1
      count = node.count - 1
      nullValue = node[0]
    } else {
      first = 0
      count = node.count
      nullValue = nil
    }
  }

  private init(packed: PackedIntegers, first: Int, count: Int, nullValue: Int64?) {
    self.packed = packed
    self.first = first
    self.count = count
    self.nullValue = nullValue
  }

  /// The rows from `start` on.
  func suffix(from start: Int, count: Int) -> IntegerLeaf {
    IntegerLeaf(packed: packed, first: first + start, count: count, nullValue: nullValue)
  }

  /// The value of a row; nil if it is null.
  ///
  /// - Precondition: the row is below `count`.
  @inline(__always)
  public func value(at row: Int) -> Int64? {
    let value = packed[first &+ row]
    if let nullValue, value == nullValue { return nil }
    return value
  }
}

/// Floats (4 bytes) or doubles (8 bytes) of a leaf; one bit pattern is null.
///
/// Source: file-format.md 3.4.
public struct FloatingLeaf<Value: BitwiseCopyable> {
  /// The first row.
  public let base: UnsafeRawPointer
  /// Number of rows.
  public let count: Int
  /// Whether the null pattern means null.
  public let isNullable: Bool

  init(_ node: NodeView, isNullable: Bool) throws(StorageError) {
    guard node.scheme == .bytes, node.width == MemoryLayout<Value>.size || node.count == 0 else {
      throw .damage(.wrongNodeKind, at: node.offset, found: Int(node.flags))
    }
    base = node.payload
    count = node.count
    self.isNullable = isNullable
  }

  private init(base: UnsafeRawPointer, count: Int, isNullable: Bool) {
    self.base = base
    self.count = count
    self.isNullable = isNullable
  }

  func suffix(from start: Int, count: Int) -> FloatingLeaf {
    FloatingLeaf(
      base: base + start * MemoryLayout<Value>.size, count: count, isNullable: isNullable)
  }

  @inline(__always)
  fileprivate func load(_ row: Int) -> Value {
    precondition(UInt(bitPattern: row) < UInt(bitPattern: count))
    return base.loadUnaligned(fromByteOffset: row &* MemoryLayout<Value>.size, as: Value.self)
  }
}

extension FloatingLeaf where Value == Double {
  /// The bits that stand for null.
  public static var nullPattern: UInt64 { 0x7FF8_0000_0000_00AA }

  /// The number of a row; null is one of those that are no number.
  @inline(__always)
  public func number(at row: Int) -> Double { load(row) }

  /// The value of a row; nil if it is null.
  @inline(__always)
  public func value(at row: Int) -> Double? {
    let value = load(row)
    return isNullable && value.bitPattern == Self.nullPattern ? nil : value
  }
}

extension FloatingLeaf where Value == Float {
  /// The bits that stand for null.
  public static var nullPattern: UInt32 { 0x7FC0_00AA }

  /// The value of a row; nil if it is null.
  @inline(__always)
  public func value(at row: Int) -> Float? {
    let value = load(row)
    return isNullable && value.bitPattern == Self.nullPattern ? nil : value
  }
}

/// Points in time: a leaf of seconds, always of the nullable form, and one of nanoseconds.
///
/// Source: file-format.md 3.8.
public struct TimestampLeaf {
  /// Seconds; null where the value is null.
  public let seconds: IntegerLeaf
  /// Nanoseconds; nil for the old type that has whole seconds only.
  public let nanoseconds: IntegerLeaf?
  /// Number of rows.
  public var count: Int { seconds.count }

  init(_ node: NodeView, in view: FileView) throws(StorageError) {
    let wholes = try view.integers(at: try view.ref(node, 0))
    try view.chargeElements(wholes)
    seconds = try IntegerLeaf(wholes, isNullable: true)
    let nanoseconds = try IntegerLeaf(view.integers(at: try view.ref(node, 1)), isNullable: false)
    guard nanoseconds.count == seconds.count else {
      throw .damage(
        .countMismatch, at: node.offset, found: nanoseconds.count, limit: seconds.count)
    }
    self.nanoseconds = nanoseconds
  }

  init(seconds: IntegerLeaf, nanoseconds: IntegerLeaf?) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  func suffix(from start: Int, count: Int) -> TimestampLeaf {
    TimestampLeaf(
      seconds: seconds.suffix(from: start, count: count),
      nanoseconds: nanoseconds?.suffix(from: start, count: count))
  }

  /// The value of a row; nil if it is null.
  @inline(__always)
  public func value(at row: Int) throws(StorageError) -> Timestamp? {
    guard let whole = seconds.value(at: row) else { return nil }
    let part = nanoseconds?.value(at: row) ?? 0
    guard let value = Timestamp(stored: whole, part) else {
      throw .damaged(Damage(.badNanoseconds, at: 0, found: part, limit: 999_999_999))
    }
    return value
  }
}

extension Timestamp {
  /// The point in time of two stored numbers; nil if the nanoseconds are out of range or of the
  /// other sign.
  @inline(__always)
  init?(stored seconds: Int64, _ part: Int64) {
    guard part.magnitude < 1_000_000_000, part == 0 || seconds == 0 || (part < 0) == (seconds < 0)
    else { return nil }
    self.init(seconds: seconds, nanoseconds: Int32(truncatingIfNeeded: part))
  }
}
