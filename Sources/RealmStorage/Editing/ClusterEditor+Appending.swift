import RealmValues

/// Adding many objects behind all others.
extension ClusterEditor {
  /// Objects that are to be added: ascending keys above all others, and a value for each in every
  /// column.
  struct Batch {
    var keys: [Int64]
    var columns: [StagedColumn]
  }

  /// The last leaf of a tree: its number of objects, and the last key if it has any.
  func lastLeaf(_ root: Int64) throws(StorageError) -> (count: Int, lastKey: UInt64?) {
    var (ref, base) = (root, 0 as UInt64)
    for _ in 0...ClusterTree.maximumDepth {
      let node = try store.view.refs(at: ref, minimumCount: 1)
      guard node.isInner else {
        let leaf = try ClusterTree.Leaf(node, base: base, in: store.view)
        return (leaf.count, leaf.count == 0 ? nil : leaf.key(at: leaf.count - 1))
      }
      let inner = try ClusterInner(ref, store)
      base &+= inner.offset(of: inner.children.count - 1)
      ref = inner.children[inner.children.count - 1]
    }
    throw .damage(
      .badDepth, at: Int(root), found: ClusterTree.maximumDepth + 1,
      limit: ClusterTree.maximumDepth)
  }

  /// Adds objects that fit into the last leaf, or a leaf of their own.
  func append(_ batch: Batch, to root: inout Int64) throws(StorageError) {
    guard !batch.keys.isEmpty else { return }
    let sibling = try append(batch, into: &root, base: 0, depth: 0)
    if let sibling { try growRoot(&root, sibling) }
  }

  private func append(
    _ batch: Batch, into ref: inout Int64, base: Int64, depth: Int
  ) throws(StorageError) -> Sibling? {
    guard try store.node(ref).isInner else { return try append(batch, toLeaf: &ref, base: base) }
    try checkDepth(ref, depth)
    var inner = try ClusterInner(ref, store)
    let child = inner.children.count - 1
    let offset = inner.offset(of: child)
    let sibling = try append(
      batch, into: &inner.children[child], base: base &+ Int64(bitPattern: offset),
      depth: depth + 1)
    inner.total &+= batch.keys.count
    guard let sibling else {
      try store.set(&ref, child + 3, inner.children[child])
      try store.set(&ref, 2, Int64(inner.total &* 2 | 1))
      return nil
    }
    return try add(
      Sibling(ref: sibling.ref, offset: offset &+ sibling.offset), at: child + 1, to: &inner, &ref)
  }

  private func append(
    _ batch: Batch, toLeaf ref: inout Int64, base: Int64
  ) throws(StorageError) -> Sibling? {
    let leaf = try ClusterTree.Leaf(
      try store.view.refs(at: ref, minimumCount: 1), base: 0, in: store.view)
    let (oldCount, count) = (leaf.count, batch.keys.count)
    guard oldCount + count <= ClusterTree.maximumCount else {
      let first = batch.keys[0]
      return Sibling(
        ref: try makeLeaf(batch, base: first), offset: UInt64(bitPattern: first &- base))
    }
    let isCompact = leaf.keys == nil && ClusterEditor.isDense(batch.keys, from: base, oldCount)
    if isCompact {
      try store.set(&ref, 0, Int64(oldCount + count) * 2 + 1)
    } else {
      var keys = try makeGeneral(&ref)
      for key in batch.keys { try store.append(&keys, key &- base, .unsignedKeys) }
      try store.set(&ref, 0, keys)
    }
    for staged in batch.columns {
      try editLeaf(&ref, staged.column) { (leaf: inout Int64) throws(StorageError) in
        try append(staged, count, to: &leaf, oldCount)
      }
    }
    return nil
  }

  /// Adds values to the leaf of a column.
  private func append(
    _ staged: StagedColumn, _ count: Int, to leaf: inout Int64, _ oldCount: Int
  ) throws(StorageError) {
    let editor = staged.column.leaf
    if oldCount == 0 {
      let fresh = try staged.makeLeaf(count: count)
      try editor.discard(leaf)
      leaf = fresh
    } else if count <= 8 {
      for row in 0..<count { try editor.insert(&leaf, at: oldCount + row, staged.cell(row)) }
    } else {
      var cells = try editor.cells(leaf)
      for row in 0..<count { cells.append(staged.cell(row)) }
      let fresh = try editor.make(cells)
      try editor.discard(leaf)
      leaf = fresh
    }
  }

  /// Whether keys follow each other without gaps behind `count` keys from a base on.
  private static func isDense(_ keys: [Int64], from base: Int64, _ count: Int) -> Bool {
    for (i, key) in keys.enumerated() where key &- base != Int64(count + i) { return false }
    return true
  }

  private func makeLeaf(_ batch: Batch, base: Int64) throws(StorageError) -> Int64 {
    let slotCount = 1 + (columns.map { $0.index + 1 }.max() ?? 0)
    var slots = Array(repeating: 0 as Int64, count: slotCount)
    if ClusterEditor.isDense(batch.keys, from: base, 0) {
      slots[0] = Int64(batch.keys.count) * 2 + 1
    } else {
      slots[0] = try store.makeIntegers(batch.keys.map { $0 &- base }, .unsignedKeys)
    }
    for staged in batch.columns {
      slots[staged.column.index + 1] = try staged.makeLeaf(count: batch.keys.count)
    }
    return try store.makeIntegers(slots, .refs)
  }
}
