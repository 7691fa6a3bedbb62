import ByteKernels
import RealmValues

/// Changes of many objects at once: entries are sorted, and what belongs together is made together.
///
/// Not for columns of mixed values, where different values can have equal bytes, nor for words.
///
/// Source: file-format-writing.md 8.10.
extension IndexEditor {
  typealias Entries = UnsafeMutableBufferPointer<IndexEntry>

  /// Adds objects of a cluster to the entries for an index.
  func collect(
    _ leaf: ClusterTree.Leaf, _ column: ClusterEditor.Column, _ rows: [Int],
    into entries: inout [IndexEntry]
  ) throws(StorageError) {
    let node = try store.node(try store.view.ref(leaf.node, column.index + 1))
    let values = try ColumnLeaf(node, column.leaf.type, in: store.view)
    guard values.count == leaf.count else {
      throw .damage(.countMismatch, at: node.offset, found: values.count, limit: leaf.count)
    }
    for row in rows {
      let object = ObjectKey(Int64(bitPattern: leaf.key(at: row)))
      let key: IndexKey
      switch values {
      case .int(let values): key = values.value(at: row).map { IndexKey($0) } ?? .null
      case .string(let values): key = try values.value(at: row).map { IndexKey($0) } ?? .null
      default:
        guard let other = try IndexKey(values, at: row) else { throw .wrongType }
        key = other
      }
      entries.append(IndexEntry(object, key, at: 0, isFixed: isFixed))
    }
  }

  // MARK: Making

  /// Makes the part of an index for the chunk at an offset.
  private func make(sorted entries: Entries, offset: Int) throws(StorageError) -> Int64 {
    var (chunks, elements): ([Int64], [Int64]) = ([], [])
    try forEachGroup(entries, .first) { (group) throws(StorageError) in
      chunks.append(group[0].chunk)
      elements.append(try element(group, offset))
    }
    return try makeTree(chunks, elements)
  }

  /// Makes the nodes for chunks in ascending order.
  private func makeTree(_ chunks: [Int64], _ elements: [Int64]) throws(StorageError) -> Int64 {
    var (keys, refs, isInner) = (chunks, elements, false)
    repeat {
      var (above, nodes): ([Int64], [Int64]) = ([], [])
      for start in stride(from: 0, to: max(1, keys.count), by: IndexEditor.maximumCount) {
        let range = start..<min(keys.count, start + IndexEditor.maximumCount)
        nodes.append(
          try makeNode(Array(keys[range]), Array(refs[range]), isInner: isInner))
        above.append(keys[range].last ?? 0)
      }
      (keys, refs, isInner) = (above, nodes, true)
    } while refs.count > 1
    return refs[0]
  }

  /// Which chunks entries have in common.
  private enum Part: UInt64 {
    case both = 0
    case first = 32
  }

  /// Calls `body` with each run of entries that have chunks in common.
  private func forEachGroup(
    _ entries: Entries, _ part: Part, _ body: (Entries) throws(StorageError) -> Void
  ) throws(StorageError) {
    var start = 0
    while start < entries.count {
      let chunks = entries[start].chunks >> part.rawValue
      var end = start + 1
      while end < entries.count, entries[end].chunks >> part.rawValue == chunks { end += 1 }
      try body(Entries(rebasing: entries[start..<end]))
      start = end
    }
  }

  /// What stands under the first chunk of entries that have it in common.
  private func element(_ group: Entries, _ offset: Int) throws(StorageError) -> Int64 {
    if group.count == 1 { return SearchIndex.element(for: group[0].object) }
    let hasOneChunk = group[0].chunks == group[group.count - 1].chunks
    if hasOneChunk, try areEqual(group) { return try list(group) }
    if offset + 4 > IndexEditor.maximumOffset { return try deepestList(group) }
    var (chunks, elements): ([Int64], [Int64]) = ([], [])
    try forEachGroup(group, .both) { (group) throws(StorageError) in
      chunks.append(group[0].nextChunk)
      elements.append(try nextElement(group, offset + 4, isMixed: hasOneChunk))
    }
    return try makeTree(chunks, elements)
  }

  /// What stands under the second chunk, at an offset, of entries that have both in common.
  ///
  /// - Parameter isMixed: Whether their values are known to be different.
  private func nextElement(
    _ group: Entries, _ offset: Int, isMixed: Bool
  ) throws(StorageError) -> Int64 {
    if group.count == 1 { return SearchIndex.element(for: group[0].object) }
    if !isMixed, try areEqual(group) { return try list(group) }
    if offset + 4 > IndexEditor.maximumOffset { return try deepestList(group) }
    try advance(group, to: offset + 4)
    return try make(sorted: group, offset: offset + 4)
  }

  /// Whether the values of entries with equal chunks are equal.
  private func areEqual(_ group: Entries) throws(StorageError) -> Bool {
    let first = group[0]
    for entry in group.dropFirst() {
      if let isEqual = first.isEqual(entry) {
        if !isEqual { return false }
      } else if try keyOf(entry.object) != keyOf(first.object) {
        return false
      }
    }
    return true
  }

  /// Takes the chunks from another offset on, and sorts by them.
  private func advance(_ entries: Entries, to offset: Int) throws(StorageError) {
    var group = entries
    for i in group.indices {
      let object = group[i].object
      group[i] = IndexEntry(object, try keyOf(object), at: offset, isFixed: isFixed)
    }
    group.sort { $0.object < $1.object }
    IndexEntry.sort(group)
  }

  /// The list of objects with one value.
  private func list(_ group: Entries) throws(StorageError) -> Int64 {
    try TreeEditor(integersIn: store).make(integers: group.map { $0.object.rawValue })
  }

  /// The list where values are not told apart any more.
  private func deepestList(_ group: Entries) throws(StorageError) -> Int64 {
    var values: [(value: IndexedValue, object: ObjectKey)] = []
    for entry in group { values.append((try valueOf(entry.object), entry.object)) }
    values.sort {
      let order = $0.value.order($1.value)
      return order != 0 ? order < 0 : $0.object < $1.object
    }
    return try TreeEditor(integersIn: store).make(integers: values.map { $0.object.rawValue })
  }

  // MARK: Insertion

  /// Adds objects, which are in the table already, but not in the index.
  ///
  /// - Parameter entries: Ascending by object; they are reordered.
  func insert(_ entries: Entries, into root: inout Int64) throws(StorageError) {
    IndexEntry.sort(entries)
    try insert(sorted: entries, into: &root, offset: 0)
  }

  private func insert(
    sorted entries: Entries, into root: inout Int64, offset: Int
  ) throws(StorageError) {
    guard !entries.isEmpty else { return }
    try checkOffset(offset, root)
    let node = try SearchIndex.Node(at: root, in: store.view)
    if !node.node.isInner, node.keys.count == 0 {
      try store.freeTree(root)
      root = try make(sorted: entries, offset: offset)
    } else if entries.count >= 32,
      entries.count >= node.keys.count * (node.node.isInner ? 100 : 1) / 4
    {
      try merge(entries, into: &root, offset)
    } else {
      try forEachGroup(entries, .first) { (group) throws(StorageError) in
        try insert(&root, chunk: group[0].chunk) {
          (element: inout Int64?) throws(StorageError) in
          element = try add(group, under: element, offset)
        }
      }
    }
  }

  /// Makes the nodes for the chunk at an offset anew.
  private func merge(
    _ entries: Entries, into root: inout Int64, _ offset: Int
  ) throws(StorageError) {
    var (oldChunks, oldElements): ([Int64], [Int64]) = ([], [])
    try takeApart(root, &oldChunks, &oldElements, depth: 0)
    var (chunks, elements): ([Int64], [Int64]) = ([], [])
    chunks.reserveCapacity(oldChunks.count + entries.count)
    elements.reserveCapacity(oldChunks.count + entries.count)
    var next = 0
    try forEachGroup(entries, .first) { (group) throws(StorageError) in
      let chunk = group[0].chunk
      var end = next
      while end < oldChunks.count, oldChunks[end] < chunk { end += 1 }
      chunks += oldChunks[next..<end]
      elements += oldElements[next..<end]
      let isKnown = end < oldChunks.count && oldChunks[end] == chunk
      chunks.append(chunk)
      elements.append(try add(group, under: isKnown ? oldElements[end] : nil, offset))
      next = isKnown ? end + 1 : end
    }
    chunks += oldChunks[next...]
    elements += oldElements[next...]
    root = try makeTree(chunks, elements)
  }

  /// Gives up the nodes for the chunk at one offset and collects what was in them.
  private func takeApart(
    _ ref: Int64, _ chunks: inout [Int64], _ elements: inout [Int64], depth: Int
  ) throws(StorageError) {
    guard depth < BPlusTreeCursor.maximumDepth else { throw .damage(.badDepth, at: Int(ref)) }
    let node = try SearchIndex.Node(at: ref, in: store.view)
    if node.node.isInner {
      for child in 1..<max(1, node.node.count) {
        try takeApart(try store.view.ref(node.node, child), &chunks, &elements, depth: depth + 1)
      }
    } else {
      for i in 0..<node.keys.count {
        chunks.append(node.keys[i])
        elements.append(node.node[i + 1])
      }
    }
    try store.free(try store.view.ref(node.node, 0))
    try store.free(ref)
  }

  /// Adds entries with one chunk to what stands under it.
  private func add(
    _ group: Entries, under present: Int64?, _ offset: Int
  ) throws(StorageError) -> Int64 {
    guard let present else { return try element(group, offset) }
    if present & 1 != 0 {
      let other = SearchIndex.objectKey(present)
      var joined = Array(group)
      joined.append(IndexEntry(other, try keyOf(other), at: offset, isFixed: isFixed))
      joined.sort { $0.object < $1.object }
      return try joined.withUnsafeMutableBufferPointer { (joined) throws(StorageError) in
        IndexEntry.sort(joined)
        return try element(joined, offset)
      }
    }
    var below = present
    if try store.node(present).hasContext {
      try advance(group, to: offset + 4)
      try insert(sorted: group, into: &below, offset: offset + 4)
      return below
    }
    let tree = TreeEditor(integersIn: store)
    let (first, last) = (
      try keyOf(try key(in: present, 0)),
      try keyOf(try key(in: present, try tree.count(present) - 1))
    )
    var isUniform = first == last
    for entry in group where isUniform { isUniform = try keyOf(entry.object) == first }
    if isUniform {
      try tree.insert(ascending: group.map { $0.object.rawValue }, into: &below)
      return below
    }
    var changed: Int64? = present
    for entry in group {
      try add(entry.object, try valueOf(entry.object), offset, to: &changed)
    }
    return changed ?? present
  }

  // MARK: Removal

  /// Removes objects, which are in the table still; those that are not in the index are passed
  /// over.
  ///
  /// - Parameter entries: Ascending by object; they are reordered.
  func remove(_ entries: Entries, from root: inout Int64) throws(StorageError) {
    IndexEntry.sort(entries)
    let isEmpty = try remove(sorted: entries, from: &root, offset: 0)
    try closeRemoval(&root, isEmpty: isEmpty)
  }

  /// - Returns: whether nothing is left.
  private func remove(
    sorted entries: Entries, from root: inout Int64, offset: Int
  ) throws(StorageError) -> Bool {
    try checkOffset(offset, root)
    var isEmpty = false
    try forEachGroup(entries, .first) { (group) throws(StorageError) in
      let chunk = Int32(truncatingIfNeeded: group[0].chunk)
      isEmpty = try remove(below: &root, chunk: chunk, depth: 0) {
        (element: inout Int64) throws(StorageError) in
        if element & 1 != 0 {
          let object = SearchIndex.objectKey(element)
          return group.contains { $0.object == object }
        }
        if try store.node(element).hasContext {
          try advance(group, to: offset + 4)
          return try remove(sorted: group, from: &element, offset: offset + 4)
        }
        return try remove(fromList: &element, group)
      }
    }
    return isEmpty
  }

  /// - Returns: whether the list is empty now.
  private func remove(
    fromList list: inout Int64, _ group: Entries
  ) throws(StorageError) -> Bool {
    let tree = TreeEditor(integersIn: store)
    let count = try tree.count(list)
    if group.count * 16 < count {
      var isEmpty = false
      for entry in group { isEmpty = try remove(fromList: &list, entry.object) }
      return isEmpty
    }
    let doomed = Set(group.map { $0.object.rawValue })
    let rest = try tree.integers(list).filter { !doomed.contains($0) }
    if rest.isEmpty { return true }
    try store.freeTree(list)
    list = try tree.make(integers: rest)
    return false
  }
}
