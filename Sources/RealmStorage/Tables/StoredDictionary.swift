import RealmValues

/// A dictionary as it is stored.
///
/// From version 23 on two B+ trees, `[keys, values]`; in versions 21 and 22 a cluster tree ordered
/// by hashes, whose leaves have the keys in slot 1 and the values in slot 2.
///
/// Source: file-format.md 4.6, 9.4.
public struct StoredDictionary {
  /// One key with its value.
  public struct Entry {
    /// The text of the key.
    public let key: UnsafeRawBufferPointer
    /// The value.
    public let value: StoredValue
  }

  private let view: FileView
  let ref: Int64
  /// Whether it is a cluster tree.
  let isHashed: Bool
  private let valueType: LeafType

  init(ref: Int64, target: TableKey?, isHashed: Bool, in view: FileView) {
    self.ref = ref
    self.isHashed = isHashed
    self.view = view
    valueType = LeafType(layout: .mixed, isNullable: true, target: target)
  }

  /// A dictionary inside a mixed value.
  init(nested ref: Int64, in view: FileView, depth: Int) {
    self.ref = ref
    isHashed = false
    self.view = view
    valueType = LeafType(layout: .mixed, isNullable: true, depth: depth)
  }

  /// All entries in the order of their keys as bytes.
  ///
  /// Files upgraded from version 23 keep another order on disk.
  ///
  /// - Complexity: O(n) if the keys are in order on disk, else O(n log n).
  public func entries() throws(StorageError) -> [Entry] {
    var result = try storedEntries()
    let isSorted = zip(result, result.dropFirst()).allSatisfy {
      ScalarValue.compare($0.key, $1.key) < 0
    }
    if !isSorted { result.sort { ScalarValue.compare($0.key, $1.key) < 0 } }
    return result
  }

  /// All entries as they are stored.
  func storedEntries() throws(StorageError) -> [Entry] {
    guard ref != 0 else { return [] }
    return isHashed ? try hashedEntries() : try pairedEntries()
  }

  /// The trees of keys and values; none for a cluster tree.
  func trees() throws(StorageError) -> [(ref: Int64, type: LeafType)] {
    guard ref != 0, !isHashed else { return [] }
    let pair = try view.refs(at: ref, minimumCount: 2)
    let keyType = LeafType(layout: .string, isNullable: false)
    return [(try view.ref(pair, 0), keyType), (try view.ref(pair, 1), valueType)]
  }

  /// Number of entries.
  public func count() throws(StorageError) -> Int {
    guard ref != 0 else { return 0 }
    if isHashed { return try ClusterTree(root: ref, in: view).objectCount() }
    let pair = try view.refs(at: ref, minimumCount: 2)
    if let total = try BPlusTreeCursor.elementCount(
      ofInner: try view.node(at: try view.ref(pair, 0)))
    {
      return total
    }
    return try entries().count
  }

  private func pairedEntries() throws(StorageError) -> [Entry] {
    let pair = try view.refs(at: ref, minimumCount: 2)
    var keys = BPlusTreeCursor(root: try view.ref(pair, 0), in: view)
    let stream = try LeafStream(root: try view.ref(pair, 1), type: valueType, in: view)
    var values = ListCursor(stream, isKeys: false)
    var result: [Entry] = []
    while let node = try keys.nextLeaf() {
      let leaf = try StringLeaf(node, in: view, isNullable: false, isOld: false)
      for row in 0..<leaf.count {
        guard let key = try leaf.value(at: row), let value = try values.next() else {
          throw .damage(.countMismatch, at: pair.offset, found: result.count, limit: leaf.count)
        }
        result.append(Entry(key: key, value: value))
      }
    }
    guard try values.next() == nil else {
      throw .damage(
        .countMismatch, at: pair.offset, found: result.count + 1, limit: result.count)
    }
    return result
  }

  private func hashedEntries() throws(StorageError) -> [Entry] {
    var cursor = ClusterCursor(try ClusterTree(root: ref, in: view))
    var result: [Entry] = []
    while let cluster = try cursor.nextLeaf() {
      let keys = try StringLeaf(
        try view.node(at: try view.ref(cluster.node, 1)), in: view, isNullable: false, isOld: false)
      let values = try ColumnLeaf(
        try view.node(at: try view.ref(cluster.node, 2)), valueType, in: view)
      guard keys.count == cluster.count, values.count == cluster.count else {
        throw .damage(
          .countMismatch, at: cluster.node.offset, found: keys.count, limit: cluster.count)
      }
      for row in 0..<cluster.count {
        guard let key = try keys.value(at: row) else { continue }
        result.append(Entry(key: key, value: try values.value(at: row)))
      }
    }
    return result
  }
}
