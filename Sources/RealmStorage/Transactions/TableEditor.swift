import ByteKernels
import RealmValues

/// One table of a write transaction: its top array as values.
///
/// Source: file-format.md 6.3 to 6.5, file-format-writing.md 8.12.
final class TableEditor {
  /// A public column or a hidden one of backlinks.
  struct Column {
    /// Empty for backlinks.
    var name: String
    var key: ColumnKey
    /// Type number, with that of the keys of a dictionary above.
    var type: Int64
    var attributes: Int64

    var index: Int { key.index }
    var isBacklink: Bool { key.typeNumber == TableEditor.backlinkType }
    var kind: ValueKind? {
      key.typeNumber == 13 ? .link : ValueKind(rawValue: UInt8(key.typeNumber))
    }
    var collection: StoredColumn.Collection {
      if key.typeNumber == 13 || key.attributes.contains(.list) { return .list }
      if key.attributes.contains(.set) { return .set }
      return key.attributes.contains(.dictionary) ? .dictionary : .none
    }
    var isNullable: Bool { key.attributes.contains(.nullable) }
    var isFullText: Bool { attributes & Int64(ColumnAttributes.fullText.rawValue) != 0 }
  }

  static let backlinkType = 14
  static let noTable: Int64 = 0x7FFF_FFFF
  static let noColumn = Int64.max

  let store: NodeStore
  let key: TableKey
  private(set) var topRef: Int64

  /// Public columns, then those of backlinks.
  var columns: [Column] = [] {
    didSet {
      isSpecChanged = true
      (knownClusters, positions) = (nil, [])
      followColumns(oldValue)
    }
  }
  /// By column index.
  var oppositeTables: [Int64] = [] {
    didSet {
      isSpecChanged = true
      knownClusters = nil
    }
  }
  var oppositeColumns: [Int64] = [] { didSet { isSpecChanged = true } }
  var indexRoots: [Int64] = [] { didSet { isChanged = true } }
  var clusterRoot: Int64 = 0 { didSet { isChanged = isChanged || clusterRoot != oldValue } }
  var columnCounter: Int64 = 0 { didSet { isChanged = true } }
  var sequence: Int64 = 0 { didSet { isChanged = true } }
  var primaryKey: ColumnKey? {
    didSet {
      isChanged = true
      (pending, appender) = (nil, nil)
    }
  }
  var kind: StoredTable.Kind {
    didSet {
      (isChanged, isKindChanged) = (true, true)
      (pending, appender) = (nil, nil)
    }
  }
  /// Objects that were appended; made with the first appender.
  var pending: PendingObjects?
  /// What appends objects as long as the columns stay as they are.
  var appender: ObjectAppender?
  /// What changes the tree of objects; nil until it is asked for.
  private var knownClusters: ClusterEditor?
  /// Position in `columns` by column index, -1 for none; empty until it is asked for.
  private var positions: [Int] = []
  private var contentVersion: Int64 = 0
  private var isSpecChanged = false
  private var isChanged = false
  private var isKindChanged = false
  /// Whether anything has changed since the transaction began.
  private var needsContentVersion = false

  /// Makes a table without columns.
  init(_ store: NodeStore, key: TableKey, kind: StoredTable.Kind) throws(StorageError) {
    self.store = store
    self.key = key
    self.kind = kind
    topRef = 0
    let spec = try store.makeIntegers(
      [
        try store.makeZeros(0), try LeafEditor.makeShort([], longest: -1, store),
        try store.makeZeros(0), 0, 0, try store.makeZeros(0),
      ], .refs)
    clusterRoot = try ClusterEditor(store: store, columns: []).makeEmpty()
    topRef = try store.makeIntegers(
      [
        spec, 0, clusterRoot, Int64(key.rawValue) * 2 + 1, try store.makeZeros(0, .refs), 1, 1,
        try store.makeZeros(0), try store.makeZeros(0), 0, 0, 0, Int64(kind.rawValue) * 2 + 1, 0,
      ], .refs)
  }

  /// Reads a table.
  ///
  /// - Throws: `damaged`; `rejected(.notSupported)` for what is not written: enumerated columns,
  ///   tombstones, trees of test builds.
  init(_ store: NodeStore, at ref: Int64) throws(StorageError) {
    self.store = store
    topRef = ref
    let view = store.view
    let top = try view.refs(at: ref, minimumCount: 12)
    guard let raw = try view.tagged(top, 3) else {
      throw .damage(.notTagged, at: top.offset, found: 3)
    }
    key = TableKey(UInt32(truncatingIfNeeded: raw))
    kind = StoredTable.Kind(rawValue: Int(try view.tagged(top, 12) ?? 0) & 3) ?? .topLevel
    let spec = try view.refs(at: try view.ref(top, 0), minimumCount: 6)
    guard try view.optionalRef(spec, 4) == nil, top.count < 14 || top[13] == 0 else {
      throw .rejected(.notSupported)
    }
    let names = try TableReader.names(at: try view.ref(spec, 1), in: view)
    let types = try store.integers(try view.ref(spec, 0))
    let attributes = try store.integers(try view.ref(spec, 2))
    let keys = try store.integers(try view.ref(spec, 5))
    guard types.count == attributes.count, types.count == keys.count, names.count <= types.count
    else { throw .damage(.countMismatch, at: spec.offset, found: keys.count, limit: types.count) }
    for i in types.indices {
      columns.append(
        Column(
          name: i < names.count ? names[i] : "", key: ColumnKey(UInt64(bitPattern: keys[i])),
          type: types[i], attributes: attributes[i]))
    }
    clusterRoot = try view.ref(top, 2)
    guard try ClusterTree(root: clusterRoot, in: view).bitsPerLevel == 8 else {
      throw .rejected(.notSupported)
    }
    indexRoots = try store.integers(try view.ref(top, 4))
    columnCounter = try view.tagged(top, 5) ?? 0
    contentVersion = try view.tagged(top, 6) ?? 0
    oppositeTables = try store.integers(try view.ref(top, 7))
    oppositeColumns = try store.integers(try view.ref(top, 8))
    sequence = try view.tagged(top, 9) ?? 0
    primaryKey = try view.tagged(top, 11).map { ColumnKey(UInt64(bitPattern: $0)) }
    let most = (columns.map { $0.index }.max() ?? -1) + 1
    guard indexRoots.count >= most, oppositeTables.count >= most, oppositeColumns.count >= most
    else {
      throw .damage(.countMismatch, at: top.offset, found: indexRoots.count, limit: most)
    }
    (isSpecChanged, isChanged) = (false, false)
  }

  /// Whether anything differs from the committed table.
  var hasChanges: Bool {
    isChanged || isSpecChanged || isKindChanged || needsContentVersion
      || store.region.isNew(clusterRoot) || pending?.isEmpty == false
  }

  // MARK: Columns

  /// Keeps what appends objects in step; if the public columns have changed it is given up.
  private func followColumns(_ old: [Column]) {
    guard let pending else { return }
    let publicKeys = { (columns: [Column]) in columns.filter { !$0.isBacklink }.map { $0.key } }
    if publicKeys(old) == publicKeys(columns) {
      pending.follow(self)
    } else {
      (self.pending, appender) = (nil, nil)
    }
  }

  /// The column with a key.
  ///
  /// - Throws: `rejected(.noColumn)`.
  func column(_ key: ColumnKey) throws(StorageError) -> Column {
    guard let position = position(of: key) else { throw .rejected(.noColumn) }
    return columns[position]
  }

  /// The position of a column in `columns`; nil if there is none with the key.
  func position(of key: ColumnKey) -> Int? {
    if positions.isEmpty {
      positions = Array(repeating: -1, count: (columns.map(\.index).max() ?? -1) + 1)
      for (position, column) in columns.enumerated() { positions[column.index] = position }
    }
    guard key.index < positions.count, positions[key.index] >= 0,
      columns[positions[key.index]].key == key
    else { return nil }
    return positions[key.index]
  }

  /// Table and column that a link or backlink column leads to.
  func opposite(of column: Column) -> (table: TableKey, column: ColumnKey)? {
    let table = oppositeTables[column.index]
    guard table >= 0, table < TableEditor.noTable else { return nil }
    return (
      TableKey(UInt32(table)), ColumnKey(UInt64(bitPattern: oppositeColumns[column.index]))
    )
  }

  /// Layout of the values of a column, or of the elements of its collections.
  func valueType(of column: Column) -> LeafType {
    guard let kind = column.kind else { return LeafType(layout: .backlink, isNullable: false) }
    return LeafType(
      layout: TableReader.layout(kind, column.collection), isNullable: column.isNullable,
      target: kind == .link ? opposite(of: column)?.table : nil)
  }

  /// How the cluster tree holds a column.
  func clusterColumn(_ column: Column) -> ClusterEditor.Column {
    if column.collection != .none {
      let type = LeafType(layout: .collection, isNullable: false)
      return ClusterEditor.Column(
        index: column.index, leaf: LeafEditor(store: store, type: type), initial: .raw(0))
    }
    let type = valueType(of: column)
    return ClusterEditor.Column(
      index: column.index, leaf: LeafEditor(store: store, type: type),
      initial: TableEditor.initial(type))
  }

  /// What a new object has in a column.
  ///
  /// Source: file-format-writing.md 8.5.
  private static func initial(_ type: LeafType) -> Cell {
    if type.layout == .backlink || type.layout == .collection { return .raw(0) }
    if type.isNullable { return .null }
    let zeros: (UInt64, UInt64) = (0, 0)
    // The bytes of two words have an address.
    let objectID = withUnsafeBytes(of: zeros) { ObjectID($0.baseAddress!) }
    // The bytes of two words have an address.
    let uuid = withUnsafeBytes(of: zeros) { UUIDValue($0.baseAddress!) }
    return switch type.layout {
    case .int: .value(.int(0))
    case .bool: .value(.bool(false))
    case .float: .value(.float(0))
    case .double: .value(.double(0))
    case .string: .value(.string([]))
    case .data: .value(.data([]))
    case .date: .value(.date(Timestamp(seconds: 0, nanoseconds: 0)))
    case .decimal: .value(.decimal(Decimal128(0)))
    case .objectID: .value(.objectID(objectID))
    case .uuid: .value(.uuid(uuid))
    default: .null
    }
  }

  var clusters: ClusterEditor {
    if let knownClusters { return knownClusters }
    let made = ClusterEditor(store: store, columns: columns.map { clusterColumn($0) })
    knownClusters = made
    return made
  }

  // MARK: Writing back

  /// Writes what has changed into the top array.
  ///
  /// - Parameter isCommit: Whether the content version is to be counted up.
  /// - Returns: the ref of the top array.
  func flush(isCommit: Bool) throws(StorageError) -> Int64 {
    if isChanged || isSpecChanged || store.region.isNew(clusterRoot) {
      try flushChanges()
      needsContentVersion = true
    }
    if isCommit, needsContentVersion {
      contentVersion &+= 1
      try store.set(&topRef, 6, contentVersion &* 2 | 1)
    }
    return topRef
  }

  private func flushChanges() throws(StorageError) {
    while try store.count(topRef) < 14 { try store.append(&topRef, 0) }
    if isSpecChanged { try flushSpec() }
    try store.set(&topRef, 2, clusterRoot)
    var indexes = try store.element(topRef, 4)
    if try store.integers(indexes) != indexRoots { try store.replace(&indexes, indexRoots) }
    try store.set(&topRef, 4, indexes)
    try store.set(&topRef, 5, columnCounter &* 2 | 1)
    try store.set(&topRef, 9, sequence == 0 ? 0 : sequence &* 2 | 1)
    try store.set(
      &topRef, 11, primaryKey.map { Int64(bitPattern: $0.rawValue &* 2 | 1) } ?? 0)
    if isKindChanged { try store.set(&topRef, 12, Int64(kind.rawValue) &* 2 | 1) }
    (isChanged, isSpecChanged, isKindChanged) = (false, false, false)
  }

  private func flushSpec() throws(StorageError) {
    var spec = try store.element(topRef, 0)
    let names = columns.filter { !$0.isBacklink }.map { Array($0.name.utf8) as [UInt8]? }
    let longest = names.reduce(-1) { max($0, $1?.count ?? -1) }
    try replace(&spec, 0, try store.makeIntegers(columns.map { $0.type }))
    try replace(&spec, 1, try LeafEditor.makeShort(names, longest: longest, store))
    try replace(&spec, 2, try store.makeIntegers(columns.map { $0.attributes }))
    try replace(
      &spec, 5, try store.makeIntegers(columns.map { Int64(bitPattern: $0.key.rawValue) }))
    try store.set(&topRef, 0, spec)
    try replace(&topRef, 7, try store.makeIntegers(oppositeTables))
    try replace(&topRef, 8, try store.makeIntegers(oppositeColumns))
  }

  private func replace(
    _ ref: inout Int64, _ slot: Int, _ child: Int64
  ) throws(StorageError) {
    try store.free(try store.element(ref, slot))
    try store.set(&ref, slot, child)
  }
}
