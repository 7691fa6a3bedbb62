import Glibc
import RealmStorage
import RealmValues
import TestSupport
import Testing

/// A database in a folder of its own, checked after every commit.
final class WrittenFile {
  let folder: TemporaryFolder
  let path: String
  private(set) var database: Database
  private let key: EncryptionKey?

  init(key: EncryptionKey? = nil) throws {
    self.key = key
    folder = TemporaryFolder()
    path = folder.file("test.realm")
    database = try Database.create(path: path, key: key)
  }

  /// Takes a file that exists.
  init(opening path: String, in folder: TemporaryFolder) throws {
    (self.folder, self.path, key) = (folder, path, nil)
    database = try Database(path: path)
  }

  /// Ends the session of the file and begins another one.
  func reopen() throws {
    database = try Database.memory()
    database = try Database(path: path, key: key)
  }

  /// Runs a transaction, commits it and checks the file.
  @discardableResult
  func write<Result>(
    _ body: (WriteTransaction) throws -> Result, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Result {
    let transaction = try database.beginWrite()
    let result = try body(transaction)
    try transaction.commit()
    try keep()
    try check(sourceLocation: sourceLocation)
    return result
  }

  /// Keeps a copy of every version in the folder that WRITTEN_FILES names, to look at it later.
  private func keep() throws {
    guard let kept = getenv("WRITTEN_FILES") else { return }
    let name = path.split(separator: "/").dropLast().last ?? ""
    let number = try snapshot().version
    Files.write(Files.read(path), to: "\(String(cString: kept))/\(name)-\(number).realm")
  }

  /// The file as a reader sees it.
  func snapshot() throws -> Snapshot {
    try Snapshot(of: try RealmFile(path: path, key: key))
  }

  func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let report = FileChecker.check(try snapshot(), depth: .deep)
    #expect(
      report.isGood, "\(report.findings.prefix(5)) of \(report.findingCount)",
      sourceLocation: sourceLocation)
  }

  /// The values of all objects of a table in the order of its columns.
  func rows(_ name: String) throws -> [[ScalarValue]] {
    let table = try #require(try snapshot().table(named: name))
    let cursor = try TableCursor(table, columns: Array(table.columns.indices))
    var result: [[ScalarValue]] = []
    while try cursor.next() {
      for row in 0..<cursor.count {
        result.append(
          try table.columns.indices.map { try cursor.value($0, at: row).scalar ?? .null })
      }
    }
    return result
  }

  /// The elements of a list or set of the first object.
  func elements(_ name: String, _ column: String) throws -> [ScalarValue] {
    let table = try #require(try snapshot().table(named: name))
    let position = try #require(table.column(named: column))
    let cursor = try TableCursor(table, columns: [position])
    while try cursor.next() {
      guard cursor.count > 0 else { continue }
      guard case .list(let list) = try cursor.value(0, at: 0) else { break }
      return try list.values().map { $0.scalar ?? .null }
    }
    return []
  }
}
