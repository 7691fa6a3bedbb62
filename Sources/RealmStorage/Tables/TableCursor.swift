public import ByteKernels
public import RealmValues

/// Walks the objects of a table block by block, giving the leaves of chosen columns.
///
/// From version 10 on a block is a cluster leaf of at most 256 objects; before, it is a run of rows
/// for which every chosen column stays within one leaf. Leaves are validated when they are asked
/// for, so a scan pays only for the columns it looks at.
public final class TableCursor {
  private let table: StoredTable
  private let positions: [Int]
  /// From version 10 on the leaves of the table; nil before.
  private let directory: LeafDirectory?
  /// The leaf of the block in the directory.
  private var index = -1
  /// Before version 10 a walk for each chosen column.
  private var streams: [LeafStream] = []
  /// The leaf of the block, from version 10 on.
  private(set) var cluster: ClusterTree.Leaf?
  private var firstRow = 0
  /// The leaves of the chosen columns: of all blocks if the directory keeps them, else of this one.
  private let columns: UnsafeMutableBufferPointer<LeafColumn>
  /// Which of the columns are not those of the directory.
  private var ownColumns: [Int] = []
  private let hasDates: Bool
  /// The columns whose values were read in this block, as in the next ones, it seems.
  private let isScanned: UnsafeMutableBufferPointer<Bool>

  /// Number of objects of the block.
  public private(set) var count = 0

  /// Starts before the first block; `columns` are positions in `table.columns`.
  public init(_ table: StoredTable, columns positions: [Int]) throws(StorageError) {
    self.table = table
    self.positions = positions
    directory = table.directory()
    columns = .allocate(capacity: positions.count)
    isScanned = .allocate(capacity: positions.count)
    isScanned.initialize(repeating: true)
    hasDates = positions.contains { table.columns[$0].leafType.layout == .date }
    for (i, position) in positions.enumerated() {
      let (type, slot) = (table.columns[position].leafType, table.columns[position].slot)
      if let kept = directory?.column(type, slot: slot) {
        columns.initializeElement(at: i, to: kept)
      } else {
        columns.initializeElement(
          at: i, to: LeafColumn(type, slot: slot, capacity: 1, isKept: false))
        ownColumns.append(i)
      }
    }
    if case .trees(let trees) = table.layout {
      for column in columns {
        streams.append(try trees.stream(column.type, slot: column.slot, in: table.view))
      }
    }
  }

  deinit {
    for i in ownColumns { columns[i].deallocate() }
    columns.deallocate()
    isScanned.deallocate()
  }

  /// Moves to the next block; false at the end. Blocks can be empty.
  public func next() throws(StorageError) -> Bool {
    guard let directory else { return try nextRows() }
    index &+= 1
    guard let leaf = try directory.leaf(index) else { return false }
    cluster = leaf
    count = leaf.count
    for i in ownColumns { columns[i].forget(index) }
    directory.prefetch(behind: index, columns, isScanned)
    if hasDates { directory.prefetchBelow(behind: index, columns) }
    isScanned.update(repeating: false)
    return true
  }

  private func nextRows() throws(StorageError) -> Bool {
    guard case .trees(let trees) = table.layout else { return false }
    firstRow += count
    guard firstRow < trees.rowCount else { return false }
    // Without columns nothing in the file bounds the number of rows.
    try table.view.charge(1, at: 0)
    var common = min(trees.rowCount - firstRow, ClusterTree.maximumCount)
    for (i, column) in columns.enumerated() {
      var rest: ColumnLeaf?
      if column.isRead(0) {
        let leaf = column.leaf(0)
        rest = leaf.suffix(from: count, count: leaf.count - count)
      }
      while rest.map({ $0.count == 0 }) ?? true {
        rest = try streams[i].next()
        if rest == nil {
          throw .damage(.countMismatch, at: 0, found: firstRow, limit: trees.rowCount)
        }
      }
      guard let rest else { continue }
      column.set(rest, 0)
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

  /// The keys of the objects of the block.
  public var keys: BlockKeys {
    BlockKeys(
      first: cluster.map { Int64(bitPattern: $0.base) } ?? Int64(firstRow), relative: cluster?.keys)
  }

  /// The object of the block at a row, for reading columns that were not chosen.
  public func storedRow(at row: Int) -> StoredRow {
    if let cluster { return StoredRow(key: key(at: row), leaf: cluster, row: row) }
    return StoredRow(key: key(at: row), leaf: nil, row: firstRow + row)
  }

  /// Whether the table is stored in clusters of all columns, as from version 10 on.
  public var hasClusters: Bool { directory != nil }

  // MARK: Leaves

  /// The i-th chosen column, its leaf read; rows from 0 to `count`.
  @inline(__always)
  private func column(_ i: Int) throws(StorageError) -> UnsafeMutablePointer<LeafColumn> {
    precondition(columns.indices.contains(i))
    // The position is in the buffer, so that the buffer is not empty.
    let column = columns.baseAddress! + i
    if !column.pointee.isRead(index) { try read(i) }
    return column
  }

  @inline(__always)
  private func scannedColumn(_ i: Int) throws(StorageError) -> UnsafeMutablePointer<LeafColumn> {
    let column = try column(i)
    isScanned[i] = true
    return column
  }

  @inline(never)
  private func read(_ i: Int) throws(StorageError) {
    guard let cluster else { throw .damage(.badIndex, at: 0, found: i) }
    columns[i].set(
      try StoredTable.leaf(columns[i].type, slot: columns[i].slot, of: cluster, in: table.view),
      index)
  }

  /// The leaf of the i-th chosen column; rows from 0 to `count`.
  ///
  /// A leaf of a frequent kind is quicker read by the methods that follow.
  public func leaf(_ i: Int) throws(StorageError) -> ColumnLeaf {
    try scannedColumn(i).pointee.leaf(index)
  }

  /// The leaf of the i-th chosen column if it has ints.
  public func ints(_ i: Int) throws(StorageError) -> IntegerLeaf? {
    try scannedColumn(i).pointee.int(index)
  }

  /// The leaf of the i-th chosen column if it has doubles.
  public func doubles(_ i: Int) throws(StorageError) -> FloatingLeaf<Double>? {
    try scannedColumn(i).pointee.double(index)
  }

  /// The leaf of the i-th chosen column if it has strings.
  public func strings(_ i: Int) throws(StorageError) -> StringLeaf? {
    try scannedColumn(i).pointee.string(index)
  }

  /// The leaf of the i-th chosen column if it has dates.
  public func dates(_ i: Int) throws(StorageError) -> TimestampLeaf? {
    try scannedColumn(i).pointee.date(index)
  }

  /// The least and greatest value of the i-th chosen column, whole seconds of dates, in the block.
  ///
  /// They are found once for a version: for later queries this costs no look at the values.
  ///
  /// - Returns: nil if the column has neither ints nor dates, or its leaves are not kept.
  public func range(_ i: Int) throws(StorageError) -> ValueRange? {
    try column(i).pointee.range(index)
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

  /// The value of the i-th chosen column at a row of the block.
  public func value(_ i: Int, at row: Int) throws(StorageError) -> StoredValue {
    try table.value(of: table.columns[positions[i]], in: try leaf(i), at: row)
  }
}

/// The keys of the objects of a block.
@frozen
public struct BlockKeys {
  @usableFromInline let first: Int64
  /// Keys relative to the first; nil if they are 0, 1, 2 ...
  @usableFromInline let relative: PackedIntegers?

  init(first: Int64, relative: PackedIntegers?) {
    (self.first, self.relative) = (first, relative)
  }

  /// The key of the object of a row.
  ///
  /// - Precondition: the row is one of the block.
  @inlinable @inline(__always)
  public subscript(row: Int) -> ObjectKey {
    guard let relative else { return ObjectKey(first &+ Int64(row)) }
    return ObjectKey(first &+ Int64(bitPattern: relative.unsigned(row)))
  }
}
