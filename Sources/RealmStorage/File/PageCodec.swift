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
  private let context: OpaquePointer

  /// Prepares the use of a key.
  ///
  /// - Throws: `system` if memory is short.
  init(_ key: EncryptionKey) throws(StorageError) {
    guard let context = EVP_CIPHER_CTX_new() else { throw .system(.map, ENOMEM) }
    (self.key, self.context) = (key, context)
  }

  deinit { EVP_CIPHER_CTX_free(context) }

  /// The HMAC of a page of ciphertext, without a counter.
  ///
  /// - Throws: `system` if the library fails.
  func code(of page: UnsafeRawPointer) throws(StorageError) -> PageEntry.Encryption {
    var result = PageEntry.Encryption.none
    let isDone = withUnsafeMutableBytes(of: &result.words) { bytes in
      guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
      var length: UInt32 = 0
      return HMAC(
        EVP_sha224(), key.bytes + 32, 32, page.assumingMemoryBound(to: UInt8.self),
        PageLayout.pageByteCount, start + 4, &length) != nil
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
      return EVP_DecryptInit_ex(context, EVP_aes_256_cbc(), nil, key.bytes, vector) == 1
        && EVP_CIPHER_CTX_set_padding(context, 0) == 1
        && EVP_DecryptUpdate(
          context, target.assumingMemoryBound(to: UInt8.self), &length,
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
        return EVP_EncryptInit_ex(context, EVP_aes_256_cbc(), nil, key.bytes, vector) == 1
          && EVP_CIPHER_CTX_set_padding(context, 0) == 1
          && EVP_EncryptUpdate(
            context, target.assumingMemoryBound(to: UInt8.self), &length,
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
