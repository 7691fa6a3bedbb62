import ByteKernels
import RealmValues

/// Builds a new database from what was saved, leaf by leaf.
///
/// Links lead only to objects that are saved, and the links back are made from them. Every now and
/// then what was made is committed, which bounds the memory.
final class RecoveryBuilder {
  /// A table and its place in the new database.
  struct Place {
    let key: TableKey
    /// By position of the column; nil for one that cannot be made.
    var columns: [ColumnKey?] = []
    var incoming: [Incoming] = []
  }

  /// A hidden column, and where its links come from.
  struct Incoming {
    let hidden: ColumnKey
    let origin: Int
    let column: Int
  }

  /// How many bytes of new nodes are kept in memory.
  private static let maximumByteCount = 64 << 20
  /// How many bytes of texts and binaries one leaf gets.
  private static let maximumCollectedByteCount = 16 << 20

  private let salvage: Salvage
  private let database: Database
  private let onProgress: (Int, Int) -> Bool
  private var transaction: WriteTransaction
  private var places: [Place] = []
  private var doneCount = 0
  private let totalCount: Int

  init(
    _ salvage: Salvage, into database: Database, onProgress: @escaping (Int, Int) -> Bool
  ) throws(StorageError) {
    (self.salvage, self.database, self.onProgress) = (salvage, database, onProgress)
    totalCount = salvage.tables.reduce(0) { $0 + $1.count }
    transaction = try database.beginWrite()
  }

  /// Builds everything.
  func run() throws(StorageError) {
    try makeTables()
    for index in salvage.tables.indices { try copyObjects(index) }
    try buildIndexes()
    if !salvage.tables.contains(where: { $0.table.name == "metadata" }),
      salvage.source.snapshot.brokenTables.contains(where: { $0.name == "metadata" })
    {
      try transaction.setSchemaVersion(0)
    }
    try transaction.commit()
  }

  private func commit() throws(StorageError) {
    try transaction.commit()
    transaction = try database.beginWrite()
  }

  // MARK: Tables and columns

  private func makeTables() throws(StorageError) {
    for (index, salvaged) in salvage.tables.enumerated() {
      let key: TableKey
      do throws(StorageError) {
        key = try transaction.createTable(salvaged.table.name, kind: salvaged.table.kind)
      } catch .rejected(.badName) {
        key = try transaction.createTable("class_Recovered_\(index)", kind: salvaged.table.kind)
      }
      places.append(Place(key: key))
    }
    for (index, salvaged) in salvage.tables.enumerated() {
      for (position, column) in salvaged.table.columns.enumerated() {
        places[index].columns.append(try makeColumn(column, position, index))
      }
    }
    for (index, salvaged) in salvage.tables.enumerated() {
      for (position, column) in salvaged.table.columns.enumerated() where column.kind == .link {
        guard let target = column.target.flatMap({ salvage.position(of: $0) }) else { continue }
        try addIncoming(index, position, to: target)
      }
    }
    for route in salvage.mixedTargets.sorted(by: {
      ($0.target, $0.origin, $0.column) < ($1.target, $1.origin, $1.column)
    }) {
      try addIncoming(route.origin, route.column, to: route.target)
    }
  }

  private func makeColumn(
    _ column: StoredColumn, _ position: Int, _ index: Int
  ) throws(StorageError) -> ColumnKey? {
    guard let kind = column.kind, kind != .typedLink else { return nil }
    let target = column.target.flatMap { salvage.position(of: $0) }.map { places[$0].key }
    guard kind != .link || target != nil else {
      salvage.tables[index].report.lostProperties.append((column.name, .rejected(.noTable)))
      return nil
    }
    var definition = ColumnDefinition(
      column.name, kind, collection: column.collection, isNullable: column.isNullable,
      target: target)
    do throws(StorageError) {
      return try transaction.addColumn(places[index].key, definition)
    } catch .rejected(.badName) {
      definition.name = "column_\(position + 1)"
      return try transaction.addColumn(places[index].key, definition)
    } catch .rejected(.wrongType) {
      salvage.tables[index].report.lostProperties.append((column.name, .wrongType))
      return nil
    }
  }

  /// Finds or makes the hidden column for the links of a column.
  private func addIncoming(
    _ origin: Int, _ position: Int, to target: Int
  ) throws(StorageError) {
    guard let column = places[origin].columns[position] else { return }
    let editor = try transaction.editor(places[target].key)
    for hidden in editor.columns where hidden.isBacklink {
      if let opposite = editor.opposite(of: hidden), opposite == (places[origin].key, column) {
        places[target].incoming.append(
          Incoming(hidden: hidden.key, origin: origin, column: position))
        return
      }
    }
    let hidden = try transaction.addBacklinkColumn(to: editor, from: places[origin].key, column)
    places[target].incoming.append(Incoming(hidden: hidden, origin: origin, column: position))
  }

  // MARK: Objects

  /// A link: the object it leads to and the one it is in.
  private struct Pair {
    let target: UInt64
    let origin: UInt64
  }

  /// The links that come in through a column, by target.
  private func pairs(
    _ incoming: Incoming, to index: Int
  ) throws(StorageError) -> [Pair] {
    var pairs: [Pair] = []
    let maker = CellMaker(salvage, places.map(\.key), transaction)
    let origin = salvage.tables[incoming.origin]
    let column = origin.table.columns[incoming.column]
    try salvage.forEachKept(origin) { (reader, row, _) throws(StorageError) in
      guard let value = try? reader.value(incoming.column, at: row) else { return }
      let key = reader.block.key(at: row)
      maker.begin(
        SalvagedTable.Owner(
          table: Int32(incoming.origin), column: Int32(incoming.column), key: key), column)
      maker.forEachLink(in: value) { target, object in
        if target == index { pairs.append(Pair(target: object, origin: key)) }
      }
    }
    pairs.sort { ($0.target, $0.origin) < ($1.target, $1.origin) }
    return pairs
  }

  /// What is being collected for a leaf.
  private struct Collected {
    var keys: [UInt64] = []
    var cells: [[Cell]]
    /// Objects that have lost nothing.
    var wholeCount = 0

    init(_ columnCount: Int) { cells = Array(repeating: [], count: columnCount) }
  }

  private func copyObjects(_ index: Int) throws(StorageError) {
    let salvaged = salvage.tables[index]
    var incoming: [(pairs: [Pair], next: Int)] = []
    for entry in places[index].incoming { incoming.append((try pairs(entry, to: index), 0)) }
    let columnCount = salvaged.table.columns.count
    var collected = Collected(columnCount + incoming.count)
    var builder = ClusterBuilder()
    var last: UInt64?
    var maker = CellMaker(salvage, places.map(\.key), transaction)
    try salvage.forEachKept(salvaged) { (reader, row, _) throws(StorageError) in
      let key = reader.block.key(at: row)
      last = key
      collected.keys.append(key)
      maker.beginObject()
      for position in 0..<columnCount where places[index].columns[position] != nil {
        maker.begin(
          SalvagedTable.Owner(table: Int32(index), column: Int32(position), key: key),
          salvaged.table.columns[position], at: reader.offset(of: position))
        collected.cells[position].append(cell(&reader, position, row, maker))
      }
      for i in incoming.indices {
        collected.cells[columnCount + i].append(try entry(of: key, &incoming[i]))
      }
      if count(maker, reader.block, salvaged) { collected.wholeCount += 1 }
      let isFull =
        collected.keys.count == ClusterTree.maximumCount
        || maker.byteCount > RecoveryBuilder.maximumCollectedByteCount || hasManyNodes
      guard isFull else { return }
      try append(&collected, index, &builder)
      maker = CellMaker(salvage, places.map(\.key), transaction)
    }
    if !collected.keys.isEmpty { try append(&collected, index, &builder) }
    guard builder.count > 0 else { return }
    try attach(builder, index)
    if let last { try setSequence(index, after: last) }
  }

  /// Notes how an object was saved; gives whether it has lost nothing.
  private func count(
    _ maker: CellMaker, _ block: SalvagedTable.Block, _ salvaged: SalvagedTable
  ) -> Bool {
    salvaged.report.saved += 1
    if block.isOlder { salvaged.report.older += 1 }
    if !maker.places.isEmpty {
      salvaged.report.incomplete += 1
      for place in maker.places { salvaged.report.addDamage(place) }
    } else if maker.hasLostLinks {
      salvaged.report.unlinked += 1
    } else {
      return true
    }
    return false
  }

  /// The new value of a column; its initial value where it cannot be read.
  private func cell(
    _ reader: inout BlockReader, _ position: Int, _ row: Int, _ maker: CellMaker
  ) -> Cell {
    do throws(StorageError) {
      return try maker.cell(try reader.value(position, at: row))
    } catch {
      maker.note(RecoveryReport.Place(error, at: reader.offset(of: position)))
      return maker.initial
    }
  }

  private var hasManyNodes: Bool {
    let region = transaction.store.region
    return region.filledByteCount - region.newStart > RecoveryBuilder.maximumByteCount
  }

  /// The stored number for the objects that link to an object.
  private func entry(
    of key: UInt64, _ incoming: inout (pairs: [Pair], next: Int)
  ) throws(StorageError) -> Cell {
    var origins: [Cell] = []
    while incoming.next < incoming.pairs.count, incoming.pairs[incoming.next].target <= key {
      let pair = incoming.pairs[incoming.next]
      if pair.target == key { origins.append(.value(.int(Int64(pair.origin)))) }
      incoming.next += 1
    }
    guard origins.count > 1 else {
      guard case .value(.int(let origin)) = origins.first else { return .raw(0) }
      return .raw(SearchIndex.element(for: ObjectKey(origin)))
    }
    return .raw(try TreeEditor(integersIn: transaction.store).make(origins))
  }

  /// Makes a leaf from collected values.
  private func append(
    _ collected: inout Collected, _ index: Int, _ builder: inout ClusterBuilder
  ) throws(StorageError) {
    let place = places[index]
    let (store, editor) = (transaction.store, try transaction.editor(place.key))
    var slots = Array(
      repeating: 0 as Int64, count: (editor.columns.map { $0.index }.max() ?? -1) + 1)
    for (i, key) in (place.columns + place.incoming.map { $0.hidden }).enumerated() {
      guard let key else { continue }
      let slot = editor.clusterColumn(try editor.column(key))
      do throws(StorageError) {
        slots[key.index] = try slot.leaf.make(collected.cells[i])
      } catch .rejected(let reason) where reason == .wrongType || reason == .valueTooLong {
        // The description of the column does not fit its values.
        slots[key.index] = try slot.leaf.make(
          Array(repeating: slot.initial, count: collected.keys.count))
        salvage.tables[index].report.incomplete += collected.wholeCount
        collected.wholeCount = 0
        salvage.tables[index].report.addDamage(RecoveryReport.Place(.badValue, at: nil))
      }
      collected.cells[i].removeAll(keepingCapacity: true)
    }
    for column in editor.columns where slots[column.index] == 0 {
      let slot = editor.clusterColumn(column)
      slots[column.index] = try slot.leaf.make(
        Array(repeating: slot.initial, count: collected.keys.count))
    }
    try builder.append(collected.keys, columns: slots, in: store)
    doneCount += collected.keys.count
    collected.keys.removeAll(keepingCapacity: true)
    collected.wholeCount = 0
    guard onProgress(doneCount, max(totalCount, 1)) else { throw .rejected(.interrupted) }
    guard hasManyNodes else { return }
    try attach(builder, index)
    try commit()
    try builder.reload(
      root: try transaction.editor(place.key).clusterRoot, in: transaction.store)
  }

  /// Gives the table the objects made so far.
  private func attach(_ builder: ClusterBuilder, _ index: Int) throws(StorageError) {
    let (store, editor) = (transaction.store, try transaction.editor(places[index].key))
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
  private func setSequence(_ index: Int, after last: UInt64) throws(StorageError) {
    let key = Int64(bitPattern: last)
    try transaction.editor(places[index].key).sequence =
      salvage.tables[index].table.primaryKey != nil ? key &+ 1 : ((key >> 16) + 1) << 8
  }

  // MARK: Indexes

  private func buildIndexes() throws(StorageError) {
    for (index, salvaged) in salvage.tables.enumerated() {
      for (position, column) in salvaged.table.columns.enumerated() {
        guard let key = places[index].columns[position] else { continue }
        do throws(StorageError) {
          if column.hasFullTextIndex {
            try transaction.addFullTextIndex(places[index].key, key)
          } else if column.isMarkedIndexed {
            try transaction.addIndex(places[index].key, key)
          }
          if salvaged.table.primaryKey == position {
            try transaction.setPrimaryKey(places[index].key, key)
          }
        } catch .rejected(let reason)
          where [.noColumn, .wrongType, .valueTooLong].contains(reason)
        {
          // Columns of this type, or with such texts, have no index and are no primary key.
        } catch .rejected(.duplicatePrimaryKey) {
          // Values that did not fit their damaged description were replaced: there is no key.
        }
        guard onProgress(doneCount, max(totalCount, 1)) else { throw .rejected(.interrupted) }
        if hasManyNodes { try commit() }
      }
    }
  }
}
