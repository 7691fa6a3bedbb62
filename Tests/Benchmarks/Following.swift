import Glibc
import RealmLanguage
import RealmObjects
import RealmQuery
import RealmStorage
import RealmValues

/// Measures what it costs to tell an observer of results what a commit has changed: from the end of
/// the commit to the change set.
struct FollowingBenchmarks {
  private let folder: String
  private let count: Int64
  private let runs: Int
  private let only: String?
  private let peers: [Peer]

  private static let queries = ["TRUEPREDICATE", "age < 30", "age < 30 SORT(name ASC)"]
  private static let changeCounts = [1, 10, 1000, 100_000]

  init(_ options: Options, folder: String) {
    self.folder = folder
    count = options.count
    runs = options.isQuick ? 3 : 7
    peers = options.peers
    only = options.only
  }

  private var base: String { "\(folder)/rows.realm" }
  private var scratch: String { "\(folder)/scratch.realm" }

  /// One line for each query and number of changed objects, with the peers beside it.
  func run() throws(QueryFailure) {
    Peer.reportMissing(peers)
    do throws(StorageError) {
      if access(base, R_OK) != 0 { _ = try WritingBenchmarks.insertAll(count, into: base) }
    } catch { throw .storage(error) }
    let theirs = peers.map { $0.run("notify", "\(folder)/peer", count, runs: runs) }
    Table.comparisonHeader(peers.map(\.name))
    for query in Self.queries where only == nil || only == query {
      for changed in Self.changeCounts where Int64(changed) <= count {
        let (sample, result) = try measure(query, changed)
        let reports = theirs.map { $0["notify \(query) k=\(changed) deliver"] }
        Table.comparison(
          "\(query), \(changed)", sample,
          reports.map { Sample($0.map { [$0.median] } ?? []) }, result)
      }
    }
  }

  private func measure(_ text: String, _ changed: Int) throws(QueryFailure) -> (Sample, String) {
    do throws(StorageError) { try copyBase() } catch { throw .storage(error) }
    let observer = try FollowedResults(scratch, text)
    let writer = try Writer(scratch)
    var sample = Sample()
    for run in 0..<runs {
      try writer.change(changed, of: count, run)
      let start = Sample.now()
      try observer.take()
      sample.add(Sample.now() - start)
    }
    try observer.check()
    return (sample, observer.changes)
  }

  private func copyBase() throws(StorageError) {
    for suffix in ["", ".lock", ".note"] { unlink(scratch + suffix) }
    let copy = Child.find("cp").map { Child($0, [base, scratch]).run() }
    guard copy?.hasSucceeded == true else { throw .system(.write, EIO) }
  }

  /// Another instance of the database, as another thread has one.
  private final class Writer {
    private let database: Database
    private let table: TableKey
    private let age: ColumnKey

    init(_ path: String) throws(QueryFailure) {
      do throws(StorageError) {
        database = try Database(path: path)
        let transaction = try database.beginWrite()
        defer { transaction.cancel() }
        guard let table = try transaction.table(named: "class_Item"),
          let age = try transaction.columnKey(table, "age")
        else { throw .rejected(.noTable) }
        (self.table, self.age) = (table, age)
      } catch { throw .storage(error) }
    }

    /// Changes the ages of some objects, as the peers do, in one commit.
    func change(_ changed: Int, of count: Int64, _ run: Int) throws(QueryFailure) {
      do throws(StorageError) {
        var keys: Set<ObjectKey> = []
        for i in 0..<changed {
          keys.insert(ObjectKey(Item.probe(Int64(run * changed + i), count: count)))
        }
        let present = try database.snapshot()
        let sorted = keys.sorted()
        var values: [Int64] = []
        for key in sorted { values.append((try age(of: key, in: present) + 1) % 100) }
        let transaction = try database.beginWrite()
        try transaction.set(table, sorted, age) { .int(values[$0]) }
        // So that something in the watched part changes.
        for number in 0..<count {
          let value = try age(of: ObjectKey(number), in: present)
          guard value < 29, !keys.contains(ObjectKey(number)) else { continue }
          try transaction.set(table, [ObjectKey(number)], age) { _ in .int(value + 1) }
          break
        }
        try transaction.commit()
      } catch { throw .storage(error) }
    }

    private func age(of key: ObjectKey, in snapshot: Snapshot) throws(StorageError) -> Int64 {
      guard let table = snapshot.table(named: "class_Item"),
        let position = table.column(age), let row = try table.row(of: key),
        case .int(let value) = try table.value(of: position, in: row)
      else { throw .rejected(.noObject) }
      return value
    }
  }
}

/// Results that are observed as the shell does it.
private final class FollowedResults {
  private let realm: Realm
  private let text: String
  private var keys: LiveKeys
  private var version: Int64
  /// What the last commit has changed.
  private(set) var changes = ""

  init(_ path: String, _ text: String) throws(QueryFailure) {
    self.text = text
    do throws(StorageError) {
      realm = try Realm(path: path)
      try realm.share()
    } catch { throw .storage(error) }
    version = realm.snapshot.version
    let query = try FollowedResults.query(text, realm)
    guard let shape = query.shape else { preconditionFailure("no results to follow") }
    keys = LiveKeys(
      try query.allMatches(), isInTableOrder: shape.isInTableOrder, window: shape.window)
  }

  private static func query(_ text: String, _ realm: Realm) throws(QueryFailure) -> Query {
    guard let item = realm.schema.objectClass(named: "Item"),
      let syntax = try? PredicateParser.parse(text)
    else { throw .storage(.rejected(.noTable)) }
    return try Query(syntax, class: item, schema: realm.schema)
  }

  /// Moves to the newest version, and finds what has changed.
  func take() throws(QueryFailure) {
    var all = TransactionChanges()
    let modified: Set<ObjectKey>
    let table: TransactionChanges.Table?
    do throws(StorageError) {
      try realm.refresh()
      for bytes in try realm.snapshot.changeSets(since: version) ?? [] { try all.apply(bytes) }
      guard let item = realm.schema.objectClass(named: "Item") else { return }
      modified = try AffectedObjects(all, realm.schema).objects(of: item)
      table = all.tables[item.table.key]
    } catch { throw .storage(error) }
    version = realm.snapshot.version
    let query = try FollowedResults.query(text, realm)
    let present = (table?.inserted ?? []).union(table?.modified.keys.map { $0 } ?? []).sorted()
    var touched = LiveKeys.Touched(keys: present, matching: [], deleted: [], modified: modified)
    let update: LiveKeys.Update
    if keys.isRenewalQuicker(for: present.count) {
      update = keys.replace(try query.allMatches(), touched)
    } else {
      touched.matching = Set(try query.matches(among: present))
      let order = query.objectOrder()
      update = try keys.update(touched) { (a, b) throws(QueryFailure) in try order.precedes(a, b) }
    }
    changes =
      "-\(update.changes.deletions.count) +\(update.changes.insertions.count) "
      + "~\(update.changes.newModifications.count)"
  }

  /// The results that were brought up to date are those that would be found anew.
  func check() throws(QueryFailure) {
    let found = try FollowedResults.query(text, realm).keys()
    if found != keys.keys { print("DIFFERENT RESULTS: \(text)") }
  }
}
