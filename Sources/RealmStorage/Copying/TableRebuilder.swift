import RealmValues

/// Builds tables anew from what a snapshot of any format shows of them.
///
/// Names, kinds, columns, object keys and values stay; keys of tables and columns are new ones. All
/// objects of a table are made leaf by leaf, with their backlinks, so that no object is touched
/// twice; indexes come last. Every now and then what was made is committed, which bounds the memory.
///
/// Source: file-format.md 9.13, file-format-writing.md 8.
final class TableRebuilder {
  /// A table and its place in the new database.
  private struct Place {
    let source: StoredTable
    let target: TableKey
    var columns: [ColumnKey] = []
    /// The hidden columns of the new table; nil for links that are not copied.
    var backlinks: [ColumnKey?] = []
  }

  /// How many bytes of texts and binaries one leaf gets.
  private static let maximumCollectedByteCount = 16 << 20

  private let source: Snapshot
  private let database: Database
  private let onProgress: FileCopier.Progress
  /// How many bytes of new nodes are kept in memory.
  private let maximumByteCount: Int
  private var transaction: WriteTransaction
  private var places: [Place] = []
  private var newKeys: [TableKey: TableKey] = [:]
  private var objectCount = 0
  private var objectTotal = 0
  /// Bytes of the texts and binaries of the leaf that is being collected.
  private var collectedByteCount = 0

  /// Copies everything.
  ///
  /// - Parameters:
  ///   - database: An empty one, which nobody else uses.
  ///   - maximumByteCount: How many bytes of new nodes are kept in memory.
  /// - Returns: number of objects of classes.
  /// - Throws: `damaged` and other errors of reading; `rejected(.wrongType)` for columns of types
  ///   that are not written any more; `rejected(.duplicatePrimaryKey)`, `rejected(.interrupted)`.
  static func copy(
    _ source: Snapshot, into database: Database, maximumByteCount: Int = 64 << 20,
    _ onProgress: @escaping FileCopier.Progress
  ) throws(StorageError) -> Int {
    let rebuilder = try TableRebuilder(source, database, maximumByteCount, onProgress)
    try rebuilder.makeTables()
    var count = 0
    for place in rebuilder.places {
      let before = rebuilder.objectCount
      try rebuilder.copyObjects(place)
      // Tables of the library are none of the user's.
      if place.source.name.hasPrefix(ClassTable.prefix) { count += rebuilder.objectCount - before }
    }
    try rebuilder.buildIndexes()
    return count
  }

  private init(
    _ source: Snapshot, _ database: Database, _ maximumByteCount: Int,
    _ onProgress: @escaping FileCopier.Progress
  ) throws(StorageError) {
    (self.source, self.database, self.onProgress) = (source, database, onProgress)
    self.maximumByteCount = maximumByteCount
    transaction = try database.beginWrite()
    if let broken = source.brokenTables.first { throw broken.error }
    for table in TableRebuilder.tables(of: source) {
      if let broken = table.brokenColumns.first { throw broken.error }
      objectTotal += try table.objectCount()
    }
  }

  /// The tables that are copied: all but the primary keys of old files, and what belongs to
  /// synchronisation.
  static func tables(of snapshot: Snapshot) -> [StoredTable] {
    let isOld = snapshot.format?.hasColumnLayout ?? false
    let isSynchronised = snapshot.isSynchronised
    return snapshot.tables.filter {
      !(isOld && $0.name == "pk") && !(isSynchronised && $0.isForSynchronisation)
    }
  }

  private func commit() throws(StorageError) {
    try transaction.commit()
    transaction = try database.beginWrite()
  }

  // MARK: Tables and columns

  private func makeTables() throws(StorageError) {
    for table in TableRebuilder.tables(of: source) {
      let key = try transaction.createTable(table.name, kind: table.kind)
      newKeys[table.key] = key
      places.append(Place(source: table, target: key))
    }
    for i in places.indices {
      for column in places[i].source.columns {
        guard let kind = column.kind else {
          throw .damage(.unknownType, at: 0, found: column.key.typeNumber)
        }
        let definition = ColumnDefinition(
          column.name, kind, collection: column.collection, isNullable: column.isNullable,
          target: column.target.flatMap { newKeys[$0] })
        places[i].columns.append(try transaction.addColumn(places[i].target, definition))
      }
    }
    for i in places.indices {
      for backlink in places[i].source.backlinks {
        places[i].backlinks.append(try hiddenColumn(for: backlink, of: places[i].target))
      }
    }
  }

  /// The hidden column for links; mixed columns have none of their own accord.
  private func hiddenColumn(
    for backlink: StoredBacklink, of target: TableKey
  ) throws(StorageError) -> ColumnKey? {
    guard let origin = places.first(where: { $0.source.key == backlink.originTable }),
      // In old files only the index of the column is known.
      let position = origin.source.columns.firstIndex(where: {
        $0.key.index == backlink.originColumn.index
      })
    else { return nil }
    let editor = try transaction.editor(target)
    let column = origin.columns[position]
    for hidden in editor.columns where hidden.isBacklink {
      if let opposite = editor.opposite(of: hidden), opposite == (origin.target, column) {
        return hidden.key
      }
    }
    return try transaction.addBacklinkColumn(to: editor, from: origin.target, column)
  }

  // MARK: Objects

  private func copyObjects(_ place: Place) throws(StorageError) {
    source.file.renewWork()
    let table = place.source
    let cursor = try TableCursor(table, columns: Array(table.columns.indices))
    let columnCount = table.columns.count
    var builder = ClusterBuilder()
    var keys: [UInt64] = []
    var cells: [[Cell]] = Array(repeating: [], count: columnCount + table.backlinks.count)
    while try cursor.next() {
      for row in 0..<cursor.count {
        let key = cursor.key(at: row)
        guard key.rawValue >= 0, key.rawValue < 1 << 62 else {
          throw .damage(.keyOrder, at: 0, found: Int(key.rawValue))
        }
        keys.append(UInt64(key.rawValue))
        for i in 0..<columnCount {
          cells[i].append(try cell(try cursor.value(i, at: row), table.columns[i]))
        }
        for (i, backlink) in table.backlinks.enumerated() where place.backlinks[i] != nil {
          cells[columnCount + i].append(try entry(backlink, cursor.storedRow(at: row), table))
        }
        if keys.count == ClusterTree.maximumCount || isLarge {
          try append(&keys, &cells, place, &builder)
        }
      }
    }
    let last = keys.last
    if !keys.isEmpty { try append(&keys, &cells, place, &builder) }
    guard builder.count > 0 else { return }
    try attach(builder, place)
    try setSequence(place, after: last)
  }

  /// Whether so much has been collected or made that the leaf is to be ended.
  private var isLarge: Bool {
    collectedByteCount > TableRebuilder.maximumCollectedByteCount || hasManyNodes
  }

  private var hasManyNodes: Bool {
    let region = transaction.store.region
    return region.filledByteCount - region.newStart > maximumByteCount
  }

  /// Makes a leaf from collected values.
  private func append(
    _ keys: inout [UInt64], _ cells: inout [[Cell]], _ place: Place,
    _ builder: inout ClusterBuilder
  ) throws(StorageError) {
    let (store, editor) = (transaction.store, try transaction.editor(place.target))
    var slots = Array(
      repeating: 0 as Int64, count: (editor.columns.map { $0.index }.max() ?? -1) + 1)
    for (i, key) in (place.columns.map { $0 } + place.backlinks).enumerated() {
      guard let key else { continue }
      slots[key.index] = try editor.clusterColumn(try editor.column(key)).leaf.make(cells[i])
      cells[i].removeAll(keepingCapacity: true)
    }
    // Hidden columns that the source does not have.
    for column in editor.columns where slots[column.index] == 0 {
      let slot = editor.clusterColumn(column)
      slots[column.index] = try slot.leaf.make(Array(repeating: slot.initial, count: keys.count))
    }
    try builder.append(keys, columns: slots, in: store)
    objectCount += keys.count
    keys.removeAll(keepingCapacity: true)
    collectedByteCount = 0
    guard onProgress(objectCount, objectTotal) else { throw .rejected(.interrupted) }
    guard hasManyNodes else { return }
    try attach(builder, place)
    try commit()
    let root = try transaction.editor(place.target).clusterRoot
    try builder.reload(root: root, in: transaction.store)
  }

  /// Gives the table the objects made so far.
  private func attach(_ builder: ClusterBuilder, _ place: Place) throws(StorageError) {
    let (store, editor) = (transaction.store, try transaction.editor(place.target))
    let old = editor.clusterRoot
    if try store.node(old).isInner {
      try ClusterBuilder.freeInner(old, in: store)
    } else if try ClusterTree(root: old, in: store.view).objectCount() == 0 {
      try store.freeTree(old)
    }
    editor.clusterRoot = try builder.makeRoot(in: store)
  }

  /// Makes the keys of objects to come follow the last one.
  ///
  /// Source: file-format-writing.md 8.4.
  private func setSequence(_ place: Place, after last: UInt64?) throws(StorageError) {
    guard let last = last.map({ Int64($0) }) else { return }
    let hasPrimaryKey = place.source.primaryKey != nil
    try transaction.editor(place.target).sequence =
      hasPrimaryKey ? last + 1 : ((last >> 16) + 1) << 8
  }

  // MARK: Values

  private func cell(_ value: StoredValue, _ column: StoredColumn) throws(StorageError) -> Cell {
    let store = transaction.store
    switch value {
    case .list(let list) where column.collection != .none:
      let elements = try list.values()
      guard !elements.isEmpty else { return .raw(0) }
      var cells: [Cell] = []
      cells.reserveCapacity(elements.count)
      for (i, element) in elements.enumerated() {
        cells.append(try nestedCell(element, key: Int64(i + 1)))
      }
      return .raw(try TreeEditor(store, elementType(column)).make(cells))
    case .dictionary(let dictionary) where column.collection != .none:
      let entries = try dictionary.entries()
      guard !entries.isEmpty else { return .raw(0) }
      var (keys, values) = ([] as [Cell], [] as [Cell])
      for (i, entry) in entries.enumerated() {
        keys.append(.value(.string([UInt8](entry.key))))
        values.append(try nestedCell(entry.value, key: Int64(i + 1)))
      }
      let roots = [
        try transaction.keyTree.make(keys), try transaction.mixedTree.make(values),
      ]
      return .raw(try store.makeIntegers(roots, .refs))
    case _ where column.collection != .none: throw .wrongType
    default: return try nestedCell(value, key: 1)
    }
  }

  private func elementType(_ column: StoredColumn) throws(StorageError) -> LeafType {
    guard let kind = column.kind else { throw .wrongType }
    // Links are written by key, whatever they lead to.
    let isNullable = kind == .mixed || kind != .link && column.isNullable
    return LeafType(
      layout: TableReader.layout(kind, column.collection), isNullable: isNullable,
      target: column.target.flatMap { newKeys[$0] })
  }

  /// The cell for a value that can be a collection, if it is mixed.
  private func nestedCell(_ value: StoredValue, key: Int64) throws(StorageError) -> Cell {
    switch value {
    case .list, .dictionary: try transaction.makeCell(try mixed(value), key: key)
    default: .value(try scalar(value))
    }
  }

  private func mixed(_ value: StoredValue) throws(StorageError) -> MixedValue {
    switch value {
    case .list(let list):
      var values: [MixedValue] = []
      for element in try list.values() { values.append(try mixed(element)) }
      return .list(values)
    case .dictionary(let dictionary):
      var entries: [(key: [UInt8], value: MixedValue)] = []
      for entry in try dictionary.entries() {
        entries.append((key: [UInt8](entry.key), value: try mixed(entry.value)))
      }
      return .dictionary(entries)
    default: return .scalar(try scalar(value))
    }
  }

  private func scalar(_ value: StoredValue) throws(StorageError) -> ScalarValue {
    guard let scalar = value.scalar else { throw .wrongType }
    switch value {
    case .string(let bytes), .data(let bytes): collectedByteCount += bytes.count
    default: break
    }
    guard case .link(let table, let object) = scalar else { return scalar }
    guard let target = newKeys[table] else { throw .rejected(.noTable) }
    return .link(target, object)
  }

  /// The stored number for the objects that link to an object.
  private func entry(
    _ backlink: StoredBacklink, _ row: StoredRow, _ table: StoredTable
  ) throws(StorageError) -> Cell {
    var origins: [Cell] = []
    try table.forEachBacklink(backlink, to: row) { (origin) throws(StorageError) in
      // Objects that do not exist yet do not stand in the file any more.
      if origin.rawValue >= 0 { origins.append(.value(.int(origin.rawValue))) }
    }
    guard origins.count > 1 else {
      guard case .value(.int(let key)) = origins.first else { return .raw(0) }
      return .raw(SearchIndex.element(for: ObjectKey(key)))
    }
    return .raw(try TreeEditor(integersIn: transaction.store).make(origins))
  }

  // MARK: Indexes

  /// Builds the indexes, one in a transaction.
  private func buildIndexes() throws(StorageError) {
    for place in places {
      for (i, column) in place.source.columns.enumerated() {
        let key = place.columns[i]
        if column.hasFullTextIndex {
          try transaction.addFullTextIndex(place.target, key)
        } else if column.isMarkedIndexed {
          try transaction.addIndex(place.target, key)
        }
        if place.source.primaryKey == i { try transaction.setPrimaryKey(place.target, key) }
        let isIndexed =
          column.hasFullTextIndex || column.isMarkedIndexed || place.source.primaryKey == i
        if isIndexed { try commit() }
      }
    }
    try transaction.commit()
  }
}
