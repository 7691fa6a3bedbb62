import CLibCrypto
import Glibc

/// The 64 bytes that encrypt a file: 32 for AES-256, 32 for HMAC-SHA-224.
///
/// The bytes are wiped when the last reference goes.
public final class EncryptionKey {
  /// Number of bytes of a key.
  public static let byteCount = 64

  fileprivate let bytes: UnsafeMutablePointer<UInt8>

  /// Copies a key; nil if it does not have 64 bytes.
  public init?(_ source: UnsafeRawBufferPointer) {
    guard source.count == EncryptionKey.byteCount, let start = source.baseAddress else {
      return nil
    }
    bytes = .allocate(capacity: EncryptionKey.byteCount)
    memcpy(bytes, start, EncryptionKey.byteCount)
  }

  deinit {
    OPENSSL_cleanse(bytes, EncryptionKey.byteCount)
    bytes.deallocate()
  }
}

/// Decrypts the pages of a mapped file on demand.
///
/// The plaintext is cut into pages of 4096 bytes; 64 pages form a block, and each block is preceded
/// by a page with 64 entries, one for each page:
///
///     offset  size  meaning
///          0     4  counter of the newest encryption; 0 = never written
///          4    28  HMAC-SHA-224 of the newest ciphertext
///         32     4  counter of the encryption before
///         36    28  its HMAC
///
/// A page is AES-256-CBC with the vector: counter, plaintext offset (8 bytes), zeros.
///
/// Source: file-format-writing.md 7.
final class PageCipher {
  static let pageByteCount = 4096
  static let pagesPerBlock = 64
  private static let entryByteCount = 64
  private static let hmacByteCount = 28

  private let source: UnsafeRawBufferPointer
  private let key: EncryptionKey
  private let context: OpaquePointer
  /// The decrypted file: reserved address space whose pages are filled one by one.
  let plain: UnsafeMutableRawBufferPointer
  private let isDecrypted: UnsafeMutablePointer<Bool>
  private let pageCount: Int

  /// Byte count of the plaintext of an encrypted file.
  static func plainByteCount(ofFile byteCount: Int) -> Int {
    byteCount - (byteCount / pageByteCount + pagesPerBlock) / (pagesPerBlock + 1) * pageByteCount
  }

  /// Prepares decryption of the mapped bytes `source`, whose owner outlives this object.
  ///
  /// - Throws: `badFileSize` if the bytes hold no whole page; `system` if memory is short.
  init(source: UnsafeRawBufferPointer, key: EncryptionKey) throws(StorageError) {
    let pages = source.count / PageCipher.pageByteCount
    let plainCount =
      source.count > 0 ? PageCipher.plainByteCount(ofFile: pages * PageCipher.pageByteCount) : 0
    guard plainCount > 0 else { throw .badFileSize(source.count) }
    guard
      let region = mmap(
        nil, plainCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
        0), region != MAP_FAILED
    else { throw .system(.map, errno) }
    guard let context = EVP_CIPHER_CTX_new() else {
      munmap(region, plainCount)
      throw .system(.map, ENOMEM)
    }
    self.source = source
    self.key = key
    self.context = context
    plain = UnsafeMutableRawBufferPointer(start: region, count: plainCount)
    pageCount = plainCount / PageCipher.pageByteCount
    isDecrypted = .allocate(capacity: pageCount)
    isDecrypted.initialize(repeating: false, count: pageCount)
  }

  deinit {
    EVP_CIPHER_CTX_free(context)
    munmap(plain.baseAddress, plain.count)
    isDecrypted.deallocate()
  }

  /// Makes the plaintext of a range readable.
  ///
  /// - Throws: `damagedPage` (or `wrongKey` for the first page) if a page does not verify.
  /// - Precondition: the range lies inside `plain`.
  @inline(__always)
  func decrypt(from offset: Int, byteCount: Int) throws(StorageError) {
    guard byteCount > 0 else { return }
    let last = (offset &+ byteCount &- 1) / PageCipher.pageByteCount
    var page = offset / PageCipher.pageByteCount
    precondition(last < pageCount)
    while page <= last {
      if !isDecrypted[page] { try decryptPage(page) }
      page &+= 1
    }
  }

  /// Whether page 0 on disk still decrypts to what was decrypted before.
  func firstPageIsUnchanged(headerByteCount: Int) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: PageCipher.pageByteCount, alignment: 16) { buffer in
      guard let target = buffer.baseAddress, let start = plain.baseAddress,
        (try? decryptPage(0, into: target)) != nil
      else { return false }
      return memcmp(target, start, headerByteCount) == 0
    }
  }

  /// Page numbers below `limit` bytes that were written but do not verify.
  func damagedPages(limit: Int) -> [Int] {
    let pages = min(pageCount, (limit + PageCipher.pageByteCount - 1) / PageCipher.pageByteCount)
    return (0..<pages).filter { page in
      guard !isDecrypted[page], let start = source.baseAddress else { return false }
      let block = page / PageCipher.pagesPerBlock
      let entry =
        block * (PageCipher.pagesPerBlock + 1) * PageCipher.pageByteCount
        + page % PageCipher.pagesPerBlock * PageCipher.entryByteCount
      guard start.loadUnaligned(fromByteOffset: entry, as: UInt32.self) != 0 else { return false }
      return (try? decryptPage(page)) == nil
    }
  }

  @inline(never)
  private func decryptPage(_ page: Int) throws(StorageError) {
    guard let start = plain.baseAddress else { return }
    try decryptPage(page, into: start + page * PageCipher.pageByteCount)
    isDecrypted[page] = true
  }

  private func decryptPage(
    _ page: Int, into target: UnsafeMutableRawPointer
  ) throws(StorageError) {
    let size = PageCipher.pageByteCount
    let block = page / PageCipher.pagesPerBlock
    let slot = page % PageCipher.pagesPerBlock
    let entryOffset =
      block * (PageCipher.pagesPerBlock + 1) * size + slot * PageCipher.entryByteCount
    let pageOffset = (page + block + 1) * size
    guard let start = source.baseAddress, pageOffset + size <= source.count else {
      throw .damagedPage(page)
    }
    let entry = start + entryOffset
    let newest = entry.loadUnaligned(as: UInt32.self)
    let previous = entry.loadUnaligned(fromByteOffset: 32, as: UInt32.self)
    // A page that was never written holds no node.
    guard newest != 0 else { throw page == 0 ? .wrongKey : .damagedPage(page) }
    let ciphertext = start + pageOffset
    var counter = newest
    switch verify(ciphertext, entry: entry, previous: previous) {
    case .newest: break
    case .previous: counter = previous
    case .none: throw page == 0 ? .wrongKey : .damagedPage(page)
    }
    guard decipher(ciphertext, counter: counter, offset: page * size, into: target) else {
      throw .damagedPage(page)
    }
  }

  private enum Match { case newest, previous, none }

  /// Which of the two entries a page of ciphertext fits.
  private func verify(_ page: UnsafeRawPointer, entry: UnsafeRawPointer, previous: UInt32) -> Match
  {
    let size = PageCipher.hmacByteCount
    return withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { buffer in
      let digest = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
      var length: UInt32 = 0
      guard
        HMAC(
          EVP_sha224(), key.bytes + 32, 32, page.assumingMemoryBound(to: UInt8.self),
          PageCipher.pageByteCount, digest, &length) != nil, let digest
      else { return .none }
      if memcmp(digest, entry + 4, size) == 0 { return .newest }
      if previous != 0, memcmp(digest, entry + 36, size) == 0 { return .previous }
      return .none
    }
  }

  private func decipher(
    _ page: UnsafeRawPointer, counter: UInt32, offset: Int, into target: UnsafeMutableRawPointer
  ) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { vector in
      vector.storeBytes(of: counter, as: UInt32.self)
      vector.storeBytes(of: UInt64(offset), toByteOffset: 4, as: UInt64.self)
      vector.storeBytes(of: 0, toByteOffset: 12, as: UInt32.self)
      var length: Int32 = 0
      return EVP_DecryptInit_ex(
        context, EVP_aes_256_cbc(), nil, key.bytes,
        vector.baseAddress?.assumingMemoryBound(to: UInt8.self)) == 1
        && EVP_CIPHER_CTX_set_padding(context, 0) == 1
        && EVP_DecryptUpdate(
          context, target.assumingMemoryBound(to: UInt8.self), &length,
          page.assumingMemoryBound(to: UInt8.self), Int32(PageCipher.pageByteCount)) == 1
    }
  }
}
