import ByteKernels
import RealmValues

/// A damaged file, and the states of it that can be reached: from either slot of the header, from a
/// footer, or by a search for top nodes.
///
/// Source: file-format.md 1.1, 1.2, 6.1.
struct RecoverySource {
  let file: RealmFile
  /// The newest state whose list of tables can be read.
  let snapshot: Snapshot
  /// The one before it.
  let older: Snapshot?
  let origin: RecoveryReport.Origin

  /// Where a state begins.
  private struct Candidate {
    let ref: Int64
    let format: FileFormat
    let origin: RecoveryReport.Origin
  }

  /// Opens a file.
  ///
  /// - Parameter onProgress: Called during a search; false gives up.
  /// - Throws: as opening; `damaged` if no state can be read.
  init(
    path: String, key: EncryptionKey?, onProgress: (Int, Int) -> Bool
  ) throws(StorageError) {
    file = try RealmFile(damagedAt: path, key: key)
    guard let view = file.view(limit: file.bytes.count), view.byteCount >= 32 else {
      throw .badFileSize(file.byteCount)
    }
    var candidates = RecoverySource.candidates(in: view)
    var states = RecoverySource.states(candidates, file, view)
    if states.isEmpty {
      let format = RecoverySource.format(in: view)
      let tops = try TopSearch.run(in: view, onProgress)
      candidates = tops.map { Candidate(ref: $0, format: format, origin: .found) }
      states = RecoverySource.states(candidates, file, view)
    }
    if states.first?.1 != .live || states.isEmpty {
      // The list of tables may be there without its top node.
      var search = TableListSearch(view, states.map { $0.0 })
      if let found = try search.run(file, RecoverySource.format(in: view), onProgress) {
        states.insert((found, .found), at: 0)
      }
    }
    guard let first = states.first else {
      throw .damage(.missingRef, at: 0, found: 0)
    }
    (snapshot, origin) = first
    let version = snapshot.version
    older = states.dropFirst().first { $0.0.version < version }?.0
  }

  /// The header; nil if its page does not verify.
  private static func header(in view: FileView) -> FileHeader? {
    guard (try? view.makeReadable(0, FileView.headerByteCount)) != nil else { return nil }
    let header = FileHeader(view.base)
    return header.mark == FileHeader.mnemonic ? header : nil
  }

  /// The format that the header tells, the newest if it tells none.
  private static func format(in view: FileView) -> FileFormat {
    guard let header = header(in: view) else { return .current }
    let slot = header.selectedSlot
    return FileFormat(header.version(slot: slot)) ?? FileFormat(header.version(slot: 1 - slot))
      ?? .current
  }

  /// What the header and a footer lead to, the newest first.
  private static func candidates(in view: FileView) -> [Candidate] {
    let format = format(in: view)
    var result: [Candidate] = []
    func add(_ ref: UInt64, _ number: UInt8, _ origin: RecoveryReport.Origin) {
      guard ref & 7 == 0, ref >= UInt64(FileView.headerByteCount), ref < UInt64(view.byteCount)
      else { return }
      result.append(
        Candidate(ref: Int64(ref), format: FileFormat(number) ?? format, origin: origin))
    }
    let header = header(in: view)
    let footer = footer(in: view)
    if let header {
      let slot = header.selectedSlot
      if header.isStreaming, let footer { add(footer, header.version(slot: 0), .live) }
      add(header.topRef(slot: slot), header.version(slot: slot), .live)
      add(header.topRef(slot: 1 - slot), header.version(slot: 1 - slot), .previous)
    }
    if let footer, result.isEmpty { add(footer, 0, .live) }
    return result
  }

  private static func footer(in view: FileView) -> UInt64? {
    let offset = view.byteCount / 8 * 8 - FileHeader.footerByteCount
    guard offset >= FileView.headerByteCount,
      (try? view.makeReadable(offset, FileHeader.footerByteCount)) != nil,
      (view.base + offset).loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        == FileHeader.footerCookie
    else { return nil }
    return (view.base + offset).loadUnaligned(as: UInt64.self)
  }

  private static func states(
    _ candidates: [Candidate], _ file: RealmFile, _ view: FileView
  ) -> [(Snapshot, RecoveryReport.Origin)] {
    let names = candidates.lazy.compactMap { self.names(ofTop: $0.ref, in: view) }.first ?? []
    return candidates.compactMap { candidate in
      let snapshot = state(candidate, file, names)
      guard let snapshot, !snapshot.tables.isEmpty || snapshot.brokenTables.isEmpty else {
        return nil
      }
      // Without any table it may be something else.
      guard !snapshot.tables.isEmpty || self.names(ofTop: candidate.ref, in: view) != nil else {
        return nil
      }
      return (snapshot, candidate.origin)
    }
  }

  /// The state in the format that the header tells, or else in one that it can have.
  private static func state(
    _ candidate: Candidate, _ file: RealmFile, _ names: [String]
  ) -> Snapshot? {
    var first: Snapshot?
    for format in [candidate.format, .current, FileFormat(9)].compactMap({ $0 }) {
      let snapshot = try? Snapshot(
        ofDamaged: file, top: candidate.ref, format: format, names: names)
      if let snapshot, !snapshot.tables.isEmpty { return snapshot }
      first = first ?? snapshot
    }
    return first
  }

  private static func names(ofTop ref: Int64, in view: FileView) -> [String]? {
    guard let top = try? view.refs(at: ref, minimumCount: 3), let names = try? view.ref(top, 0)
    else { return nil }
    return try? TableReader.names(at: names, in: view)
  }
}

/// Looks for the top nodes of states in a whole file.
enum TopSearch {
  /// States that are kept.
  private static let maximumCount = 4

  /// The refs of the top nodes, those of the newest versions first.
  ///
  /// - Throws: `rejected(.interrupted)`.
  static func run(
    in view: FileView, _ onProgress: (Int, Int) -> Bool
  ) throws(StorageError) -> [Int64] {
    var found: [(version: Int64, ref: Int64)] = []
    var nameCounts: [Int64: Int] = [:]
    var offset = FileView.headerByteCount
    while offset + 32 <= view.byteCount {
      if offset & 0xF_FFFF == FileView.headerByteCount, !onProgress(offset, view.byteCount) {
        throw .rejected(.interrupted)
      }
      if view.isEncrypted, offset & 0xFFF == 0 || offset == FileView.headerByteCount,
        (try? view.makeReadable(offset, 8)) == nil
      {
        // The whole page does not verify.
        offset = (offset & ~0xFFF) + 0x1000
        continue
      }
      let word = UInt32(
        bigEndian: view.base.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
      // With refs, not inner, elements of 8 bits at least, and 3 to 12 of them.
      if word >> 24 >= 0x44, word >> 24 <= 0x47, (3...12).contains(word & 0xFF_FFFF),
        let version = version(ofTop: Int64(offset), in: view, &nameCounts)
      {
        found.append((version, Int64(offset)))
        found.sort { ($0.version, $0.ref) > ($1.version, $1.ref) }
        if found.count > maximumCount { found.removeLast() }
      }
      offset += 8
    }
    return found.map(\.ref)
  }

  /// The version of a state if a node can be its top: names and tables are as many, and the size of
  /// the file is a number.
  ///
  /// - Parameter nameCounts: How many names the nodes hold that were looked at; each is once.
  private static func version(
    ofTop ref: Int64, in view: FileView, _ nameCounts: inout [Int64: Int]
  ) -> Int64? {
    guard let top = try? view.refs(at: ref, minimumCount: 3),
      let size = (try? view.tagged(top, 2)) ?? nil, size > ref,
      let namesRef = try? view.ref(top, 0), let tablesRef = try? view.ref(top, 1),
      let tables = try? view.refs(at: tablesRef)
    else { return nil }
    let count =
      nameCounts[namesRef] ?? (try? TableReader.names(at: namesRef, in: view))?.count ?? -1
    nameCounts[namesRef] = count
    guard count == tables.count else { return nil }
    return max(1, ((try? view.tagged(top, 6)) ?? nil) ?? 1)
  }
}
