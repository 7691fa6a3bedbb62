#if arch(x86_64)
  import CLinux
  import _Builtin_intrinsics.intel.aes_pclmul
  import _Builtin_intrinsics.intel.sse2

  /// AES-256 in CBC mode by the instructions that most processors have for it.
  ///
  /// The target is compiled for processors that have them, so ask `isAvailable` first. They take
  /// the same time for every key and text. libcrypto uses them too, but only behind an interface
  /// that links all of its algorithms, 3 MB.
  public struct BlockCipher: ~Copyable {
    private static let rounds = 14
    /// The round keys of encryption, then those of decryption.
    private let keys: UnsafeMutablePointer<__m128i>

    /// Whether this processor has the instructions.
    public static let isAvailable = hasBlockCipherInstructions() != 0

    /// Prepares the use of a key of 32 bytes.
    @inline(never)
    public init(key: UnsafeRawPointer) {
      precondition(Self.isAvailable)
      keys = .allocate(capacity: 2 * (Self.rounds + 1))
      Self.expand(key, into: UnsafeMutableRawPointer(keys))
      let inverse = keys + (Self.rounds + 1)
      inverse[0] = keys[Self.rounds]
      for round in 1..<Self.rounds { inverse[round] = _mm_aesimc_si128(keys[Self.rounds - round]) }
      inverse[Self.rounds] = keys[0]
    }

    deinit {
      explicit_bzero(keys, 2 * (Self.rounds + 1) * MemoryLayout<__m128i>.stride)
      keys.deallocate()
    }

    /// The key schedule of AES-256, 60 words. Source: FIPS 197, 5.2.
    private static func expand(_ key: UnsafeRawPointer, into words: UnsafeMutableRawPointer) {
      func word(_ index: Int) -> UInt32 { words.load(fromByteOffset: index * 4, as: UInt32.self) }
      words.copyMemory(from: key, byteCount: 32)
      var constant: UInt32 = 1
      for index in 8..<4 * (rounds + 1) {
        var next = word(index - 1)
        if index & 7 == 0 {
          next = substituted(next >> 8 | next << 24) ^ constant
          constant <<= 1
        } else if index & 7 == 4 {
          next = substituted(next)
        }
        words.storeBytes(of: word(index - 8) ^ next, toByteOffset: index * 4, as: UInt32.self)
      }
    }

    /// The four bytes through the table of AES. The last round also moves bytes between columns,
    /// which shows nothing where all columns are equal.
    private static func substituted(_ word: UInt32) -> UInt32 {
      let columns = unsafeBitCast(SIMD4(repeating: word), to: __m128i.self)
      let result = _mm_aesenclast_si128(columns, _mm_setzero_si128())
      return unsafeBitCast(result, to: SIMD4<UInt32>.self)[0]
    }

    /// Encrypts whole blocks of 16 bytes, each combined with the one before.
    ///
    /// - Parameter vector: 16 bytes for the first.
    @inline(never)
    public func encrypt(
      _ source: UnsafeRawPointer, into target: UnsafeMutableRawPointer, byteCount: Int,
      vector: UnsafeRawPointer
    ) {
      precondition(byteCount & 15 == 0)
      var block = vector.loadUnaligned(as: __m128i.self)
      for offset in stride(from: 0, to: byteCount, by: 16) {
        block ^= source.loadUnaligned(fromByteOffset: offset, as: __m128i.self) ^ keys[0]
        for round in 1..<Self.rounds { block = _mm_aesenc_si128(block, keys[round]) }
        block = _mm_aesenclast_si128(block, keys[Self.rounds])
        target.storeBytes(of: block, toByteOffset: offset, as: __m128i.self)
      }
    }

    /// Decrypts what `encrypt` made, four blocks at a time: one has to wait for its last round
    /// longer than the processor needs for four.
    @inline(never)
    public func decrypt(
      _ source: UnsafeRawPointer, into target: UnsafeMutableRawPointer, byteCount: Int,
      vector: UnsafeRawPointer
    ) {
      precondition(byteCount & 63 == 0)
      let keys = keys + (Self.rounds + 1)
      var before = vector.loadUnaligned(as: __m128i.self)
      for offset in stride(from: 0, to: byteCount, by: 64) {
        let from = source + offset
        let text0 = from.loadUnaligned(as: __m128i.self)
        let text1 = from.loadUnaligned(fromByteOffset: 16, as: __m128i.self)
        let text2 = from.loadUnaligned(fromByteOffset: 32, as: __m128i.self)
        let text3 = from.loadUnaligned(fromByteOffset: 48, as: __m128i.self)
        var (block0, block1) = (text0 ^ keys[0], text1 ^ keys[0])
        var (block2, block3) = (text2 ^ keys[0], text3 ^ keys[0])
        for round in 1..<Self.rounds {
          let key = keys[round]
          block0 = _mm_aesdec_si128(block0, key)
          block1 = _mm_aesdec_si128(block1, key)
          block2 = _mm_aesdec_si128(block2, key)
          block3 = _mm_aesdec_si128(block3, key)
        }
        let key = keys[Self.rounds]
        let to = target + offset
        to.storeBytes(of: _mm_aesdeclast_si128(block0, key) ^ before, as: __m128i.self)
        block1 = _mm_aesdeclast_si128(block1, key) ^ text0
        block2 = _mm_aesdeclast_si128(block2, key) ^ text1
        block3 = _mm_aesdeclast_si128(block3, key) ^ text2
        to.storeBytes(of: block1, toByteOffset: 16, as: __m128i.self)
        to.storeBytes(of: block2, toByteOffset: 32, as: __m128i.self)
        to.storeBytes(of: block3, toByteOffset: 48, as: __m128i.self)
        before = text3
      }
    }
  }
#endif
