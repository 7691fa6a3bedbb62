/// The ranges of a snapshot that are listed as free, in ascending order.
struct FreeSpace {
  /// Start and end of each range; only ranges that are inside the snapshot, aligned and in order.
  private(set) var ranges: [(start: Int, end: Int)] = []
  /// Offset of the node with the positions.
  var offset = 0
  /// Whether the file has a list, and all of it is valid.
  var isComplete = false

  mutating func append(start: Int, end: Int) { ranges.append((start, end)) }

  /// The first range that overlaps a node.
  func firstRange(overlapping start: Int, _ end: Int) -> Int? {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].end <= start { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].start < end ? low : nil
  }
}

extension FileChecker {
  /// Reads and checks the list of free ranges: slots 3, 4 and 5 of the top array.
  ///
  /// Source: file-format-writing.md 3.1.
  mutating func freeSpace(_ top: NodeView, _ view: FileView) -> FreeSpace {
    var free = FreeSpace()
    guard top.count > 4 else { return free }
    do throws(StorageError) {
      let positions = try view.integers(at: try view.ref(top, 3))
      let sizes = try view.integers(at: try view.ref(top, 4))
      var versions: NodeView?
      if let ref = try view.optionalRef(top, 5) { versions = try view.integers(at: ref) }
      let versionCount = versions?.count ?? (top.count > 5 ? 0 : positions.count)
      guard positions.count == sizes.count, versionCount == positions.count else {
        report.add(
          Finding(
            .freeListLengths(
              positions: positions.count, sizes: sizes.count, versions: versionCount),
            offset: UInt64(positions.offset)))
        return free
      }
      (free.isComplete, free.offset) = (true, positions.offset)
      collect(positions, sizes, limit: view.byteCount, into: &free)
    } catch {
      report.add(Finding(unreadable: error, offset: top.offset))
    }
    return free
  }

  /// Goes through the ranges and ends with the first one that is out of order.
  private mutating func collect(
    _ positions: NodeView, _ sizes: NodeView, limit: Int, into free: inout FreeSpace
  ) {
    var previousEnd = Int64(FileView.headerByteCount)
    for i in 0..<positions.count {
      let (start, byteCount) = (positions[i], sizes[i])
      var problem: Finding.Kind?
      if start & 7 != 0 || byteCount & 7 != 0 || byteCount == 0 {
        problem = .freeRangeAlignment(start: start, byteCount: byteCount)
      } else if start < FileView.headerByteCount || byteCount < 0 || start > limit
        || byteCount > Int64(limit) - start
      {
        problem = .freeRangeOutside(start: start, byteCount: byteCount, limit: limit)
      } else if start < previousEnd {
        problem = .freeListOrder(start: start, previousEnd: previousEnd)
      } else {
        previousEnd = start + byteCount
        free.append(start: Int(start), end: Int(previousEnd))
      }
      guard let problem else { continue }
      report.add(Finding(problem, offset: UInt64(positions.offset)))
      free.isComplete = false
      if case .freeListOrder = problem { return }
      if report.findingCount >= FileChecker.maximumFindings { return }
    }
  }
}
