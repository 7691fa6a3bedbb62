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
  /// All blocks in ascending order of position; an empty one is what was taken as a whole. Those of
  /// version 0 are reusable and lie within one section each.
  private var blocks: [Entry] = []
  /// The reusable blocks that nothing has been taken from.
  private var bins = BlockBins()
  /// The block that is being filled; nothing is taken from one that was left.
  private var current: Int?

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
    blocks.reserveCapacity(entries.count + 8)
    var positions = unused.map { _ in 0 }
    for entry in entries {
      if entry.version <= oldest {
        addReusable(entry.extent)
      } else if let i = unused.firstIndex(where: { $0.releasedBy.contains(entry.version) }) {
        split(entry, unused[i].extents, from: &positions[i])
      } else {
        blocks.append(entry)
      }
    }
    for i in blocks.indices where blocks[i].version == 0 { bins.add(i, blocks[i].extent.byteCount) }
  }

  /// Adds a reusable block behind all others; joins it with the last one, and cuts it where a section
  /// ends.
  private mutating func addReusable(_ extent: Extent) {
    let section = FreeSpaceList.sectionByteCount
    var rest = extent
    if let last = blocks.last, last.version == 0, last.extent.end == rest.offset,
      rest.offset % section != 0
    {
      blocks.removeLast()
      rest = Extent(offset: last.extent.offset, byteCount: last.extent.byteCount + rest.byteCount)
    }
    while rest.byteCount > 0 {
      let boundary = (rest.offset / section + 1) * section
      let piece = Extent(offset: rest.offset, byteCount: min(rest.end, boundary) - rest.offset)
      blocks.append(Entry(extent: piece, version: 0))
      rest = Extent(offset: piece.end, byteCount: rest.byteCount - piece.byteCount)
    }
  }

  /// Divides an entry into what is reusable and what stays locked.
  ///
  /// - Parameter position: The first of `extents` that does not lie before the entry.
  private mutating func split(_ entry: Entry, _ extents: [Extent], from position: inout Int) {
    var start = entry.extent.offset
    let end = entry.extent.end
    func add(lockedUpTo limit: Int) {
      guard start < limit else { return }
      let extent = Extent(offset: start, byteCount: limit - start)
      blocks.append(Entry(extent: extent, version: entry.version))
    }
    while position < extents.count, extents[position].end <= start { position += 1 }
    var next = position
    while next < extents.count, extents[next].offset < end {
      let first = max(start, extents[next].offset)
      add(lockedUpTo: first)
      start = min(end, extents[next].end)
      addReusable(Extent(offset: first, byteCount: start - first))
      next += 1
    }
    add(lockedUpTo: end)
  }

  /// Takes room for a node.
  ///
  /// - Parameter pending: Bytes of all nodes still to come, this one included; they are put into
  ///   one block if possible, else into the largest ones.
  mutating func take(_ byteCount: Int, pending: Int) -> Int {
    let block: Int
    if let current, blocks[current].extent.byteCount >= byteCount {
      block = current
    } else {
      block = takeBlock(byteCount, pending: pending)
      current = block
    }
    let extent = blocks[block].extent
    blocks[block].extent = Extent(
      offset: extent.offset + byteCount, byteCount: extent.byteCount - byteCount)
    return extent.offset
  }

  /// Ends the run of nodes that were put into one block; others may go on where it ends.
  mutating func endRun() {
    if let current { bins.add(current, blocks[current].extent.byteCount) }
    current = nil
  }

  private mutating func takeBlock(_ byteCount: Int, pending: Int) -> Int {
    while true {
      if let found = bins.takeSmallest(ofAtLeast: max(byteCount, pending), blocks) { return found }
      if !mayGrow(by: pending), let found = bins.takeLargest(ofAtLeast: byteCount, blocks) {
        return found
      }
      grow(by: max(byteCount, pending))
    }
  }

  /// Whether the file should rather grow than be filled here and there, which takes the disk longer:
  /// for what is small beside it, while little of it is free.
  private func mayGrow(by byteCount: Int) -> Bool {
    guard byteCount <= fileEnd / 64 else { return false }
    let free = blocks.reduce(0) { $0 + $1.extent.byteCount }
    return free <= fileEnd / 4
  }

  /// Makes the file longer; the new space may be too small when a section ends.
  private mutating func grow(by byteCount: Int) {
    let megabyte = 1 << 20
    let section = FreeSpaceList.sectionByteCount
    let (page, oldEnd) = (4096, fileEnd)
    let wanted = max(oldEnd < megabyte ? 2 * oldEnd : oldEnd + megabyte, oldEnd + byteCount)
    let boundary = (oldEnd / section + 1) * section
    fileEnd = min((wanted + page - 1) / page * page, boundary)
    bins.add(blocks.count, fileEnd - oldEnd)
    blocks.append(
      Entry(extent: Extent(offset: oldEnd, byteCount: fileEnd - oldEnd), version: 0))
  }

  /// Ends taking room for nodes and finds a block for the lists themselves: the one that was filled
  /// last, if it is large enough.
  ///
  /// - Returns: a block of more than `byteCount` bytes that stays among the entries.
  mutating func blockForLists(moreThan byteCount: Int) -> Extent {
    if let current, blocks[current].extent.byteCount > byteCount { return blocks[current].extent }
    endRun()
    return blocks[takeBlock(byteCount + 8, pending: byteCount + 8)].extent
  }

  /// Number of entries so far, at most.
  var count: Int { blocks.count }

  /// All entries in ascending order of position; `released` gets the new version.
  func entries(releasing released: [Extent], version: Int64) -> [Entry] {
    var result: [Entry] = []
    result.reserveCapacity(blocks.count + released.count)
    var next = 0
    func addBlocks(before offset: Int) {
      while next < blocks.count, blocks[next].extent.offset < offset {
        if blocks[next].extent.byteCount > 0 { result.append(blocks[next]) }
        next += 1
      }
    }
    var run = Extent(offset: 0, byteCount: 0)
    for extent in released.sorted(by: { $0.offset < $1.offset }) {
      if run.end == extent.offset {
        run.byteCount += extent.byteCount
      } else {
        addBlocks(before: run.offset)
        if run.byteCount > 0 { result.append(Entry(extent: run, version: version)) }
        run = extent
      }
    }
    addBlocks(before: run.offset)
    if run.byteCount > 0 { result.append(Entry(extent: run, version: version)) }
    addBlocks(before: .max)
    return result
  }
}

/// Free blocks by size, to find one that fits without looking at all of them.
///
/// A bin holds sizes within a quarter of a power of two. In a bin only the blocks added last are
/// compared, so that many of the same size cost nothing.
private struct BlockBins {
  /// The block of each bin that was added last, and for each block the one before; -1 ends a bin.
  private var heads = InlineArray<256, Int32>(repeating: -1)
  private var next: [Int32] = []

  private static let mostCompared = 64

  /// The bin of a size; a larger number holds larger blocks only.
  private static func bin(_ byteCount: Int) -> Int {
    let exponent = Int.bitWidth - 1 - byteCount.leadingZeroBitCount
    return 4 * exponent + byteCount >> max(0, exponent - 2) & 3
  }

  /// Adds a block; an empty one is not found any more.
  mutating func add(_ block: Int, _ byteCount: Int) {
    guard byteCount > 0 else { return }
    while next.count <= block { next.append(-1) }
    let bin = BlockBins.bin(byteCount)
    next[block] = heads[bin]
    heads[bin] = Int32(block)
  }

  /// Takes out a block of at least a size, as small as possible.
  mutating func takeSmallest(
    ofAtLeast byteCount: Int, _ blocks: [FreeSpaceList.Entry]
  ) -> Int? {
    for bin in BlockBins.bin(byteCount)..<heads.count where heads[bin] >= 0 {
      let found = take(from: bin) { block, best in
        let size = blocks[block].extent.byteCount
        return size >= byteCount && best.map { size < blocks[$0].extent.byteCount } ?? true
      }
      if let found { return found }
    }
    return nil
  }

  /// Takes out a block of at least a size, as large as possible.
  mutating func takeLargest(
    ofAtLeast byteCount: Int, _ blocks: [FreeSpaceList.Entry]
  ) -> Int? {
    for bin in (BlockBins.bin(byteCount)..<heads.count).reversed() where heads[bin] >= 0 {
      return take(from: bin) { block, best in
        let size = blocks[block].extent.byteCount
        return size >= byteCount && best.map { size > blocks[$0].extent.byteCount } ?? true
      }
    }
    return nil
  }

  /// Takes out the best of the blocks of a bin.
  private mutating func take(from bin: Int, _ isBetter: (Int, Int?) -> Bool) -> Int? {
    var (best, beforeBest) = (nil as Int?, -1)
    var (block, before, compared) = (Int(heads[bin]), -1, 0)
    while block >= 0, compared < BlockBins.mostCompared {
      if isBetter(block, best) { (best, beforeBest) = (block, before) }
      (before, block) = (block, Int(next[block]))
      compared += 1
    }
    guard let best else { return nil }
    if beforeBest < 0 { heads[bin] = next[best] } else { next[beforeBest] = next[best] }
    return best
  }
}
