import RealmValues

/// SORT. Source: query-language.md 26.
enum Sorting {
  /// What is moved while sorting: the first criterion and which object it belongs to.
  private struct Entry {
    var prefix: UInt64
    var index: UInt32
    var rank: UInt8
  }

  /// Sorts stably; with a limit only so many of the first are returned.
  static func apply(
    to keys: [ObjectKey], by paths: [OrderingPath], limit: Int?, _ run: QueryRun
  ) throws(QueryFailure) -> [ObjectKey] {
    guard !paths.isEmpty, keys.count > 1, keys.count <= Int(UInt32.max) else { return keys }
    var columns: [SortColumn] = []
    for path in paths { columns.append(try SortColumn(path, keys, run)) }
    try run.ask()
    let first = columns[0]
    var entries: [Entry] = []
    entries.reserveCapacity(keys.count)
    for i in keys.indices {
      entries.append(
        Entry(prefix: first.prefixes[i], index: UInt32(i), rank: first.ranks[i]))
    }
    let isFirstExact = first.isExact
    let others = columns.dropFirst()
    func isBefore(_ a: Entry, _ b: Entry) -> Bool {
      if a.rank != b.rank { return a.rank < b.rank }
      if a.prefix != b.prefix { return a.prefix < b.prefix }
      if !isFirstExact {
        let order = first.orderOfRests(Int(a.index), Int(b.index))
        if order != 0 { return order < 0 }
      }
      for column in others {
        let order = column.order(Int(a.index), Int(b.index))
        if order != 0 { return order < 0 }
      }
      return a.index < b.index
    }
    // A heap is quicker as long as few of the objects ever enter it.
    if let limit, limit < keys.count / 8 {
      entries = least(limit, of: entries, isBefore)
    } else {
      entries.sort(by: isBefore)
    }
    return entries.map { keys[Int($0.index)] }
  }

  /// The first `count` entries in order, found with a heap whose root is the last of them.
  private static func least(
    _ count: Int, of entries: [Entry], _ isBefore: (Entry, Entry) -> Bool
  ) -> [Entry] {
    guard count > 0 else { return [] }
    var heap = Array(entries.prefix(count))
    func sink(_ start: Int) {
      var parent = start
      while true {
        var child = 2 * parent + 1
        guard child < heap.count else { return }
        if child + 1 < heap.count, isBefore(heap[child], heap[child + 1]) { child += 1 }
        guard isBefore(heap[parent], heap[child]) else { return }
        heap.swapAt(parent, child)
        parent = child
      }
    }
    for i in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(i) }
    for entry in entries.dropFirst(count) where isBefore(entry, heap[0]) {
      heap[0] = entry
      sink(0)
    }
    return heap.sorted(by: isBefore)
  }
}

/// DISTINCT. Source: query-language.md 26.
enum Distinct {
  /// Keeps the first object of each group of equal values; objects behind a null link are dropped.
  static func apply(
    to keys: [ObjectKey], by paths: [OrderingPath], _ run: QueryRun
  ) throws(QueryFailure) -> [ObjectKey] {
    var columns: [SortColumn] = []
    for path in paths { columns.append(try SortColumn(path, keys, run)) }
    try run.ask()
    let reachable = keys.indices.filter { i in !columns.contains { $0.isUnreachable(i) } }
    guard keys.count <= Int(UInt32.max) else { return keys }
    if columns.contains(where: \.hasValues) { return bySorting(keys, reachable, columns) }
    var groups = GroupTable(columns, capacity: reachable.count)
    return reachable.filter { groups.insert($0) }.map { keys[$0] }
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
  private let columns: [SortColumn]
  /// Index + 1 of an object; 0 is a free place.
  private var places: [UInt32]

  init(_ columns: [SortColumn], capacity: Int) {
    self.columns = columns
    var size = 16
    while size < 2 * capacity { size *= 2 }
    places = Array(repeating: 0, count: size)
  }

  /// Adds an object; false if one with equal values is there already.
  mutating func insert(_ i: Int) -> Bool {
    var hasher = Hasher()
    for column in columns { column.hash(i, into: &hasher) }
    var place = hasher.finalize() & (places.count - 1)
    while places[place] != 0 {
      let other = Int(places[place]) - 1
      if columns.allSatisfy({ $0.order(i, other) == 0 }) { return false }
      place = (place + 1) & (places.count - 1)
    }
    places[place] = UInt32(i) + 1
    return true
  }
}
