import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// A list, set or dictionary of an object.
struct CollectionPlace {
  /// A step from the value of the property to a collection in a mixed value.
  enum Step {
    case position(Int)
    case key([UInt8])
  }

  let owner: TableKey
  let object: ObjectKey
  let column: ColumnKey
  let collection: StoredColumn.Collection
  let kind: ValueKind
  /// The class of links.
  let target: TableKey?
  /// The way into a mixed value; empty for the collection that the property itself holds.
  var steps: [Step] = []
  /// Whether a dictionary is watched as the list of its values.
  var isWatchedAsValues = false

  var key: TransactionChanges.CollectionKey {
    TransactionChanges.CollectionKey(table: owner, column: column, object: object)
  }

  var kindText: String {
    switch collection {
    case .none, .list: "list"
    case .set: "set"
    case .dictionary: isWatchedAsValues ? "list" : "dictionary"
    }
  }

  /// The elements in one version; nil if the owner is gone, or the collection.
  func elements(in schema: Schema) throws(StorageError) -> DiffElements? {
    guard let owner = schema.objectClass(owner), let position = owner.table.column(column),
      let row = try owner.table.row(of: object)
    else { return nil }
    var value = try owner.table.value(of: position, in: row)
    for step in steps {
      switch (value, step) {
      case (.list(let list), .position(let position)):
        let values = try list.values()
        guard values.indices.contains(position) else { return nil }
        value = values[position]
      case (.dictionary(let dictionary), .key(let key)):
        guard let entry = try dictionary.entries().first(where: { $0.key.elementsEqual(key) })
        else { return nil }
        value = entry.value
      default: return nil
      }
    }
    switch value {
    case .list(let list) where collection != .dictionary:
      let values = try list.values()
      guard kind == .link, let target = target.flatMap(schema.objectClass) else {
        return .values(values)
      }
      return .objects(
        target,
        KeyList(
          values.map { value in
            if case .link(_, let key) = value { key } else { .null }
          }))
    case .dictionary(let dictionary) where collection == .dictionary:
      let entries = try dictionary.entries()
      return isWatchedAsValues ? .values(entries.map(\.value)) : .entries(entries)
    default: return nil
    }
  }
}

/// Keys by their position.
struct KeyList {
  let count: Int
  private let key: (Int) -> ObjectKey

  init(count: Int, _ key: @escaping (Int) -> ObjectKey) { (self.count, self.key) = (count, key) }

  init(_ keys: [ObjectKey]) { self.init(count: keys.count) { keys[$0] } }

  /// The keys of what was deleted; nothing is known of other positions.
  init(of deletions: PositionSet, _ keys: [ObjectKey]) {
    let positions = Array(deletions)
    self.init(count: (positions.last ?? -1) + 1) { position in
      var (low, high) = (0, positions.count)
      while low < high {
        let middle = (low + high) / 2
        if positions[middle] < position { low = middle + 1 } else { high = middle }
      }
      return keys[low]
    }
  }

  subscript(position: Int) -> ObjectKey { key(position) }
}

/// The elements that positions of a diff refer to.
enum DiffElements {
  case objects(ObjectClass, KeyList)
  case values([StoredValue])
  case entries([StoredDictionary.Entry])

  var count: Int {
    switch self {
    case .objects(_, let keys): keys.count
    case .values(let values): values.count
    case .entries(let entries): entries.count
    }
  }

  /// The count in words.
  var countText: String {
    switch self {
    case .objects: counted(count, "object", "objects")
    case .values: counted(count, "value", "values")
    case .entries: counted(count, "key", "keys")
    }
  }
}

/// Collections inside of collections: of what was done to them only the outcome is told.
enum NestedDifference {
  /// The changes between two states.
  ///
  /// - Parameter text: A text that tells values apart.
  static func changes(
    from old: DiffElements, to new: DiffElements,
    _ text: (StoredValue) throws(StorageError) -> [UInt8]
  ) throws(StorageError) -> CollectionChanges {
    if case .entries(let before) = old, case .entries(let after) = new {
      return try changes(from: before, to: after, text)
    }
    var before: [[UInt8]] = []
    for position in 0..<old.count { before.append(try text(old.value(position) ?? .null)) }
    var after: [[UInt8]] = []
    for position in 0..<new.count { after.append(try text(new.value(position) ?? .null)) }
    return changes(from: before, to: after)
  }

  /// What is the same at both ends has stayed; of the rest the first elements have changed, and those
  /// that are left over are gone or have come.
  static func changes<Element: Equatable>(
    from old: [Element], to new: [Element]
  ) -> CollectionChanges {
    let shorter = min(old.count, new.count)
    let start = (0..<shorter).first { old[$0] != new[$0] } ?? shorter
    let rest = shorter - start
    let end =
      (0..<rest).first { old[old.count - 1 - $0] != new[new.count - 1 - $0] } ?? rest
    let changed = start..<start + (rest - end)
    var changes = CollectionChanges()
    for position in changed where old[position] != new[position] {
      changes.oldModifications.insert(position)
      changes.newModifications.insert(position)
    }
    changes.deletions = PositionSet(changed.upperBound..<old.count - end)
    changes.insertions = PositionSet(changed.upperBound..<new.count - end)
    return changes
  }

  private static func changes(
    from old: [StoredDictionary.Entry], to new: [StoredDictionary.Entry],
    _ text: (StoredValue) throws(StorageError) -> [UInt8]
  ) throws(StorageError) -> CollectionChanges {
    var changes = CollectionChanges()
    var (i, j) = (0, 0)
    while i < old.count || j < new.count {
      let order =
        i == old.count ? 1 : j == new.count ? -1 : ScalarValue.compare(old[i].key, new[j].key)
      if order == 0 {
        if try text(old[i].value) != text(new[j].value) {
          changes.oldModifications.insert(i)
          changes.newModifications.insert(j)
        }
      } else if order < 0 {
        changes.deletions.insert(i)
      } else {
        changes.insertions.insert(j)
      }
      if order <= 0 { i += 1 }
      if order >= 0 { j += 1 }
    }
    return changes
  }
}
