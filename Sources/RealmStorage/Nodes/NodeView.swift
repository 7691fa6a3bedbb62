public import ByteKernels

/// One validated node: the bytes of an array of the file and how to read them.
///
/// The header of every node has 8 bytes; the element count is big endian.
///
///     offset  size  meaning
///          0     4  checksum, not used
///          4     1  flags: inner 0x80, has refs 0x40, context 0x20, width scheme 0x18, width 0x07
///          5     3  number of elements
///
/// A view is made by `FileView.node(at:)`, which checks that the whole node lies inside the
/// snapshot; afterwards reads cost one index comparison. Valid while the snapshot is open.
///
/// Source: file-format.md 2.1.
public struct NodeView {
  /// File offset of the header.
  public let offset: Int
  /// The bytes behind the header.
  public let payload: UnsafeRawPointer
  // Leaves hold several views and are copied: 24 bytes instead of 40.
  private let count24: UInt32
  private let width8: UInt8
  /// Header byte 4.
  public let flags: UInt8

  /// Number of elements.
  @inline(__always) public var count: Int { Int(count24) }
  /// Element width: bits in the scheme `bits`, bytes in the scheme `bytes`.
  @inline(__always) public var width: Int { Int(width8) }

  /// How the width of a node is counted.
  public enum WidthScheme: UInt8, Sendable {
    case bits = 0
    case bytes = 1
    case ignored = 2
  }

  @inline(__always)
  init(offset: Int, payload: UnsafeRawPointer, count: Int, width: Int, flags: UInt8) {
    self.offset = offset
    self.payload = payload
    count24 = UInt32(truncatingIfNeeded: count)
    width8 = UInt8(truncatingIfNeeded: width)
    self.flags = flags
  }

  /// Whether the node is an inner node of a tree.
  @inline(__always) public var isInner: Bool { flags & 0x80 != 0 }
  /// Whether the elements may be refs.
  @inline(__always) public var hasRefs: Bool { flags & 0x40 != 0 }
  /// The context flag, whose meaning depends on the use of the node.
  @inline(__always) public var hasContext: Bool { flags & 0x20 != 0 }
  /// How the width is counted; the reserved scheme never gets this far.
  @inline(__always) public var scheme: WidthScheme {
    switch flags & 0x18 {
    case 0: .bits
    case 8: .bytes
    default: .ignored
    }
  }
  /// Number of bytes behind the header, without padding.
  @inline(__always) public var payloadByteCount: Int {
    NodeView.payloadByteCount(flags: flags, count: count, width: width)
  }

  /// Byte count of a payload; cannot overflow, since a count has 24 bits and a width is at most 64.
  @inline(__always)
  static func payloadByteCount(flags: UInt8, count: Int, width: Int) -> Int {
    switch flags & 0x18 {
    case 0: (count &* width &+ 7) &>> 3
    case 8: count &* width
    default: count
    }
  }

  /// The elements as packed integers.
  ///
  /// - Precondition: the width scheme is `bits`.
  @inline(__always) public var integers: PackedIntegers {
    PackedIntegers(base: payload, count: count, width: width8)
  }

  /// Element `index` as a signed integer.
  ///
  /// - Precondition: the width scheme is `bits` and the index is below `count`.
  @inline(__always) public subscript(index: Int) -> Int64 { integers[index] }

  /// The bytes of the payload.
  @inline(__always) public var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: payload, count: payloadByteCount)
  }
}
