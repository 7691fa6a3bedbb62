import Glibc

/// Address space of one write transaction: the file as it was committed, mapped for reading, and
/// behind it room for new nodes.
///
/// Both are one range of addresses, so that a ref is an offset from its start whether the node is
/// committed or new, and everything that reads a snapshot reads a transaction as well. The room is
/// reserved, not allocated: pages come into being when they are first written.
final class TransactionRegion {
  /// The range; its room belongs to this object alone.
  let mapping: FileMapping
  /// Decrypts the committed nodes; nil if the file is not encrypted.
  let cipher: PageCipher?
  /// The mapped bytes of an encrypted file.
  private let ciphertext: UnsafeMutableRawBufferPointer?

  /// Offset behind the last new node.
  private var newEnd: Int
  /// Offset of the first node that may be changed; those before it are committed, or part of a state
  /// of the transaction that is kept.
  private(set) var writableStart: Int
  /// Offsets of freed blocks, by size class.
  private var freed: [[Int]] = Array(repeating: [], count: 80)

  /// What earlier states keep, the innermost last.
  private var pins: [Pin] = []

  /// A state of the transaction that stays readable.
  private struct Pin {
    /// Nodes before this offset are part of the state.
    var end: Int
    /// Room before it that was free already.
    var free: [[Int]]
    /// Nodes of the state that have been given up since.
    var released: [(offset: Int, byteCount: Int)] = []
  }

  /// New nodes that stay in memory for the next transaction.
  private static let keptByteCount = 1 << 22

  /// Maps what an open file holds; an encrypted file is decrypted page by page when it is read.
  ///
  /// - Parameter file: nil for new nodes alone.
  /// - Throws: `system` when the file cannot be mapped.
  convenience init(_ file: (any FileBackend)?) throws(StorageError) {
    try self.init(try FileMapping(file), file)
  }

  /// Uses the room of a mapping.
  ///
  /// - Throws: `system` when an encrypted file cannot be mapped.
  init(_ mapping: FileMapping, _ file: (any FileBackend)?) throws(StorageError) {
    self.mapping = mapping
    newEnd = mapping.roomStart
    writableStart = mapping.roomStart
    guard let file, let key = file.key else {
      (ciphertext, cipher) = (nil, nil)
      return
    }
    let source = try TransactionRegion.mapCiphertext(
      file.descriptor, plain: mapping.fileByteCount)
    ciphertext = source
    // A failure here ends in `deinit`.
    cipher = PageCipher(
      source: UnsafeRawBufferPointer(source), key: key,
      into: UnsafeMutableRawBufferPointer(start: mapping.base, count: mapping.fileByteCount))
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
    guard let ciphertext, let start = ciphertext.baseAddress else { return }
    TruncationGuard.unwatch(start)
    munmap(start, ciphertext.count)
  }

  /// The first byte of the file.
  @inline(__always) var base: UnsafeMutableRawPointer { mapping.base }
  /// Offset of the first new node; committed nodes are before it.
  @inline(__always) var newStart: Int { mapping.roomStart }
  /// Number of bytes of the whole range.
  var byteCount: Int { mapping.byteCount }

  /// Forgets the new nodes, which nobody may use any more.
  func renew() {
    let kept = newStart + TransactionRegion.keptByteCount
    if newEnd > kept { madvise(base + kept, newEnd - kept, MADV_DONTNEED) }
    newEnd = newStart
    pins = []
    writableStart = newStart
    for i in freed.indices where !freed[i].isEmpty { freed[i].removeAll(keepingCapacity: true) }
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

  /// Whether a node of this transaction may be changed: no state that is kept has it.
  @inline(__always)
  func isWritable(_ ref: Int64) -> Bool { ref >= writableStart }

  /// Keeps all new nodes as they are, until `unpin`; pins end in the reverse order of their beginning.
  func pin() {
    pins.append(Pin(end: newEnd, free: freed))
    for i in freed.indices { freed[i] = [] }
    writableStart = newEnd
  }

  /// Lets the nodes of the last `pin` be changed again.
  func unpin() {
    guard let pin = pins.popLast() else { return }
    for i in freed.indices where !pin.free[i].isEmpty { freed[i] += pin.free[i] }
    writableStart = pins.last?.end ?? newStart
    for node in pin.released { free(node.offset, node.byteCount) }
  }

  /// Takes room back; `byteCount` is what `allocate` returned.
  func free(_ offset: Int, _ byteCount: Int) {
    if offset < writableStart {
      pins[pins.count - 1].released.append((offset, byteCount))
      return
    }
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
