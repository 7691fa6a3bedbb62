import RealmStorage
import RealmValues
import TestSupport
import Testing

/// States of an open transaction that are kept while it goes on.
struct KeptStateTests {
  /// What was kept, with a model of it.
  private struct State {
    var model: ModelDatabase
    var snapshot: Snapshot
  }

  @Test(arguments: RandomDatabaseTests.seeds)
  func statesStayAsTheyWere(seed: UInt64) throws {
    let file = try WrittenFile()
    var database = RandomDatabase(seed: seed)
    try file.write { try $0.setSchemaVersion(1) }
    for commit in 0..<12 {
      if commit % 4 == 3 { try file.reopen() }
      try file.write { transaction in
        var kept: [State] = []
        for _ in 0..<10 {
          for _ in 0..<15 { try database.change(transaction) }
          if kept.count < 4, database.values.oneIn(2) {
            kept.append(
              State(model: database.model, snapshot: try transaction.keepState()))
          } else if database.values.oneIn(3), kept.popLast() != nil {
            try transaction.releaseState()
          }
          for state in kept { try state.model.compare(with: state.snapshot) }
        }
        try database.model.compare(with: try transaction.snapshot())
        for state in kept.reversed() {
          try state.model.compare(with: state.snapshot)
          try transaction.releaseState()
        }
        for _ in 0..<15 { try database.change(transaction) }
      }
      try database.model.compare(with: try file.snapshot())
    }
  }

  /// A transaction that is cancelled needs not release what it has kept.
  @Test func cancelledTransactionsMayKeepStates() throws {
    let file = try WrittenFile()
    var database = RandomDatabase(seed: 5)
    try file.write { for _ in 0..<60 { try database.change($0) } }
    let before = Files.read(file.path)
    var copy = database
    let transaction = try file.database.beginWrite()
    for _ in 0..<3 {
      for _ in 0..<20 { try copy.change(transaction) }
      _ = try transaction.keepState()
    }
    transaction.cancel()
    #expect(Files.read(file.path) == before)
    try file.write { for _ in 0..<60 { try database.change($0) } }
    try database.model.compare(with: try file.snapshot())
  }
}
