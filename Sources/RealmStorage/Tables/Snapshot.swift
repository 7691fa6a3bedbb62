import ByteKernels
public import RealmValues

/// One version of the database: its tables, and the facts in its top array.
///
///     slot  content                       slot  content
///        0  table names                      6  tagged: version
///        1  tables                           7  tagged: history type
///        2  tagged: logical file size        8  history
///     3..5  free space                       9  tagged: history schema version
///
/// Reading a snapshot takes no lock. If another process commits twice meanwhile, the space of the
/// snapshot can be overwritten; `isIntact` tells afterwards whether what was read can be believed. If
/// its file has a pin, a snapshot stays as it is.
///
/// Source: file-format.md 6.1; file-format-writing.md 6.5.
public final class Snapshot {
  /// Where the history of changes is kept.
  public enum HistoryType: Int64, Sendable {
    case none = 0
    case outOfRealm = 1
    case inRealm = 2
    case syncClient = 3
    case syncServer = 4
  }

  /// A table that cannot be read, and why.
  public struct BrokenTable: Sendable {
    /// The name as stored.
    public let name: String
    /// Why it cannot be read.
    public let error: StorageError
  }

  /// The file the snapshot lies in.
  public let file: RealmFile
  /// The header as it was when the snapshot was opened.
  public let header: FileHeader
  /// The format; nil for an empty database whose format is not decided yet.
  public let format: FileFormat?
  /// Number of commits, or 1 if the file does not tell.
  public let version: Int64
  /// The kind of history.
  public let historyType: HistoryType
  /// Number of the layout of the history.
  public let historySchemaVersion: Int64
  /// Number of bytes of the file that belong to the snapshot.
  public let logicalByteCount: Int
  /// Offset of the top array; 0 for an empty database.
  public let topRef: UInt64
  /// All tables, also those of the system, in the order of their positions.
  public let tables: [StoredTable]
  /// Tables that cannot be read.
  public let brokenTables: [BrokenTable]

  private let tablesByKey: [TableKey: Int]
  let view: FileView?

  /// Reads the pinned snapshot of the file, or else the live one or the one before it.
  ///
  /// - Throws: `unsupportedVersion`, `damaged`, `unfinishedUpgrade`; `noPreviousSnapshot` if
  ///   `previous` is asked for and the other slot has none.
  public init(of file: RealmFile, previous: Bool = false) throws(StorageError) {
    self.file = file
    guard let start = file.bytes.baseAddress else {
      (header, format, version, view) = (FileHeader.empty, nil, 1, nil)
      (historyType, historySchemaVersion, logicalByteCount, topRef) = (.none, 0, 0, 0)
      (tables, brokenTables, tablesByKey) = ([], [], [:])
      return
    }
    header = FileHeader(start)
    let place =
      if let pin = file.pin { try Place(pin, header, file) } else {
        try Snapshot.place(header, file, previous: previous)
      }
    topRef = place.topRef
    guard let format = FileFormat(place.version) else {
      guard place.version == 0, place.topRef == 0 else {
        throw .unsupportedVersion(place.version)
      }
      (self.format, version, view) = (nil, 1, nil)
      (historyType, historySchemaVersion, logicalByteCount) = (.none, 0, 0)
      (tables, brokenTables, tablesByKey) = ([], [], [:])
      return
    }
    self.format = format
    file.renewWork()
    guard place.topRef != 0, let whole = file.view(limit: place.limit) else {
      (version, view, historyType, historySchemaVersion) = (1, nil, .none, 0)
      (logicalByteCount, tables, brokenTables, tablesByKey) = (0, [], [], [:])
      return
    }
    let top = try whole.refs(at: Int64(bitPattern: place.topRef), minimumCount: 3)
    guard let size = try whole.tagged(top, 2), size > 0 else {
      throw .damage(.notTagged, at: top.offset, found: 2)
    }
    guard size <= Int64(file.bytes.count), let view = file.view(limit: Int(size)) else {
      throw .damage(.truncated, at: top.offset, found: Int(size), limit: file.bytes.count)
    }
    logicalByteCount = Int(size)
    self.view = view
    version = max(1, try view.tagged(top, 6) ?? 1)
    if let pin = file.pin, pin.version != version { throw .rejected(.brokenSession(holder: nil)) }
    historyType = HistoryType(rawValue: try view.tagged(top, 7) ?? 0) ?? .none
    historySchemaVersion = try view.tagged(top, 9) ?? 0
    let reader = GroupReader(view: view, format: format, file: file)
    (tables, brokenTables) = try reader.readTables(of: top)
    var byKey: [TableKey: Int] = [:]
    for i in tables.indices { byKey[tables[i].key] = i }
    tablesByKey = byKey
  }

  /// Reads what a write transaction has made so far; `file` shows its nodes.
  init(of file: RealmFile, uncommittedTop: Int64) throws(StorageError) {
    (self.file, header, format) = (file, FileHeader.empty, FileFormat.current)
    topRef = UInt64(uncommittedTop)
    guard let view = file.view(limit: file.bytes.count) else { throw .badFileSize(0) }
    let top = try view.refs(at: uncommittedTop, minimumCount: 7)
    self.view = view
    logicalByteCount = view.byteCount
    version = try view.tagged(top, 6) ?? 1
    historyType = HistoryType(rawValue: try view.tagged(top, 7) ?? 0) ?? .none
    historySchemaVersion = try view.tagged(top, 9) ?? 0
    let reader = GroupReader(view: view, format: .current, file: file)
    (tables, brokenTables) = try reader.readTables(of: top)
    var byKey: [TableKey: Int] = [:]
    for i in tables.indices { byKey[tables[i].key] = i }
    tablesByKey = byKey
  }

  /// A table of a damaged file: its name, its position and where it begins.
  struct Entry {
    let name: String
    let position: Int
    let ref: Int64
  }

  /// Reads the tables of a damaged file, as far as they can be read.
  ///
  /// - Parameter topRef: The top array; 0 if it is lost.
  /// - Throws: `badFileSize` if there are no bytes.
  init(
    ofDamaged file: RealmFile, _ entries: [Entry], topRef: Int64, format: FileFormat,
    version: Int64
  ) throws(StorageError) {
    (self.file, self.format, self.version) = (file, format, version)
    self.topRef = UInt64(bitPattern: topRef)
    (header, historyType, historySchemaVersion) = (FileHeader.empty, .none, 0)
    file.renewWork()
    logicalByteCount = file.bytes.count
    guard let view = file.view(limit: file.bytes.count) else { throw .badFileSize(0) }
    self.view = view
    let reader = GroupReader(view: view, format: format, file: file)
    (tables, brokenTables) = reader.readDamagedTables(entries)
    var byKey: [TableKey: Int] = [:]
    for i in tables.indices { byKey[tables[i].key] = i }
    tablesByKey = byKey
  }

  /// The table with a key; nil if there is none.
  public func table(_ key: TableKey) -> StoredTable? {
    tablesByKey[key].map { tables[$0] }
  }

  /// The table with a name; nil if there is none.
  public func table(named name: String) -> StoredTable? { tables.first { $0.name == name } }

  /// Number of bytes of the snapshot that are not listed as free.
  ///
  /// Source: file-format-writing.md 3.1.
  public func usedByteCount() throws(StorageError) -> Int {
    guard let view, let top = try topNode(), let ref = try view.optionalRef(top, 4) else {
      return logicalByteCount
    }
    let sizes = try view.integers(at: ref).integers
    var free = 0
    for i in 0..<sizes.count { free &+= Int(sizes[i]) }
    return max(0, min(logicalByteCount, logicalByteCount &- free))
  }

  /// The root of the tree of change sets; nil if there are none.
  func historyRoot() throws(StorageError) -> Int64? {
    guard let view, let top = try topNode(), top.count > 8, top[8] & 1 == 0 else { return nil }
    return try view.optionalRef(top, 8)
  }

  private func topNode() throws(StorageError) -> NodeView? {
    guard topRef != 0 else { return nil }
    return try view?.refs(at: Int64(bitPattern: topRef), minimumCount: 3)
  }

  /// Whether the snapshot is intact, and the path leads to no newer one.
  public func isNewest() -> Bool {
    if let pin = file.pin {
      return pin.version == pin.lockFile.newestVersion && file.standing() == .same
    }
    return isIntact() && file.standing() == .same && !file.hasBegun()
  }

  /// Whether everything that was read from the snapshot so far belongs to one version: no other
  /// process has committed since it was opened. A file that was replaced by another one is.
  public func isIntact() -> Bool {
    if file.isTransaction { return true }
    if file.bytes.baseAddress == nil { return true }
    if file.pin != nil { return file.standing() != .cutOff }
    guard let now = file.currentHeader(), now == header, file.standing() != .cutOff else {
      return false
    }
    guard let view, let top = try? topNode() else { return topRef == 0 }
    let newest = try? view.tagged(top, 6)
    return max(1, (newest ?? nil) ?? 1) == version
  }

  /// Where a snapshot starts.
  private struct Place {
    var topRef: UInt64
    var version: UInt8
    /// Bytes before the footer.
    var limit: Int

    init(topRef: UInt64, version: UInt8, limit: Int) {
      (self.topRef, self.version, self.limit) = (topRef, version, limit)
    }

    /// The place of a pinned version, which has the format of its session.
    init(_ pin: VersionPin, _ header: FileHeader, _ file: RealmFile) throws(StorageError) {
      guard pin.topRef & 7 == 0, pin.topRef < UInt64(file.bytes.count) else {
        throw .rejected(.unusableLockFile(holder: nil))
      }
      let isEmpty = pin.topRef == 0
      version = isEmpty ? header.version(slot: header.selectedSlot) : SessionProfile.fileFormat
      (topRef, limit) = (pin.topRef, file.bytes.count)
    }
  }

  /// Finds the top ref.
  ///
  /// Source: file-format.md 1.2 to 1.4.
  private static func place(
    _ header: FileHeader, _ file: RealmFile, previous: Bool
  ) throws(StorageError) -> Place {
    let byteCount = file.bytes.count
    let slot = previous ? 1 - header.selectedSlot : header.selectedSlot
    var place = Place(
      topRef: header.topRef(slot: slot), version: header.version(slot: slot), limit: byteCount)
    let isFooter = slot == 0 && place.topRef == FileHeader.streamingTopRef
    if previous {
      guard place.topRef != 0, !isFooter, !header.isStreaming else { throw .noPreviousSnapshot }
      if place.version == 0 { place.version = header.version(slot: 1 - slot) }
    }
    if isFooter {
      let least = FileView.headerByteCount + FileHeader.footerByteCount
      guard byteCount >= least, let view = file.view(limit: byteCount) else {
        throw .damage(.badFooter, at: 0, found: byteCount, limit: least)
      }
      place.limit = byteCount - FileHeader.footerByteCount
      try view.makeReadable(place.limit, FileHeader.footerByteCount)
      let footer = view.base + place.limit
      guard footer.loadUnaligned(fromByteOffset: 8, as: UInt64.self) == FileHeader.footerCookie
      else { throw .damage(.badFooter, at: place.limit) }
      place.topRef = footer.loadUnaligned(as: UInt64.self)
    }
    guard place.topRef & 7 == 0 else {
      throw .damage(
        .misalignedRef, at: 8 * slot, found: Int(truncatingIfNeeded: place.topRef))
    }
    guard place.topRef < UInt64(byteCount) else {
      throw .damage(
        .refPastEnd, at: 8 * slot, found: Int(truncatingIfNeeded: place.topRef), limit: byteCount)
    }
    return place
  }
}

extension FileHeader {
  /// The header of a file of no bytes.
  static let empty = withUnsafeTemporaryAllocation(byteCount: 24, alignment: 8) { buffer in
    buffer.initializeMemory(as: UInt8.self, repeating: 0)
    return buffer.baseAddress.map { FileHeader($0) }
  }!  // A temporary allocation of 24 bytes has an address.
}

/// Reads the list of tables of a snapshot.
struct GroupReader {
  let view: FileView
  let format: FileFormat
  let file: RealmFile

  /// All tables that can be read, and the others.
  func readTables(
    of top: NodeView
  ) throws(StorageError) -> ([StoredTable], [Snapshot.BrokenTable]) {
    let names = try TableReader.names(at: try view.ref(top, 0), in: view)
    let list = try view.refs(at: try view.ref(top, 1))
    guard list.count == names.count else {
      throw .damage(.countMismatch, at: top.offset, found: list.count, limit: names.count)
    }
    if format.hasColumnLayout, names.contains("!UPDATE_PROGRESS") { throw .unfinishedUpgrade }
    var tables: [StoredTable] = []
    var broken: [Snapshot.BrokenTable] = []
    var seen: Set<String> = []
    for position in names.indices where list[position] & 1 == 0 {
      do throws(StorageError) {
        let table = try table(names[position], position, try view.ref(list, position))
        guard seen.insert(table.name).inserted else {
          throw .damage(.countMismatch, at: list.offset, found: 2, limit: 1)
        }
        tables.append(table)
      } catch {
        broken.append(Snapshot.BrokenTable(name: names[position], error: error))
      }
    }
    if format.hasColumnLayout {
      do throws(StorageError) {
        try OldPrimaryKeys(tables).assign()
      } catch {
        broken.append(Snapshot.BrokenTable(name: "pk", error: error))
      }
    }
    return (tables, broken)
  }

  /// The same for a damaged file: what a table can do without may be missing.
  func readDamagedTables(
    _ entries: [Snapshot.Entry]
  ) -> ([StoredTable], [Snapshot.BrokenTable]) {
    var tables: [StoredTable] = []
    var broken: [Snapshot.BrokenTable] = []
    for entry in entries {
      do throws(StorageError) {
        tables.append(try table(entry.name, entry.position, entry.ref, isDamaged: true))
      } catch {
        broken.append(Snapshot.BrokenTable(name: entry.name, error: error))
      }
    }
    if format.hasColumnLayout { try? OldPrimaryKeys(tables).assign() }
    return (tables, broken)
  }

  private func table(
    _ name: String, _ position: Int, _ ref: Int64, isDamaged: Bool = false
  ) throws(StorageError) -> StoredTable {
    if format.hasColumnLayout {
      let reader = try OldTableReader(
        name: name, position: position, ref: ref, in: view, format: format, file: file)
      return try reader.table(isDamaged: isDamaged)
    }
    let reader = try TableReader(
      name: name, ref: ref, in: view, format: format, file: file, isDamaged: isDamaged)
    return try reader.table(key: position)
  }
}
