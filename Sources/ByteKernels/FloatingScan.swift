// Floating-point columns hold unaligned values, one after the other. Masks as in RowMask.swift;
// without a mask all elements count. NaN never takes part (and null is a NaN). Additions are done in
// the order of the elements, so that the result does not depend on how the work is cut.
// Source: query-language.md 16.

/// The sum of the doubles in the mask.
public func sumOfDoubles(
  _ base: UnsafeRawPointer, count: Int, mask: UnsafePointer<UInt64>? = nil
) -> Double {
  var total = 0.0
  forEachElement(Double.self, base, count, mask) { total += $0.isNaN ? 0 : $0 }
  return total
}

/// The sum of the floats in the mask, added up as doubles.
public func sumOfFloats(
  _ base: UnsafeRawPointer, count: Int, mask: UnsafePointer<UInt64>? = nil
) -> Double {
  var total = 0.0
  forEachElement(Float.self, base, count, mask) { total += $0.isNaN ? 0 : Double($0) }
  return total
}

/// The smallest double in the mask; nil if there is none but NaN.
public func minimumOfDoubles(
  _ base: UnsafeRawPointer, count: Int, mask: UnsafePointer<UInt64>? = nil
) -> Double? {
  extreme(Double.self, base, count, mask) { $0 < $1 }
}

/// The largest double in the mask; nil if there is none but NaN.
public func maximumOfDoubles(
  _ base: UnsafeRawPointer, count: Int, mask: UnsafePointer<UInt64>? = nil
) -> Double? {
  extreme(Double.self, base, count, mask) { $0 > $1 }
}

/// The smallest float in the mask; nil if there is none but NaN.
public func minimumOfFloats(
  _ base: UnsafeRawPointer, count: Int, mask: UnsafePointer<UInt64>? = nil
) -> Float? {
  extreme(Float.self, base, count, mask) { $0 < $1 }
}

/// The largest float in the mask; nil if there is none but NaN.
public func maximumOfFloats(
  _ base: UnsafeRawPointer, count: Int, mask: UnsafePointer<UInt64>? = nil
) -> Float? {
  extreme(Float.self, base, count, mask) { $0 > $1 }
}

@inline(__always)
private func extreme<T: BinaryFloatingPoint & BitwiseCopyable>(
  _ type: T.Type, _ base: UnsafeRawPointer, _ count: Int, _ mask: UnsafePointer<UInt64>?,
  _ isBetter: (T, T) -> Bool
) -> T? {
  var best = T.nan
  forEachElement(type, base, count, mask) { value in
    if isBetter(value, best) || best.isNaN { best = value }
  }
  return best.isNaN ? nil : best
}

@inline(__always)
private func forEachElement<T: BitwiseCopyable>(
  _ type: T.Type, _ base: UnsafeRawPointer, _ count: Int, _ mask: UnsafePointer<UInt64>?,
  _ body: (T) -> Void
) {
  let size = MemoryLayout<T>.size
  if let mask {
    forEachRow(in: mask, count: count) { i in
      body(base.loadUnaligned(fromByteOffset: i &* size, as: T.self))
    }
  } else {
    for i in 0..<count { body(base.loadUnaligned(fromByteOffset: i &* size, as: T.self)) }
  }
}
