/// The space of a file while a commit takes from it.
///
/// Blocks that no snapshot in use can reach are reusable. Those that an older snapshot, or the one
/// that is being replaced, can reach are only carried over. When nothing fits the file grows.
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
  /// The block that is being filled.
  private var current = Extent(offset: 0, byteCount: 0)

  /// Takes over the lists of a snapshot.
  ///
  /// - Parameter oldest: The oldest version that someone may still read.
  init(_ entries: [Entry], fileEnd: Int, oldest: Int64) {
    self.fileEnd = fileEnd
    var merged: [Extent] = []
    for entry in entries {
      if entry.version > oldest {
        locked.append(entry)
      } else if let last = merged.last, last.end == entry.extent.offset {
        merged[merged.count - 1].byteCount += entry.extent.byteCount
      } else {
        merged.append(entry.extent)
      }
    }
    for extent in merged { addReusable(extent) }
  }

  private mutating func addReusable(_ extent: Extent) {
    var rest = extent
    while rest.byteCount > 0 {
      let section = FreeSpaceList.sectionByteCount
      let boundary = (rest.offset / section + 1) * section
      let piece = Extent(offset: rest.offset, byteCount: min(rest.end, boundary) - rest.offset)
      reusable.insert(piece, at: firstBlock(ofAtLeast: piece.byteCount))
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
      if current.byteCount > 0 { addReusable(current) }
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
  var count: Int { reusable.count + locked.count + 1 }

  /// All entries in ascending order of position; `released` gets the new version.
  func entries(releasing released: [Extent], version: Int64) -> [Entry] {
    var result = locked + reusable.map { Entry(extent: $0, version: 0) }
    var merged: [Extent] = []
    for extent in released.sorted(by: { $0.offset < $1.offset }) {
      if let last = merged.last, last.end == extent.offset {
        merged[merged.count - 1].byteCount += extent.byteCount
      } else {
        merged.append(extent)
      }
    }
    result += merged.map { Entry(extent: $0, version: version) }
    result.sort { $0.extent.offset < $1.extent.offset }
    return result
  }
}
