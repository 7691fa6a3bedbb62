/// Which rows of a block are meant: one bit per row, at most 256 rows.
struct RowMask {
  /// Most rows of a block.
  static let capacity = 256

  var words: SIMD4<UInt64>

  /// No rows.
  static let empty = RowMask(words: .zero)

  /// The first `count` rows.
  @inline(__always)
  static func first(_ count: Int) -> RowMask {
    var words = SIMD4<UInt64>.zero
    for i in 0..<4 {
      let rows = count &- i &* 64
      words[i] = rows >= 64 ? .max : rows <= 0 ? 0 : (1 &<< UInt64(rows)) &- 1
    }
    return RowMask(words: words)
  }

  @inline(__always) var isEmpty: Bool { words == .zero }

  @inline(__always) var count: Int {
    words[0].nonzeroBitCount &+ words[1].nonzeroBitCount &+ words[2].nonzeroBitCount
      &+ words[3].nonzeroBitCount
  }

  @inline(__always)
  static func & (a: RowMask, b: RowMask) -> RowMask { RowMask(words: a.words & b.words) }

  @inline(__always)
  static func | (a: RowMask, b: RowMask) -> RowMask { RowMask(words: a.words | b.words) }

  /// The rows of `self` that are not in `other`.
  @inline(__always)
  func subtracting(_ other: RowMask) -> RowMask { RowMask(words: words & ~other.words) }

  /// The other ones of the first `count` rows.
  @inline(__always)
  func inverted(_ count: Int) -> RowMask { RowMask.first(count).subtracting(self) }

  /// Whether a row is in.
  @inline(__always)
  func contains(_ row: Int) -> Bool {
    words[row &>> 6] &>> UInt64(truncatingIfNeeded: row & 63) & 1 != 0
  }

  /// Puts a row in.
  @inline(__always)
  mutating func insert(_ row: Int) {
    words[row &>> 6] |= 1 &<< UInt64(truncatingIfNeeded: row & 63)
  }

  /// Calls `body` with each row in ascending order.
  @inline(__always)
  func forEachRow<Failure: Error>(
    _ body: (Int) throws(Failure) -> Void
  ) throws(Failure) {
    for word in 0..<4 {
      var rest = words[word]
      while rest != 0 {
        try body(word &* 64 &+ rest.trailingZeroBitCount)
        rest &= rest &- 1
      }
    }
  }

  /// Calls `body`, which cannot fail, with each row in ascending order; full words are not searched
  /// for their bits.
  @inline(__always)
  func forEachRowQuickly(_ body: (Int) -> Void) {
    for word in 0..<4 {
      var rest = words[word]
      if rest == .max {
        for row in word &* 64..<word &* 64 &+ 64 { body(row) }
        continue
      }
      while rest != 0 {
        body(word &* 64 &+ rest.trailingZeroBitCount)
        rest &= rest &- 1
      }
    }
  }

  /// The rows that satisfy a test.
  @inline(__always)
  func filter<Failure: Error>(
    _ isIncluded: (Int) throws(Failure) -> Bool
  ) throws(Failure) -> RowMask {
    var result = self
    for word in 0..<4 {
      var rest = words[word]
      var included = rest
      while rest != 0 {
        let bit = rest & (0 &- rest)
        if try !isIncluded(word &* 64 &+ rest.trailingZeroBitCount) { included ^= bit }
        rest ^= bit
      }
      result.words[word] = included
    }
    return result
  }

  /// Calls `body` with the words as kernels take them.
  @inline(__always)
  func withWords<Result>(_ body: (UnsafePointer<UInt64>) -> Result) -> Result {
    var copy = words
    return withUnsafeMutablePointer(to: &copy) { words in
      // The vector has exactly four words.
      words.withMemoryRebound(to: UInt64.self, capacity: 4) { body($0) }
    }
  }

  /// The mask that a kernel stores.
  @inline(__always)
  static func filled(_ fill: (UnsafeMutablePointer<UInt64>) -> Void) -> RowMask {
    var words = SIMD4<UInt64>.zero
    withUnsafeMutableBytes(of: &words) { bytes in
      // The buffer has exactly the four words of the vector.
      bytes.withMemoryRebound(to: UInt64.self) { words in
        if let start = words.baseAddress { fill(start) }
      }
    }
    return RowMask(words: words)
  }
}
