import ByteKernels
import RealmValues

/// A value as an index compares it.
struct IndexedValue {
  var key: IndexKey
  var scalar: ScalarValue
  /// 0 for scalars; all lists are one value, all dictionaries another one.
  var rank: Int

  /// - Throws: `rejected(.wrongType)` for what cannot be indexed.
  init(_ cell: Cell) throws(StorageError) {
    if case .nested(let isList, _, _) = cell {
      key = IndexKey(Array((isList ? "__List__" : "__Dictionary__").utf8))
      (scalar, rank) = (.null, isList ? 1 : 2)
      return
    }
    guard let key = IndexKey(cell.scalar) else { throw .wrongType }
    (self.key, scalar, rank) = (key, cell.scalar, 0)
  }

  func order(_ other: IndexedValue) -> Int {
    rank != other.rank ? rank - other.rank : scalar.totalOrder(other.scalar)
  }
}

/// Changes a search index.
///
/// Source: file-format-writing.md 8.10.
struct IndexEditor {
  static let maximumCount = 1000
  /// From this byte on values are not told apart.
  static let maximumOffset = 200

  let store: NodeStore
  /// Whether all values that are not null have as many bytes.
  let isFixed: Bool
  /// The present value of an object, for telling values with equal chunks apart.
  let valueOf: (ObjectKey) throws(StorageError) -> IndexedValue
  /// The key of that value, valid until the next change.
  let keyOf: (ObjectKey) throws(StorageError) -> IndexKey

  func makeEmpty() throws(StorageError) -> Int64 {
    try makeNode([], [], isInner: false)
  }

  func makeNode(
    _ keys: [Int64], _ elements: [Int64], isInner: Bool
  ) throws(StorageError) -> Int64 {
    try store.makeIntegers(
      [try store.makeIntegers(keys, .indexKeys)] + elements,
      isInner ? .innerContextRefs : .contextRefs)
  }

  // MARK: Insertion

  private enum Sibling {
    case before(Int64)
    case after(Int64)
  }

  /// Adds an object under a value.
  func insert(
    _ root: inout Int64, _ object: ObjectKey, _ value: IndexedValue, offset: Int = 0
  ) throws(StorageError) {
    try insert(&root, chunk: Int64(value.key.chunk(at: offset))) {
      (element: inout Int64?) throws(StorageError) in
      try add(object, value, offset, to: &element)
    }
  }

  /// Changes the element of a chunk, or adds one; the root may be split.
  func insert(
    _ root: inout Int64, chunk: Int64, _ change: (inout Int64?) throws(StorageError) -> Void
  ) throws(StorageError) {
    let sibling = try insert(below: &root, chunk, depth: 0, change)
    let children: [Int64]
    switch sibling {
    case nil: return
    case .before(let ref): children = [ref, root]
    case .after(let ref): children = [root, ref]
    }
    root = try makeNode(
      [try lastKey(children[0]), try lastKey(children[1])], children, isInner: true)
  }

  private func lastKey(_ ref: Int64) throws(StorageError) -> Int64 {
    let node = try SearchIndex.Node(at: ref, in: store.view)
    guard node.keys.count > 0 else { throw .damage(.tooFewElements, at: Int(ref)) }
    return node.keys[node.keys.count - 1]
  }

  /// Changes the element of a chunk, or adds one.
  private func insert(
    below ref: inout Int64, _ chunk: Int64, depth: Int,
    _ change: (inout Int64?) throws(StorageError) -> Void
  ) throws(StorageError) -> Sibling? {
    guard depth < BPlusTreeCursor.maximumDepth else { throw .damage(.badDepth, at: Int(ref)) }
    let node = try SearchIndex.Node(at: ref, in: store.view)
    var child = node.firstChild(notBelow: Int32(truncatingIfNeeded: chunk))
    guard node.node.isInner else {
      if child < node.keys.count, node.keys[child] == chunk {
        var element: Int64? = node.node[child + 1]
        try change(&element)
        if let element, element != node.node[child + 1] {
          try store.set(&ref, child + 1, element)
        }
        return nil
      }
      var element: Int64?
      try change(&element)
      return try add(chunk, element ?? 0, at: child, to: &ref)
    }
    guard node.keys.count > 0 else { throw .damage(.tooFewElements, at: Int(ref)) }
    child = min(child, node.keys.count - 1)
    var below = try store.view.ref(node.node, child + 1)
    let old = (ref: below, key: node.keys[child])
    let sibling = try insert(below: &below, chunk, depth: depth + 1, change)
    if below != old.ref { try store.set(&ref, child + 1, below) }
    let last = try lastKey(below)
    if last != old.key { try setKey(&ref, child, last) }
    switch sibling {
    case nil: return nil
    case .before(let new): return try add(try lastKey(new), new, at: child, to: &ref)
    case .after(let new): return try add(try lastKey(new), new, at: child + 1, to: &ref)
    }
  }

  private func setKey(_ ref: inout Int64, _ i: Int, _ key: Int64) throws(StorageError) {
    var keys = try store.element(ref, 0)
    try store.set(&keys, i, key, .indexKeys)
    try store.set(&ref, 0, keys)
  }

  /// Adds a key and its element to a node, splitting it if it is full.
  private func add(
    _ key: Int64, _ element: Int64, at position: Int, to ref: inout Int64
  ) throws(StorageError) -> Sibling? {
    let isInner = try store.node(ref).isInner
    var keys = try store.element(ref, 0)
    let count = try store.count(keys)
    if count >= IndexEditor.maximumCount {
      if position == 0 { return .before(try makeNode([key], [element], isInner: isInner)) }
      if position == count { return .after(try makeNode([key], [element], isInner: isInner)) }
      let right = try makeNode(
        Array(try store.integers(keys)[position...]),
        Array(try store.integers(ref)[(position + 1)...]), isInner: isInner)
      try store.truncate(&keys, position)
      try store.append(&keys, key, .indexKeys)
      try store.set(&ref, 0, keys)
      try store.truncate(&ref, position + 1)
      try store.append(&ref, element)
      return .after(right)
    }
    try store.insert(&keys, position, key, .indexKeys)
    try store.set(&ref, 0, keys)
    try store.insert(&ref, position + 1, element)
    return nil
  }

  /// Adds an object to what stands under a chunk; nil if nothing does.
  func add(
    _ object: ObjectKey, _ value: IndexedValue, _ offset: Int, to element: inout Int64?
  ) throws(StorageError) {
    guard let present = element else {
      element = SearchIndex.element(for: object)
      return
    }
    let isDeepest = offset + 4 > IndexEditor.maximumOffset
    if present & 1 != 0 {
      let other = SearchIndex.objectKey(present)
      let otherValue = try valueOf(other)
      let order = otherValue.order(value)
      if order == 0 || isDeepest || otherValue.key == value.key {
        let isFirst = order == 0 ? other < object : order < 0
        let keys = isFirst ? [other, object] : [object, other]
        element = try store.makeIntegers(keys.map { $0.rawValue })
        return
      }
      var sub = try makeEmpty()
      try insert(&sub, other, otherValue, offset: offset + 4)
      try insert(&sub, object, value, offset: offset + 4)
      element = sub
      return
    }
    var below = present
    if try store.node(present).hasContext {
      try insert(&below, object, value, offset: offset + 4)
    } else {
      try add(object, value, offset, toList: &below, isDeepest: isDeepest)
    }
    element = below
  }

  private func add(
    _ object: ObjectKey, _ value: IndexedValue, _ offset: Int, toList list: inout Int64,
    isDeepest: Bool
  ) throws(StorageError) {
    let tree = TreeEditor(integersIn: store)
    let count = try tree.count(list)
    guard count > 0 else { return try tree.append(&list, .value(.int(object.rawValue))) }
    let first = try valueOf(try key(in: list, 0))
    let isUniform = try first.order(valueOf(try key(in: list, count - 1))) == 0
    let comparesKeysOnly = isUniform && first.order(value) == 0
    var (low, high, isKnown) = (0, count, comparesKeysOnly)
    while low < high {
      let middle = (low + high) / 2
      let other = try key(in: list, middle)
      var order = comparesKeysOnly ? 0 : try valueOf(other).order(value)
      if order == 0 {
        isKnown = true
        order = other < object ? -1 : other == object ? 0 : 1
      }
      // An object stands once under a value.
      if order == 0 { return }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    // Different values stay together only if the index cannot tell them apart.
    if !isKnown, !isDeepest, first.key != value.key {
      var sub = try makeEmpty()
      let chunk = Int64(first.key.chunk(at: offset + 4))
      let whole = list
      try insert(&sub, chunk: chunk) {
        (element: inout Int64?) throws(StorageError) in element = whole
      }
      try insert(&sub, object, value, offset: offset + 4)
      list = sub
      return
    }
    try tree.insert(&list, low, .value(.int(object.rawValue)))
  }

  func key(in list: Int64, _ index: Int) throws(StorageError) -> ObjectKey {
    let cell = try TreeEditor(integersIn: store).cell(list, index)
    guard case .value(.int(let number)) = cell else { return .null }
    return ObjectKey(number)
  }

  // MARK: Removal

  /// Removes an object that stands under a value; nothing happens if it does not.
  ///
  /// - Parameter wordByteCount: In an index of words, the length of the word: an entry higher up is
  ///   that of a shorter word.
  func remove(
    _ root: inout Int64, _ object: ObjectKey, _ key: IndexKey, wordByteCount: Int = 0
  ) throws(StorageError) {
    let removal = Removal(object: object, key: key, wordByteCount: wordByteCount)
    let isEmpty = try remove(below: &root, removal, offset: 0)
    try closeRemoval(&root, isEmpty: isEmpty)
  }

  /// Gives the root of an index the right form after a removal.
  func closeRemoval(_ root: inout Int64, isEmpty: Bool) throws(StorageError) {
    if isEmpty {
      try store.freeTree(root)
      root = try makeEmpty()
    }
    while try store.node(root).isInner, try store.count(root) == 2 {
      let child = try store.element(root, 1)
      try store.free(try store.element(root, 0))
      try store.free(root)
      root = child
    }
  }

  private struct Removal {
    var object: ObjectKey
    var key: IndexKey
    var wordByteCount: Int
  }

  /// - Returns: whether the index has no entries any more.
  private func remove(
    below ref: inout Int64, _ removal: Removal, offset: Int
  ) throws(StorageError) -> Bool {
    try remove(below: &ref, chunk: removal.key.chunk(at: offset), depth: 0) {
      (element: inout Int64) throws(StorageError) in
      let isSub = element & 1 == 0 ? try store.node(element).hasContext : false
      guard isSub || removal.wordByteCount <= offset + 4 else { return false }
      if element & 1 != 0 { return SearchIndex.objectKey(element) == removal.object }
      guard isSub else { return try remove(fromList: &element, removal.object) }
      try checkOffset(offset, element)
      return try remove(below: &element, removal, offset: offset + 4)
    }
  }

  func checkOffset(_ offset: Int, _ ref: Int64) throws(StorageError) {
    guard offset <= 4 * SearchIndex.maximumDepth else { throw .damage(.badDepth, at: Int(ref)) }
  }

  /// Changes the element of a chunk, if there is one; it is dropped if `change` returns true.
  ///
  /// - Returns: whether the node has no entries any more.
  func remove(
    below ref: inout Int64, chunk: Int32, depth: Int,
    _ change: (inout Int64) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    guard depth < BPlusTreeCursor.maximumDepth else { throw .damage(.badDepth, at: Int(ref)) }
    let node = try SearchIndex.Node(at: ref, in: store.view)
    let child = node.firstChild(notBelow: chunk)
    guard child < node.keys.count else { return node.keys.count == 0 }
    let old = node.node[child + 1]
    let isInner = node.node.isInner
    var element = old
    let isGone: Bool
    if isInner {
      isGone = try remove(below: &element, chunk: chunk, depth: depth + 1, change)
    } else {
      guard node.keys[child] == Int64(chunk) else { return false }
      isGone = try change(&element)
    }
    guard isGone else {
      if element != old { try store.set(&ref, child + 1, element) }
      if isInner { try setKey(&ref, child, try lastKey(element)) }
      return false
    }
    if element & 1 == 0 { try store.freeTree(element) }
    var keys = try store.element(ref, 0)
    try store.remove(&keys, child)
    try store.set(&ref, 0, keys)
    try store.remove(&ref, child + 1)
    return try store.count(keys) == 0
  }

  /// - Returns: whether the list is empty now.
  func remove(
    fromList list: inout Int64, _ object: ObjectKey
  ) throws(StorageError) -> Bool {
    let tree = TreeEditor(integersIn: store)
    let position = try firstPosition(in: list, notBelow: object)
    var isFound = false
    // Other writers can have left an object twice under a word.
    while position < (try tree.count(list)), try key(in: list, position) == object {
      try tree.remove(&list, position)
      isFound = true
    }
    if !isFound {
      // A list of several values is ordered by value.
      let cells = try tree.cells(list)
      for (i, cell) in cells.enumerated().reversed() {
        if case .value(.int(object.rawValue)) = cell { try tree.remove(&list, i) }
      }
    }
    return try tree.count(list) == 0
  }

  /// The first position in an ascending list with a key that is not below another one.
  func firstPosition(
    in list: Int64, notBelow object: ObjectKey
  ) throws(StorageError) -> Int {
    try TreeEditor(integersIn: store).firstPosition(in: list, notBelow: object.rawValue)
  }
}
