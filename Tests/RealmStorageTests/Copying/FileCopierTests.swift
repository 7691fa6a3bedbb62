import Glibc
import RealmValues
import TestSupport
import Testing

@testable import RealmStorage

/// What copies hold, and what stands in their way.
struct FileCopierTests {
  private func graph() throws -> (WrittenFile, RandomGraph) {
    let file = try WrittenFile()
    let graph = try file.write { try RandomGraph($0, seed: 3) }
    for _ in 0..<4 {
      try file.write { transaction in for _ in 0..<60 { try graph.change(transaction) } }
    }
    return (file, graph)
  }

  private func open(_ path: String, key: EncryptionKey? = nil) throws -> Snapshot {
    let snapshot = try Snapshot(of: try RealmFile(path: path, key: key))
    let report = FileChecker.check(snapshot, depth: .deep)
    #expect(report.isGood, "\(report.findings.prefix(3))")
    return snapshot
  }

  @Test func copiesHoldTheSnapshot() throws {
    let (file, graph) = try graph()
    let path = file.folder.file("copy.realm")
    let byteCount = try FileCopier.copy(try file.snapshot(), to: path)
    #expect(byteCount == Files.read(path).count)
    #expect(byteCount < Files.read(file.path).count)
    let copy = try open(path)
    #expect(copy.version == (try file.snapshot().version))
    #expect(copy.historyType == .inRealm)
    try graph.compare(with: copy)
  }

  @Test func copiesHoldUncommittedChanges() throws {
    let (file, graph) = try graph()
    let path = file.folder.file("copy.realm")
    let transaction = try file.database.beginWrite()
    for _ in 0..<40 { try graph.change(transaction) }
    try FileCopier.copy(try transaction.snapshot(), to: path)
    transaction.cancel()
    try graph.compare(with: try open(path))
  }

  @Test func anOverwrittenSnapshotIsNotCopied() throws {
    let (file, graph) = try graph()
    let path = file.folder.file("copy.realm")
    let unpinned = try Snapshot(of: try RealmFile(path: file.path, key: nil))
    for _ in 0..<2 {
      try file.write { transaction in for _ in 0..<40 { try graph.change(transaction) } }
    }
    #expect(throws: StorageError.self) { try FileCopier.copy(unpinned, to: path) }
    #expect(!Files.exists(path))
  }

  @Test func copiesCanBeChanged() throws {
    let (file, graph) = try graph()
    let path = file.folder.file("copy.realm")
    let key = EncryptedFileTests.key()
    try FileCopier.copy(try file.snapshot(), to: path, key: key)
    let database = try Database(path: path, key: key)
    let transaction = try database.beginWrite()
    for _ in 0..<100 { try graph.change(transaction) }
    try transaction.commit()
    try graph.compare(with: try open(path, key: key))
  }

  @Test func anEmptyDatabaseIsCopied() throws {
    let folder = TemporaryFolder()
    let path = folder.file("a.realm")
    do { _ = try Database.create(path: path) }
    let snapshot = try Snapshot(of: try RealmFile(path: path, key: nil))
    for key in [nil, EncryptedFileTests.key()] {
      let copy = folder.file("b\(key == nil ? 1 : 2).realm")
      try FileCopier.copy(snapshot, to: copy, key: key)
      #expect(try open(copy, key: key).tables.isEmpty)
    }
  }

  @Test func aFileGetsAKeyAnotherOneAndNone() throws {
    let (file, graph) = try graph()
    let path = file.folder.file("vault.realm")
    try FileCopier.copy(try file.snapshot(), to: path)
    let plain = Files.read(path)
    let first = try NewKeyFile(path: file.folder.file("first.key"), for: path)
    #expect(!Files.exists(file.folder.file("first.key")))
    try FileCopier.rekey(path: path, key: nil, newKey: first.key, keyFile: first)
    try graph.compare(with: try open(path, key: first.key))
    #expect(Files.read(file.folder.file("first.key")).count == EncryptionKey.byteCount)
    #expect(throws: StorageError.noKey) { try RealmFile(path: path, key: nil) }

    let second = EncryptedFileTests.key()
    try FileCopier.rekey(path: path, key: first.key, newKey: second)
    try graph.compare(with: try open(path, key: second))
    #expect(throws: StorageError.wrongKey) { try RealmFile(path: path, key: first.key) }
    #expect(throws: StorageError.wrongKey) {
      try FileCopier.rekey(path: path, key: first.key, newKey: nil)
    }
    try FileCopier.rekey(path: path, key: second, newKey: nil)
    #expect(Files.read(path) == plain)
  }

  @Test func aKeyFileIsNewOrLeftByAnAttemptThatWasKilled() throws {
    let (file, _) = try graph()
    let path = file.folder.file("vault.realm")
    try FileCopier.copy(try file.snapshot(), to: path)
    let keyPath = file.folder.write(Array(repeating: 7, count: 64), to: "a.key")
    #expect(throws: StorageError.system(.open, EEXIST)) {
      try NewKeyFile(path: keyPath, for: path)
    }
    // The encrypted file waits beside its place.
    let key = EncryptedFileTests.key()
    Files.write((0..<64).map { UInt8($0) }, to: keyPath)
    try FileCopier.copy(
      try file.snapshot(), to: PendingFile.waitingPath(for: path), key: key)
    let left = try NewKeyFile(path: keyPath, for: path)
    try FileCopier.rekey(path: path, key: nil, newKey: left.key, keyFile: left)
    _ = try open(path, key: left.key)
    #expect(!Files.exists(PendingFile.waitingPath(for: path)))
    // The key in use is not new.
    #expect(throws: StorageError.system(.open, EEXIST)) {
      try NewKeyFile(path: keyPath, for: path)
    }
  }

  @Test func aKeyIsWithdrawnIfThereIsNoFileForIt() throws {
    let (file, _) = try graph()
    let (path, keyPath) = (file.folder.file("copy.realm"), file.folder.file("a.key"))
    let made = try NewKeyFile(path: keyPath, for: path)
    do {
      let pending = try PendingFile(for: path)
      try FileCopier.write(try file.snapshot(), to: pending, key: made.key) { _, _ in true }
      // Somebody makes the file meanwhile.
      Files.write([1, 2, 3], to: path)
      #expect(throws: StorageError.system(.open, EEXIST)) {
        try pending.publish(isReplacing: false, with: made)
      }
    }
    #expect(!Files.exists(keyPath))
    #expect(!Files.exists(PendingFile.waitingPath(for: path)))
  }

  @Test func filesAreNotOverwrittenUnasked() throws {
    let (file, _) = try graph()
    let path = file.folder.file("copy.realm")
    try FileCopier.copy(try file.snapshot(), to: path)
    let before = Files.read(path)
    #expect(throws: StorageError.system(.open, EEXIST)) {
      try FileCopier.copy(try file.snapshot(), to: path)
    }
    #expect(Files.read(path) == before)
    chmod(path, 0o600)
    try FileCopier.copy(
      try file.snapshot(), to: path, key: EncryptedFileTests.key(), overwrite: true)
    _ = try open(path, key: EncryptedFileTests.key())
    // Encrypted files are known as such.
    try FileCopier.copy(try file.snapshot(), to: path, overwrite: true)
    #expect(Files.read(path) == before)
    var status = stat()
    stat(path, &status)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test(arguments: [5, 24, 4096, 8192, 20_480])
  func otherFilesAreNeverOverwritten(byteCount: Int) throws {
    let (file, _) = try graph()
    var random = SplitMix64(seed: UInt64(byteCount))
    let bytes = (0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &random) }
    let path = file.folder.write(bytes, to: "other")
    #expect(throws: StorageError.self) {
      try FileCopier.copy(try file.snapshot(), to: path, overwrite: true)
    }
    #expect(Files.read(path) == bytes)
    #expect(throws: StorageError.self) {
      try FileCopier.copy(try file.snapshot(), to: file.folder.path, overwrite: true)
    }
  }

  @Test func whatIsInUseIsNeitherReplacedNorCompacted() throws {
    let (file, _) = try graph()
    let path = file.folder.file("copy.realm")
    try FileCopier.copy(try file.snapshot(), to: path)
    let before = Files.read(path)
    let database = try Database(path: path)
    #expect(throws: StorageError.self) {
      try FileCopier.copy(try file.snapshot(), to: path, overwrite: true)
    }
    #expect(throws: StorageError.self) { try FileCopier.compact(path: path, key: nil) }
    withExtendedLifetime(database) {}
    #expect(Files.read(path) == before)
  }

  @Test(arguments: [false, true])
  func whatIsGivenUpLeavesNothing(isNamed: Bool) throws {
    let folder = TemporaryFolder()
    let (file, graph) = try graph()
    let path = folder.file("copy.realm")
    do {
      let pending = try PendingFile(for: path, isNamed: isNamed)
      try FileCopier.write(try file.snapshot(), to: pending, key: nil) { _, _ in true }
      #expect(Files.names(in: folder.path).count == (isNamed ? 1 : 0))
    }
    #expect(Files.names(in: folder.path).isEmpty)
    for isReplacing in [false, true] {
      let pending = try PendingFile(for: path, isNamed: isNamed)
      try FileCopier.write(try file.snapshot(), to: pending, key: nil) { _, _ in true }
      try pending.publish(isReplacing: isReplacing)
      #expect(Files.names(in: folder.path) == ["copy.realm"])
      try graph.compare(with: try open(path))
    }
    let pending = try PendingFile(for: path, isNamed: isNamed)
    #expect(throws: StorageError.system(.open, EEXIST)) {
      try pending.publish(isReplacing: false)
    }
  }

  /// A process that copies and compacts is killed, or may not write so much.
  @Test(arguments: [false, true])
  func whateverHappensFilesStayWhole(isEncrypted: Bool) throws {
    let folder = TemporaryFolder()
    let (path, copy) = (folder.file("x.realm"), folder.file("y.realm"))
    let key = [UInt8](repeating: UInt8(ascii: "k"), count: 64).withUnsafeBytes {
      isEncrypted ? EncryptionKey($0) : nil
    }
    let setUp = isEncrypted ? ["key k"] : []
    do {
      let maker = Participant(path)
      for command in setUp + ["create", "prepare", "raise-all 30"] {
        #expect(maker(command) == "ok")
      }
    }
    func check(_ path: String) throws { _ = try open(path, key: key) }
    let known: Set = ["x.realm", "x.realm.lock", "y.realm", "y.realm.lock"]
    for round in 0..<30 {
      let victim = Participant(path)
      for command in setUp { #expect(victim(command) == "ok") }
      victim.send(round % 2 == 0 ? "copy 1000 \(copy)" : "compact 1000")
      usleep(UInt32.random(in: 1000...40_000))
      victim.kill()
      try check(path)
      if Files.exists(copy) { try check(copy) }
      let rest = Set(Files.names(in: folder.path)).subtracting(known)
      #expect(rest.allSatisfy { $0.hasSuffix(".realmsh-tmp") })
    }
    let last = Participant(path)
    for command in setUp + ["copy 1 \(copy)", "compact 1"] { #expect(last(command) == "ok") }
    #expect(Set(Files.names(in: folder.path)) == known)
    let before = (Files.read(path), Files.read(copy))
    for command in setUp + ["limit 2048"] { #expect(last(command) == "ok") }
    #expect(last("copy 1 \(copy)").contains("\(EFBIG)"))
    #expect(last("copy 1 \(folder.file("z.realm"))").contains("\(EFBIG)"))
    #expect(last("compact 1").contains("\(EFBIG)"))
    #expect(Set(Files.names(in: folder.path)) == known)
    #expect(Files.read(path) == before.0 && Files.read(copy) == before.1)
  }

  @Test func linksToTheFileStay() throws {
    let (file, graph) = try graph()
    let folder = TemporaryFolder()
    let (path, link) = (folder.file("a.realm"), folder.file("b.realm"))
    try FileCopier.copy(try file.snapshot(), to: path)
    symlink(path, link)
    try FileCopier.compact(path: link, key: nil)
    var status = stat()
    lstat(link, &status)
    #expect(status.st_mode & S_IFMT == S_IFLNK)
    try graph.compare(with: try open(path))
  }

  /// Nodes stay within sections of 64 MiB; what is skipped is listed as free.
  @Test func noNodeCrossesASection() throws {
    let file = try WrittenFile()
    try file.write { transaction in
      try transaction.setSchemaVersion(0)
      let table = try transaction.createTable("class_Big")
      let column = try transaction.addColumn(table, ColumnDefinition("data", .data))
      for i in 0..<9 as Range<UInt8> {
        let object = try transaction.createObject(table)
        try transaction.set(
          table, object, column, .data([UInt8](repeating: i, count: 15_000_000)))
      }
    }
    let path = file.folder.file("copy.realm")
    try FileCopier.copy(try file.snapshot(), to: path)
    let copy = try open(path)
    let rows = try Set(TableReaderProbe.lengths(copy))
    #expect(rows == [15_000_000])
    let database = try Database(path: path)
    try database.beginWrite().commit()
    _ = try open(path)
  }
}

/// Reads binaries of a table.
private enum TableReaderProbe {
  static func lengths(_ snapshot: Snapshot) throws -> [Int] {
    let table = try #require(snapshot.table(named: "class_Big"))
    let cursor = try TableCursor(table, columns: [0])
    var result: [Int] = []
    while try cursor.next() {
      for row in 0..<cursor.count {
        if case .data(let bytes) = try cursor.value(0, at: row) { result.append(bytes.count) }
      }
    }
    return result
  }
}
