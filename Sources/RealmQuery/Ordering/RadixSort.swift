/// Sorts entries by rank and prefix; stable.
///
/// Distributes by the highest bits in which prefixes differ, as many as tell most entries apart,
/// from the lowest digit up. Runs that agree in those bits are sorted by the bits below.
struct RadixSort {
  typealias Entries = UnsafeMutableBufferPointer<Sorting.Entry>

  /// Below this many entries comparing is quicker.
  static let leastCount = 4096
  /// Entries of a run that are sorted by insertion.
  private static let insertionCount = 32
  private static let bitsPerDigit: UInt64 = 10

  private let run: QueryRun
  private let scratch: Entries
  private let places: UnsafeMutableBufferPointer<Int>

  /// Sorts all of `entries`, asking now and then whether to stop.
  static func sort(
    _ entries: UnsafeMutableBufferPointer<Sorting.Entry>, _ run: QueryRun
  ) throws(QueryFailure) {
    let sort = RadixSort(entries.count, run)
    defer {
      sort.scratch.deallocate()
      sort.places.deallocate()
    }
    try sort.sortByPrefix(entries)
    let rank = entries.first?.rank
    if entries.contains(where: { $0.rank != rank }) {
      sort.distribute(entries, to: sort.scratch, digits: 256) { Int($0.rank) }
      _ = entries.update(fromContentsOf: sort.scratch)
    }
  }

  private init(_ count: Int, _ run: QueryRun) {
    self.run = run
    scratch = .allocate(capacity: count)
    places = .allocate(capacity: 1 &<< Int(RadixSort.bitsPerDigit))
  }

  private func sortByPrefix(_ entries: Entries) throws(QueryFailure) {
    try run.ask()
    guard let first = entries.first?.prefix else { return }
    var differences: UInt64 = 0
    for entry in entries { differences |= entry.prefix ^ first }
    if differences == 0 { return }
    let high = UInt64(truncatingIfNeeded: 64 &- differences.leadingZeroBitCount)
    // Among random prefixes hardly any two agree in so many bits.
    let wanted = UInt64(truncatingIfNeeded: 72 &- entries.count.leadingZeroBitCount)
    let low = high > wanted ? high &- wanted : 0
    let passes = (high &- low &+ RadixSort.bitsPerDigit &- 1) / RadixSort.bitsPerDigit
    let bits = (high &- low &+ passes &- 1) / passes
    let mask = (1 &<< bits) &- 1
    // Each pass moves all entries into the other of the two buffers.
    var (source, target) = (entries, Entries(rebasing: scratch[..<entries.count]))
    for pass in 0..<passes {
      let shift = low &+ pass &* bits
      if differences &>> shift & mask == 0 { continue }
      distribute(source, to: target, digits: Int(mask) + 1) { Int($0.prefix &>> shift & mask) }
      swap(&source, &target)
      try run.ask()
    }
    if source.baseAddress != entries.baseAddress {
      _ = entries.update(fromContentsOf: source)
    }
    if low > 0 { try sortRuns(entries, low) }
  }

  /// Sorts the runs that agree in all bits from `low` on.
  private func sortRuns(_ entries: Entries, _ low: UInt64) throws(QueryFailure) {
    var start = 0
    while start < entries.count {
      let common = entries[start].prefix &>> low
      var end = start &+ 1
      while end < entries.count, entries[end].prefix &>> low == common { end &+= 1 }
      let run = Entries(rebasing: entries[start..<end])
      if run.count > RadixSort.insertionCount {
        try sortByPrefix(run)
      } else {
        RadixSort.insert(run)
      }
      start = end
    }
  }

  private static func insert(_ entries: Entries) {
    var sorted = 1
    while sorted < entries.count {
      let entry = entries[sorted]
      var place = sorted
      while place > 0, entries[place &- 1].prefix > entry.prefix {
        entries[place] = entries[place &- 1]
        place &-= 1
      }
      entries[place] = entry
      sorted &+= 1
    }
  }

  /// Moves entries to the places of their digit.
  @inline(__always)
  private func distribute(
    _ entries: Entries, to target: Entries, digits: Int, _ digit: (Sorting.Entry) -> Int
  ) {
    for i in 0..<digits { places[i] = 0 }
    for entry in entries { places[digit(entry)] &+= 1 }
    var place = 0
    for i in 0..<digits {
      let count = places[i]
      places[i] = place
      place &+= count
    }
    for entry in entries {
      let digit = digit(entry)
      target[places[digit]] = entry
      places[digit] &+= 1
    }
  }
}
