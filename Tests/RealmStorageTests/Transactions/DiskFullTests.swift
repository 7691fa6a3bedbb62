import Glibc
import TestSupport
import Testing

@testable import RealmStorage

/// A limit of the operating system on the size of files, met in the middle of commits.
struct DiskFullTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("x.realm") }

  private func fileByteCount() -> Int { Files.read(path).count }

  /// A pinned version keeps space from being reused, so that the file has to grow.
  @Test(arguments: [false, true])
  func fullDiskEndsTheTransactionOnly(isEncrypted: Bool) throws {
    let reader = Participant(path)
    let writer = Participant(path)
    let key = "key k"
    for one in [reader, writer] where isEncrypted { #expect(one(key) == "ok") }
    #expect(writer("create") == "ok")
    #expect(writer("prepare") == "ok")
    #expect(reader("open") == "ok")
    for _ in 0..<4 {
      #expect(reader("keep") == "ok")
      #expect(writer("limit \(fileByteCount() + 12_288)") == "ok")
      var value = Int(writer("see")) ?? -1
      var answer = "ok"
      var commitCount = 0
      while answer == "ok", commitCount < 10_000 {
        answer = writer("raise-all 1")
        if answer == "ok" { value += 1 }
        commitCount += 1
      }
      #expect(answer.contains("system") && answer.contains("\(EFBIG)"))
      // The file is as it was, for both, and there is no lock left.
      #expect(writer("see") == "\(value)")
      #expect(reader("see") == "\(value)")
      #expect(reader("raise-all 1") == "ok")
      #expect(writer("limit") == "ok")
      #expect(writer("raise-all 1") == "ok")
      #expect(reader("see") == "\(value + 2)")
      #expect(reader("drop") == "ok")
    }
    let encryptionKey =
      isEncrypted
      ? [UInt8](repeating: UInt8(ascii: "k"), count: 64).withUnsafeBytes { EncryptionKey($0) } : nil
    let snapshot = try Snapshot(of: try RealmFile(path: path, key: encryptionKey))
    #expect(FileChecker.check(snapshot, depth: .deep).isGood)
  }
}
