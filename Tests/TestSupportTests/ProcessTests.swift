import Glibc
import TestSupport
import Testing

/// The runner of programs, on which all tests of the whole program rely.
struct ProcessTests {
  @Test func inputAndOutputOfAnySizePass() {
    let input = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let result = Process.run("/bin/sh", ["-c", "tee /dev/stderr"], input: input)
    #expect(result.status == 0)
    #expect(result.output == input)
    #expect(result.errors == input)
  }

  @Test func theEndIsReported() {
    #expect(Process.run("/bin/sh", ["-c", "exit 7"]).status == 7)
    #expect(Process.run("/bin/sh", ["-c", "kill -TERM $$"]).status == 143)
    // A program that does not read its input.
    let input = [UInt8](repeating: 0, count: 1_000_000)
    #expect(Process.run("/bin/sh", ["-c", "exit 0"], input: input).status == 0)
  }

  @Test func aProgramThatTakesTooLongIsKilled() {
    let result = Process.run("/bin/sh", ["-c", "echo a; exec sleep 60"], timeoutSeconds: 0.2)
    #expect(result.hasTimedOut)
    #expect(result.status == 128 + SIGKILL)
    #expect(result.outputText == "a\n")
  }

  @Test func environmentAndFolderAreTheOnesGiven() {
    let folder = TemporaryFolder()
    let result = Process.run(
      "/bin/sh", ["-c", "pwd -P; echo $A"], environment: ["A": "b"], folder: folder.path)
    #expect(result.outputText == "\(folder.path)\nb\n")
  }

  @Test func aReadIsNoChangeAndAWriteIsOne() {
    let folder = TemporaryFolder()
    let file = folder.write([1, 2, 3], to: "a")
    let before = FolderSnapshot(of: folder.path)
    _ = Files.read(file)
    #expect(before.differences(to: FolderSnapshot(of: folder.path)) == [])
    folder.write([1, 2, 4], to: "a")
    folder.write([], to: "b")
    let differences = before.differences(to: FolderSnapshot(of: folder.path))
    #expect(differences.contains("b: added"))
    #expect(differences.contains { $0.hasPrefix("a: ") })
  }
}
