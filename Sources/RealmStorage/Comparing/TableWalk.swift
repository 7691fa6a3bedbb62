import ByteKernels
import RealmValues

/// Walks the objects of two tables at once, in the order of their object keys.
///
/// Where blocks of both tables hold the same keys they are compared column by column: nodes that are
/// the same, or have the same bytes, are not looked into.
final class TableWalk {
  /// What is met.
  enum Event {
    /// Only the new table has the key.
    case added
    /// Only the old table has the key.
    case deleted
    /// Both have the key, for objects with different primary keys.
    case replaced
    /// Something differs.
    case changed
  }

  private let pair: SnapshotPair
  private let tables: TablePair
  private let columns: [(old: Int, new: Int)]
  /// Which of the columns can be compared by their nodes.
  private var isByNode: [Bool] = []
  /// Which of the columns has the primary key that objects are matched by.
  private let primaryKey: Int?
  private let old: TableCursor
  private let new: TableCursor
  private let oldReader: ObjectReader
  private let newReader: ObjectReader
  /// Objects of the old and of the new table that were passed.
  private(set) var passedCount = 0
  /// Called for each block; false stops the walk.
  var progress: () -> Bool = { true }

  init(
    _ pair: SnapshotPair, _ tables: TablePair, columns: [(old: Int, new: Int)], primaryKey: Int?
  ) throws(StorageError) {
    (self.pair, self.tables, self.columns, self.primaryKey) = (pair, tables, columns, primaryKey)
    pair.old.file.renewWork()
    pair.new.file.renewWork()
    old = try TableCursor(tables.old, columns: columns.map(\.old))
    new = try TableCursor(tables.new, columns: columns.map(\.new))
    oldReader = ObjectReader(tables.old, columns: columns.map(\.old))
    newReader = ObjectReader(tables.new, columns: columns.map(\.new))
    for column in columns {
      isByNode.append(
        try pair.isComparedByNode(tables.old.columns[column.old], tables.new.columns[column.new]))
    }
  }

  /// Tells of each difference, until `body` returns false.
  func run(
    _ body: (Event, ObjectKey) throws(StorageError) -> Bool
  ) throws(StorageError) {
    var (oldRow, newRow) = (0, 0)
    var (hasOld, hasNew) = (try nextBlock(old), try nextBlock(new))
    while hasOld || hasNew {
      if oldRow == 0, newRow == 0, hasOld, hasNew, haveEqualKeys {
        guard try compareBlock(body) else { return }
        (oldRow, newRow) = (old.count, new.count)
      } else if let key = try nextEvent(
        hasOld ? old.key(at: oldRow) : nil, hasNew ? new.key(at: newRow) : nil)
      {
        if let event = key.event {
          guard try body(event, key.key) else { return }
        }
        if key.event != .added { oldRow += 1 }
        if key.event != .deleted { newRow += 1 }
      }
      if hasOld, oldRow >= old.count {
        (hasOld, oldRow) = (try nextBlock(old), 0)
      }
      if hasNew, newRow >= new.count {
        (hasNew, newRow) = (try nextBlock(new), 0)
      }
    }
  }

  /// Moves to the next block with objects.
  private func nextBlock(_ cursor: TableCursor) throws(StorageError) -> Bool {
    passedCount += cursor.count
    guard progress() else { throw .rejected(.interrupted) }
    // No more is reached from one block than the file holds.
    pair.old.file.renewWork()
    pair.new.file.renewWork()
    while try cursor.next() {
      if cursor.count > 0 { return true }
    }
    return false
  }

  /// Compares the objects that come next; the smaller of both keys, as unsigned numbers.
  private func nextEvent(
    _ oldKey: ObjectKey?, _ newKey: ObjectKey?
  ) throws(StorageError) -> (event: Event?, key: ObjectKey)? {
    let (a, b) = (oldKey.map { $0.unsigned }, newKey.map { $0.unsigned })
    if let oldKey, let a, b.map({ a < $0 }) ?? true { return (.deleted, oldKey) }
    if let newKey, let b, a.map({ b < $0 }) ?? true { return (.added, newKey) }
    guard let key = newKey, try oldReader.move(to: key), try newReader.move(to: key) else {
      // A damaged table has an object that is not found by its key.
      return newKey.map { (primaryKey == nil ? .changed : .replaced, $0) }
    }
    var hasChanged = false
    for i in columns.indices {
      if hasChanged, i != primaryKey { continue }
      let isEqual = try pair.areEqual(try oldReader.value(i), try newReader.value(i))
      if isEqual { continue }
      if i == primaryKey { return (.replaced, key) }
      hasChanged = true
    }
    return (hasChanged ? .changed : nil, key)
  }

  /// Whether the blocks have the same keys.
  private var haveEqualKeys: Bool {
    guard old.count == new.count, let a = old.cluster, let b = new.cluster, a.base == b.base else {
      return false
    }
    switch (a.keys, b.keys) {
    case (nil, nil): return true
    case (let x?, let y?):
      if x.width == y.width { return haveEqualBytes(x.bytes, y.bytes) }
      return (0..<a.count).allSatisfy { x.unsigned($0) == y.unsigned($0) }
    default: return (0..<a.count).allSatisfy { a.key(at: $0) == b.key(at: $0) }
    }
  }

  /// Compares blocks with the same keys.
  private func compareBlock(
    _ body: (Event, ObjectKey) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    var events = InlineArray<256, Event?>(repeating: nil)
    var hasEvents = false
    for i in columns.indices {
      if isByNode[i], try haveEqualNodes(i) { continue }
      let (a, b) = (columns[i].old, columns[i].new)
      let (left, right) = (try old.leaf(i), try new.leaf(i))
      for row in 0..<old.count where events[row] == nil || i == primaryKey {
        let isEqual = try pair.areEqual(
          try tables.old.value(of: tables.old.columns[a], in: left, at: row),
          try tables.new.value(of: tables.new.columns[b], in: right, at: row))
        if isEqual { continue }
        events[row] = i == primaryKey ? .replaced : .changed
        hasEvents = true
      }
    }
    guard hasEvents else { return true }
    for row in 0..<old.count {
      if let event = events[row], try !body(event, old.key(at: row)) { return false }
    }
    return true
  }

  /// Whether the nodes of a column in the present blocks are the same or have the same bytes.
  private func haveEqualNodes(_ i: Int) throws(StorageError) -> Bool {
    guard let a = old.cluster, let b = new.cluster else { return false }
    let oldSlot = tables.old.columns[columns[i].old].slot + 1
    let newSlot = tables.new.columns[columns[i].new].slot + 1
    return try pair.haveEqualNodes(
      try tables.old.view.ref(a.node, oldSlot), try tables.new.view.ref(b.node, newSlot))
  }
}

extension ObjectKey {
  /// The number by which trees are ordered.
  var unsigned: UInt64 { UInt64(bitPattern: rawValue) }
}
