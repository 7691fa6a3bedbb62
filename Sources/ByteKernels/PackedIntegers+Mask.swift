/// How an element is compared with a key: `element < key` and so on.
public enum Comparison: UInt8, Sendable {
  /// The two are equal.
  case equal
  /// The two differ.
  case notEqual
  /// The element is less than the key.
  case less
  /// The element is less than the key or equal to it.
  case lessOrEqual
  /// The element is greater than the key.
  case greater
  /// The element is greater than the key or equal to it.
  case greaterOrEqual
}

// Masks have one bit per element, 64 to a word, the first element in the lowest bit. Every
// function here stores ceil(count / 64) words; bits past `count` are zero.
extension PackedIntegers {
  /// Bit i of the mask tells whether element `start + i` compares with the key as asked.
  ///
  /// - Precondition: `start` and `count` are not negative, `start + count` is at most `self.count`.
  public func fillMask(
    _ out: UnsafeMutablePointer<UInt64>, from start: Int, count: Int, _ comparison: Comparison,
    _ key: Int64
  ) {
    switch comparison {
    case .equal: fillMaskBetween(out, from: start, count: count, key, key)
    case .lessOrEqual: fillMaskBetween(out, from: start, count: count, .min, key)
    case .greaterOrEqual: fillMaskBetween(out, from: start, count: count, key, .max)
    case .notEqual: fillMask(out, start, count, key, key, isInverted: true)
    case .less: fillMask(out, start, count, key, .max, isInverted: true)
    case .greater: fillMask(out, start, count, .min, key, isInverted: true)
    }
  }

  /// Bit i of the mask tells whether `low <= element <= high` holds for element `start + i`.
  ///
  /// - Precondition: As for `fillMask`.
  public func fillMaskBetween(
    _ out: UnsafeMutablePointer<UInt64>, from start: Int, count: Int, _ low: Int64, _ high: Int64
  ) {
    fillMask(out, start, count, low, high, isInverted: false)
  }

  /// Bit i of the mask tells whether element `start + i` is one of the keys, which ascend.
  ///
  /// - Precondition: As for `fillMask`.
  public func fillMaskAny(
    _ out: UnsafeMutablePointer<UInt64>, from start: Int, count: Int,
    sortedKeys: UnsafeBufferPointer<Int64>
  ) {
    let bounds = elementBounds
    let keys = sortedKeys[...].drop { $0 < bounds.lowerBound }.prefix { $0 <= bounds.upperBound }
    guard let low = keys.first, let high = keys.last else {
      fillMask(out, start, count, 1, 0, isInverted: false)
      return
    }
    // One comparison per key and block is quicker than searching until there are many keys.
    let keyLimit = 8
    if width >= 2, keys.count > 1, keys.count <= keyLimit {
      checkRange(start, count)
      withUnsafeTemporaryAllocation(of: LaneRange.self, capacity: keyLimit) { ranges in
        for (i, key) in keys.enumerated() {
          ranges.initializeElement(at: i, to: LaneRange(width: width, low: key, high: key))
        }
        fillBlocks(out, start, count, UnsafeBufferPointer(rebasing: ranges[..<keys.count]), flip: 0)
      }
      return
    }
    fillMaskBetween(out, from: start, count: count, low, high)
    let gapCount = UInt64(bitPattern: high &- low) &+ 1 &- UInt64(keys.count)
    if gapCount == 0 && isStrictlyAscending(keys) { return }
    for word in 0..<maskWordCount(count) {
      var rest = out[word]
      while rest != 0 {
        let bit = rest & (0 &- rest)
        let i = start &+ word &* 64 &+ rest.trailingZeroBitCount
        if !contains(keys, self[i]) { out[word] &= ~bit }
        rest ^= bit
      }
    }
  }

  /// The smallest and the largest number that fit the width.
  private var elementBounds: ClosedRange<Int64> {
    switch width {
    case 0: return 0...0
    case 1, 2, 4: return 0...((1 &<< Int64(width)) &- 1)
    default: return (Int64.min &>> Int64(64 &- width))...(Int64.max &>> Int64(64 &- width))
    }
  }

  @inline(__always)
  func checkRange(_ start: Int, _ count: Int) {
    precondition(start >= 0 && count >= 0 && start <= self.count &- count)
  }

  private func fillMask(
    _ out: UnsafeMutablePointer<UInt64>, _ start: Int, _ count: Int, _ low: Int64, _ high: Int64,
    isInverted: Bool
  ) {
    checkRange(start, count)
    let bounds = elementBounds
    let least = max(low, bounds.lowerBound)
    let most = min(high, bounds.upperBound)
    let flip: UInt64 = isInverted ? .max : 0
    if least > most {
      fillConstant(out, count, flip)
    } else if least == bounds.lowerBound && most == bounds.upperBound {
      fillConstant(out, count, ~flip)
    } else if width == 1 {
      // Exactly one of the two values is in the range.
      let zeroMatches: UInt64 = least == 0 ? .max : 0
      fillMaskBlocks(out, base, width, start, count) {
        UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) ^ zeroMatches ^ flip
      }
    } else {
      withUnsafePointer(to: LaneRange(width: width, low: least, high: most)) {
        fillBlocks(out, start, count, UnsafeBufferPointer(start: $0, count: 1), flip: flip)
      }
    }
  }

  /// Stores the elements in any of the ranges; the width is decided here, once per call.
  ///
  /// Not inlined: knowing how a range was made, the optimiser takes its vectors apart and handles
  /// them byte by byte, ten times slower.
  @inline(never)
  private func fillBlocks(
    _ out: UnsafeMutablePointer<UInt64>, _ start: Int, _ count: Int,
    _ ranges: UnsafeBufferPointer<LaneRange>, flip: UInt64
  ) {
    switch width {
    case 2: fillMaskBlocks(out, base, width, start, count) { Self.mask($0, 2, ranges) ^ flip }
    case 4: fillMaskBlocks(out, base, width, start, count) { Self.mask($0, 4, ranges) ^ flip }
    case 8: fillMaskBlocks(out, base, width, start, count) { Self.mask($0, 8, ranges) ^ flip }
    case 16: fillMaskBlocks(out, base, width, start, count) { Self.mask($0, 16, ranges) ^ flip }
    case 32: fillMaskBlocks(out, base, width, start, count) { Self.mask($0, 32, ranges) ^ flip }
    default: fillMaskBlocks(out, base, width, start, count) { Self.mask($0, 64, ranges) ^ flip }
    }
  }

  @inline(__always)
  private static func mask(
    _ p: UnsafeRawPointer, _ width: UInt8, _ ranges: UnsafeBufferPointer<LaneRange>
  ) -> UInt64 {
    var bits: UInt64 = 0
    for range in ranges { bits |= range.mask(p, width: width) }
    return bits
  }
}

private func isStrictlyAscending(_ keys: Slice<UnsafeBufferPointer<Int64>>) -> Bool {
  zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 }
}

/// Binary search in ascending keys.
private func contains(_ keys: Slice<UnsafeBufferPointer<Int64>>, _ value: Int64) -> Bool {
  var low = keys.startIndex
  var high = keys.endIndex
  while low < high {
    let middle = low &+ (high &- low) / 2
    if keys[middle] < value { low = middle &+ 1 } else { high = middle }
  }
  return low < keys.endIndex && keys[low] == value
}
