import ByteKernels
import RealmValues

/// Reads every value of a snapshot and checks that they agree with each other.
///
/// Tables are read column by column. Links and backlinks are compared by the number and the sum of
/// hashes of their pairs of objects; only where those differ the pairs themselves are collected.
///
/// Source: file-format.md 10.
final class ContentCheck {
  let snapshot: Snapshot
  let onProgress: (Int, Int) -> Bool
  private(set) var report: CheckReport

  /// Whether one allowance of work has to do for the whole check.
  private let hasSharedNodes: Bool
  /// Whether the check goes on: not cancelled, work left, not too many findings.
  private(set) var isRunning = true
  private var finishedTables = 0
  private var ticks = 0
  /// Bytes of text that may still be validated; in a valid file no two texts overlap.
  private var remainingText: Int

  /// The table, column and object that are being read.
  var table: StoredTable?
  var column: String?
  var object: ObjectKey?
  /// Offset of the leaf that is being read.
  var offset = 0

  /// Links between two columns, by route.
  var tallies: [LinkRoute: LinkTally] = [:]
  /// The route whose links are being collected; no findings are made meanwhile.
  var collected: LinkRoute?
  var pairs: [LinkPair] = []
  /// Tables with parts that cannot be read: nothing is missing in them.
  var damagedTables: Set<TableKey> = []
  /// Keys of objects of the table with a value that cannot be read.
  private var unreadable: Set<ObjectKey> = []
  /// In versions 2 to 9: the first row that a broken column tree does not reach.
  private var firstLostRow = Int.max

  init(
    _ snapshot: Snapshot, report: CheckReport, hasSharedNodes: Bool,
    onProgress: @escaping (Int, Int) -> Bool
  ) {
    self.snapshot = snapshot
    self.report = report
    self.hasSharedNodes = hasSharedNodes
    self.onProgress = onProgress
    remainingText = 2 * snapshot.logicalByteCount
    for table in snapshot.tables where !table.brokenColumns.isEmpty {
      damagedTables.insert(table.key)
    }
  }

  /// Reads everything.
  func run() {
    snapshot.file.renewWork()
    report.objectCount = 0
    for table in snapshot.tables where isRunning {
      enter(table)
      checkTable(table)
      finish()
    }
    for table in snapshot.tables where isRunning {
      enter(table)
      checkBacklinks(of: table)
      checkPrimaryKeys(of: table)
      for column in table.columns where column.indexRoot != 0 && isRunning {
        self.column = column.name
        checkIndex(of: column, in: table)
      }
      finish()
    }
    compareLinks()
    if !isRunning { report.isComplete = false }
  }

  private func finish() {
    finishedTables += 1
    if !onProgress(finishedTables, 2 * snapshot.tables.count) { stop() }
  }

  /// Sets the table that is being read.
  func enter(_ table: StoredTable) {
    self.table = table
    (column, object, offset) = (nil, nil, 0)
    renewWork()
  }

  /// Allows the work of another pass over the nodes of one tree.
  func renewWork() {
    if !hasSharedNodes { snapshot.file.renewWork() }
  }

  private func stop() { isRunning = false }

  /// Asks now and then whether to go on.
  private func tick() {
    ticks += 1
    if ticks & 0xFF == 0, !onProgress(finishedTables, 2 * snapshot.tables.count) { stop() }
  }

  /// Records a finding at the current place.
  func add(_ kind: Finding.Kind) {
    guard collected == nil else { return }
    report.add(
      Finding(
        kind, offset: offset > 0 ? UInt64(offset) : nil, table: table?.name, column: column,
        object: object))
    if report.findingCount >= FileChecker.maximumFindings { stop() }
  }

  /// Records that something at the current place cannot be read.
  func add(unreadable error: StorageError) {
    if snapshot.file.memory.remainingWork.pointee < 0, hasSharedNodes { stop() }
    guard collected == nil else { return }
    if let table { damagedTables.insert(table.key) }
    report.add(
      Finding(
        unreadable: error, offset: offset > 0 ? offset : nil, table: table?.name, column: column,
        object: object))
    if report.findingCount >= FileChecker.maximumFindings { stop() }
  }

  // MARK: Tables

  private func checkTable(_ table: StoredTable) {
    unreadable = []
    firstLostRow = .max
    let found = checkObjectKeys(of: table)
    var indexes: Set<Int> = []
    for column in table.columns where isRunning {
      self.column = column.name
      (object, offset) = (nil, 0)
      if !indexes.insert(column.slot).inserted { add(.duplicateColumnIndex(column.slot)) }
      if let target = column.target, snapshot.table(target) == nil { add(.missingTable(target)) }
      renewWork()
      checkTexts(of: column)
      checkValues(of: column, in: table)
    }
    guard table.name.hasPrefix(ClassTable.prefix) else { return }
    let whole = min(found, firstLostRow)
    report.objectCount += max(0, whole - unreadable.count { $0.rawValue < Int64(whole) })
  }

  /// Checks the keys of the objects, and that each object is found by its key.
  ///
  /// - Returns: the number of objects.
  private func checkObjectKeys(of table: StoredTable) -> Int {
    guard case .clusters(let tree) = table.layout else {
      return (try? table.objectCount()) ?? 0
    }
    var cursor = ClusterCursor(tree)
    var found = 0
    var previous: UInt64?
    while isRunning {
      object = nil
      do throws(StorageError) {
        guard let leaf = try cursor.nextLeaf() else { break }
        offset = leaf.node.offset
        for row in 0..<leaf.count {
          let key = leaf.key(at: row)
          object = ObjectKey(Int64(bitPattern: key))
          if key >> 63 != 0 || previous.map({ $0 >= key }) ?? false { add(.objectKeyOrder) }
          previous = key
          let place = try tree.find(key)
          if place?.leaf.node.offset != leaf.node.offset || place?.row != row {
            add(.notFoundByKey)
          }
        }
        found += leaf.count
      } catch {
        add(unreadable: error)
        if isExhausted { break }
      }
    }
    (object, offset) = (nil, 0)
    do throws(StorageError) {
      let stored = try table.objectCount()
      if stored != found, !damagedTables.contains(table.key) {
        add(.count(found: found, stored: stored))
      }
    } catch {
      add(unreadable: error)
    }
    return found
  }

  /// Whether the allowance of work is used up.
  var isExhausted: Bool { snapshot.file.memory.remainingWork.pointee < 0 }

  private func checkValues(of column: StoredColumn, in table: StoredTable) {
    let checksText = column.unique == nil
    forEachRun(of: table, column.leafType, slot: column.slot) { (run) in
      for row in 0..<run.leaf.count where isRunning {
        object = run.key(at: row)
        do throws(StorageError) {
          try check(try table.value(of: column, in: run.leaf, at: row), of: column, checksText)
        } catch {
          add(unreadable: error)
          unreadable.insert(run.key(at: row))
        }
      }
    }
  }

  /// Validates the texts of a column that stores indexes into a list of texts.
  private func checkTexts(of column: StoredColumn) {
    guard let unique = column.unique else { return }
    do throws(StorageError) {
      try unique.forEachText { (text) throws(StorageError) in check(text: text) }
    } catch {
      add(unreadable: error)
    }
  }

  // MARK: Runs

  /// Values of a column for some consecutive objects.
  struct Run {
    let leaf: ColumnLeaf
    let cluster: ClusterTree.Leaf?
    let firstRow: Int

    func key(at row: Int) -> ObjectKey {
      guard let cluster else { return ObjectKey(Int64(firstRow + row)) }
      return ObjectKey(Int64(bitPattern: cluster.key(at: row)))
    }
  }

  /// Calls `body` for the leaves of a column that can be read, and reports the others.
  ///
  /// Damage of the cluster tree itself is passed over: `checkObjectKeys` reports it.
  func forEachRun(
    of table: StoredTable, _ type: LeafType, slot: Int, _ body: (Run) throws(StorageError) -> Void
  ) {
    switch table.layout {
    case .clusters(let tree):
      var cursor = ClusterCursor(tree)
      while isRunning, let next = nextCluster(&cursor) {
        tick()
        guard let cluster = next.leaf else { continue }
        object = nil
        offset = cluster.node.offset
        do throws(StorageError) {
          let leaf = try StoredTable.leaf(type, slot: slot, of: cluster, in: table.view)
          offset = Int(cluster.node[slot + 1])
          try body(Run(leaf: leaf, cluster: cluster, firstRow: 0))
        } catch {
          object = nil
          add(unreadable: error)
          for row in 0..<cluster.count {
            unreadable.insert(ObjectKey(Int64(bitPattern: cluster.key(at: row))))
          }
        }
      }
    case .trees(let trees):
      forEachRun(of: trees, type, slot: slot, in: table.view, body)
    }
    object = nil
  }

  /// The next leaf of a tree, nil in place of one that cannot be read; nil at the end.
  private func nextCluster(_ cursor: inout ClusterCursor) -> (leaf: ClusterTree.Leaf?, Void)? {
    do throws(StorageError) {
      return try cursor.nextLeaf().map { ($0, ()) }
    } catch {
      return isExhausted ? nil : (nil, ())
    }
  }

  private func forEachRun(
    of trees: StoredColumnTrees, _ type: LeafType, slot: Int, in view: FileView,
    _ body: (Run) throws(StorageError) -> Void
  ) {
    var row = 0
    do throws(StorageError) {
      var stream = try trees.stream(type, slot: slot, in: view)
      while isRunning, let leaf = try stream.next() {
        try body(Run(leaf: leaf, cluster: nil, firstRow: row))
        row += leaf.count
        tick()
      }
      try checkTree(try trees.root(slot: slot, in: view), type)
    } catch {
      object = nil
      add(unreadable: error)
      firstLostRow = min(firstLostRow, row)
      return
    }
    object = nil
    if row != trees.rowCount, isRunning {
      add(.count(found: row, stored: trees.rowCount))
      firstLostRow = min(firstLostRow, row)
    }
  }

  // MARK: Texts

  /// Checks that a text is valid UTF-8.
  func check(text bytes: UnsafeRawBufferPointer) {
    remainingText -= bytes.count
    guard remainingText >= 0, collected == nil else { return }
    if let index = firstInvalidUTF8(in: bytes) { add(.invalidText(byteIndex: index)) }
  }
}
