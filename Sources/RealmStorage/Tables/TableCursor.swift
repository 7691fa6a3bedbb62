import ByteKernels
public import RealmValues

/// Walks the objects of a table block by block, giving the leaves of chosen columns.
///
/// From version 10 on a block is a cluster leaf of at most 256 objects; before, it is a run of rows
/// for which every chosen column stays within one leaf. Leaves are validated when they are asked
/// for, so a scan pays only for the columns it looks at.
public final class TableCursor {
  private let table: StoredTable
  private let positions: [Int]
  /// From version 10 on the walk through the clusters; nil before.
  private var clusters: ClusterCursor?
  /// Before version 10 a walk for each chosen column.
  private var streams: [LeafStream] = []
  private var cluster: ClusterTree.Leaf?
  private var firstRow = 0
  /// The leaves of the chosen columns, initialised where `isRead` says so. They stay in place, since
  /// a leaf takes longer to copy than to read.
  private let leaves: UnsafeMutablePointer<ColumnLeaf>
  private let isRead: UnsafeMutableBufferPointer<Bool>

  /// Number of objects of the block.
  public private(set) var count = 0

  /// Starts before the first block; `columns` are positions in `table.columns`.
  public init(_ table: StoredTable, columns: [Int]) throws(StorageError) {
    self.table = table
    positions = columns
    leaves = .allocate(capacity: columns.count)
    isRead = .allocate(capacity: columns.count)
    isRead.initialize(repeating: false)
    switch table.layout {
    case .clusters(let tree):
      func slots(_ positions: [Int]) -> [Int] { positions.map { table.columns[$0].slot + 1 } }
      let dates = columns.filter {
        table.columns[$0].kind == .date && table.columns[$0].collection == .none
      }
      clusters = ClusterCursor(tree, prefetching: slots(columns), andBelow: slots(dates))
    case .trees(let trees):
      for position in columns {
        let column = table.columns[position]
        streams.append(try trees.stream(column.leafType, slot: column.slot, in: table.view))
      }
    }
  }

  deinit {
    forgetLeaves()
    leaves.deallocate()
    isRead.deallocate()
  }

  private func forgetLeaves() {
    for i in isRead.indices where isRead[i] {
      (leaves + i).deinitialize(count: 1)
      isRead[i] = false
    }
  }

  private func keep(_ leaf: ColumnLeaf, _ i: Int) {
    if isRead[i] { (leaves + i).deinitialize(count: 1) }
    (leaves + i).initialize(to: leaf)
    isRead[i] = true
  }

  /// Moves to the next block; false at the end. Blocks can be empty.
  public func next() throws(StorageError) -> Bool {
    if case .trees(let trees) = table.layout { return try nextRows(trees) }
    cluster = try clusters?.nextLeaf()
    guard let cluster else { return false }
    count = cluster.count
    forgetLeaves()
    return true
  }

  private func nextRows(_ trees: StoredColumnTrees) throws(StorageError) -> Bool {
    firstRow += count
    guard firstRow < trees.rowCount else { return false }
    // Without columns nothing in the file bounds the number of rows.
    try table.view.charge(1, at: 0)
    var common = min(trees.rowCount - firstRow, ClusterTree.maximumCount)
    for i in isRead.indices {
      var rest = isRead[i] ? leaves[i].suffix(from: count, count: leaves[i].count - count) : nil
      while rest.map({ $0.count == 0 }) ?? true {
        rest = try streams[i].next()
        if rest == nil {
          throw .damage(.countMismatch, at: 0, found: firstRow, limit: trees.rowCount)
        }
      }
      guard let rest else { continue }
      keep(rest, i)
      common = min(common, rest.count)
    }
    count = common
    return true
  }

  /// The key of an object of the block.
  ///
  /// - Precondition: the row is below `count`.
  @inline(__always)
  public func key(at row: Int) -> ObjectKey {
    if let cluster { return ObjectKey(Int64(bitPattern: cluster.key(at: row))) }
    return ObjectKey(Int64(firstRow + row))
  }

  /// The object of the block at a row, for reading columns that were not chosen.
  public func storedRow(at row: Int) -> StoredRow {
    if let cluster { return StoredRow(key: key(at: row), leaf: cluster, row: row) }
    return StoredRow(key: key(at: row), leaf: nil, row: firstRow + row)
  }

  /// The leaf of the i-th chosen column; rows from 0 to `count`.
  public func leaf(_ i: Int) throws(StorageError) -> ColumnLeaf {
    precondition(isRead.indices.contains(i))
    if !isRead[i] { try read(i) }
    return leaves[i]
  }

  /// The leaf of a column (position in `table.columns`) that need not be one of the chosen ones.
  public func leaf(ofColumn position: Int) throws(StorageError) -> ColumnLeaf {
    if let i = positions.firstIndex(of: position) { return try leaf(i) }
    guard let cluster else { throw .damage(.badIndex, at: 0, found: position) }
    let column = table.columns[position]
    return try StoredTable.leaf(column.leafType, slot: column.slot, of: cluster, in: table.view)
  }

  /// The leaf of the hidden column of an inverse; from version 10 on.
  func leaf(of backlink: StoredBacklink) throws(StorageError) -> ColumnLeaf {
    guard let cluster else { throw .damage(.badIndex, at: 0, found: backlink.slot) }
    let type = LeafType(layout: .backlink, isNullable: false)
    return try StoredTable.leaf(type, slot: backlink.slot, of: cluster, in: table.view)
  }

  /// Whether the table is stored in clusters of all columns, as from version 10 on.
  public var hasClusters: Bool { clusters != nil }

  private func read(_ i: Int) throws(StorageError) {
    guard let cluster else { throw .damage(.badIndex, at: 0, found: i) }
    let column = table.columns[positions[i]]
    keep(
      try StoredTable.leaf(column.leafType, slot: column.slot, of: cluster, in: table.view), i)
  }

  /// The value of the i-th chosen column at a row of the block.
  public func value(_ i: Int, at row: Int) throws(StorageError) -> StoredValue {
    try table.value(of: table.columns[positions[i]], in: try leaf(i), at: row)
  }
}
