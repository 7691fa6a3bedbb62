import RealmValues

/// Sorts objects by one column whose values are few: each goes straight to its place. Stable.
enum CountingSort {
  /// Most different places for values.
  private static let maximumSpan: UInt64 = 1 << 16

  /// The sorted objects; nil if the values are too far apart, or not told by rank and prefix.
  static func sorted(_ keys: [ObjectKey], by column: SortColumn) -> [ObjectKey]? {
    guard column.isExact, let range = column.prefixRange else { return nil }
    // One less than the number of places, which may be more than 64 bits hold.
    let reach = range.upperBound &- range.lowerBound
    guard reach < maximumSpan, reach < UInt64(keys.count) &* 4 else { return nil }
    let span = reach &+ 1
    // The first place is for what stands below all values, the last for what stands above them.
    var places = [Int](repeating: 0, count: Int(span) + 2)
    let (ranks, prefixes, rank) = (column.ranks, column.prefixes, column.valueRank)
    @inline(__always) func place(_ i: Int) -> Int {
      if ranks[i] != rank { return ranks[i] < rank ? 0 : Int(span) &+ 1 }
      return Int(truncatingIfNeeded: prefixes[i] &- range.lowerBound) &+ 1
    }
    for i in 0..<keys.count { places[place(i)] += 1 }
    var next = 0
    for i in places.indices {
      (places[i], next) = (next, next + places[i])
    }
    return [ObjectKey](unsafeUninitializedCapacity: keys.count) { out, count in
      // Every place is stored once: the counts add up to the number of objects.
      guard let out = out.baseAddress else { return }
      places.withUnsafeMutableBufferPointer { places in
        for i in 0..<keys.count {
          let place = place(i)
          (out + places[place]).initialize(to: keys[i])
          places[place] &+= 1
        }
      }
      count = keys.count
    }
  }
}
