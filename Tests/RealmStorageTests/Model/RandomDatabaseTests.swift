import RealmStorage
import TestSupport
import Testing

/// Random changes of classes and objects of all types, compared with a model after every commit.
///
/// RANDOM_SEEDS gives the number of seeds, RANDOM_FIRST the first one, RANDOM_COMMITS the number of
/// commits of each.
struct RandomDatabaseTests {
  static let seeds: [UInt64] = {
    let first = UInt64(TestScale.number("RANDOM_FIRST", standard: 1))
    return (0..<UInt64(TestScale.number("RANDOM_SEEDS", standard: 3))).map { first + $0 }
  }()

  @Test(arguments: seeds)
  func databasesEqualTheirModels(seed: UInt64) throws {
    let file = try WrittenFile()
    var database = RandomDatabase(seed: seed)
    try file.write { try $0.setSchemaVersion(1) }
    for commit in 0..<TestScale.number("RANDOM_COMMITS", standard: 25) {
      if commit % 5 == 4 { try file.reopen() }
      if commit % 7 == 6 { try cancel(database, file) }
      try file.write { transaction in
        for step in 0..<60 {
          try database.change(transaction)
          if step == 30 { try database.model.compare(with: try transaction.snapshot()) }
        }
      }
      try database.model.compare(with: try file.snapshot())
    }
  }

  /// Changes that are cancelled leave every byte as it was.
  private func cancel(_ database: RandomDatabase, _ file: WrittenFile) throws {
    var copy = database
    let before = Files.read(file.path)
    let transaction = try file.database.beginWrite()
    for _ in 0..<30 { try copy.change(transaction) }
    transaction.cancel()
    #expect(Files.read(file.path) == before)
  }
}
