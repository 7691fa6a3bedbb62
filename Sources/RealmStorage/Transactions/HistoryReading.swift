import RealmValues

extension Snapshot {
  /// The change sets of the commits that lead from an older version to this one, the oldest first.
  ///
  /// The bytes belong to the snapshot. They are instructions for `TransactionChanges.apply`.
  ///
  /// Source: file-format-writing.md 4.3.
  ///
  /// - Returns: nil if the history does not reach back so far, or there is none.
  /// - Throws: `StorageError.damaged`.
  public func changeSets(
    since version: Int64
  ) throws(StorageError) -> [UnsafeRawBufferPointer]? {
    let needed = self.version &- version
    guard needed != 0 else { return [] }
    guard needed > 0, historyType == .inRealm, let root = try historyRoot(), let view else {
      return nil
    }
    file.renewWork()
    let type = LeafType(layout: .data, isNullable: true)
    let node = try view.node(at: root)
    let present = try BPlusTreeCursor.elementCount(ofInner: node)
    let total: Int
    if let present { total = present } else { total = try ColumnLeaf(node, type, in: view).count }
    guard needed <= Int64(total) else { return nil }
    var stream = try LeafStream(root: root, type: type, in: view)
    var result: [UnsafeRawBufferPointer] = []
    var leaf = try stream.seek(to: total - Int(needed))
    while let present = leaf, result.count < Int(needed) {
      for row in 0..<present.count {
        guard case .data(let bytes) = try present.value(at: row) else {
          // An empty change set can be stored as null.
          result.append(UnsafeRawBufferPointer(start: nil, count: 0))
          continue
        }
        result.append(bytes)
      }
      leaf = try stream.next()
    }
    guard result.count == Int(needed) else {
      throw .damage(.countMismatch, at: node.offset, found: result.count, limit: Int(needed))
    }
    return result
  }

  /// Number of change sets in the history; nil if its kind is another, or there is none.
  ///
  /// - Throws: `StorageError.damaged`.
  public func changeSetCount() throws(StorageError) -> Int? {
    guard historyType == .inRealm, let root = try historyRoot(), let view else { return nil }
    let node = try view.node(at: root)
    if let count = try BPlusTreeCursor.elementCount(ofInner: node) { return count }
    return try ColumnLeaf(node, LeafType(layout: .data, isNullable: true), in: view).count
  }
}
