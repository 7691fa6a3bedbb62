/// What a write transaction starts from: the top array of the newest snapshot, and the header.
///
/// In a session the newest snapshot is the one that was announced last. The header can select
/// another one, if a process died after it had made a commit durable and before it announced it; such
/// a commit never was reported as done, and is dropped by the next one.
///
/// Source: file-format.md 1.1, 6.1; file-format-writing.md 6.7.
struct CommittedState {
  var header: FileHeader
  /// 0 in a file without tables.
  var topRef: Int64 = 0
  var version: Int64 = 1
  /// Number of bytes of the file that belong to the snapshot.
  var fileEnd = FileView.headerByteCount
  /// The elements of the top array from slot 7 on: history type, root, schema version, sync file.
  var history: [Int64] = []
  /// Refs of the table names and of the tables.
  var names: Int64 = 0
  var tables: Int64 = 0
  /// Refs of the three lists of free space; 0 if there are none.
  var freeLists: [Int64] = [0, 0, 0]

  /// Reads the snapshot that the header selects, or the one that is pinned.
  init(_ store: NodeStore, _ pin: VersionPin?) throws(StorageError) {
    try store.view.makeReadable(0, FileView.headerByteCount)
    let header = FileHeader(store.view.base)
    let selected = header.topRef(slot: header.selectedSlot)
    try self.init(store, header, topRef: pin?.topRef ?? selected, version: pin?.version)
  }

  /// Reads a snapshot of the session.
  ///
  /// - Throws: `rejected(.brokenSession)` if it is of another version.
  init(
    _ store: NodeStore, _ header: FileHeader, topRef: UInt64, version expected: UInt64?
  ) throws(StorageError) {
    self.header = header
    let ref = Int64(bitPattern: topRef)
    if let expected, ref == 0 { version = Int64(clamping: expected) }
    guard ref != 0 else { return }
    self.topRef = ref
    let top = try store.view.refs(at: ref, minimumCount: 3)
    names = try store.view.ref(top, 0)
    tables = try store.view.ref(top, 1)
    guard let size = try store.view.tagged(top, 2), size > 0,
      size <= store.region.mapping.fileByteCount
    else {
      throw .damage(.notTagged, at: top.offset, found: 2)
    }
    fileEnd = Int(size)
    // Lists that are wrong are made anew when the file is opened for writing.
    for slot in 3...5 {
      freeLists[slot - 3] = ((try? store.view.optionalRef(top, slot)) ?? nil) ?? 0
    }
    version = max(1, try store.view.tagged(top, 6) ?? 1)
    if let expected, expected != version { throw .rejected(.brokenSession(holder: nil)) }
    for slot in 7..<max(7, min(top.count, 11)) { history.append(top[slot]) }
  }

  /// Whether the header leads to this snapshot.
  var isSelected: Bool { header.topRef(slot: header.selectedSlot) == UInt64(bitPattern: topRef) }

  /// The blocks listed as free.
  ///
  /// - Throws: `damaged` when the lists contradict each other.
  func freeEntries(_ store: NodeStore) throws(StorageError) -> [FreeSpaceList.Entry] {
    guard freeLists[0] != 0, freeLists[1] != 0 else { return [] }
    let positions = try store.integers(freeLists[0])
    let sizes = try store.integers(freeLists[1])
    let versions =
      freeLists[2] == 0
      ? Array(repeating: 0, count: sizes.count) : try store.integers(freeLists[2])
    guard positions.count == sizes.count, positions.count == versions.count else {
      throw .damage(
        .countMismatch, at: Int(freeLists[0]), found: sizes.count, limit: positions.count)
    }
    var entries: [FreeSpaceList.Entry] = []
    var previousEnd = Int64(FileView.headerByteCount)
    for i in positions.indices {
      guard positions[i] >= previousEnd, sizes[i] > 0, positions[i] & 7 == 0, sizes[i] & 7 == 0,
        sizes[i] <= Int64(fileEnd) - positions[i]
      else { throw .damage(.badIndex, at: Int(freeLists[0]), found: i, limit: positions.count) }
      previousEnd = positions[i] + sizes[i]
      entries.append(
        FreeSpaceList.Entry(
          extent: Extent(offset: Int(positions[i]), byteCount: Int(sizes[i])),
          version: versions[i]))
    }
    return entries
  }
}
