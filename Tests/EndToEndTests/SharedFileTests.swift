import Glibc
import TestSupport
import Testing

/// The program beside a process whose session it cannot take part in.
struct SharedFileTests {
  private let folder = TemporaryFolder()

  init() {
    let statement = "class T { id: int primary }; add T {id: 1}"
    #expect(Realmsh.run("--create", "x.realm", statement, folder: folder.path).status == 0)
  }

  /// A complete lock file, with other bytes in some places.
  private func lockFile(_ changes: [Int: UInt8]) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 1728)
    for (offset, byte) in [0: 1, 1: 40, 2: 48, 4: 24, 5: 2, 6: 14, 44: 1] as [Int: UInt8] {
      bytes[offset] = byte
    }
    for (offset, byte) in changes { bytes[offset] = byte }
    return bytes
  }

  private func ownName() -> String {
    String(Files.readText("/proc/self/comm").split(separator: "\n").first ?? "")
  }

  /// Reading goes on; writing is refused with the name of who has the file open.
  @Test(
    arguments: [
      ([6: 13], "generation of the lock file 13, expected 14"),
      ([1: 48], "size of a mutex 48, expected 40"),
      ([:], "kind of a mutex 0"),
    ] as [([Int: UInt8], String)])
  func readsBesideAnotherSession(_ changes: [Int: UInt8], _ reason: String) throws {
    folder.write(lockFile(changes), to: "x.realm.lock")
    let descriptor = open(folder.file("x.realm.lock"), O_RDWR | O_CLOEXEC)
    try #require(descriptor >= 0 && flock(descriptor, LOCK_SH) == 0)
    defer { close(descriptor) }
    let result = Realmsh.run(
      "x.realm", "count T", "add T {id: 2}", "--keep-going", folder: folder.path)
    #expect(result.status == 1)
    #expect(result.outputText.hasPrefix("1\n"))
    let holder = "process \(getpid()) (\(ownName())) has it open"
    #expect(result.errorText.contains(holder), "\(result.errorText)")
    #expect(result.errorText.contains(reason), "\(result.errorText)")
    let after = Realmsh.run("x.realm", "count T", folder: folder.path)
    #expect(after.outputText == "1\n")
  }

  /// When the other process has gone, the lock file is made anew.
  @Test func writesAfterwards() {
    folder.write(lockFile([6: 13]), to: "x.realm.lock")
    let result = Realmsh.run("x.realm", "add T {id: 2}", "count T", folder: folder.path)
    #expect(result.status == 0)
    #expect(result.outputText.hasSuffix("2\n"))
  }
}
