import RealmValues

/// DISTINCT. Source: query-language.md 26.
enum Distinct {
  /// Keeps the first object of each group of equal values; objects behind a null link are dropped.
  static func apply(
    to keys: [ObjectKey], by paths: [OrderingPath], _ run: QueryRun
  ) throws(QueryFailure) -> [ObjectKey] {
    var columns: [SortColumn] = []
    for path in paths { columns.append(try SortColumn(path, keys, run)) }
    try run.ask()
    guard keys.count <= Int(UInt32.max) else { return keys }
    func isReachable(_ i: Int) -> Bool { !columns.contains { $0.isUnreachable(i) } }
    if columns.contains(where: \.hasValues) {
      return bySorting(keys, keys.indices.filter(isReachable), columns)
    }
    var groups = GroupTable(columns)
    var result: [ObjectKey] = []
    for i in keys.indices where isReachable(i) && groups.insert(i) { result.append(keys[i]) }
    return result
  }

  /// For mixed values, where numbers of different types can be equal.
  private static func bySorting(
    _ keys: [ObjectKey], _ reachable: [Int], _ columns: [SortColumn]
  ) -> [ObjectKey] {
    func order(_ i: Int, _ j: Int) -> Int {
      for column in columns {
        let order = column.order(i, j)
        if order != 0 { return order }
      }
      return 0
    }
    let sorted = reachable.sorted {
      let order = order($0, $1)
      return order != 0 ? order < 0 : $0 < $1
    }
    var firsts: [Int] = []
    for (position, i) in sorted.enumerated()
    where position == 0 || order(sorted[position - 1], i) != 0 {
      firsts.append(i)
    }
    return firsts.sorted().map { keys[$0] }
  }
}

/// A hash table of objects by the values of some columns.
private struct GroupTable {
  private struct Place {
    var hash: UInt64
    /// Index + 1 of an object; 0 in a free place.
    var index: UInt32
  }

  private let columns: [SortColumn]
  private var places: [Place]
  private var count = 0

  init(_ columns: [SortColumn]) {
    self.columns = columns
    places = Array(repeating: Place(hash: 0, index: 0), count: 256)
  }

  /// Adds an object; false if one with equal values is there already.
  mutating func insert(_ i: Int) -> Bool {
    var hash: UInt64 = 0
    for column in columns { hash = SortColumn.mix(hash &+ column.hash(i)) }
    let mask = places.count - 1
    var place = Int(truncatingIfNeeded: hash) & mask
    while places[place].index != 0 {
      if places[place].hash == hash {
        let other = Int(places[place].index) - 1
        if columns.allSatisfy({ $0.order(i, other) == 0 }) { return false }
      }
      place = (place + 1) & mask
    }
    places[place] = Place(hash: hash, index: UInt32(i) + 1)
    count += 1
    if 2 * count > places.count { grow() }
    return true
  }

  private mutating func grow() {
    var larger = [Place](repeating: Place(hash: 0, index: 0), count: 2 * places.count)
    let mask = larger.count - 1
    for known in places where known.index != 0 {
      var place = Int(truncatingIfNeeded: known.hash) & mask
      while larger[place].index != 0 { place = (place + 1) & mask }
      larger[place] = known
    }
    places = larger
  }
}
