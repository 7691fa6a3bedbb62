/// Writes one snapshot into an empty file.
///
/// The result has slot 0 selected: no conversion is needed when it is opened. The lists of free
/// space have what was skipped at the boundaries of sections and the rest of the last page.
///
/// Source: file-format-writing.md 1.2 (2), 3.4, 10.2.
enum SnapshotWriter {
  private static let pageByteCount = 4096

  /// Writes, but does not sync.
  static func write(
    _ snapshot: Snapshot, to file: any FileBackend, version: Int64,
    _ onProgress: @escaping (Int, Int) -> Bool
  ) throws(StorageError) {
    guard snapshot.topRef != 0, let view = snapshot.view else {
      try Database.writeHeader(file)
      return
    }
    let all = min(try snapshot.usedByteCount(), snapshot.file.filledByteCount)
    var copier = NodeCopier(file) { onProgress(min($0, all), all) }
    defer { copier.release() }
    let top = try view.refs(at: Int64(bitPattern: snapshot.topRef), minimumCount: 3)
    // Refs can need more bits than before, but not twice as many bytes in all.
    let limit = 2 * all + (1 << 20)
    snapshot.file.renewWork()
    // The memory of the top array can be given back while the others are copied.
    let (namesRef, tablesRef) = (try view.ref(top, 0), try view.ref(top, 1))
    let history = try history(of: top)
    let names = try copier.copy(namesRef, in: view, limit: limit)
    let tables = try copier.copy(tablesRef, in: view, limit: limit)
    let topRef = try writeTop(version, [names, tables], history, &copier)
    try writeHeader(topRef, file)
  }

  /// The elements of the top array from slot 7 on, without the history itself.
  private static func history(of top: NodeView) throws(StorageError) -> [Int64] {
    let inRealm = Snapshot.HistoryType.inRealm.rawValue * 2 + 1
    guard top.count > 7, top[7] == inRealm else { return [] }
    let (schemaVersion, syncFile) = (top.count > 9 ? top[9] : 0, top.count > 10 ? top[10] : 0)
    return [inRealm, 0, schemaVersion == 0 ? 3 : schemaVersion, syncFile == 0 ? 1 : syncFile]
  }

  /// Writes the history, the lists of free space and the top array, and fills the last page.
  ///
  /// - Returns: the ref of the top array.
  private static func writeTop(
    _ version: Int64, _ roots: [Int64], _ history: [Int64], _ copier: inout NodeCopier
  ) throws(StorageError) -> Int64 {
    // New nodes are made in memory of their own.
    let scratch = NodeStore(try TransactionRegion(nil))
    var history = history
    if !history.isEmpty {
      // One empty change set: nobody has a version before this one.
      let made = try LeafEditor.makeBinaries([[]], scratch)
      history[1] = try copier.copy(made, in: scratch.view, limit: Int.max)
    }
    // Lists and top array lie together: nothing is skipped any more.
    let most = 4 * 16 + 3 * 8 * (copier.output.gaps.count + 2) + 8 * 12
    let start = try copier.output.place(most)
    var entries = copier.output.gaps
    let largestEnd = Int64(start + most + 2 * pageByteCount)
    let largestGap = entries.reduce(Int64(2 * pageByteCount)) { max($0, Int64($1.byteCount)) }
    // The size of each node must be known before its last elements are.
    let listStyles = [largestEnd, largestGap, 0].map {
      NodeStyle(minimumWidth: NodeStore.width(of: $0))
    }
    let topStyle = NodeStyle(
      flags: NodeStyle.refs.flags,
      minimumWidth: NodeStore.width(of: max(largestEnd * 2, version &* 2)))
    let count = entries.count + 1
    var (refs, end) = ([] as [Int64], start)
    for style in listStyles {
      refs.append(Int64(end))
      end += byteCount(count, style)
    }
    let topRef = Int64(end)
    end += byteCount(7 + history.count, topStyle)
    // There always is a rest.
    let fileEnd = (end / pageByteCount + 1) * pageByteCount
    entries.append(Extent(offset: end, byteCount: fileEnd - end))
    let nodes = [
      try scratch.makeIntegers(entries.map { Int64($0.offset) }, listStyles[0]),
      try scratch.makeIntegers(entries.map { Int64($0.byteCount) }, listStyles[1]),
      try scratch.makeIntegers(entries.map { _ in 0 }, listStyles[2]),
      try scratch.makeIntegers(
        roots + [Int64(fileEnd) * 2 + 1] + refs + [version &* 2 | 1] + history, topStyle),
    ]
    for (ref, place) in zip(nodes, refs + [topRef]) {
      let node = try scratch.node(ref)
      let written = try copier.write(
        flags: node.flags, count: node.count, node.payload, node.payloadByteCount)
      precondition(written == place)
    }
    try copier.output.appendZeros(fileEnd - end)
    try copier.output.flush()
    return topRef
  }

  /// Number of bytes of a node.
  private static func byteCount(_ count: Int, _ style: NodeStyle) -> Int {
    FileView.nodeHeaderByteCount + (NodeStore.payload(count, style.minimumWidth) + 7) / 8 * 8
  }

  /// Writes a header that selects slot 0.
  private static func writeHeader(_ topRef: Int64, _ file: any FileBackend) throws(StorageError) {
    let words = (
      topRef, 0 as Int64,
      UInt64(FileHeader.mnemonic.byteSwapped) | UInt64(FileFormat.current.number) << 32
    )
    try file.write(words, at: 0)
  }
}
