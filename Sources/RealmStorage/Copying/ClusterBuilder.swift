import RealmValues

/// Builds the tree of the objects of a table from whole leaves, in ascending order of keys.
///
/// Source: file-format-writing.md 8.3.
struct ClusterBuilder {
  /// A node of the tree, and the first key below it.
  private struct Node {
    var base: UInt64
    var ref: Int64
    /// Number of objects.
    var count: Int
  }

  private var leaves: [Node] = []

  /// Number of leaves.
  var count: Int { leaves.count }

  /// Adds a leaf.
  ///
  /// - Parameters:
  ///   - keys: At most 256 ascending keys, above those of the leaf before.
  ///   - columns: The column leaves by column index; 0 where there is none.
  mutating func append(
    _ keys: [UInt64], columns: [Int64], in store: NodeStore
  ) throws(StorageError) {
    // The first leaf may become the root, whose keys count from 0.
    let base = leaves.isEmpty ? 0 : keys[0]
    let isCompact = keys.indices.allSatisfy { keys[$0] == base &+ UInt64($0) }
    let first =
      isCompact
      ? Int64(keys.count * 2 + 1)
      : try store.makeIntegers(keys.map { Int64(bitPattern: $0 &- base) }, .unsignedKeys)
    let ref = try store.makeIntegers([first] + columns, .refs)
    leaves.append(Node(base: base, ref: ref, count: keys.count))
  }

  /// Makes the inner nodes above the leaves; there is at least one leaf.
  ///
  /// - Returns: the root.
  func makeRoot(in store: NodeStore) throws(StorageError) -> Int64 {
    var (level, depth) = (leaves, 1)
    while level.count > 1 {
      var above: [Node] = []
      for start in stride(from: 0, to: level.count, by: ClusterTree.maximumCount) {
        let children = level[start..<min(level.count, start + ClusterTree.maximumCount)]
        let base = level[start].base
        var inner = ClusterInner(
          children: children.map { $0.ref }, depth: depth, keys: children.map { $0.base &- base },
          total: children.reduce(0) { $0 + $1.count })
        inner.compactIfPossible()
        above.append(Node(base: base, ref: try inner.make(store), count: inner.total))
      }
      (level, depth) = (above, depth + 1)
    }
    return level[0].ref
  }

  /// Finds the leaves again after a commit has given them other places.
  mutating func reload(root: Int64, in store: NodeStore) throws(StorageError) {
    store.renewWork()
    var cursor = ClusterCursor(try ClusterTree(root: root, in: store.view))
    for i in leaves.indices {
      guard let leaf = try cursor.nextLeaf() else { break }
      leaves[i].ref = Int64(leaf.node.offset)
    }
  }

  /// Gives up the inner nodes of a tree, but not its leaves.
  static func freeInner(_ root: Int64, in store: NodeStore) throws(StorageError) {
    var pending = [root]
    while let ref = pending.popLast() {
      guard try store.node(ref).isInner else { continue }
      let inner = try ClusterInner(ref, store)
      if inner.depth > 1 { pending += inner.children }
      try ClusterInner.freeNode(ref, store)
    }
  }
}
