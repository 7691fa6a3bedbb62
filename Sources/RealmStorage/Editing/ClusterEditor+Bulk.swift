import RealmValues

/// Changing many objects in one walk.
extension ClusterEditor {
  /// Objects by key, ascending; nil stands for all.
  typealias Selection = ArraySlice<ObjectKey>?

  /// Calls `body` with every leaf that holds selected objects and with their rows.
  ///
  /// - Parameter body: Changes the leaf, but neither the number nor the keys of its objects.
  func edit(
    _ root: inout Int64, _ selection: Selection,
    _ body: (inout Int64, ClusterTree.Leaf, [Int]) throws(StorageError) -> Void
  ) throws(StorageError) {
    try edit(&root, selection, base: 0, depth: 0, body)
  }

  private func edit(
    _ ref: inout Int64, _ selection: Selection, base: UInt64, depth: Int,
    _ body: (inout Int64, ClusterTree.Leaf, [Int]) throws(StorageError) -> Void
  ) throws(StorageError) {
    let node = try store.view.refs(at: ref, minimumCount: 1)
    guard node.isInner else {
      let leaf = try ClusterTree.Leaf(node, base: base, in: store.view)
      let rows = ClusterEditor.rows(of: selection, in: leaf)
      if !rows.isEmpty { try body(&ref, leaf, rows) }
      return
    }
    try checkDepth(ref, depth)
    let inner = try ClusterInner(ref, store)
    for child in inner.children.indices {
      let part = ClusterEditor.part(of: selection, child, inner, base)
      if part?.isEmpty == true { continue }
      var below = inner.children[child]
      try edit(&below, part, base: base &+ inner.offset(of: child), depth: depth + 1, body)
      if below != inner.children[child] { try store.set(&ref, child + 3, below) }
    }
  }

  /// What is selected below a child of a node.
  private static func part(
    of selection: Selection, _ child: Int, _ inner: ClusterInner, _ base: UInt64
  ) -> Selection {
    guard let selection else { return nil }
    let isLast = child == inner.children.count - 1
    let start =
      child == 0 ? selection.startIndex : search(selection, base &+ inner.offset(of: child))
    let end =
      isLast ? selection.endIndex : search(selection, base &+ inner.offset(of: child + 1))
    return selection[start..<max(start, end)]
  }

  /// The first position with a key that is not below another one.
  private static func search(_ keys: ArraySlice<ObjectKey>, _ key: UInt64) -> Int {
    var (low, high) = (keys.startIndex, keys.endIndex)
    while low < high {
      let middle = (low + high) / 2
      if UInt64(bitPattern: keys[middle].rawValue) < key { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The rows of a full leaf.
  private static let allRows = Array(0..<ClusterTree.maximumCount)

  private static func rows(of selection: Selection, in leaf: ClusterTree.Leaf) -> [Int] {
    guard let selection else {
      return leaf.count == allRows.count ? allRows : Array(0..<leaf.count)
    }
    var rows: [Int] = []
    rows.reserveCapacity(selection.count)
    var row = 0
    for object in selection {
      let key = UInt64(bitPattern: object.rawValue)
      if leaf.keys == nil {
        let place = key &- leaf.base
        if place < UInt64(leaf.count) { rows.append(Int(place)) }
        continue
      }
      while row < leaf.count, leaf.key(at: row) < key { row += 1 }
      if row < leaf.count, leaf.key(at: row) == key {
        rows.append(row)
        row += 1
      }
    }
    return rows
  }

  // MARK: Removal

  /// Removes objects with their collections and backlinks; those that are not there are passed over.
  ///
  /// Nothing may lead to the objects.
  func remove(_ root: inout Int64, _ objects: [ObjectKey]) throws(StorageError) {
    var removed = 0
    let isEmpty = try remove(
      from: &root, objects[...], base: 0, depth: 0, removed: &removed)
    guard !isEmpty else {
      if try store.node(root).isInner {
        try ClusterInner.freeNode(root, store)
      } else {
        try store.freeTree(root)
      }
      root = try makeEmpty()
      return
    }
    while try store.node(root).isInner {
      let inner = try ClusterInner(root, store)
      guard inner.children.count == 1 else { break }
      try ClusterInner.freeNode(root, store)
      root = inner.children[0]
    }
  }

  /// - Returns: whether nothing is left; then the node remains, a leaf with all that it held.
  private func remove(
    from ref: inout Int64, _ objects: ArraySlice<ObjectKey>, base: UInt64, depth: Int,
    removed: inout Int
  ) throws(StorageError) -> Bool {
    let node = try store.view.refs(at: ref, minimumCount: 1)
    guard node.isInner else {
      let leaf = try ClusterTree.Leaf(node, base: base, in: store.view)
      let rows = ClusterEditor.rows(of: objects, in: leaf)
      removed += rows.count
      if rows.count == leaf.count { return true }
      if !rows.isEmpty { try remove(rows, fromLeaf: &ref, leaf) }
      return false
    }
    try checkDepth(ref, depth)
    var inner = try ClusterInner(ref, store)
    inner.makeGeneral()
    var kept: (children: [Int64], keys: [UInt64]) = ([], [])
    let before = removed
    for child in inner.children.indices {
      let offset = inner.offset(of: child)
      var below = inner.children[child]
      if let part = ClusterEditor.part(of: objects, child, inner, base), !part.isEmpty {
        let isEmpty = try remove(
          from: &below, part, base: base &+ offset, depth: depth + 1, removed: &removed)
        if isEmpty {
          if try store.node(below).isInner {
            try ClusterInner.freeNode(below, store)
          } else {
            try store.freeTree(below)
          }
          continue
        }
      }
      kept.children.append(below)
      kept.keys.append(offset)
    }
    guard removed > before else { return false }
    if kept.children.isEmpty { return try leaveEmpty(&ref) }
    if inner.depth == 1 { try joinSmallLeaves(&kept.children, &kept.keys) }
    if kept.keys[0] != 0 {
      try shiftKeys(of: &kept.children[0], by: kept.keys[0], depth: depth + 1)
      kept.keys[0] = 0
    }
    inner.children = kept.children
    inner.keys = kept.keys
    inner.total &-= removed - before
    inner.compactIfPossible()
    try inner.save(&ref, store)
    return false
  }

  /// Joins neighbours of which the first has become small; offsets are those of the leaves.
  ///
  /// Source: file-format-writing.md 8.3.
  private func joinSmallLeaves(
    _ leaves: inout [Int64], _ offsets: inout [UInt64]
  ) throws(StorageError) {
    var counts: [Int] = []
    for leaf in leaves { counts.append(try count(leaf)) }
    var joined: (leaves: [Int64], offsets: [UInt64]) = ([], [])
    var first = 0
    while first < leaves.count {
      var (end, total) = (first + 1, counts[first])
      while end < leaves.count, total < ClusterTree.maximumCount / 2,
        total + counts[end] < ClusterTree.maximumCount * 3 / 4
      {
        total += counts[end]
        end += 1
      }
      if end > first + 1 {
        try join(&leaves[first], leaves[(first + 1)..<end], offsets[first..<end])
      }
      joined.leaves.append(leaves[first])
      joined.offsets.append(offsets[first])
      first = end
    }
    (leaves, offsets) = joined
  }

  /// Moves the objects of leaves into the one before them.
  private func join(
    _ ref: inout Int64, _ others: ArraySlice<Int64>, _ offsets: ArraySlice<UInt64>
  ) throws(StorageError) {
    var keys: [Int64] = []
    for (other, offset) in zip([ref] + others, offsets) {
      let leaf = try ClusterTree.Leaf(
        try store.view.refs(at: other, minimumCount: 1), base: 0, in: store.view)
      let distance = offset &- (offsets.first ?? 0)
      for row in 0..<leaf.count { keys.append(Int64(bitPattern: leaf.key(at: row) &+ distance)) }
    }
    for column in columns {
      try editLeaf(&ref, column) { (leaf: inout Int64) throws(StorageError) in
        var cells = try column.leaf.cells(leaf)
        for other in others {
          let values = try store.element(other, column.index + 1)
          cells += try column.leaf.cells(values)
          try column.leaf.discard(values)
        }
        let fresh = try column.leaf.make(cells)
        try column.leaf.discard(leaf)
        leaf = fresh
      }
    }
    for other in [ref] + others {
      let old = try store.element(other, 0)
      if old & 1 == 0 { try store.free(old) }
    }
    for other in others { try store.free(other) }
    try store.set(&ref, 0, try store.makeIntegers(keys, .unsignedKeys))
  }

  private func remove(
    _ rows: [Int], fromLeaf ref: inout Int64, _ leaf: ClusterTree.Leaf
  ) throws(StorageError) {
    if leaf.keys == nil, rows[0] == leaf.count - rows.count {
      try store.set(&ref, 0, Int64(rows[0] * 2 + 1))
    } else {
      var keys: [Int64] = []
      keys.reserveCapacity(leaf.count - rows.count)
      var next = 0
      for row in 0..<leaf.count {
        if next < rows.count, rows[next] == row {
          next += 1
        } else {
          keys.append(Int64(bitPattern: leaf.key(at: row) &- leaf.base))
        }
      }
      if leaf.keys != nil { try store.free(try store.element(ref, 0)) }
      try store.set(&ref, 0, try store.makeIntegers(keys, .unsignedKeys))
    }
    for column in columns {
      try editLeaf(&ref, column) { (leaf: inout Int64) throws(StorageError) in
        try freeCollections(rows, of: leaf, column)
        try column.leaf.remove(&leaf, rows: rows)
      }
    }
  }
  /// Gives up what hangs on rows of a leaf.
  private func freeCollections(
    _ rows: [Int], of leaf: Int64, _ column: Column
  ) throws(StorageError) {
    switch column.leaf.type.layout {
    case .collection, .backlink:
      for row in rows {
        let element = try store.element(leaf, row)
        if element & 1 == 0 { try store.freeTree(element) }
      }
    case .mixed:
      for row in rows {
        if case .nested(_, let root, _) = try column.leaf.cell(leaf, row) {
          try store.freeTree(root)
        }
      }
    default: return
    }
  }
}
