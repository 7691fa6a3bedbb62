import ByteKernels
import RealmValues

/// Looks for objects that no inner node leads to any more.
///
/// A cluster leaf that nothing leads to belongs to a table with missing objects if it has its
/// columns, and to no other such table. What lies in free ranges is old and is passed over. The keys
/// of its objects, which the lost inner node told, are found by a search index of the table, or by
/// the links that lead to the objects.
struct LeafSearch {
  private let salvage: Salvage
  private let view: FileView
  private let free: FreeSpace
  private let onProgress: (Int, Int) -> Bool
  /// Positions of the tables with missing objects.
  private let wanted: [Int]
  /// Offsets of the leaves that were reached.
  private var known: Set<Int>

  init(_ salvage: Salvage, wanted: [Int], onProgress: @escaping (Int, Int) -> Bool) {
    (self.salvage, self.wanted, self.onProgress) = (salvage, wanted, onProgress)
    let snapshot = salvage.source.snapshot
    // A snapshot that was read has bytes.
    view = salvage.tables[wanted[0]].table.view
    free = FreeSpace(ofTop: Int64(bitPattern: snapshot.topRef), in: view)
    known = Set(
      salvage.tables.flatMap { $0.blocks.compactMap { $0.cluster?.node.offset } })
  }

  /// Gives the tables what is found.
  ///
  /// - Throws: `rejected(.interrupted)`.
  mutating func run() throws(StorageError) {
    try view.forEachReadablePlace(onProgress) { offset in
      let flags = view.base.load(fromByteOffset: offset + 4, as: UInt8.self)
      // With refs, not inner, elements of 4 bits at least.
      if flags >= 0x43, flags <= 0x47, !known.contains(offset),
        free.firstRange(overlapping: offset, offset + 8) == nil
      {
        adopt(offset)
      }
    }
    for index in wanted { salvage.tables[index].sortBlocks() }
  }

  /// Gives a leaf to the only table that it can belong to.
  private func adopt(_ offset: Int) {
    view.memory.takeUnretainedValue().renewWork()
    guard let node = try? view.refs(at: Int64(offset), minimumCount: 2),
      let leaf = try? ClusterTree.Leaf(node, base: 0, in: view), leaf.count > 0,
      (1..<leaf.count).allSatisfy({ leaf.key(at: $0 - 1) < leaf.key(at: $0) })
    else { return }
    let fitting = wanted.filter { fits(leaf, salvage.tables[$0].table) }
    guard fitting.count == 1, let index = fitting.first else { return }
    let salvaged = salvage.tables[index]
    guard let base = base(of: leaf, index) else { return }
    let keyed = ClusterTree.Leaf(leaf, base: base)
    let isFree = (0..<keyed.count).allSatisfy { row in
      let key = keyed.key(at: row)
      return key < UInt64(Int64.max) && !salvaged.hasAdopted(key) && salvaged.find(key) == nil
    }
    if isFree { salvaged.adopt(keyed) }
  }

  /// Whether a leaf has all columns of a table, and no others.
  private func fits(_ leaf: ClusterTree.Leaf, _ table: StoredTable) -> Bool {
    guard !table.columns.isEmpty else { return false }
    var slots: Set<Int> = [0]
    for column in table.columns {
      guard
        (try? StoredTable.leaf(column.leafType, slot: column.slot, of: leaf, in: view)) != nil
      else { return false }
      slots.insert(column.slot + 1)
    }
    let type = LeafType(layout: .backlink, isNullable: false)
    for backlink in table.backlinks {
      guard (try? StoredTable.leaf(type, slot: backlink.slot, of: leaf, in: view)) != nil else {
        return false
      }
      slots.insert(backlink.slot + 1)
    }
    return (0..<leaf.node.count).allSatisfy { slots.contains($0) || leaf.node[$0] == 0 }
  }

  // MARK: Keys

  /// Objects of a leaf that are looked at for the keys of all.
  private static let sampleCount = 32

  /// What the relative keys of a leaf count from; nil if nothing tells it.
  private func base(of leaf: ClusterTree.Leaf, _ index: Int) -> UInt64? {
    var votes: [UInt64: Int] = [:]
    let table = salvage.tables[index].table
    let step = max(1, leaf.count / LeafSearch.sampleCount)
    for row in stride(from: 0, to: leaf.count, by: step) {
      for key in indexedKeys(leaf, row, table) + linkedKeys(leaf, row, table) {
        votes[key &- leaf.key(at: row), default: 0] += 1
      }
    }
    guard let best = votes.max(by: { $0.value < $1.value }) else { return nil }
    let isAlone = votes.allSatisfy { $0.key == best.key || $0.value < best.value }
    return isAlone ? best.key : nil
  }

  /// The keys that search indexes have for the values of an object, where they have one.
  private func indexedKeys(
    _ leaf: ClusterTree.Leaf, _ row: Int, _ table: StoredTable
  ) -> [UInt64] {
    table.columns.indices.compactMap { position in
      let column = table.columns[position]
      guard column.indexRoot != 0,
        let values = try? StoredTable.leaf(
          column.leafType, slot: column.slot, of: leaf, in: view),
        let value = (try? table.value(of: column, in: values, at: row))?.scalar,
        case .one(let key)? = (try? table.candidates(column: position, value: value)) ?? nil
      else { return nil }
      return UInt64(bitPattern: key.rawValue)
    }
  }

  /// The keys that the objects with links to an object have in them.
  private func linkedKeys(
    _ leaf: ClusterTree.Leaf, _ row: Int, _ table: StoredTable
  ) -> [UInt64] {
    var result: [UInt64] = []
    let type = LeafType(layout: .backlink, isNullable: false)
    for backlink in table.backlinks {
      guard let origin = salvage.position(of: backlink.originTable),
        let position = salvage.tables[origin].table.columns.firstIndex(where: {
          $0.key == backlink.originColumn
        }),
        case .refs(let refs)? = try? StoredTable.leaf(
          type, slot: backlink.slot, of: leaf, in: view)
      else { continue }
      var origins: [ObjectKey] = []
      try? table.forEachBacklink(inEntry: refs.packed[refs.first + row]) {
        (origin) throws(StorageError) in
        guard origins.count < LeafSearch.sampleCount else { throw .rejected(.interrupted) }
        origins.append(origin)
      }
      for key in origins where key.rawValue >= 0 {
        let salvaged = salvage.tables[origin]
        guard let place = salvaged.find(UInt64(key.rawValue)) else { continue }
        var reader = BlockReader(salvaged, salvaged.blocks[place.block])
        guard let value = try? reader.value(position, at: place.row) else { continue }
        salvage.forEachLink(in: value) { target, object in
          if target == table.key { result.append(UInt64(bitPattern: object.rawValue)) }
        }
      }
    }
    return result
  }
}

extension ClusterTree.Leaf {
  /// The same leaf with keys that count from another number.
  init(_ other: ClusterTree.Leaf, base: UInt64) {
    (node, count, keys) = (other.node, other.count, other.keys)
    self.base = base
  }
}
