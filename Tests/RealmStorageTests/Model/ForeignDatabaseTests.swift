import Glibc
import RealmStorage
import RealmValues
import TestSupport
import Testing

/// Random changes of files that a genuine engine wrote.
///
/// FOREIGN_FILES names a folder with files to take instead of the fixtures.
struct ForeignDatabaseTests {
  static let paths: [String] = {
    if let folder = getenv("FOREIGN_FILES").map({ String(cString: $0) }) {
      return Files.names(in: folder).filter { $0.hasSuffix(".realm") }.map { "\(folder)/\($0)" }
    }
    return [
      "alltypes", "dogs", "holes", "indexes", "leaves", "links", "many-deletes", "versions",
      "compact",
    ].compactMap { Fixtures.shared("fixtures/\($0).realm") }
  }()

  @Test(arguments: paths)
  func genuineFilesFollowTheModel(_ source: String) throws {
    let folder = TemporaryFolder()
    let path = folder.copy(source, as: "foreign.realm")
    let file = try WrittenFile(opening: path, in: folder)
    let before = try file.snapshot()
    var database = RandomDatabase(
      seed: UInt64(before.version), model: try ModelDatabase(before))
    try database.model.compare(with: before)
    for _ in 0..<TestScale.number("FOREIGN_COMMITS", standard: 3) {
      try file.write { transaction in
        for _ in 0..<80 { try database.change(transaction) }
      }
      try database.model.compare(with: try file.snapshot())
    }
  }

  /// An index of a list spells out every element, so long ones are refused, as genuine engines do.
  @Test(.enabled(if: Fixtures.shared != nil, "the folder shared is not at hand"))
  func longElementsOfIndexedListsAreRefused() throws {
    let folder = TemporaryFolder()
    let source = try #require(Fixtures.shared("fixtures/indexes.realm"))
    let file = try WrittenFile(opening: folder.copy(source, as: "list.realm"), in: folder)
    let lists = try file.snapshot().tables.flatMap { table in
      table.columns.filter { $0.collection == .list && $0.hasIndex }.map { (table.key, $0.key) }
    }
    let (table, column) = try #require(lists.first)
    try file.write { transaction in
      let object = try #require(try transaction.objects(table).first)
      let word = [UInt8](repeating: 0x61, count: 201)
      #expect(throws: StorageError.rejected(.valueTooLong)) {
        try transaction.insert(table, object, column, at: 0, .string(word))
      }
      try transaction.insert(table, object, column, at: 0, .string(Array(word.dropLast())))
    }
  }
}
