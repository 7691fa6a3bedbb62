import ByteKernels
import Glibc

/// A run of bytes of a file.
struct Extent {
  var offset: Int
  var byteCount: Int
  var end: Int { offset + byteCount }
}

/// What kind of node is made, and how its elements are coded.
struct NodeStyle {
  /// Inner, has refs, context; the bits of header byte 4.
  var flags: UInt8 = 0
  /// Whether elements of 8 bits and more have no sign.
  var isUnsigned = false
  /// Width that the node has at least.
  var minimumWidth = 0

  static let plain = NodeStyle()
  static let refs = NodeStyle(flags: 0x40)
  static let contextRefs = NodeStyle(flags: 0x60)
  static let innerRefs = NodeStyle(flags: 0xC0)
  static let innerContextRefs = NodeStyle(flags: 0xE0)
  /// Keys of clusters and offsets of B+ trees.
  static let unsignedKeys = NodeStyle(isUnsigned: true, minimumWidth: 8)
  /// Chunks of search indexes.
  static let indexKeys = NodeStyle(minimumWidth: 32)
}

/// The nodes of a write transaction: committed ones, which are never changed, and new ones.
///
/// Every change takes a ref by reference: if the node is committed, or part of a state of the
/// transaction that is kept, a copy is changed instead, and the ref is that of the copy. The room of the original is then released, to be listed as free by
/// the commit. The first four bytes of a new node hold the room it has, in units of 8 bytes; in a
/// file they mean nothing.
///
/// Source: file-format-writing.md 1.4, 2.1.
final class NodeStore {
  let region: TransactionRegion
  /// Reads committed and new nodes alike.
  let view: FileView
  private let memory: FileMemory
  /// Committed nodes that the transaction has replaced or dropped.
  private(set) var released: [Extent] = []

  /// Most elements of a node.
  static let maximumCount = 0xFF_FFFF
  /// The three bits that stand for a width, which is 0 or a power of two up to 64.
  @inline(__always)
  static func code(ofWidth width: Int) -> UInt8 {
    width == 0 ? 0 : UInt8(truncatingIfNeeded: width.trailingZeroBitCount + 1)
  }

  init(_ region: TransactionRegion) {
    self.region = region
    memory = FileMemory(cipher: region.cipher, fileByteCount: region.byteCount)
    view = FileView(
      base: UnsafeRawPointer(region.base), byteCount: region.byteCount,
      isEncrypted: region.cipher != nil,
      memory: Unmanaged.passUnretained(memory), remainingWork: memory.remainingWork)
  }

  /// Allows the next walk as much work as it needs.
  func renewWork() { memory.renewWork() }

  /// The node at a ref.
  @inline(__always)
  func node(_ ref: Int64) throws(StorageError) -> NodeView { try view.node(at: ref) }

  /// The bytes of a new node, header included.
  ///
  /// - Precondition: the node may be changed.
  @inline(__always)
  func bytes(_ ref: Int64) -> UnsafeMutableRawPointer {
    precondition(region.isWritable(ref))
    return region.base + Int(ref)
  }

  /// Number of bytes that a node takes in a file.
  static func storedByteCount(_ node: NodeView) -> Int {
    FileView.nodeHeaderByteCount + (node.payloadByteCount + 7) / 8 * 8
  }

  /// What files have in the place of a checksum.
  static let storedChecksum: UInt32 = 0x4141_4141

  /// Makes a new node what it is in a file; it can be read, but neither changed nor freed any more.
  func storedForm(_ node: NodeView) -> UnsafeRawBufferPointer {
    let (start, byteCount) = (bytes(Int64(node.offset)), NodeStore.storedByteCount(node))
    start.storeBytes(of: NodeStore.storedChecksum, as: UInt32.self)
    let used = FileView.nodeHeaderByteCount + node.payloadByteCount
    memset(start + used, 0, byteCount - used)
    return UnsafeRawBufferPointer(start: start, count: byteCount)
  }

  /// Makes a node with room for `payloadByteCount` bytes; the payload is not initialised.
  func make(
    flags: UInt8, width: Int, count: Int, payloadByteCount: Int
  ) throws(StorageError) -> Int64 {
    let (offset, byteCount) = try region.allocate(
      FileView.nodeHeaderByteCount + (payloadByteCount + 7) / 8 * 8)
    let start = region.base + offset
    start.storeBytes(of: UInt32(byteCount / 8), as: UInt32.self)
    setHeader(Int64(offset), flags: flags, width: width, count: count)
    return Int64(offset)
  }

  /// Sets what the header of a new node says; `flags` without the width code.
  func setHeader(_ ref: Int64, flags: UInt8, width: Int, count: Int) {
    let word = NodeStore.headerWord(flags: flags, width: width, count: count)
    bytes(ref).storeBytes(of: word, toByteOffset: 4, as: UInt32.self)
  }

  /// The second word of a header, as it lies in memory.
  static func headerWord(flags: UInt8, width: Int, count: Int) -> UInt32 {
    precondition(count >= 0 && count <= NodeStore.maximumCount)
    return (UInt32(flags | NodeStore.code(ofWidth: width)) << 24 | UInt32(count)).bigEndian
  }

  /// Number of payload bytes that a new node has room for.
  func room(_ ref: Int64) -> Int {
    Int(bytes(ref).load(as: UInt32.self)) * 8 - FileView.nodeHeaderByteCount
  }

  /// Makes sure that a node is new and has room for a payload, copying it if need be.
  func makeRoom(_ ref: inout Int64, payloadByteCount: Int) throws(StorageError) {
    if region.isWritable(ref), room(ref) >= payloadByteCount { return }
    let old = try node(ref)
    let needed = max(payloadByteCount, old.payloadByteCount)
    // Nodes that grow have grown before and will again.
    let slack = payloadByteCount > old.payloadByteCount ? needed / 4 : 0
    let copy = try make(
      flags: old.flags & 0xF8, width: old.width, count: old.count,
      payloadByteCount: needed + slack)
    memcpy(region.base + Int(copy) + 8, old.payload, old.payloadByteCount)
    try free(ref)
    ref = copy
  }

  /// Makes sure that a node is new.
  func makeWritable(_ ref: inout Int64) throws(StorageError) {
    try makeRoom(&ref, payloadByteCount: 0)
  }

  /// Gives up one node, but not those that it refers to.
  func free(_ ref: Int64) throws(StorageError) {
    if region.isNew(ref) {
      // Of nodes that are kept the room is read, too.
      let units = (region.base + Int(ref)).load(as: UInt32.self)
      region.free(Int(ref), Int(units) * 8)
    } else {
      let old = try node(ref)
      released.append(Extent(offset: Int(ref), byteCount: NodeStore.storedByteCount(old)))
    }
  }

  /// Gives up a node and everything below it; 0 is nothing.
  func freeTree(_ ref: Int64) throws(StorageError) {
    guard ref != 0 else { return }
    var pending = [ref]
    while let next = pending.popLast() {
      let node = try node(next)
      if node.hasRefs, node.scheme == .bits {
        for i in 0..<node.count where node[i] & 1 == 0 && node[i] != 0 { pending.append(node[i]) }
      }
      try free(next)
    }
  }

  /// Makes a blob.
  func makeBlob(
    _ bytes: UnsafeRawBufferPointer, isTerminated: Bool = false
  ) throws(StorageError) -> Int64 {
    let count = bytes.count + (isTerminated ? 1 : 0)
    // Width scheme "ignored", width code 1 as the field's other writers use.
    let ref = try make(flags: 0x10, width: 1, count: count, payloadByteCount: count)
    let payload = self.bytes(ref) + 8
    if let source = bytes.baseAddress { memcpy(payload, source, bytes.count) }
    if isTerminated { payload.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self) }
    return ref
  }
}
