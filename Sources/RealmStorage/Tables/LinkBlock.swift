import ByteKernels
import RealmValues

/// The links of the objects of a block, one object behind the other.
///
/// Made for walks: lists are read leaf by leaf without a cursor for each, their nodes brought near in
/// advance.
public final class LinkBlock {
  /// Where the links are.
  public enum Source {
    /// A column of single links, or of lists or sets of links, at a position.
    case column(Int)
    /// The hidden column of an inverse.
    case backlinks(StoredBacklink)
  }

  private let table: StoredTable
  private let source: Source
  private let view: FileView
  private var keys: UnsafeMutablePointer<Int64>
  private var capacity = 4096
  private var keyCount = 0
  /// Where the links of each row end.
  private let ends: UnsafeMutablePointer<Int>
  private var firstRow = 0

  /// Links are read up to the row with which they become so many.
  private static let wantedCount = 1 << 16
  /// Nodes of lists are brought near so many rows in advance.
  private static let distance = 12

  /// Nil for dictionaries, and for files of formats before 10.
  public init?(_ table: StoredTable, _ source: Source) {
    guard case .clusters = table.layout else { return nil }
    if case .column(let position) = source {
      let column = table.columns[position]
      guard column.kind == .link, column.collection != .dictionary else { return nil }
    }
    self.table = table
    self.source = source
    view = table.view
    keys = .allocate(capacity: capacity)
    ends = .allocate(capacity: ClusterTree.maximumCount)
  }

  deinit {
    keys.deallocate()
    ends.deallocate()
  }

  /// The links of a row; valid until the next `read`.
  ///
  /// - Precondition: the row was among those read last.
  @inline(__always)
  public func links(of row: Int) -> UnsafeBufferPointer<Int64> {
    let start = row == firstRow ? 0 : ends[row &- 1]
    return UnsafeBufferPointer(start: keys + start, count: ends[row] &- start)
  }

  /// Reads the links of rows of the present block of a cursor, links to deleted objects left out.
  ///
  /// - Parameters:
  ///   - first: The first row to be read.
  ///   - rows: The rows that are wanted, as a mask; the others get no links.
  /// - Returns: The row behind the last one that was read; it can be below the number of rows.
  public func read(
    _ cursor: TableCursor, from first: Int, _ rows: UnsafePointer<UInt64>
  ) throws(StorageError) -> Int {
    firstRow = first
    keyCount = 0
    switch try leaf(cursor) {
    case .link(let leaf, _):
      return try readRows(cursor.count, rows) { append(leaf.packed[leaf.first &+ $0] &- 1) }
    case .refs(let leaf):
      return try readRows(cursor.count, rows) { (row) throws(StorageError) in
        try appendEntry(leaf.packed, leaf.first &+ row)
      }
    default: return try readRows(cursor.count, rows) { _ in }
    }
  }

  @inline(__always)
  private func readRows(
    _ count: Int, _ rows: UnsafePointer<UInt64>, _ append: (Int) throws(StorageError) -> Void
  ) throws(StorageError) -> Int {
    var row = firstRow
    while row < count, keyCount < LinkBlock.wantedCount {
      if rows[row &>> 6] &>> UInt64(truncatingIfNeeded: row & 63) & 1 != 0 { try append(row) }
      ends[row] = keyCount
      row &+= 1
    }
    return row
  }

  private func leaf(_ cursor: TableCursor) throws(StorageError) -> ColumnLeaf {
    switch source {
    case .column(let position): try cursor.leaf(ofColumn: position)
    case .backlinks(let backlink): try cursor.leaf(of: backlink)
    }
  }

  /// Appends what one entry of a column of refs leads to.
  @inline(__always)
  private func appendEntry(_ entries: PackedIntegers, _ position: Int) throws(StorageError) {
    if !view.isEncrypted, position &+ LinkBlock.distance < entries.count {
      prefetchForReading(view.address(ofRef: entries[position &+ LinkBlock.distance]))
    }
    let entry = entries[position]
    if entry == 0 { return }
    if entry & 1 != 0 {
      guard case .backlinks = source else { throw .damage(.missingRef, at: 0, found: position) }
      append(Int64(bitPattern: UInt64(bitPattern: entry) &>> 1))
      return
    }
    let node = try view.node(at: entry)
    if !node.isInner {
      try view.charge(node)
      try append(node)
      return
    }
    var cursor = BPlusTreeCursor(root: entry, in: view)
    while let node = try cursor.nextLeaf() { try append(node) }
  }

  private func append(_ node: NodeView) throws(StorageError) {
    guard node.scheme == .bits else {
      throw .damage(.wrongNodeKind, at: node.offset, found: Int(node.flags))
    }
    let packed = node.integers
    for i in 0..<packed.count { append(packed[i]) }
  }

  @inline(__always)
  private func append(_ key: Int64) {
    guard key >= 0 else { return }
    if keyCount == capacity { grow() }
    keys[keyCount] = key
    keyCount &+= 1
  }

  @inline(never)
  private func grow() {
    let larger = UnsafeMutablePointer<Int64>.allocate(capacity: 2 * capacity)
    larger.update(from: keys, count: keyCount)
    keys.deallocate()
    keys = larger
    capacity *= 2
  }
}

extension StoredTable {
  /// The number of links to each object of the present block of a cursor, through one column.
  ///
  /// - Parameter counts: Room for 256 numbers; those of the rows of the block are stored.
  public func countBacklinks(
    _ backlink: StoredBacklink, _ cursor: TableCursor, _ counts: UnsafeMutablePointer<Int64>
  ) throws(StorageError) {
    guard case .refs(let leaf) = try cursor.leaf(of: backlink) else { return }
    for row in 0..<cursor.count {
      let entry = leaf.packed[leaf.first &+ row]
      if entry == 0 || entry & 1 != 0 {
        counts[row] = entry & 1
        continue
      }
      let node = try view.node(at: entry)
      counts[row] = Int64(try BPlusTreeCursor.elementCount(ofInner: node) ?? node.count)
    }
  }
}
