import ByteKernels
import RealmValues

/// A list or a set as it is stored: a B+ tree of elements.
///
/// In versions 2 to 9 a list of values is a subtable with one column: the ref leads to its columns
/// node, whose first slot has the tree.
///
/// Source: file-format.md 4.2, 4.3, 4.5, 9.8.
public struct StoredList {
  /// Deepest nesting of collections in mixed values.
  public static let maximumDepth = 100

  /// Whether it is a set.
  public let isSet: Bool
  let view: FileView
  private let root: Int64
  let type: LeafType
  private let isSubtable: Bool
  /// Whether elements have to be sorted, since the writer had another order.
  let needsSorting: Bool

  /// The collection of an object.
  init(
    root: Int64, type: LeafType, isSet: Bool, isSubtable: Bool, needsSorting: Bool,
    in view: FileView
  ) {
    self.root = root
    self.type = type
    self.isSet = isSet
    self.isSubtable = isSubtable
    self.needsSorting = needsSorting
    self.view = view
  }

  /// A list inside a mixed value.
  init(nested root: Int64, in view: FileView, depth: Int) {
    self.init(
      root: root, type: LeafType(layout: .mixed, isNullable: true, depth: depth), isSet: false,
      isSubtable: false, needsSorting: false, in: view)
  }

  /// File offset of the root; 0 for a collection that was never filled. Tells collections apart.
  public var ref: Int64 { root }

  /// Walks the elements in order.
  public func makeCursor() throws(StorageError) -> ListCursor {
    ListCursor(
      try LeafStream(root: try treeRoot(), type: type, in: view), isKeys: type.layout == .key)
  }

  /// The root of the tree of elements; 0 if there is none.
  func treeRoot() throws(StorageError) -> Int64 {
    guard isSubtable, root != 0 else { return root }
    return try view.ref(try view.refs(at: root, minimumCount: 1), 0)
  }

  /// Number of elements, links to deleted objects not counted.
  ///
  /// - Complexity: O(1) for lists of values in one leaf or in a tree; O(n) for links.
  public func count() throws(StorageError) -> Int {
    guard root != 0 else { return 0 }
    if type.layout != .key, !isSubtable {
      if let total = try BPlusTreeCursor.elementCount(ofInner: try view.node(at: root)) {
        return total
      }
    }
    var cursor = try makeCursor()
    var total = 0
    while let leaf = try cursor.nextLeaf() {
      if case .key(let keys, _) = leaf {
        for row in 0..<keys.count where keys.packed[keys.first + row] >= 0 { total += 1 }
      } else {
        total += leaf.count
      }
    }
    return total
  }

  /// All elements, sets in the order of format 24.
  public func values() throws(StorageError) -> [StoredValue] {
    var result: [StoredValue] = []
    var cursor = try makeCursor()
    while let value = try cursor.next() { result.append(value) }
    if needsSorting { result.sort { StoredValue.totalOrder($0, $1) < 0 } }
    return result
  }
}

/// Walks the elements of a list or set in stored order.
public struct ListCursor {
  private var stream: LeafStream
  private let isKeys: Bool
  private var leaf: ColumnLeaf?
  private var row = 0

  init(_ stream: LeafStream, isKeys: Bool) {
    self.stream = stream
    self.isKeys = isKeys
  }

  /// The elements of the next leaf, links to deleted objects included; nil at the end.
  public mutating func nextLeaf() throws(StorageError) -> ColumnLeaf? { try stream.next() }

  /// The next element; nil at the end. Links to deleted objects are left out.
  public mutating func next() throws(StorageError) -> StoredValue? {
    while true {
      if let leaf, row < leaf.count {
        row += 1
        let value = try leaf.value(at: row - 1)
        if isKeys, case .null = value { continue }
        return value
      }
      guard let following = try stream.next() else { return nil }
      leaf = following
      row = 0
    }
  }
}
