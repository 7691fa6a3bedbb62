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

  private var cluster: ClusterTree.Leaf?
  private var row = 0
  private let slots: UnsafeMutableBufferPointer<Slot>

  /// A chosen column with the leaf that was read last.
  ///
  /// The frequent kinds of leaves have fields of their own: values are read from them in place,
  /// while switching over a `ColumnLeaf` copies the leaf first, which takes longer than the reading.
  private struct Slot {
    enum Form { case none, int, double, string, date, other, collection }

    let column: StoredColumn
    /// Which field holds the leaf.
    var form = Form.none
    var int: IntegerLeaf?
    var double: FloatingLeaf<Double>?
    var string: StringLeaf?
    var date: TimestampLeaf?
    var other: ColumnLeaf?
    /// First row of the leaf, counted from that of the cluster or the table.
    var start = 0
    /// Number of rows of the leaf; 0 if there is none.
    var count = 0

    init(_ column: StoredColumn) { self.column = column }

    mutating func set(_ leaf: ColumnLeaf, start: Int) {
      self.start = start
      count = leaf.count
      switch leaf {
      case .int(let leaf): (form, int) = (.int, leaf)
      case .double(let leaf): (form, double) = (.double, leaf)
      case .string(let leaf): (form, string) = (.string, leaf)
      case .date(let leaf): (form, date) = (.date, leaf)
      case .refs: (form, other) = (.collection, leaf)
      default: (form, other) = (.other, leaf)
      }
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
    slots.deinitialize()
    slots.deallocate()
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
        for i in slots.indices { slots[i].count = 0 }
      }
    case .trees(let trees):
      guard key.rawValue < Int64(trees.rowCount) else { return false }
      row = Int(key.rawValue)
    }
    self.key = key
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
      let (leaf, index) = try table.leaf(
        table.columns[position].leafType, slot: table.columns[position].slot, storedRow)
      return try leaf.value(at: index).isEqual(to: value)
    case .tree:
      guard let key = try table.find(column: position, value: value)?.first else { return false }
      return try move(to: key)
    }
  }

  /// The value of the i-th chosen column of the object.
  ///
  /// - Precondition: `move` has succeeded.
  public func value(_ i: Int) throws(StorageError) -> StoredValue {
    precondition(slots.indices.contains(i))
    var index = row &- slots[i].start
    if UInt(bitPattern: index) >= UInt(bitPattern: slots[i].count) {
      try readLeaf(i)
      index = row &- slots[i].start
    }
    switch slots[i].form {
    case .int: return slots[i].int?.value(at: index).map { .int($0) } ?? .null
    case .double: return slots[i].double?.value(at: index).map { .double($0) } ?? .null
    case .string: return try slots[i].string?.value(at: index).map { .string($0) } ?? .null
    case .date: return try slots[i].date?.value(at: index).map { .date($0) } ?? .null
    case .other: return try slots[i].other?.value(at: index) ?? .null
    case .collection:
      guard let leaf = slots[i].other else { return .null }
      return try table.value(of: slots[i].column, in: leaf, at: index)
    case .none: return .null
    }
  }

  /// Reads the leaf of the i-th column with the present row.
  @inline(never)
  private func readLeaf(_ i: Int) throws(StorageError) {
    let column = slots[i].column
    let leaf: ColumnLeaf
    let start: Int
    switch table.layout {
    case .clusters:
      guard let cluster else { throw .damage(.badIndex, at: 0, found: row) }
      leaf = try StoredTable.leaf(column.leafType, slot: column.slot, of: cluster, in: table.view)
      start = 0
    case .trees(let trees):
      var stream = try trees.stream(column.leafType, slot: column.slot, in: table.view)
      guard let found = try stream.seek(to: row), found.count > 0 else {
        throw .damage(.countMismatch, at: 0, found: row, limit: trees.rowCount)
      }
      leaf = found
      start = row
    }
    slots[i].set(leaf, start: start)
  }

  /// The object itself, for columns that were not chosen and for backlinks.
  public var storedRow: StoredRow { StoredRow(key: key, leaf: cluster, row: row) }
}
