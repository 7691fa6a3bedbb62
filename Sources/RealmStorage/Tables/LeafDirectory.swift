import ByteKernels

/// Where the leaves of a table are, in the order of their keys, and those that have been read.
///
/// The step from leaf to leaf through the tree, and the validation of the leaves, take longer than
/// most scans of their columns. A table of a committed version never changes: its leaves are
/// validated once, and what is read later finds them here.
final class LeafDirectory {
  /// Tables with more leaves keep none: about 100 bytes for each leaf and for each of its columns.
  private static let maximumKeptCount = 1 << 17

  private struct Place {
    var ref: Int64
    /// Added to the relative keys of the leaf.
    var base: UInt64
  }

  /// Whether what was read stays.
  let isKept: Bool
  private let view: FileView
  private var places: [Place] = []
  /// What is wrong behind the last leaf.
  private var failure: StorageError?
  /// The leaves that have been read, if they are kept.
  private let leaves: UnsafeMutablePointer<ClusterTree.Leaf>
  private let isRead: UnsafeMutablePointer<Bool>
  /// The kept columns by their slots.
  private var columns: [Int: LeafColumn] = [:]

  /// Number of leaves.
  var count: Int { places.count }

  /// Finds the leaves from the inner nodes alone.
  ///
  /// - Parameter isCommitted: Whether the table cannot change.
  init(_ tree: ClusterTree, isCommitted: Bool) {
    view = tree.view
    var walk = Walk(tree)
    do throws(StorageError) { try walk.visit(tree.root, base: 0, below: nil) } catch {
      failure = error
    }
    places = walk.places
    isKept = isCommitted && failure == nil && places.count <= LeafDirectory.maximumKeptCount
    let capacity = isKept ? places.count : 0
    leaves = .allocate(capacity: capacity)
    isRead = .allocate(capacity: capacity)
    isRead.initialize(repeating: false, count: capacity)
  }

  deinit {
    leaves.deallocate()
    isRead.deallocate()
    for column in columns.values { column.deallocate() }
  }

  private struct Walk {
    let tree: ClusterTree
    var places: [Place] = []

    init(_ tree: ClusterTree) { self.tree = tree }

    /// Adds the leaves below a node; depths fall from level to level, so that there are few levels.
    mutating func visit(
      _ ref: Int64, base: UInt64, below parentDepth: Int?
    ) throws(StorageError) {
      let view = tree.view
      let node = try view.refs(at: ref, minimumCount: 1)
      try view.charge(node)
      guard node.isInner else {
        guard parentDepth == nil else { throw .damage(.badDepth, at: node.offset) }
        places.append(Place(ref: ref, base: base))
        return
      }
      let inner = try ClusterTree.Inner(node, tree)
      if let parentDepth, inner.depth != parentDepth - 1 {
        throw .damage(.badDepth, at: node.offset, found: inner.depth, limit: parentDepth - 1)
      }
      for child in 0..<inner.childCount {
        let ref = try view.ref(node, child + 3)
        let base = base &+ inner.offset(ofChild: child)
        guard inner.depth == 1 else {
          try visit(ref, base: base, below: inner.depth)
          continue
        }
        try view.charge(1, at: node.offset)
        // No leaf is smaller.
        guard places.count < view.byteCount / 16 else {
          throw .damage(.cyclicRefs, at: node.offset)
        }
        places.append(Place(ref: ref, base: base))
      }
    }
  }

  /// The leaf at an index; nil at the end.
  @inline(__always)
  func leaf(_ index: Int) throws(StorageError) -> ClusterTree.Leaf? {
    if isKept, index < places.count, isRead[index] { return leaves[index] }
    return try readLeaf(index)
  }

  @inline(never)
  private func readLeaf(_ index: Int) throws(StorageError) -> ClusterTree.Leaf? {
    guard index < places.count else {
      if let failure { throw failure }
      return nil
    }
    let node = try view.refs(at: places[index].ref, minimumCount: 1)
    guard !node.isInner else { throw .damage(.badDepth, at: node.offset, found: 1, limit: 0) }
    let leaf = try ClusterTree.Leaf(node, base: places[index].base, in: view)
    if isKept {
      leaves[index] = leaf
      isRead[index] = true
    }
    return leaf
  }

  /// The only leaf that can hold a key; nil if the key is before all leaves.
  func index(holding key: UInt64) -> Int? {
    places.withUnsafeBufferPointer { places in
      // Leaves that are full, as after adding objects, are found without a search.
      let guess = Int(truncatingIfNeeded: min(key &>> 8, UInt64(places.count)))
      if guess < places.count, places[guess].base <= key,
        guess &+ 1 == places.count || places[guess &+ 1].base > key
      {
        return guess
      }
      var (low, high) = (0, places.count)
      while low < high {
        let middle = (low &+ high) / 2
        if places[middle].base <= key { low = middle &+ 1 } else { high = middle }
      }
      return low == 0 ? nil : low &- 1
    }
  }

  /// The kept leaves of a column; nil if they are not kept.
  func column(_ type: LeafType, slot: Int) -> LeafColumn? {
    guard isKept, LeafColumn.isKept(type) else { return nil }
    if let column = columns[slot] { return column }
    let column = LeafColumn(type, slot: slot, capacity: places.count, isKept: true)
    columns[slot] = column
    return column
  }

  // MARK: What will be read soon

  /// How many leaves ahead the nodes of the columns are brought near; the leaves themselves, which
  /// tell where those are, twice as many.
  private static let distance = 8

  /// Brings near what will be read of some columns, a few leaves behind an index.
  ///
  /// - Parameter isScanned: The columns whose values will be read; of the others only the leaves are.
  @inline(__always)
  func prefetch(
    behind index: Int, _ columns: UnsafeMutableBufferPointer<LeafColumn>,
    _ isScanned: UnsafeMutableBufferPointer<Bool>
  ) {
    guard !view.isEncrypted else { return }
    let far = index &+ 2 &* LeafDirectory.distance
    if far < places.count, !isKept || !isRead[far] {
      prefetchForReading(view.address(ofRef: places[far].ref))
    }
    let near = index &+ LeafDirectory.distance
    guard near < places.count else { return }
    if isKept, isRead[near] {
      for (i, column) in columns.enumerated() {
        if !column.isRead(near) {
          prefetch(leaves[near].node, slot: column.slot + 1)
        } else if isScanned[i] {
          let bytes = column.bytes(near)
          guard let start = bytes.baseAddress else { continue }
          // The processor foresees what follows only within a page.
          for offset in stride(from: 0, to: bytes.count, by: 64) {
            prefetchForReading(start + offset)
          }
        }
      }
    } else if let node = try? view.refs(at: places[near].ref) {
      for column in columns { prefetch(node, slot: column.slot + 1) }
    }
  }

  @inline(__always)
  private func prefetch(_ node: NodeView, slot: Int) {
    if slot < node.count { prefetch(view.address(ofRef: node[slot])) }
  }

  /// A column of bytes and its header fill five lines; the processor foresees the rest.
  @inline(__always)
  private func prefetch(_ start: UnsafeRawPointer) {
    for line in 0..<5 { prefetchForReading(start + line &* 64) }
  }

  /// Brings near what the nodes of columns refer to, half as many leaves ahead as the nodes.
  func prefetchBelow(behind index: Int, _ columns: UnsafeMutableBufferPointer<LeafColumn>) {
    let near = index &+ LeafDirectory.distance / 2
    guard !view.isEncrypted, near < places.count else { return }
    for column in columns where column.type.layout == .date && !column.isRead(near) {
      let slot = column.slot + 1
      guard let leaf = try? view.refs(at: places[near].ref), slot < leaf.count,
        let node = try? view.refs(at: leaf[slot])
      else { continue }
      for i in 0..<2 { prefetch(node, slot: i) }
    }
  }
}
