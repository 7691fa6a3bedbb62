/// The bytes of one snapshot, and the checked way from a ref to a node.
///
/// A plain struct of a pointer and a limit, so that it is copied into loops freely. For an
/// encrypted file `base` is a region of zeros into which `PageCipher` decrypts pages when a node
/// on them is asked for the first time; from then on reading them costs nothing.
///
/// The bytes may be changed by another process at any time. Therefore nothing that was read is
/// trusted to stay: a view of a node keeps its count and width, and every offset or ref read from a
/// payload is checked when it is used.
public struct FileView {
  /// First byte of the (decrypted) file.
  public let base: UnsafeRawPointer
  /// Number of bytes that belong to the snapshot.
  public let byteCount: Int
  /// Whether pages have to be decrypted before they are read.
  let isEncrypted: Bool
  /// What belongs to the bytes; unretained, the `RealmFile` that owns the bytes owns it too.
  let memory: Unmanaged<FileMemory>
  /// How many more nodes a walk may visit; belongs to `memory`.
  let remainingWork: UnsafeMutablePointer<Int>

  static let headerByteCount = 24
  static let nodeHeaderByteCount = 8

  /// Makes sure that bytes of the file can be read: decrypts their pages if need be.
  ///
  /// - Precondition: the range lies inside the file.
  @inline(__always)
  func makeReadable(_ offset: Int, _ count: Int) throws(StorageError) {
    if isEncrypted {
      try memory.takeUnretainedValue().cipher?.decrypt(from: offset, byteCount: count)
    }
  }

  /// Gives memory back when much has been read; to be called now and then in a walk over everything.
  ///
  /// - Parameter byteCount: What was read since the last time.
  /// - Returns: whether the payload of nodes that were read before must not be used any more.
  func relax(_ byteCount: Int) -> Bool {
    memory.takeUnretainedValue().relax(byteCount, self)
  }

  /// Validates the node at a ref: position, size, alignment, width scheme.
  ///
  /// - Throws: `StorageError.damaged` with the first rule that is broken; `damagedPage` when the
  ///   file is encrypted and a page of the node does not verify.
  /// - Complexity: O(1).
  @inline(__always)
  public func node(at ref: Int64) throws(StorageError) -> NodeView {
    let offset = Int(ref)
    guard offset & 7 == 0 else {
      throw .damage(.misalignedRef, at: offset, found: offset)
    }
    guard offset >= FileView.headerByteCount, offset <= byteCount &- FileView.nodeHeaderByteCount
    else { throw .damage(.refPastEnd, at: offset, found: offset, limit: byteCount) }
    try makeReadable(offset, FileView.nodeHeaderByteCount)
    let word = UInt32(
      bigEndian: base.loadUnaligned(fromByteOffset: offset &+ 4, as: UInt32.self))
    let flags = UInt8(truncatingIfNeeded: word &>> 24)
    let count = Int(word & 0xFF_FFFF)
    let width = (1 &<< Int(flags & 7)) &>> 1
    guard flags & 0x18 != 0x18 else {
      throw .damage(.reservedWidthScheme, at: offset, found: Int(flags))
    }
    let payloadCount = NodeView.payloadByteCount(flags: flags, count: count, width: width)
    let payloadOffset = offset &+ FileView.nodeHeaderByteCount
    guard payloadCount <= byteCount &- payloadOffset else {
      throw .damage(.nodePastEnd, at: offset, found: payloadCount &+ 8, limit: byteCount)
    }
    try makeReadable(payloadOffset, payloadCount)
    return NodeView(
      offset: offset, payload: base + payloadOffset, count: count, width: width, flags: flags)
  }

  /// The address of a ref that was not checked, for prefetching only.
  @inline(__always)
  func address(ofRef ref: Int64) -> UnsafeRawPointer {
    UnsafeRawPointer(bitPattern: UInt(bitPattern: base) &+ UInt(truncatingIfNeeded: ref)) ?? base
  }

  /// Charges the visit of a node in a walk; elements cost only where they take no bytes.
  ///
  /// - Throws: `StorageError.damaged` (`cyclicRefs`) when more nodes were visited than a valid file
  ///   can hold; see `FileMemory.renewWork`.
  @inline(__always)
  func charge(_ node: NodeView) throws(StorageError) {
    remainingWork.pointee &-= node.width == 0 ? 1 &+ node.count &>> 4 : 1
    guard remainingWork.pointee >= 0 else { throw .damage(.cyclicRefs, at: node.offset) }
  }

  /// Charges work that is not paid for by bytes of the file.
  ///
  /// - Throws: as `charge(_:)`.
  func charge(_ amount: Int, at offset: Int) throws(StorageError) {
    remainingWork.pointee &-= amount
    guard remainingWork.pointee >= 0 else { throw .damage(.cyclicRefs, at: offset) }
  }

  /// Charges the elements of an array inside a leaf, where they take no bytes.
  ///
  /// A leaf of a valid file has at most 1000 elements; those of old and hostile files can have
  /// millions.
  @inline(__always)
  func chargeElements(_ node: NodeView) throws(StorageError) {
    guard node.width == 0, node.count > 1000 else { return }
    try charge(node.count &>> 4, at: node.offset)
  }

  /// Validates a node of integers (width scheme `bits`).
  @inline(__always)
  public func integers(at ref: Int64) throws(StorageError) -> NodeView {
    let node = try node(at: ref)
    guard node.scheme == .bits else {
      throw .damage(.wrongNodeKind, at: node.offset, found: Int(node.flags))
    }
    return node
  }

  /// Validates a node of refs with at least `minimumCount` elements.
  @inline(__always)
  public func refs(at ref: Int64, minimumCount: Int = 0) throws(StorageError) -> NodeView {
    let node = try integers(at: ref)
    guard node.hasRefs else {
      throw .damage(.wrongNodeKind, at: node.offset, found: Int(node.flags))
    }
    guard node.count >= minimumCount else {
      throw .damage(.tooFewElements, at: node.offset, found: node.count, limit: minimumCount)
    }
    return node
  }

  /// Validates a node of bytes (a blob).
  @inline(__always)
  func blob(at ref: Int64) throws(StorageError) -> NodeView {
    let node = try node(at: ref)
    guard node.scheme == .ignored, !node.hasRefs else {
      throw .damage(.wrongNodeKind, at: node.offset, found: Int(node.flags))
    }
    return node
  }

  /// The ref in a slot, or nil if the slot is 0 or missing.
  @inline(__always)
  public func optionalRef(_ node: NodeView, _ slot: Int) throws(StorageError) -> Int64? {
    guard slot < node.count else { return nil }
    let value = node[slot]
    if value == 0 { return nil }
    guard value & 1 == 0 else { throw .damage(.missingRef, at: node.offset, found: slot) }
    return value
  }

  /// The ref in a slot.
  @inline(__always)
  public func ref(_ node: NodeView, _ slot: Int) throws(StorageError) -> Int64 {
    guard let ref = try optionalRef(node, slot) else {
      throw .damage(.missingRef, at: node.offset, found: slot)
    }
    return ref
  }

  /// The tagged integer in a slot, or nil if the slot is 0 or missing.
  @inline(__always)
  public func tagged(_ node: NodeView, _ slot: Int) throws(StorageError) -> Int64? {
    guard slot < node.count else { return nil }
    let value = node[slot]
    if value == 0 { return nil }
    guard value & 1 != 0 else { throw .damage(.notTagged, at: node.offset, found: slot) }
    return Int64(bitPattern: UInt64(bitPattern: value) &>> 1)
  }
}
