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

  init(_ changes: TransactionChanges, commitCount: Int, _ schema: Schema) {
    all = changes
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
}
