import Glibc

/// What belongs to the mapped bytes of a file while it is read: the cipher, values that had to be
/// put together from several nodes, and the limit on work.
final class FileMemory {
  let cipher: PageCipher?
  private var joined: [Int64: UnsafeMutableRawBufferPointer] = [:]
  private var joinedByteCount = 0
  private let fileByteCount: Int
  /// Whether bytes that were read need not stay in memory: nobody but the walk that calls `relax` reads
  /// them.
  var forgets = false
  /// Bytes read since memory was given back.
  private var recentByteCount = 0
  private static let keptByteCount = 1 << 25

  /// See `FileView.charge`.
  let remainingWork: UnsafeMutablePointer<Int>

  init(cipher: PageCipher?, fileByteCount: Int) {
    self.cipher = cipher
    self.fileByteCount = fileByteCount
    remainingWork = .allocate(capacity: 1)
    remainingWork.initialize(to: 0)
    renewWork()
  }

  deinit {
    remainingWork.deallocate()
    for buffer in joined.values { buffer.deallocate() }
  }

  /// Allows as much work as reading the whole file several times needs.
  ///
  /// In a valid file each node is reached once in a walk over everything, and a node has at least 8
  /// bytes. Nodes that refer to one another could otherwise make a walk exponential.
  ///
  /// Source: file-format.md 10.2 (5), 10.3 (17).
  func renewWork() {
    grantedWork = fileByteCount / 8 * 4 + 65_536
    remainingWork.pointee = grantedWork
  }

  /// Work granted the last time.
  private var grantedWork = 0
  /// What damaged parts may take together, in whole walks.
  private var spareWalks = 64.0

  /// Allows work for a part of a walk over a damaged file: as much as reading the whole file needs,
  /// until all parts together have used that many times over; then little.
  func renewSomeWork() {
    let used = grantedWork - max(remainingWork.pointee, 0)
    renewWork()
    spareWalks -= Double(used) / Double(grantedWork)
    if spareWalks < 0 {
      grantedWork = 4096
      remainingWork.pointee = grantedWork
    }
  }

  /// Gives memory back when much has been read.
  ///
  /// - Parameter byteCount: What was read since the last time.
  /// - Returns: whether nodes that were read have to be read anew.
  func relax(_ byteCount: Int, _ view: FileView) -> Bool {
    guard forgets else { return false }
    recentByteCount += byteCount
    guard recentByteCount >= FileMemory.keptByteCount else { return false }
    recentByteCount = 0
    guard let cipher else {
      madvise(UnsafeMutableRawPointer(mutating: view.base), fileByteCount, MADV_DONTNEED)
      return false
    }
    cipher.forget()
    return true
  }

  /// The pieces of a split blob, one behind the other.
  ///
  /// No piece belongs to two blobs, so all of them together are smaller than the file.
  ///
  /// Source: file-format.md 3.5.
  func joinedBlob(
    _ root: NodeView, in view: FileView
  ) throws(StorageError) -> UnsafeRawBufferPointer {
    let ref = Int64(root.offset)
    if let known = joined[ref] { return UnsafeRawBufferPointer(known) }
    var total = 0
    for slot in 0..<root.count {
      total += try view.blob(at: try view.ref(root, slot)).count
      guard total <= fileByteCount - joinedByteCount else {
        throw .damage(.cyclicRefs, at: root.offset)
      }
    }
    joinedByteCount += total
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(total, 1), alignment: 8)
    var filled = 0
    for slot in 0..<root.count {
      let piece = try view.blob(at: try view.ref(root, slot))
      // The file may have changed since it was measured.
      guard filled + piece.count <= total, let base = buffer.baseAddress else { break }
      memcpy(base + filled, piece.payload, piece.count)
      filled += piece.count
    }
    joined[ref] = buffer
    return UnsafeRawBufferPointer(start: buffer.baseAddress, count: filled)
  }
}
