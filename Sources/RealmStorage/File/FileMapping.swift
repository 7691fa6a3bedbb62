import Glibc

/// Address space that begins with the bytes of a file, with room for new nodes behind them.
///
/// A plain file is mapped for reading, shared with whoever writes it, and mapped further as it grows;
/// so all snapshots and transactions of a database share one mapping. For an encrypted file the range
/// holds zeros, into which it is decrypted.
final class FileMapping {
  /// The first byte of the file.
  let base: UnsafeMutableRawPointer
  /// Where the room behind the file begins.
  let roomStart: Int
  /// Number of bytes of the whole range.
  let byteCount: Int
  /// Number of bytes of the file that can be read.
  private(set) var fileByteCount: Int
  /// The file.
  let identity: FileIdentity

  private let isMapped: Bool
  /// What the guard said before the file was mapped.
  private let replacedPageCount = TruncationGuard.replacedPageCount

  private static let pageByteCount = 4096
  /// Room for the file to grow while it stays mapped.
  private static let growthByteCount = 1 << 26
  /// Room for new nodes; the smaller ones are tried where address space is limited.
  private static let roomByteCounts = [1 << 35, 1 << 32, 1 << 29]

  /// Maps what an open file holds.
  ///
  /// - Parameter file: nil for room alone.
  /// - Throws: `system` when the file cannot be mapped.
  init(_ file: (any FileBackend)?) throws(StorageError) {
    let fileByteCount = file?.byteCount ?? 0
    // There is no node at 0.
    let growth = file == nil ? FileMapping.pageByteCount : FileMapping.growthByteCount
    let roomStart = FileMapping.wholePages(fileByteCount) + growth
    let identity =
      if let file { try Syscalls.status(of: file.descriptor).identity } else { FileIdentity.none }
    var reserved: (UnsafeMutableRawPointer, Int)?
    for room in FileMapping.roomByteCounts {
      let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
      if let address = mmap(nil, roomStart + room, PROT_READ | PROT_WRITE, flags, -1, 0),
        address != MAP_FAILED
      {
        reserved = (address, roomStart + room)
        break
      }
    }
    guard let (base, byteCount) = reserved else { throw .system(.map, errno) }
    (self.base, self.byteCount, self.roomStart) = (base, byteCount, roomStart)
    (self.identity, self.fileByteCount) = (identity, fileByteCount)
    isMapped = file != nil && file?.key == nil
    guard isMapped, let file else { return }
    // A failure from here on ends in `deinit`.
    try map(file.descriptor, from: 0, to: fileByteCount)
  }

  deinit {
    if isMapped { TruncationGuard.unwatch(base) }
    munmap(base, byteCount)
  }

  private static func wholePages(_ byteCount: Int) -> Int {
    (byteCount + pageByteCount - 1) / pageByteCount * pageByteCount
  }

  /// Maps bytes of a file, from the start of a page on.
  private func map(_ descriptor: Int32, from start: Int, to end: Int) throws(StorageError) {
    guard start < end else { return }
    let flags = MAP_SHARED | MAP_FIXED
    let mapped = mmap(base + start, end - start, PROT_READ, flags, descriptor, off_t(start))
    guard mapped != MAP_FAILED else { throw .system(.map, errno) }
    TruncationGuard.unwatch(base)
    TruncationGuard.watch(base, byteCount: FileMapping.wholePages(end))
  }

  /// Maps what the file has got since; what was mapped stays where it is.
  ///
  /// - Returns: whether all of the file can be read here; another mapping is needed otherwise.
  /// - Throws: `system` when the file cannot be mapped.
  func follow(_ file: any FileBackend) throws(StorageError) -> Bool {
    let (mapped, end) = (FileMapping.wholePages(fileByteCount), file.byteCount)
    // Pages that were missing once stay zeros.
    guard isMapped, end >= fileByteCount, end <= roomStart,
      TruncationGuard.replacedPageCount == replacedPageCount
    else { return false }
    try map(file.descriptor, from: mapped, to: end)
    fileByteCount = end
    return true
  }
}
