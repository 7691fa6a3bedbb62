/// A set of positions in a collection, kept as ranges.
///
/// The operations are those that object-model.md 6.4 and 6.6 define change sets with.
public struct PositionSet: Equatable, Sendable, Sequence {
  /// The positions as ranges in ascending order that do not touch each other.
  public private(set) var ranges: [Range<Int>] = []

  /// A set of no positions.
  public init() {}

  /// The positions of a range.
  public init(_ range: Range<Int>) { if !range.isEmpty { ranges = [range] } }

  /// The positions of a sequence.
  public init(_ positions: some Sequence<Int>) {
    for position in positions.sorted() { append(position..<position + 1) }
  }

  /// The positions of ranges that do not overlap, in any order.
  init(ranges: [Range<Int>]) {
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) { append(range) }
  }

  /// Whether there are no positions.
  public var isEmpty: Bool { ranges.isEmpty }

  /// Number of positions.
  public var count: Int { ranges.reduce(0) { $0 + $1.count } }

  /// The largest position; nil if there is none.
  public var last: Int? { ranges.last.map { $0.upperBound - 1 } }

  /// The positions in ascending order.
  public func makeIterator() -> FlattenSequence<[Range<Int>]>.Iterator {
    ranges.joined().makeIterator()
  }

  /// The first range that ends above a position.
  private func rangeIndex(endingAbove position: Int) -> Int {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound <= position { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Whether a position is in the set.
  public func contains(_ position: Int) -> Bool {
    let index = rangeIndex(endingAbove: position)
    return index < ranges.count && ranges[index].contains(position)
  }

  /// Number of positions in a range.
  public func count(in range: Range<Int>) -> Int {
    var index = rangeIndex(endingAbove: range.lowerBound)
    var total = 0
    while index < ranges.count, ranges[index].lowerBound < range.upperBound {
      total += ranges[index].clamped(to: range).count
      index += 1
    }
    return total
  }

  /// Adds positions above all, or next to the last one.
  mutating func append(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    if let last = ranges.last, last.upperBound >= range.lowerBound {
      ranges[ranges.count - 1] = last.lowerBound..<Swift.max(last.upperBound, range.upperBound)
    } else {
      ranges.append(range)
    }
  }

  /// Adds a position.
  public mutating func insert(_ position: Int) {
    let index = rangeIndex(endingAbove: position - 1)
    guard index < ranges.count, ranges[index].lowerBound <= position + 1 else {
      ranges.insert(position..<position + 1, at: index)
      return
    }
    let range = ranges[index]
    ranges[index] =
      Swift.min(range.lowerBound, position)..<Swift.max(range.upperBound, position + 1)
    if index + 1 < ranges.count, ranges[index + 1].lowerBound == ranges[index].upperBound {
      ranges[index] = ranges[index].lowerBound..<ranges[index + 1].upperBound
      ranges.remove(at: index + 1)
    }
  }

  /// Takes a position out.
  mutating func remove(_ position: Int) {
    let index = rangeIndex(endingAbove: position)
    guard index < ranges.count, ranges[index].contains(position) else { return }
    let range = ranges[index]
    let parts = [range.lowerBound..<position, position + 1..<range.upperBound]
    ranges.replaceSubrange(index...index, with: parts.filter { !$0.isEmpty })
  }

  /// All positions of two sets.
  func union(_ other: PositionSet) -> PositionSet {
    if other.isEmpty { return self }
    if isEmpty { return other }
    var result = PositionSet()
    var (i, j) = (0, 0)
    while i < ranges.count || j < other.ranges.count {
      let takesOwn =
        j == other.ranges.count
        || i < ranges.count && ranges[i].lowerBound <= other.ranges[j].lowerBound
      result.append(takesOwn ? ranges[i] : other.ranges[j])
      if takesOwn { i += 1 } else { j += 1 }
    }
    return result
  }

  /// The positions that are not in another set.
  func subtracting(_ other: PositionSet) -> PositionSet {
    var result = PositionSet()
    var j = 0
    for range in ranges {
      var start = range.lowerBound
      while j < other.ranges.count, other.ranges[j].upperBound <= start { j += 1 }
      var k = j
      while k < other.ranges.count, other.ranges[k].lowerBound < range.upperBound {
        if start < other.ranges[k].lowerBound { result.append(start..<other.ranges[k].lowerBound) }
        start = Swift.max(start, other.ranges[k].upperBound)
        k += 1
      }
      if start < range.upperBound { result.append(start..<range.upperBound) }
    }
    return result
  }

  // MARK: Shifts

  /// Takes one position out; those above move down.
  mutating func erase(at position: Int) {
    remove(position)
    let first = rangeIndex(endingAbove: position)
    for index in first..<ranges.count {
      ranges[index] = ranges[index].lowerBound - 1..<ranges[index].upperBound - 1
    }
    if first > 0, first < ranges.count,
      ranges[first - 1].upperBound == ranges[first].lowerBound
    {
      ranges[first - 1] = ranges[first - 1].lowerBound..<ranges[first].upperBound
      ranges.remove(at: first)
    }
  }

  /// Makes room for one position: it and those above move up.
  mutating func makeRoom(at position: Int) {
    var index = rangeIndex(endingAbove: position)
    guard index < ranges.count else { return }
    let range = ranges[index]
    if range.lowerBound < position {
      ranges[index] = range.lowerBound..<position
      ranges.insert(position + 1..<range.upperBound + 1, at: index + 1)
      index += 2
    }
    while index < ranges.count {
      ranges[index] = ranges[index].lowerBound + 1..<ranges[index].upperBound + 1
      index += 1
    }
  }

  /// Makes room for one position and adds it.
  mutating func insertShifting(_ position: Int) {
    makeRoom(at: position)
    insert(position)
  }

  /// The positions that remain when others are taken out, moved down by those below them.
  func erasing(_ erased: PositionSet) -> PositionSet {
    if erased.isEmpty { return self }
    var result = PositionSet()
    var below = 0
    var j = 0
    for range in subtracting(erased).ranges {
      while j < erased.ranges.count, erased.ranges[j].upperBound <= range.lowerBound {
        below += erased.ranges[j].count
        j += 1
      }
      result.append(range.lowerBound - below..<range.upperBound - below)
    }
    return result
  }

  /// The positions when room is made for others, which are positions in the result.
  func makingRoom(for inserted: PositionSet) -> PositionSet {
    var result = PositionSet()
    var (shift, j) = (0, 0)
    for range in ranges {
      var start = range.lowerBound
      while start < range.upperBound {
        while j < inserted.ranges.count, inserted.ranges[j].lowerBound <= start + shift {
          shift += inserted.ranges[j].count
          j += 1
        }
        let limit = j < inserted.ranges.count ? inserted.ranges[j].lowerBound - shift : Int.max
        let end = Swift.min(range.upperBound, limit)
        result.append(start + shift..<end + shift)
        start = end
      }
    }
    return result
  }

  /// The position of something that was at a position before the positions of the set were put in.
  public func shift(_ position: Int) -> Int {
    var position = position
    for range in ranges {
      guard range.lowerBound <= position else { break }
      position += range.count
    }
    return position
  }

  /// The position of something before the positions of the set were put in; it is none of them.
  public func unshift(_ position: Int) -> Int { position - count(in: 0..<Swift.max(0, position)) }

  /// What `unshift` tells of many positions that are none of the set.
  func unshifted(_ positions: [Int]) -> [Int] {
    var result = positions
    var (below, next) = (0, 0)
    for index in positions.indices.sorted(by: { positions[$0] < positions[$1] }) {
      while next < ranges.count, ranges[next].upperBound <= positions[index] {
        below += ranges[next].count
        next += 1
      }
      result[index] = positions[index] - below
    }
    return result
  }

  /// What `shift` tells of many positions.
  func shifted(_ positions: [Int]) -> [Int] {
    var result = positions
    var (below, next) = (0, 0)
    for index in positions.indices.sorted(by: { positions[$0] < positions[$1] }) {
      while next < ranges.count, ranges[next].lowerBound <= positions[index] + below {
        below += ranges[next].count
        next += 1
      }
      result[index] = positions[index] + below
    }
    return result
  }
}
