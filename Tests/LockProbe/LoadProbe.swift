import Glibc
import RealmStorage
import RealmValues

/// A process that changes a database all the time and tells of every commit, until it is killed.
///
/// Commit `n` adds a number of objects that hold `n`, deletes those that hold `n - depth`, and has
/// a column named after `n`. So a file that holds anything else than all of that is a mixture.
struct LoadProbe {
  /// Number of commits whose objects are in the file.
  static let depth: Int64 = 8
  static let table = "class_Load"

  private let database: Database

  init(_ database: Database) { self.database = database }

  /// How many objects a commit adds.
  static func count(_ commit: Int64) -> Int { 3 + Int(commit * 7 % 31) }

  /// The text of an object.
  static func text(_ commit: Int64, _ i: Int) -> [UInt8] {
    Array("commit \(commit) object \(i) ".utf8)
      + [UInt8](repeating: UInt8(97 + commit % 26), count: i * 41 % 300)
  }

  /// Name of the column that changes with every commit.
  static func column(_ commit: Int64) -> String { "commit\(commit)" }

  /// Makes the class, if it is not there.
  func prepare() throws(StorageError) {
    let transaction = try database.beginWrite()
    guard try transaction.table(named: LoadProbe.table) == nil else { return transaction.cancel() }
    try transaction.setSchemaVersion(0)
    let table = try transaction.createTable(LoadProbe.table)
    let number = try transaction.addColumn(table, ColumnDefinition("number", .int))
    let text = try transaction.addColumn(table, ColumnDefinition("text", .string))
    _ = try transaction.addColumn(table, ColumnDefinition("next", .link, target: table))
    _ = try transaction.addColumn(table, ColumnDefinition("list", .int, collection: .list))
    _ = try transaction.addColumn(table, ColumnDefinition(LoadProbe.column(0), .string))
    try transaction.addIndex(table, number)
    try transaction.addFullTextIndex(table, text)
    try transaction.commit()
  }

  /// Commits for ever, and prints the number of each commit when it is durable.
  func run() throws(StorageError) {
    while true {
      let commit = try change()
      print(commit)
      fflush(nil)
    }
  }

  private func change() throws(StorageError) -> Int64 {
    let transaction = try database.beginWrite()
    guard let table = try transaction.table(named: LoadProbe.table),
      let number = try transaction.columnKey(table, "number"),
      let text = try transaction.columnKey(table, "text"),
      let next = try transaction.columnKey(table, "next"),
      let list = try transaction.columnKey(table, "list")
    else { throw .rejected(.noTable) }
    let old = try transaction.objects(table)
    var last: Int64 = 0
    var doomed: [ObjectKey] = []
    for object in old {
      guard case .int(let value) = try transaction.value(table, object, number) else { continue }
      last = max(last, value)
    }
    let commit = last + 1
    for object in old
    where try transaction.value(table, object, number) == .int(commit - LoadProbe.depth) {
      doomed.append(object)
    }
    try transaction.deleteObjects(table, doomed)
    var previous: ObjectKey?
    for i in 0..<LoadProbe.count(commit) {
      let object = try transaction.createObject(table)
      try transaction.set(table, object, number, .int(commit))
      try transaction.set(table, object, text, .string(LoadProbe.text(commit, i)))
      if let previous { try transaction.set(table, object, next, .key(previous)) }
      for k in 0..<(i % 5) { try transaction.insert(table, object, list, at: k, .int(commit)) }
      previous = object
    }
    if let column = try transaction.columnKey(table, LoadProbe.column(last)) {
      if commit % 3 == 0 {
        try transaction.removeColumn(table, column)
        _ = try transaction.addColumn(table, ColumnDefinition(LoadProbe.column(commit), .int))
      } else {
        try transaction.renameColumn(table, column, to: LoadProbe.column(commit))
      }
    }
    try transaction.commit()
    return commit
  }
}

extension LoadProbe {
  /// The number of the last commit in a snapshot.
  ///
  /// - Throws: `rejected(.wrongType)` if the snapshot holds anything else than that commit left.
  static func lastCommit(in snapshot: Snapshot) throws(StorageError) -> Int64 {
    guard let table = snapshot.table(named: LoadProbe.table) else { return 0 }
    let names = ["number", "text", "next", "list"].compactMap { table.column(named: $0) }
    guard names.count == 4 else { throw .rejected(.noColumn) }
    let cursor = try TableCursor(table, columns: names)
    var counts: [Int64: Int] = [:]
    while try cursor.next() {
      for row in 0..<cursor.count {
        guard case .int(let commit) = try cursor.value(0, at: row).scalar,
          case .list(let list) = try cursor.value(3, at: row)
        else { throw .rejected(.wrongType) }
        let i = counts[commit, default: 0]
        counts[commit] = i + 1
        let elements = try list.values().map { $0.scalar }
        guard try cursor.value(1, at: row).scalar == .string(text(commit, i)),
          (try cursor.value(2, at: row).scalar == .null) == (i == 0),
          elements == Array(repeating: .int(commit), count: i % 5)
        else { throw .rejected(.wrongType) }
      }
    }
    let last = counts.keys.max() ?? 0
    let expected = (max(1, last - depth + 1)...max(1, last)).filter { $0 <= last }
    guard table.column(named: column(last)) != nil, table.columns.count == 5,
      counts.count == expected.count, expected.allSatisfy({ counts[$0] == count($0) })
    else { throw .rejected(.wrongType) }
    return last
  }
}
