import Glibc
import RealmValues
import TestSupport
import Testing

@testable import RealmStorage

/// From damaged files at least every object is saved whose nodes are intact, and the counts that are
/// told are true.
@Suite(.enabled(if: Fixtures.shared != nil, "the folder shared is not at hand"))
struct RecoveryTests {
  /// A genuine file and its key.
  struct Original: CustomTestStringConvertible, Sendable {
    let path: String
    let keyBytes: [UInt8]?

    var testDescription: String { path.split(separator: "/").suffix(2).joined(separator: "/") }
    var key: EncryptionKey? { keyBytes?.withUnsafeBytes { EncryptionKey($0) } }
  }

  private static let keyA = (0..<64).map { UInt8($0) }
  private static let keyB = (0..<64).map { UInt8((37 * $0 + 11) % 256) }

  static let originals: [Original] = {
    guard let shared = Fixtures.shared else { return [] }
    return Files.allFiles(below: "\(shared)/fixtures").sorted().compactMap { name in
      guard name.hasSuffix(".realm"), !name.hasPrefix("bad/") else { return nil }
      let isA = name.hasPrefix("dogs-") || name.hasPrefix("alltypes-")
      let key = name.contains("-encrypted") ? (isA ? keyA : keyB) : nil
      return Original(path: "\(shared)/fixtures/\(name)", keyBytes: key)
    }
  }()

  private static func open(_ original: Original) throws -> Snapshot {
    try Snapshot(of: try RealmFile(path: original.path, key: original.key))
  }

  @Test(arguments: originals)
  func everythingIsSavedOfAnUndamagedFile(_ original: Original) throws {
    let folder = TemporaryFolder()
    let target = "\(folder.path)/saved.realm"
    let report = try FileRecovery.recover(path: original.path, key: original.key, to: target)
    let old = try Self.open(original)
    let new = try Snapshot(of: try RealmFile(path: target, key: nil))
    #expect(report.origin == .live)
    #expect(report.lostTables.isEmpty)
    let pair = SnapshotPair(old, new)
    for table in report.tables {
      #expect(table.saved == table.total, "\(table.name)")
      #expect(table.incomplete == 0 && table.lossCount == 0, "\(table.name)")
      let (a, b) = (old.table(named: table.name), new.table(named: table.name))
      #expect(table.unlinked == 0)
      var differences = 0
      let goesOn = { (_: Int) in true }
      try pair.forEachDifference(a, b, progress: goesOn) { _ in differences += 1 }
      #expect(differences == 0, "\(table.name)")
    }
  }

  // MARK: Damage

  /// Ways to damage a file; gives the bytes that are not what they were.
  private static func damage(
    _ bytes: inout [UInt8], _ random: inout SplitMix64
  ) -> [Range<Int>] {
    let count = bytes.count
    switch Int.random(in: 0..<10, using: &random) {
    case 0:
      // The header is overwritten.
      for i in 0..<24 { bytes[i] = UInt8.random(in: 0...255, using: &random) }
      return [0..<24]
    case 1:
      let end = Int.random(in: (count / 4)..<count, using: &random)
      bytes.removeLast(count - end)
      return [end..<count]
    case 2, 3:
      let page = Int.random(in: 0..<max(1, count / 4096), using: &random)
      let range = (page * 4096)..<min(count, page * 4096 + 4096)
      for i in range { bytes[i] = 0 }
      return [range]
    case 4:
      let start = Int.random(in: 0..<count, using: &random)
      let range = start..<min(count, start + Int.random(in: 1...600, using: &random))
      for i in range { bytes[i] = UInt8.random(in: 0...255, using: &random) }
      return [range]
    default:
      return (0..<Int.random(in: 1...8, using: &random)).map { _ in
        let place = Int.random(in: 0..<count, using: &random)
        bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
        return place..<(place + 1)
      }
    }
  }

  /// The plain bytes of a file.
  private static func plainBytes(_ file: RealmFile) throws -> [UInt8] {
    let view = try #require(file.view(limit: file.bytes.count))
    // Pages that were never written do not verify.
    for start in stride(from: 0, to: view.byteCount, by: 4096) {
      try? view.makeReadable(start, min(4096, view.byteCount - start))
    }
    return [UInt8](UnsafeRawBufferPointer(start: view.base, count: view.byteCount))
  }

  /// The plain bytes that damage of an encrypted file has made unreadable: whole pages.
  private static func damagedRanges(
    _ path: String, _ key: EncryptionKey, plainCount: Int
  ) -> [Range<Int>] {
    guard let file = try? RealmFile(damagedAt: path, key: key), file.isEncrypted,
      let view = file.view(limit: file.bytes.count)
    else { return [0..<plainCount] }
    return stride(from: 0, to: plainCount, by: 4096).compactMap { start in
      guard start < view.byteCount, (try? view.makeReadable(start, 1)) != nil else {
        return start..<(start + 4096)
      }
      return nil
    }
  }

  private static func isIntact(_ ranges: [Range<Int>], _ damaged: [Range<Int>]) -> Bool {
    !ranges.contains { range in damaged.contains { $0.overlaps(range) } }
  }

  /// Columns whose values do not depend on other objects.
  private static func plainColumns(_ table: StoredTable) -> [Int] {
    table.columns.indices.filter { ![.link, .mixed].contains(table.columns[$0].kind) }
  }

  /// Files that are damaged; RECOVERY_FILES changes it.
  private static let fileCount = TestScale.number("RECOVERY_FILES", standard: 150)
  /// Larger files are damaged now and then only.
  private static let usualByteCount = 300_000

  @Test func atLeastIntactObjectsAreSaved() throws {
    // About one damaged file in a thousand loses a class that other ways would find: new damage is
    // for longer runs, with RECOVERY_FILES.
    var random =
      getenv("RECOVERY_FILES") == nil ? SplitMix64(seed: 17) : SplitMix64.fresh(for: "recovery")
    let folder = TemporaryFolder()
    let small = Self.originals.filter { Files.read($0.path).count < Self.usualByteCount }
    let large = Self.originals.filter { Files.read($0.path).count >= Self.usualByteCount }
    var (savedFiles, intact) = (0, 0)
    for number in 0..<Self.fileCount {
      let original =
        number % 50 == 49 ? large[number / 50 % large.count] : small[number % small.count]
      var bytes = Files.read(original.path)
      guard bytes.count > 64 else { continue }
      var damaged = Self.damage(&bytes, &random)
      let (path, target) = ("\(folder.path)/damaged.realm", "\(folder.path)/saved.realm")
      Files.write(bytes, to: path)
      unlink(target)
      let before = try Self.open(original)
      let plain = try Self.plainBytes(before.file)
      if let key = original.key {
        damaged = Self.damagedRanges(path, key, plainCount: plain.count)
      }
      let oracle = RecoveryOracle(
        bytes: plain, top: Int(before.topRef), isOld: before.format?.hasColumnLayout ?? false)
      let place = "file \(number), \(original.testDescription), damage at \(damaged.prefix(3))"
      let report: RecoveryReport
      do {
        report = try FileRecovery.recover(path: path, key: original.key, to: target)
      } catch {
        let isLost = oracle.groups.allSatisfy {
          $0.keys.isEmpty || !Self.isIntact($0.ranges, damaged)
        }
        #expect(isLost, "\(place): \(error)")
        continue
      }
      savedFiles += 1
      intact += try Self.compare(before, target, report, oracle, damaged, place)
    }
    print("recovered \(savedFiles) of \(Self.fileCount) files; \(intact) intact objects")
  }

  /// Compares what was saved with the original; gives the number of intact objects.
  private static func compare(
    _ before: Snapshot, _ target: String, _ report: RecoveryReport, _ oracle: RecoveryOracle,
    _ damaged: [Range<Int>], _ place: String
  ) throws -> Int {
    let after = try Snapshot(of: try RealmFile(path: target, key: nil))
    for table in report.tables {
      let count = try after.table(named: table.name)?.objectCount()
      #expect(count == table.saved, "\(place): \(table.name)")
      #expect(table.total.map { $0 + table.older >= table.saved } ?? true)
    }
    // Damage of the header can lead to the state before, whose objects are others.
    let header = damaged.contains { $0.lowerBound < 24 }
    guard report.version == before.version || !header else { return 0 }
    let pair = SnapshotPair(before, after)
    var intact = 0
    for group in oracle.groups where isIntact(group.ranges, damaged) {
      guard let old = before.table(named: group.table), old.kind != .embedded else { continue }
      guard !old.isForSynchronisation else { continue }
      let new = try #require(after.table(named: group.table), "\(place): \(group.table)")
      intact += group.keys.count
      for key in group.keys {
        let row = try old.row(of: ObjectKey(key))
        let other = try new.row(of: ObjectKey(key))
        guard let row, let other else {
          #expect(row == nil, "\(place): \(group.table) \(key) is missing")
          continue
        }
        for column in plainColumns(old) {
          let position = try #require(new.column(named: old.columns[column].name))
          let isEqual = try pair.areEqual(
            try old.value(of: column, in: row), try new.value(of: position, in: other))
          #expect(isEqual, "\(place): \(group.table) \(key) \(old.columns[column].name)")
        }
      }
    }
    for table in report.tables {
      guard let ranges = oracle.roots[table.name], isIntact(ranges, damaged),
        let total = table.total, let old = before.table(named: table.name),
        report.version == before.version
      else { continue }
      #expect(total == (try old.objectCount()), "\(place): total of \(table.name)")
    }
    return intact
  }
}
