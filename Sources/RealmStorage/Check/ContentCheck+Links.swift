import ByteKernels
import RealmValues

/// The way from a column of links to a table.
struct LinkRoute: Hashable {
  var origin: TableKey
  /// Index of the column, which is part of its key in all versions.
  var column: Int
  var target: TableKey
}

/// One link.
struct LinkPair: Comparable {
  var target: Int64
  var origin: Int64

  static func < (a: LinkPair, b: LinkPair) -> Bool {
    a.target != b.target ? a.target < b.target : a.origin < b.origin
  }

  /// A number whose sum tells sets of pairs apart.
  var hash: UInt64 {
    ContentCheck.mix(ContentCheck.mix(UInt64(bitPattern: target)) ^ UInt64(bitPattern: origin))
  }
}

/// The number of links of a route and the sum of their hashes, from both ends.
struct LinkTally {
  var links = 0
  var linkSum: UInt64 = 0
  var backlinks = 0
  var backlinkSum: UInt64 = 0
}

extension ContentCheck {
  /// Spreads the bits of a number; the sum of such numbers tells sets apart.
  static func mix(_ number: UInt64) -> UInt64 {
    var mixed = number &+ 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Checks that the target of a link exists, and counts the link.
  func checkLink(to target: TableKey, _ key: ObjectKey, from column: StoredColumn) {
    guard let table, let origin = object else { return }
    let route = LinkRoute(origin: table.key, column: column.key.index, target: target)
    let pair = LinkPair(target: key.rawValue, origin: origin.rawValue)
    if let collected {
      if collected == route { pairs.append(pair) }
      return
    }
    guard let other = snapshot.table(target) else { return add(.missingTable(target)) }
    // A tree that cannot be read is reported where it is walked.
    if case .some(.none) = try? other.row(of: key) { return add(.missingObject(target, key)) }
    tallies[route, default: LinkTally()].links += 1
    tallies[route, default: LinkTally()].linkSum &+= pair.hash
  }

  /// Counts the backlinks of a table, and the owners of embedded objects.
  func checkBacklinks(of table: StoredTable) {
    var owners: [ObjectKey: Int] = [:]
    let isEmbedded = table.kind == .embedded
    for backlink in table.backlinks where isRunning {
      column = nil
      renewWork()
      let route = LinkRoute(
        origin: backlink.originTable, column: backlink.originColumn.index, target: table.key)
      forEachBacklink(backlink, of: table) { (pair) in
        tallies[route, default: LinkTally()].backlinks += 1
        tallies[route, default: LinkTally()].backlinkSum &+= pair.hash
        if isEmbedded { owners[ObjectKey(pair.target), default: 0] += 1 }
      }
    }
    guard isEmbedded, isRunning else { return }
    renewWork()
    checkOwners(of: table, owners)
  }

  private func checkOwners(of table: StoredTable, _ owners: [ObjectKey: Int]) {
    guard case .clusters(let tree) = table.layout, !damagedTables.contains(table.key) else {
      return
    }
    var cursor = ClusterCursor(tree)
    while isRunning, let leaf = try? cursor.nextLeaf() {
      offset = leaf.node.offset
      for row in 0..<leaf.count {
        let key = ObjectKey(Int64(bitPattern: leaf.key(at: row)))
        let count = owners[key] ?? 0
        guard count != 1 else { continue }
        object = key
        add(.ownerCount(count))
      }
    }
    object = nil
  }

  private func forEachBacklink(
    _ backlink: StoredBacklink, of table: StoredTable, _ body: (LinkPair) -> Void
  ) {
    let type = LeafType(layout: .backlink, isNullable: false)
    forEachRun(of: table, type, slot: backlink.slot) { (run) in
      guard case .refs(let refs) = run.leaf else { return }
      for row in 0..<run.leaf.count where isRunning {
        let target = run.key(at: row)
        object = target
        do throws(StorageError) {
          try table.forEachBacklink(inEntry: refs.packed[refs.first + row]) {
            (origin) throws(StorageError) in
            body(LinkPair(target: target.rawValue, origin: origin.rawValue))
          }
        } catch {
          add(unreadable: error)
        }
      }
    }
  }

  /// Reports the links without a backlink and the backlinks without a link.
  func compareLinks() {
    let routes = tallies.filter {
      $0.value.links != $0.value.backlinks || $0.value.linkSum != $0.value.backlinkSum
    }.keys.sorted {
      ($0.origin.rawValue, $0.column, $0.target.rawValue)
        < ($1.origin.rawValue, $1.column, $1.target.rawValue)
    }
    for route in routes where isRunning {
      guard !damagedTables.contains(route.origin), !damagedTables.contains(route.target),
        let target = snapshot.table(route.target)
      else { continue }
      compareLinks(route, target)
    }
  }

  private func compareLinks(_ route: LinkRoute, _ target: StoredTable) {
    let origin = snapshot.table(route.origin)
    let column = origin?.columns.first { $0.key.index == route.column }
    collected = route
    var links: [LinkPair] = []
    if let origin, let column {
      enter(origin)
      collectLinks(of: column, in: origin)
      links = pairs.sorted()
    }
    pairs = []
    enter(target)
    for backlink in target.backlinks
    where backlink.originTable == route.origin && backlink.originColumn.index == route.column {
      forEachBacklink(backlink, of: target) { pairs.append($0) }
    }
    let backlinks = pairs.sorted()
    pairs = []
    collected = nil
    (self.column, object, offset) = (nil, nil, 0)
    var (i, j) = (0, 0)
    while isRunning, i < links.count || j < backlinks.count {
      if j == backlinks.count || i < links.count && links[i] < backlinks[j] {
        (table, self.column) = (origin, column?.name)
        object = ObjectKey(links[i].origin)
        add(.missingBacklink(route.target, ObjectKey(links[i].target)))
        i += 1
      } else if i == links.count || backlinks[j] < links[i] {
        (table, self.column) = (target, nil)
        object = ObjectKey(backlinks[j].target)
        add(.strayBacklink(route.origin, ObjectKey(backlinks[j].origin)))
        j += 1
      } else {
        (i, j) = (i + 1, j + 1)
      }
    }
  }

  private func collectLinks(of column: StoredColumn, in table: StoredTable) {
    forEachRun(of: table, column.leafType, slot: column.slot) { (run) in
      for row in 0..<run.leaf.count where isRunning {
        object = run.key(at: row)
        do throws(StorageError) {
          try check(try table.value(of: column, in: run.leaf, at: row), of: column, false)
        } catch {
          add(unreadable: error)
        }
      }
    }
  }
}
