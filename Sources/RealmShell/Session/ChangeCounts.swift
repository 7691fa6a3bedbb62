import RealmValues

/// The objects that a transaction has added, changed and deleted.
///
/// An object counts once: one that was added is not also changed, one that was added and deleted
/// does not count at all.
///
/// Source: shell.md 8, 25.
struct ChangeCounts {
  private struct Objects {
    var added = KeySet()
    var changed = KeySet()
    var deletedCount = 0
    /// Objects of `added` that were deleted again.
    var addedAndDeletedCount = 0
    /// Objects of `changed` that were deleted later.
    var changedAndDeletedCount = 0
  }

  private var tables: [TableKey: Objects] = [:]

  /// Whether an object was added in the transaction.
  func hasAdded(_ table: TableKey, _ key: ObjectKey) -> Bool {
    tables[table]?.added.contains(key) ?? false
  }

  /// Counts an added object.
  mutating func add(_ table: TableKey, _ key: ObjectKey) {
    tables[table, default: Objects()].added.insert(key)
  }

  /// Counts a changed object.
  mutating func change(_ table: TableKey, _ key: ObjectKey) {
    guard !hasAdded(table, key) else { return }
    tables[table, default: Objects()].changed.insert(key)
  }

  /// Counts a deleted object.
  mutating func delete(_ table: TableKey, _ key: ObjectKey) {
    var objects = tables[table] ?? Objects()
    if objects.added.contains(key) {
      objects.addedAndDeletedCount += 1
    } else {
      if objects.changed.contains(key) { objects.changedAndDeletedCount += 1 }
      objects.deletedCount += 1
    }
    tables[table] = objects
  }

  /// Counts deleted objects whose keys are not known.
  mutating func delete(_ table: TableKey, count: Int) {
    tables[table, default: Objects()].deletedCount += count
  }

  /// The counts in words: `1 changed, 1 deleted`; parts that are 0 are left out.
  var text: String {
    var counts = (added: 0, changed: 0, deleted: 0)
    for objects in tables.values {
      counts.added += objects.added.count - objects.addedAndDeletedCount
      counts.changed += objects.changed.count - objects.changedAndDeletedCount
      counts.deleted += objects.deletedCount
    }
    let parts = [
      (counts.added, "added"), (counts.changed, "changed"), (counts.deleted, "deleted"),
    ]
    let words = parts.filter { $0.0 > 0 }.map { "\(grouped($0.0)) \($0.1)" }
    return words.isEmpty ? "nothing" : words.joined(separator: ", ")
  }
}

/// A set of object keys that costs little if they come in ascending order.
struct KeySet {
  /// Ranges of keys in ascending order.
  private var ranges: [ClosedRange<Int64>] = []
  /// Keys that came out of order.
  private var others: Set<Int64> = []

  /// Number of keys in `ranges`.
  private var rangeCount = 0

  /// Number of keys.
  var count: Int { rangeCount + others.count }

  /// Whether a key is in the set.
  func contains(_ key: ObjectKey) -> Bool {
    let key = key.rawValue
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < key { low = middle + 1 } else { high = middle }
    }
    if low < ranges.count, ranges[low].contains(key) { return true }
    return others.contains(key)
  }

  /// Adds a key, if it is not in the set.
  mutating func insert(_ key: ObjectKey) {
    let number = key.rawValue
    guard let last = ranges.last, last.upperBound >= number else {
      rangeCount += 1
      if let last = ranges.last, last.upperBound == number - 1 {
        ranges[ranges.count - 1] = last.lowerBound...number
      } else {
        ranges.append(number...number)
      }
      return
    }
    if !contains(key) { others.insert(number) }
  }
}
