import ByteKernels

/// Walks the leaves of a B+ tree from left to right.
///
/// An inner node with k children:
///
///     slot     content
///        0     tagged: elements of each child (compact form), or ref of the offsets node
///     1 ... k  refs of the children
///      k+1     tagged: number of elements in the subtree
///
/// The offsets node holds, for each child but the first, the number of elements before it.
///
/// Source: file-format.md 4.1, 10.3.
struct BPlusTreeCursor {
  /// No tree of a valid file is deeper.
  static let maximumDepth = 16

  private struct Frame {
    var ref: Int64 = 0
    var next = 0
  }

  private let view: FileView
  /// The root that `nextLeaf` has not descended from yet; 0 if there is none.
  private var pendingRoot: Int64
  private var stack = InlineArray<16, Frame>(repeating: Frame())
  private var depth = 0

  /// Starts before the first leaf; a root of 0 is an empty tree.
  init(root: Int64, in view: FileView) {
    self.view = view
    pendingRoot = root
  }

  /// The next leaf; nil at the end.
  mutating func nextLeaf() throws(StorageError) -> NodeView? {
    if pendingRoot != 0 {
      let root = pendingRoot
      pendingRoot = 0
      return try descend(to: root)
    }
    while depth > 0 {
      let frame = stack[depth - 1]
      let node = try inner(frame.ref)
      guard frame.next < node.count - 1 else {
        depth -= 1
        continue
      }
      stack[depth - 1].next += 1
      return try descend(to: try view.ref(node, frame.next))
    }
    return nil
  }

  /// Goes down the first children.
  private mutating func descend(to ref: Int64) throws(StorageError) -> NodeView {
    var ref = ref
    while true {
      let node = try charged(ref)
      guard node.isInner else { return node }
      try push(node, next: 2)
      ref = try view.ref(node, 1)
    }
  }

  private mutating func push(_ node: NodeView, next: Int) throws(StorageError) {
    guard depth < BPlusTreeCursor.maximumDepth else {
      throw .damage(
        .badDepth, at: node.offset, found: depth, limit: BPlusTreeCursor.maximumDepth)
    }
    stack[depth] = Frame(ref: Int64(node.offset), next: next)
    depth += 1
  }

  private func charged(_ ref: Int64) throws(StorageError) -> NodeView {
    let node = try view.node(at: ref)
    try view.charge(node)
    if node.isInner { _ = try checkedInner(node) }
    return node
  }

  private func inner(_ ref: Int64) throws(StorageError) -> NodeView {
    try checkedInner(try view.node(at: ref))
  }

  private func checkedInner(_ node: NodeView) throws(StorageError) -> NodeView {
    guard node.isInner, node.hasRefs, node.scheme == .bits else {
      throw .damage(.wrongNodeKind, at: node.offset, found: Int(node.flags))
    }
    guard node.count >= 3 else {
      throw .damage(.tooFewElements, at: node.offset, found: node.count, limit: 3)
    }
    return node
  }

  /// Moves to the leaf that holds an element, so that `nextLeaf` gives the leaf behind it.
  ///
  /// - Returns: the leaf and the number of elements before it. The index can be beyond the leaf if
  ///   it is beyond the tree.
  mutating func seek(to index: Int) throws(StorageError) -> (leaf: NodeView, start: Int)? {
    guard pendingRoot != 0 else { return nil }
    var ref = pendingRoot
    pendingRoot = 0
    var start = 0
    // Nothing is charged: the depth bounds the work, and an object may be looked up often.
    while true {
      let node = try view.node(at: ref)
      guard node.isInner else { return (node, start) }
      let child = try child(of: try checkedInner(node), holding: index &- start)
      try push(node, next: child.slot + 1)
      start &+= child.start
      ref = try view.ref(node, child.slot)
    }
  }

  private func child(
    of node: NodeView, holding index: Int
  ) throws(StorageError) -> (slot: Int, start: Int) {
    let childCount = node.count - 2
    let first = node[0]
    if first & 1 != 0 {
      let each = Int(first >> 1)
      guard each > 0 else { throw .damage(.badIndex, at: node.offset, found: each, limit: 1) }
      let child = min(index / each, childCount - 1)
      return (child + 1, child &* each)
    }
    let offsets = try view.integers(at: try view.ref(node, 0)).integers
    guard offsets.count == childCount - 1 else {
      throw .damage(
        .countMismatch, at: node.offset, found: offsets.count, limit: childCount - 1)
    }
    var (low, high) = (0, offsets.count)
    while low < high {
      let middle = (low + high) / 2
      if offsets.unsigned(middle) <= UInt64(index) { low = middle + 1 } else { high = middle }
    }
    let start = low == 0 ? 0 : Int(truncatingIfNeeded: offsets.unsigned(low - 1))
    return (low + 1, start)
  }

  /// Number of elements of a tree, read from its root; nil if the root is a leaf.
  static func elementCount(ofInner node: NodeView) throws(StorageError) -> Int? {
    guard node.isInner else { return nil }
    guard node.count >= 3, node.scheme == .bits else {
      throw .damage(.tooFewElements, at: node.offset, found: node.count, limit: 3)
    }
    let total = node[node.count - 1]
    guard total & 1 != 0, total > 0 else {
      throw .damage(.notTagged, at: node.offset, found: node.count - 1)
    }
    return Int(total >> 1)
  }
}

/// The leaves of a column tree or of a collection as `ColumnLeaf`s.
///
/// Old timestamps lie in two trees whose leaves need not end at the same rows; the runs handed out
/// end where either of them ends.
struct LeafStream {
  private let view: FileView
  private let type: LeafType
  private var tree: BPlusTreeCursor
  private var nanoseconds: BPlusTreeCursor?
  private var pendingSeconds: IntegerLeaf?
  private var pendingNanoseconds: IntegerLeaf?

  /// Streams a tree; `root` is 0 for an empty one. For old timestamps it is the pair of trees.
  init(root: Int64, type: LeafType, in view: FileView) throws(StorageError) {
    self.view = view
    self.type = type
    if type.isOld, type.layout == .date, root != 0 {
      let pair = try view.refs(at: root, minimumCount: 2)
      tree = BPlusTreeCursor(root: try view.ref(pair, 0), in: view)
      nanoseconds = BPlusTreeCursor(root: try view.ref(pair, 1), in: view)
    } else {
      tree = BPlusTreeCursor(root: root, in: view)
    }
  }

  /// The next run of values; nil at the end. It can be empty.
  mutating func next() throws(StorageError) -> ColumnLeaf? {
    guard nanoseconds != nil else {
      guard let node = try tree.nextLeaf() else { return nil }
      return try ColumnLeaf(node, type, in: view)
    }
    return try nextDates()
  }

  private mutating func nextDates() throws(StorageError) -> ColumnLeaf? {
    while pendingSeconds.map({ $0.count == 0 }) ?? true {
      guard let node = try tree.nextLeaf() else { return nil }
      pendingSeconds = try IntegerLeaf(checked(node), isNullable: true)
    }
    while pendingNanoseconds.map({ $0.count == 0 }) ?? true {
      guard let node = try nanoseconds?.nextLeaf() else {
        throw .damage(.countMismatch, at: 0, found: 0, limit: pendingSeconds?.count ?? 0)
      }
      pendingNanoseconds = try IntegerLeaf(checked(node), isNullable: false)
    }
    guard let seconds = pendingSeconds, let parts = pendingNanoseconds else { return nil }
    let count = min(seconds.count, parts.count)
    pendingSeconds = seconds.suffix(from: count, count: seconds.count - count)
    pendingNanoseconds = parts.suffix(from: count, count: parts.count - count)
    return .date(
      TimestampLeaf(
        seconds: seconds.suffix(from: 0, count: count),
        nanoseconds: parts.suffix(from: 0, count: count)))
  }

  private func checked(_ node: NodeView) throws(StorageError) -> NodeView {
    guard node.scheme == .bits else {
      throw .damage(.wrongNodeKind, at: node.offset, found: Int(node.flags))
    }
    return node
  }

  /// The run of values that starts with an element; nil if there is none. `next` goes on behind it.
  mutating func seek(to index: Int) throws(StorageError) -> ColumnLeaf? {
    guard let (node, start) = try tree.seek(to: index) else { return nil }
    if var parts = nanoseconds {
      guard let (second, secondStart) = try parts.seek(to: index) else { return nil }
      nanoseconds = parts
      pendingSeconds = try LeafStream.rest(
        IntegerLeaf(checked(node), isNullable: true), index - start)
      pendingNanoseconds = try LeafStream.rest(
        IntegerLeaf(checked(second), isNullable: false), index - secondStart)
      guard pendingSeconds != nil, pendingNanoseconds != nil else { return nil }
      return try nextDates()
    }
    let leaf = try ColumnLeaf(node, type, in: view)
    let position = index - start
    guard position >= 0, position < leaf.count else { return nil }
    return leaf.suffix(from: position, count: leaf.count - position)
  }

  private static func rest(_ leaf: IntegerLeaf, _ position: Int) -> IntegerLeaf? {
    guard position >= 0, position < leaf.count else { return nil }
    return leaf.suffix(from: position, count: leaf.count - position)
  }
}
