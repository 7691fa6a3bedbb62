import RealmValues
import TestSupport
import Testing

@testable import RealmStorage

/// Lists of free space that are wrong are made anew, as long as everything else is intact.
struct FreeSpaceTests {
  enum Fault: CaseIterable {
    case noLists, unequalLengths, descending, outside, misaligned, inUse, notARef, pastEnd, aTable
  }

  @Test(arguments: Fault.allCases, [false, true])
  func wrongListsAreMadeAnew(fault: Fault, isEncrypted: Bool) throws {
    let key = isEncrypted ? EncryptedFileTests.key() : nil
    let file = try WrittenFile(key: key)
    let graph = try file.write { try RandomGraph($0, seed: 11) }
    try file.write { transaction in for _ in 0..<40 { try graph.change(transaction) } }
    let path = file.folder.file("faulty.realm")
    try FileCopier.copy(try file.snapshot(), to: path, key: key)
    try age(path, key, graph)
    try damage(path, key, fault)
    let before = try Snapshot(of: try RealmFile(path: path, key: key))
    #expect(!FileChecker.check(before, depth: .normal).isGood || fault == .noLists)
    do {
      let database = try Database(path: path, key: key)
      for _ in 0..<2 {
        let transaction = try database.beginWrite()
        for _ in 0..<20 { try graph.change(transaction) }
        try transaction.commit()
        let after = try Snapshot(of: try RealmFile(path: path, key: key))
        let report = FileChecker.check(after, depth: .deep)
        #expect(report.isGood || fault == .noLists, "\(report.findings.prefix(3))")
        try graph.compare(with: after)
      }
    }
  }

  /// Makes free space in a compact file.
  private func age(_ path: String, _ key: EncryptionKey?, _ graph: RandomGraph) throws {
    let database = try Database(path: path, key: key)
    for _ in 0..<4 {
      let transaction = try database.beginWrite()
      for _ in 0..<30 { try graph.change(transaction) }
      try transaction.commit()
    }
  }

  /// Overwrites elements of the lists, or of the top array.
  private func damage(_ path: String, _ key: EncryptionKey?, _ fault: Fault) throws {
    let snapshot = try Snapshot(of: try RealmFile(path: path, key: key))
    let view = try #require(snapshot.view)
    let top = try view.refs(at: Int64(bitPattern: snapshot.topRef))
    let disk = try DiskFile(path: path)
    let file: any FileBackend = key.map { EncryptedFile(disk, key: $0) } ?? disk
    let positions = try view.integers(at: top[3])
    try #require(positions.count > 3)
    func set(_ node: NodeView, _ i: Int, _ value: Int64) throws {
      let offset = node.offset + 8 + i * node.width / 8
      switch node.width {
      case 8: try file.write(UInt8(truncatingIfNeeded: value), at: offset)
      case 16: try file.write(UInt16(truncatingIfNeeded: value), at: offset)
      case 32: try file.write(UInt32(truncatingIfNeeded: value), at: offset)
      default: try file.write(value, at: offset)
      }
    }
    switch fault {
    case .noLists: for slot in 3...5 { try set(top, slot, 0) }
    case .unequalLengths:
      try file.write(UInt8(positions.count - 1), at: positions.offset + 7)
    case .descending: try set(positions, 0, positions[2])
    case .outside: try set(positions, positions.count - 1, Int64(snapshot.logicalByteCount))
    case .misaligned: try set(positions, 1, positions[1] + 4)
    case .inUse:
      let sizes = try view.integers(at: top[4])
      let i = try #require(
        (1..<positions.count).first { positions[$0 - 1] + sizes[$0 - 1] < positions[$0] })
      try set(positions, i, positions[i] - 8)
    case .notARef: try set(top, 3, 7)
    case .pastEnd: try set(top, 4, Int64(snapshot.logicalByteCount) + 4096)
    case .aTable: try set(top, 3, top[1])
    }
    try file.sync()
  }

  /// Damage elsewhere is no reason to write into the file.
  @Test func sharedNodesAreRefused() throws {
    let file = try WrittenFile()
    _ = try file.write { try RandomGraph($0, seed: 12) }
    let path = file.folder.file("faulty.realm")
    try FileCopier.copy(try file.snapshot(), to: path)
    let snapshot = try Snapshot(of: try RealmFile(path: path, key: nil))
    let view = try #require(snapshot.view)
    let top = try view.refs(at: Int64(bitPattern: snapshot.topRef))
    let tables = try view.refs(at: top[1])
    let table = try view.refs(at: tables[tables.count - 1])
    let cluster = try view.refs(at: table[2])
    let disk = try DiskFile(path: path)
    // The leaf of one column is used for another one.
    let size = cluster.width / 8
    let source = UnsafeRawBufferPointer(start: cluster.payload + size, count: size)
    try disk.write(source, at: cluster.offset + 8 + 2 * size)
    let before = Files.read(path)
    #expect(throws: StorageError.self) { try Database(path: path) }
    #expect(Files.read(path) == before)
  }

  @Test func runsAreFound() {
    var random = SplitMix64(seed: 1)
    for _ in 0..<200 {
      let count = Int.random(in: 1...400, using: &random)
      var set = BitSet(count: count)
      var missing = Set(0..<count)
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        let first = Int.random(in: 0..<count, using: &random)
        let last = Int.random(in: first...count, using: &random)
        set.insert(from: first, to: last)
        missing.subtract(first..<last)
      }
      let start = Int.random(in: 0..<count, using: &random)
      let runs = set.runsOfMissing(from: start, to: count)
      #expect(Set(runs.joined()) == missing.filter { $0 >= start })
      #expect(zip(runs, runs.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
    }
  }
}
