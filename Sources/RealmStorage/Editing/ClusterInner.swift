/// An inner node of a cluster tree as values.
///
/// Source: file-format.md 5.2.
struct ClusterInner {
  var children: [Int64]
  /// 1 if the children are leaves.
  var depth: Int
  /// First key of each child; nil in the compact form.
  var keys: [UInt64]?
  /// Number of objects.
  var total: Int

  init(children: [Int64], depth: Int, keys: [UInt64]?, total: Int) {
    self.children = children
    self.depth = depth
    self.keys = keys
    self.total = total
  }

  init(_ ref: Int64, _ store: NodeStore) throws(StorageError) {
    let elements = try store.integers(ref)
    guard elements.count >= 4, elements[1] & 1 != 0, elements[2] & 1 != 0 else {
      throw .damage(.tooFewElements, at: Int(ref), found: elements.count, limit: 4)
    }
    children = Array(elements[3...])
    depth = Int(elements[1] >> 1)
    total = Int(elements[2] >> 1)
    guard depth >= 1, depth < 8 else { throw .damage(.badDepth, at: Int(ref), found: depth) }
    guard elements[0] != 0 else { return }
    let keys = try store.integers(elements[0], .unsignedKeys).map { UInt64(bitPattern: $0) }
    guard keys.count == children.count, keys.first == 0 else {
      throw .damage(.countMismatch, at: Int(ref), found: keys.count, limit: children.count)
    }
    self.keys = keys
  }

  private var shift: UInt64 { UInt64(8 * depth) }

  func offset(of child: Int) -> UInt64 { keys?[child] ?? UInt64(child) << shift }

  /// The only child that can hold a key.
  func child(holding key: UInt64) -> Int {
    guard let keys else { return Int(min(key >> shift, UInt64(children.count - 1))) }
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] <= key { low = middle + 1 } else { high = middle }
    }
    return max(0, low - 1)
  }

  mutating func makeGeneral() {
    if keys == nil { keys = children.indices.map { UInt64($0) << shift } }
  }

  mutating func compactIfPossible() {
    guard let keys, keys.indices.allSatisfy({ keys[$0] == UInt64($0) << shift }) else { return }
    self.keys = nil
  }

  func make(_ store: NodeStore) throws(StorageError) -> Int64 {
    let first = try keys.map { (keys) throws(StorageError) in
      try store.makeIntegers(keys.map { Int64(bitPattern: $0) }, .unsignedKeys)
    }
    return try store.makeIntegers(
      [first ?? 0, Int64(depth * 2 + 1), Int64(total &* 2 | 1)] + children, .innerRefs)
  }

  /// Writes the node back.
  func save(_ ref: inout Int64, _ store: NodeStore) throws(StorageError) {
    let fresh = try make(store)
    try ClusterInner.freeNode(ref, store)
    ref = fresh
  }

  /// Gives up a node and its keys, but not its children.
  static func freeNode(_ ref: Int64, _ store: NodeStore) throws(StorageError) {
    let first = try store.element(ref, 0)
    if first != 0, first & 1 == 0 { try store.free(first) }
    try store.free(ref)
  }
}
