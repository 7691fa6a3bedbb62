import Glibc

/// Writes the new nodes of a transaction and makes them the live snapshot.
///
/// Nothing that the old snapshot can reach is overwritten, and the header leads to the old snapshot
/// until everything else is on the disk: a crash leaves either the one or the other.
///
/// Source: file-format-writing.md 2.
struct Commit {
  private let store: NodeStore
  private let file: any FileBackend
  private let lease: WriteLease?
  private var base: CommittedState
  private var space: FreeSpaceList
  private var output: ExtentWriter
  /// Where new nodes have been placed in the file.
  private var placed: [Int64: Int64] = [:]

  /// - Parameter lease: The right to write, if others have the file open as well.
  /// - Parameter oldest: The oldest version that somebody may still read.
  /// - Parameter freeEntries: What to believe instead of the lists of free space.
  init(
    _ store: NodeStore, _ file: any FileBackend, _ lease: WriteLease?, from base: CommittedState,
    oldest: Int64, freeEntries: [FreeSpaceList.Entry]? = nil
  ) throws(StorageError) {
    (self.store, self.file, self.lease) = (store, file, lease)
    self.base = base
    output = ExtentWriter(file)
    let oldest = min(oldest, base.version)
    let unused = oldest < base.version ? try Commit.unused(store, lease, base) : []
    let entries = if let freeEntries { freeEntries } else { try base.freeEntries(store) }
    space = FreeSpaceList(entries, fileEnd: base.fileEnd, oldest: oldest, unused: unused)
  }

  /// What the oldest snapshots in use do not reach.
  private static func unused(
    _ store: NodeStore, _ lease: WriteLease?, _ base: CommittedState
  ) throws(StorageError) -> [FreeSpaceList.Unused] {
    guard let inUse = try lease?.versionsInUse() else { return [] }
    var result: [FreeSpaceList.Unused] = []
    for i in inUse.indices.prefix(mostSnapshotsRead) where inUse[i].version < base.version {
      let next = i + 1 < inUse.count ? Int64(clamping: inUse[i + 1].version) : base.version
      let snapshot: CommittedState
      var extents: [Extent]
      do throws(StorageError) {
        snapshot = try CommittedState(
          store, base.header, topRef: inUse[i].topRef, version: inUse[i].version)
        extents = try snapshot.freeEntries(store).map(\.extent)
      } catch {
        // Not knowing costs space and nothing else.
        continue
      }
      guard snapshot.version < next else { continue }
      extents.append(Extent(offset: snapshot.fileEnd, byteCount: Int.max - snapshot.fileEnd))
      result.append(
        FreeSpaceList.Unused(releasedBy: (snapshot.version + 1)...next, extents: extents))
    }
    return result
  }

  /// Reading the lists of more snapshots would take longer than it is worth.
  private static let mostSnapshotsRead = 8

  /// Commits a snapshot with the given table names, tables and history.
  ///
  /// - Throws: `system`; the header leads to the old snapshot then, if that is possible at all.
  mutating func run(
    names: Int64, tables: Int64, history: [Int64]
  ) throws(StorageError) -> CommittedVersion {
    if !base.isSelected { try selectBase() }
    var roots = [names, tables] + history
    let hasRoot = history.count > 1 && roots[3] != 0 && roots[3] & 1 == 0
    try place(hasRoot ? [names, tables, roots[3]] : [names, tables])
    for i in roots.indices where i < 2 || i == 3 { roots[i] = placed[roots[i]] ?? roots[i] }
    for list in base.freeLists where list != 0 { try store.free(list) }
    if base.topRef != 0 {
      try dropEvacuation()
      try store.free(base.topRef)
    }
    let version = base.version &+ 1
    let topRef = try writeLists(roots, version)
    try output.flush()
    try switchHeader(to: topRef)
    return CommittedVersion(
      version: version, topRef: topRef, logicalByteCount: space.fileEnd)
  }

  /// The node that says how far a shrinking of the file has come; realm-core starts over without.
  ///
  /// Source: file-format-writing.md 3.6.
  private func dropEvacuation() throws(StorageError) {
    let top = try store.view.refs(at: base.topRef)
    guard top.count > 11, top[11] != 0, top[11] & 1 == 0 else { return }
    try store.freeTree(top[11])
  }

  // MARK: Nodes

  /// Writes all new nodes that can be reached, children before parents.
  private mutating func place(_ roots: [Int64]) throws(StorageError) {
    let order = try newNodes(below: roots)
    var pending = 0
    for ref in order { pending += NodeStore.storedByteCount(try store.node(ref)) }
    for ref in order {
      let whole = NodeStore.storedByteCount(try store.node(ref))
      let final = try finalForm(of: ref)
      let byteCount = NodeStore.storedByteCount(try store.node(final))
      let offset = space.take(byteCount, pending: pending)
      pending -= whole
      placed[ref] = Int64(offset)
      try write(final, at: offset)
      if final != ref { try store.free(final) }
    }
  }

  /// The new nodes below some roots, each behind its children.
  private func newNodes(below roots: [Int64]) throws(StorageError) -> [Int64] {
    var order: [Int64] = []
    // A ref is pushed once to be opened and once, negated, to be closed.
    var pending = roots
    while let ref = pending.popLast() {
      if ref < 0 {
        order.append(-ref)
        continue
      }
      guard store.region.isNew(ref) else { continue }
      pending.append(-ref)
      let node = try store.node(ref)
      guard node.hasRefs, node.scheme == .bits else { continue }
      for i in 0..<node.count where node[i] & 1 == 0 && store.region.isNew(node[i]) {
        pending.append(node[i])
      }
    }
    return order
  }

  /// The node itself, or a copy with the refs that its children have in the file.
  private func finalForm(of ref: Int64) throws(StorageError) -> Int64 {
    let node = try store.node(ref)
    guard node.hasRefs, node.scheme == .bits else { return ref }
    var elements = try store.integers(ref)
    var isChanged = false
    for i in elements.indices where elements[i] & 1 == 0 && store.region.isNew(elements[i]) {
      guard let place = placed[elements[i]] else {
        throw .damage(.missingRef, at: Int(ref), found: i)
      }
      elements[i] = place
      isChanged = true
    }
    guard isChanged else { return ref }
    return try store.makeIntegers(elements, NodeStyle(flags: node.flags & 0xE0))
  }

  /// Writes a new node; what a file does not keep is replaced by constants.
  private mutating func write(_ ref: Int64, at offset: Int) throws(StorageError) {
    // Nothing is written behind the end of the file, so that its size is always whole pages.
    if space.fileEnd > file.byteCount { try extendFile() }
    let node = try store.node(ref)
    var header: (UInt32, UInt32) = (0x4141_4141, 0)
    header.1 = node.payload.loadUnaligned(fromByteOffset: -4, as: UInt32.self)
    try withUnsafeBytes(of: &header) { (bytes) -> Result<Void, StorageError> in
      Result { () throws(StorageError) in try output.append(bytes, at: offset) }
    }.get()
    try output.append(node.bytes, at: offset + 8)
    let padding = NodeStore.storedByteCount(node) - 8 - node.payloadByteCount
    try output.appendZeros(padding, at: offset + 8 + node.payloadByteCount)
  }

  private func extendFile() throws(StorageError) {
    if let lease {
      try lease.extend(file, to: space.fileEnd)
    } else {
      try file.extend(to: space.fileEnd)
    }
  }

  // MARK: Lists and top array

  /// Writes the lists of free space and the top array, which lie one behind the other at the start
  /// of a free block; what remains of the block is an entry of the lists.
  ///
  /// The top array does not take the place that the other slot of the header tells: the header
  /// changes with every commit, and with it alone a commit can be told from one that was dropped and
  /// had the same version number.
  ///
  /// Source: file-format-writing.md 3.4, 6.5.
  private mutating func writeLists(
    _ roots: [Int64], _ version: Int64
  ) throws(StorageError) -> Int64 {
    let released = store.released
    // Placing the lists can split one block off and add the space the file grows by.
    let most = space.count + released.count + 16
    let block = space.blockForLists(moreThan: 4 * 16 + 3 * 8 * most + 8 * (roots.count + 8))
    var entries = space.entries(releasing: released, version: version)
    guard var own = entries.firstIndex(where: { $0.extent.offset == block.offset }) else {
      throw .damage(.badIndex, at: block.offset)
    }
    let largest = [
      Int64(max(entries.last?.extent.offset ?? 0, block.end)),
      Int64(entries.map { $0.extent.byteCount }.max() ?? 0), version,
    ]
    let widths = largest.map { NodeStore.width(of: $0) }
    func listByteCount(_ count: Int, _ width: Int) -> Int {
      8 + (NodeStore.payload(count, width) + 7) / 8 * 8
    }
    var end = block.offset
    let usualTop = widths.reduce(end) { $0 + listByteCount(entries.count, $1) }
    if UInt64(usualTop) == base.header.topRef(slot: 1 - base.header.selectedSlot) {
      let gap = Extent(offset: end, byteCount: 8)
      entries.insert(FreeSpaceList.Entry(extent: gap, version: entries[own].version), at: own)
      own += 1
      end = gap.end
    }
    var refs: [Int64] = []
    for width in widths {
      refs.append(Int64(end))
      end += listByteCount(entries.count, width)
    }
    let topRef = end
    let size = Int64(space.fileEnd) * 2 + 1
    var top = [roots[0], roots[1], size] + refs + [version &* 2 | 1]
    if roots.count > 2 { top += roots[2...] }
    let topNode = try store.makeIntegers(top, .refs)
    end += NodeStore.storedByteCount(try store.node(topNode))
    entries[own].extent = Extent(offset: end, byteCount: block.end - end)
    let lists = [
      entries.map { Int64($0.extent.offset) }, entries.map { Int64($0.extent.byteCount) },
      entries.map { $0.version },
    ]
    for i in lists.indices {
      let node = try store.makeIntegers(lists[i], NodeStyle(minimumWidth: widths[i]))
      try write(node, at: Int(refs[i]))
    }
    try write(topNode, at: topRef)
    return Int64(topRef)
  }

  // MARK: Header

  private func switchHeader(to topRef: Int64) throws(StorageError) {
    let slot = 1 - base.header.selectedSlot
    try Commit.writeSlot(slot, topRef, file)
    try file.sync()
    do {
      try Commit.select(slot, base.header, file)
      try file.sync()
    } catch {
      // The commit counts as failed: nobody shall find it in the file.
      try? Commit.select(base.header.selectedSlot, base.header, file)
      // An encrypted file holds pages back until then.
      try? file.sync()
      throw error
    }
  }

  /// Makes the header lead to the snapshot that the commit starts from.
  ///
  /// What it leads to is the commit of a process that died. Its nodes will be overwritten, and a
  /// crash meanwhile must not bring it back.
  private mutating func selectBase() throws(StorageError) {
    try switchHeader(to: base.topRef)
    base.header = base.header.selecting(1 - base.header.selectedSlot, topRef: base.topRef)
  }

  /// Writes top ref and format of a header slot.
  static func writeSlot(
    _ slot: Int, _ topRef: Int64, _ file: any FileBackend
  ) throws(StorageError) {
    try file.write(topRef.littleEndian, at: 8 * slot)
    try file.write(FileFormat.current.number, at: 20 + slot)
  }

  /// Makes a header slot the live one.
  static func select(
    _ slot: Int, _ header: FileHeader, _ file: any FileBackend
  ) throws(StorageError) {
    let flags = UInt8(truncatingIfNeeded: header.words.2 >> 56)
    try file.write(flags & 0xFE | UInt8(slot), at: 23)
  }
}

/// Joins writes to neighbouring places.
struct ExtentWriter {
  private let file: any FileBackend
  private var start = 0
  private var pending: [UInt8] = []

  private static let limit = 1 << 20

  init(_ file: any FileBackend) { self.file = file }

  mutating func append(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
    if offset != start + pending.count || pending.count >= ExtentWriter.limit { try flush() }
    if pending.isEmpty { start = offset }
    pending.append(contentsOf: bytes)
  }

  mutating func appendZeros(_ count: Int, at offset: Int) throws(StorageError) {
    precondition(offset == start + pending.count)
    pending.append(contentsOf: repeatElement(0, count: count))
  }

  mutating func flush() throws(StorageError) {
    let (bytes, offset, file) = (pending, start, file)
    pending.removeAll(keepingCapacity: true)
    guard !bytes.isEmpty else { return }
    try bytes.withUnsafeBytes { (bytes) -> Result<Void, StorageError> in
      Result { () throws(StorageError) in try file.write(bytes, at: offset) }
    }.get()
  }
}
