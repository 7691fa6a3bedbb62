/// The space of a file while a commit takes from it.
///
/// Blocks that no snapshot in use can reach are reusable. Those that an older snapshot, or the one
/// that is being replaced, can reach are only carried over. When nothing fits the file grows.
///
/// The version of a block says who released it last, not since when it has been in use. A block that
/// was free in a snapshot and is free again was used by later snapshots only; if nobody has one of
/// those, it is reusable, although that snapshot is in use and older. So a reader that stays, or that
/// died, does not make the file grow with every commit.
///
/// Source: file-format-writing.md 3.
struct FreeSpaceList {
  /// A block and the version that released it; 0 means free without condition.
  struct Entry {
    var extent: Extent
    var version: Int64
  }

  /// No node may cross a multiple of this.
  static let sectionByteCount = 1 << 26

  /// Number of bytes that belong to the snapshot being made.
  private(set) var fileEnd: Int
  /// Reusable blocks within one section each, in ascending order of size.
  private var reusable: [Extent] = []
  private var locked: [Entry] = []
  /// What was left of blocks, too small for the nodes that were to come.
  private var scraps: [Extent] = []
  /// The block that is being filled.
  private var current = Extent(offset: 0, byteCount: 0)

  /// Blocks that a snapshot in use does not reach.
  struct Unused {
    /// Versions that released blocks since then, up to the next snapshot that is in use.
    var releasedBy: ClosedRange<Int64>
    /// The blocks in ascending order; adjacent ones may be separate.
    var extents: [Extent]
  }

  /// Takes over the lists of a snapshot.
  ///
  /// - Parameter entries: In ascending order of position.
  /// - Parameter oldest: The oldest version that someone may still read.
  /// - Parameter unused: What the snapshots in use do not reach, for as many as are known.
  init(_ entries: [Entry], fileEnd: Int, oldest: Int64, unused: [Unused] = []) {
    self.fileEnd = fileEnd
    var free = ExtentRun()
    var positions = unused.map { _ in 0 }
    for entry in entries {
      if entry.version <= oldest {
        free.append(entry.extent)
      } else if let i = unused.firstIndex(where: { $0.releasedBy.contains(entry.version) }) {
        split(entry, unused[i].extents, from: &positions[i], into: &free)
      } else {
        locked.append(entry)
      }
    }
    for extent in free.extents {
      FreeSpaceList.forEachPiece(of: extent) { reusable.append($0) }
    }
    reusable.sort { ($0.byteCount, $0.offset) < ($1.byteCount, $1.offset) }
  }

  /// Divides an entry into what is reusable and what stays locked.
  ///
  /// - Parameter position: The first of `extents` that does not lie before the entry.
  private mutating func split(
    _ entry: Entry, _ extents: [Extent], from position: inout Int, into free: inout ExtentRun
  ) {
    var start = entry.extent.offset
    let end = entry.extent.end
    func add(lockedUpTo limit: Int) {
      guard start < limit else { return }
      let extent = Extent(offset: start, byteCount: limit - start)
      locked.append(Entry(extent: extent, version: entry.version))
    }
    while position < extents.count, extents[position].end <= start { position += 1 }
    var next = position
    while next < extents.count, extents[next].offset < end {
      let first = max(start, extents[next].offset)
      add(lockedUpTo: first)
      start = min(end, extents[next].end)
      free.append(Extent(offset: first, byteCount: start - first))
      next += 1
    }
    add(lockedUpTo: end)
  }

  private mutating func addReusable(_ extent: Extent) {
    FreeSpaceList.forEachPiece(of: extent) { piece in
      reusable.insert(piece, at: firstBlock(ofAtLeast: piece.byteCount))
    }
  }

  /// Cuts a block where a section ends.
  private static func forEachPiece(of extent: Extent, _ body: (Extent) -> Void) {
    var rest = extent
    while rest.byteCount > 0 {
      let section = FreeSpaceList.sectionByteCount
      let boundary = (rest.offset / section + 1) * section
      let piece = Extent(offset: rest.offset, byteCount: min(rest.end, boundary) - rest.offset)
      body(piece)
      rest = Extent(offset: piece.end, byteCount: rest.byteCount - piece.byteCount)
    }
  }

  private func firstBlock(ofAtLeast byteCount: Int) -> Int {
    var (low, high) = (0, reusable.count)
    while low < high {
      let middle = (low + high) / 2
      if reusable[middle].byteCount < byteCount { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Takes room for a node.
  ///
  /// - Parameter pending: Bytes of all nodes still to come, this one included; they are put into
  ///   one block if possible, else into the largest ones.
  mutating func take(_ byteCount: Int, pending: Int) -> Int {
    if current.byteCount < byteCount {
      if current.byteCount > 0 { scraps.append(current) }
      current = takeBlock(byteCount, pending: pending)
    }
    let offset = current.offset
    current = Extent(offset: offset + byteCount, byteCount: current.byteCount - byteCount)
    return offset
  }

  private mutating func takeBlock(_ byteCount: Int, pending: Int) -> Extent {
    while true {
      let fitting = firstBlock(ofAtLeast: max(byteCount, pending))
      if fitting < reusable.count { return reusable.remove(at: fitting) }
      if let largest = reusable.last, largest.byteCount >= byteCount {
        return reusable.removeLast()
      }
      grow(by: max(byteCount, pending))
    }
  }

  /// Makes the file longer; the new space may be too small when a section ends.
  private mutating func grow(by byteCount: Int) {
    let megabyte = 1 << 20
    let section = FreeSpaceList.sectionByteCount
    let (page, oldEnd) = (4096, fileEnd)
    let wanted = max(oldEnd < megabyte ? 2 * oldEnd : oldEnd + megabyte, oldEnd + byteCount)
    let boundary = (oldEnd / section + 1) * section
    fileEnd = min((wanted + page - 1) / page * page, boundary)
    addReusable(Extent(offset: oldEnd, byteCount: fileEnd - oldEnd))
  }

  /// Ends taking room for nodes and finds a block for the lists themselves.
  ///
  /// - Returns: a block of more than `byteCount` bytes that stays among the entries.
  mutating func blockForLists(moreThan byteCount: Int) -> Extent {
    if current.byteCount > 0 { addReusable(current) }
    current = Extent(offset: 0, byteCount: 0)
    let block = takeBlock(byteCount + 8, pending: byteCount + 8)
    addReusable(block)
    return block
  }

  /// Number of entries so far.
  var count: Int { reusable.count + scraps.count + locked.count + 1 }

  /// All entries in ascending order of position; `released` gets the new version.
  func entries(releasing released: [Extent], version: Int64) -> [Entry] {
    var result = locked
    result.reserveCapacity(count + released.count)
    for extent in reusable { result.append(Entry(extent: extent, version: 0)) }
    for extent in scraps { result.append(Entry(extent: extent, version: 0)) }
    var merged = ExtentRun()
    for extent in released.sorted(by: { $0.offset < $1.offset }) { merged.append(extent) }
    for extent in merged.extents { result.append(Entry(extent: extent, version: version)) }
    result.sort { $0.extent.offset < $1.extent.offset }
    return result
  }
}

/// Blocks in ascending order, of which adjacent ones are joined.
private struct ExtentRun {
  private(set) var extents: [Extent] = []

  mutating func append(_ extent: Extent) {
    if let last = extents.last, last.end == extent.offset {
      extents[extents.count - 1].byteCount += extent.byteCount
    } else {
      extents.append(extent)
    }
  }
}
