import Glibc
import RealmStorage
import RealmValues

/// Measures writing: all files are made in a folder, with the same rows as those of the peers.
struct WritingBenchmarks {
  private let folder: String
  private let count: Int64
  private let runs: Int
  private let only: String?
  private let peers: [Peer]

  init(_ options: Options, folder: String) {
    self.folder = folder
    count = options.count
    runs = options.isQuick ? 1 : 3
    peers = options.peers
    only = options.only
  }

  private var base: String { "\(folder)/rows.realm" }
  private var scratch: String { "\(folder)/scratch.realm" }

  /// One line for each promise and peer.
  func run() throws(StorageError) {
    Peer.reportMissing(peers)
    try measure("insert_bulk", "insert_bulk") { () throws(StorageError) in
      try Self.insertAll(count, into: base)
    }
    if access(base, R_OK) != 0 { _ = try Self.insertAll(count, into: base) }
    print("file of \(count) objects: \(byteCount(of: base)) bytes")
    try measure("update_all", "update") { () throws(StorageError) in
      try change { (transaction, table) throws(StorageError) in
        let age = try transaction.columnKey(table, "age")
        if let age { try transaction.calculate(table, nil, age, .add, .int(1)) }
      }
    }
    try measure("delete_where", "delete") { () throws(StorageError) in
      try change { (transaction, table) throws(StorageError) in
        try transaction.deleteObjects(table, try youngObjects(transaction))
      }
    }
    try measure("small_commits_1000", "small_commits") { () throws(StorageError) in
      try commitOften()
    }
    if only == nil || only == ScriptBenchmark.name {
      ScriptBenchmark(folder: folder, count: count, runs: runs).run()
    }
  }

  private func measure(
    _ promise: String, _ operation: String, _ body: () throws(StorageError) -> Double
  ) throws(StorageError) {
    guard only == nil || only == promise else { return }
    var ours = Sample()
    var theirs = Array(repeating: Sample(), count: peers.count)
    for _ in 0..<runs {
      ours.add(try body())
      for (i, peer) in peers.enumerated() {
        let reports = peer.run(operation, "\(folder)/peer", count, runs: 1)
        if let report = reports[promise] { theirs[i].add(report.median) }
      }
    }
    if peers.isEmpty { Table.line(promise, ours, "-", Sample()) }
    for (peer, sample) in zip(peers, theirs) { Table.line(promise, ours, peer.name, sample) }
  }

  /// Writes all rows in one transaction into a new file.
  ///
  /// - Returns: milliseconds, the commit included, the making of the class not.
  static func insertAll(_ count: Int64, into path: String) throws(StorageError) -> Double {
    for suffix in ["", ".lock", ".note"] { unlink(path + suffix) }
    let database = try Database.create(path: path)
    let making = try database.beginWrite()
    let table = try Item.makeTable(making)
    try making.commit()
    let (start, used) = (Sample.now(), Sample.processor())
    let transaction = try database.beginWrite()
    let appender = try transaction.appender(table)
    var item = Item()
    for number in 0..<count { try item.append(number, to: appender) }
    try transaction.commit()
    Self.note(used)
    return Sample.now() - start
  }

  /// Changes a copy of the file in one transaction.
  private func change(
    _ body: (WriteTransaction, TableKey) throws(StorageError) -> Void
  ) throws(StorageError) -> Double {
    try copyBase()
    let database = try Database(path: scratch)
    let (start, used) = (Sample.now(), Sample.processor())
    let transaction = try database.beginWrite()
    guard let table = try transaction.table(named: "class_Item") else { return .nan }
    try body(transaction, table)
    try transaction.commit()
    Self.note(used)
    return Sample.now() - start
  }

  private func youngObjects(_ transaction: WriteTransaction) throws(StorageError) -> [ObjectKey] {
    let snapshot = try transaction.snapshot()
    guard let table = snapshot.table(named: "class_Item"), let age = table.column(named: "age")
    else { return [] }
    var result: [ObjectKey] = []
    let cursor = try TableCursor(table, columns: [age])
    while try cursor.next() {
      for row in 0..<cursor.count {
        if case .int(let value) = try cursor.value(0, at: row), value < 30 {
          result.append(cursor.key(at: row))
        }
      }
    }
    return result
  }

  private func commitOften() throws(StorageError) -> Double {
    try copyBase()
    let database = try Database(path: scratch)
    var item = Item()
    let (start, used) = (Sample.now(), Sample.processor())
    for number in 0..<1000 as Range<Int64> {
      let transaction = try database.beginWrite()
      guard let table = try transaction.table(named: "class_Item") else { return .nan }
      try item.append(count + number, to: try transaction.appender(table))
      try transaction.commit()
    }
    Self.note(used)
    return Sample.now() - start
  }

  /// Tells the processor time since another one, which load from outside changes less.
  private static func note(_ before: Double) {
    print("processor: \(Table.text(Sample.processor() - before, decimals: 1)) ms")
  }

  private func copyBase() throws(StorageError) {
    for suffix in ["", ".lock", ".note"] { unlink(scratch + suffix) }
    let copy = Child.find("cp").map { Child($0, [base, scratch]).run() }
    guard copy?.hasSucceeded == true else { throw .system(.write, EIO) }
  }

  private func byteCount(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }
}
