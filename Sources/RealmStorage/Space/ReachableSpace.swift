/// What of a snapshot no node uses, found by visiting all nodes instead of believing the lists.
///
/// Source: file-format-writing.md 3.7.
enum ReachableSpace {
  /// The space between the nodes of a snapshot; that of its lists of free space counts as unused.
  ///
  /// - Parameter fileEnd: Number of bytes that belong to the snapshot.
  /// - Throws: `damaged` if a node cannot be read, or overlaps another one.
  static func gaps(
    belowTop topRef: Int64, in view: FileView, fileEnd: Int
  ) throws(StorageError) -> [Extent] {
    var used = BitSet(count: fileEnd / 8)
    let top = try view.refs(at: topRef, minimumCount: 3)
    try insert(top, fileEnd, &used)
    var pending: [Int64] = []
    for slot in 0..<top.count where !(3...5).contains(slot) && isRef(top[slot]) {
      pending.append(top[slot])
    }
    while let ref = pending.popLast() {
      let node = try view.node(at: ref)
      try view.charge(node)
      try insert(node, fileEnd, &used)
      guard node.hasRefs, node.scheme == .bits, node.width > 0 else { continue }
      for i in 0..<node.count where isRef(node[i]) { pending.append(node[i]) }
    }
    return used.runsOfMissing(from: FileView.headerByteCount / 8, to: fileEnd / 8).map {
      Extent(offset: $0.lowerBound * 8, byteCount: $0.count * 8)
    }
  }

  private static func isRef(_ element: Int64) -> Bool { element != 0 && element & 1 == 0 }

  private static func insert(
    _ node: NodeView, _ fileEnd: Int, _ used: inout BitSet
  ) throws(StorageError) {
    let (start, end) = (node.offset, node.offset + NodeStore.storedByteCount(node))
    guard end <= fileEnd else {
      throw .damage(.nodePastEnd, at: start, found: end - start, limit: fileEnd)
    }
    guard used.isClear(from: start / 8, to: end / 8) else {
      throw .damage(.cyclicRefs, at: start)
    }
    used.insert(from: start / 8, to: end / 8)
  }
}
