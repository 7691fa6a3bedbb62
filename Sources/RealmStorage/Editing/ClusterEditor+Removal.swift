import RealmValues

extension ClusterEditor {
  // MARK: Removal

  /// Removes an object. Collections and entries of backlinks that it has must be gone.
  ///
  /// - Throws: `rejected(.noObject)` if there is no such object.
  func remove(_ root: inout Int64, _ key: ObjectKey) throws(StorageError) {
    let isEmpty = try remove(from: &root, UInt64(bitPattern: key.rawValue), depth: 0)
    if isEmpty, try store.node(root).isInner {
      try ClusterInner.freeNode(root, store)
      root = try makeEmpty()
    }
    while try store.node(root).isInner {
      let inner = try ClusterInner(root, store)
      guard inner.children.count == 1 else { break }
      try ClusterInner.freeNode(root, store)
      root = inner.children[0]
    }
  }

  /// - Returns: whether nothing is left; then the node itself remains.
  private func remove(
    from ref: inout Int64, _ key: UInt64, depth: Int
  ) throws(StorageError) -> Bool {
    guard try store.node(ref).isInner else { return try remove(fromLeaf: &ref, key) }
    guard depth < ClusterTree.maximumDepth else {
      throw .damage(.badDepth, at: Int(ref), found: depth, limit: ClusterTree.maximumDepth)
    }
    var inner = try ClusterInner(ref, store)
    let child = inner.child(holding: key)
    let isEmpty = try remove(
      from: &inner.children[child], key &- inner.offset(of: child), depth: depth + 1)
    inner.total &-= 1
    guard isEmpty else {
      try inner.save(&ref, store)
      return false
    }
    inner.makeGeneral()
    if try store.node(inner.children[child]).isInner {
      try ClusterInner.freeNode(inner.children[child], store)
    } else {
      try store.freeTree(inner.children[child])
    }
    inner.children.remove(at: child)
    inner.keys?.remove(at: child)
    if inner.children.isEmpty { return try leaveEmpty(&ref) }
    if child == 0, let first = inner.keys?.first, first != 0 {
      try shiftKeys(of: &inner.children[0], by: first, depth: depth + 1)
      inner.keys?[0] = 0
    }
    inner.compactIfPossible()
    try inner.save(&ref, store)
    return false
  }

  /// Makes an inner node childless, without keys; its parent drops it.
  func leaveEmpty(_ ref: inout Int64) throws(StorageError) -> Bool {
    let first = try store.element(ref, 0)
    if first != 0, first & 1 == 0 { try store.free(first) }
    try store.replace(&ref, [0, 3, 1])
    return true
  }

  /// Adds to all keys below a node, whose own offset has become smaller by as much.
  func shiftKeys(
    of ref: inout Int64, by distance: UInt64, depth: Int
  ) throws(StorageError) {
    guard try store.node(ref).isInner else {
      let keys = try makeGeneral(&ref)
      var shifted = keys
      let values = try store.integers(keys, .unsignedKeys)
      try store.replace(
        &shifted, values.map { Int64(bitPattern: UInt64(bitPattern: $0) &+ distance) },
        .unsignedKeys)
      return try store.set(&ref, 0, shifted)
    }
    guard depth < ClusterTree.maximumDepth else {
      throw .damage(.badDepth, at: Int(ref), found: depth, limit: ClusterTree.maximumDepth)
    }
    var inner = try ClusterInner(ref, store)
    inner.makeGeneral()
    for child in 1..<max(1, inner.children.count) { inner.keys?[child] &+= distance }
    try shiftKeys(of: &inner.children[0], by: distance, depth: depth + 1)
    inner.compactIfPossible()
    try inner.save(&ref, store)
  }

  private func remove(fromLeaf ref: inout Int64, _ key: UInt64) throws(StorageError) -> Bool {
    let leaf = try ClusterTree.Leaf(
      try store.view.refs(at: ref, minimumCount: 1), base: 0, in: store.view)
    guard let row = leaf.row(of: key) else { throw .rejected(.noObject) }
    if leaf.keys == nil, row == leaf.count - 1 {
      try store.set(&ref, 0, Int64(leaf.count * 2 - 1))
    } else {
      var keys = try makeGeneral(&ref)
      try store.remove(&keys, row)
      try store.set(&ref, 0, keys)
    }
    for column in columns {
      try editLeaf(&ref, column) { (leaf: inout Int64) throws(StorageError) in
        try column.leaf.remove(&leaf, at: row)
      }
    }
    return leaf.count == 1
  }

  // MARK: Columns

  /// Calls `body` with every leaf of the tree and its number of objects.
  func forEachLeaf(
    _ ref: inout Int64, depth: Int, _ body: (inout Int64, Int) throws(StorageError) -> Void
  ) throws(StorageError) {
    let node = try store.view.refs(at: ref, minimumCount: 1)
    guard node.isInner else {
      return try body(&ref, try ClusterTree.Leaf(node, base: 0, in: store.view).count)
    }
    guard depth < ClusterTree.maximumDepth else {
      throw .damage(.badDepth, at: Int(ref), found: depth, limit: ClusterTree.maximumDepth)
    }
    let children = try ClusterInner(ref, store).children
    for child in children.indices {
      var below = children[child]
      try forEachLeaf(&below, depth: depth + 1, body)
      if below != children[child] { try store.set(&ref, child + 3, below) }
    }
  }

  /// Gives all objects the initial value of a new column.
  func add(_ column: Column, to root: inout Int64) throws(StorageError) {
    try forEachLeaf(&root, depth: 0) { (ref: inout Int64, count) throws(StorageError) in
      while try store.count(ref) < column.index + 2 { try store.append(&ref, 0) }
      let leaf = try column.leaf.make(Array(repeating: column.initial, count: count))
      try store.set(&ref, column.index + 1, leaf)
    }
  }

  /// Takes a column, with its collections, away from all objects.
  func removeColumn(_ index: Int, from root: inout Int64) throws(StorageError) {
    try forEachLeaf(&root, depth: 0) { (ref: inout Int64, _) throws(StorageError) in
      let slotCount = try store.count(ref)
      guard index + 1 < slotCount else { return }
      try store.freeTree(try store.element(ref, index + 1))
      if index + 2 == slotCount {
        try store.remove(&ref, index + 1)
      } else {
        try store.set(&ref, index + 1, 0)
      }
    }
  }
}
