public import RealmValues

/// How an object of two states differs.
public enum ObjectDifference {
  /// Only the new state has it.
  case added(ObjectKey)
  /// Only the old state has it.
  case deleted(ObjectKey)
  /// Both have it, with different values.
  case changed(old: ObjectKey, new: ObjectKey)
}

extension SnapshotPair {
  /// Objects that are matched by primary key in one go; with more of them the tables are walked
  /// again for each part.
  private static let partCount = 1 << 22

  /// Finds the objects of a class that differ.
  ///
  /// Objects are matched by their primary keys, and by their object keys where a class has none. Of
  /// embedded objects those differ that hold them.
  ///
  /// - Parameters:
  ///   - oldTable: The table of the old state; nil if it has none.
  ///   - newTable: The table of the new state with the same name; nil if it has none.
  ///   - progress: Called now and then with the number of objects that were passed, of both states;
  ///     false gives up.
  /// - Throws: `StorageError.damaged`; `rejected(.interrupted)`; what `body` throws.
  public func forEachDifference(
    _ oldTable: StoredTable?, _ newTable: StoredTable?,
    progress: @escaping (_ passed: Int) -> Bool,
    _ body: (ObjectDifference) throws(StorageError) -> Void
  ) throws(StorageError) {
    guard let oldTable, let newTable, let tables = pair(oldTable.key) else {
      if let oldTable {
        try forEachObject(oldTable, progress) { (key) throws(StorageError) in
          try body(.deleted(key))
        }
      }
      if let newTable {
        try forEachObject(newTable, progress) { (key) throws(StorageError) in
          try body(.added(key))
        }
      }
      return
    }
    let smaller = min(try oldTable.objectCount(), try newTable.objectCount())
    let partCount = tables.primaryKey == nil ? 1 : max(0, smaller) / SnapshotPair.partCount + 1
    for part in 0..<partCount {
      let walk = try TableWalk(
        self, tables, columns: tables.columns, primaryKey: tables.primaryKey)
      walk.progress = { [unowned walk] in progress(walk.passedCount) }
      var join = tables.primaryKey.map { KeyJoin(self, tables, primaryKey: $0, part, partCount) }
      try walk.run { (event, key) throws(StorageError) in
        switch event {
        case .changed: if part == 0 { try body(.changed(old: key, new: key)) }
        case .added where join == nil: try body(.added(key))
        case .deleted where join == nil: try body(.deleted(key))
        case .added: try join?.addNew(key)
        case .deleted: try join?.addOld(key)
        case .replaced:
          try join?.addOld(key)
          try join?.addNew(key)
        }
        return true
      }
      try join?.finish(body)
    }
  }

  private func forEachObject(
    _ table: StoredTable, _ progress: (Int) -> Bool,
    _ body: (ObjectKey) throws(StorageError) -> Void
  ) throws(StorageError) {
    let cursor = try TableCursor(table, columns: [])
    var passed = 0
    while try cursor.next() {
      guard progress(passed) else { throw .rejected(.interrupted) }
      for row in 0..<cursor.count { try body(cursor.key(at: row)) }
      passed += cursor.count
    }
  }
}

/// Matches objects by primary key that do not have the same object key: by a table of hashes.
private struct KeyJoin {
  private struct Entry {
    let hash: UInt64
    let key: ObjectKey
  }

  private let pair: SnapshotPair
  private let tables: TablePair
  private let oldReader: ObjectReader
  private let newReader: ObjectReader
  private let part: UInt64
  private let partCount: UInt64
  private var old: [Entry] = []
  private var new: [Entry] = []

  init(
    _ pair: SnapshotPair, _ tables: TablePair, primaryKey: Int, _ part: Int, _ partCount: Int
  ) {
    (self.pair, self.tables) = (pair, tables)
    (oldReader, newReader) = tables.keyReaders(primaryKey)
    (self.part, self.partCount) = (UInt64(part), UInt64(partCount))
  }

  mutating func addOld(_ key: ObjectKey) throws(StorageError) {
    if let entry = try entry(key, oldReader) { old.append(entry) }
  }

  mutating func addNew(_ key: ObjectKey) throws(StorageError) {
    if let entry = try entry(key, newReader) { new.append(entry) }
  }

  /// The entry of an object; nil if it belongs to another part.
  private func entry(_ key: ObjectKey, _ reader: ObjectReader) throws(StorageError) -> Entry? {
    let hash = try reader.move(to: key) ? KeyHash.of(try reader.value(0)) : 0
    // The lower bits choose the place in the table.
    guard partCount == 1 || (hash >> 40) % partCount == part else { return nil }
    return Entry(hash: hash, key: key)
  }

  /// Tells what differs, the objects of both first.
  mutating func finish(
    _ body: (ObjectDifference) throws(StorageError) -> Void
  ) throws(StorageError) {
    guard !old.isEmpty || !new.isEmpty else { return }
    var slotCount = 16
    while slotCount < old.count * 2 { slotCount *= 2 }
    let mask = slotCount - 1
    var slots = [UInt32](repeating: .max, count: slotCount)
    for i in old.indices {
      var slot = Int(truncatingIfNeeded: old[i].hash) & mask
      while slots[slot] != .max { slot = (slot + 1) & mask }
      slots[slot] = UInt32(i)
    }
    var isMatched = [Bool](repeating: false, count: old.count)
    var added: [ObjectKey] = []
    for entry in new {
      var slot = Int(truncatingIfNeeded: entry.hash) & mask
      var partner: ObjectKey?
      while partner == nil, slots[slot] != .max {
        let i = Int(slots[slot])
        if old[i].hash == entry.hash, !isMatched[i], try areEqual(old[i].key, entry.key) {
          isMatched[i] = true
          partner = old[i].key
        }
        slot = (slot + 1) & mask
      }
      guard let partner else {
        added.append(entry.key)
        continue
      }
      if try haveDifferentValues(partner, entry.key) {
        try body(.changed(old: partner, new: entry.key))
      }
    }
    for key in added { try body(.added(key)) }
    for i in old.indices where !isMatched[i] { try body(.deleted(old[i].key)) }
  }

  /// Whether two objects have the same primary key.
  private func areEqual(_ oldKey: ObjectKey, _ newKey: ObjectKey) throws(StorageError) -> Bool {
    guard try oldReader.move(to: oldKey), try newReader.move(to: newKey) else { return false }
    return try pair.areEqual(try oldReader.value(0), try newReader.value(0))
  }

  private func haveDifferentValues(
    _ oldKey: ObjectKey, _ newKey: ObjectKey
  ) throws(StorageError) -> Bool {
    pair.old.file.renewWork()
    pair.new.file.renewWork()
    let (oldReader, newReader) = tables.readers
    guard try oldReader.move(to: oldKey), try newReader.move(to: newKey) else { return true }
    for i in tables.columns.indices {
      guard try pair.areEqual(try oldReader.value(i), try newReader.value(i)) else { return true }
    }
    return false
  }
}
