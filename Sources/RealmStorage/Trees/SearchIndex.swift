import ByteKernels
public import RealmValues

/// The search index of a column: a tree over the chunks of the values.
///
/// Every node has refs and the context flag:
///
///     slot   content
///        0   keys: one chunk for each child, ascending
///     1 + i  inner node: a node whose last key is keys[i]
///            leaf: odd: the object key of the only object
///                  tree of integers: the keys of all objects
///                  index node: goes on with the next chunk
///
/// An entry stands as high as possible: its value agrees with the chunks on the path, but has to be
/// compared.
///
/// Source: file-format.md 7.3.
struct SearchIndex {
  /// Levels of 51 chunks, with inner nodes between them.
  static let maximumDepth = 120

  let root: Int64
  let view: FileView

  /// The objects that may have a value.
  enum Candidates {
    case none
    case one(ObjectKey)
    /// The root of a tree of object keys.
    case tree(Int64)
  }

  /// A node and its keys.
  struct Node {
    let node: NodeView
    let keys: PackedIntegers

    init(at ref: Int64, in view: FileView) throws(StorageError) {
      node = try view.refs(at: ref, minimumCount: 1)
      guard node.hasContext else {
        throw .damage(.wrongNodeKind, at: node.offset, found: Int(node.flags))
      }
      let chunks = try view.integers(at: try view.ref(node, 0))
      guard chunks.count == node.count - 1 else {
        throw .damage(
          .countMismatch, at: node.offset, found: chunks.count, limit: node.count - 1)
      }
      keys = chunks.integers
    }

    /// So many keys are brought near at once: waiting for one after the other takes much longer.
    private static let nearCount = 128

    @inline(__always)
    private static func prefetch(_ keys: UnsafeRawPointer, _ positions: StrideTo<Int>) {
      for position in positions { prefetchForReading(keys + position &* 4) }
    }

    /// The first child whose key is not below a chunk; `keys.count` if there is none.
    @inline(__always)
    func firstChild(notBelow chunk: Int32) -> Int {
      var (low, high) = (0, keys.count)
      if keys.width == 32 {
        // Nearly all nodes: without a decision about the width, nor a branch, in each step.
        if high > 2 * Self.nearCount {
          Self.prefetch(keys.base, stride(from: 0, to: high, by: high / 8))
        }
        var isNear = false
        while low < high {
          if !isNear, high &- low <= Self.nearCount {
            isNear = true
            Self.prefetch(keys.base, stride(from: low, to: high, by: 16))
          }
          let middle = (low &+ high) &>> 1
          let key = keys.base.loadUnaligned(fromByteOffset: middle &* 4, as: Int32.self)
          let isBelow = key < chunk
          low = isBelow ? middle &+ 1 : low
          high = isBelow ? high : middle
        }
        return low
      }
      while low < high {
        let middle = (low + high) / 2
        if keys[middle] < Int64(chunk) { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }

  /// Finds the objects that may have a value.
  ///
  /// - Complexity: O(log n) for each four bytes that the value has in common with another one.
  func candidates(for key: IndexKey) throws(StorageError) -> Candidates {
    try walk(to: key).candidates
  }

  /// Finds the objects that may have a value, and the number of its bytes that led to them.
  func walk(
    to key: IndexKey
  ) throws(StorageError) -> (candidates: Candidates, byteCount: Int) {
    var ref = root
    var offset = 0
    for _ in 0..<SearchIndex.maximumDepth {
      let node = try Node(at: ref, in: view)
      let chunk = key.chunk(at: offset)
      let child = node.firstChild(notBelow: chunk)
      guard child < node.keys.count else { return (.none, offset) }
      if node.node.isInner {
        ref = try view.ref(node.node, child + 1)
        continue
      }
      guard node.keys[child] == Int64(chunk) else { return (.none, offset) }
      offset += 4
      let element = node.node[child + 1]
      if element & 1 != 0 { return (.one(SearchIndex.objectKey(element)), offset) }
      ref = try view.ref(node.node, child + 1)
      guard try view.node(at: ref).hasContext else { return (.tree(ref), offset) }
    }
    throw .damage(
      .badDepth, at: Int(ref), found: SearchIndex.maximumDepth, limit: SearchIndex.maximumDepth)
  }

  static func objectKey(_ element: Int64) -> ObjectKey {
    ObjectKey(Int64(bitPattern: UInt64(bitPattern: element) >> 1))
  }

  /// What stands for a single object.
  static func element(for object: ObjectKey) -> Int64 { object.rawValue &* 2 | 1 }

  /// Number of object keys of a tree of keys.
  func keyCount(ofTree ref: Int64) throws(StorageError) -> Int {
    let node = try view.node(at: ref)
    return try BPlusTreeCursor.elementCount(ofInner: node) ?? node.count
  }

  /// Calls `body` with each object key of a tree of keys.
  func forEachKey(
    inTree ref: Int64, _ body: (ObjectKey) throws(StorageError) -> Void
  ) throws(StorageError) {
    var cursor = BPlusTreeCursor(root: ref, in: view)
    while let node = try cursor.nextLeaf() {
      guard node.scheme == .bits, !node.hasRefs else {
        throw .damage(.wrongNodeKind, at: node.offset, found: Int(node.flags))
      }
      for i in 0..<node.count { try body(ObjectKey(node[i])) }
    }
  }
}

extension StoredTable {
  /// Finds the objects with a value by the search index of a column (position in `columns`).
  ///
  /// - Parameter limit: Most candidates that are looked at.
  /// - Returns: Their keys in ascending order; nil if there are more candidates than `limit`, if
  ///   there is no index, or none that can be trusted: those of formats below 24 may follow another
  ///   order of texts, and in a column of mixed values equal numbers of different types can stand
  ///   at different places.
  /// - Complexity: O(log n) and a comparison for each candidate.
  public func find(
    column: Int, value: ScalarValue, limit: Int = .max
  ) throws(StorageError) -> [ObjectKey]? {
    guard let candidates = try candidates(column: column, value: value) else { return nil }
    let index = SearchIndex(root: columns[column].indexRoot, view: view)
    var result: [ObjectKey] = []
    switch candidates {
    case .none: break
    case .one(let candidate):
      if try has(value, column, candidate) { result.append(candidate) }
    case .tree(let ref):
      guard try index.keyCount(ofTree: ref) <= limit else { return nil }
      try index.forEachKey(inTree: ref) { (candidate) throws(StorageError) in
        if try has(value, column, candidate) { result.append(candidate) }
      }
      // A list of candidates that agree in the first 200 bytes is ordered by value.
      result.sort()
    }
    return result
  }

  /// The objects that may have a value; nil if there is no index that can be trusted.
  func candidates(
    column: Int, value: ScalarValue
  ) throws(StorageError) -> SearchIndex.Candidates? {
    let stored = columns[column]
    guard format.hasCanonicalOrder, stored.indexRoot != 0, stored.collection == .none,
      !stored.hasFullTextIndex, stored.kind != .mixed || value.hasOneIndexKey,
      let key = IndexKey(value)
    else { return nil }
    return try SearchIndex(root: stored.indexRoot, view: view).candidates(for: key)
  }

  /// Finds the object with a primary key, by its index if that can be trusted, else by a scan.
  ///
  /// - Returns: nil if there is none, or if the table has no primary key.
  public func findPrimaryKey(_ value: ScalarValue) throws(StorageError) -> ObjectKey? {
    guard let primaryKey else { return nil }
    if let found = try find(column: primaryKey, value: value) { return found.first }
    let cursor = try TableCursor(self, columns: [primaryKey])
    while try cursor.next() {
      for row in 0..<cursor.count where try cursor.value(0, at: row).isEqual(to: value) {
        return cursor.key(at: row)
      }
    }
    return nil
  }

  /// Finds the objects that the full-text index of a column files under a word or under a beginning
  /// of it.
  ///
  /// - Parameters:
  ///   - onlyShorter: Whether those under the word itself are left out.
  ///   - limit: Most objects that are looked at.
  /// - Returns: Their keys in ascending order; nil if there are more than `limit`, or no index that
  ///   can be trusted.
  public func findWord(
    column: Int, _ word: [UInt8], onlyShorter: Bool = false, limit: Int = .max
  ) throws(StorageError) -> [ObjectKey]? {
    let stored = columns[column]
    guard format.hasCanonicalOrder, stored.indexRoot != 0, stored.hasFullTextIndex else {
      return nil
    }
    let index = SearchIndex(root: stored.indexRoot, view: view)
    let (candidates, byteCount) = try index.walk(to: IndexKey(word))
    switch candidates {
    case .none: return []
    case .one(let key): return onlyShorter ? [] : [key]
    case .tree(let ref):
      if onlyShorter, byteCount >= word.count { return [] }
      guard try index.keyCount(ofTree: ref) <= limit else { return nil }
      var result: [ObjectKey] = []
      try index.forEachKey(inTree: ref) { result.append($0) }
      return result
    }
  }

  /// Whether an object exists and has a value.
  private func has(
    _ value: ScalarValue, _ column: Int, _ key: ObjectKey
  ) throws(StorageError) -> Bool {
    guard let row = try row(of: key) else { return false }
    return try self.value(of: column, in: row).isEqual(to: value)
  }
}

extension StoredValue {
  /// Whether it is the same value; texts are compared without a copy.
  func isEqual(to value: ScalarValue) -> Bool {
    switch (self, value) {
    case (.string(let a), .string(let b)), (.data(let a), .data(let b)):
      b.withUnsafeBytes { ScalarValue.compare(a, $0) == 0 }
    case (.int(let a), .int(let b)): a == b
    case (.null, .null): true
    case (.null, _), (_, .null): false
    default: scalar.map { $0.totalOrder(value) == 0 } ?? false
    }
  }
}

extension ScalarValue {
  /// Whether all numbers that are equal to the value have the same key in an index.
  ///
  /// Source: file-format.md 7.2.
  fileprivate var hasOneIndexKey: Bool {
    switch self {
    case .int(let value): Int32(exactly: value) != nil
    case .float(let value): Int32(exactly: value) != nil
    case .double(let value): Int32(exactly: value) != nil
    case .decimal: false
    default: true
    }
  }
}
