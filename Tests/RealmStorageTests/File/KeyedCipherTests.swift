import Testing

@testable import RealmStorage

/// The algorithms of encrypted pages, against published vectors and against each other.
@Suite struct KeyedCipherTests {
  private func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.compactMap { $0.hexDigitValue.map(UInt8.init) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  /// Source: NIST SP 800-38A, F.2.5 and F.2.6.
  @Test func encryptsAndDecryptsThePublishedBlocks() {
    let key = bytes("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
    let vector = bytes("000102030405060708090a0b0c0d0e0f")
    let plain = bytes(
      """
      6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
      30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710
      """)
    let secret = bytes(
      """
      f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d\
      39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b
      """)
    let cipher = KeyedCipher(key: key)
    var result = [UInt8](repeating: 0, count: 64)
    cipher.encrypt(plain, into: &result, byteCount: 64, vector: vector)
    #expect(result == secret)
    cipher.decrypt(secret, into: &result, byteCount: 64, vector: vector)
    #expect(result == plain)
  }

  @Test func processorAndLibraryAgree() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<100 {
      let key = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
      let vector = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
      let page = (0..<4096).map { _ in UInt8.random(in: 0...255, using: &random) }
      let cipher = KeyedCipher(key: key)
      let library = LibraryCipher(key: key)
      var (ours, theirs) = (page, page)
      cipher.encrypt(page, into: &ours, byteCount: 4096, vector: vector)
      library.encrypt(page, into: &theirs, byteCount: 4096, vector: vector)
      #expect(ours == theirs)
      ours.withUnsafeMutableBytes { bytes in
        guard let start = bytes.baseAddress else { return }
        cipher.decrypt(start, into: start, byteCount: 4096, vector: vector)
      }
      #expect(ours == page)
      library.decrypt(theirs, into: &ours, byteCount: 4096, vector: vector)
      #expect(ours == page)
    }
  }

  /// HMAC-SHA-224 of a key of 32 bytes, by another implementation.
  @Test func authenticates() {
    let authenticator = PageAuthenticator(key: (0..<32).map { UInt8($0) })
    var code = [UInt8](repeating: 0, count: 28)
    let page = (0..<4096).map { UInt8(truncatingIfNeeded: $0 * 7) }
    authenticator.authenticate(page, page.count, into: &code)
    #expect(code == bytes("a82b607ed0d2e1e6d93a515d735275bbaa259c1e589e3bd3e6e9b842"))
    authenticator.authenticate(page, 0, into: &code)
    #expect(code == bytes("2a7430f93bb5456d155c654063c7074aa70c01936a6c0e53a9f9407f"))
  }
}
