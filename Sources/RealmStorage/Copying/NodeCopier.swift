import ByteKernels
import Glibc

/// Copies trees of nodes into a new file, children before parents.
///
/// Only nodes with refs are coded anew; the others are copied as they are. The memory it takes is
/// that of the nodes on the way from the root to the one being copied.
///
/// Source: file-format-writing.md 10.2.
struct NodeCopier {
  /// A node whose children are being copied.
  private struct Frame {
    var node: NodeView
    /// The element that is looked at next.
    var next: Int
    /// Where its elements begin in `elements`.
    var first: Int
  }

  var output: CompactWriter
  /// Number of nodes written.
  private(set) var nodeCount = 0

  private let onProgress: (Int) -> Bool
  /// Size of the copy when memory was offered to the system last.
  private var relaxedEnd = 0
  private var frames: [Frame] = []
  /// The elements of the nodes of `frames`, with the new refs as far as the children are copied.
  private var elements: [Int64] = []
  private var coded: UnsafeMutableRawBufferPointer

  /// Writes into an empty file.
  ///
  /// - Parameter onProgress: Called now and then with the size of the copy so far; false ends it.
  /// - Precondition: `release` is called in the end.
  init(_ file: any FileBackend, onProgress: @escaping (Int) -> Bool) {
    output = CompactWriter(file)
    self.onProgress = onProgress
    coded = .allocate(byteCount: 1 << 14, alignment: 16)
  }

  func release() {
    output.release()
    coded.deallocate()
  }

  /// Copies a node with everything below it.
  ///
  /// - Parameter limit: File size that the copy does not exceed unless nodes are shared.
  /// - Returns: its ref in the new file.
  /// - Throws: `damaged`, `damagedPage`, `system`; `rejected(.interrupted)`.
  mutating func copy(_ root: Int64, in view: FileView, limit: Int) throws(StorageError) -> Int64 {
    if let ref = try begin(root, in: view, limit) { return ref }
    while true {
      let depth = frames.count - 1
      if let child = nextChild(at: depth) {
        if let ref = try begin(child, in: view, limit) {
          elements[frames[depth].first + frames[depth].next - 1] = ref
        }
        continue
      }
      let ref = try finish(frames.removeLast())
      guard let parent = frames.last else { return ref }
      elements[parent.first + parent.next - 1] = ref
    }
  }

  /// The ref that follows in the node at a depth.
  private mutating func nextChild(at depth: Int) -> Int64? {
    let (first, count) = (frames[depth].first, frames[depth].node.count)
    var next = frames[depth].next
    while next < count {
      let element = elements[first + next]
      next += 1
      if element != 0, element & 1 == 0 {
        frames[depth].next = next
        return element
      }
    }
    frames[depth].next = next
    return nil
  }

  /// Copies a node without children, or puts one with children on top of `frames`.
  ///
  /// - Returns: the new ref; nil if children have to be copied first.
  private mutating func begin(
    _ ref: Int64, in view: FileView, _ limit: Int
  ) throws(StorageError) -> Int64? {
    let node = try view.node(at: ref)
    try view.charge(node)
    guard output.end <= limit else { throw .damage(.cyclicRefs, at: node.offset) }
    nodeCount += 1
    if nodeCount & 0x3FF == 0 {
      guard onProgress(output.end) else { throw .rejected(.interrupted) }
      // Of the nodes above only the headers are still needed, but this one is about to be copied.
      if view.relax(output.end - relaxedEnd) { _ = try view.node(at: ref) }
      relaxedEnd = output.end
    }
    // Refs have 8 bits at least.
    if node.hasRefs, node.scheme == .bits, node.width >= 8 {
      let first = elements.count
      var hasChildren = false
      let packed = node.integers
      for i in 0..<node.count {
        let element = packed[i]
        hasChildren = hasChildren || element != 0 && element & 1 == 0
        elements.append(element)
      }
      if hasChildren {
        frames.append(Frame(node: node, next: 0, first: first))
        return nil
      }
      elements.removeLast(node.count)
    }
    return try write(flags: node.flags, count: node.count, node.payload, node.payloadByteCount)
  }

  /// Writes a node whose children are copied.
  private mutating func finish(_ frame: Frame) throws(StorageError) -> Int64 {
    let count = frame.node.count
    var width = 8
    for i in 0..<count { width = max(width, NodeStore.width(of: elements[frame.first + i])) }
    let byteCount = count * width / 8
    if byteCount > coded.count {
      coded.deallocate()
      coded = .allocate(byteCount: byteCount, alignment: 16)
    }
    elements.withUnsafeBufferPointer { elements in
      let values = UnsafeBufferPointer(rebasing: elements[frame.first..<(frame.first + count)])
      switch width {
      case 8: NodeCopier.store(values, as: Int8.self, coded)
      case 16: NodeCopier.store(values, as: Int16.self, coded)
      case 32: NodeCopier.store(values, as: Int32.self, coded)
      default: NodeCopier.store(values, as: Int64.self, coded)
      }
    }
    elements.removeLast(count)
    let flags = frame.node.flags & 0xF8 | NodeStore.code(ofWidth: width)
    guard let payload = coded.baseAddress else { return 0 }
    return try write(flags: flags, count: count, payload, byteCount)
  }

  private static func store<Element: FixedWidthInteger & BitwiseCopyable>(
    _ values: UnsafeBufferPointer<Int64>, as type: Element.Type,
    _ target: UnsafeMutableRawBufferPointer
  ) {
    let size = MemoryLayout<Element>.size
    for i in values.indices {
      target.storeBytes(
        of: Element(truncatingIfNeeded: values[i]).littleEndian, toByteOffset: i * size,
        as: Element.self)
    }
  }

  /// Writes a node.
  ///
  /// - Returns: its ref.
  mutating func write(
    flags: UInt8, count: Int, _ payload: UnsafeRawPointer, _ byteCount: Int
  ) throws(StorageError) -> Int64 {
    let ref = try output.place(FileView.nodeHeaderByteCount + (byteCount + 7) & ~7)
    try output.appendHeader(flags: flags, count: count)
    try output.append(payload, byteCount)
    return Int64(ref)
  }
}
