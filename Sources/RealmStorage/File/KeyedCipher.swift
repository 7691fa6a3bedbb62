import ByteKernels
import CLibCrypto
import CLinux

/// AES-256-CBC without padding, by the instructions of the processor or else by libcrypto.
struct KeyedCipher: ~Copyable {
  #if arch(x86_64)
    private let instructions: BlockCipher?
  #endif
  private let library: LibraryCipher?

  /// Prepares the use of a key of 32 bytes.
  init(key: UnsafePointer<UInt8>) {
    #if arch(x86_64)
      let isInHardware = BlockCipher.isAvailable
      instructions = isInHardware ? BlockCipher(key: key) : nil
    #else
      let isInHardware = false
    #endif
    library = isInHardware ? nil : LibraryCipher(key: key)
  }

  /// Encrypts whole blocks.
  ///
  /// - Parameter vector: 16 bytes.
  func encrypt(
    _ source: UnsafeRawPointer, into target: UnsafeMutableRawPointer, byteCount: Int,
    vector: UnsafeRawPointer
  ) {
    #if arch(x86_64)
      instructions?.encrypt(source, into: target, byteCount: byteCount, vector: vector)
    #endif
    library?.encrypt(source, into: target, byteCount: byteCount, vector: vector)
  }

  /// Decrypts what `encrypt` made.
  func decrypt(
    _ source: UnsafeRawPointer, into target: UnsafeMutableRawPointer, byteCount: Int,
    vector: UnsafeRawPointer
  ) {
    #if arch(x86_64)
      instructions?.decrypt(source, into: target, byteCount: byteCount, vector: vector)
    #endif
    library?.decrypt(source, into: target, byteCount: byteCount, vector: vector)
  }
}

/// AES-256-CBC by libcrypto, for processors without instructions for it.
struct LibraryCipher: ~Copyable {
  /// The schedules of encryption and of decryption.
  private let keys: UnsafeMutablePointer<AES_KEY>

  /// Prepares the use of a key of 32 bytes.
  init(key: UnsafePointer<UInt8>) {
    keys = .allocate(capacity: 2)
    keys.initialize(repeating: AES_KEY(), count: 2)
    AES_set_encrypt_key(key, 256, keys)
    AES_set_decrypt_key(key, 256, keys + 1)
  }

  deinit {
    explicit_bzero(keys, 2 * MemoryLayout<AES_KEY>.stride)
    keys.deallocate()
  }

  /// Encrypts whole blocks.
  ///
  /// - Parameter vector: 16 bytes.
  func encrypt(
    _ source: UnsafeRawPointer, into target: UnsafeMutableRawPointer, byteCount: Int,
    vector: UnsafeRawPointer
  ) {
    run(keys, AES_ENCRYPT, source, into: target, byteCount: byteCount, vector: vector)
  }

  /// Decrypts what `encrypt` made.
  func decrypt(
    _ source: UnsafeRawPointer, into target: UnsafeMutableRawPointer, byteCount: Int,
    vector: UnsafeRawPointer
  ) {
    run(keys + 1, AES_DECRYPT, source, into: target, byteCount: byteCount, vector: vector)
  }

  private func run(
    _ key: UnsafePointer<AES_KEY>, _ direction: Int32, _ source: UnsafeRawPointer,
    into target: UnsafeMutableRawPointer, byteCount: Int, vector: UnsafeRawPointer
  ) {
    // The function leaves the vector for the next call there.
    withUnsafeTemporaryAllocation(byteCount: 16, alignment: 16) { copy in
      copy.copyMemory(from: UnsafeRawBufferPointer(start: vector, count: 16))
      AES_cbc_encrypt(
        source.assumingMemoryBound(to: UInt8.self), target.assumingMemoryBound(to: UInt8.self),
        byteCount, key, copy.baseAddress?.assumingMemoryBound(to: UInt8.self), direction)
    }
  }
}

/// HMAC-SHA-224. Source: RFC 2104.
struct PageAuthenticator: ~Copyable {
  private static let blockByteCount = Int(SHA256_CBLOCK)
  /// The states after the padded key, of the inner and of the outer hash.
  private let states: UnsafeMutablePointer<SHA256_CTX>

  /// Prepares the use of a key of 32 bytes.
  init(key: UnsafePointer<UInt8>) {
    states = .allocate(capacity: 2)
    states.initialize(repeating: SHA256_CTX(), count: 2)
    let paddings: [UInt8] = [0x36, 0x5C]
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.blockByteCount) { block in
      for (index, padding) in paddings.enumerated() {
        for place in block.indices { block[place] = (place < 32 ? key[place] : 0) ^ padding }
        SHA224_Init(states + index)
        SHA224_Update(states + index, block.baseAddress, block.count)
      }
      block.update(repeating: 0)
    }
  }

  deinit {
    explicit_bzero(states, 2 * MemoryLayout<SHA256_CTX>.stride)
    states.deallocate()
  }

  /// Stores the 28 bytes of the code of `byteCount` bytes.
  func authenticate(
    _ source: UnsafeRawPointer, _ byteCount: Int, into target: UnsafeMutableRawPointer
  ) {
    let code = target.assumingMemoryBound(to: UInt8.self)
    var (inner, outer) = (states[0], states[1])
    SHA224_Update(&inner, source, byteCount)
    SHA224_Final(code, &inner)
    SHA224_Update(&outer, code, Int(SHA224_DIGEST_LENGTH))
    SHA224_Final(code, &outer)
  }
}
