import Glibc
import RealmValues
import TestSupport
import Testing

@testable import RealmStorage

/// Pages of an encrypted file, and databases in one.
struct EncryptedFileTests {
  /// The bytes 0, 1, 2, … 63.
  static func key() -> EncryptionKey? {
    (0..<64).map { UInt8($0) }.withUnsafeBytes { EncryptionKey($0) }
  }

  private static func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = Array(hexadecimal.filter { $0 != " " })
    return stride(from: 0, to: digits.count, by: 2).map {
      UInt8(String(digits[$0...($0 + 1)]), radix: 16) ?? 0
    }
  }

  /// Source: file-format-writing.md 7.11.
  @Test func pagesAreThoseOfTheExample() throws {
    let folder = TemporaryFolder()
    let path = folder.file("a.realm")
    do { _ = try Database.create(path: path, key: Self.key()) }
    let code = Self.bytes("f40d4c683e491123f69139505f94 ffd30036a156a30b2a5b74cba2e6")
    var file = Files.read(path)
    #expect(file.count == 8192)
    #expect(Array(file[0..<64]) == [1, 0, 0, 0] + code + [UInt8](repeating: 0, count: 32))
    #expect(
      Array(file[4096..<4128])
        == Self.bytes(
          "c7b519846a11411cd6ac07cb03f801a8 bc7a07c297c755f655544bec4d7c7f5a"))
    let header: [UInt8] = [UInt8](repeating: 0, count: 16) + Array("T-DB".utf8) + [0, 0, 0, 0]
    let backend = EncryptedFile(try DiskFile(path: path), key: try #require(Self.key()))
    try header.withUnsafeBytes { try backend.write($0, at: 0) }
    try backend.sync()
    file = Files.read(path)
    let second = Self.bytes("91d80113810e58e5226ac48e085b 3c2e3b6cb20475e4af7864136462")
    #expect(Array(file[0..<64]) == [2, 0, 0, 0] + second + [1, 0, 0, 0] + code)
    #expect(
      Array(file[4096..<4128])
        == Self.bytes("4ef4b88beb d54953c37ffaf66efaca7b a997843f374d026f5e9a48faa26213b5"))
    let page = [UInt8](repeating: 0xA5, count: 4096)
    try page.withUnsafeBytes { try backend.write($0, at: 0x40000) }
    try backend.sync()
    file = Files.read(path)
    #expect(file.count == 274_432)
    #expect(
      Array(file[270_336..<270_368])
        == Self.bytes(
          "44be78c6a40cb19557f76c65afe4e782 dab530f570b83896e2146645739b948c"))
  }

  @Test(arguments: [
    (4096, 8192), (8192, 12288), (258_048, 262_144), (262_144, 270_336), (266_240, 274_432),
    (524_288, 536_576),
  ])
  func sizes(plain: Int, file: Int) {
    #expect(PageLayout.fileByteCount(ofPlain: plain) == file)
    #expect(PageLayout.plainByteCount(ofFile: file) == plain)
  }

  @Test func aPageWhoseWritingWasInterruptedKeepsItsContent() throws {
    let folder = TemporaryFolder()
    let path = folder.file("a.realm")
    let key = try #require(Self.key())
    let backend = EncryptedFile(try DiskFile(path: path, creating: true), key: key)
    try write("first", backend)
    let first = Files.read(path)
    try write("second", backend)
    var torn = Files.read(path)
    torn.replaceSubrange(4096..<8192, with: first[4096..<8192])
    Files.write(torn, to: path)
    try write("XX", backend, at: 3)
    let cipher = try Files.read(path).withUnsafeBytes { bytes in
      let cipher = try PageCipher(source: bytes, key: key)
      try cipher.decrypt(from: 0, byteCount: 8)
      return Array(cipher.plain.prefix(5))
    }
    #expect(cipher == Array("firXX".utf8))
  }

  private func write(_ text: String, _ file: EncryptedFile, at offset: Int = 0) throws {
    try Array(text.utf8).withUnsafeBytes { try file.write($0, at: offset) }
    try file.sync()
  }

  @Test func graphsStayConsistent() throws {
    let file = try WrittenFile(key: Self.key())
    let graph = try file.write { try RandomGraph($0, seed: 1) }
    for _ in 0..<10 {
      try file.write { transaction in
        for _ in 0..<60 { try graph.change(transaction) }
        try graph.compare(with: try transaction.snapshot())
      }
      try graph.compare(with: try file.snapshot())
    }
  }

  /// A reader of realm-core that looked between the writing of an entry and of its page takes the
  /// old page for the new one until the entry changes again.
  @Test func entriesTellOneEncryptionAfterACommit() throws {
    let folder = TemporaryFolder()
    let path = folder.file("a.realm")
    let database = try Database.create(path: path, key: Self.key())
    for number in 0..<4 {
      let transaction = try database.beginWrite()
      _ = try transaction.createTable("class_T\(number)")
      try transaction.commit()
      let (newest, previous) = Files.read(path).withUnsafeBytes { bytes in
        (
          bytes.loadUnaligned(as: UInt32.self),
          (0..<PageLayout.pagesPerBlock).map { page in
            bytes.loadUnaligned(
              fromByteOffset: PageLayout.offset(ofEntry: page) + 32, as: UInt32.self)
          }
        )
      }
      #expect(newest > 1)
      #expect(previous.allSatisfy { $0 == 0 })
    }
    withExtendedLifetime(database) {}
  }

  @Test func aKeyIsIgnoredForAPlainFile() throws {
    let folder = TemporaryFolder()
    let path = folder.file("a.realm")
    do { _ = try Database.create(path: path) }
    let database = try Database(path: path, key: Self.key())
    try database.beginWrite().commit()
    #expect(try RealmFile(path: path, key: nil).isEncrypted == false)
  }

  @Test func otherKeysAreRefused() throws {
    let folder = TemporaryFolder()
    let path = folder.file("a.realm")
    do { _ = try Database.create(path: path, key: Self.key()) }
    let other = [UInt8](repeating: 7, count: 64).withUnsafeBytes { EncryptionKey($0) }
    #expect(throws: StorageError.wrongKey) {
      try Database(path: path, key: other)
    }
    #expect(throws: StorageError.noKey) { try Database(path: path) }
  }
}
