import ByteKernels
import RealmValues

/// What can be saved of all tables: which objects, and what embedded ones belong to.
final class Salvage {
  let source: RecoverySource
  private(set) var tables: [SalvagedTable] = []
  private var positions: [TableKey: Int] = [:]
  /// Tables that columns of mixed values lead to, by origin and position of the column.
  private(set) var mixedTargets: Set<Route> = []
  private let onProgress: (Int, Int) -> Bool

  /// Links from a column of mixed values to a table.
  struct Route: Hashable {
    let origin: Int
    let column: Int
    let target: Int
  }

  /// Finds out what can be saved.
  ///
  /// - Throws: `rejected(.interrupted)`.
  init(
    _ source: RecoverySource, onProgress: @escaping (Int, Int) -> Bool
  ) throws(StorageError) {
    (self.source, self.onProgress) = (source, onProgress)
    for table in source.snapshot.tables where Salvage.isKept(table, source.snapshot) {
      try goOn(tables.count)
      positions[table.key] = tables.count
      tables.append(SalvagedTable(table))
    }
    for broken in source.snapshot.brokenTables {
      guard let table = source.older?.table(named: broken.name), positions[table.key] == nil,
        Salvage.isKept(table, source.snapshot)
      else { continue }
      positions[table.key] = tables.count
      tables.append(SalvagedTable(table, isOlder: true))
    }
    let wanted = tables.indices.filter { tables[$0].hasHoles }
    if !wanted.isEmpty {
      var search = LeafSearch(self, wanted: wanted, onProgress: onProgress)
      try search.run()
    }
    for salvaged in tables {
      if let older = source.older?.table(named: salvaged.table.name) { salvaged.fill(from: older) }
      salvaged.finish()
    }
    for table in tables { try choose(from: table) }
    try findOwners()
  }

  /// Whether a table goes into the new file: not what belongs to synchronisation.
  private static func isKept(_ table: StoredTable, _ snapshot: Snapshot) -> Bool {
    if snapshot.format?.hasColumnLayout ?? false, table.name == "pk" { return false }
    return !table.isForSynchronisation
  }

  /// The position of the table with a key; nil if it is not saved.
  func position(of key: TableKey) -> Int? { positions[key] }

  private func goOn(_ done: Int) throws(StorageError) {
    guard onProgress(done, max(source.snapshot.tables.count, 1)) else {
      throw .rejected(.interrupted)
    }
  }

  // MARK: Objects

  /// Keys that an index can be built for are below; others nearly always come from damage.
  private static let indexedKeyLimit: UInt64 = 1 << 62

  /// Keeps the objects that have a primary key of their own, or any value.
  private func choose(from salvaged: SalvagedTable) throws(StorageError) {
    let table = salvaged.table
    let isIndexed = table.primaryKey != nil || table.columns.contains { $0.isMarkedIndexed }
    var known: [UInt64: (block: Int, row: Int)] = [:]
    for (index, block) in salvaged.blocks.enumerated() {
      guard onProgress(0, 1) else { throw .rejected(.interrupted) }
      var reader = BlockReader(salvaged, block)
      for row in 0..<block.count {
        do throws(StorageError) {
          if isIndexed, block.key(at: row) >= Salvage.indexedKeyLimit {
            throw .damage(.keyOrder, at: block.cluster?.node.offset ?? 0)
          }
          if let primaryKey = table.primaryKey {
            let value = try reader.value(primaryKey, at: row)
            if let place = Salvage.problem(of: value, at: reader.offset(of: primaryKey)) {
              salvaged.report.addLoss(place)
              continue
            }
            let hash = KeyHash.of(value)
            if let other = known[hash], Salvage.isEqual(value, salvaged, other, primaryKey) {
              salvaged.report.addLoss(
                RecoveryReport.Place(
                  .duplicatePrimaryKey, at: block.cluster?.node.offset))
              guard Salvage.isIndexed(value, salvaged, block.key(at: row)) else { continue }
              salvaged.kept.remove(salvaged.starts[other.block] + other.row)
            }
            known[hash] = (index, row)
          } else if let failure = Salvage.failureOfAll(&reader, row) {
            throw failure
          }
          let number = salvaged.starts[index] + row
          salvaged.kept.insert(from: number, to: number + 1)
        } catch {
          salvaged.report.addLoss(RecoveryReport.Place(error, at: block.cluster?.node.offset))
        }
      }
    }
  }

  /// What makes a primary key unusable.
  private static func problem(
    of value: StoredValue, at offset: Int?
  ) -> RecoveryReport.Place? {
    guard case .string(let bytes) = value, firstInvalidUTF8(in: bytes) != nil else { return nil }
    return RecoveryReport.Place(.badText, at: offset)
  }

  /// Whether the search index has an object for its primary key: then another one with the same key
  /// has got it by damage.
  private static func isIndexed(
    _ value: StoredValue, _ salvaged: SalvagedTable, _ key: UInt64
  ) -> Bool {
    guard let position = salvaged.table.primaryKey, let scalar = value.scalar,
      case .one(let found)? = try? salvaged.table.candidates(column: position, value: scalar)
    else { return false }
    return UInt64(bitPattern: found.rawValue) == key
  }

  private static func isEqual(
    _ value: StoredValue, _ salvaged: SalvagedTable, _ other: (block: Int, row: Int),
    _ primaryKey: Int
  ) -> Bool {
    var reader = BlockReader(salvaged, salvaged.blocks[other.block])
    guard let known = try? reader.value(primaryKey, at: other.row) else { return false }
    return known.scalar == value.scalar
  }

  /// Why nothing of an object can be read; nil if something can.
  private static func failureOfAll(_ reader: inout BlockReader, _ row: Int) -> StorageError? {
    var failure: StorageError?
    for position in reader.salvaged.table.columns.indices {
      do throws(StorageError) {
        _ = try reader.value(position, at: row)
        return nil
      } catch {
        failure = failure ?? error
      }
    }
    return failure
  }

  // MARK: Links

  /// Calls `body` for the saved objects of a table.
  func forEachKept(
    _ salvaged: SalvagedTable,
    _ body: (inout BlockReader, _ row: Int, _ number: Int) throws(StorageError) -> Void
  ) throws(StorageError) {
    for (index, block) in salvaged.blocks.enumerated() {
      guard onProgress(0, 1) else { throw .rejected(.interrupted) }
      var reader = BlockReader(salvaged, block)
      for row in 0..<block.count {
        let number = salvaged.starts[index] + row
        if salvaged.kept.contains(number) { try body(&reader, row, number) }
      }
    }
  }

  /// Calls `body` for the links in a value, as far as it can be read.
  func forEachLink(
    in value: StoredValue, depth: Int = 0, _ body: (TableKey, ObjectKey) -> Void
  ) {
    guard depth <= StoredList.maximumDepth else { return }
    switch value {
    case .link(let table, let key): body(table, key)
    case .list(let list):
      for element in SalvagedElements(of: list).values {
        forEachLink(in: element, depth: depth + 1, body)
      }
    case .dictionary(let dictionary):
      for entry in (try? dictionary.entries()) ?? [] {
        forEachLink(in: entry.value, depth: depth + 1, body)
      }
    default: break
    }
  }

  /// Whether a column can hold links.
  static func canLink(_ column: StoredColumn) -> Bool {
    column.kind == .link || column.kind == .mixed
  }

  /// The table and the object of a link; nil if the object is not saved.
  func target(_ table: TableKey, _ key: ObjectKey) -> (position: Int, number: Int)? {
    guard key.rawValue >= 0, let position = positions[table],
      let number = tables[position].number(of: UInt64(key.rawValue)),
      tables[position].kept.contains(number)
    else { return nil }
    return (position, number)
  }

  /// Whether an embedded object belongs to a column of an object.
  func isOwned(_ target: (position: Int, number: Int), by owner: SalvagedTable.Owner) -> Bool {
    let owners = tables[target.position].owners
    guard owners.indices.contains(target.number), let known = owners[target.number] else {
      return false
    }
    return known.table == owner.table && known.column == owner.column && known.key == owner.key
  }

  /// Finds the owner of each embedded object, the first one that leads to it; gives up the others.
  /// Also finds where mixed values lead to.
  private func findOwners() throws(StorageError) {
    var pending: [(table: Int, number: Int)] = []
    for (index, salvaged) in tables.enumerated() where salvaged.table.kind != .embedded {
      let columns = linkColumns(of: salvaged)
      guard !columns.isEmpty else { continue }
      try forEachKept(salvaged) { (reader, row, _) throws(StorageError) in
        claim(&reader, row, index, columns, &pending)
      }
    }
    let columnsByTable = tables.map { linkColumns(of: $0) }
    while let next = pending.popLast() {
      let salvaged = tables[next.table]
      let columns = columnsByTable[next.table]
      guard !columns.isEmpty else { continue }
      let block = salvaged.block(of: next.number)
      var reader = BlockReader(salvaged, salvaged.blocks[block])
      claim(&reader, next.number - salvaged.starts[block], next.table, columns, &pending)
    }
    for salvaged in tables where salvaged.table.kind == .embedded {
      var kept = BitSet(count: salvaged.count)
      for (number, owner) in salvaged.owners.enumerated() where owner != nil {
        kept.insert(from: number, to: number + 1)
      }
      salvaged.kept = kept
    }
  }

  /// Columns that have to be looked at for owners and routes.
  private func linkColumns(of salvaged: SalvagedTable) -> [Int] {
    salvaged.table.columns.indices.filter { position in
      let column = salvaged.table.columns[position]
      guard column.kind == .link else { return column.kind == .mixed }
      return column.target.flatMap { positions[$0] }.map {
        tables[$0].table.kind == .embedded
      } ?? false
    }
  }

  private func claim(
    _ reader: inout BlockReader, _ row: Int, _ index: Int, _ columns: [Int],
    _ pending: inout [(table: Int, number: Int)]
  ) {
    let key = reader.block.key(at: row)
    for position in columns {
      guard let value = try? reader.value(position, at: row) else { continue }
      let column = reader.salvaged.table.columns[position]
      let isMixed = column.kind == .mixed
      forEachLink(in: value) { table, object in
        guard isMixed || table == column.target, let target = target(table, object) else { return }
        if isMixed {
          mixedTargets.insert(Route(origin: index, column: position, target: target.position))
        } else if tables[target.position].owners.indices.contains(target.number),
          tables[target.position].owners[target.number] == nil
        {
          tables[target.position].owners[target.number] = SalvagedTable.Owner(
            table: Int32(index), column: Int32(position), key: key)
          pending.append((target.position, target.number))
        }
      }
    }
  }
}

/// The elements of a list or set, as far as they can be read.
struct SalvagedElements {
  private(set) var values: [StoredValue] = []
  /// Why some cannot be read.
  private(set) var failure: StorageError?

  init(of list: StoredList) {
    guard list.ref != 0 else { return }
    do throws(StorageError) {
      var visited: Set<Int64> = []
      collect(try list.treeRoot(), list, &visited, level: 0)
    } catch {
      failure = error
    }
    if list.needsSorting { values.sort { StoredValue.totalOrder($0, $1) < 0 } }
  }

  private mutating func collect(
    _ ref: Int64, _ list: StoredList, _ visited: inout Set<Int64>, level: Int
  ) {
    do throws(StorageError) {
      let node = try list.view.node(at: ref)
      guard level <= BPlusTreeCursor.maximumDepth else {
        throw .damage(.badDepth, at: node.offset, found: level, limit: BPlusTreeCursor.maximumDepth)
      }
      guard node.isInner else {
        return try collect(try ColumnLeaf(node, list.type, in: list.view), node, list)
      }
      try list.view.charge(node)
      guard visited.insert(ref).inserted else { throw .damage(.cyclicRefs, at: node.offset) }
      guard node.hasRefs, node.scheme == .bits, node.count >= 3 else {
        throw .damage(.wrongNodeKind, at: node.offset, found: Int(node.flags))
      }
      for slot in 1..<(node.count - 1) {
        do throws(StorageError) {
          collect(try list.view.ref(node, slot), list, &visited, level: level + 1)
        } catch {
          failure = failure ?? error
        }
      }
    } catch {
      failure = failure ?? error
    }
  }

  private mutating func collect(
    _ leaf: ColumnLeaf, _ node: NodeView, _ list: StoredList
  ) throws(StorageError) {
    // Lists that share leaves could have more elements than the file has bytes.
    try list.view.charge(1 + leaf.count / 8, at: node.offset)
    for row in 0..<leaf.count {
      do throws(StorageError) {
        let value = try leaf.value(at: row)
        if list.type.layout == .key, case .null = value { continue }
        values.append(value)
      } catch {
        failure = failure ?? error
      }
    }
  }
}
