public import RealmStorage
public import RealmValues

/// Which objects of a class count as modified by some commits.
///
/// Instead of following the links of every object, the search starts at what has changed and goes
/// the links back: its cost grows with the changes and the links to them.
///
/// Source: object-model.md 6.7, 6.10.
public struct AffectedObjects {
  private let changes: TransactionChanges
  private let schema: Schema

  /// Links that are followed from an object.
  private static let maximumDepth = 3

  /// - Parameter schema: The schema after the commits.
  public init(_ changes: TransactionChanges, _ schema: Schema) {
    (self.changes, self.schema) = (changes, schema)
  }

  private func modified(in table: TableKey) -> [ObjectKey: TransactionChanges.ColumnSet] {
    changes.tables[table]?.modified ?? [:]
  }

  /// The objects that were modified themselves, or from which a modified one is at most three links
  /// away.
  ///
  /// Links are not followed in a class that leads to no other class.
  ///
  /// - Throws: `StorageError.damaged`.
  public func objects(of objectClass: ObjectClass) throws(StorageError) -> Set<ObjectKey> {
    var result = Set(modified(in: objectClass.table.key).keys)
    let distances = distances(from: objectClass)
    guard distances.keys.contains(where: { $0 != objectClass.table.key }) else { return result }
    var visited: [TableKey: Set<ObjectKey>] = [:]
    var frontier: [TableKey: Set<ObjectKey>] = [:]
    for (table, changed) in changes.tables where distances[table] != nil {
      frontier[table] = Set(changed.modified.keys)
    }
    visited = frontier
    for step in 1...AffectedObjects.maximumDepth {
      var following: [TableKey: Set<ObjectKey>] = [:]
      for (table, keys) in frontier where !keys.isEmpty {
        guard let target = schema.objectClass(table) else { continue }
        for inverse in target.inverses {
          let origin = inverse.backlink.originTable
          guard let distance = distances[origin],
            distance + step <= AffectedObjects.maximumDepth
          else { continue }
          for key in try origins(of: keys, through: inverse, in: target)
          where visited[origin, default: []].insert(key).inserted {
            following[origin, default: []].insert(key)
          }
        }
      }
      frontier = following
    }
    result.formUnion(visited[objectClass.table.key] ?? [])
    return result
  }

  /// The fewest links from a class to each class it reaches; the classes of single steps are found
  /// by their hidden columns, which links in mixed values have as well.
  private func distances(from objectClass: ObjectClass) -> [TableKey: Int] {
    var result = [objectClass.table.key: 0]
    for step in 1...AffectedObjects.maximumDepth {
      let previous = result.filter { $0.value == step - 1 }
      for target in schema.all where result[target.table.key] == nil {
        let isReached = target.inverses.contains { previous[$0.backlink.originTable] != nil }
        if isReached { result[target.table.key] = step }
      }
    }
    return result
  }

  private func origins(
    of keys: Set<ObjectKey>, through inverse: ObjectClass.Inverse, in target: ObjectClass
  ) throws(StorageError) -> Set<ObjectKey> {
    var result: Set<ObjectKey> = []
    for key in keys {
      guard let row = try target.table.row(of: key) else { continue }
      try target.table.forEachBacklink(inverse.backlink, to: row) { (origin) throws(StorageError) in
        result.insert(origin)
      }
    }
    return result
  }

  // MARK: Key paths

  /// The objects at the start of a path along which something has changed that the path names.
  ///
  /// - Throws: `StorageError.damaged`.
  public func objects(along path: KeyPathFilter.Path) throws(StorageError) -> Set<ObjectKey> {
    var found: Set<ObjectKey> = []
    // Backwards from the last step: `found` are the objects that the step starts from.
    for (level, step) in path.steps.enumerated().reversed() {
      var here: Set<ObjectKey>
      switch step.kind {
      case .any:
        here = Set(modified(in: step.table).keys)
        if level > 0 { here.formUnion(changes.tables[step.table]?.inserted ?? []) }
      case .property(let column):
        here = try origins(of: found, at: path, after: level, through: column)
        for (key, columns) in modified(in: step.table) where columns.contains(column) {
          here.insert(key)
        }
        if level > 0 { here.formUnion(changes.tables[step.table]?.inserted ?? []) }
      case .backlinks(let table, let column):
        var linkers = found
        for (key, columns) in modified(in: table) where columns.contains(column) {
          linkers.insert(key)
        }
        linkers.formUnion(changes.tables[table]?.inserted ?? [])
        here = try targets(of: linkers, in: table, column, step.table)
      }
      found = here
    }
    return found
  }

  /// The objects whose link leads to what was found at the step after it.
  private func origins(
    of found: Set<ObjectKey>, at path: KeyPathFilter.Path, after level: Int,
    through column: ColumnKey
  ) throws(StorageError) -> Set<ObjectKey> {
    guard !found.isEmpty, level + 1 < path.steps.count,
      let target = schema.objectClass(path.steps[level + 1].table)
    else { return [] }
    let origin = path.steps[level].table
    var result: Set<ObjectKey> = []
    for inverse in target.inverses
    where inverse.backlink.originTable == origin && inverse.backlink.originColumn == column {
      result.formUnion(try origins(of: found, through: inverse, in: target))
    }
    return result
  }

  /// The objects of a table that a property of some objects leads to.
  private func targets(
    of linkers: Set<ObjectKey>, in table: TableKey, _ column: ColumnKey, _ target: TableKey
  ) throws(StorageError) -> Set<ObjectKey> {
    guard let origin = schema.objectClass(table), let position = origin.table.column(column) else {
      return []
    }
    var result: Set<ObjectKey> = []
    for key in linkers {
      guard let row = try origin.table.row(of: key) else { continue }
      var values = [try origin.table.value(of: position, in: row)]
      switch values[0] {
      case .list(let list): values = try list.values()
      case .dictionary(let dictionary): values = try dictionary.entries().map(\.value)
      default: break
      }
      for case .link(target, let key) in values { result.insert(key) }
    }
    return result
  }
}
