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
  private let key: EncryptionKey
  /// Made once: to prepare a key takes as long as to decrypt a page.
  private let decryption: OpaquePointer
  private let encryption: OpaquePointer
  private let authentication: OpaquePointer

  /// Prepares the use of a key.
  ///
  /// - Throws: `system` if memory is short.
  init(_ key: EncryptionKey) throws(StorageError) {
    self.key = key
    let (first, second) = (EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_new())
    let third = PageCodec.makeAuthentication(key)
    guard let first, let second, let third,
      EVP_DecryptInit_ex(first, EVP_aes_256_cbc(), nil, key.bytes, nil) == 1,
      EVP_EncryptInit_ex(second, EVP_aes_256_cbc(), nil, key.bytes, nil) == 1,
      EVP_CIPHER_CTX_set_padding(first, 0) == 1, EVP_CIPHER_CTX_set_padding(second, 0) == 1
    else {
      EVP_CIPHER_CTX_free(first)
      EVP_CIPHER_CTX_free(second)
      EVP_MAC_CTX_free(third)
      throw .system(.map, ENOMEM)
    }
    (decryption, encryption, authentication) = (first, second, third)
  }

  private static func makeAuthentication(_ key: EncryptionKey) -> OpaquePointer? {
    let method = EVP_MAC_fetch(nil, "HMAC", nil)
    // The context keeps the method.
    defer { EVP_MAC_free(method) }
    guard let context = EVP_MAC_CTX_new(method) else { return nil }
    var digest = Array("SHA224".utf8CString)
    let isReady = digest.withUnsafeMutableBufferPointer { digest in
      "digest".withCString { name in
        let parameters = [
          OSSL_PARAM_construct_utf8_string(name, digest.baseAddress, 0),
          OSSL_PARAM_construct_end(),
        ]
        return EVP_MAC_init(context, key.bytes + 32, 32, parameters) == 1
      }
    }
    if isReady { return context }
    EVP_MAC_CTX_free(context)
    return nil
  }

  deinit {
    EVP_CIPHER_CTX_free(decryption)
    EVP_CIPHER_CTX_free(encryption)
    EVP_MAC_CTX_free(authentication)
  }

  /// The HMAC of a page of ciphertext, without a counter.
  ///
  /// - Throws: `system` if the library fails.
  func code(of page: UnsafeRawPointer) throws(StorageError) -> PageEntry.Encryption {
    var result = PageEntry.Encryption.none
    let isDone = withUnsafeMutableBytes(of: &result.words) { bytes in
      guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
      var length = 0
      // Without a key it begins anew with the one it has.
      return EVP_MAC_init(authentication, nil, 0, nil) == 1
        && EVP_MAC_update(
          authentication, page.assumingMemoryBound(to: UInt8.self), PageLayout.pageByteCount) == 1
        && EVP_MAC_final(authentication, start + 4, &length, bytes.count - 4) == 1 && length == 28
    }
    guard isDone else { throw .system(.read, ENOMEM) }
    return result
  }

  /// Decrypts the page at a plaintext offset.
  ///
  /// - Throws: `system` if the library fails.
  func decipher(
    _ page: UnsafeRawPointer, counter: UInt32, offset: Int, into target: UnsafeMutableRawPointer
  ) throws(StorageError) {
    let isDone = PageCodec.withVector(counter, offset) { vector in
      var length: Int32 = 0
      return EVP_DecryptInit_ex(decryption, nil, nil, nil, vector) == 1
        && EVP_DecryptUpdate(
          decryption, target.assumingMemoryBound(to: UInt8.self), &length,
          page.assumingMemoryBound(to: UInt8.self), Int32(PageLayout.pageByteCount)) == 1
    }
    guard isDone else { throw .system(.read, ENOMEM) }
  }

  /// Encrypts the page at a plaintext offset.
  ///
  /// - Parameter current: The encryption of the page that the file holds.
  /// - Returns: the entry that goes with the ciphertext.
  /// - Throws: `system` if the library fails.
  func encipher(
    _ page: UnsafeRawPointer, offset: Int, after current: PageEntry.Encryption,
    into target: UnsafeMutableRawPointer
  ) throws(StorageError) -> PageEntry {
    var counter = current.counter
    while true {
      counter = counter == .max ? 1 : counter + 1
      let isDone = PageCodec.withVector(counter, offset) { vector in
        var length: Int32 = 0
        return EVP_EncryptInit_ex(encryption, nil, nil, nil, vector) == 1
          && EVP_EncryptUpdate(
            encryption, target.assumingMemoryBound(to: UInt8.self), &length,
            page.assumingMemoryBound(to: UInt8.self), Int32(PageLayout.pageByteCount)) == 1
      }
      guard isDone else { throw .system(.write, ENOMEM) }
      var newest = try code(of: target)
      newest.counter = counter
      // Two encryptions with the same code could not be told apart.
      if newest.hasSameCode(as: current) { continue }
      return PageEntry(newest: newest, previous: current)
    }
  }

  private static func withVector(
    _ counter: UInt32, _ offset: Int, _ body: (UnsafePointer<UInt8>) -> Bool
  ) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { vector in
      vector.storeBytes(of: counter, as: UInt32.self)
      vector.storeBytes(of: UInt64(offset), toByteOffset: 4, as: UInt64.self)
      vector.storeBytes(of: 0, toByteOffset: 12, as: UInt32.self)
      guard let start = vector.baseAddress else { return false }
      return body(UnsafePointer(start.assumingMemoryBound(to: UInt8.self)))
    }
  }
}
