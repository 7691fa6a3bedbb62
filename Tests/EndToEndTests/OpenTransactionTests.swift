import TestSupport
import Testing

/// What looks at the file, or at versions, while a write transaction is open or just dropped.
struct OpenTransactionTests {
  private let folder = TemporaryFolder()

  private func run(_ script: String) -> Process.Result {
    Realmsh.run(
      ["--create", "t.realm"], input: "class A { n: int }\n" + script, folder: folder.path)
  }

  @Test func theFileIsCheckedWithoutTheOpenTransaction() {
    let result = run("add A {n: 1}\nbegin; add A {n: 2}; check deep; commit; check deep\n")
    #expect(result.status == 0)
    #expect(result.outputText.contains("checked 1 class, 1 object"))
    #expect(result.outputText.contains("checked 1 class, 2 objects"))
  }

  @Test func observersOutliveAnInvalidation() {
    let result = run(
      "add A {n: 1}\nobserve A values none\nbegin; add A {n: 2}; invalidate\nadd A {n: 3}\n")
    #expect(result.status == 0)
    #expect(result.outputText.contains("2 objects (+1)"))
  }

  @Test func waitingForATimeEndsWell() {
    #expect(run("wait 20ms\nobserve A\nwait 20ms timeout 1s\n").status == 0)
    let late = run("wait 1s timeout 20ms\n")
    #expect(late.status == 1)
    #expect(late.errorText.contains("[Timeout]"))
  }
}
