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
  private var source: Source
  private var cluster: ClusterTree.Leaf?
  private var leaves: [ColumnLeaf?]
  private var firstRow = 0

  private enum Source {
    case clusters(ClusterCursor)
    case trees([LeafStream])
  }

  /// Number of objects of the block.
  public private(set) var count = 0

  /// Starts before the first block; `columns` are positions in `table.columns`.
  public init(_ table: StoredTable, columns: [Int]) throws(StorageError) {
    self.table = table
    positions = columns
    leaves = Array(repeating: nil, count: columns.count)
    switch table.layout {
    case .clusters(let tree): source = .clusters(ClusterCursor(tree))
    case .trees(let trees):
      var streams: [LeafStream] = []
      for position in columns {
        let column = table.columns[position]
        streams.append(try trees.stream(column.leafType, slot: column.slot, in: table.view))
      }
      source = .trees(streams)
    }
  }

  /// Moves to the next block; false at the end. Blocks can be empty.
  public func next() throws(StorageError) -> Bool {
    if case .clusters(var cursor) = source {
      cluster = try cursor.nextLeaf()
      source = .clusters(cursor)
      guard let cluster else { return false }
      count = cluster.count
      for slot in leaves.indices { leaves[slot] = nil }
      return true
    }
    return try nextRows()
  }

  private func nextRows() throws(StorageError) -> Bool {
    guard case .trees(var streams) = source, case .trees(let trees) = table.layout else {
      return false
    }
    firstRow += count
    guard firstRow < trees.rowCount else { return false }
    // Without columns nothing in the file bounds the number of rows.
    try table.view.charge(1, at: 0)
    var common = min(trees.rowCount - firstRow, ClusterTree.maximumCount)
    for slot in leaves.indices {
      var rest = leaves[slot].map { $0.suffix(from: count, count: $0.count - count) }
      while rest.map({ $0.count == 0 }) ?? true {
        rest = try streams[slot].next()
        if rest == nil {
          throw .damage(.countMismatch, at: 0, found: firstRow, limit: trees.rowCount)
        }
      }
      leaves[slot] = rest
      common = min(common, rest?.count ?? 0)
    }
    source = .trees(streams)
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
    if let leaf = leaves[i] { return leaf }
    guard let cluster else { throw .damage(.badIndex, at: 0, found: i) }
    let column = table.columns[positions[i]]
    let leaf = try StoredTable.leaf(
      column.leafType, slot: column.slot, of: cluster, in: table.view)
    leaves[i] = leaf
    return leaf
  }

  /// The value of the i-th chosen column at a row of the block.
  public func value(_ i: Int, at row: Int) throws(StorageError) -> StoredValue {
    try table.value(of: table.columns[positions[i]], in: try leaf(i), at: row)
  }
}
