import RealmValues

/// Entries of backlinks that are to be added and removed, gathered so that every list of them is
/// written once.
struct PendingBacklinks {
  /// A hidden column of a table.
  struct Place: Hashable {
    var table: TableKey
    var column: Int
  }

  /// One end of a link at each side.
  typealias Entry = (target: ObjectKey, origin: ObjectKey)

  var added: [Place: [Entry]] = [:]
  var removed: [Place: [Entry]] = [:]

  var isEmpty: Bool { added.isEmpty && removed.isEmpty }

  /// Places and entries in the same order on every run.
  static func ordered(_ entries: [Place: [Entry]]) -> [(key: Place, value: [Entry])] {
    entries.sorted {
      ($0.key.table.rawValue, $0.key.column) < ($1.key.table.rawValue, $1.key.column)
    }
  }
}

/// Keeping backlinks in step with changes of many links.
///
/// Source: file-format-writing.md 8.7.
extension WriteTransaction {
  /// Whether changes of backlinks are gathered.
  public var gathersBacklinks: Bool { pendingBacklinks != nil }

  /// Gathers changes of backlinks until `endGatheringBacklinks`; whatever reads them sees them.
  public func gatherBacklinks() {
    if pendingBacklinks == nil { pendingBacklinks = PendingBacklinks() }
  }

  /// Brings the gathered changes of backlinks where they belong, and gathers no more.
  public func endGatheringBacklinks() throws(StorageError) {
    try flushBacklinks()
    pendingBacklinks = nil
  }

  /// Brings the gathered changes of backlinks where they belong.
  func flushBacklinks() throws(StorageError) {
    guard let pending = pendingBacklinks, !pending.isEmpty else { return }
    pendingBacklinks = PendingBacklinks()
    try apply(pending)
  }

  /// Changes entries of backlinks; what is no object any more is passed over.
  func apply(_ pending: PendingBacklinks) throws(StorageError) {
    // An entry can be removed that was added before.
    for (place, entries) in PendingBacklinks.ordered(pending.added) {
      try change(place, entries) { (origins, entry) throws(StorageError) in
        try addOrigins(origins.map(\.origin.rawValue), to: entry)
      }
    }
    for (place, entries) in PendingBacklinks.ordered(pending.removed) {
      try change(place, entries) { (origins, entry) throws(StorageError) in
        try removeOrigins(origins.map(\.origin.rawValue), from: entry)
      }
    }
  }

  /// Changes the entries of the targets of some links in a hidden column.
  private func change(
    _ place: PendingBacklinks.Place, _ links: [PendingBacklinks.Entry],
    _ body: (ArraySlice<PendingBacklinks.Entry>, Int64) throws(StorageError) -> Int64
  ) throws(StorageError) {
    let table = try editor(place.table)
    var links = links
    if !WriteTransaction.isSorted(links) { links.sort(by: WriteTransaction.isBefore) }
    var targets: [ObjectKey] = []
    for link in links where link.target != targets.last { targets.append(link.target) }
    var next = 0
    let clusters = table.clusters
    try clusters.edit(&table.clusterRoot, targets[...]) {
      (ref: inout Int64, leaf, rows) throws(StorageError) in
      var backlinks = try store.element(ref, place.column + 1)
      var entries = try store.integers(backlinks)
      try NodeStore.check(rows.last ?? -1, below: entries.count, backlinks)
      for row in rows {
        let target = ObjectKey(Int64(bitPattern: leaf.key(at: row)))
        while next < links.count, links[next].target < target { next += 1 }
        let start = next
        while next < links.count, links[next].target == target { next += 1 }
        entries[row] = try body(links[start..<next], entries[row])
      }
      try goOn(rows.count)
      try store.replace(&backlinks, entries)
      try store.set(&ref, place.column + 1, backlinks)
    }
  }

  private static func isBefore(
    _ a: PendingBacklinks.Entry, _ b: PendingBacklinks.Entry
  ) -> Bool {
    a.target != b.target ? a.target < b.target : a.origin < b.origin
  }

  private static func isSorted(_ links: [PendingBacklinks.Entry]) -> Bool {
    for i in links.indices.dropFirst() where isBefore(links[i], links[i - 1]) { return false }
    return true
  }

  /// Adds to an entry of backlinks.
  private func addOrigins(_ origins: [Int64], to entry: Int64) throws(StorageError) -> Int64 {
    let tree = TreeEditor(integersIn: store)
    if entry & 1 == 0, entry != 0 {
      var root = entry
      guard origins.count > 8, origins.count * 16 > (try tree.count(root)) else {
        for origin in origins { try tree.append(&root, .value(.int(origin))) }
        return root
      }
      let all = try tree.integers(root) + origins
      try store.freeTree(root)
      return try tree.make(integers: all)
    }
    let all = entry == 0 ? origins : [SearchIndex.objectKey(entry).rawValue] + origins
    if all.count > 1 { return try tree.make(integers: all) }
    return all.first.map { SearchIndex.element(for: ObjectKey($0)) } ?? 0
  }

  /// Removes one occurrence of each origin, which are ascending, from an entry of backlinks.
  private func removeOrigins(
    _ origins: [Int64], from entry: Int64
  ) throws(StorageError) -> Int64 {
    if origins.count <= 4 {
      var entry = entry
      for origin in origins { try removeOrigin(ObjectKey(origin), from: &entry) }
      return entry
    }
    guard entry != 0 else { return 0 }
    if entry & 1 != 0 {
      return origins.contains(SearchIndex.objectKey(entry).rawValue) ? 0 : entry
    }
    var lost = AscendingBag(origins)
    let tree = TreeEditor(integersIn: store)
    var kept = try tree.integers(entry)
    kept.removeAll { lost.take($0) }
    try store.freeTree(entry)
    guard let only = kept.first else { return 0 }
    if kept.count == 1 { return SearchIndex.element(for: ObjectKey(only)) }
    return try tree.make(integers: kept)
  }

  /// Removes one occurrence of an origin from an entry of backlinks.
  func removeOrigin(_ origin: ObjectKey, from entry: inout Int64) throws(StorageError) {
    if entry == 0 { return }
    if entry & 1 != 0 {
      if SearchIndex.objectKey(entry) == origin { entry = 0 }
      return
    }
    let tree = TreeEditor(integersIn: store)
    guard let position = try tree.position(of: origin.rawValue, in: entry) else { return }
    let count = try tree.count(entry)
    let last = try tree.integer(entry, count - 1)
    if count == 2 {
      let rest = position == 0 ? last : try tree.integer(entry, 0)
      try store.freeTree(entry)
      entry = SearchIndex.element(for: ObjectKey(rest))
      return
    }
    if position < count - 1 { try tree.set(&entry, position, .value(.int(last))) }
    try tree.remove(&entry, count - 1)
  }
}

/// Numbers of which each can be taken as often as it is there.
private struct AscendingBag {
  private let numbers: [Int64]
  private var isTaken: [Bool]
  /// Where the next number is looked for first: they are mostly asked for in their order.
  private var next = 0

  /// - Parameter numbers: Ascending.
  init(_ numbers: [Int64]) {
    self.numbers = numbers
    isTaken = Array(repeating: false, count: numbers.count)
  }

  /// Takes a number; false if it is not there (any more).
  mutating func take(_ number: Int64) -> Bool {
    guard let least = numbers.first, let most = numbers.last, number >= least, number <= most
    else { return false }
    if next >= numbers.count || numbers[next] != number {
      var (low, high) = (0, numbers.count)
      while low < high {
        let middle = (low + high) / 2
        if numbers[middle] < number { low = middle + 1 } else { high = middle }
      }
      next = low
    }
    while next < numbers.count, numbers[next] == number {
      defer { next += 1 }
      guard isTaken[next] else {
        isTaken[next] = true
        return true
      }
    }
    return false
  }
}
