import RealmObjects
import RealmStorage
import RealmValues

/// How many objects a transaction has added, changed and deleted.
///
/// An object that statements name counts once: if it was added it is not also changed.
///
/// Source: shell.md 8, 25.
struct ChangeCounts {
  private var addedKeys: [TableKey: KeySet] = [:]
  private var changedKeys: [TableKey: KeySet] = [:]
  /// Objects whose keys are not known.
  private var others = (added: 0, changed: 0, deleted: 0)

  /// Whether classes were changed.
  var hasChangedClasses = false

  /// Counts what a statement has done.
  mutating func count(_ outcome: WriteOutcome) {
    for subject in outcome.subjects {
      let table = subject.objectClass.table.key
      switch subject.effect {
      case .added: addedKeys[table, default: KeySet()].insert(subject.key)
      case .changed:
        if addedKeys[table]?.contains(subject.key) != true {
          changedKeys[table, default: KeySet()].insert(subject.key)
        }
      case .unchanged: break
      }
    }
    others.added += outcome.addedNested.reduce(0) { $0 + $1.count }
    others.changed += outcome.changedInBulk + outcome.changedNested.reduce(0) { $0 + $1.count }
    others.deleted += outcome.deletedCount
  }

  /// Takes out the added objects of a table, to be counted elsewhere and put back.
  mutating func takeAdded(_ table: TableKey) -> KeySet {
    addedKeys.removeValue(forKey: table) ?? KeySet()
  }

  /// Puts back what `takeAdded` has given.
  mutating func putBack(_ keys: KeySet, of table: TableKey) { addedKeys[table] = keys }

  /// The counts in words: `1 changed, 1 deleted`; parts that are 0 are left out.
  /// If all are: `classes changed` if only those were, else `nothing`.
  var text: String {
    let parts = [
      (addedKeys.values.reduce(others.added) { $0 + $1.count }, "added"),
      (changedKeys.values.reduce(others.changed) { $0 + $1.count }, "changed"),
      (others.deleted, "deleted"),
    ]
    let words = parts.filter { $0.0 > 0 }.map { "\(grouped($0.0)) \($0.1)" }
    if words.isEmpty { return hasChangedClasses ? "classes changed" : "nothing" }
    return words.joined(separator: ", ")
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
