import Glibc

/// A file opened for reading: its mapped bytes, decrypted on demand.
///
/// Opening takes no lock, makes no side file and leaves the time stamps of the file alone.
public final class RealmFile {
  /// The path as it was given.
  public let path: String
  /// Size of the file on disk.
  public let byteCount: Int
  /// Whether a key was needed.
  public var isEncrypted: Bool { memory.cipher != nil }

  private let mapping: UnsafeMutableRawPointer?
  /// A copy of the bytes the file was made from, if it has no path.
  private let copy: UnsafeMutableRawBufferPointer?
  /// Keeps the bytes of a write transaction.
  private var region: TransactionRegion?
  /// Keeps the bytes of a file that others have mapped.
  private var shared: FileMapping?
  /// Keeps the version that is read from being overwritten; nil if the file is only looked at.
  let pin: VersionPin?
  private let identity: FileIdentity
  let memory: FileMemory
  private let openingHeader: FileHeader
  /// The readable bytes: of the mapping, or the plaintext.
  let bytes: UnsafeRawBufferPointer

  /// Maps a file.
  ///
  /// A key is ignored if the file is not encrypted; `isEncrypted` tells.
  ///
  /// - Throws: `system` when the file cannot be opened or mapped, `notAFile`, `badFileSize`,
  ///   `notARealmFile`, `noKey`, `wrongKey`.
  public convenience init(path: String, key: EncryptionKey?) throws(StorageError) {
    let descriptor = try Syscalls.openForReading(path)
    defer { close(descriptor) }
    try self.init(descriptor: descriptor, path: path, key: key)
  }

  /// Maps a damaged file: it need have neither a header nor a whole number of pages or words.
  ///
  /// - Throws: as for a path, except `notARealmFile`.
  convenience init(damagedAt path: String, key: EncryptionKey?) throws(StorageError) {
    let descriptor = try Syscalls.openForReading(path)
    defer { close(descriptor) }
    try self.init(descriptor: descriptor, path: path, key: key, isDamaged: true)
  }

  /// Maps an open file; the descriptor may be closed afterwards.
  ///
  /// - Parameters:
  ///   - pin: The version to read; pinned before, so that all of it is mapped.
  ///   - isDamaged: Whether header and size may be wrong.
  /// - Throws: as for a path.
  init(
    descriptor: Int32, path: String, key: EncryptionKey?, pin: VersionPin? = nil,
    isDamaged: Bool = false
  ) throws(StorageError) {
    (self.path, self.pin) = (path, pin)
    copy = nil
    let status = try Syscalls.status(of: descriptor)
    guard status.isRegularFile else { throw .notAFile }
    byteCount = status.byteCount
    identity = status.identity
    guard byteCount > 0 else {
      mapping = nil
      bytes = UnsafeRawBufferPointer(start: nil, count: 0)
      memory = FileMemory(cipher: nil, fileByteCount: 0)
      openingHeader = FileHeader.empty
      return
    }
    guard byteCount >= FileView.headerByteCount else { throw .badFileSize(byteCount) }
    let mapped = try Syscalls.mapForReading(descriptor, byteCount: byteCount)
    // Before the first look at the bytes: the file may have been cut off already.
    TruncationGuard.watch(mapped, byteCount: byteCount)
    let source = UnsafeRawBufferPointer(start: mapped, count: byteCount)
    do throws(StorageError) {
      let cipher =
        try isDamaged
        ? RealmFile.makeCipher(ofDamaged: source, key) : RealmFile.makeCipher(source, key)
      if let cipher {
        bytes = UnsafeRawBufferPointer(cipher.plain)
      } else {
        bytes = source
      }
      memory = FileMemory(cipher: cipher, fileByteCount: bytes.count)
      mapping = mapped
      openingHeader = bytes.baseAddress.map { FileHeader($0) } ?? FileHeader.empty
    } catch {
      TruncationGuard.unwatch(mapped)
      munmap(mapped, source.count)
      throw error
    }
  }

  /// Reads a copy of bytes in memory as if they were a file; `path` is empty.
  ///
  /// - Throws: as for a path, except `system` and `notAFile`.
  public init(bytes source: [UInt8], key: EncryptionKey?) throws(StorageError) {
    (path, pin) = ("", nil)
    byteCount = source.count
    (mapping, identity) = (nil, .none)
    guard byteCount > 0 else {
      copy = nil
      bytes = UnsafeRawBufferPointer(start: nil, count: 0)
      memory = FileMemory(cipher: nil, fileByteCount: 0)
      openingHeader = FileHeader.empty
      return
    }
    guard byteCount >= FileView.headerByteCount else { throw .badFileSize(byteCount) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 8)
    buffer.copyBytes(from: source)
    do throws(StorageError) {
      let cipher = try RealmFile.makeCipher(UnsafeRawBufferPointer(buffer), key)
      bytes = UnsafeRawBufferPointer(cipher?.plain ?? buffer)
      memory = FileMemory(cipher: cipher, fileByteCount: bytes.count)
      copy = buffer
      openingHeader = bytes.baseAddress.map { FileHeader($0) } ?? FileHeader.empty
    } catch {
      buffer.deallocate()
      throw error
    }
  }

  /// Reads a plain file that is mapped already.
  ///
  /// - Parameter pin: The version to read.
  init(_ shared: FileMapping, path: String, pin: VersionPin?) {
    (self.path, self.pin, self.shared) = (path, pin, shared)
    (mapping, copy, identity) = (nil, nil, shared.identity)
    byteCount = shared.fileByteCount
    bytes = UnsafeRawBufferPointer(
      start: byteCount > 0 ? shared.base : nil, count: byteCount)
    memory = FileMemory(cipher: nil, fileByteCount: byteCount)
    openingHeader =
      byteCount >= FileView.headerByteCount ? FileHeader(shared.base) : FileHeader.empty
  }

  /// Shows the committed and the new nodes of a write transaction; `path` is empty.
  init(_ region: TransactionRegion) {
    (path, pin) = ("", nil)
    byteCount = region.byteCount
    (mapping, copy, identity) = (nil, nil, .none)
    bytes = UnsafeRawBufferPointer(start: region.base, count: region.byteCount)
    memory = FileMemory(cipher: region.cipher, fileByteCount: region.byteCount)
    openingHeader = FileHeader.empty
    self.region = region
  }

  deinit {
    copy?.deallocate()
    guard let mapping else { return }
    TruncationGuard.unwatch(mapping)
    munmap(mapping, byteCount)
  }

  /// Decides whether the bytes are encrypted, and prepares their decryption.
  private static func makeCipher(
    _ source: UnsafeRawBufferPointer, _ key: EncryptionKey?
  ) throws(StorageError) -> PageCipher? {
    guard let start = source.baseAddress else { return nil }
    let header = FileHeader(start)
    if header.mark == FileHeader.mnemonic {
      guard source.count % 8 == 0 else {
        throw .damage(.oddFileSize, at: source.count & ~7, found: source.count)
      }
      return nil
    }
    let isPaged = source.count % PageLayout.pageByteCount == 0 && source.count >= 8192
    guard let key else {
      if isPaged, looksEncrypted(start) { throw .noKey }
      guard source.count % 8 == 0 else { throw .badFileSize(source.count) }
      throw .notARealmFile(found: header.mark)
    }
    guard isPaged else { throw .notARealmFile(found: header.mark) }
    let cipher = try PageCipher(source: source, key: key)
    try cipher.decrypt(from: 0, byteCount: FileView.headerByteCount)
    guard let plain = cipher.plain.baseAddress, FileHeader(plain).mark == FileHeader.mnemonic else {
      throw .wrongKey
    }
    return cipher
  }

  /// The same for a file whose header may be damaged: with a key it is encrypted if any page
  /// verifies.
  private static func makeCipher(
    ofDamaged source: UnsafeRawBufferPointer, _ key: EncryptionKey?
  ) throws(StorageError) -> PageCipher? {
    guard let start = source.baseAddress, FileHeader(start).mark != FileHeader.mnemonic,
      source.count >= 2 * PageLayout.pageByteCount
    else { return nil }
    guard let key else {
      if looksEncrypted(start) { throw .noKey }
      return nil
    }
    let pages = source.count / PageLayout.pageByteCount * PageLayout.pageByteCount
    let cipher = try PageCipher(
      source: UnsafeRawBufferPointer(rebasing: source[..<pages]), key: key)
    for page in 0..<(cipher.plain.count / PageLayout.pageByteCount)
    where (try? cipher.decrypt(from: page * PageLayout.pageByteCount, byteCount: 1)) != nil {
      return cipher
    }
    throw .wrongKey
  }

  /// Whether the entries of the first block can be such: a counter, then a hash, then the counter
  /// before it or zero; all zero for a page that was never written.
  ///
  /// Source: file-format-writing.md 7.3.
  private static func looksEncrypted(_ start: UnsafeRawPointer) -> Bool {
    let entry = { (i: Int) in
      (start + i * PageLayout.entryByteCount).loadUnaligned(as: PageEntry.self)
    }
    return !entry(0).isUnused && (0..<PageLayout.pagesPerBlock).allSatisfy { entry($0).isPlausible }
  }

  /// The view of the first `limit` bytes.
  func view(limit: Int) -> FileView? {
    guard let base = bytes.baseAddress else { return nil }
    return FileView(
      base: base, byteCount: min(limit, bytes.count), isEncrypted: memory.cipher != nil,
      memory: Unmanaged.passUnretained(memory), remainingWork: memory.remainingWork)
  }

  /// Whether it shows the nodes of a write transaction.
  var isTransaction: Bool { region != nil }

  /// Number of bytes that hold something: less than `bytes` has in a write transaction.
  var filledByteCount: Int { region?.filledByteCount ?? bytes.count }

  /// Allows the next walk as much work as it needs; see `FileMemory.renewWork`.
  public func renewWork() { memory.renewWork() }

  /// Whether another instance has mapped the same file.
  func isSame(as other: RealmFile) -> Bool { identity != .none && identity == other.identity }

  /// Where the path leads now.
  enum Standing {
    /// To the mapped file, which has at least its size.
    case same
    /// To the mapped file, which was cut off.
    case cutOff
    /// To another file, or nowhere. The mapped one stays as it was replaced.
    case elsewhere
  }

  func standing() -> Standing {
    if path.isEmpty { return .same }
    guard let status = try? Syscalls.status(ofPath: path), status.identity == identity else {
      return .elsewhere
    }
    return status.byteCount >= byteCount ? .same : .cutOff
  }

  /// Whether an empty file has got bytes.
  func hasBegun() -> Bool {
    guard byteCount == 0, let status = try? Syscalls.status(ofPath: path) else { return false }
    return status.byteCount > 0
  }

  /// Whether the header is as it was when the file was mapped.
  public func isUnchanged() -> Bool {
    guard let now = currentHeader() else { return bytes.isEmpty }
    return now == openingHeader && standing() != .cutOff
  }

  /// The header as it is on disk now; nil if it cannot be read.
  func currentHeader() -> FileHeader? {
    guard let start = bytes.baseAddress, bytes.count >= FileView.headerByteCount else { return nil }
    if let cipher = memory.cipher {
      guard cipher.firstPageIsUnchanged(headerByteCount: FileView.headerByteCount) else {
        return nil
      }
    }
    return FileHeader(start)
  }

  /// Whether every page that belongs to the first `limit` bytes verifies; pages that were never
  /// written do not count.
  ///
  /// - Returns: the plaintext page numbers of damaged pages; empty for a plain file.
  func damagedPages(limit: Int) -> [Int] {
    memory.cipher?.damagedPages(limit: limit) ?? []
  }
}
