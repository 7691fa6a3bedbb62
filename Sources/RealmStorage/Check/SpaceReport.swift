public import RealmValues

/// What the bytes of a file are used for.
///
/// All parts together are as many bytes as the file has.
public struct SpaceReport: Sendable {
  /// A property.
  public struct Column: Sendable {
    /// The name.
    public let name: String
    /// Bytes of the nodes with its values.
    public internal(set) var byteCount = 0
    /// Bytes of its search index.
    public internal(set) var indexByteCount = 0
  }

  /// A table.
  public struct Table: Sendable {
    /// The name as stored.
    public let name: String
    /// Number of objects.
    public internal(set) var objectCount = 0
    /// Bytes of the nodes that describe the table.
    public internal(set) var descriptionByteCount = 0
    /// Bytes of the nodes that lead to the values: keys and refs.
    public internal(set) var treeByteCount = 0
    /// Bytes of the links back from other objects.
    public internal(set) var backlinkByteCount = 0
    /// The properties.
    public internal(set) var columns: [Column] = []

    /// All of them.
    public var byteCount: Int {
      descriptionByteCount + treeByteCount + backlinkByteCount
        + columns.reduce(0) { $0 + $1.byteCount + $1.indexByteCount }
    }
  }

  /// A value.
  public struct Value: Sendable {
    /// The table of its object.
    public let table: TableKey
    /// The object.
    public let object: ObjectKey
    /// The name of the property.
    public let property: String
    /// Bytes of the value, of a collection those of its nodes.
    public let byteCount: Int
  }

  /// Size of the file.
  public internal(set) var fileByteCount = 0
  /// The header, and the footer of a compacted copy.
  public internal(set) var headerByteCount = 0
  /// The top node, the names and the list of tables.
  public internal(set) var listByteCount = 0
  /// The list of free ranges.
  public internal(set) var freeListByteCount = 0
  /// The history.
  public internal(set) var historyByteCount = 0
  /// Ranges that are listed as free.
  public internal(set) var freeByteCount = 0
  /// What lies behind the last byte of the snapshot.
  public internal(set) var behindByteCount = 0
  /// Checksums and counters of encrypted pages.
  public internal(set) var encryptionByteCount = 0
  /// Tables, in the order of the file.
  public internal(set) var tables: [Table] = []
  /// The largest values, the largest first.
  public internal(set) var largest: [Value] = []

  /// Bytes of nodes, header and footer.
  public var usedByteCount: Int {
    headerByteCount + listByteCount + freeListByteCount + historyByteCount
      + tables.reduce(0) { $0 + $1.byteCount }
  }

  /// Bytes that are neither used nor free nor anything else: lost, or below nodes that cannot be
  /// read. Below 0 if free ranges are used, in a damaged file.
  public var otherByteCount: Int {
    fileByteCount - usedByteCount - freeByteCount - behindByteCount - encryptionByteCount
  }
}

/// Adds up the nodes of a snapshot.
struct SpaceCount {
  /// Values that are listed.
  private static let largestCount = 5

  private let snapshot: Snapshot
  private let view: FileView
  private let onProgress: (Int, Int) -> Bool
  private var report = SpaceReport()
  private var visited: BitSet
  private var countedByteCount = 0

  /// - Throws: `damaged`; `rejected(.interrupted)`.
  static func run(
    _ snapshot: Snapshot, onProgress: @escaping (Int, Int) -> Bool
  ) throws(StorageError) -> SpaceReport {
    var report = SpaceReport()
    report.fileByteCount = snapshot.file.byteCount
    report.encryptionByteCount = max(0, snapshot.file.byteCount - snapshot.file.bytes.count)
    guard let view = snapshot.view, snapshot.topRef != 0 else {
      report.headerByteCount = min(report.fileByteCount, FileView.headerByteCount)
      report.behindByteCount =
        report.fileByteCount - report.encryptionByteCount - report.headerByteCount
      return report
    }
    var count = SpaceCount(snapshot, view, report, onProgress)
    try count.countAll()
    return count.report
  }

  private init(
    _ snapshot: Snapshot, _ view: FileView, _ report: SpaceReport,
    _ onProgress: @escaping (Int, Int) -> Bool
  ) {
    (self.snapshot, self.view, self.report) = (snapshot, view, report)
    self.onProgress = onProgress
    visited = BitSet(count: view.byteCount / 8 + 1)
  }

  private mutating func countAll() throws(StorageError) {
    let plain = snapshot.file.bytes.count
    report.headerByteCount = FileView.headerByteCount
    report.behindByteCount = plain - view.byteCount
    if snapshot.header.isStreaming {
      report.headerByteCount += FileHeader.footerByteCount
      report.behindByteCount -= FileHeader.footerByteCount
    }
    snapshot.file.renewWork()
    let top = try view.refs(at: Int64(bitPattern: snapshot.topRef), minimumCount: 3)
    report.listByteCount += node(top)
    report.listByteCount += tree(top, 0)
    for slot in 3...5 { report.freeListByteCount += tree(top, slot) }
    if let sizes = try? view.integers(at: try view.ref(top, 4)) {
      for i in 0..<sizes.count { report.freeByteCount &+= Int(sizes[i]) }
    }
    if top.count > 8 { report.historyByteCount += tree(top, 8) }
    for slot in stride(from: 9, to: top.count, by: 1) { report.listByteCount += tree(top, slot) }
    let list = try view.refs(at: try view.ref(top, 1))
    report.listByteCount += node(list)
    for table in snapshot.tables { try count(table) }
    // Tables that cannot be read.
    for slot in 0..<list.count { report.listByteCount += tree(list, slot) }
  }

  // MARK: Nodes

  /// The bytes of a node, if it was not counted before.
  private mutating func node(_ node: NodeView) -> Int {
    let start = node.offset / 8
    guard !visited.contains(start) else { return 0 }
    visited.insert(from: start, to: start + 1)
    let byteCount = (FileView.nodeHeaderByteCount + node.payloadByteCount + 7) / 8 * 8
    countedByteCount += byteCount
    return byteCount
  }

  /// The bytes of a node in a slot and of all below it.
  private mutating func tree(_ parent: NodeView, _ slot: Int) -> Int {
    guard slot < parent.count, parent.scheme == .bits, parent[slot] != 0, parent[slot] & 1 == 0
    else { return 0 }
    return tree(parent[slot])
  }

  private mutating func tree(_ root: Int64) -> Int {
    var total = 0
    var pending = [root]
    while let ref = pending.popLast() {
      guard let found = try? view.node(at: ref) else { continue }
      let byteCount = node(found)
      guard byteCount > 0 else { continue }
      total += byteCount
      guard found.hasRefs, found.scheme == .bits, found.width > 0 else { continue }
      for i in 0..<found.count where found[i] != 0 && found[i] & 1 == 0 {
        pending.append(found[i])
      }
    }
    return total
  }

  // MARK: Tables

  private mutating func count(_ table: StoredTable) throws(StorageError) {
    var entry = SpaceReport.Table(name: table.name)
    entry.objectCount = (try? table.objectCount()) ?? 0
    entry.columns = table.columns.map { SpaceReport.Column(name: $0.name) }
    let top = try view.refs(at: Int64(bitPattern: snapshot.topRef), minimumCount: 3)
    let list = try view.refs(at: try view.ref(top, 1))
    let position = Int(table.key.rawValue & 0xFFFF)
    let node = try view.refs(at: try view.ref(list, position))
    entry.descriptionByteCount += self.node(node)
    switch table.layout {
    case .clusters: try countClusters(of: table, node, &entry)
    case .trees: try countTrees(of: table, node, &entry)
    }
    for slot in 0..<node.count { entry.descriptionByteCount += tree(node, slot) }
    try findLargest(table)
    report.tables.append(entry)
    snapshot.file.renewWork()
  }

  private mutating func countClusters(
    of table: StoredTable, _ top: NodeView, _ entry: inout SpaceReport.Table
  ) throws(StorageError) {
    if let indexes = try? view.refs(at: try view.ref(top, 4)) {
      for (i, column) in table.columns.enumerated() {
        entry.columns[i].indexByteCount += tree(indexes, column.slot)
      }
    }
    var positions: [Int: Int] = [:]
    for (i, column) in table.columns.enumerated() { positions[column.slot] = i }
    var pending = [try view.ref(top, 2)]
    while let ref = pending.popLast() {
      guard onProgress(countedByteCount, view.byteCount) else { throw .rejected(.interrupted) }
      guard let found = try? view.refs(at: ref) else { continue }
      let byteCount = node(found)
      guard byteCount > 0 else { continue }
      entry.treeByteCount += byteCount + tree(found, 0)
      guard found.isInner else {
        for slot in stride(from: 1, to: found.count, by: 1) {
          let byteCount = tree(found, slot)
          if let position = positions[slot - 1] {
            entry.columns[position].byteCount += byteCount
          } else {
            entry.backlinkByteCount += byteCount
          }
        }
        continue
      }
      for slot in stride(from: found.count - 1, through: 3, by: -1)
      where found[slot] != 0 && found[slot] & 1 == 0 { pending.append(found[slot]) }
    }
  }

  /// Versions 2 to 9.
  private mutating func countTrees(
    of table: StoredTable, _ top: NodeView, _ entry: inout SpaceReport.Table
  ) throws(StorageError) {
    let roots = try view.refs(at: try view.ref(top, 1))
    entry.treeByteCount += node(roots)
    for (i, column) in table.columns.enumerated() {
      entry.columns[i].byteCount += tree(roots, column.slot)
      if column.hasIndex { entry.columns[i].indexByteCount += tree(roots, column.slot + 1) }
    }
    for backlink in table.backlinks { entry.backlinkByteCount += tree(roots, backlink.slot) }
    // Hidden columns.
    for slot in 0..<roots.count { entry.treeByteCount += tree(roots, slot) }
  }

  // MARK: Values

  private mutating func findLargest(_ table: StoredTable) throws(StorageError) {
    let positions = table.columns.indices.filter { position in
      let column = table.columns[position]
      return column.collection != .none || [.string, .data, .mixed].contains(column.kind)
    }
    guard !positions.isEmpty else { return }
    let cursor = try TableCursor(table, columns: positions)
    while try cursor.next() {
      guard onProgress(countedByteCount, view.byteCount) else { throw .rejected(.interrupted) }
      for i in positions.indices {
        guard let leaf = try? cursor.leaf(i) else { continue }
        for row in 0..<cursor.count {
          let column = table.columns[positions[i]]
          guard let value = try? table.value(of: column, in: leaf, at: row) else { continue }
          note(byteCount(of: value), table, cursor.key(at: row), column.name)
        }
      }
    }
  }

  private func byteCount(of value: StoredValue) -> Int {
    switch value {
    case .string(let bytes), .data(let bytes): bytes.count
    case .list(let list): treeByteCount(list.ref)
    case .dictionary(let dictionary): treeByteCount(dictionary.ref)
    default: 0
    }
  }

  /// The bytes of a node and all below it, which were counted already.
  private func treeByteCount(_ root: Int64) -> Int {
    guard root != 0 else { return 0 }
    var total = 0
    var pending = [root]
    while let ref = pending.popLast(), total < view.byteCount {
      guard let found = try? view.node(at: ref) else { continue }
      total += (FileView.nodeHeaderByteCount + found.payloadByteCount + 7) / 8 * 8
      guard found.hasRefs, found.scheme == .bits, found.width > 0 else { continue }
      for i in 0..<found.count where found[i] != 0 && found[i] & 1 == 0 {
        pending.append(found[i])
      }
    }
    return total
  }

  private mutating func note(
    _ byteCount: Int, _ table: StoredTable, _ object: ObjectKey, _ property: String
  ) {
    let isFull = report.largest.count == SpaceCount.largestCount
    guard byteCount > 0, !isFull || byteCount > (report.largest.last?.byteCount ?? 0) else {
      return
    }
    let value = SpaceReport.Value(
      table: table.key, object: object, property: property, byteCount: byteCount)
    let place = report.largest.firstIndex { $0.byteCount < byteCount } ?? report.largest.count
    report.largest.insert(value, at: place)
    if report.largest.count > SpaceCount.largestCount { report.largest.removeLast() }
  }
}

extension Snapshot {
  /// Adds up what the bytes of the file are used for.
  ///
  /// - Parameter onProgress: Called now and then with the bytes done and of all; false gives up.
  /// - Throws: `damaged` if the lists of the file cannot be read; `rejected(.interrupted)`.
  public func space(
    onProgress: @escaping (Int, Int) -> Bool = { _, _ in true }
  ) throws(StorageError) -> SpaceReport {
    try SpaceCount.run(self, onProgress: onProgress)
  }
}
