import Builtin

/// Asks the processor to bring the cache line of an address near, without waiting for it.
///
/// A hint: any address is allowed.
@inlinable @inline(__always)
public func prefetchForReading(_ p: UnsafeRawPointer) {
  // Literals, because the instruction's arguments are part of its code: a read (0), to be kept in
  // all caches (3), of data (1).
  Builtin.int_prefetch_RawPointer(
    p._rawValue, Int32(0)._value, Int32(3)._value, Int32(1)._value)
}
