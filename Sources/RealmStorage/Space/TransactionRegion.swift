import Glibc

/// Address space of one write transaction: the file as it was committed, mapped for reading, and
/// behind it room for new nodes.
///
/// Both are one range of addresses, so that a ref is an offset from its start whether the node is
/// committed or new, and everything that reads a snapshot reads a transaction as well. The room is
/// reserved, not allocated: pages come into being when they are first written.
final class TransactionRegion {
  /// The first byte of the file.
  let base: UnsafeMutableRawPointer
  /// Offset of the first new node; committed nodes are before it.
  let newStart: Int
  /// Number of bytes of the whole range.
  let byteCount: Int
  /// Decrypts the committed nodes; nil if the file is not encrypted.
  let cipher: PageCipher?
  /// The mapped bytes of an encrypted file.
  private let ciphertext: UnsafeMutableRawBufferPointer?
  /// Number of bytes of the file that are mapped.
  private(set) var fileByteCount: Int
  /// What the guard said before the file was mapped.
  private let replacedPageCount = TruncationGuard.replacedPageCount

  /// Offset behind the last new node.
  private var newEnd: Int
  /// Offsets of freed blocks, by size class.
  private var freed: [[Int]] = Array(repeating: [], count: 80)

  private static let pageByteCount = 4096
  /// Room for the file to grow while it stays mapped.
  private static let growthByteCount = 1 << 26
  /// New nodes that stay in memory for the next transaction.
  private static let keptByteCount = 1 << 22
  /// Room for new nodes; the smaller ones are tried where address space is limited.
  private static let roomByteCounts = [1 << 35, 1 << 32, 1 << 29]

  /// Maps what an open file holds; an encrypted file is decrypted page by page when it is read.
  ///
  /// - Parameter file: nil for new nodes alone.
  /// - Throws: `system` when the file cannot be mapped.
  init(_ file: (any FileBackend)?) throws(StorageError) {
    file?.discardUnsynced()
    fileByteCount = file?.byteCount ?? 0
    // There is no node at 0.
    let growth = file == nil ? TransactionRegion.pageByteCount : TransactionRegion.growthByteCount
    newStart = TransactionRegion.wholePages(fileByteCount) + growth
    newEnd = newStart
    var reserved: (UnsafeMutableRawPointer, Int)?
    for room in TransactionRegion.roomByteCounts {
      let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
      if let address = mmap(nil, newStart + room, PROT_READ | PROT_WRITE, flags, -1, 0),
        address != MAP_FAILED
      {
        reserved = (address, newStart + room)
        break
      }
    }
    guard let (base, byteCount) = reserved else { throw .system(.map, errno) }
    (self.base, self.byteCount) = (base, byteCount)
    do throws(StorageError) {
      if let file, let key = file.key {
        let source = try TransactionRegion.mapCiphertext(file.descriptor, plain: fileByteCount)
        ciphertext = source
        cipher = try PageCipher(
          source: UnsafeRawBufferPointer(source), key: key,
          into: UnsafeMutableRawBufferPointer(start: base, count: fileByteCount))
      } else {
        (ciphertext, cipher) = (nil, nil)
        if let file {
          try TransactionRegion.map(file.descriptor, from: 0, to: fileByteCount, at: base)
          TruncationGuard.watch(base, byteCount: TransactionRegion.wholePages(fileByteCount))
        }
      }
    } catch {
      munmap(base, byteCount)
      throw error
    }
  }

  private static func wholePages(_ byteCount: Int) -> Int {
    (byteCount + pageByteCount - 1) / pageByteCount * pageByteCount
  }

  /// Maps bytes of a file, from the start of a page on.
  private static func map(
    _ descriptor: Int32, from start: Int, to end: Int, at base: UnsafeMutableRawPointer
  ) throws(StorageError) {
    guard start < end else { return }
    let flags = MAP_SHARED | MAP_FIXED
    let mapped = mmap(base + start, end - start, PROT_READ, flags, descriptor, off_t(start))
    guard mapped != MAP_FAILED else { throw .system(.map, errno) }
  }

  private static func mapCiphertext(
    _ descriptor: Int32, plain byteCount: Int
  ) throws(StorageError) -> UnsafeMutableRawBufferPointer {
    guard byteCount > 0 else { return UnsafeMutableRawBufferPointer(start: nil, count: 0) }
    let count = PageLayout.fileByteCount(ofPlain: byteCount)
    let mapped = try Syscalls.mapForReading(descriptor, byteCount: count)
    TruncationGuard.watch(mapped, byteCount: count)
    return UnsafeMutableRawBufferPointer(start: mapped, count: count)
  }

  deinit {
    TruncationGuard.unwatch(base)
    munmap(base, byteCount)
    guard let ciphertext, let start = ciphertext.baseAddress else { return }
    TruncationGuard.unwatch(start)
    munmap(start, ciphertext.count)
  }

  /// Forgets the new nodes and maps what the file holds now; nobody may use them any more.
  ///
  /// - Returns: whether the file can be mapped here; a new region is needed otherwise.
  /// - Throws: `system` when the file cannot be mapped.
  func renew(_ file: any FileBackend) throws(StorageError) -> Bool {
    file.discardUnsynced()
    let (mapped, end) = (TransactionRegion.wholePages(fileByteCount), file.byteCount)
    // Pages that were missing once stay zeros.
    guard cipher == nil, ciphertext == nil, end >= fileByteCount, end <= newStart,
      TruncationGuard.replacedPageCount == replacedPageCount
    else { return false }
    if end > mapped {
      try TransactionRegion.map(file.descriptor, from: mapped, to: end, at: base)
      TruncationGuard.unwatch(base)
      TruncationGuard.watch(base, byteCount: TransactionRegion.wholePages(end))
    }
    fileByteCount = end
    let kept = newStart + TransactionRegion.keptByteCount
    if newEnd > kept { madvise(base + kept, newEnd - kept, MADV_DONTNEED) }
    newEnd = newStart
    for i in freed.indices where !freed[i].isEmpty { freed[i].removeAll(keepingCapacity: true) }
    return true
  }

  /// Number of bytes in use: those of the file and of the new nodes.
  var filledByteCount: Int { newEnd }

  /// Whether a ref leads to a node of this transaction.
  @inline(__always)
  func isNew(_ ref: Int64) -> Bool { ref >= newStart }

  /// Finds room for a node of at least `byteCount` bytes.
  ///
  /// - Returns: offset and size of the room.
  /// - Throws: `system` (ENOMEM) when the transaction is larger than the reserved range.
  func allocate(_ byteCount: Int) throws(StorageError) -> (offset: Int, byteCount: Int) {
    let (sizeClass, size) = TransactionRegion.sizeClass(byteCount)
    if let offset = freed[sizeClass].popLast() { return (offset, size) }
    guard size <= self.byteCount - newEnd else { throw .system(.map, ENOMEM) }
    defer { newEnd += size }
    return (newEnd, size)
  }

  /// Takes room back; `byteCount` is what `allocate` returned.
  func free(_ offset: Int, _ byteCount: Int) {
    freed[TransactionRegion.sizeClass(byteCount).number].append(offset)
  }

  /// Sizes are powers of two and one and a half times those, from 32 on.
  private static func sizeClass(_ byteCount: Int) -> (number: Int, size: Int) {
    let least = max(byteCount, 32)
    let exponent = Int.bitWidth - (least - 1).leadingZeroBitCount
    let power = 1 << exponent
    let middle = power / 4 * 3
    return least <= middle ? (2 * exponent, middle) : (2 * exponent + 1, power)
  }
}
