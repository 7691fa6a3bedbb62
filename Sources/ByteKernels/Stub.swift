public struct PackedIntegers {
  public let base: UnsafeRawPointer
  public let count: Int
  public let width: UInt8
  public init(base: UnsafeRawPointer, count: Int, width: UInt8) {
    self.base = base
    self.count = count
    self.width = width
  }
  @inline(__always) public subscript(i: Int) -> Int64 {
    precondition(UInt(bitPattern: i) < UInt(bitPattern: count))
    switch width {
    case 0: return 0
    case 1: return Int64(base.load(fromByteOffset: i &>> 3, as: UInt8.self) &>> UInt8(i & 7) & 1)
    case 2: return Int64(base.load(fromByteOffset: i &>> 2, as: UInt8.self) &>> UInt8((i & 3) &* 2) & 3)
    case 4: return Int64(base.load(fromByteOffset: i &>> 1, as: UInt8.self) &>> UInt8((i & 1) &* 4) & 15)
    case 8: return Int64(base.load(fromByteOffset: i, as: Int8.self))
    case 16: return Int64(base.loadUnaligned(fromByteOffset: i &* 2, as: Int16.self))
    case 32: return Int64(base.loadUnaligned(fromByteOffset: i &* 4, as: Int32.self))
    default: return base.loadUnaligned(fromByteOffset: i &* 8, as: Int64.self)
    }
  }
  @inline(__always) public func unsigned(_ i: Int) -> UInt64 {
    let v = UInt64(bitPattern: self[i])
    return width >= 64 ? v : v & ((1 &<< UInt64(width)) &- 1)
  }
}
public func prefetchForReading(_ p: UnsafeRawPointer) {}
