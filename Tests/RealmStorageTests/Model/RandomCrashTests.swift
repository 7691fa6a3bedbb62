import RealmValues
import TestSupport
import Testing

@testable import RealmStorage

/// Crashes and failures of the disk in the middle of random changes of all kinds: the file holds
/// the version before or the version after, whole, and can be changed at once.
struct RandomCrashTests {
  static let seeds: [UInt64] = (0..<UInt64(TestScale.number("CRASH_SEEDS", standard: 2))).map {
    UInt64(TestScale.number("CRASH_FIRST", standard: 1)) + $0
  }

  /// A database with some content, and the model of it.
  private struct Start {
    let folder = TemporaryFolder()
    var path: String { folder.file("crash.realm") }
    let key: EncryptionKey?
    var database: RandomDatabase

    init(seed: UInt64, key: EncryptionKey?) throws {
      self.key = key
      database = RandomDatabase(seed: seed)
      let file = try Database.create(path: path, key: key)
      try commit(to: file) { try $0.setSchemaVersion(1) }
      for _ in 0..<Int(seed % 4) { try change(file, count: 80) }
    }

    mutating func change(_ file: Database, count: Int) throws {
      let transaction = try file.beginWrite()
      for _ in 0..<count { try database.change(transaction) }
      try transaction.commit()
    }

    private func commit(to file: Database, _ body: (WriteTransaction) throws -> Void) throws {
      let transaction = try file.beginWrite()
      try body(transaction)
      try transaction.commit()
    }

    func backend(_ file: any FileBackend) throws -> any FileBackend {
      key.map { EncryptedFile(file, key: $0) } ?? file
    }

    /// The snapshot of a file, after a deep check.
    func snapshot(_ path: String) throws -> Snapshot {
      let snapshot = try Snapshot(of: try RealmFile(path: path, key: key))
      let report = FileChecker.check(snapshot, depth: .deep)
      #expect(report.isGood, "\(report.findings.prefix(3))")
      return snapshot
    }
  }

  @Test(arguments: seeds, [false, true])
  func crashesLeaveOneVersion(seed: UInt64, isEncrypted: Bool) throws {
    var start = try Start(seed: seed, key: isEncrypted ? EncryptedFileTests.key() : nil)
    var random = SplitMix64(seed: seed)
    for round in 0..<3 {
      // Encryption relies on whole pages being written at once.
      let file = try RecordingFile(path: start.path, sectorByteCount: isEncrypted ? 4096 : 512)
      let before = start.database.model
      let version = try start.snapshot(start.path).version
      try start.change(
        try Database(path: start.path, file: try start.backend(file)),
        count: [1, 40, 400][(round + Int(seed)) % 3])
      var isNew = false
      for count in Self.moments(file.steps, &random) {
        for attempt in 0..<4 {
          let survives = { attempt == 0 ? false : attempt == 1 || Bool.random(using: &random) }
          let image = start.folder.write(
            file.crash(after: count, survives: survives), to: "image.realm")
          let found = try start.snapshot(image)
          isNew = found.version == version + 1
          #expect(isNew || found.version == version)
          try (isNew ? start.database.model : before).compare(with: found)
          if attempt == 3 { try goOn(start, image, isNew ? start.database.model : before, seed) }
        }
      }
      #expect(isNew)
    }
  }

  /// The steps to crash behind: those at every sync and extension, and some others.
  private static func moments(
    _ steps: [RecordingFile.Step], _ random: inout SplitMix64
  ) -> [Int] {
    var moments: Set<Int> = [0, steps.count]
    for (i, step) in steps.enumerated() {
      if case .write = step { continue }
      moments.formUnion([max(0, i - 1), i, i + 1])
    }
    for _ in 0..<6 { moments.insert(Int.random(in: 0...steps.count, using: &random)) }
    return moments.sorted()
  }

  /// Changes the file that a crash has left.
  private func goOn(
    _ start: Start, _ path: String, _ model: ModelDatabase, _ seed: UInt64
  ) throws {
    var database = RandomDatabase(seed: seed &+ 77, model: model)
    do {
      let transaction = try Database(path: path, key: start.key).beginWrite()
      for _ in 0..<20 { try database.change(transaction) }
      try transaction.commit()
    }
    try database.model.compare(with: try start.snapshot(path))
  }

  /// Every write, extension and sync of a commit fails once; half of what was to be written may
  /// have been written.
  @Test(arguments: seeds, [false, true])
  func failuresLeaveTheVersionBefore(seed: UInt64, isEncrypted: Bool) throws {
    var start = try Start(seed: seed, key: isEncrypted ? EncryptedFileTests.key() : nil)
    let file = try FailingFile(path: start.path, sectorByteCount: isEncrypted ? 4096 : 1)
    let database = try Database(path: start.path, file: try start.backend(file))
    for count in [1, 30, 200] {
      var step = 0
      while true {
        let saved = start.database
        file.stepsLeft = step
        do {
          try start.change(database, count: count)
          break
        } catch StorageError.system {
          start.database = saved
        }
        file.stepsLeft = nil
        #expect(step < 10_000)
        try saved.model.compare(with: try start.snapshot(start.path))
        // Large commits have many steps; not all of them are taken.
        step += step < 20 ? 1 : 1 + step / 10
      }
      file.stepsLeft = nil
      try start.database.model.compare(with: try start.snapshot(start.path))
      // The same object can go on.
      try start.change(database, count: 20)
      try start.database.model.compare(with: try start.snapshot(start.path))
    }
  }
}
