import ByteKernels
import RealmValues

/// A damaged file, and the newest state of it that can be put together.
///
/// A state that a slot of the header or a footer leads to is taken as it is if each of its tables can
/// be read. Otherwise the whole file is searched: from version 10 on each table tells where it stands
/// and how often it was changed, so the tables that are missing, or newer, are found without the
/// nodes that led to them.
///
/// Source: file-format.md 1.1, 1.2, 6.1.
struct RecoverySource {
  let file: RealmFile
  /// The newest state.
  let snapshot: Snapshot
  /// The one before it.
  let older: Snapshot?
  let origin: RecoveryReport.Origin

  /// Opens a file.
  ///
  /// - Parameter onProgress: Called during a search; false gives up.
  /// - Throws: as opening; `damaged` if no state can be read; `notARealmFile` if there is no trace of
  ///   one.
  init(
    path: String, key: EncryptionKey?, onProgress: (Int, Int) -> Bool
  ) throws(StorageError) {
    file = try RealmFile(damagedAt: path, key: key)
    guard let view = file.view(limit: file.bytes.count), view.byteCount >= 32 else {
      throw .badFileSize(file.byteCount)
    }
    let format = RecoverySource.format(in: view)
    var states = RecoverySource.candidates(in: view).compactMap { DamagedState($0, in: view) }
    if let live = states.first, live.origin == .live, live.isComplete {
      snapshot = try live.snapshot(of: file)
      origin = .live
    } else {
      let search = try NodeSearch(file, view, onProgress)
      let tops = search.tops.filter { top in !states.contains { $0.ref == top.ref } }
      states += tops.compactMap {
        DamagedState(Candidate(ref: $0.ref, format: format, origin: .found), in: view)
      }
      let live = states.first { $0.origin == .live }
      let newest = live ?? states.max { $0.version < $1.version }
      var state = newest ?? DamagedState(format: format)
      let wasChanged = state.complete(with: search, others: states, in: view)
      guard newest != nil || wasChanged else {
        let header = FileHeader(view.base)
        if RecoverySource.header(in: view) == nil, !file.isEncrypted {
          throw .notARealmFile(found: header.mark)
        }
        throw .damage(.missingRef, at: 0, found: 0)
      }
      snapshot = try state.snapshot(of: file)
      origin = state.origin
    }
    let version = snapshot.version
    let older = states.filter { $0.version < version }.max { $0.version < $1.version }
    self.older = try? older?.snapshot(of: file)
  }

  /// Where a state begins.
  struct Candidate {
    let ref: Int64
    let format: FileFormat
    let origin: RecoveryReport.Origin
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
}
