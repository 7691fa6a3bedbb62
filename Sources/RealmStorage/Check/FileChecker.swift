import RealmValues

/// Checks everything about a snapshot that can be seen in the file.
///
/// Three depths: the top array and the list of free ranges; all nodes; all values. Each goes on
/// after damage as far as the file can be read.
///
/// Damage must not make a check endless. The walk over the nodes visits each position of the file
/// once. Reading values stays within the tree of nodes, so it is linear unless nodes are shared; if
/// any are, all of it has to do with one allowance of work (`FileMemory.renewWork`).
///
/// Source: file-format.md 10, file-format-writing.md 3.1.
public struct FileChecker {
  /// How much is checked.
  public enum Depth: Int, Comparable, Sendable {
    /// Header, top array, list of free ranges.
    case quick
    /// All nodes as well: each is referred to once and lies in space that is not free.
    case normal
    /// All values as well, with links, indexes and primary keys.
    case deep

    /// Orders depths by how much they check.
    public static func < (a: Depth, b: Depth) -> Bool { a.rawValue < b.rawValue }
  }

  /// After so many findings a check gives up.
  static let maximumFindings = 100_000

  let snapshot: Snapshot
  let depth: Depth
  let onProgress: (Int, Int) -> Bool
  var report = CheckReport()

  /// Checks a snapshot.
  ///
  /// - Parameter onProgress: Called now and then with the number of steps done and of all steps:
  ///   bytes while nodes are walked, then twice the number of tables; false cancels the check.
  /// - Returns: What was found; a file that is good by a deep check can be read without an error.
  public static func check(
    _ snapshot: Snapshot, depth: Depth, onProgress: @escaping (Int, Int) -> Bool = { _, _ in true }
  ) -> CheckReport {
    var checker = FileChecker(snapshot: snapshot, depth: depth, onProgress: onProgress)
    checker.run()
    return checker.report
  }

  private mutating func run() {
    checkHeader()
    countClasses()
    guard let view = snapshot.view,
      let top = try? view.refs(at: Int64(bitPattern: snapshot.topRef), minimumCount: 3)
    else { return }
    checkTop(top)
    let free = freeSpace(top, view)
    guard depth > .quick else { return }
    var walk = NodeWalk(view: view, top: top, free: free)
    walk.run(&report, onProgress)
    for table in snapshot.brokenTables {
      report.add(Finding(unreadable: table.error, table: table.name))
    }
    for table in snapshot.tables {
      for (name, error) in table.brokenColumns {
        report.add(Finding(unreadable: error, table: table.name, column: name))
      }
    }
    guard depth == .deep, report.isComplete else { return }
    for page in snapshot.file.damagedPages(limit: snapshot.logicalByteCount) {
      report.add(Finding(.damagedPage(page), offset: UInt64(page * PageLayout.pageByteCount)))
    }
    let content = ContentCheck(
      snapshot, report: report, hasSharedNodes: walk.hasSharedNodes, onProgress: onProgress)
    content.run()
    report = content.report
  }

  private mutating func countClasses() {
    let isClass = { (name: String) in name.hasPrefix(ClassTable.prefix) }
    report.classCount =
      snapshot.tables.count { isClass($0.name) } + snapshot.brokenTables.count { isClass($0.name) }
    for table in snapshot.tables where isClass(table.name) {
      report.objectTotal &+= (try? table.objectCount()) ?? 0
    }
    report.objectCount = report.objectTotal
  }

  private mutating func checkHeader() {
    let reserved = UInt16(truncatingIfNeeded: snapshot.header.words.2 >> 48) & 0xFEFF
    if reserved != 0 { report.add(Finding(.reservedHeaderBits(reserved), offset: 22)) }
  }

  /// Source: file-format.md 6.1.
  private mutating func checkTop(_ top: NodeView) {
    let offset = UInt64(top.offset)
    if ![3, 5, 7, 9, 10, 11, 12].contains(top.count) {
      report.add(Finding(.topElementCount(top.count), offset: offset))
    }
    if top.count > 7, HistoryNumber(top[7]).isUnknown {
      report.add(Finding(.historyType(top[7] >> 1), offset: offset))
    }
  }

  private struct HistoryNumber {
    let isUnknown: Bool
    init(_ stored: Int64) {
      isUnknown = stored != 0 && Snapshot.HistoryType(rawValue: stored >> 1) == nil
    }
  }
}

extension Finding {
  /// A finding for a part that cannot be read; its place is that of the damage.
  init(
    unreadable error: StorageError, offset: Int? = nil, table: String? = nil,
    column: String? = nil, object: ObjectKey? = nil
  ) {
    var place = offset.map { UInt64($0) }
    if case .damaged(let damage) = error, damage.offset != 0 { place = damage.offset }
    if case .damagedPage(let page) = error { place = UInt64(page * PageLayout.pageByteCount) }
    self.init(.unreadable(error), offset: place, table: table, column: column, object: object)
  }
}
