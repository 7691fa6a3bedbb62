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
  /// The elements of the node that is being written.
  private var elements: [Int64] = []
  /// Where the last commits have written; nil if that is not known.
  private let hotExtents: [Extent]?

  /// - Parameter lease: The right to write, if others have the file open as well.
  /// - Parameter oldest: The oldest version that somebody may still read.
  /// - Parameter freeEntries: What to believe instead of the lists of free space.
  /// - Parameter previous: The last commits of this process, if nobody else has made one since.
  init(
    _ store: NodeStore, _ file: any FileBackend, _ lease: WriteLease?, from base: CommittedState,
    oldest: Int64, freeEntries: [FreeSpaceList.Entry]? = nil, after previous: PreviousCommits?,
    _ buffer: OutputBuffer
  ) throws(StorageError) {
    (self.store, self.file, self.lease) = (store, file, lease)
    self.base = base
    output = ExtentWriter(file, buffer)
    hotExtents = previous?.written
    let oldest = min(oldest, base.version)
    let unused = oldest < base.version ? try Commit.unused(store, lease, base) : []
    let entries =
      if let known = freeEntries ?? previous?.freeEntries { known } else {
        try base.freeEntries(store)
      }
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
    for list in base.freeLists where list != 0 { try store.free(list) }
    if base.topRef != 0 {
      try dropEvacuation()
      try store.free(base.topRef)
    }
    let version = base.version &+ 1
    let hasRoot = history.count > 1 && roots[3] != 0 && roots[3] & 1 == 0
    let nodes = try newNodes(below: hasRoot ? [names, tables, roots[3]] : [names, tables])
    placed.reserveCapacity(nodes.cold.count + nodes.hot.count)
    try place(nodes.cold, reserving: 0)
    space.endRun()
    try place(nodes.hot, reserving: listsByteCount(roots.count, version))
    for i in roots.indices where i < 2 || i == 3 { roots[i] = placed[roots[i]] ?? roots[i] }
    let (topRef, entries) = try writeLists(roots, version)
    try output.flush()
    try switchHeader(to: topRef)
    return CommittedVersion(
      version: version, topRef: topRef, logicalByteCount: space.fileEnd, freeEntries: entries,
      written: output.extents.count <= Commit.mostExtentsKept ? output.extents : [])
  }

  /// A commit that writes to more places is too large for the next one to resemble it.
  private static let mostExtentsKept = 16

  /// The node that says how far a shrinking of the file has come; realm-core starts over without.
  ///
  /// Source: file-format-writing.md 3.6.
  private func dropEvacuation() throws(StorageError) {
    let top = try store.view.refs(at: base.topRef)
    guard top.count > 11, top[11] != 0, top[11] & 1 == 0 else { return }
    try store.freeTree(top[11])
  }

  // MARK: Nodes

  /// Writes new nodes, children before parents, one behind the other.
  ///
  /// - Parameter byteCount: Bytes that are to follow the nodes.
  private mutating func place(
    _ nodes: [Int64], reserving byteCount: Int
  ) throws(StorageError) {
    var pending = byteCount
    for ref in nodes { pending += NodeStore.storedByteCount(try store.node(ref)) }
    for ref in nodes {
      let node = try store.node(ref)
      let whole = NodeStore.storedByteCount(node)
      if try hasNewChildren(node) {
        let style = NodeStyle(flags: node.flags & 0xE0)
        let width = elements.withUnsafeBufferPointer { NodeStore.width(of: $0, style) }
        let offset = space.take(Commit.byteCount(elements.count, width), pending: pending)
        placed[ref] = Int64(offset)
        try write(elements, style.flags, width, at: offset)
      } else {
        let offset = space.take(whole, pending: pending)
        placed[ref] = Int64(offset)
        try write(node, at: offset)
      }
      pending -= whole
    }
  }

  /// The new nodes below some roots, each behind its children.
  ///
  /// Those that replace nodes of the last commits will be replaced soon as well, mostly: the way to
  /// the place where objects are added, the lists of tables. They lie together, so that the room they
  /// leave is one block; nodes that stay for long fill small gaps elsewhere.
  private func newNodes(
    below roots: [Int64]
  ) throws(StorageError) -> (cold: [Int64], hot: [Int64]) {
    var (cold, hot) = ([] as [Int64], [] as [Int64])
    let origins = [base.names, base.tables, base.history.count > 1 ? base.history[1] : 0]
    var pending = zip(roots, origins).map { NodeVisit(ref: $0, origin: $1) }
    while let visit = pending.popLast() {
      if visit.isClosed {
        if visit.isHot { hot.append(visit.ref) } else { cold.append(visit.ref) }
        continue
      }
      guard store.region.isNew(visit.ref) else { continue }
      pending.append(visit.closed)
      let node = try store.node(visit.ref)
      guard node.hasRefs, node.scheme == .bits else { continue }
      let origin = hotExtents == nil ? nil : try? store.view.refs(at: visit.origin)
      for (i, ref) in try store.integers(visit.ref).enumerated()
      where ref & 1 == 0 && store.region.isNew(ref) {
        let old = origin.map { i < $0.count ? $0[i] : 0 } ?? 0
        pending.append(
          NodeVisit(ref: ref, origin: old, isHot: visit.isHot && isHot(replacing: old)))
      }
    }
    return (cold, hot)
  }

  /// Whether a node was written by one of the last commits, or may have been.
  private func isHot(replacing origin: Int64) -> Bool {
    guard let hotExtents, origin != 0 else { return true }
    return hotExtents.contains { Int(origin) >= $0.offset && Int(origin) < $0.end }
  }

  /// Reads the elements of a node, with the refs that its children have in the file.
  ///
  /// - Returns: whether there are children that are new.
  private mutating func hasNewChildren(_ node: NodeView) throws(StorageError) -> Bool {
    guard node.hasRefs, node.scheme == .bits else { return false }
    elements = try store.integers(Int64(node.offset))
    var isChanged = false
    for (i, element) in elements.enumerated() where element & 1 == 0 && store.region.isNew(element)
    {
      guard let place = placed[element] else {
        throw .damage(.missingRef, at: node.offset, found: i)
      }
      elements[i] = place
      isChanged = true
    }
    return isChanged
  }

  /// Number of bytes of a node of integers.
  private static func byteCount(_ count: Int, _ width: Int) -> Int {
    FileView.nodeHeaderByteCount + (NodeStore.payload(count, width) + 7) / 8 * 8
  }

  /// Room for a node in the output; what a file does not keep of its header is constant.
  private mutating func room(
    _ byteCount: Int, at offset: Int, header: UInt32
  ) throws(StorageError) -> UnsafeMutableRawPointer {
    // Nothing is written behind the end of the file, so that its size is always whole pages.
    if space.fileEnd > file.byteCount { try extendFile() }
    let target = try output.room(byteCount, at: offset)
    target.storeBytes(of: NodeStore.storedChecksum, as: UInt32.self)
    target.storeBytes(of: header, toByteOffset: 4, as: UInt32.self)
    // The last word can have bytes that belong to no element.
    if byteCount > FileView.nodeHeaderByteCount {
      target.storeBytes(of: 0, toByteOffset: byteCount - 8, as: UInt64.self)
    }
    return target + FileView.nodeHeaderByteCount
  }

  /// Writes a new node as it is.
  private mutating func write(_ node: NodeView, at offset: Int) throws(StorageError) {
    let byteCount = NodeStore.storedByteCount(node)
    if byteCount >= OutputBuffer.largePiece {
      if space.fileEnd > file.byteCount { try extendFile() }
      return try output.write(store.storedForm(node), at: offset)
    }
    let target = try room(
      byteCount, at: offset,
      header: node.payload.loadUnaligned(fromByteOffset: -4, as: UInt32.self))
    memcpy(target, node.payload, node.payloadByteCount)
  }

  /// Writes a node of integers.
  private mutating func write(
    _ values: [Int64], _ flags: UInt8, _ width: Int, at offset: Int
  ) throws(StorageError) {
    let header = NodeStore.headerWord(flags: flags, width: width, count: values.count)
    let target = try room(Commit.byteCount(values.count, width), at: offset, header: header)
    values.withUnsafeBufferPointer { NodeStore.pack($0, width, to: target) }
  }

  private func extendFile() throws(StorageError) {
    if let lease {
      try lease.extend(file, to: space.fileEnd)
    } else {
      try file.extend(to: space.fileEnd)
    }
  }

  // MARK: Lists and top array

  /// Bytes that the lists of free space and the top array need at most.
  private func listsByteCount(_ rootCount: Int, _ version: Int64) -> Int {
    // Placing the lists can split one block off and add the space the file grows by.
    let most = space.count + store.released.count + 16
    let place = NodeStore.width(of: Int64(2 * space.fileEnd + 64 * most) + 1 << 22)
    let list =
      2 * Commit.byteCount(most, place) + Commit.byteCount(most, NodeStore.width(of: version))
    return list + Commit.byteCount(rootCount + 8, 64) + 8
  }

  /// Writes the lists of free space and the top array, which lie one behind the other at the start
  /// of a free block; what remains of the block is an entry of the lists.
  ///
  /// The top array does not take the place that the other slot of the header tells: the header
  /// changes with every commit, and with it alone a commit can be told from one that was dropped and
  /// had the same version number.
  ///
  /// Source: file-format-writing.md 3.4, 6.5.
  ///
  /// - Returns: the ref of the top array, and the entries of the lists.
  private mutating func writeLists(
    _ roots: [Int64], _ version: Int64
  ) throws(StorageError) -> (topRef: Int64, entries: [FreeSpaceList.Entry]) {
    let block = space.blockForLists(moreThan: listsByteCount(roots.count, version))
    var entries = space.entries(releasing: store.released, version: version)
    guard var own = entries.firstIndex(where: { $0.extent.offset == block.offset }) else {
      throw .damage(.badIndex, at: block.offset)
    }
    let largest = [
      Int64(max(entries.last?.extent.offset ?? 0, block.end)),
      Int64(entries.reduce(0) { max($0, $1.extent.byteCount) }), version,
    ]
    let widths = largest.map { NodeStore.width(of: $0) }
    var end = block.offset
    let usualTop = widths.reduce(end) { $0 + Commit.byteCount(entries.count, $1) }
    if UInt64(usualTop) == base.header.topRef(slot: 1 - base.header.selectedSlot) {
      let gap = Extent(offset: end, byteCount: 8)
      entries.insert(FreeSpaceList.Entry(extent: gap, version: entries[own].version), at: own)
      own += 1
      end = gap.end
    }
    var refs: [Int64] = []
    for width in widths {
      refs.append(Int64(end))
      end += Commit.byteCount(entries.count, width)
    }
    let topRef = end
    let size = Int64(space.fileEnd) * 2 + 1
    var top = [roots[0], roots[1], size] + refs + [version &* 2 | 1]
    if roots.count > 2 { top += roots[2...] }
    let topWidth = top.withUnsafeBufferPointer { NodeStore.width(of: $0) }
    end += Commit.byteCount(top.count, topWidth)
    entries[own].extent = Extent(offset: end, byteCount: block.end - end)
    try write(entries.map { Int64($0.extent.offset) }, 0, widths[0], at: Int(refs[0]))
    try write(entries.map { Int64($0.extent.byteCount) }, 0, widths[1], at: Int(refs[1]))
    try write(entries.map { $0.version }, 0, widths[2], at: Int(refs[2]))
    try write(top, NodeStyle.refs.flags, topWidth, at: topRef)
    return (Int64(topRef), entries)
  }

  // MARK: Header

  private func switchHeader(to topRef: Int64) throws(StorageError) {
    let slot = 1 - base.header.selectedSlot
    do throws(StorageError) {
      try file.sync(selecting: SelectedHeader(slot: slot, topRef: topRef, present: base.header))
    } catch {
      // The commit counts as failed: nobody shall find it in the file.
      let present = SelectedHeader(
        slot: base.header.selectedSlot, topRef: base.topRef, present: base.header)
      try? present.select(in: file)
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
}

/// A node on the way through the new ones.
private struct NodeVisit {
  var ref: Int64
  /// The committed node that it replaces; 0 if that is not known.
  var origin: Int64
  var isHot = true
  /// Whether its children have been visited.
  var isClosed = false

  var closed: NodeVisit {
    var visit = self
    visit.isClosed = true
    return visit
  }
}
