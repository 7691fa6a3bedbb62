// A mask has one bit per row, 64 rows to a word, the first row in the lowest bit. The bits of the
// last word past the number of rows are zero; every function keeps it so.

/// The number of words in a mask of that many rows.
@inlinable @inline(__always)
public func maskWordCount(_ rowCount: Int) -> Int { (rowCount &+ 63) &>> 6 }

/// Keeps in `target` the rows that are also in `source`.
public func intersectMask(
  _ target: UnsafeMutablePointer<UInt64>, _ source: UnsafePointer<UInt64>, count: Int
) {
  for i in 0..<maskWordCount(count) { target[i] &= source[i] }
}

/// Adds the rows of `source` to `target`.
public func uniteMask(
  _ target: UnsafeMutablePointer<UInt64>, _ source: UnsafePointer<UInt64>, count: Int
) {
  for i in 0..<maskWordCount(count) { target[i] |= source[i] }
}

/// Removes the rows of `source` from `target`.
public func subtractMask(
  _ target: UnsafeMutablePointer<UInt64>, _ source: UnsafePointer<UInt64>, count: Int
) {
  for i in 0..<maskWordCount(count) { target[i] &= ~source[i] }
}

/// Replaces the rows of a mask of `count` rows by all others.
public func invertMask(_ target: UnsafeMutablePointer<UInt64>, count: Int) {
  for i in 0..<maskWordCount(count) { target[i] = ~target[i] }
  clearUnusedBits(target, count)
}

/// Puts all rows into a mask, or none.
public func fillMask(_ target: UnsafeMutablePointer<UInt64>, count: Int, with value: Bool) {
  fillConstant(target, count, value ? .max : 0)
}

/// The number of rows in a mask of `count` rows.
public func maskPopulation(_ mask: UnsafePointer<UInt64>, count: Int) -> Int {
  var total = 0
  for i in 0..<maskWordCount(count) { total &+= mask[i].nonzeroBitCount }
  return total
}

/// Whether a mask of `count` rows has none.
public func maskIsEmpty(_ mask: UnsafePointer<UInt64>, count: Int) -> Bool {
  for i in 0..<maskWordCount(count) where mask[i] != 0 { return false }
  return true
}

/// Calls a closure with each row of a mask in ascending order.
@inlinable @inline(__always)
public func forEachRow(
  in mask: UnsafePointer<UInt64>, count: Int, _ body: (Int) throws -> Void
) rethrows {
  for i in 0..<maskWordCount(count) {
    var rest = mask[i]
    while rest != 0 {
      try body(i &* 64 &+ rest.trailingZeroBitCount)
      rest &= rest &- 1
    }
  }
}

/// Stores the rows of a mask, each moved by `base`, in ascending order; returns how many.
///
/// `out` has room for as many numbers as the mask has rows.
public func storeRows(
  of mask: UnsafePointer<UInt64>, count: Int, base: Int, to out: UnsafeMutablePointer<Int>
) -> Int {
  var stored = 0
  forEachRow(in: mask, count: count) { row in
    out[stored] = base &+ row
    stored &+= 1
  }
  return stored
}

/// Clears the bits of the last word that belong to no row.
@inline(__always)
func clearUnusedBits(_ mask: UnsafeMutablePointer<UInt64>, _ count: Int) {
  let rest = UInt64(truncatingIfNeeded: count & 63)
  if rest != 0 { mask[count &>> 6] &= (1 &<< rest) &- 1 }
}

@inline(__always)
func fillConstant(_ mask: UnsafeMutablePointer<UInt64>, _ count: Int, _ word: UInt64) {
  for i in 0..<maskWordCount(count) { mask[i] = word }
  clearUnusedBits(mask, count)
}
