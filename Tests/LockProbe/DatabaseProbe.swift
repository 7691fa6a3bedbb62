import Glibc
import RealmStorage
import RealmValues

/// A process that reads and writes a database together with others.
///
/// The class `Counter` has some objects that all hold the same number, and a text whose length
/// depends on it: a reader that sees two numbers, or another text, has seen no whole version.
struct DatabaseProbe {
  let path: String
  private var database: Database?
  private var transaction: WriteTransaction?
  private var pinned: [Snapshot] = []
  private var key: EncryptionKey?
  /// The file of the database, if the process is to die at a point of a commit.
  private var deadly: DeadlyFile?

  static let objectCount = 20
  private static let table = "class_Counter"

  init(path: String) { self.path = path }

  /// Runs one command, nil if it is none of these.
  mutating func run(_ words: [Substring]) -> String? {
    let number = words.count > 1 ? Int(words[1]) : nil
    do throws(StorageError) {
      switch words.first {
      case "key": key = DatabaseProbe.key(words.count > 1 ? words[1] : "")
      case "open": database = try Database(path: path, key: key)
      case "open-mortal": try openMortal()
      case "die-at", "die-extending":
        deadly?.countsExtensionsOnly = words.first == "die-extending"
        deadly?.pointsLeft = number
      case "create": database = try Database.create(path: path, key: key)
      case "close": (database, transaction, pinned) = (nil, nil, [])
      case "copy", "compact": return try copy(words, number)
      case "limit": limitFiles(to: number)
      default:
        guard let database else { return nil }
        return try run(words, number, database)
      }
      return "ok"
    } catch {
      return "\(error)"
    }
  }

  /// Opens the database so that the process can die at a point of a commit.
  private mutating func openMortal() throws(StorageError) {
    let file = try DeadlyFile(path: path)
    deadly = file
    let backend: any FileBackend = if let key { EncryptedFile(file, key: key) } else { file }
    database = try Database(path: path, sharing: backend)
  }

  /// What a full disk is like: no file may have more bytes; without a number, any.
  private func limitFiles(to byteCount: Int?) {
    // The system call answers with an error then.
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    limit.rlim_cur = byteCount.map { rlim_t($0) } ?? limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
  }

  /// Copies or compacts the file `number` times.
  private func copy(_ words: [Substring], _ number: Int?) throws(StorageError) -> String {
    switch words.first {
    case "copy":
      let target = words.count > 2 ? String(words[2]) : ""
      for _ in 0..<(number ?? 0) {
        let snapshot = try Snapshot(of: try RealmFile(path: path, key: key))
        try FileCopier.copy(snapshot, to: target, key: key, overwrite: true)
      }
    default:
      for _ in 0..<(number ?? 0) { try FileCopier.compact(path: path, key: key) }
    }
    return "ok"
  }

  private mutating func run(
    _ words: [Substring], _ number: Int?, _ database: Database
  ) throws(StorageError) -> String? {
    switch words.first {
    case "prepare": try prepare(database)
    case "begin":
      transaction = try database.beginWrite(wait: number.map { .milliseconds($0) } ?? .no)
    case "raise":
      guard let transaction else { return "no transaction" }
      return "\(try raise(transaction))"
    case "commit":
      defer { transaction = nil }
      return "\(try transaction?.commit() ?? 0)"
    case "cancel":
      transaction?.cancel()
      transaction = nil
    case "raise-all":
      for _ in 0..<(number ?? 0) {
        let transaction = try database.beginWrite()
        _ = try raise(transaction)
        try transaction.commit()
      }
    case "see": return "\(try value(in: try database.snapshot()))"
    case "keep": pinned.append(try database.snapshot())
    case "kept":
      var values: [Int64] = []
      for snapshot in pinned { values.append(try value(in: snapshot)) }
      return values.map { "\($0)" }.joined(separator: " ")
    case "drop": pinned = []
    case "watch": return try watch(database, milliseconds: number ?? 0)
    case "write-for": return try write(database, milliseconds: number ?? 0)
    case "load":
      let load = LoadProbe(database)
      try load.prepare()
      try load.run()
    case "last-commit":
      let snapshot = try database.snapshot()
      guard FileChecker.check(snapshot, depth: .deep).isGood else { return "damaged" }
      return "\(try LoadProbe.lastCommit(in: snapshot))"
    case "last-commit-in-file":
      let snapshot = try Snapshot(of: try RealmFile(path: path, key: key))
      guard FileChecker.check(snapshot, depth: .deep).isGood else { return "damaged" }
      return "\(try LoadProbe.lastCommit(in: snapshot))"
    case "writer": return database.writerProcess.map { "\($0)" } ?? "none"
    default: return nil
    }
    return "ok"
  }

  /// A key of 64 equal letters.
  private static func key(_ text: Substring) -> EncryptionKey? {
    [UInt8](repeating: text.utf8.first ?? 0, count: EncryptionKey.byteCount).withUnsafeBytes {
      EncryptionKey($0)
    }
  }

  private func prepare(_ database: Database) throws(StorageError) {
    let transaction = try database.beginWrite()
    try transaction.setSchemaVersion(0)
    let table = try transaction.createTable(DatabaseProbe.table)
    let number = try transaction.addColumn(table, ColumnDefinition("number", .int))
    let text = try transaction.addColumn(table, ColumnDefinition("text", .string))
    for _ in 0..<DatabaseProbe.objectCount {
      let object = try transaction.createObject(table)
      try transaction.set(table, object, number, .int(0))
      try transaction.set(table, object, text, .string(DatabaseProbe.text(0)))
    }
    try transaction.commit()
  }

  private static func text(_ number: Int64) -> [UInt8] {
    [UInt8](repeating: UInt8(97 + number % 26), count: Int(number * 37 % 400))
  }

  /// Raises the number of all objects by one.
  private func raise(_ transaction: WriteTransaction) throws(StorageError) -> Int64 {
    guard let table = try transaction.table(named: DatabaseProbe.table),
      let number = try transaction.columnKey(table, "number"),
      let text = try transaction.columnKey(table, "text")
    else { throw .rejected(.noTable) }
    let next = try value(in: try transaction.snapshot()) + 1
    for object in try transaction.objects(table) {
      try transaction.set(table, object, number, .int(next))
      try transaction.set(table, object, text, .string(DatabaseProbe.text(next)))
    }
    return next
  }

  /// The number that all objects hold.
  ///
  /// - Throws: `rejected(.wrongType)` if they do not agree.
  private func value(in snapshot: Snapshot) throws(StorageError) -> Int64 {
    guard let table = snapshot.table(named: DatabaseProbe.table),
      let number = table.column(named: "number"), let text = table.column(named: "text")
    else { throw .rejected(.noTable) }
    let cursor = try TableCursor(table, columns: [number, text])
    var common: Int64?
    var count = 0
    while try cursor.next() {
      for row in 0..<cursor.count {
        guard case .int(let value) = try cursor.value(0, at: row).scalar,
          case .string(let bytes) = try cursor.value(1, at: row).scalar,
          common == nil || common == value, bytes == DatabaseProbe.text(value)
        else { throw .rejected(.wrongType) }
        common = value
        count += 1
      }
    }
    guard let common, count == DatabaseProbe.objectCount else { throw .rejected(.noObject) }
    return common
  }

  private static func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }

  /// Reads for a while: each snapshot at once and again a little later.
  private func watch(_ database: Database, milliseconds: Int) throws(StorageError) -> String {
    let end = DatabaseProbe.now() + milliseconds
    var (count, last) = (0, Int64(0))
    while DatabaseProbe.now() < end {
      let snapshot = try database.snapshot()
      let first = try value(in: snapshot)
      usleep(.random(in: 0...20_000))
      snapshot.file.renewWork()
      guard try value(in: snapshot) == first, first >= last, snapshot.isIntact() else {
        throw .rejected(.wrongType)
      }
      (last, count) = (first, count + 1)
    }
    return "\(count)"
  }

  /// Commits for a while.
  private func write(_ database: Database, milliseconds: Int) throws(StorageError) -> String {
    let end = DatabaseProbe.now() + milliseconds
    var count = 0
    while DatabaseProbe.now() < end {
      let transaction = try database.beginWrite()
      _ = try raise(transaction)
      try transaction.commit()
      count += 1
    }
    return "\(count)"
  }
}
