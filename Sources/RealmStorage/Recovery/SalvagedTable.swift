import RealmValues

/// The objects of a table that can be reached, in the order of their keys.
final class SalvagedTable {
  /// Consecutive objects: those of a cluster leaf, or some rows in versions 2 to 9.
  struct Block {
    /// The table in the state that the objects are of.
    let table: StoredTable
    let cluster: ClusterTree.Leaf?
    /// First row in the table, in versions 2 to 9; in the leaf.
    let firstRow: Int
    let count: Int
    /// Whether the objects are those of the state before.
    var isOlder: Bool

    func key(at row: Int) -> UInt64 {
      cluster.map { $0.key(at: firstRow + row) } ?? UInt64(firstRow + row)
    }
  }

  let table: StoredTable
  var report: RecoveryReport.Table
  private(set) var blocks: [Block] = []
  private var adopted: [Block] = []
  /// Number of the first object of each block, counted over all.
  private(set) var starts: [Int] = []
  private(set) var count = 0
  /// The objects that are saved, by number.
  var kept: BitSet
  /// What embedded objects belong to, by number.
  var owners: [Owner?] = []
  /// In versions 2 to 9 the leaves of each column that can be read.
  private var runs: [[Run]] = []

  /// The object and the column that an embedded object hangs on.
  struct Owner {
    let table: Int32
    let column: Int32
    let key: UInt64
  }

  /// A leaf of a column that begins at a row.
  private struct Run {
    let start: Int
    let leaf: ColumnLeaf
  }

  /// Keys of which nothing was found.
  private var holes: [ClusterSalvage.Hole] = []
  /// Keys of objects that a search has found.
  private var adoptedKeys: Set<UInt64> = []

  /// Whether the table is lost in the newest state and this is the one before.
  private let isOlder: Bool

  /// Finds the objects.
  init(_ table: StoredTable, isOlder: Bool = false) {
    (self.table, self.isOlder) = (table, isOlder)
    report = RecoveryReport.Table(name: table.name, isEmbedded: table.kind == .embedded)
    report.lostProperties = table.brokenColumns
    kept = BitSet(count: 0)
    switch table.layout {
    case .clusters(let tree): collect(tree)
    case .trees(let trees): collect(trees)
    }
    if isOlder { (report.total, holes) = (nil, []) }
  }

  /// Numbers the objects, when all are found.
  func finish() {
    for block in blocks {
      starts.append(count)
      count += block.count
    }
    kept = BitSet(count: count)
    if table.kind == .embedded { owners = Array(repeating: nil, count: count) }
  }

  // MARK: What is missing

  /// Whether objects are missing that a search may find.
  var hasHoles: Bool { !holes.isEmpty }

  /// Takes a leaf that a search has found; `sortBlocks` follows.
  func adopt(_ leaf: ClusterTree.Leaf) {
    for row in 0..<leaf.count { adoptedKeys.insert(leaf.key(at: row)) }
    adopted.append(
      Block(table: table, cluster: leaf, firstRow: 0, count: leaf.count, isOlder: false))
  }

  /// Whether a search has found an object.
  func hasAdopted(_ key: UInt64) -> Bool { adoptedKeys.contains(key) }

  /// Puts what was found in its place; what does not fit between other leaves is given up.
  func sortBlocks() {
    var result: [Block] = []
    var next = 0
    for block in adopted.sorted(by: { $0.key(at: 0) < $1.key(at: 0) }) {
      let (first, last) = (block.key(at: 0), block.key(at: block.count - 1))
      while next < blocks.count, blocks[next].key(at: 0) < first {
        result.append(blocks[next])
        next += 1
      }
      let isBehind = result.last.map { $0.key(at: $0.count - 1) < first } ?? true
      let isBefore = next == blocks.count || last < blocks[next].key(at: 0)
      if isBehind, isBefore { result.append(block) }
    }
    blocks = result + blocks[next...]
    adopted = []
  }

  // MARK: Clusters

  private func collect(_ tree: ClusterTree) {
    var walk = ClusterSalvage(tree)
    walk.run()
    for hole in walk.holes { report.addLoss(RecoveryReport.Place(hole.error)) }
    blocks = walk.leaves.map {
      Block(table: table, cluster: $0, firstRow: 0, count: $0.count, isOlder: isOlder)
    }
    let found = blocks.reduce(0) { $0 + $1.count }
    let stored = (try? tree.objectCount()).flatMap { $0 < table.view.byteCount ? $0 : nil }
    if walk.holes.isEmpty {
      // A leaf can tell more than it has.
      report.total = min(found, stored ?? found)
      return
    }
    if let stored, stored > found { report.total = stored }
    holes = walk.holes
  }

  /// Takes the objects of the state before whose keys are in a hole.
  func fill(from older: StoredTable) {
    guard hasHoles, case .clusters(let tree) = older.layout,
      table.columns.allSatisfy({ column in older.columns.contains { $0.key == column.key } })
    else { return }
    var walk = ClusterSalvage(tree)
    walk.run()
    let known = Set(blocks.compactMap { $0.cluster?.node.offset })
    for leaf in walk.leaves where !known.contains(leaf.node.offset) {
      var row = 0
      while row < leaf.count {
        let isLost = { [self] (row: Int) in
          let key = leaf.key(at: row)
          return holes.contains { $0.start <= key && key <= $0.last } && find(key) == nil
        }
        let start = row
        while row < leaf.count, isLost(row) { row += 1 }
        if row > start {
          adopted.append(
            Block(table: older, cluster: leaf, firstRow: start, count: row - start, isOlder: true))
        }
        row += 1
      }
    }
    sortBlocks()
  }

  // MARK: Columns

  /// Rows of a block, in versions 2 to 9.
  private static let blockRowCount = 256
  /// Rows that are looked for one by one behind damage.
  private static let patience = 2_048

  private func collect(_ trees: StoredColumnTrees) {
    report.total = trees.rowCount
    runs = table.columns.map { self.runs(of: $0, trees) }
    let end = runs.compactMap { $0.last.map { $0.start + $0.leaf.count } }.max() ?? 0
    let rowCount = min(trees.rowCount, end)
    for start in stride(from: 0, to: rowCount, by: SalvagedTable.blockRowCount) {
      let count = min(SalvagedTable.blockRowCount, rowCount - start)
      blocks.append(
        Block(table: table, cluster: nil, firstRow: start, count: count, isOlder: isOlder))
    }
  }

  /// The leaves of a column that can be read.
  private func runs(of column: StoredColumn, _ trees: StoredColumnTrees) -> [Run] {
    var result: [Run] = []
    var (row, failures) = (0, 0)
    while row < trees.rowCount, failures < SalvagedTable.patience {
      do throws(StorageError) {
        table.view.memory.takeUnretainedValue().renewWork()
        var stream = try trees.stream(column.leafType, slot: column.slot, in: table.view)
        var leaf = try stream.seek(to: row)
        while let found = leaf, found.count > 0, row < trees.rowCount {
          result.append(Run(start: row, leaf: found))
          row += found.count
          failures = 0
          leaf = try stream.next()
        }
        return result
      } catch {
        // The next leaf begins somewhere behind.
        row += 1
        failures += 1
      }
    }
    return result
  }

  // MARK: Reading

  /// The block and the row of an object; nil if it cannot be reached.
  func find(_ key: UInt64) -> (block: Int, row: Int)? {
    let index = SalvagedTable.count(of: blocks) { $0.key(at: 0) <= key } - 1
    guard index >= 0 else { return nil }
    let block = blocks[index]
    guard let cluster = block.cluster else {
      let row = Int(key) - block.firstRow
      return row < block.count ? (index, row) : nil
    }
    guard let row = cluster.row(of: key), row >= block.firstRow, row < block.firstRow + block.count
    else { return nil }
    return (index, row - block.firstRow)
  }

  /// The block with the object that has a number.
  func block(of number: Int) -> Int {
    max(SalvagedTable.count(of: starts) { $0 <= number } - 1, 0)
  }

  /// How many elements at the beginning fulfil a condition that none behind them does.
  private static func count<Element>(
    of elements: [Element], where isBefore: (Element) -> Bool
  ) -> Int {
    var (low, high) = (0, elements.count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(elements[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The number of an object; nil if it cannot be reached.
  func number(of key: UInt64) -> Int? { find(key).map { starts[$0.block] + $0.row } }

  /// The leaf of a column in a block, and its row for the first object.
  func leaf(_ position: Int, of block: Block) throws(StorageError) -> (ColumnLeaf, Int) {
    guard let cluster = block.cluster else { throw .damage(.missingRef, at: 0, found: position) }
    let column = try self.column(position, of: block)
    let leaf = try StoredTable.leaf(
      column.leafType, slot: column.slot, of: cluster, in: block.table.view)
    return (leaf, block.firstRow)
  }

  /// The column in the state that a block is of.
  func column(_ position: Int, of block: Block) throws(StorageError) -> StoredColumn {
    guard block.isOlder else { return table.columns[position] }
    let key = table.columns[position].key
    guard let column = block.table.columns.first(where: { $0.key == key }) else {
      throw .rejected(.noColumn)
    }
    return column
  }

  /// The leaf of a column with a row, in versions 2 to 9.
  func leaf(_ position: Int, withRow row: Int) throws(StorageError) -> (ColumnLeaf, Int) {
    let runs = runs[position]
    let index = SalvagedTable.count(of: runs) { $0.start <= row } - 1
    guard index >= 0, row - runs[index].start < runs[index].leaf.count else {
      throw .damage(.missingRef, at: 0, found: row)
    }
    return (runs[index].leaf, row - runs[index].start)
  }
}

/// Reads the values of one block.
struct BlockReader {
  let salvaged: SalvagedTable
  let block: SalvagedTable.Block
  private var leaves: [Result<(ColumnLeaf, Int), StorageError>?]
  /// The columns in the state that the block is of; nil for those that are not in it.
  private let columns: [StoredColumn?]
  /// Where their values are; nil in versions 2 to 9.
  private let offsets: [Int?]

  init(_ salvaged: SalvagedTable, _ block: SalvagedTable.Block) {
    (self.salvaged, self.block) = (salvaged, block)
    leaves = Array(repeating: nil, count: salvaged.table.columns.count)
    columns = salvaged.table.columns.indices.map { try? salvaged.column($0, of: block) }
    offsets = columns.map { column in
      guard let cluster = block.cluster, let slot = column?.slot, slot + 1 < cluster.node.count
      else { return nil }
      let ref = cluster.node[slot + 1]
      return ref > 0 ? Int(ref) : nil
    }
  }

  /// Where the values of a column are; nil in versions 2 to 9.
  func offset(of position: Int) -> Int? { offsets[position] }

  /// The value of a column of an object.
  ///
  /// - Throws: `StorageError`: why it cannot be read.
  mutating func value(_ position: Int, at row: Int) throws(StorageError) -> StoredValue {
    guard let column = columns[position] else { throw .rejected(.noColumn) }
    // What a damaged value takes must not be missing for those that are read after it.
    block.table.view.memory.takeUnretainedValue().renewSomeWork()
    guard block.cluster != nil else {
      let (leaf, index) = try salvaged.leaf(position, withRow: block.firstRow + row)
      return try block.table.value(of: column, in: leaf, at: index)
    }
    if leaves[position] == nil {
      do throws(StorageError) {
        leaves[position] = .success(try salvaged.leaf(position, of: block))
      } catch {
        leaves[position] = .failure(error)
      }
    }
    switch leaves[position] {
    case .success(let (leaf, first)):
      return try block.table.value(of: column, in: leaf, at: first + row)
    case .failure(let error): throw error
    case nil: throw .damage(.missingRef, at: 0, found: position)
    }
  }
}

/// Finds the leaves of a cluster tree that can be read, and what is missing.
struct ClusterSalvage {
  /// Keys of which nothing can be read.
  struct Hole {
    let start: UInt64
    let last: UInt64
    let error: StorageError
  }

  private let tree: ClusterTree
  private(set) var leaves: [ClusterTree.Leaf] = []
  private(set) var holes: [Hole] = []
  private var visited: Set<Int64> = []
  private var lastKey: UInt64?

  init(_ tree: ClusterTree) { self.tree = tree }

  mutating func run() { visit(tree.root, base: 0, last: UInt64(Int64.max), level: 0) }

  private mutating func visit(_ ref: Int64, base: UInt64, last: UInt64, level: Int) {
    do throws(StorageError) {
      tree.view.memory.takeUnretainedValue().renewWork()
      guard level <= ClusterTree.maximumDepth else {
        throw .damage(.badDepth, at: Int(ref), found: level, limit: ClusterTree.maximumDepth)
      }
      guard visited.insert(ref).inserted else { throw .damage(.cyclicRefs, at: Int(ref)) }
      let node = try tree.view.refs(at: ref, minimumCount: 1)
      guard node.isInner else {
        let leaf = try ClusterTree.Leaf(node, base: base, in: tree.view)
        try checkKeys(of: leaf, last: last)
        if leaf.count > 0 { leaves.append(leaf) } else { try checkEmptiness(of: leaf) }
        return
      }
      visitChildren(of: try ClusterTree.Inner(node, tree), base: base, last: last, level: level)
    } catch {
      holes.append(Hole(start: base, last: last, error: error))
    }
  }

  private mutating func visitChildren(
    of inner: ClusterTree.Inner, base: UInt64, last: UInt64, level: Int
  ) {
    for child in 0..<inner.childCount {
      let start = base &+ inner.offset(ofChild: child)
      let next = child + 1 < inner.childCount ? base &+ inner.offset(ofChild: child + 1) : last
      let end = child + 1 < inner.childCount ? next &- 1 : last
      do throws(StorageError) {
        guard start <= end, end <= last else { throw .damage(.keyOrder, at: inner.node.offset) }
        visit(
          try tree.view.ref(inner.node, child + 3), base: start, last: end, level: level + 1)
      } catch {
        holes.append(Hole(start: start, last: end, error: error))
      }
    }
  }

  /// A leaf without keys has no values either; nullable integers have one element for null.
  private func checkEmptiness(of leaf: ClusterTree.Leaf) throws(StorageError) {
    for slot in 1..<max(leaf.node.count, 1) {
      guard let ref = try tree.view.optionalRef(leaf.node, slot),
        let values = try? tree.view.node(at: ref), !values.hasRefs, values.count > 1
      else { continue }
      throw .damage(.countMismatch, at: leaf.node.offset, found: 0, limit: values.count)
    }
  }

  /// Keys ascend over all leaves.
  private mutating func checkKeys(
    of leaf: ClusterTree.Leaf, last: UInt64
  ) throws(StorageError) {
    var previous = lastKey
    for row in 0..<leaf.count {
      let key = leaf.key(at: row)
      guard previous.map({ $0 < key }) ?? true, key >= leaf.base, key <= last else {
        throw .damage(.keyOrder, at: leaf.node.offset)
      }
      previous = key
    }
    lastKey = previous
  }
}
