import ByteKernels
import RealmValues

extension ContentCheck {
  /// Checks a value, and what is inside it.
  func check(
    _ value: StoredValue, of column: StoredColumn, _ checksText: Bool = true
  ) throws(StorageError) {
    switch value {
    case .string(let bytes): if checksText { check(text: bytes) }
    case .link(let table, let key): checkLink(to: table, key, from: column)
    case .list(let list): try check(list, of: column, checksText)
    case .dictionary(let dictionary): try check(dictionary, of: column)
    case .null, .bool, .int, .float, .double, .decimal, .data, .date, .objectID, .uuid: break
    }
  }

  private func check(
    _ list: StoredList, of column: StoredColumn, _ checksText: Bool
  ) throws(StorageError) {
    guard list.ref != 0 else { return }
    try checkTree(try list.treeRoot(), list.type)
    var order = SetOrder(column)
    let isOrdered = list.isSet && snapshot.format?.hasCanonicalOrder ?? false
    var cursor = try list.makeCursor()
    var index = 0
    while let value = try cursor.next() {
      try check(value, of: column, checksText)
      if isOrdered { order.append(value, at: index) }
      index += 1
    }
    let stored = try list.count()
    if stored != index { add(.count(found: index, stored: stored)) }
    if let index = order.problem { add(.setOrder(index: index)) }
  }

  /// Finds the first element of a set that is out of order.
  ///
  /// A set of floating point numbers with a NaN has no order. In a set of decimals null stands
  /// among the NaNs.
  ///
  /// Source: file-format.md 4.5.
  private struct SetOrder {
    private let isDecimal: Bool
    private var previous: StoredValue?
    private var firstProblem: Int?
    private var hasNaN = false

    init(_ column: StoredColumn) { isDecimal = column.kind == .decimal }

    var problem: Int? { hasNaN ? nil : firstProblem }

    mutating func append(_ value: StoredValue, at index: Int) {
      switch value {
      case .float(let number) where number.isNaN: hasNaN = true
      case .double(let number) where number.isNaN: hasNaN = true
      case .null where isDecimal: return
      default: break
      }
      if let previous, firstProblem == nil, StoredValue.totalOrder(previous, value) >= 0 {
        firstProblem = index
      }
      previous = value
    }
  }

  private func check(
    _ dictionary: StoredDictionary, of column: StoredColumn
  ) throws(StorageError) {
    let entries = try dictionary.storedEntries()
    for entry in entries {
      check(text: entry.key)
      try check(entry.value, of: column)
    }
    for root in try dictionary.trees() { try checkTree(root.ref, root.type) }
    let stored = try dictionary.count()
    if stored != entries.count { add(.count(found: entries.count, stored: stored)) }
    guard !dictionary.isHashed else { return }
    // Files upgraded from version 23 keep an order of bytes as signed numbers.
    let isSorted = { (compare: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool) in
      entries.indices.dropFirst().first { !compare(entries[$0 - 1].key, entries[$0].key) }
    }
    if let index = isSorted({ ScalarValue.compare($0, $1) < 0 }),
      isSorted({ $0.lexicographicallyPrecedes($1) { Int8(bitPattern: $0) < Int8(bitPattern: $1) } })
        != nil
    {
      add(.dictionaryOrder(index: index))
    }
  }

  /// Checks that the element counts and offsets in the inner nodes of a tree are right.
  ///
  /// - Throws: `StorageError.damaged` for the first node that is wrong.
  ///
  /// Source: file-format.md 10.3 (14).
  func checkTree(_ root: Int64, _ type: LeafType) throws(StorageError) {
    guard root != 0, let view = table?.view else { return }
    guard type.isOld, type.layout == .date else {
      return try checkTree(root, type, in: view)
    }
    let pair = try view.refs(at: root, minimumCount: 2)
    let seconds = LeafType(layout: .int, isNullable: true)
    try checkTree(try view.ref(pair, 0), seconds, in: view)
    try checkTree(try view.ref(pair, 1), LeafType(layout: .int, isNullable: false), in: view)
  }

  private func checkTree(
    _ root: Int64, _ type: LeafType, in view: FileView
  ) throws(StorageError) {
    // A tree of one leaf has no counts.
    guard try view.node(at: root).isInner else { return }
    _ = try elementCount(root, type, in: view, depth: 0)
  }

  private func elementCount(
    _ ref: Int64, _ type: LeafType, in view: FileView, depth: Int
  ) throws(StorageError) -> Int {
    let node = try view.node(at: ref)
    try view.charge(node)
    guard node.isInner else { return try ColumnLeaf(node, type, in: view).count }
    guard depth < BPlusTreeCursor.maximumDepth else {
      throw .damage(.badDepth, at: node.offset, found: depth, limit: depth)
    }
    _ = try BPlusTreeCursor.elementCount(ofInner: node)
    let childCount = node.count - 2
    let offsets =
      node[0] & 1 != 0 ? nil : try view.integers(at: try view.ref(node, 0)).integers
    if let offsets, offsets.count != childCount - 1 {
      throw .damage(
        .countMismatch, at: node.offset, found: offsets.count, limit: childCount - 1)
    }
    var total = 0
    for child in 0..<childCount {
      let expected =
        offsets.map { child == 0 ? 0 : $0.unsigned(child - 1) }
        ?? UInt64(truncatingIfNeeded: Int64(child) &* (node[0] >> 1))
      guard UInt64(total) == expected else {
        throw .damage(
          .countMismatch, at: node.offset, found: total,
          limit: Int(truncatingIfNeeded: expected))
      }
      total += try elementCount(
        try view.ref(node, child + 1), type, in: view, depth: depth + 1)
    }
    let stored = node[node.count - 1] >> 1
    guard Int64(total) == stored else {
      throw .damage(.countMismatch, at: node.offset, found: total, limit: Int(stored))
    }
    return total
  }
}
