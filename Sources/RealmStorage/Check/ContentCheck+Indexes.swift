import ByteKernels
import RealmValues

extension ContentCheck {
  /// Checks that no two objects have the same primary key.
  func checkPrimaryKeys(of table: StoredTable) {
    guard let position = table.primaryKey, isRunning else { return }
    let column = table.columns[position]
    self.column = column.name
    guard column.collection == .none, column.kind != .mixed else { return }
    renewWork()
    var known: [UInt64: ObjectKey] = [:]
    forEachRun(of: table, column.leafType, slot: column.slot) { (run) throws(StorageError) in
      for row in 0..<run.leaf.count where isRunning {
        object = run.key(at: row)
        guard let key = try? IndexKey(run.leaf, at: row) else { continue }
        let hash = UInt64(bitPattern: Int64(key.hashValue))
        guard let other = known[hash] else {
          known[hash] = run.key(at: row)
          continue
        }
        if let otherKey = try self.key(of: column, in: table, other), otherKey == key {
          add(.duplicatePrimaryKey(of: other))
        }
      }
    }
  }

  /// The index key of a value of an object; nil if the object does not exist.
  private func key(
    of column: StoredColumn, in table: StoredTable, _ object: ObjectKey
  ) throws(StorageError) -> IndexKey? {
    guard let row = try table.row(of: object) else { return nil }
    let (leaf, index) = try table.leaf(column.leafType, slot: column.slot, row)
    return try IndexKey(leaf, at: index)
  }

  /// Checks that a search index has each object of the table once, under its value.
  ///
  /// Of a full-text index and of one on lists, which need not be exact, only the tree is checked.
  ///
  /// Source: file-format.md 7.
  func checkIndex(of column: StoredColumn, in table: StoredTable) {
    (object, offset) = (nil, Int(column.indexRoot))
    renewWork()
    let isExact = column.collection == .none && !column.hasFullTextIndex
    var entries: [ObjectKey] = []
    let index = SearchIndex(root: column.indexRoot, view: table.view)
    do throws(StorageError) {
      try index.walk { (path, key) throws(StorageError) in
        guard isExact, isRunning else { return }
        entries.append(key)
        guard let value = try self.key(of: column, in: table, key) else { return }
        for (i, chunk) in path.enumerated() where value.chunk(at: 4 * i) != chunk {
          object = key
          add(.wrongIndexEntry)
          return
        }
      }
    } catch {
      object = nil
      if case .damaged(let damage) = error, damage.kind == .keyOrder {
        offset = Int(damage.offset)
        add(.indexOrder)
      } else {
        add(unreadable: error)
      }
      return
    }
    if isExact, isRunning, !damagedTables.contains(table.key) { compare(entries.sorted(), table) }
  }

  /// Reports the objects without an entry and the entries without an object.
  private func compare(_ entries: [ObjectKey], _ table: StoredTable) {
    guard case .clusters(let tree) = table.layout else { return }
    var next = 0
    let skip = { (check: ContentCheck, limit: ObjectKey?) in
      while check.isRunning, next < entries.count, limit.map({ entries[next] < $0 }) ?? true {
        check.object = entries[next]
        check.add(.strayInIndex)
        next += 1
      }
    }
    var cursor = ClusterCursor(tree)
    while isRunning, let leaf = try? cursor.nextLeaf() {
      for row in 0..<leaf.count {
        let key = ObjectKey(Int64(bitPattern: leaf.key(at: row)))
        skip(self, key)
        if next < entries.count, entries[next] == key {
          next += 1
        } else {
          object = key
          add(.missingInIndex)
        }
      }
    }
    skip(self, nil)
    object = nil
  }
}

extension SearchIndex {
  /// Calls `body` with every entry: the chunks on the path to it, and the key of an object.
  ///
  /// - Throws: `keyOrder` if the keys of a node are not ascending, or an inner node does not have
  ///   the last keys of its children; other damage.
  func walk(
    _ body: ([Int32], ObjectKey) throws(StorageError) -> Void
  ) throws(StorageError) {
    var path: [Int32] = []
    _ = try walk(root, above: nil, &path, depth: 0, body)
  }

  /// Walks a subtree, whose keys are above a number, and returns its last key.
  private func walk(
    _ ref: Int64, above limit: Int64?, _ path: inout [Int32], depth: Int,
    _ body: ([Int32], ObjectKey) throws(StorageError) -> Void
  ) throws(StorageError) -> Int64? {
    guard depth < SearchIndex.maximumDepth else {
      throw .damage(.badDepth, at: Int(ref), found: depth, limit: depth)
    }
    let node = try Node(at: ref, in: view)
    try view.charge(node.node)
    var previous = limit
    for i in 0..<node.keys.count {
      let key = node.keys[i]
      guard previous.map({ $0 < key }) ?? true, let chunk = Int32(exactly: key) else {
        throw .damage(.keyOrder, at: node.node.offset, found: i)
      }
      let element = node.node[i + 1]
      if node.node.isInner {
        let child = try view.ref(node.node, i + 1)
        guard try walk(child, above: previous, &path, depth: depth + 1, body) == key else {
          throw .damage(.keyOrder, at: node.node.offset, found: i)
        }
        previous = key
        continue
      }
      previous = key
      path.append(chunk)
      if element & 1 != 0 {
        try body(path, SearchIndex.objectKey(element))
      } else {
        let child = try view.ref(node.node, i + 1)
        if try view.node(at: child).hasContext {
          _ = try walk(child, above: nil, &path, depth: depth + 1, body)
        } else {
          try forEachKey(inTree: child) { (key) throws(StorageError) in try body(path, key) }
        }
      }
      path.removeLast()
    }
    return previous
  }
}
