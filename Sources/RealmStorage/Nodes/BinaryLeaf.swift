/// Binaries of a leaf: small, `[offsets, blob, nulls]`, or big, one blob for each.
///
/// Source: file-format.md 3.7, 3.5.
public struct BinaryLeaf {
  /// Number of rows.
  public let count: Int
  private let first: Int
  private let isBig: Bool
  private let isNullable: Bool
  private let node: NodeView
  private let blob: NodeView
  private let nulls: NodeView?
  private let view: FileView

  init(_ node: NodeView, in view: FileView, isNullable: Bool) throws(StorageError) {
    guard node.hasRefs, node.scheme == .bits else {
      throw .damage(.wrongNodeKind, at: node.offset, found: Int(node.flags))
    }
    self.view = view
    self.isNullable = isNullable
    first = 0
    isBig = node.hasContext
    guard !isBig else {
      count = node.count
      (self.node, blob, nulls) = (node, node, nil)
      return
    }
    let parts = try SlicedBlob(node, in: view)
    (self.node, blob, nulls) = (parts.offsets, parts.blob, parts.nulls)
    count = parts.offsets.count
  }

  private init(_ other: BinaryLeaf, from start: Int, count: Int) {
    self.count = count
    first = other.first + start
    isBig = other.isBig
    isNullable = other.isNullable
    node = other.node
    blob = other.blob
    nulls = other.nulls
    view = other.view
  }

  func suffix(from start: Int, count: Int) -> BinaryLeaf {
    BinaryLeaf(self, from: start, count: count)
  }

  /// The bytes of a row; nil if it is null.
  ///
  /// - Throws: `StorageError.damaged` when the value runs past its node.
  public func value(at row: Int) throws(StorageError) -> UnsafeRawBufferPointer? {
    precondition(UInt(bitPattern: row) < UInt(bitPattern: count))
    let bytes = isBig ? try big(first + row) : try small(first + row)
    if bytes == nil, !isNullable { return UnsafeRawBufferPointer(start: node.payload, count: 0) }
    return bytes
  }

  private func small(_ index: Int) throws(StorageError) -> UnsafeRawBufferPointer? {
    if let nulls, nulls[index] != 0 { return nil }
    let begin = index == 0 ? 0 : Int(node[index - 1])
    let end = Int(node[index])
    guard begin >= 0, begin <= end, end <= blob.count else {
      throw .damage(.textPastEnd, at: node.offset, found: end, limit: blob.count)
    }
    return UnsafeRawBufferPointer(start: blob.payload + begin, count: end - begin)
  }

  private func big(_ index: Int) throws(StorageError) -> UnsafeRawBufferPointer? {
    guard let ref = try view.optionalRef(node, index) else { return nil }
    let value = try view.node(at: ref)
    if value.hasContext, value.hasRefs, value.scheme == .bits {
      return try view.memory.takeUnretainedValue().joinedBlob(value, in: view)
    }
    guard value.scheme == .ignored, !value.hasRefs else {
      throw .damage(.wrongNodeKind, at: value.offset, found: Int(value.flags))
    }
    return value.bytes
  }
}
