import Glibc

/// Decrypts the pages of a mapped file on demand.
///
/// Source: file-format-writing.md 7.
final class PageCipher {
  private let source: UnsafeRawBufferPointer
  private let codec: PageCodec
  /// The decrypted file: reserved address space whose pages are filled one by one.
  let plain: UnsafeMutableRawBufferPointer
  /// Whether `plain` belongs to this object.
  private let ownsPlain: Bool
  private let isDecrypted: UnsafeMutablePointer<Bool>
  private let pageCount: Int
  /// How many more times a page that does not verify is read again after a moment.
  private var patience = 40

  /// Prepares decryption of the mapped bytes `source`, whose owner outlives this object.
  ///
  /// - Throws: `badFileSize` if the bytes hold no whole page; `system` if memory is short.
  convenience init(
    source: UnsafeRawBufferPointer, key: EncryptionKey
  ) throws(StorageError) {
    let plainCount = PageLayout.plainByteCount(ofFile: source.count)
    guard plainCount > 0 else { throw .badFileSize(source.count) }
    guard
      let region = mmap(
        nil, plainCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
        0), region != MAP_FAILED
    else { throw .system(.map, errno) }
    self.init(
      source: source, codec: PageCodec(key),
      into: UnsafeMutableRawBufferPointer(start: region, count: plainCount), ownsPlain: true)
  }

  /// Prepares decryption into `plain`, which holds zeros and is of the size of the plaintext; both
  /// ranges outlive this object.
  convenience init(
    source: UnsafeRawBufferPointer, key: EncryptionKey, into plain: UnsafeMutableRawBufferPointer
  ) {
    self.init(source: source, codec: PageCodec(key), into: plain, ownsPlain: false)
  }

  private init(
    source: UnsafeRawBufferPointer, codec: PageCodec, into plain: UnsafeMutableRawBufferPointer,
    ownsPlain: Bool
  ) {
    (self.source, self.codec, self.plain, self.ownsPlain) = (source, codec, plain, ownsPlain)
    pageCount = plain.count / PageLayout.pageByteCount
    isDecrypted = .allocate(capacity: pageCount)
    isDecrypted.initialize(repeating: false, count: pageCount)
  }

  deinit {
    if ownsPlain { munmap(plain.baseAddress, plain.count) }
    isDecrypted.deallocate()
  }

  /// Makes the plaintext of a range readable; what lies behind the file always is.
  ///
  /// - Throws: `damagedPage` (or `wrongKey` for the first page) if a page does not verify.
  @inline(__always)
  func decrypt(from offset: Int, byteCount: Int) throws(StorageError) {
    guard byteCount > 0 else { return }
    let end = min(pageCount, (offset &+ byteCount &- 1) / PageLayout.pageByteCount &+ 1)
    var page = offset / PageLayout.pageByteCount
    while page < end {
      if !isDecrypted[page] { try decryptPage(page) }
      page &+= 1
    }
  }

  /// Gives back the memory of all pages, which are decrypted again when they are asked for; but the
  /// first, whose header is read without asking.
  func forget() {
    guard pageCount > 1, let start = plain.baseAddress else { return }
    let size = PageLayout.pageByteCount
    madvise(start + size, plain.count - size, MADV_DONTNEED)
    if let start = source.baseAddress {
      madvise(UnsafeMutableRawPointer(mutating: start), source.count, MADV_DONTNEED)
    }
    (isDecrypted + 1).update(repeating: false, count: pageCount - 1)
  }

  /// Whether page 0 on disk still decrypts to what was decrypted before.
  func firstPageIsUnchanged(headerByteCount: Int) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: PageLayout.pageByteCount, alignment: 16) { buffer in
      guard let target = buffer.baseAddress, let start = plain.baseAddress,
        (try? decryptPage(0, into: target)) != nil
      else { return false }
      return memcmp(target, start, headerByteCount) == 0
    }
  }

  /// Page numbers below `limit` bytes that were written but do not verify.
  ///
  /// What a crash or a shrinking of the file leaves is no damage: a page that was to be written for
  /// the first time, or one that is all zeros, holds nothing.
  ///
  /// Source: file-format-writing.md 7.5.
  func damagedPages(limit: Int) -> [Int] {
    let pages = min(pageCount, (limit + PageLayout.pageByteCount - 1) / PageLayout.pageByteCount)
    return (0..<pages).filter { page in
      guard !isDecrypted[page], !entry(of: page).isUnused else { return false }
      return (try? decryptPage(page)) == nil && !isEmpty(page)
    }
  }

  /// Whether nothing was ever written to a page in full.
  private func isEmpty(_ page: Int) -> Bool {
    let (offset, size) = (PageLayout.offset(ofPage: page), PageLayout.pageByteCount)
    guard entry(of: page).previous.counter != 0, let start = source.baseAddress else {
      return true
    }
    // A page behind the end of the file is missing, not empty.
    guard offset + size <= source.count else { return false }
    return UnsafeRawBufferPointer(start: start + offset, count: size).allSatisfy { $0 == 0 }
  }

  @inline(never)
  private func decryptPage(_ page: Int) throws(StorageError) {
    guard let start = plain.baseAddress else { return }
    try decryptPage(page, into: start + page * PageLayout.pageByteCount)
    isDecrypted[page] = true
  }

  private func entry(of page: Int) -> PageEntry {
    let offset = PageLayout.offset(ofEntry: page)
    guard let start = source.baseAddress, offset + PageLayout.entryByteCount <= source.count else {
      return .none
    }
    return (start + offset).loadUnaligned(as: PageEntry.self)
  }

  private func decryptPage(
    _ page: Int, into target: UnsafeMutableRawPointer
  ) throws(StorageError) {
    let size = PageLayout.pageByteCount
    let offset = PageLayout.offset(ofPage: page)
    guard let start = source.baseAddress, offset + size <= source.count else {
      throw .damagedPage(page)
    }
    while true {
      let entry = entry(of: page)
      // Another process may rewrite the page while it is read: what is verified must be what is
      // decrypted.
      memcpy(target, start + offset, size)
      if let current = entry.encryption(withCode: codec.code(of: target)) {
        // The library allows to decrypt in place.
        return codec.decipher(
          target, counter: current.counter, offset: page * size, into: target)
      }
      // Entry and page are written one after the other, which takes a moment.
      guard !entry.isUnused, patience > 0 else { break }
      patience -= 1
      usleep(300)
    }
    memset(target, 0, size)
    // A page that was never written holds no node.
    throw page == 0 ? .wrongKey : .damagedPage(page)
  }
}
