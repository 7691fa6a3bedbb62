import RealmObjects
import RealmStorage
import RealmValues

/// A block of a migration that runs: the state before it, and which objects it has rewritten.
final class Migration {
  /// The classes and objects before the block.
  let oldSchema: Schema

  /// The objects of a class that were rewritten.
  struct Rewritten {
    private(set) var keys = KeySet()
    /// The first of them in the order of their keys.
    private(set) var first: [ObjectKey] = []

    private static let shownCount = 3

    mutating func insert(_ key: ObjectKey) {
      keys.insert(key)
      if first.count == Rewritten.shownCount, let last = first.last, last <= key { return }
      guard !first.contains(key) else { return }
      first.insert(key, at: first.firstIndex { key < $0 } ?? first.count)
      if first.count > Rewritten.shownCount { first.removeLast() }
    }
  }

  /// By table.
  private(set) var rewritten: [TableKey: Rewritten] = [:]

  init(_ oldSchema: Schema) { self.oldSchema = oldSchema }

  /// Notes what a statement has changed.
  func note(_ outcome: WriteOutcome) {
    for subject in outcome.subjects {
      guard case .changed = subject.effect else { continue }
      noteRewritten([subject.key], of: subject.objectClass.table.key)
    }
    if let table = outcome.bulkTable { noteRewritten(outcome.bulkObjects, of: table) }
  }

  /// Notes objects of a table that got another value.
  func noteRewritten(_ objects: [ObjectKey], of table: TableKey) {
    guard !objects.isEmpty else { return }
    var known = rewritten.removeValue(forKey: table) ?? Rewritten()
    for object in objects { known.insert(object) }
    rewritten[table] = known
  }
}
