import ByteKernels
public import RealmValues

/// Reads chosen columns of objects given by key, fast when keys come in ascending order.
///
/// The leaves of the object read last are kept; as long as keys stay in them, reading costs no
/// descent and no validation.
public final class ObjectReader {
  /// The table.
  public let table: StoredTable
  /// The object that was moved to last.
  public private(set) var key = ObjectKey(-1)

  private let positions: [Int]
  /// Number of the block of objects that leaves of `leaf(_:)` belong to; goes up when it changes.
  public private(set) var block = 0
  /// Row of the object in its block.
  public private(set) var row = 0

  private var cluster: ClusterTree.Leaf?
  /// The leaves of the present cluster, or runs of rows with the row they start at.
  private var leaves: [(leaf: ColumnLeaf, start: Int)?]

  /// Reads the columns at positions in `table.columns`.
  public init(_ table: StoredTable, columns: [Int]) {
    self.table = table
    positions = columns
    leaves = Array(repeating: nil, count: columns.count)
  }

  /// Moves to an object; false if the table has none with the key.
  public func move(to key: ObjectKey) throws(StorageError) -> Bool {
    guard key.rawValue >= 0 else { return false }
    switch table.layout {
    case .clusters(let tree):
      let raw = UInt64(bitPattern: key.rawValue)
      if let row = cluster?.row(of: raw) {
        self.row = row
      } else {
        guard let (leaf, row) = try tree.find(raw) else { return false }
        cluster = leaf
        self.row = row
        block &+= 1
        for i in leaves.indices { leaves[i] = nil }
      }
    case .trees(let trees):
      guard key.rawValue < Int64(trees.rowCount) else { return false }
      row = Int(key.rawValue)
      // Each column has leaves of its own, so that a block is one row.
      block &+= 1
    }
    self.key = key
    return true
  }

  /// The value of the i-th chosen column of the object.
  ///
  /// - Precondition: `move` has succeeded.
  public func value(_ i: Int) throws(StorageError) -> StoredValue {
    let column = table.columns[positions[i]]
    if let known = leaves[i], row >= known.start, row - known.start < known.leaf.count {
      return try table.value(of: column, in: known.leaf, at: row - known.start)
    }
    let fresh = try leaf(of: column)
    leaves[i] = fresh
    return try table.value(of: column, in: fresh.leaf, at: row - fresh.start)
  }

  /// The leaf of the i-th chosen column, and what has to be added to `row` for a row in it.
  ///
  /// Serves all objects of the present block: to be asked for once each time `block` has changed.
  ///
  /// - Precondition: `move` has succeeded.
  public func leaf(_ i: Int) throws(StorageError) -> (leaf: ColumnLeaf, offset: Int) {
    if let known = leaves[i], row >= known.start, row - known.start < known.leaf.count {
      return (known.leaf, -known.start)
    }
    let fresh = try leaf(of: table.columns[positions[i]])
    leaves[i] = fresh
    return (fresh.leaf, -fresh.start)
  }

  private func leaf(of column: StoredColumn) throws(StorageError) -> (leaf: ColumnLeaf, start: Int)
  {
    switch table.layout {
    case .clusters:
      guard let cluster else { throw .damage(.badIndex, at: 0, found: row) }
      return (
        try StoredTable.leaf(column.leafType, slot: column.slot, of: cluster, in: table.view), 0
      )
    case .trees(let trees):
      var stream = try trees.stream(column.leafType, slot: column.slot, in: table.view)
      guard let leaf = try stream.seek(to: row) else {
        throw .damage(.countMismatch, at: 0, found: row, limit: trees.rowCount)
      }
      return (leaf, row)
    }
  }

  /// The object itself, for columns that were not chosen and for backlinks.
  public var storedRow: StoredRow { StoredRow(key: key, leaf: cluster, row: row) }
}
