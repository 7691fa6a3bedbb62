import ByteKernels

/// Visits every node that can be reached from the top array, once.
///
/// Refs are the even elements, not 0, of nodes with refs; nothing has to be known about tables for
/// that. A bit for each 8 bytes of the file tells which are in use, a second one where a node
/// starts.
///
/// Source: file-format.md 2.3, 10.3 (17).
struct NodeWalk {
  /// Whether a node was reached twice, or overlaps another.
  private(set) var hasSharedNodes = false

  private let view: FileView
  private let top: NodeView
  private let free: FreeSpace
  /// Names of the tables by position.
  private let names: [String]
  private let tablesRef: Int64?
  private var used: BitSet
  private var starts: BitSet
  private var usedByteCount = 0
  private var relaxedByteCount = 0
  private var nodeCount = 0
  private var path: [Frame] = []
  private var reportedRanges: Set<Int> = []

  /// A node whose elements are being followed, and the position of its table (-1: none).
  private struct Frame {
    var node: NodeView
    var next: Int
    var table: Int
  }

  init(view: FileView, top: NodeView, free: FreeSpace) {
    self.view = view
    self.top = top
    self.free = free
    used = BitSet(count: view.byteCount / 8 + 1)
    starts = BitSet(count: view.byteCount / 8 + 1)
    tablesRef = (try? view.optionalRef(top, 1)) ?? nil
    let namesRef = (try? view.optionalRef(top, 0)) ?? nil
    names = namesRef.flatMap { try? TableReader.names(at: $0, in: view) } ?? []
  }

  /// Walks, reports what is wrong, and counts the nodes.
  mutating func run(_ report: inout CheckReport, _ onProgress: (Int, Int) -> Bool) {
    visit(Int64(top.offset), parent: top.offset, table: -1, &report)
    while let frame = path.last {
      guard let (ref, index) = NodeWalk.nextRef(of: frame.node, from: frame.next) else {
        path.removeLast()
        continue
      }
      path[path.count - 1].next = index + 1
      let isList = tablesRef == Int64(frame.node.offset) && frame.table < 0
      visit(ref, parent: frame.node.offset, table: isList ? index : frame.table, &report)
      let isDue = nodeCount & 1023 == 0
      if isDue { relax() }
      let isCancelled = isDue && !onProgress(usedByteCount, view.byteCount)
      if isCancelled || report.findingCount >= FileChecker.maximumFindings {
        report.isComplete = false
        break
      }
    }
    report.nodeCount = nodeCount
    if free.isComplete, report.findingCount == 0, report.isComplete { findLostSpace(&report) }
  }

  /// Gives memory back; the nodes on the path are needed still.
  private mutating func relax() {
    let isForgotten = view.relax(usedByteCount - relaxedByteCount)
    relaxedByteCount = usedByteCount
    guard isForgotten else { return }
    // They were readable before.
    for frame in path { _ = try? view.node(at: Int64(frame.node.offset)) }
  }

  /// The first element from `start` on that is a ref.
  private static func nextRef(of node: NodeView, from start: Int) -> (ref: Int64, index: Int)? {
    let elements = node.integers
    var index = start
    while index < node.count {
      let element = elements[index]
      if element != 0, element & 1 == 0 { return (element, index) }
      index += 1
    }
    return nil
  }

  private mutating func visit(
    _ ref: Int64, parent: Int, table: Int, _ report: inout CheckReport
  ) {
    let name = table >= 0 && table < names.count ? names[table] : nil
    let node: NodeView
    do throws(StorageError) {
      node = try view.node(at: ref)
    } catch {
      report.add(Finding(unreadable: error, offset: parent, table: name))
      return
    }
    let start = node.offset / 8
    let end = (node.offset + 8 + node.payloadByteCount + 7) / 8
    guard used.isClear(from: start, to: end) else {
      hasSharedNodes = true
      let kind: Finding.Kind = starts.contains(start) ? .sharedNode : .overlappingNode
      report.add(Finding(kind, offset: UInt64(node.offset), table: name))
      return
    }
    used.insert(from: start, to: end)
    starts.insert(from: start, to: start + 1)
    usedByteCount += (end - start) * 8
    nodeCount += 1
    if let range = free.firstRange(overlapping: node.offset, end * 8),
      reportedRanges.insert(range).inserted
    {
      let (first, last) = free.ranges[range]
      report.add(
        Finding(
          .freeRangeInUse(start: Int64(first), end: Int64(last)),
          offset: UInt64(free.offset), table: name))
    }
    // Without width all elements are 0; there can be millions of them.
    if node.hasRefs, node.scheme == .bits, node.width > 0 {
      path.append(Frame(node: node, next: 0, table: table))
    }
  }

  /// Every 8 bytes behind the header belong to a node or to a free range.
  ///
  /// Source: file-format-writing.md 3.1.
  private mutating func findLostSpace(_ report: inout CheckReport) {
    for (start, end) in free.ranges { used.insert(from: start / 8, to: end / 8) }
    let missing = used.missing(from: FileView.headerByteCount / 8, to: view.byteCount / 8)
    guard let (first, count) = missing else { return }
    report.add(Finding(.lostSpace(byteCount: count * 8), offset: UInt64(first * 8)))
  }
}
