import ByteKernels
import Glibc
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// Telling observers what has changed.
///
/// Source: object-model.md 3.8, 6.
extension Session {
  /// Tells the observers of each database what its last move to another version has changed.
  ///
  /// Does nothing if no database has moved, or one has a transaction that has changed something.
  func deliverChanges() {
    guard !observers.isEmpty, !observers.isDelivering else { return }
    observers.isDelivering = true
    observers.keep(databases)
    let name = currentName
    for watch in observers.watches { deliver(watch) }
    currentName = name
    observers.end(where: \.hasEnded)
    observers.isDelivering = false
  }

  /// Moves the databases with observers to their newest version, if they are not writing, and tells
  /// what has changed.
  func takeNews() {
    guard !observers.isEmpty, settings.refreshesAlone else { return }
    for watch in observers.watches where !watch.database.realm.isWriting {
      // First, so that what is committed from now on is an event again.
      watch.listener?.clear()
      do throws(ShellError) {
        try refresh(watch.database)
      } catch {
        report(error, origin: nil)
      }
    }
  }

  /// Forgets that somebody has committed, before looking whether it is so.
  func clearNews() {
    for watch in observers.watches { watch.listener?.clear() }
  }

  /// Whether there is a version that the observers have not been told of.
  var hasNews: Bool {
    settings.refreshesAlone
      && observers.watches.contains {
        !$0.database.realm.isWriting
          && ($0.database.realm.isIdle || !$0.database.realm.snapshot.isNewest())
      }
  }

  /// Sleeps until somebody commits to a database with observers, or a signal comes.
  ///
  /// - Returns: false, without having slept, if commits are not told of.
  func sleepUntilNews(atMost milliseconds: Int) -> Bool {
    let watches = observers.watches
    guard !threads.hasOthers, watches.allSatisfy({ $0.listener != nil }) else { return false }
    var sources = watches.compactMap(\.listener).map {
      pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
    }
    poll(&sources, nfds_t(sources.count), Int32(clamping: milliseconds))
    return true
  }

  /// Stays while there are observers, until interrupted or for a time.
  func follow(forMilliseconds time: Int?) {
    guard !isEnding, !hasStopped else { return }
    let limit = time.map { monotonicMilliseconds() + Double($0) }
    observers.isFollowing = true
    defer { observers.isFollowing = false }
    while !observers.isEmpty {
      do throws(ShellError) {
        try wait(until: limit, at: statementRange) { _ in observers.isEmpty }
      } catch {
        guard error.name == .interrupted else { return }
        exitStatus = error.name.exitStatus
        // The terminal has shown ^C behind the last output.
        if outputIsTerminal { output.write("\n") }
        return
      }
    }
  }

  /// Waits until an observer has told a number of changes that nobody has waited for.
  func wait(
    for observer: Observer, changes count: IntegerOperand?, until limit: Double?
  ) throws(ShellError) {
    let count = count.map { Int(clamping: $0.value) } ?? 1
    try wait(until: limit, at: statementRange) { _ in
      observer.unseenCount >= count || observer.hasEnded
    }
    observer.unseenCount = max(0, observer.unseenCount - count)
  }

  /// Tells who follows a busy file what that costs.
  private func noteOldPin(of watch: Watch, before version: Int64) {
    guard observers.isFollowing, !watch.hasNotedOldPin,
      version - watch.snapshot.version > Session.oldPinCommitCount,
      let observer = watch.observers.first(where: { $0.values != .none })
    else { return }
    watch.hasNotedOldPin = true
    note(
      "observer \(observer.number) has kept version \(watch.snapshot.version) for "
        + "\(grouped(Int(version - watch.snapshot.version))) commits, whose space is not reused; "
        + "follow with values none")
  }

  /// Commits after which the space that an observer keeps is worth a note.
  private static let oldPinCommitCount: Int64 = 1000

  private func deliver(_ watch: Watch) {
    let realm = watch.database.realm
    // Who has let go of his version hears of changes when he reads again.
    if realm.isIdle { return }
    if let transaction = realm.transaction {
      guard !realm.hasChanges, transaction.version != watch.snapshot.version else { return }
    } else {
      guard realm.snapshot.version != watch.snapshot.version else { return }
    }
    // Variables in conditions belong to the current database.
    currentName = watch.database.name
    do throws(ShellError) {
      let (snapshot, schema) = try reading(watch.database) { () throws(StorageError) in
        try realm.committed()
      }
      let delivery = try Delivery(watch, snapshot, schema, self)
      noteOldPin(of: watch, before: snapshot.version)
      for observer in watch.observers { delivery.tell(observer) }
      watch.move(to: snapshot, schema)
    } catch {
      report(error, origin: nil)
    }
    output.flush()
  }
}

/// One move of a database to a newer version.
final class Delivery {
  let session: Session
  let watch: Watch
  private let snapshot: Snapshot
  let schema: Schema
  /// The change sets of the commits, the oldest first; nil if the history has a gap.
  private let changeSets: [UnsafeRawBufferPointer]?
  /// The changes, by the versions that are left out.
  private var known: [Set<Int64>: Changes] = [:]

  init(
    _ watch: Watch, _ snapshot: Snapshot, _ schema: Schema, _ session: Session
  ) throws(ShellError) {
    self.session = session
    self.watch = watch
    self.snapshot = snapshot
    self.schema = schema
    changeSets = try session.reading(watch.database) { () throws(StorageError) in
      try snapshot.changeSets(since: watch.snapshot.version)
    }
  }

  /// Tells one observer; what cannot be told ends it.
  func tell(_ observer: Observer) {
    let writer = DiffWriter(
      observer, version: snapshot.version, session, old: watch.schema, new: schema)
    do throws(ShellError) {
      guard let changes = try changes(for: observer) else {
        try catchUp(observer, writer)
        return
      }
      guard changes.commitCount > 0 else {
        try renew(observer)
        return
      }
      try tell(observer, changes, writer)
    } catch {
      observer.hasEnded = true
      writer.writeError(error)
    }
    writer.end()
  }

  /// The changes of the commits that count for an observer; nil if the history has a gap.
  private func changes(for observer: Observer) throws(ShellError) -> Changes? {
    guard let changeSets else { return nil }
    let first = snapshot.version - Int64(changeSets.count) + 1
    let left = Set(
      watch.skipped.filter { $0.value.contains(observer.number) && $0.key >= first }.map(\.key))
    if let present = known[left] { return present }
    var places: Set<TransactionChanges.CollectionKey> = []
    for case .collection(let place) in watch.observers.map(\.target) { places.insert(place.key) }
    let made = try session.reading(watch.database) { () throws(StorageError) in
      var changes = TransactionChanges(watching: places)
      var recorders: [TransactionChanges.CollectionKey: ChangeRecorder] = [:]
      for (index, bytes) in changeSets.enumerated() where !left.contains(first + Int64(index)) {
        try changes.apply(bytes)
        for (place, commits) in changes.takeCollections() {
          for commit in commits { recorders[place, default: .init()].merge(ChangeRecorder(commit)) }
        }
      }
      return Changes(
        changes, recorders, commitCount: changeSets.count - left.count, schema)
    }
    known[left] = made
    return made
  }

  /// Goes on from the present state, when it is not known what has led to it.
  private func catchUp(_ observer: Observer, _ writer: DiffWriter) throws(ShellError) {
    try renew(observer)
    writer.writeError(
      ShellError(
        .badVersion,
        "what versions \(watch.snapshot.version + 1) to \(snapshot.version) changed is not known"))
    writer.end()
  }

  /// Takes the present state without telling what has led to it.
  private func renew(_ observer: Observer) throws(ShellError) {
    switch observer.target {
    case .results(let results): _ = try session.find(results, observer, watch.database)
    case .sections(let sections): observer.sections = try sections.find()
    case .realm, .object, .collection: break
    }
  }

  private func tell(
    _ observer: Observer, _ changes: Changes, _ writer: DiffWriter
  ) throws(ShellError) {
    switch observer.target {
    case .realm: try reading { () throws(StorageError) in try writer.writeRealm(changes.all) }
    case .object(let table, let key):
      try tell(object: key, in: table, observer, changes, writer)
    case .results(let results): try tell(results, observer, changes, writer)
    case .sections(let sections): try tell(sections, observer, changes, writer)
    case .collection(let place):
      try reading { () throws(StorageError) in try tell(place, observer, changes, writer) }
    }
  }

  func reading<Result>(
    _ body: () throws(StorageError) -> Result
  ) throws(ShellError) -> Result {
    try session.reading(watch.database, body)
  }

  // MARK: Objects

  private func tell(
    object key: ObjectKey, in table: TableKey, _ observer: Observer, _ changes: Changes,
    _ writer: DiffWriter
  ) throws(ShellError) {
    guard let objectClass = schema.objectClass(table), !changes.isDeleted(key, in: table) else {
      observer.hasEnded = true
      writer.writeDeleted()
      return
    }
    let properties = try reading { () throws(StorageError) in
      try changes.properties(of: key, objectClass, watch.filter(of: observer))
    }
    if !properties.isEmpty { try writer.writeObject(key, table, properties) }
  }

  // MARK: Sections

  private func tell(
    _ sections: Observer.Sections, _ observer: Observer, _ changes: Changes, _ writer: DiffWriter
  ) throws(ShellError) {
    guard let objectClass = schema.objectClass(sections.table) else {
      throw ShellError(.invalidatedObject, "the class is gone")
    }
    if let owner = sections.owner, changes.isDeleted(owner.key, in: owner.table) {
      observer.hasEnded = true
      writer.writeDeleted()
      return
    }
    guard !changes.all.isEmpty else { return }
    let table = changes.all.tables[sections.table]
    let modified = try reading { () throws(StorageError) in
      try changes.modified(in: objectClass, watch.filter(of: observer))
    }
    let isTouched = table.map { $0.hasObjectChanges || $0.hasColumnChanges } ?? false
    if sections.isLocal, !isTouched, modified.isEmpty { return }
    let deleted = table?.deleted ?? []
    let old = observer.sections
    let new = try sections.find()
    observer.sections = new
    let source = ResultsDifference.changes(
      from: old.objects, to: new.objects, isInTableOrder: false,
      isDeleted: { !deleted.isEmpty && deleted.contains($0) },
      isModified: { !modified.isEmpty && modified.contains($0) })
    var difference = SectionDifference(
      from: old.places, to: new.places, newSections: old.positions(in: new)
    ).changes(source)
    if let key = sections.key {
      difference = difference.restricted(
        toOld: old.section(with: key), new: new.section(with: key))
    }
    guard !difference.isEmpty else { return }
    let elements = (
      old: elements(KeyList(old.objects), watch.schema, sections.table, for: observer),
      new: elements(KeyList(new.objects), schema, sections.table, for: observer)
    )
    let rows = SectionRows(sections, difference, (old, new), elements)
    try writer.writeSections(rows) { (key) throws(StorageError) in
      try changes.properties(of: key, objectClass, watch.filter(of: observer))
    }
  }

  func elements(
    _ keys: KeyList, _ schema: Schema, _ table: TableKey, for observer: Observer
  ) -> DiffElements {
    guard let objectClass = schema.objectClass(table) else { return .values([]) }
    return .objects(objectClass.seen(through: observer.projection), keys)
  }

  // MARK: Lists, sets, dictionaries

  private func tell(
    _ place: CollectionPlace, _ observer: Observer, _ changes: Changes, _ writer: DiffWriter
  ) throws(StorageError) {
    let target = place.kind == .link ? place.target.flatMap(schema.objectClass) : nil
    let modified = try target.map { (target) throws(StorageError) in
      try changes.modified(in: target, watch.filter(of: observer))
    }
    let isDeleted = changes.isDeleted(place.object, in: place.owner)
    let isTouched = changes.hasChanged(place) || isDeleted
    guard isTouched || modified?.isEmpty == false else { return }
    let old = try place.elements(in: watch.schema) ?? .values([])
    guard !isDeleted, let new = try place.elements(in: schema) else {
      observer.hasEnded = true
      try writer.writeDeleted(CollectionChanges(replacing: old.count, by: 0), old)
      return
    }
    let difference = try changes.changes(
      of: place, old, new, modified: positions(of: modified ?? [], in: new))
    guard !difference.isEmpty else { return }
    do throws(ShellError) {
      try writer.writeCollection(difference, old, new) { (key) throws(StorageError) in
        guard let target else { return [] }
        return try changes.properties(of: key, target, watch.filter(of: observer))
      }
    } catch {
      writer.writeError(error)
    }
  }

  /// The positions of objects that have changed.
  private func positions(of modified: Set<ObjectKey>, in elements: DiffElements) -> PositionSet {
    guard !modified.isEmpty else { return PositionSet() }
    switch elements {
    case .objects(_, let keys):
      return PositionSet((0..<keys.count).filter { modified.contains(keys[$0]) })
    case .entries(let entries):
      return PositionSet(
        entries.indices.filter { index in
          guard case .link(_, let key) = entries[index].value else { return false }
          return modified.contains(key)
        })
    case .values: return PositionSet()
    }
  }
}
