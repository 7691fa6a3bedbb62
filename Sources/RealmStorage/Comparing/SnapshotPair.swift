import Glibc
import RealmValues

/// Two states whose objects are compared: of one file, or of two.
///
/// Tables belong together by their names, columns by theirs; the table of a class also to one of the
/// bare library that has the name of the class. Links are equal if they lead to objects
/// with the same primary key, or with the same object key where there is none; embedded objects if
/// all that they hold is equal.
public final class SnapshotPair {
  /// The earlier state, or the other file.
  public let old: Snapshot
  /// The later state.
  public let new: Snapshot
  /// Whether equal refs lead to the same node.
  let sharesNodes: Bool
  private var pairs: [TableKey: TablePair] = [:]
  /// Whether a table has the same key in both.
  private let hasEqualTableKeys: Bool

  /// Deepest nesting of embedded objects.
  private static let maximumDepth = 100

  /// Compares two states.
  public init(_ old: Snapshot, _ new: Snapshot) {
    (self.old, self.new) = (old, new)
    sharesNodes = old.sharesNodes(with: new)
    var hasEqualTableKeys = true
    for table in old.tables {
      guard let partner = SnapshotPair.partner(of: table, in: old, new) else { continue }
      pairs[table.key] = TablePair(table, partner)
      if partner.key != table.key { hasEqualTableKeys = false }
    }
    self.hasEqualTableKeys = hasEqualTableKeys
  }

  /// The new table that belongs to an old one: with the same name, else with or without the prefix
  /// of classes if only one state has that name.
  private static func partner(
    of table: StoredTable, in old: Snapshot, _ new: Snapshot
  ) -> StoredTable? {
    if let partner = new.table(named: table.name) { return partner }
    let other = ClassTable.className(ofTable: table.name) ?? ClassTable.prefix + table.name
    return old.table(named: other) == nil ? new.table(named: other) : nil
  }

  /// The tables with the name of an old one; nil if the new state has none.
  func pair(_ old: TableKey) -> TablePair? { pairs[old] }

  // MARK: Values

  /// Whether an old value and a new one are equal.
  public func areEqual(_ a: StoredValue, _ b: StoredValue) throws(StorageError) -> Bool {
    try areEqual(a, b, depth: 0)
  }

  func areEqual(
    _ a: StoredValue, _ b: StoredValue, depth: Int
  ) throws(StorageError) -> Bool {
    switch (a, b) {
    case (.null, .null): return true
    case (.bool(let x), .bool(let y)): return x == y
    case (.int(let x), .int(let y)): return x == y
    case (.float(let x), .float(let y)):
      return x.bitPattern == y.bitPattern || x.isNaN && y.isNaN
    case (.double(let x), .double(let y)):
      return x.bitPattern == y.bitPattern || x.isNaN && y.isNaN
    case (.decimal(let x), .decimal(let y)): return x.low == y.low && x.high == y.high
    case (.string(let x), .string(let y)), (.data(let x), .data(let y)):
      return haveEqualBytes(x, y)
    case (.date(let x), .date(let y)): return x == y
    case (.objectID(let x), .objectID(let y)): return x == y
    case (.uuid(let x), .uuid(let y)): return x == y
    case (.link(let table, let key), .link(let otherTable, let otherKey)):
      guard let pair = pairs[table], pair.new.key == otherTable else { return false }
      return try areEqual(key, otherKey, in: pair, depth: depth)
    case (.list(let x), .list(let y)): return try areEqual(x, y, depth)
    case (.dictionary(let x), .dictionary(let y)): return try areEqual(x, y, depth)
    default: return false
    }
  }

  private func areEqual(
    _ key: ObjectKey, _ otherKey: ObjectKey, in pair: TablePair, depth: Int
  ) throws(StorageError) -> Bool {
    if pair.isEmbedded {
      if key == otherKey, try isUnchanged(pair) { return true }
      return try haveEqualContents(key, otherKey, pair, depth: depth + 1)
    }
    guard let primaryKey = pair.primaryKey else { return key == otherKey }
    if key == otherKey, try hasStableKeys(pair) { return true }
    let (oldReader, newReader) = pair.keyReaders(primaryKey)
    guard try oldReader.move(to: key), try newReader.move(to: otherKey) else {
      return key == otherKey
    }
    return try areEqual(try oldReader.value(0), try newReader.value(0), depth: depth)
  }

  /// Whether two embedded objects hold the same.
  private func haveEqualContents(
    _ key: ObjectKey, _ otherKey: ObjectKey, _ pair: TablePair, depth: Int
  ) throws(StorageError) -> Bool {
    guard depth <= SnapshotPair.maximumDepth else {
      throw .damage(.nestedTooDeep, at: 0, found: depth, limit: SnapshotPair.maximumDepth)
    }
    try pair.old.view.charge(1, at: 0)
    let (oldReader, newReader) = pair.readers
    let isThere = try oldReader.move(to: key)
    guard try newReader.move(to: otherKey) == isThere else { return false }
    guard isThere else { return true }
    for i in pair.columns.indices {
      // What is nested in a column before may have moved the readers.
      guard try oldReader.move(to: key), try newReader.move(to: otherKey),
        try areEqual(try oldReader.value(i), try newReader.value(i), depth: depth)
      else { return false }
    }
    return true
  }

  private func areEqual(
    _ a: StoredList, _ b: StoredList, _ depth: Int
  ) throws(StorageError) -> Bool {
    if sharesNodes, a.ref == b.ref, a.hasNoLinks { return true }
    guard try a.count() == b.count(), a.isSet == b.isSet else { return false }
    guard a.isSet else {
      var (left, right) = (try a.makeCursor(), try b.makeCursor())
      while let value = try left.next() {
        guard let other = try right.next(), try areEqual(value, other, depth: depth) else {
          return false
        }
      }
      return true
    }
    let (left, right) = (try a.values(), try b.values())
    guard left.count == right.count else { return false }
    var isEqual = true
    for i in left.indices where isEqual {
      isEqual = try areEqual(left[i], right[i], depth: depth)
    }
    // Sets of links, and of numbers with NaN, can have the same members in another order.
    if isEqual { return true }
    return try sortedMembers(left, ofOld: true) == sortedMembers(right, ofOld: false)
  }

  /// The members of a set in an order that does not depend on object keys.
  private func sortedMembers(
    _ values: [StoredValue], ofOld isOld: Bool
  ) throws(StorageError) -> [Member] {
    var members: [Member] = []
    for value in values { members.append(try member(value, ofOld: isOld)) }
    return members.sorted { $0.precedes($1) }
  }

  private func member(_ value: StoredValue, ofOld isOld: Bool) throws(StorageError) -> Member {
    guard case .link(let table, let key) = value else {
      return Member(className: nil, value: value.scalar ?? .null)
    }
    let pair = isOld ? pairs[table] : pairs.values.first { $0.new.key == table }
    guard let pair else { return Member(className: "", value: .key(key)) }
    guard let primaryKey = pair.primaryKey else {
      return Member(className: pair.old.name, value: .key(key))
    }
    let readers = pair.keyReaders(primaryKey)
    let reader = isOld ? readers.0 : readers.1
    guard try reader.move(to: key), let value = try reader.value(0).scalar else {
      return Member(className: pair.old.name, value: .key(key))
    }
    return Member(className: pair.old.name, value: value)
  }

  /// A member of a set by what tells it from others.
  private struct Member: Equatable {
    /// The table of a link.
    let className: String?
    let value: ScalarValue

    static func == (a: Member, b: Member) -> Bool {
      a.className == b.className && a.value.totalOrder(b.value) == 0
    }

    func precedes(_ other: Member) -> Bool {
      if className != other.className { return (className ?? "") < (other.className ?? "") }
      return value.totalOrder(other.value) < 0
    }
  }

  private func areEqual(
    _ a: StoredDictionary, _ b: StoredDictionary, _ depth: Int
  ) throws(StorageError) -> Bool {
    guard try a.count() == b.count() else { return false }
    let (left, right) = (try a.entries(), try b.entries())
    guard left.count == right.count else { return false }
    for i in left.indices {
      guard haveEqualBytes(left[i].key, right[i].key),
        try areEqual(left[i].value, right[i].value, depth: depth)
      else { return false }
    }
    return true
  }

  // MARK: Nodes

  /// Deepest nodes that are compared by their bytes.
  private static let maximumLevel = 64

  /// Whether two nodes and all that they lead to have the same bytes. Nodes of other widths can hold
  /// equal values all the same.
  func haveEqualNodes(
    _ a: Int64, _ b: Int64, level: Int = 0
  ) throws(StorageError) -> Bool {
    if sharesNodes, a == b { return true }
    guard let oldView = old.view, let newView = new.view, level < SnapshotPair.maximumLevel else {
      return false
    }
    let (left, right) = (try oldView.node(at: a), try newView.node(at: b))
    guard left.flags == right.flags, left.count == right.count else { return false }
    guard left.hasRefs else { return haveEqualBytes(left.bytes, right.bytes) }
    guard left.scheme == .bits else { return false }
    try oldView.charge(left)
    for i in 0..<left.count {
      let (x, y) = (left[i], right[i])
      if x & 1 != 0 || x == 0 || y == 0 {
        guard x == y else { return false }
      } else {
        guard y & 1 == 0, try haveEqualNodes(x, y, level: level + 1) else { return false }
      }
    }
    return true
  }

  /// Whether nodes of a column with the same bytes hold equal values.
  func isComparedByNode(_ a: StoredColumn, _ b: StoredColumn) throws(StorageError) -> Bool {
    guard old.format == new.format, a.kind == b.kind, a.collection == b.collection,
      a.isNullable == b.isNullable, a.unique == nil, b.unique == nil
    else { return false }
    switch a.kind {
    case .link:
      guard let target = a.target, let pair = pairs[target], pair.new.key == b.target,
        a.collection != .dictionary || pair.old.key == pair.new.key
      else { return false }
      return try pair.isEmbedded ? isUnchanged(pair) : hasStableKeys(pair)
    case .mixed, .typedLink:
      guard hasEqualTableKeys else { return false }
      for pair in pairs.values where !pair.isEmbedded {
        guard try hasStableKeys(pair) else { return false }
      }
      return true
    default: return true
    }
  }

  // MARK: Facts about tables

  /// Whether an object key that both tables have stands for the same primary key.
  private func hasStableKeys(_ pair: TablePair) throws(StorageError) -> Bool {
    guard let primaryKey = pair.primaryKey else { return true }
    if let known = pair.hasStableKeys { return known }
    var isStable = true
    let walk = try TableWalk(self, pair, columns: [pair.columns[primaryKey]], primaryKey: 0)
    try walk.run { event, _ in
      if event == .replaced { isStable = false }
      return isStable
    }
    pair.hasStableKeys = isStable
    return isStable
  }

  /// Whether the embedded objects of a table, and all that they hold, are the same under the same
  /// object keys.
  private func isUnchanged(_ pair: TablePair) throws(StorageError) -> Bool {
    if let known = pair.isUnchanged { return known }
    // Classes that are embedded in each other ask again.
    pair.isUnchanged = false
    var isUnchanged = true
    let walk = try TableWalk(self, pair, columns: pair.columns, primaryKey: nil)
    try walk.run { _, _ in
      isUnchanged = false
      return false
    }
    pair.isUnchanged = isUnchanged
    return isUnchanged
  }
}

/// Whether two runs of bytes are equal.
func haveEqualBytes(_ x: UnsafeRawBufferPointer, _ y: UnsafeRawBufferPointer) -> Bool {
  guard x.count == y.count else { return false }
  guard let left = x.baseAddress, let right = y.baseAddress else { return true }
  return memcmp(left, right, x.count) == 0
}

extension StoredList {
  /// Whether the elements cannot lead to other objects.
  fileprivate var hasNoLinks: Bool {
    switch type.layout {
    case .link, .key, .typedLink, .mixed, .collection, .backlink: false
    default: true
    }
  }
}

extension Snapshot {
  /// Whether a node of this state is the same as the one with the same ref of another, since both
  /// are committed and in one file.
  func sharesNodes(with other: Snapshot) -> Bool {
    !file.isTransaction && !other.file.isTransaction && file.isSame(as: other.file)
  }
}

/// Two tables with the same name.
final class TablePair {
  let old: StoredTable
  let new: StoredTable
  /// Positions of the columns with the same names.
  let columns: [(old: Int, new: Int)]
  /// Index in `columns` of the primary key, if both have the same kind of it.
  let primaryKey: Int?
  /// Whether both hold objects that are parts of others.
  let isEmbedded: Bool
  fileprivate var hasStableKeys: Bool?
  fileprivate var isUnchanged: Bool?
  private var keptReaders: (ObjectReader, ObjectReader)?
  private var keptKeyReaders: (ObjectReader, ObjectReader)?

  init(_ old: StoredTable, _ new: StoredTable) {
    (self.old, self.new) = (old, new)
    let columns = old.columns.indices.compactMap { position in
      new.column(named: old.columns[position].name).map { (old: position, new: $0) }
    }
    self.columns = columns
    isEmbedded = old.kind == .embedded && new.kind == .embedded
    primaryKey = columns.firstIndex {
      $0.old == old.primaryKey && $0.new == new.primaryKey
        && old.columns[$0.old].kind == new.columns[$0.new].kind
    }
  }

  /// Readers of all columns that both have.
  var readers: (ObjectReader, ObjectReader) {
    if let keptReaders { return keptReaders }
    let made = (
      ObjectReader(old, columns: columns.map(\.old)), ObjectReader(new, columns: columns.map(\.new))
    )
    keptReaders = made
    return made
  }

  /// Readers of the primary keys.
  func keyReaders(_ primaryKey: Int) -> (ObjectReader, ObjectReader) {
    if let keptKeyReaders { return keptKeyReaders }
    let pair = columns[primaryKey]
    let made = (ObjectReader(old, columns: [pair.old]), ObjectReader(new, columns: [pair.new]))
    keptKeyReaders = made
    return made
  }
}
