import RealmValues

/// Changes the tree of the objects of a table.
///
/// Source: file-format-writing.md 8.3.
struct ClusterEditor {
  /// One column of the leaves.
  struct Column {
    /// Index of the column; its leaf is in slot 1 + index.
    var index: Int
    var leaf: LeafEditor
    /// What a new object gets.
    var initial: Cell
  }

  let store: NodeStore
  let columns: [Column]

  private static let maximumCount = ClusterTree.maximumCount

  /// Makes a tree without objects.
  func makeEmpty() throws(StorageError) -> Int64 { try makeLeaf(count: 0, keys: nil) }

  /// Makes a leaf whose objects have initial values.
  private func makeLeaf(count: Int, keys: [Int64]?) throws(StorageError) -> Int64 {
    var slots = Array(repeating: 0 as Int64, count: 1 + (columns.map { $0.index + 1 }.max() ?? 0))
    slots[0] = Int64(count * 2 + 1)
    if let keys { slots[0] = try store.makeIntegers(keys, .unsignedKeys) }
    for column in columns {
      slots[column.index + 1] = try column.leaf.make(
        Array(repeating: column.initial, count: count))
    }
    return try store.makeIntegers(slots, .refs)
  }

  // MARK: Changing an object

  /// Changes the leaf of a column that holds an object.
  ///
  /// - Throws: `rejected(.noObject)` if there is no such object; what `body` throws.
  func update(
    _ root: inout Int64, _ key: ObjectKey, column index: Int,
    _ body: (inout Int64, Int) throws(StorageError) -> Void
  ) throws(StorageError) {
    try update(&root, UInt64(bitPattern: key.rawValue), index, depth: 0, body)
  }

  private func update(
    _ ref: inout Int64, _ key: UInt64, _ index: Int, depth: Int,
    _ body: (inout Int64, Int) throws(StorageError) -> Void
  ) throws(StorageError) {
    let node = try store.view.refs(at: ref, minimumCount: 1)
    guard node.isInner else {
      let leaf = try ClusterTree.Leaf(node, base: 0, in: store.view)
      guard let row = leaf.row(of: key) else { throw .rejected(.noObject) }
      let old = try store.view.ref(node, index + 1)
      var changed = old
      try body(&changed, row)
      if changed != old { try store.set(&ref, index + 1, changed) }
      return
    }
    try checkDepth(ref, depth)
    let inner = try ClusterInner(ref, store)
    let child = inner.child(holding: key)
    var below = inner.children[child]
    try update(&below, key &- inner.offset(of: child), index, depth: depth + 1, body)
    if below != inner.children[child] { try store.set(&ref, child + 3, below) }
  }

  func checkDepth(_ ref: Int64, _ depth: Int) throws(StorageError) {
    guard depth < ClusterTree.maximumDepth else {
      throw .damage(.badDepth, at: Int(ref), found: depth, limit: ClusterTree.maximumDepth)
    }
  }

  // MARK: Insertion

  /// A new node to the right of another one, with the first key in it, relative to the same base.
  struct Sibling {
    var ref: Int64
    var offset: UInt64
  }

  /// Adds an object with initial values.
  ///
  /// - Precondition: there is no object with the key.
  func insert(_ root: inout Int64, _ key: ObjectKey) throws(StorageError) {
    let sibling = try insert(into: &root, UInt64(bitPattern: key.rawValue), depth: 0)
    if let sibling { try growRoot(&root, sibling) }
  }

  /// Puts a root above the old one and a new node to its right.
  func growRoot(_ root: inout Int64, _ sibling: Sibling) throws(StorageError) {
    let depth = try store.node(root).isInner ? ClusterInner(root, store).depth + 1 : 1
    var top = ClusterInner(
      children: [root, sibling.ref], depth: depth, keys: [0, sibling.offset],
      total: try count(root) &+ count(sibling.ref))
    top.compactIfPossible()
    root = try top.make(store)
  }

  /// Number of objects below a node.
  func count(_ ref: Int64) throws(StorageError) -> Int {
    let node = try store.view.refs(at: ref, minimumCount: 1)
    if node.isInner { return try ClusterInner(ref, store).total }
    return try ClusterTree.Leaf(node, base: 0, in: store.view).count
  }

  private func insert(
    into ref: inout Int64, _ key: UInt64, depth: Int
  ) throws(StorageError) -> Sibling? {
    guard try store.node(ref).isInner else { return try insert(intoLeaf: &ref, key) }
    try checkDepth(ref, depth)
    var inner = try ClusterInner(ref, store)
    let child = inner.child(holding: key)
    let offset = inner.offset(of: child)
    var below = inner.children[child]
    let sibling = try insert(into: &below, key &- offset, depth: depth + 1)
    inner.total &+= 1
    guard let sibling else {
      if below != inner.children[child] { try store.set(&ref, child + 3, below) }
      try store.set(&ref, 2, Int64(inner.total &* 2 | 1))
      return nil
    }
    inner.children[child] = below
    return try add(
      Sibling(ref: sibling.ref, offset: offset &+ sibling.offset), at: child + 1, to: &inner, &ref)
  }

  /// Adds a node to an inner node, whose total is right already, splitting it if it is full.
  func add(
    _ sibling: Sibling, at position: Int, to inner: inout ClusterInner, _ ref: inout Int64
  ) throws(StorageError) -> Sibling? {
    inner.makeGeneral()
    let isLast = position == inner.children.count
    guard inner.children.count >= ClusterEditor.maximumCount else {
      inner.children.insert(sibling.ref, at: position)
      inner.keys?.insert(sibling.offset, at: position)
      inner.compactIfPossible()
      try inner.save(&ref, store)
      return nil
    }
    if isLast {
      let right = ClusterInner(
        children: [sibling.ref], depth: inner.depth, keys: nil, total: try count(sibling.ref))
      inner.total &-= right.total
      inner.compactIfPossible()
      try inner.save(&ref, store)
      return Sibling(ref: try right.make(store), offset: sibling.offset)
    }
    let keys = inner.keys ?? []
    let first = keys[position]
    var right = ClusterInner(
      children: Array(inner.children[position...]), depth: inner.depth,
      keys: keys[position...].map { $0 &- first }, total: 0)
    for child in right.children { right.total &+= try count(child) }
    inner.total &-= right.total
    inner.children.replaceSubrange(position..., with: [sibling.ref])
    inner.keys?.replaceSubrange(position..., with: [sibling.offset])
    try inner.save(&ref, store)
    return Sibling(ref: try right.make(store), offset: first)
  }

  private func insert(
    intoLeaf ref: inout Int64, _ key: UInt64
  ) throws(StorageError) -> Sibling? {
    let leaf = try ClusterTree.Leaf(
      try store.view.refs(at: ref, minimumCount: 1), base: 0, in: store.view)
    var row = 0
    if leaf.keys == nil {
      row = leaf.count
    } else {
      while row < leaf.count, leaf.key(at: row) < key { row += 1 }
    }
    let isFull = leaf.count >= ClusterEditor.maximumCount
    if isFull, row == leaf.count {
      return Sibling(ref: try makeLeaf(count: 1, keys: nil), offset: key)
    }
    var sibling: Sibling?
    if isFull { sibling = try split(&ref, leaf, at: row) }
    if leaf.keys == nil, key == UInt64(leaf.count) {
      try store.set(&ref, 0, Int64(leaf.count * 2 + 3))
    } else {
      var keys = try makeGeneral(&ref)
      try store.insert(&keys, row, Int64(bitPattern: key), .unsignedKeys)
      try store.set(&ref, 0, keys)
    }
    for column in columns {
      try editLeaf(&ref, column) { (leaf: inout Int64) throws(StorageError) in
        try column.leaf.insert(&leaf, at: row, column.initial)
      }
    }
    return sibling
  }

  /// Moves the objects from a row on into a new leaf.
  private func split(
    _ ref: inout Int64, _ leaf: ClusterTree.Leaf, at row: Int
  ) throws(StorageError) -> Sibling {
    let first = leaf.key(at: row)
    let moved = (row..<leaf.count).map { Int64(bitPattern: leaf.key(at: $0) &- first) }
    var keys = try makeGeneral(&ref)
    try store.truncate(&keys, row)
    try store.set(&ref, 0, keys)
    var slots = Array(repeating: 0 as Int64, count: try store.count(ref))
    for column in columns {
      try editLeaf(&ref, column) { (leaf: inout Int64) throws(StorageError) in
        slots[column.index + 1] = try column.leaf.split(&leaf, at: row)
      }
    }
    slots[0] = try store.makeIntegers(moved, .unsignedKeys)
    return Sibling(ref: try store.makeIntegers(slots, .refs), offset: first)
  }

  /// Gives a leaf a node of keys, if it has none.
  ///
  /// - Returns: that node.
  func makeGeneral(_ ref: inout Int64) throws(StorageError) -> Int64 {
    let first = try store.element(ref, 0)
    guard first & 1 != 0 else { return first }
    let count = first >> 1
    guard count >= 0, count <= ClusterEditor.maximumCount else {
      throw .damage(
        .tooManyElements, at: Int(ref), found: Int(count), limit: ClusterEditor.maximumCount)
    }
    let keys = try store.makeIntegers((0..<count).map { $0 }, .unsignedKeys)
    try store.set(&ref, 0, keys)
    return keys
  }

  func editLeaf(
    _ ref: inout Int64, _ column: Column, _ body: (inout Int64) throws(StorageError) -> Void
  ) throws(StorageError) {
    let old = try store.element(ref, column.index + 1)
    var changed = old
    try body(&changed)
    if changed != old { try store.set(&ref, column.index + 1, changed) }
  }
}
