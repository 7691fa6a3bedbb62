import Glibc
import TestSupport
import Testing

/// The program as a writer that is killed, runs out of space or loses its output.
struct WritingProgramTests {
  private let folder = TemporaryFolder()
  private static let schema = "class T { id: int primary, n: int?, s: string indexed, list: int[] }"

  init() {
    #expect(Realmsh.run("--create", "x.realm", Self.schema, folder: folder.path).status == 0)
  }

  /// Runs a command line of the shell in which `$0` is the program.
  private func shell(_ script: String) -> Process.Result {
    Process.run("/bin/sh", ["-c", script, Fixtures.realmsh], folder: folder.path)
  }

  /// What a statement prints.
  private func ask(_ statement: String) -> String {
    let text = Realmsh.run("x.realm", statement, folder: folder.path).outputText
    return String(text.split(separator: "\n").first ?? "")
  }

  private func additions(_ ids: ClosedRange<Int>, text: String = "x") -> String {
    ids.map { "add T {id: \($0), n: \($0), s: \"\(text)\"}\n" }.joined()
  }

  private func checkFile(sourceLocation: SourceLocation = #_sourceLocation) {
    let result = Realmsh.run("x.realm", "check deep", folder: folder.path)
    #expect(result.outputText.contains("no findings"), sourceLocation: sourceLocation)
  }

  /// Every statement that was acknowledged is in the file, and at most one more.
  @Test func killedProgramsKeepWhatTheyAcknowledged() {
    var random = SplitMix64(seed: 5)
    var last = 0
    for _ in 0..<TestScale.number("PROGRAM_KILL_COUNT", standard: 8) {
      folder.write(Array(additions((last + 1)...(last + 2000)).utf8), to: "add.realmsh")
      let seconds = Double.random(in: 0.05...0.35, using: &random)
      // What has been written to the pipe arrives, also from a program that was killed.
      _ = shell(
        """
        mkfifo acks; cat acks > told & "$0" x.realm -f add.realmsh > acks & \
        sleep \(seconds); kill -KILL $!; wait; rm acks
        """)
      let told = Files.readText(folder.file("told")).split(separator: "\n").count
      let count = Int(ask("count T")) ?? -1
      #expect(count == last + told || count == last + told + 1)
      #expect(ask("count T where id <= \(count)") == "\(count)")
      checkFile()
      last = count
    }
    #expect(last > 0)
  }

  @Test func fullDiskKeepsWhatWasAcknowledged() {
    let text = String(repeating: "x", count: 500)
    folder.write(Array(additions(1...3000, text: text).utf8), to: "add.realmsh")
    let result = shell("ulimit -f 200; \"$0\" x.realm -f add.realmsh")
    #expect(result.status == 1)
    #expect(result.errorText.contains("error: "))
    let told = result.outputText.split(separator: "\n").count
    #expect(told > 0 && told < 3000)
    #expect(ask("count T") == "\(told)")
    checkFile()
    #expect(ask("add T {id: 9000, s: \"after\"}") == "added T(9000)")
  }

  /// The program ends when nobody reads its output; what it had committed stays.
  @Test func closedOutputLeavesAGoodFile() {
    folder.write(Array(additions(1...3000).utf8), to: "add.realmsh")
    let result = shell("(\"$0\" x.realm -f add.realmsh; echo $? >&2) | head -1")
    #expect(result.outputText == "added T(1)\n")
    #expect(result.errorText == "141\n" || result.errorText == "0\n")
    checkFile()
  }

  /// Statements of one transaction are in the file together, or not at all.
  @Test func interruptedTransactionsLeaveNothing() {
    folder.write(Array(("begin\n" + additions(1...100_000)).utf8), to: "add.realmsh")
    let result = shell(
      """
      env --default-signal=INT "$0" x.realm -f add.realmsh > out & \
      sleep 0.3; kill -INT $!; wait $!; echo $?
      """)
    #expect(result.outputText == "130\n")
    #expect(ask("count T") == "0")
    checkFile()
  }

  /// Random statements against a model, a script after the other.
  @Test(arguments: 1...UInt64(TestScale.number("STATEMENT_SEEDS", standard: 2)))
  func statementsFollowTheModel(seed: UInt64) {
    var model = StatementModel(seed: seed)
    for _ in 0..<4 {
      folder.write(Array(model.script().utf8), to: "script.realmsh")
      let run = Realmsh.run(
        ["x.realm", "-f", "script.realmsh"], folder: folder.path)
      #expect(run.status == 0, "\(run.errorText)")
      let dump = Realmsh.run(
        ["-m", "jsonl", "x.realm", "where T TRUEPREDICATE SORT(id ASC)"], folder: folder.path)
      #expect(dump.outputText == model.lines)
      checkFile()
    }
  }
}
