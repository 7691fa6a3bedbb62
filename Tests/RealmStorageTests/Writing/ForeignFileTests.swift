import Glibc
import RealmStorage
import RealmValues
import TestSupport
import Testing

/// Files that a genuine engine wrote are changed.
@Suite(.enabled(if: Fixtures.shared != nil, "the folder shared is not at hand"))
struct ForeignFileTests {
  static let files: [String] = {
    guard let shared = Fixtures.shared else { return [] }
    return Files.allFiles(below: "\(shared)/fixtures").filter {
      $0.hasSuffix(".realm") && !$0.hasPrefix("bad/") && !$0.contains("encrypted")
    }
  }()

  /// Enumerated strings, tombstones, a tree of a test build.
  static let notSupported: Set<String> = [
    "enumstr.realm", "tombstones.realm", "vendor/v24-core-test_upgrade_database_4_24.realm",
  ]

  @Test(arguments: files)
  func genuineFilesCanBeChanged(_ name: String) throws {
    let folder = TemporaryFolder()
    let source = try #require(Fixtures.shared("fixtures/\(name)"))
    let path = folder.copy(source, as: "copy.realm")
    let database: Database
    do {
      database = try Database(path: path)
    } catch StorageError.rejected(.needsUpgrade) {
      #expect(try Snapshot(of: RealmFile(path: path, key: nil)).format?.number != 24)
      #expect(Files.read(path) == Files.read(source))
      return
    } catch StorageError.rejected(.notSupported) {
      #expect(Self.notSupported.contains(name))
      return
    }
    for round in 0..<3 {
      let transaction = try database.beginWrite()
      for table in try Snapshot(of: RealmFile(path: path, key: nil)).tables {
        do {
          try change(table, round, transaction)
        } catch StorageError.rejected(.notSupported) {
          #expect(Self.notSupported.contains(name))
        }
      }
      try transaction.commit()
      let report = FileChecker.check(
        try Snapshot(of: RealmFile(path: path, key: nil)), depth: .deep)
      #expect(report.isGood, "\(report.findings.prefix(5)) of \(report.findingCount)")
    }
    guard let kept = getenv("WRITTEN_FILES") else { return }
    let flat = name.split(separator: "/").joined(separator: "-")
    Files.write(Files.read(path), to: "\(String(cString: kept))/\(flat)")
  }

  /// Creates an object, copies values from another one into it, and deletes one.
  private func change(
    _ table: StoredTable, _ round: Int, _ transaction: WriteTransaction
  ) throws {
    guard table.name.hasPrefix("class_") else { return }
    let objects = try transaction.objects(table.key)
    if table.kind == .topLevel { try create(table, round, objects, transaction) }
    guard let doomed = objects.dropFirst(round).first else { return }
    try transaction.deleteObject(table.key, doomed)
  }

  /// Changes the lists of strings of an object.
  private func changeLists(
    _ table: StoredTable, _ object: ObjectKey, _ transaction: WriteTransaction
  ) throws {
    for column in table.columns where column.collection == .list && column.kind == .string {
      for text in ["alpha", "alphabet", "alph", "alpha", "beta"] {
        try transaction.insert(table.key, object, column.key, at: 0, .string(Array(text.utf8)))
      }
      try transaction.remove(table.key, object, column.key, at: 1)
      try transaction.set(table.key, object, column.key, at: 2, .string([]))
    }
  }

  private func create(
    _ table: StoredTable, _ round: Int, _ objects: [ObjectKey], _ transaction: WriteTransaction
  ) throws {
    let object: ObjectKey
    if let primaryKey = table.primaryKey {
      let value: ScalarValue =
        switch table.columns[primaryKey].kind {
        case .int: .int(Int64(1_000_000 + round))
        case .string: .string(Array("new \(round)".utf8))
        case .uuid: .uuid(.random())
        default: .objectID(.generate())
        }
      object = try transaction.createObject(table.key, primaryKey: value)
    } else {
      object = try transaction.createObject(table.key)
    }
    try changeLists(table, object, transaction)
    guard let model = objects.last else { return }
    for (i, column) in table.columns.enumerated() where i != table.primaryKey {
      guard column.collection == .none else { continue }
      let value = try transaction.value(table.key, model, column.key)
      do {
        try transaction.set(table.key, object, column.key, value)
      } catch StorageError.rejected(.wrongType) {
        // The value is a link to an embedded object, which has one owner.
        #expect(column.kind == .link)
      }
    }
  }
}
