import ByteKernels
public import RealmValues

/// A table of a snapshot: its columns and the way to its objects.
///
/// Tables of all format versions look alike from here on. Holding a table keeps the file mapped.
public final class StoredTable {
  /// Kinds of tables.
  public enum Kind: Int, Sendable {
    case topLevel = 0
    case embedded = 1
    case asymmetric = 2
  }

  /// The name as stored, with the prefix `class_` for classes.
  public let name: String
  /// The key that links carry; the position in versions 2 to 9.
  public let key: TableKey
  /// Whether objects stand for themselves or are embedded.
  public let kind: Kind
  /// The public columns in the order of their creation.
  public let columns: [StoredColumn]
  /// The hidden columns of backlinks.
  public let backlinks: [StoredBacklink]
  /// Position of the primary key in `columns`.
  public internal(set) var primaryKey: Int?
  /// Columns that were left out, with the reason.
  public let brokenColumns: [(name: String, error: StorageError)]

  /// Where the objects are.
  enum Layout {
    /// From version 10 on.
    case clusters(ClusterTree)
    /// Versions 2 to 9: a tree for each column, and the number of rows.
    case trees(StoredColumnTrees)
  }

  let layout: Layout
  let format: FileFormat
  let view: FileView
  private let file: RealmFile
  private var keptDirectory: LeafDirectory?
  private var descentCount = 0

  init(
    name: String, key: TableKey, kind: Kind, columns: [StoredColumn], backlinks: [StoredBacklink],
    primaryKey: Int?, brokenColumns: [(name: String, error: StorageError)], layout: Layout,
    format: FileFormat, view: FileView, file: RealmFile
  ) {
    self.name = name
    self.key = key
    self.kind = kind
    self.columns = columns
    self.backlinks = backlinks
    self.primaryKey = primaryKey
    self.brokenColumns = brokenColumns
    self.layout = layout
    self.format = format
    self.view = view
    self.file = file
  }

  /// Number of objects, as the root of the table tells it.
  ///
  /// - Complexity: O(log n).
  public func objectCount() throws(StorageError) -> Int {
    switch layout {
    case .clusters(let tree): try tree.objectCount()
    case .trees(let trees): trees.rowCount
    }
  }

  /// The leaves of a table in clusters; nil for others.
  func directory() -> LeafDirectory? {
    if let keptDirectory { return keptDirectory }
    guard case .clusters(let tree) = layout else { return nil }
    let directory = LeafDirectory(tree, isCommitted: !file.isTransaction)
    if directory.isKept { keptDirectory = directory }
    return directory
  }

  /// So many descents to objects take longer than to find all leaves.
  private static let manyDescents = 256

  /// The leaves of a table, for who looks for an object; nil if it pays better to descend to it.
  func directoryForMany() -> LeafDirectory? {
    if let keptDirectory { return keptDirectory }
    descentCount += 1
    guard descentCount > StoredTable.manyDescents, !file.isTransaction else { return nil }
    descentCount = 0
    return directory().flatMap { $0.isKept ? $0 : nil }
  }

  /// Position of the column with a name.
  public func column(named name: String) -> Int? { columns.firstIndex { $0.name == name } }

  /// Position of the column with a key.
  public func column(_ key: ColumnKey) -> Int? { columns.firstIndex { $0.key == key } }

  /// The value of a column in a leaf: of the leaf itself, or the collection its ref leads to.
  ///
  /// - Precondition: the leaf was read for this column, and the row is below its count.
  public func value(
    of column: StoredColumn, in leaf: ColumnLeaf, at row: Int
  ) throws(StorageError) -> StoredValue {
    guard case .refs(let refs) = leaf else { return try leaf.value(at: row) }
    let ref = refs.packed[refs.first + row]
    guard ref & 1 == 0 else { throw .damage(.missingRef, at: 0, found: row) }
    if column.collection == .dictionary {
      return .dictionary(
        StoredDictionary(
          ref: ref, target: column.target, isHashed: format.hasHashedDictionaries, in: view))
    }
    let isText = column.kind == .string || column.kind == .data || column.kind == .mixed
    return .list(
      StoredList(
        root: ref, type: column.valueType, isSet: column.collection == .set,
        isSubtable: format.hasColumnLayout && column.kind != .link,
        needsSorting: column.collection == .set && isText && !format.hasCanonicalOrder, in: view))
  }
}

/// One object of a table, found by its key.
public struct StoredRow {
  /// The key of the object.
  public let key: ObjectKey
  /// From version 10 on the leaf with the object; nil before.
  let leaf: ClusterTree.Leaf?
  /// Row in the leaf, or in the table.
  let row: Int
}

extension StoredTable {
  /// Finds an object; nil if the table has none with the key.
  ///
  /// - Complexity: O(log n).
  public func row(of key: ObjectKey) throws(StorageError) -> StoredRow? {
    guard key.rawValue >= 0 else { return nil }
    switch layout {
    case .clusters(let tree):
      guard let (leaf, row) = try tree.find(UInt64(bitPattern: key.rawValue)) else { return nil }
      return StoredRow(key: key, leaf: leaf, row: row)
    case .trees(let trees):
      guard key.rawValue < Int64(trees.rowCount) else { return nil }
      return StoredRow(key: key, leaf: nil, row: Int(key.rawValue))
    }
  }

  /// The value of a column (position in `columns`) of an object.
  public func value(of column: Int, in row: StoredRow) throws(StorageError) -> StoredValue {
    let stored = columns[column]
    let (leaf, index) = try leaf(stored.leafType, slot: stored.slot, row)
    return try value(of: stored, in: leaf, at: index)
  }

  /// The leaf of a column with an object, and its row in it.
  func leaf(
    _ type: LeafType, slot: Int, _ row: StoredRow
  ) throws(StorageError) -> (ColumnLeaf, Int) {
    switch layout {
    case .clusters:
      guard let cluster = row.leaf else { throw .damage(.badIndex, at: 0, found: row.row) }
      return (try StoredTable.leaf(type, slot: slot, of: cluster, in: view), row.row)
    case .trees(let trees):
      var stream = try trees.stream(type, slot: slot, in: view)
      guard let leaf = try stream.seek(to: row.row) else {
        throw .damage(.countMismatch, at: 0, found: row.row, limit: trees.rowCount)
      }
      return (leaf, 0)
    }
  }

  /// The column of a cluster leaf.
  static func leaf(
    _ type: LeafType, slot: Int, of cluster: ClusterTree.Leaf, in view: FileView
  ) throws(StorageError) -> ColumnLeaf {
    let leaf = try ColumnLeaf(
      try view.node(at: try view.ref(cluster.node, slot + 1)), type, in: view)
    guard leaf.count == cluster.count else {
      throw .damage(
        .countMismatch, at: cluster.node.offset, found: leaf.count, limit: cluster.count)
    }
    return leaf
  }

  /// The objects that link to an object through one column, as often as they do.
  ///
  /// - Throws: `StorageError.damaged`, or what `body` throws.
  public func forEachBacklink(
    _ backlink: StoredBacklink, to row: StoredRow, _ body: (ObjectKey) throws(StorageError) -> Void
  ) throws(StorageError) {
    let (leaf, index) = try leaf(
      LeafType(layout: .backlink, isNullable: false), slot: backlink.slot, row)
    guard case .refs(let refs) = leaf else { return }
    try forEachBacklink(inEntry: refs.packed[refs.first + index], body)
  }

  /// The objects in one entry of a column of backlinks.
  func forEachBacklink(
    inEntry entry: Int64, _ body: (ObjectKey) throws(StorageError) -> Void
  ) throws(StorageError) {
    if entry == 0 { return }
    if entry & 1 != 0 {
      try body(ObjectKey(Int64(bitPattern: UInt64(bitPattern: entry) >> 1)))
      return
    }
    var cursor = BPlusTreeCursor(root: entry, in: view)
    while let node = try cursor.nextLeaf() {
      guard node.scheme == .bits else {
        throw .damage(.wrongNodeKind, at: node.offset, found: Int(node.flags))
      }
      for i in 0..<node.count { try body(ObjectKey(node[i])) }
    }
  }

  /// Number of links to an object through one column.
  public func backlinkCount(
    _ backlink: StoredBacklink, to row: StoredRow
  ) throws(StorageError) -> Int {
    var total = 0
    try forEachBacklink(backlink, to: row) { (_) throws(StorageError) in total += 1 }
    return total
  }
}
