/// A view of packed integers of one width, as in the payload of a node.
///
/// Widths are 0, 1, 2, 4, 8, 16, 32 and 64 bits. Below 8 the elements are unsigned and the first
/// one sits in the lowest bits of a byte; from 8 on they are signed, little endian and need no
/// alignment. The bytes belong to someone else and must stay valid while the view is used.
/// Source: file-format.md 2.2.
@frozen
public struct PackedIntegers {
  /// The first byte of the elements.
  public let base: UnsafeRawPointer
  /// The number of elements.
  public let count: Int
  /// The width of an element in bits.
  public let width: UInt8

  /// Makes a view of `count` elements of `width` bits; the caller has checked that they are there.
  @inlinable @inline(__always)
  public init(base: UnsafeRawPointer, count: Int, width: UInt8) {
    self.base = base
    self.count = count
    self.width = width
  }

  /// The bytes with the elements.
  @inlinable @inline(__always)
  public var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base, count: (count &* Int(width) &+ 7) &>> 3)
  }

  /// The element at a position.
  ///
  /// - Precondition: `i` is in `0..<count`.
  @inlinable @inline(__always)
  public subscript(i: Int) -> Int64 {
    // One comparison covers negative positions too.
    precondition(UInt(bitPattern: i) < UInt(bitPattern: count))
    switch width {
    case 0: return 0
    case 1: return Int64(base.load(fromByteOffset: i &>> 3, as: UInt8.self) &>> UInt8(i & 7) & 1)
    case 2:
      return Int64(base.load(fromByteOffset: i &>> 2, as: UInt8.self) &>> UInt8((i & 3) &* 2) & 3)
    case 4:
      return Int64(base.load(fromByteOffset: i &>> 1, as: UInt8.self) &>> UInt8((i & 1) &* 4) & 15)
    case 8: return Int64(base.load(fromByteOffset: i, as: Int8.self))
    case 16:
      return Int64(Int16(littleEndian: base.loadUnaligned(fromByteOffset: i &* 2, as: Int16.self)))
    case 32:
      return Int64(Int32(littleEndian: base.loadUnaligned(fromByteOffset: i &* 4, as: Int32.self)))
    default:
      return Int64(littleEndian: base.loadUnaligned(fromByteOffset: i &* 8, as: Int64.self))
    }
  }

  /// The element at a position, its bits taken as an unsigned number.
  ///
  /// - Precondition: `i` is in `0..<count`.
  @inlinable @inline(__always)
  public func unsigned(_ i: Int) -> UInt64 {
    let bits = UInt64(bitPattern: self[i])
    return width >= 64 ? bits : bits & ((1 &<< UInt64(width)) &- 1)
  }
}
