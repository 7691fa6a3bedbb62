import CLibCrypto
import Glibc

/// The 64 bytes that encrypt a file: 32 for AES-256, 32 for HMAC-SHA-224.
///
/// The bytes are wiped when the last reference goes.
public final class EncryptionKey: @unchecked Sendable {  // Reason: only `init` writes the bytes.
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

  /// Makes a key of random bytes.
  ///
  /// - Throws: `system` if the system has none.
  public static func random() throws(StorageError) -> EncryptionKey {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    defer { bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) } }
    guard bytes.withUnsafeMutableBytes({ getentropy($0.baseAddress, $0.count) }) == 0 else {
      throw .system(.read, errno)
    }
    return EncryptionKey(copying: bytes)
  }

  /// The first bytes of a file; nil if they cannot be read.
  convenience init?(readFrom descriptor: Int32) {
    var bytes = [UInt8](repeating: 0, count: EncryptionKey.byteCount)
    defer { bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) } }
    guard
      bytes.withUnsafeMutableBytes({ pread(descriptor, $0.baseAddress, $0.count, 0) })
        == bytes.count
    else { return nil }
    self.init(copying: bytes)
  }

  private init(copying source: [UInt8]) {
    bytes = .allocate(capacity: EncryptionKey.byteCount)
    bytes.initialize(from: source, count: EncryptionKey.byteCount)
  }

  /// Calls `body` with the bytes, which must not be kept.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    body(UnsafeRawBufferPointer(start: bytes, count: EncryptionKey.byteCount))
  }

  deinit {
    OPENSSL_cleanse(bytes, EncryptionKey.byteCount)
    bytes.deallocate()
  }
}

/// Where the pages of an encrypted file are.
///
/// The plaintext is cut into pages of 4096 bytes; 64 pages form a block, and each block is preceded
/// by a page with 64 entries, one for each page.
///
/// Source: file-format-writing.md 7.2.
enum PageLayout {
  static let pageByteCount = 4096
  static let pagesPerBlock = 64
  static let entryByteCount = 64

  /// File offset of the ciphertext of a page.
  static func offset(ofPage page: Int) -> Int {
    (page + page / pagesPerBlock + 1) * pageByteCount
  }

  /// File offset of the entry of a page.
  static func offset(ofEntry page: Int) -> Int {
    page / pagesPerBlock * (pagesPerBlock + 1) * pageByteCount
      + page % pagesPerBlock * entryByteCount
  }

  /// Byte count of the plaintext of an encrypted file.
  static func plainByteCount(ofFile byteCount: Int) -> Int {
    let pages = byteCount / pageByteCount
    return (pages - (pages + pagesPerBlock) / (pagesPerBlock + 1)) * pageByteCount
  }

  /// Byte count of the file for a plaintext, which is rounded up to whole pages.
  static func fileByteCount(ofPlain byteCount: Int) -> Int {
    let pages = (byteCount + pageByteCount - 1) / pageByteCount
    return (pages + pages / pagesPerBlock + 1) * pageByteCount
  }
}

/// What the file says about one encrypted page.
///
///     offset  size  meaning
///          0    32  the newest encryption
///         32    32  the encryption before
///
/// Source: file-format-writing.md 7.3.
struct PageEntry {
  /// One encryption: a counter (0 if there is none), and HMAC-SHA-224 of the ciphertext.
  struct Encryption {
    /// The 32 bytes: counter in the first four, then the HMAC.
    var words: (UInt64, UInt64, UInt64, UInt64)

    static let none = Encryption(words: (0, 0, 0, 0))

    var counter: UInt32 {
      get { UInt32(truncatingIfNeeded: words.0) }
      set { words.0 = words.0 & ~0xFFFF_FFFF | UInt64(newValue) }
    }

    func hasSameCode(as other: Encryption) -> Bool {
      words.0 >> 32 == other.words.0 >> 32 && words.1 == other.words.1
        && words.2 == other.words.2 && words.3 == other.words.3
    }
  }

  var newest: Encryption
  var previous: Encryption

  /// The entry of a page that was never written.
  static let none = PageEntry(newest: .none, previous: .none)

  /// Whether the page was never written.
  var isUnused: Bool { newest.counter == 0 }

  /// Whether a writer can have made it.
  var isPlausible: Bool {
    let (words, counter) = (newest.words, newest.counter)
    if counter == 0 { return words.1 | words.2 | words.3 == 0 && previous.counter == 0 }
    // A writer that gave up a page takes the pair before for the newest.
    return previous.counter <= counter || previous.counter == .max
  }

  /// Which encryption a page of ciphertext is; nil if it is none of both.
  func encryption(withCode code: Encryption) -> Encryption? {
    if !isUnused, newest.hasSameCode(as: code) { return newest }
    return previous.counter != 0 && previous.hasSameCode(as: code) ? previous : nil
  }
}

/// Encrypts and decrypts single pages: AES-256-CBC, with a vector of the counter of the entry, the
/// plaintext offset (8 bytes) and zeros; HMAC-SHA-224 of the ciphertext.
///
/// Source: file-format-writing.md 7.4.
final class PageCodec {
  // Made once: to prepare a key takes as long as to decrypt a page.
  private var decryption = AES_KEY()
  private var encryption = AES_KEY()
  private var authentication: MessageAuthentication

  init(_ key: EncryptionKey) {
    prepare_decryption(key.bytes, 256, &decryption)
    prepare_encryption(key.bytes, 256, &encryption)
    authentication = MessageAuthentication(key: key.bytes + 32, byteCount: 32)
  }

  deinit {
    OPENSSL_cleanse(&decryption, MemoryLayout<AES_KEY>.size)
    OPENSSL_cleanse(&encryption, MemoryLayout<AES_KEY>.size)
    OPENSSL_cleanse(&authentication, MemoryLayout<MessageAuthentication>.size)
  }

  /// The HMAC of a page of ciphertext, without a counter.
  func code(of page: UnsafeRawPointer) -> PageEntry.Encryption {
    var result = PageEntry.Encryption.none
    withUnsafeMutableBytes(of: &result.words) { bytes in
      authentication.authenticate(
        UnsafeRawBufferPointer(start: page, count: PageLayout.pageByteCount),
        into: UnsafeMutableRawBufferPointer(rebasing: bytes[4...]))
    }
    return result
  }

  /// Decrypts the page at a plaintext offset.
  func decipher(
    _ page: UnsafeRawPointer, counter: UInt32, offset: Int, into target: UnsafeMutableRawPointer
  ) {
    PageCodec.applyCBC(AES_DECRYPT, &decryption, page, counter, offset, target)
  }

  /// Encrypts the page at a plaintext offset.
  ///
  /// - Parameter current: The encryption of the page that the file holds.
  /// - Returns: the entry that goes with the ciphertext.
  func encipher(
    _ page: UnsafeRawPointer, offset: Int, after current: PageEntry.Encryption,
    into target: UnsafeMutableRawPointer
  ) -> PageEntry {
    var counter = current.counter
    while true {
      counter = counter == .max ? 1 : counter + 1
      PageCodec.applyCBC(AES_ENCRYPT, &encryption, page, counter, offset, target)
      var newest = code(of: target)
      newest.counter = counter
      // Two encryptions with the same code could not be told apart.
      if newest.hasSameCode(as: current) { continue }
      return PageEntry(newest: newest, previous: current)
    }
  }

  private static func applyCBC(
    _ mode: Int32, _ key: inout AES_KEY, _ page: UnsafeRawPointer, _ counter: UInt32,
    _ offset: Int, _ target: UnsafeMutableRawPointer
  ) {
    withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { vector in
      vector.storeBytes(of: counter, as: UInt32.self)
      vector.storeBytes(of: UInt64(offset), toByteOffset: 4, as: UInt64.self)
      vector.storeBytes(of: 0, toByteOffset: 12, as: UInt32.self)
      apply_cbc(
        page.assumingMemoryBound(to: UInt8.self), target.assumingMemoryBound(to: UInt8.self),
        PageLayout.pageByteCount, &key, vector.baseAddress?.assumingMemoryBound(to: UInt8.self),
        mode)
    }
  }
}

/// HMAC-SHA-224 with a key of at most 64 bytes, whose two padded blocks are hashed once.
///
/// Source: RFC 2104.
private struct MessageAuthentication {
  private var inner = SHA256_CTX()
  private var outer = SHA256_CTX()

  init(key: UnsafePointer<UInt8>, byteCount: Int) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(SHA256_CBLOCK)) { block in
      func start(_ context: inout SHA256_CTX, padding: UInt8) {
        for i in block.indices { block[i] = padding ^ (i < byteCount ? key[i] : 0) }
        SHA224_Init(&context)
        SHA224_Update(&context, block.baseAddress, block.count)
      }
      start(&inner, padding: 0x36)
      start(&outer, padding: 0x5C)
      OPENSSL_cleanse(block.baseAddress, block.count)
    }
  }

  /// Stores the 28 bytes of the code of a message.
  func authenticate(_ message: UnsafeRawBufferPointer, into code: UnsafeMutableRawBufferPointer) {
    precondition(code.count == SHA224_DIGEST_LENGTH)
    let target = code.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var context = inner
    SHA224_Update(&context, message.baseAddress, message.count)
    SHA224_Final(target, &context)
    context = outer
    SHA224_Update(&context, code.baseAddress, code.count)
    SHA224_Final(target, &context)
  }
}
