import RealmValues

/// Changes B+ trees: lists, sets, the two halves of dictionaries, lists of keys.
///
/// Leaves and inner nodes split when they are full; empty ones are dropped. A node stays in the
/// compact form as long as every child but the last is exactly full.
///
/// Source: file-format-writing.md 8.2.
struct TreeEditor {
  /// Most elements of a leaf and most children of an inner node.
  static let maximumCount = 1000

  let leaf: LeafEditor
  var store: NodeStore { leaf.store }

  init(_ store: NodeStore, _ type: LeafType) { leaf = LeafEditor(store: store, type: type) }

  /// A tree of plain integers, such as object keys.
  init(integersIn store: NodeStore) {
    self.init(store, LeafType(layout: .int, isNullable: false))
  }

  func makeEmpty() throws(StorageError) -> Int64 { try leaf.makeEmpty() }

  /// Makes a packed tree.
  func make(_ cells: [Cell]) throws(StorageError) -> Int64 {
    try make(count: cells.count) { (range) throws(StorageError) in
      try leaf.make(Array(cells[range]))
    }
  }

  /// Makes a packed tree of leaves for ranges of elements.
  func make(
    count: Int, _ makeLeaf: (Range<Int>) throws(StorageError) -> Int64
  ) throws(StorageError) -> Int64 {
    var level: [Int64] = []
    var each = TreeEditor.maximumCount
    for start in stride(from: 0, to: max(1, count), by: each) {
      level.append(try makeLeaf(start..<min(count, start + each)))
    }
    while level.count > 1 {
      var above: [Int64] = []
      for start in stride(from: 0, to: level.count, by: TreeEditor.maximumCount) {
        let end = min(level.count, start + TreeEditor.maximumCount)
        let total = min(count, end * each) - start * each
        var inner = TreeInner(children: Array(level[start..<end]), total: Int64(total))
        inner.perChild = Int64(each)
        above.append(try inner.make(store))
      }
      level = above
      each *= TreeEditor.maximumCount
    }
    return level[0]
  }

  /// Number of elements.
  func count(_ ref: Int64) throws(StorageError) -> Int {
    if let total = try BPlusTreeCursor.elementCount(ofInner: try store.node(ref)) { return total }
    return try leaf.count(ref)
  }

  /// The element at an index.
  func cell(_ root: Int64, _ index: Int) throws(StorageError) -> Cell {
    var (ref, index) = (root, index)
    for _ in 0...BPlusTreeCursor.maximumDepth {
      guard try store.node(ref).isInner else { return try leaf.cell(ref, index) }
      let inner = try TreeInner(ref, store)
      let child = inner.child(holding: index)
      index &-= inner.start(of: child)
      ref = inner.children[child]
    }
    throw .damage(.badDepth, at: Int(root), found: 0, limit: BPlusTreeCursor.maximumDepth)
  }

  /// All elements.
  func cells(_ root: Int64) throws(StorageError) -> [Cell] {
    guard root != 0 else { return [] }
    var result: [Cell] = []
    var cursor = BPlusTreeCursor(root: root, in: store.view)
    store.renewWork()
    while let node = try cursor.nextLeaf() { result += try leaf.cells(Int64(node.offset)) }
    return result
  }

  /// Changes an element.
  func set(_ root: inout Int64, _ index: Int, _ cell: Cell) throws(StorageError) {
    try change(&root, index, depth: 0) { (ref: inout Int64, row) throws(StorageError) in
      try leaf.set(&ref, at: row, cell)
    }
  }

  private func change(
    _ ref: inout Int64, _ index: Int, depth: Int,
    _ body: (inout Int64, Int) throws(StorageError) -> Void
  ) throws(StorageError) {
    guard try store.node(ref).isInner else { return try body(&ref, index) }
    try checkDepth(ref, depth)
    let inner = try TreeInner(ref, store)
    let child = inner.child(holding: index)
    var below = inner.children[child]
    try change(&below, index &- inner.start(of: child), depth: depth + 1, body)
    if below != inner.children[child] { try store.set(&ref, child + 1, below) }
  }

  private func checkDepth(_ ref: Int64, _ depth: Int) throws(StorageError) {
    guard depth < BPlusTreeCursor.maximumDepth else {
      throw .damage(.badDepth, at: Int(ref), found: depth, limit: BPlusTreeCursor.maximumDepth)
    }
  }

  // MARK: Insertion

  /// Inserts an element; the index may be the count.
  func insert(_ root: inout Int64, _ index: Int, _ cell: Cell) throws(StorageError) {
    guard let right = try insert(into: &root, index, cell, depth: 0) else { return }
    let (leftCount, rightCount) = (try count(root), try count(right))
    var top = TreeInner(children: [root, right], total: Int64(leftCount &+ rightCount))
    if try isCompactOrLeaf(root), try isCompactOrLeaf(right), rightCount <= leftCount {
      top.perChild = Int64(leftCount)
    } else {
      top.starts = [Int64(leftCount)]
    }
    root = try top.make(store)
  }

  /// Adds an element at the end.
  func append(_ root: inout Int64, _ cell: Cell) throws(StorageError) {
    try insert(&root, try count(root), cell)
  }

  private func isCompactOrLeaf(_ ref: Int64) throws(StorageError) -> Bool {
    guard try store.node(ref).isInner else { return true }
    return try store.element(ref, 0) & 1 != 0
  }

  /// Inserts below a node.
  ///
  /// - Returns: a new node to the right of this one.
  private func insert(
    into ref: inout Int64, _ index: Int, _ cell: Cell, depth: Int
  ) throws(StorageError) -> Int64? {
    guard try store.node(ref).isInner else { return try insert(intoLeaf: &ref, index, cell) }
    try checkDepth(ref, depth)
    var inner = try TreeInner(ref, store)
    let child = inner.child(holding: index)
    let start = inner.start(of: child)
    let sibling = try insert(
      into: &inner.children[child], index &- start, cell, depth: depth + 1)
    let isLast = child == inner.children.count - 1
    inner.total &+= 1
    if !isLast { inner.makeGeneral() }
    if inner.perChild != nil, try !isCompactOrLeaf(inner.children[child]) { inner.makeGeneral() }
    if inner.starts != nil {
      for later in child..<inner.children.count - 1 { inner.starts?[later] &+= 1 }
    }
    guard let sibling else {
      try inner.save(&ref, store)
      return nil
    }
    return try add(sibling, after: child, to: &inner, at: &ref)
  }

  private func insert(
    intoLeaf ref: inout Int64, _ index: Int, _ cell: Cell
  ) throws(StorageError) -> Int64? {
    let count = try leaf.count(ref)
    guard index >= 0, index <= count else {
      throw .damage(.badIndex, at: Int(ref), found: index, limit: count)
    }
    if count < TreeEditor.maximumCount {
      try leaf.insert(&ref, at: index, cell)
      return nil
    }
    if index == count {
      // A value that does not fit must be refused before anything is changed.
      return try leaf.make([cell])
    }
    let right = try leaf.split(&ref, at: index)
    try leaf.insert(&ref, at: index, cell)
    return right
  }

  /// Adds a child behind another one, splitting the node if it is full.
  private func add(
    _ sibling: Int64, after child: Int, to inner: inout TreeInner, at ref: inout Int64
  ) throws(StorageError) -> Int64? {
    let start = inner.start(of: child)
    let leftCount = try count(inner.children[child])
    let isLast = child == inner.children.count - 1
    let position = child + 1
    if let each = inner.perChild, !isLast || leftCount != Int(each) { inner.makeGeneral() }
    guard inner.children.count >= TreeEditor.maximumCount else {
      inner.children.insert(sibling, at: position)
      inner.starts?.insert(Int64(start &+ leftCount), at: position - 1)
      try inner.save(&ref, store)
      return nil
    }
    let siblingCount = Int64(try count(sibling))
    if isLast {
      var right = TreeInner(children: [sibling], total: siblingCount)
      if let each = inner.perChild { right.perChild = each } else { right.starts = [] }
      inner.total &-= siblingCount
      try inner.save(&ref, store)
      return try right.make(store)
    }
    inner.makeGeneral()
    let starts = inner.starts ?? []
    let movedStart = starts[position - 1]
    var right = TreeInner(
      children: Array(inner.children[position...]), total: inner.total &- movedStart)
    right.starts = starts[position...].map { $0 &- movedStart }
    inner.children.replaceSubrange(position..., with: [sibling])
    inner.starts?.replaceSubrange((position - 1)..., with: [Int64(start &+ leftCount)])
    inner.total = movedStart
    try inner.save(&ref, store)
    return try right.make(store)
  }

  // MARK: Removal

  /// Removes an element; collections that it holds stay.
  func remove(_ root: inout Int64, _ index: Int) throws(StorageError) {
    if try remove(from: &root, index, depth: 0), try store.node(root).isInner {
      try store.free(root)
      root = try makeEmpty()
    }
    while try store.node(root).isInner {
      let inner = try TreeInner(root, store)
      guard inner.children.count == 1 else { break }
      try inner.freeNode(root, store)
      root = inner.children[0]
    }
  }

  /// - Returns: whether nothing is left; then the node itself remains, without children.
  private func remove(
    from ref: inout Int64, _ index: Int, depth: Int
  ) throws(StorageError) -> Bool {
    guard try store.node(ref).isInner else {
      let count = try leaf.count(ref)
      guard index >= 0, index < count else {
        throw .damage(.badIndex, at: Int(ref), found: index, limit: count)
      }
      try leaf.remove(&ref, at: index)
      return count == 1
    }
    try checkDepth(ref, depth)
    var inner = try TreeInner(ref, store)
    let child = inner.child(holding: index)
    let isEmpty = try remove(
      from: &inner.children[child], index &- inner.start(of: child), depth: depth + 1)
    inner.total &-= 1
    if child < inner.children.count - 1 { inner.makeGeneral() }
    if inner.perChild != nil, !isEmpty, try !isCompactOrLeaf(inner.children[child]) {
      inner.makeGeneral()
    }
    if inner.starts != nil {
      for later in child..<inner.children.count - 1 { inner.starts?[later] &-= 1 }
    }
    if isEmpty {
      try store.freeTree(inner.children[child])
      inner.children.remove(at: child)
      if inner.starts?.isEmpty == false { inner.starts?.remove(at: max(0, child - 1)) }
      if inner.children.isEmpty {
        try inner.freeOffsets(ref, store)
        try store.replace(&ref, [1, 1])
        return true
      }
    }
    try inner.save(&ref, store)
    return false
  }
}

/// An inner node of a B+ tree as values.
///
/// Source: file-format.md 4.1.
struct TreeInner {
  var children: [Int64]
  /// Elements of every child but the last; nil in the general form.
  var perChild: Int64?
  /// Number of elements before each child but the first; nil in the compact form.
  var starts: [Int64]?
  var total: Int64

  init(children: [Int64], total: Int64) {
    self.children = children
    self.total = total
  }

  init(_ ref: Int64, _ store: NodeStore) throws(StorageError) {
    let elements = try store.integers(ref)
    guard elements.count >= 3, let last = elements.last, last & 1 != 0 else {
      throw .damage(.tooFewElements, at: Int(ref), found: elements.count, limit: 3)
    }
    children = Array(elements[1..<elements.count - 1])
    total = last >> 1
    if elements[0] & 1 != 0 {
      perChild = elements[0] >> 1
      guard elements[0] > 1 else { throw .damage(.badIndex, at: Int(ref), found: 0, limit: 1) }
    } else {
      let starts = try store.integers(elements[0], .unsignedKeys)
      guard starts.count == children.count - 1 else {
        throw .damage(
          .countMismatch, at: Int(ref), found: starts.count, limit: children.count - 1)
      }
      self.starts = starts
    }
  }

  /// Index of the first element of a child.
  func start(of child: Int) -> Int {
    if let perChild { return Int(perChild) &* child }
    return child == 0 ? 0 : Int(starts?[child - 1] ?? 0)
  }

  /// The child with an element, or the one to insert before an element.
  func child(holding index: Int) -> Int {
    if let perChild {
      return max(0, min(index / Int(perChild), children.count - 1))
    }
    let starts = starts ?? []
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] <= Int64(index) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Gives up the compact form.
  mutating func makeGeneral() {
    guard let each = perChild else { return }
    starts = (1..<max(1, children.count)).map { each &* Int64($0) }
    perChild = nil
  }

  func make(_ store: NodeStore) throws(StorageError) -> Int64 {
    let first =
      if let perChild { perChild &* 2 | 1 } else {
        try store.makeIntegers(starts ?? [], .unsignedKeys)
      }
    return try store.makeIntegers([first] + children + [total &* 2 | 1], .innerRefs)
  }

  /// Writes the node back.
  func save(_ ref: inout Int64, _ store: NodeStore) throws(StorageError) {
    try freeOffsets(ref, store)
    let fresh = try make(store)
    try store.free(ref)
    ref = fresh
  }

  /// Gives up the node of offsets that the stored node has.
  func freeOffsets(_ ref: Int64, _ store: NodeStore) throws(StorageError) {
    let first = try store.element(ref, 0)
    if first & 1 == 0, first != 0 { try store.free(first) }
  }

  /// Gives up the stored node, but not its children.
  func freeNode(_ ref: Int64, _ store: NodeStore) throws(StorageError) {
    try freeOffsets(ref, store)
    try store.free(ref)
  }
}
