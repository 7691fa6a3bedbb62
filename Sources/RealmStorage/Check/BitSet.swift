/// A set of small numbers, one bit for each.
struct BitSet {
  private var words: [UInt64]

  /// An empty set for numbers below `count`.
  init(count: Int) {
    words = Array(repeating: 0, count: (count + 63) / 64)
  }

  /// Whether a number is in the set.
  func contains(_ number: Int) -> Bool { words[number / 64] >> UInt64(number % 64) & 1 != 0 }

  /// The first number of a range that is not in the set, and how many of the range are not.
  func missing(from start: Int, to end: Int) -> (first: Int, count: Int)? {
    var (first, count) = (end, 0)
    var number = start
    while number < end {
      let (mask, next) = BitSet.mask(number, end)
      let rest = mask & ~words[number / 64]
      if rest != 0 {
        if count == 0 { first = number / 64 * 64 + rest.trailingZeroBitCount }
        count += rest.nonzeroBitCount
      }
      number = next
    }
    return count > 0 ? (first, count) : nil
  }

  /// The runs of numbers of a range that are not in the set.
  func runsOfMissing(from start: Int, to end: Int) -> [Range<Int>] {
    var result: [Range<Int>] = []
    var number = start
    while number < end {
      if number % 64 == 0, words[number / 64] == .max {
        number += 64
        continue
      }
      let first = number
      while number < end, !contains(number) {
        let isEmptyWord = number % 64 == 0 && words[number / 64] == 0
        number = min(end, number + (isEmptyWord ? 64 : 1))
      }
      if number > first { result.append(first..<number) } else { number += 1 }
    }
    return result
  }

  /// Whether no number of a range is in the set.
  func isClear(from start: Int, to end: Int) -> Bool {
    var number = start
    while number < end {
      let (mask, next) = BitSet.mask(number, end)
      if words[number / 64] & mask != 0 { return false }
      number = next
    }
    return true
  }

  /// Adds the numbers of a range.
  mutating func insert(from start: Int, to end: Int) {
    var number = start
    while number < end {
      let (mask, next) = BitSet.mask(number, end)
      words[number / 64] |= mask
      number = next
    }
  }

  /// Takes a number out.
  mutating func remove(_ number: Int) { words[number / 64] &= ~(1 << UInt64(number % 64)) }

  /// The bits of the word with `number` from there up to `end`, and the first number behind them.
  private static func mask(_ number: Int, _ end: Int) -> (UInt64, Int) {
    let next = min((number / 64 + 1) * 64, end)
    let count = next - number
    let ones: UInt64 = count == 64 ? .max : (1 << UInt64(count)) - 1
    return (ones << UInt64(number % 64), next)
  }
}
