import ByteKernels

/// The objects of a table, ordered by object key as an unsigned number.
///
///     inner node                               leaf ("cluster")
///     slot     content                         slot    content
///        0     0, or ref of the child keys        0    tagged: number of objects, their keys are
///        1     tagged: depth, 1 above leaves           0 ... n-1; or ref of the keys
///        2     tagged: number of objects        1 + i  ref of the column with index i, or 0
///     3 ... k+2  refs of the children
///
/// Keys are relative to the offset of the node: child j of an inner node without keys starts at
/// j << (8 * depth).
///
/// Source: file-format.md 5.
struct ClusterTree {
  static let maximumDepth = 16
  /// Most objects of a leaf and children of an inner node.
  static let maximumCount = 256

  let root: Int64
  let view: FileView
  /// Bits of a key for each level: 8, or 2 in files from test builds.
  let bitsPerLevel: Int

  init(root: Int64, in view: FileView) throws(StorageError) {
    self.root = root
    self.view = view
    bitsPerLevel = try ClusterTree.findBitsPerLevel(root, view)
  }

  /// A tree whose nodes may be damaged.
  init(damaged root: Int64, in view: FileView) {
    (self.root, self.view) = (root, view)
    let told = try? ClusterTree.findBitsPerLevel(root, view)
    bitsPerLevel =
      told != 2 && ClusterTree.hasSmallNodes(root, view, level: 0) == true ? 2 : told ?? 8
  }

  /// Whether the objects that are told are too few for nodes that are not from test builds, where the
  /// leaves do not have as many; nil if nothing tells it.
  private static func hasSmallNodes(_ ref: Int64, _ view: FileView, level: Int) -> Bool? {
    guard level <= maximumDepth, let node = try? view.refs(at: ref, minimumCount: 5), node.isInner,
      node[0] == 0, node.count <= 7, let depth = (try? view.tagged(node, 1)) ?? nil
    else { return nil }
    let children = (3..<node.count).map { try? view.ref(node, $0) }
    guard depth == 1 else {
      return children.lazy.compactMap { child in
        child.flatMap { hasSmallNodes($0, view, level: level + 1) }
      }.first
    }
    guard let stored = (try? view.tagged(node, 2)) ?? nil else { return nil }
    let counts = children.map { child in
      child.flatMap { try? Leaf(try view.refs(at: $0, minimumCount: 1), base: 0, in: view).count }
    }
    let isWhole = counts.allSatisfy { $0 != nil } && counts.reduce(0) { $0 + ($1 ?? 0) } == stored
    return !isWhole && stored <= 4 * Int64(children.count) ? true : nil
  }

  /// Number of objects, as the root tells it.
  func objectCount() throws(StorageError) -> Int {
    let node = try view.refs(at: root, minimumCount: 1)
    guard node.isInner else { return try Leaf(node, base: 0, in: view).count }
    guard let count = try view.tagged(node, 2) else {
      throw .damage(.notTagged, at: node.offset, found: 2)
    }
    return Int(count)
  }

  /// One leaf: its node and the keys of its objects.
  struct Leaf {
    let node: NodeView
    let count: Int
    /// Added to the relative keys.
    let base: UInt64
    /// Relative keys; nil if they are 0, 1, 2 ...
    let keys: PackedIntegers?

    init(_ node: NodeView, base: UInt64, in view: FileView) throws(StorageError) {
      self.node = node
      self.base = base
      let first = node[0]
      if first & 1 != 0 {
        keys = nil
        count = Int(truncatingIfNeeded: UInt64(bitPattern: first) >> 1)
      } else {
        let keys = try view.integers(at: try view.ref(node, 0)).integers
        self.keys = keys
        count = keys.count
      }
      guard count >= 0, count <= ClusterTree.maximumCount else {
        throw .damage(
          .tooManyElements, at: node.offset, found: count, limit: ClusterTree.maximumCount)
      }
    }

    @inline(__always)
    func key(at row: Int) -> UInt64 {
      guard let keys else { return base &+ UInt64(row) }
      return base &+ keys.unsigned(row)
    }

    /// The row of a key; nil if the leaf does not hold it.
    func row(of key: UInt64) -> Int? {
      let relative = key &- base
      guard let keys else { return relative < UInt64(count) ? Int(relative) : nil }
      var (low, high) = (0, count)
      while low < high {
        let middle = (low + high) / 2
        if keys.unsigned(middle) < relative { low = middle + 1 } else { high = middle }
      }
      return low < count && keys.unsigned(low) == relative ? low : nil
    }
  }

  /// Finds the leaf and the row of an object.
  ///
  /// - Complexity: O(log n); one node validation per level.
  func find(_ key: UInt64) throws(StorageError) -> (leaf: Leaf, row: Int)? {
    var ref = root
    var base: UInt64 = 0
    for _ in 0...ClusterTree.maximumDepth {
      let node = try view.refs(at: ref, minimumCount: 1)
      guard node.isInner else {
        let leaf = try Leaf(node, base: base, in: view)
        return leaf.row(of: key).map { (leaf, $0) }
      }
      let inner = try Inner(node, self)
      guard let child = inner.child(holding: key &- base) else { return nil }
      base &+= inner.offset(ofChild: child)
      ref = try view.ref(node, child + 3)
    }
    throw .damage(
      .badDepth, at: Int(ref), found: ClusterTree.maximumDepth + 1, limit: ClusterTree.maximumDepth)
  }

  /// An inner node with its fields checked.
  struct Inner {
    let node: NodeView
    let childCount: Int
    let depth: Int
    private let keys: PackedIntegers?
    private let shift: UInt64

    init(_ node: NodeView, _ tree: ClusterTree) throws(StorageError) {
      guard node.count >= 4 else {
        throw .damage(.tooFewElements, at: node.offset, found: node.count, limit: 4)
      }
      self.node = node
      childCount = node.count - 3
      guard childCount <= ClusterTree.maximumCount else {
        throw .damage(
          .tooManyElements, at: node.offset, found: childCount, limit: ClusterTree.maximumCount)
      }
      guard let depth = try tree.view.tagged(node, 1), depth >= 1, depth <= maximumDepth else {
        throw .damage(.badDepth, at: node.offset, found: Int(node[1] >> 1), limit: maximumDepth)
      }
      self.depth = Int(depth)
      if let ref = try tree.view.optionalRef(node, 0) {
        let keys = try tree.view.integers(at: ref).integers
        guard keys.count == childCount else {
          throw .damage(.countMismatch, at: node.offset, found: keys.count, limit: childCount)
        }
        self.keys = keys
        shift = 0
      } else {
        keys = nil
        shift = UInt64(tree.bitsPerLevel * self.depth)
        guard shift < 64 else {
          throw .damage(.badDepth, at: node.offset, found: self.depth, limit: 7)
        }
      }
    }

    func offset(ofChild child: Int) -> UInt64 {
      keys.map { $0.unsigned(child) } ?? UInt64(child) << shift
    }

    /// The only child that can hold a key; nil if the key is before the first one.
    func child(holding key: UInt64) -> Int? {
      guard let keys else { return Int(min(key >> shift, UInt64(childCount - 1))) }
      var (low, high) = (0, childCount)
      while low < high {
        let middle = (low + high) / 2
        if keys.unsigned(middle) <= key { low = middle + 1 } else { high = middle }
      }
      return low == 0 ? nil : low - 1
    }
  }

  /// Decides by the lowest left inner node whether the file comes from a build whose nodes have
  /// four entries: no more than four children, and each but the last a compact leaf of four.
  ///
  /// Source: file-format.md 5.6.
  private static func findBitsPerLevel(
    _ root: Int64, _ view: FileView
  ) throws(StorageError) -> Int {
    var node = try view.refs(at: root, minimumCount: 1)
    for _ in 0..<maximumDepth where node.isInner {
      let childCount = node.count - 3
      guard (1...4).contains(childCount) else { return 8 }
      let child = try view.refs(at: try view.ref(node, 3), minimumCount: 1)
      if child.isInner {
        node = child
        continue
      }
      guard node[0] == 0, childCount >= 2 else { return 8 }
      for slot in 3..<(2 + childCount) {
        let leaf = try view.refs(at: try view.ref(node, slot), minimumCount: 1)
        guard leaf[0] == 4 << 1 | 1 else { return 8 }
      }
      return 2
    }
    return 8
  }
}

/// Walks the leaves of a cluster tree in key order.
struct ClusterCursor {
  private struct Frame {
    var inner: ClusterTree.Inner
    var base: UInt64
    var next = 1
  }

  private let tree: ClusterTree
  private var pendingRoot = true
  /// The inner nodes above the present leaf, the root first.
  private var stack: [Frame] = []

  /// Starts before the first leaf.
  init(_ tree: ClusterTree) { self.tree = tree }

  /// Passes over the leaves that end before a key; only before the first leaf.
  mutating func skip(to key: UInt64) throws(StorageError) {
    guard key > 0, pendingRoot else { return }
    var (ref, base) = (tree.root, 0 as UInt64)
    while stack.count < ClusterTree.maximumDepth {
      let node = try tree.view.refs(at: ref, minimumCount: 1)
      guard node.isInner else {
        if !stack.isEmpty { throw .damage(.badDepth, at: node.offset) }
        return
      }
      pendingRoot = false
      let inner = try ClusterTree.Inner(node, tree)
      let child = key < base ? 0 : inner.child(holding: key &- base) ?? 0
      let isLast = inner.depth == 1
      stack.append(Frame(inner: inner, base: base, next: isLast ? child : child + 1))
      if isLast { return }
      base &+= inner.offset(ofChild: child)
      ref = try tree.view.ref(node, child + 3)
    }
  }

  /// The next leaf; nil at the end.
  mutating func nextLeaf() throws(StorageError) -> ClusterTree.Leaf? {
    if pendingRoot {
      pendingRoot = false
      return try descend(to: tree.root, base: 0, below: nil)
    }
    while let top = stack.indices.last {
      let child = stack[top].next
      let inner = stack[top].inner
      guard child < inner.childCount else {
        stack.removeLast()
        continue
      }
      stack[top].next = child + 1
      let ref = try tree.view.ref(inner.node, child + 3)
      let base = stack[top].base &+ inner.offset(ofChild: child)
      return try descend(to: ref, base: base, below: inner.depth)
    }
    return nil
  }

  private mutating func descend(
    to ref: Int64, base: UInt64, below parentDepth: Int?
  ) throws(StorageError) -> ClusterTree.Leaf {
    var (ref, base, parentDepth) = (ref, base, parentDepth)
    while true {
      let node = try tree.view.refs(at: ref, minimumCount: 1)
      try tree.view.charge(node)
      guard node.isInner else {
        guard parentDepth ?? 1 == 1 else {
          throw .damage(.badDepth, at: node.offset, found: 0, limit: (parentDepth ?? 1) - 1)
        }
        return try ClusterTree.Leaf(node, base: base, in: tree.view)
      }
      let inner = try ClusterTree.Inner(node, tree)
      if let parentDepth, inner.depth != parentDepth - 1 {
        throw .damage(.badDepth, at: node.offset, found: inner.depth, limit: parentDepth - 1)
      }
      guard stack.count < ClusterTree.maximumDepth else {
        throw .damage(
          .badDepth, at: node.offset, found: stack.count, limit: ClusterTree.maximumDepth)
      }
      stack.append(Frame(inner: inner, base: base))
      base &+= inner.offset(ofChild: 0)
      parentDepth = inner.depth
      ref = try tree.view.ref(node, 3)
    }
  }
}
