import RealmObjects
import RealmQuery
import RealmStorage
import RealmValues

extension Session {
  /// Finds the results that changes are told from.
  ///
  /// - Returns: the objects.
  func find(
    _ results: Observer.Results, _ observer: Observer, _ database: Database
  ) throws(ShellError) -> KeyList {
    guard let query = try results.query?(), let shape = query.shape else {
      observer.keys = try results.find()
      return KeyList(observer.keys)
    }
    let matches = try run(database.realm.path) { () throws(QueryFailure) in
      try query.allMatches { Interruption.isRequested }
    }
    let live = LiveKeys(matches, isInTableOrder: shape.isInTableOrder, window: shape.window)
    observer.live = live
    return KeyList(live)
  }
}

extension KeyList {
  fileprivate init(_ live: LiveKeys) { self.init(count: live.count) { live[$0] } }
}

/// Telling observers of results.
///
/// Source: object-model.md 6.8, 6.9.
extension Delivery {
  func tell(
    _ results: Observer.Results, _ observer: Observer, _ changes: Changes, _ writer: DiffWriter
  ) throws(ShellError) {
    guard let objectClass = schema.objectClass(results.table) else {
      throw ShellError(.invalidatedObject, "the class is gone")
    }
    if let owner = results.owner, changes.isDeleted(owner.key, in: owner.table) {
      observer.hasEnded = true
      let all = CollectionChanges(replacing: observer.keys.count, by: 0)
      try reading { () throws(StorageError) in
        try writer.writeDeleted(
          all, elements(KeyList(observer.keys), watch.schema, results.table, for: observer))
      }
      return
    }
    guard !changes.all.isEmpty,
      let update = try update(results, objectClass, observer, changes), !update.changes.isEmpty
    else { return }
    let before = KeyList(of: update.changes.deletions, update.deletedKeys)
    let after = observer.live.map { KeyList($0) } ?? KeyList(observer.keys)
    try writer.writeCollection(
      update.changes, elements(before, watch.schema, results.table, for: observer),
      elements(after, schema, results.table, for: observer)
    ) { (key) throws(StorageError) in
      try changes.properties(of: key, objectClass, watch.filter(of: observer))
    }
  }

  /// Finds results anew, looking at as little as possible, and tells what has changed; nil if
  /// nothing can have.
  private func update(
    _ results: Observer.Results, _ objectClass: ObjectClass, _ observer: Observer,
    _ changes: Changes
  ) throws(ShellError) -> LiveKeys.Update? {
    let modified = try reading { () throws(StorageError) in
      try changes.modified(in: objectClass, watch.filter(of: observer))
    }
    let table = changes.all.tables[results.table]
    let isTouched = table.map { $0.hasObjectChanges || $0.hasColumnChanges } ?? false
    if results.isLocal, !isTouched, modified.isEmpty { return nil }
    let deleted = table?.deleted ?? []
    if observer.live != nil, let query = try results.query?() {
      return try session.run(watch.database.realm.path) { () throws(QueryFailure) in
        try follow(observer, query, table, modified)
      }
    }
    let old = observer.keys
    let new = results.isLocal && !isTouched ? old : try results.find()
    observer.keys = new
    let difference = ResultsDifference.changes(
      from: old, to: new, isInTableOrder: results.isInTableOrder,
      isDeleted: { !deleted.isEmpty && deleted.contains($0) },
      isModified: { !modified.isEmpty && modified.contains($0) })
    return LiveKeys.Update(
      changes: difference, deletedKeys: difference.deletions.map { old[$0] })
  }

  /// Looks at the objects that were touched.
  private func follow(
    _ observer: Observer, _ query: Query, _ table: TransactionChanges.Table?,
    _ modified: Set<ObjectKey>
  ) throws(QueryFailure) -> LiveKeys.Update? {
    let present = (table?.inserted ?? []).union(table?.modified.keys.map { $0 } ?? []).sorted()
    let deleted = table?.deleted ?? []
    var touched = LiveKeys.Touched(
      keys: deleted.isEmpty ? present : deleted.union(present).sorted(), matching: [],
      deleted: deleted, modified: modified)
    if table?.hasColumnChanges == true
      || observer.live?.isRenewalQuicker(for: present.count) == true
    {
      return observer.live?.replace(
        try query.allMatches { Interruption.isRequested }, touched)
    }
    touched.matching = Set(try query.matches(among: present) { Interruption.isRequested })
    let order = query.objectOrder()
    return try observer.live?.update(touched) { (a, b) throws(QueryFailure) in
      try order.precedes(a, b)
    }
  }
}
