import ByteKernels
public import RealmValues

/// Reads chosen columns of objects given by key, fast when keys come in ascending order.
///
/// The leaves of the object read last are kept; as long as keys stay in them, reading costs no
/// descent and no validation. Who reads many objects finds the leaves that scans have read, too.
public final class ObjectReader {
  /// The table.
  public let table: StoredTable
  /// The object that was moved to last.
  public private(set) var key = ObjectKey(-1)

  private var cluster: ClusterTree.Leaf?
  private var row = 0
  private let slots: UnsafeMutableBufferPointer<Slot>
  /// The column of the values that were looked up last.
  private var lookedUp: (position: Int, slot: UnsafeMutablePointer<Slot>)?
  /// The leaves of the table, once that many objects were looked for that it pays to find them all.
  private var directory: LeafDirectory?
  /// The leaf of the object in the directory.
  private var leafIndex = 0

  /// A chosen column with the leaf that was read last, or with all that have been read.
  private struct Slot {
    let column: StoredColumn
    var leaves: LeafColumn
    /// Whether the leaves are not those of the directory.
    var isOwn = true
    /// First row of the only leaf, counted from that of the cluster or the table.
    var start = 0
    /// Number of rows of the only leaf; 0 if there is none.
    var count = 0

    init(_ column: StoredColumn) {
      self.column = column
      leaves = LeafColumn(column.leafType, slot: column.slot, capacity: 1, isKept: false)
    }

    func deallocate() {
      if isOwn { leaves.deallocate() }
    }

    mutating func use(_ directory: LeafDirectory) {
      guard isOwn, let kept = directory.column(column.leafType, slot: column.slot) else { return }
      leaves.deallocate()
      (leaves, isOwn, start) = (kept, false, 0)
    }
  }

  /// Reads the columns at positions in `table.columns`.
  public init(_ table: StoredTable, columns: [Int]) {
    self.table = table
    slots = .allocate(capacity: columns.count)
    for (i, position) in columns.enumerated() {
      slots.initializeElement(at: i, to: Slot(table.columns[position]))
    }
  }

  deinit {
    for slot in slots { slot.deallocate() }
    slots.deinitialize()
    slots.deallocate()
    forgetLookedUp()
  }

  private func forgetLookedUp() {
    guard let slot = lookedUp?.slot else { return }
    slot.pointee.deallocate()
    slot.deinitialize(count: 1)
    slot.deallocate()
    lookedUp = nil
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
        guard try descend(tree, to: raw) else { return false }
      }
    case .trees(let trees):
      guard key.rawValue < Int64(trees.rowCount) else { return false }
      row = Int(key.rawValue)
    }
    self.key = key
    return true
  }

  private func descend(_ tree: ClusterTree, to key: UInt64) throws(StorageError) -> Bool {
    if directory == nil, let found = table.directoryForMany() {
      // The leaf at hand was not found there.
      (directory, cluster) = (found, nil)
      for i in slots.indices { slots[i].use(found) }
      lookedUp?.slot.pointee.use(found)
    }
    if let directory {
      guard let index = directory.index(holding: key), let leaf = try directory.leaf(index),
        let row = leaf.row(of: key)
      else { return false }
      (cluster, self.row, leafIndex) = (leaf, row, index)
    } else {
      guard let (leaf, row) = try tree.find(key) else { return false }
      (cluster, self.row) = (leaf, row)
    }
    for i in slots.indices { slots[i].count = 0 }
    lookedUp?.slot.pointee.count = 0
    return true
  }

  /// Moves to the first object that has a value in an indexed column, which need not be a chosen one.
  ///
  /// - Parameter position: Position of the column in `table.columns`.
  /// - Returns: whether there is one; nil if there is no index that can be trusted.
  public func move(
    to value: ScalarValue, inColumn position: Int
  ) throws(StorageError) -> Bool? {
    guard let candidates = try table.candidates(column: position, value: value) else { return nil }
    switch candidates {
    case .none: return false
    case .one(let key):
      guard try move(to: key) else { return false }
      return try self.value(slotOfLookedUp(position)).isEqual(to: value)
    case .tree:
      guard let key = try table.find(column: position, value: value)?.first else { return false }
      return try move(to: key)
    }
  }

  private func slotOfLookedUp(_ position: Int) -> UnsafeMutablePointer<Slot> {
    if let lookedUp, lookedUp.position == position { return lookedUp.slot }
    forgetLookedUp()
    let slot = UnsafeMutablePointer<Slot>.allocate(capacity: 1)
    slot.initialize(to: Slot(table.columns[position]))
    if let directory { slot.pointee.use(directory) }
    lookedUp = (position, slot)
    return slot
  }

  /// The value of the i-th chosen column of the object.
  ///
  /// - Precondition: `move` has succeeded.
  public func value(_ i: Int) throws(StorageError) -> StoredValue {
    precondition(slots.indices.contains(i))
    // The position is in the buffer, so that the buffer is not empty.
    return try value(slots.baseAddress! + i)
  }

  @inline(__always)
  private func value(_ slot: UnsafeMutablePointer<Slot>) throws(StorageError) -> StoredValue {
    var index = row
    if slot.pointee.isOwn {
      index &-= slot.pointee.start
      if UInt(bitPattern: index) >= UInt(bitPattern: slot.pointee.count) {
        try readLeaf(slot)
        index = row &- slot.pointee.start
      }
    } else if !slot.pointee.leaves.isRead(leafIndex) {
      try readLeaf(slot)
    }
    if let value = try slot.pointee.leaves.frequentValue(leafIndex, at: index) { return value }
    return try table.value(
      of: slot.pointee.column, in: slot.pointee.leaves.leaf(leafIndex), at: index)
  }

  /// Reads the leaf of a column with the present row.
  @inline(never)
  private func readLeaf(_ slot: UnsafeMutablePointer<Slot>) throws(StorageError) {
    let (type, position) = (slot.pointee.leaves.type, slot.pointee.leaves.slot)
    let leaf: ColumnLeaf
    switch table.layout {
    case .clusters:
      guard let cluster else { throw .damage(.badIndex, at: 0, found: row) }
      leaf = try StoredTable.leaf(type, slot: position, of: cluster, in: table.view)
      slot.pointee.start = 0
    case .trees(let trees):
      var stream = try trees.stream(type, slot: position, in: table.view)
      guard let found = try stream.seek(to: row), found.count > 0 else {
        throw .damage(.countMismatch, at: 0, found: row, limit: trees.rowCount)
      }
      leaf = found
      slot.pointee.start = row
    }
    slot.pointee.leaves.set(leaf, leafIndex)
    slot.pointee.count = leaf.count
  }

  /// The object itself, for columns that were not chosen and for backlinks.
  public var storedRow: StoredRow { StoredRow(key: key, leaf: cluster, row: row) }
}
