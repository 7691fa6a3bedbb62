import RealmValues

/// SORT. Source: query-language.md 26.
enum Sorting {
  /// What is moved while sorting: the first criterion and which object it belongs to.
  struct Entry {
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
    if columns.count == 1, keys.count >= RadixSort.leastCount, limit == nil,
      let sorted = CountingSort.sorted(keys, by: first)
    {
      return sorted
    }
    var entries = UnsafeMutableBufferPointer<Entry>.allocate(capacity: keys.count)
    defer { entries.deallocate() }
    for i in keys.indices {
      entries.initializeElement(
        at: i,
        to: Entry(
          prefix: first.prefixes[i], index: UInt32(truncatingIfNeeded: i), rank: first.ranks[i]))
    }
    let order = SortOrder(columns)
    // A heap is quicker as long as few of the objects ever enter it.
    if let limit, limit < keys.count / 8 {
      return least(limit, of: entries, order.isBefore).map { keys[Int($0.index)] }
    }
    if keys.count < RadixSort.leastCount {
      entries.sort(by: order.isBefore)
    } else {
      try RadixSort.sort(entries, run)
      order.sortTies(entries)
    }
    return entries.map { keys[Int($0.index)] }
  }

  /// The first `count` entries in order, found with a heap whose root is the last of them.
  private static func least(
    _ count: Int, of entries: UnsafeMutableBufferPointer<Entry>,
    _ isBefore: (Entry, Entry) -> Bool
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

/// The order of entries by all criteria.
private struct SortOrder {
  private let first: SortColumn
  private let others: ArraySlice<SortColumn>

  init(_ columns: [SortColumn]) {
    first = columns[0]
    others = columns.dropFirst()
  }

  func isBefore(_ a: Sorting.Entry, _ b: Sorting.Entry) -> Bool {
    if a.rank != b.rank { return a.rank < b.rank }
    if a.prefix != b.prefix { return a.prefix < b.prefix }
    return isTieBefore(Int(a.index), Int(b.index))
  }

  /// The order of entries with equal ranks and prefixes.
  private func isTieBefore(_ i: Int, _ j: Int) -> Bool {
    let order = first.orderOfRests(i, j)
    if order != 0 { return order < 0 }
    for column in others {
      let order = column.order(i, j)
      if order != 0 { return order < 0 }
    }
    return i < j
  }

  /// An entry of a run, with what decides first between texts.
  private struct Tie {
    var second: UInt64
    var length: UInt32
    var index: UInt32
  }

  /// Sorts the runs of entries with equal ranks and prefixes.
  func sortTies(_ entries: UnsafeMutableBufferPointer<Sorting.Entry>) {
    if first.isExact, others.isEmpty { return }
    var ties: [Tie] = []
    var start = 0
    while start < entries.count {
      var end = start + 1
      while end < entries.count, entries[end].prefix == entries[start].prefix,
        entries[end].rank == entries[start].rank
      {
        end += 1
      }
      if end - start > 1 {
        sortRun(UnsafeMutableBufferPointer(rebasing: entries[start..<end]), &ties)
      }
      start = end
    }
  }

  private func sortRun(_ run: UnsafeMutableBufferPointer<Sorting.Entry>, _ ties: inout [Tie]) {
    ties.removeAll(keepingCapacity: true)
    for entry in run {
      let key = first.tieKey(Int(entry.index)) ?? (0, 0)
      ties.append(Tie(second: key.second, length: key.length, index: entry.index))
    }
    ties.sort { a, b in
      if a.second != b.second { return a.second < b.second }
      if a.length != b.length { return a.length < b.length }
      return isTieBefore(Int(a.index), Int(b.index))
    }
    for i in run.indices { run[i].index = ties[i].index }
  }
}
