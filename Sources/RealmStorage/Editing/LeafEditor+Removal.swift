import Glibc
import RealmValues

/// Removing many rows of a leaf at once.
extension LeafEditor {
  /// Removes rows. Collections that they hold stay; big texts and binaries are given up.
  ///
  /// - Parameter rows: Ascending.
  func remove(_ ref: inout Int64, rows: [Int]) throws(StorageError) {
    guard let last = rows.last else { return }
    try NodeStore.check(last, below: try count(ref), ref)
    switch type.layout {
    case .int where type.isNullable: try removeNullable(&ref, rows)
    case .int, .bool, .link, .key: try removeIntegers(&ref, rows, .plain)
    case .collection, .backlink: try removeIntegers(&ref, rows, .refs)
    case .date:
      try editPair(&ref) { (wholes: inout Int64, parts: inout Int64) throws(StorageError) in
        try removeNullable(&wholes, rows)
        try removeIntegers(&parts, rows, .plain)
      }
    case .float, .double, .decimal: try removeElements(&ref, rows)
    case .string, .data: try removeTexts(&ref, rows)
    case .objectID, .uuid, .mixed, .typedLink, .oldDate:
      if type.layout == .objectID || type.layout == .uuid, try removeFixed(&ref, rows: rows) {
        return
      }
      var cells = try cells(ref)
      LeafEditor.drop(rows, from: &cells)
      let fresh = try make(cells)
      try discard(ref)
      ref = fresh
    }
  }

  private static func drop<Element>(_ rows: [Int], from elements: inout [Element]) {
    var (next, kept) = (0, 0)
    for i in elements.indices {
      if next < rows.count, rows[next] == i {
        next += 1
        continue
      }
      if kept != i { elements[kept] = elements[i] }
      kept += 1
    }
    elements.removeLast(elements.count - kept)
  }

  private func removeIntegers(
    _ ref: inout Int64, _ rows: [Int], _ style: NodeStyle
  ) throws(StorageError) {
    var values = try store.integers(ref)
    LeafEditor.drop(rows, from: &values)
    let fresh = try store.makeIntegers(values, style)
    try store.free(ref)
    ref = fresh
  }

  private func removeNullable(_ ref: inout Int64, _ rows: [Int]) throws(StorageError) {
    var values = try store.nullableIntegers(ref)
    LeafEditor.drop(rows, from: &values)
    let fresh = try store.makeNullable(values)
    try store.free(ref)
    ref = fresh
  }

  /// Removes elements of a fixed number of bytes.
  private func removeElements(_ ref: inout Int64, _ rows: [Int]) throws(StorageError) {
    try store.makeWritable(&ref)
    let node = try store.node(ref)
    let (width, payload) = (node.width, store.bytes(ref) + 8)
    forEachKeptRun(node.count, rows) { run, target in
      memmove(payload + target * width, payload + run.lowerBound * width, run.count * width)
    }
    store.setHeader(
      ref, flags: node.flags & 0xF8, width: width, count: node.count - rows.count)
  }

  /// Calls `body` with each run of rows that stay, and the row where it begins afterwards.
  private func forEachKeptRun<Failure: Error>(
    _ count: Int, _ rows: [Int], _ body: (Range<Int>, Int) throws(Failure) -> Void
  ) throws(Failure) {
    var (start, target) = (0, 0)
    for row in rows + [count] {
      if row > start { try body(start..<row, target) }
      target += row - start
      start = row + 1
    }
  }

  private func removeTexts(_ ref: inout Int64, _ rows: [Int]) throws(StorageError) {
    let node = try store.node(ref)
    guard node.hasRefs else { return try removeElements(&ref, rows) }
    guard !node.hasContext else {
      for row in rows {
        let text = node[row]
        if text != 0 { try store.freeTree(text) }
      }
      return try removeIntegers(&ref, rows, .contextRefs)
    }
    let slots = try store.integers(ref)
    guard slots.count >= 3 else { throw .damage(.tooFewElements, at: Int(ref), limit: 3) }
    let ends = try store.integers(slots[0])
    var nulls = try store.integers(slots[2])
    let old = try store.view.blob(at: slots[1])
    guard nulls.count == ends.count, ends.last ?? 0 <= old.count else {
      throw .damage(.countMismatch, at: Int(ref), found: nulls.count, limit: ends.count)
    }
    let blob = try store.make(
      flags: 0x10, width: 1, count: old.count, payloadByteCount: old.count)
    var newEnds: [Int64] = []
    newEnds.reserveCapacity(ends.count)
    try forEachKeptRun(ends.count, rows) { (run, _) throws(StorageError) in
      let begin = run.lowerBound == 0 ? 0 : ends[run.lowerBound - 1]
      let end = ends[run.upperBound - 1]
      let written = newEnds.last ?? 0
      guard begin >= 0, begin <= end, end <= Int64(old.count), written + end - begin <= old.count
      else { throw .damage(.textPastEnd, at: Int(ref), found: Int(end), limit: old.count) }
      memcpy(store.bytes(blob) + 8 + Int(written), old.payload + Int(begin), Int(end - begin))
      for row in run { newEnds.append(written &+ ends[row] &- begin) }
    }
    store.setHeader(blob, flags: 0x10, width: 1, count: Int(newEnds.last ?? 0))
    LeafEditor.drop(rows, from: &nulls)
    for slot in 0..<3 { try store.free(slots[slot]) }
    try store.free(ref)
    ref = try store.makeIntegers(
      [try store.makeIntegers(newEnds), blob, try store.makeIntegers(nulls)], .refs)
  }
}
