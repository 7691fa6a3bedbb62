import ByteKernels
import RealmObjects
import RealmStorage
import RealmValues

/// What some commits have changed, and what follows from it for observers; found when it is asked
/// for.
final class Changes {
  let all: TransactionChanges
  /// Number of commits.
  let commitCount: Int
  private let affected: AffectedObjects
  private var objects: [TableKey: Set<ObjectKey>] = [:]
  private var alongPaths: [(path: KeyPathFilter.Path, objects: Set<ObjectKey>)] = []

  /// What was done to the watched collections.
  private let recorders: [TransactionChanges.CollectionKey: ChangeRecorder]

  init(
    _ changes: TransactionChanges,
    _ recorders: [TransactionChanges.CollectionKey: ChangeRecorder], commitCount: Int,
    _ schema: Schema
  ) {
    all = changes
    self.recorders = recorders
    self.commitCount = commitCount
    affected = AffectedObjects(changes, schema)
  }

  func isDeleted(_ key: ObjectKey, in table: TableKey) -> Bool {
    all.erasedTables.contains(table) || all.tables[table]?.deleted.contains(key) == true
  }

  /// The objects of a class that count as modified.
  func modified(
    in objectClass: ObjectClass, _ filter: KeyPathFilter?
  ) throws(StorageError) -> Set<ObjectKey> {
    guard let filter else {
      if let known = objects[objectClass.table.key] { return known }
      let found = try affected.objects(of: objectClass)
      objects[objectClass.table.key] = found
      return found
    }
    var result: Set<ObjectKey> = []
    for path in filter.paths { result.formUnion(try objects(along: path)) }
    return result
  }

  private func objects(along path: KeyPathFilter.Path) throws(StorageError) -> Set<ObjectKey> {
    if let known = alongPaths.first(where: { $0.path == path }) { return known.objects }
    let found = try affected.objects(along: path)
    alongPaths.append((path, found))
    return found
  }

  /// The properties of an object that have changed and count, in declared order.
  func properties(
    of key: ObjectKey, _ objectClass: ObjectClass, _ filter: KeyPathFilter?
  ) throws(StorageError) -> [Property] {
    let columns = all.tables[objectClass.table.key]?.modified[key]
    var result: [Property] = []
    for property in objectClass.properties {
      let column = objectClass.table.columns[property.position].key
      let isSet = columns?.contains(column) == true
      guard let filter else {
        if isSet { result.append(property) }
        continue
      }
      for path in filter.paths {
        let counts: Bool
        switch path.steps[0].kind {
        case .any: counts = isSet
        case .property(column): counts = try objects(along: path).contains(key)
        default: counts = false
        }
        if counts {
          result.append(property)
          break
        }
      }
    }
    return result
  }

  // MARK: Collections

  /// Whether something was done to a collection, or to the property that holds it.
  func hasChanged(_ place: CollectionPlace) -> Bool {
    recorders[place.key] != nil
      || all.tables[place.owner]?.modified[place.object]?.contains(place.column) == true
  }

  /// What has changed in a collection.
  ///
  /// - Parameter modified: Positions of elements that are objects and have changed.
  func changes(
    of place: CollectionPlace, _ old: DiffElements, _ new: DiffElements, modified: PositionSet
  ) throws(StorageError) -> CollectionChanges {
    guard place.steps.isEmpty else {
      return try NestedDifference.changes(from: old, to: new) { (value) throws(StorageError) in
        try value.distinctText
      }
    }
    if all.replacements.contains(place.key) {
      return CollectionChanges(replacing: old.count, by: new.count)
    }
    let difference = (recorders[place.key] ?? ChangeRecorder()).changes(modified: modified)
    return difference.fits(from: old.count, to: new.count)
      ? difference : CollectionChanges(replacing: old.count, by: new.count)
  }
}

extension StoredValue {
  /// A text that no other value has.
  fileprivate var distinctText: [UInt8] {
    get throws(StorageError) {
      switch self {
      // Objects need no names to be told apart.
      case .link(let table, let key): return Array("\(table.rawValue)#\(key.rawValue)".utf8)
      case .list(let list):
        var text: [UInt8] = [UInt8(ascii: "[")]
        for value in try list.values() { text += try value.distinctText + [UInt8(ascii: ",")] }
        return text
      case .dictionary(let dictionary):
        var text: [UInt8] = [UInt8(ascii: "{")]
        for entry in try dictionary.entries() {
          text += Array(entry.key) + [0] + (try entry.value.distinctText) + [UInt8(ascii: ",")]
        }
        return text
      default:
        let memory = ByteWriter()
        try ValueWriter(.empty, to: memory).write(self, isMixed: true, .literal)
        return memory.takeBytes()
      }
    }
  }
}
