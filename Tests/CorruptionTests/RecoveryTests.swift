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

  /// Files that are damaged; RECOVERY_FILES changes it.
  private static let fileCount = TestScale.number("RECOVERY_FILES", standard: 150)
  /// Larger files are damaged now and then only.
  private static let usualByteCount = 300_000

  @Test func atLeastIntactObjectsAreSaved() throws {
    // The same damage each time, so that a rare fault does not hinder other work; new damage is for
    // longer runs, with RECOVERY_FILES.
    var random =
      getenv("RECOVERY_FILES") == nil ? SplitMix64(seed: 17) : SplitMix64.fresh(for: "recovery")
    let folder = TemporaryFolder()
    let small = Self.originals.filter { Files.read($0.path).count < Self.usualByteCount }
    let large = Self.originals.filter { Files.read($0.path).count >= Self.usualByteCount }
    var (savedFiles, intact, failures) = (0, 0, [] as [String])
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
      let comparison = Comparison(
        before: before, oracle: try Self.oracle(before, plain), damaged: damaged)
      do {
        let report = try FileRecovery.recover(path: path, key: original.key, to: target)
        savedFiles += 1
        intact += try comparison.run(target, report)
      } catch is StorageError where comparison.intactGroups.isEmpty {
        // Nothing had to be saved.
      } catch {
        failures.append(
          "file \(number), \(original.testDescription), damage at \(damaged.prefix(8)): \(error)")
      }
    }
    print("recovered \(savedFiles) of \(Self.fileCount) files; \(intact) intact objects")
    #expect(failures.isEmpty, "\(failures.count) files:\n\(failures.joined(separator: "\n"))")
  }

  private static func oracle(_ before: Snapshot, _ plain: [UInt8]) throws -> RecoveryOracle {
    var counts: [String: Int]?
    if before.format?.hasColumnLayout ?? false {
      counts = [:]
      for table in before.tables { counts?[table.name] = try table.objectCount() }
    }
    return RecoveryOracle(bytes: plain, top: Int(before.topRef), rowCounts: counts)
  }

  /// What was saved beside the original.
  private struct Comparison {
    let before: Snapshot
    let oracle: RecoveryOracle
    let damaged: [Range<Int>]

    /// Something that was not saved, or a number that is not true.
    struct Fault: Error {
      let text: String
    }

    private func isIntact(_ ranges: [Range<Int>]) -> Bool {
      !ranges.contains { range in damaged.contains { $0.overlaps(range) } }
    }

    /// Objects without a change that only a lost owner or a server could explain.
    var intactGroups: [RecoveryOracle.Group] {
      oracle.groups.filter { group in
        guard let table = before.table(named: group.table) else { return false }
        return !group.keys.isEmpty && table.kind != .embedded && !table.isForSynchronisation
          && isIntact(group.ranges)
      }
    }

    /// Gives the number of intact objects.
    func run(_ target: String, _ report: RecoveryReport) throws -> Int {
      let after = try Snapshot(of: try RealmFile(path: target, key: nil))
      for table in report.tables {
        let count = try after.table(named: table.name)?.objectCount()
        guard count == table.saved else {
          throw Fault(text: "\(table.name): \(table.saved) told, \(count ?? -1) saved")
        }
        guard table.total.map({ $0 + table.older >= table.saved }) ?? true,
          table.incomplete + table.unlinked <= table.saved
        else { throw Fault(text: "\(table.name): \(table.saved) of \(table.total ?? -1) saved") }
      }
      // A damaged header can select the state before, whose objects are others.
      let isOther = report.version != before.version && report.origin == .live
      guard !isOther || isIntact([0..<24]) else { return 0 }
      var intact = 0
      for group in intactGroups {
        try compare(group, after)
        intact += group.keys.count
      }
      for table in report.tables where report.version == before.version {
        guard let ranges = oracle.roots[table.name], isIntact(ranges + oracle.names),
          let total = table.total, let old = before.table(named: table.name)
        else { continue }
        guard total == (try old.objectCount()) else {
          throw Fault(text: "\(table.name): \(total) in all")
        }
      }
      return intact
    }

    /// Compares the values that do not depend on other objects. A table whose name was damaged has
    /// any.
    private func compare(_ group: RecoveryOracle.Group, _ after: Snapshot) throws {
      guard let old = before.table(named: group.table) else { return }
      var candidates = after.tables.filter { $0.name == group.table }
      if !isIntact(oracle.names) { candidates = after.tables }
      var faults: [String] = []
      for new in candidates {
        guard let fault = try fault(group, old, new) else { return }
        faults.append("\(new.name): \(fault)")
      }
      throw Fault(text: "\(group.table) is missing, \(faults.joined(separator: "; "))")
    }

    private func fault(
      _ group: RecoveryOracle.Group, _ old: StoredTable, _ new: StoredTable
    ) throws -> String? {
      let plain = old.columns.filter { ![.link, .mixed].contains($0.kind) }
      if let lost = plain.first(where: { new.column(named: $0.name) == nil }) {
        return "no \(lost.name)"
      }
      for key in group.keys.lazy.map({ ObjectKey($0) }) where try old.row(of: key) != nil {
        guard try new.row(of: key) != nil else { return "no object \(key.rawValue)" }
        guard try isEqual(key, old, new, plain) else { return "other values in \(key.rawValue)" }
      }
      return nil
    }

    private func isEqual(
      _ key: ObjectKey, _ old: StoredTable, _ new: StoredTable, _ columns: [StoredColumn]
    ) throws -> Bool {
      guard let row = try old.row(of: key), let other = try new.row(of: key) else { return false }
      let pair = SnapshotPair(before, before)
      for column in columns {
        guard let position = old.column(named: column.name),
          let otherPosition = new.column(named: column.name)
        else { return false }
        let value = try old.value(of: position, in: row)
        guard try pair.areEqual(value, try new.value(of: otherPosition, in: other)) else {
          return false
        }
      }
      return true
    }
  }
}
