import TestSupport
import Testing

/// Many threads on one database: nothing is lost, nothing waits for ever, every run ends.
struct ThreadTests {
  private let folder = TemporaryFolder()

  private static let opening = """
    open t.realm new
    class Counter { n: int }
    class Log { thread: string, note: string? }
    add Counter {n: 0}

    """

  private func run(_ script: String, arguments: [String] = ["-q"]) -> Process.Result {
    let result = Realmsh.run(arguments, input: Self.opening + script, folder: folder.path)
    #expect(!result.hasTimedOut)
    let check = Realmsh.run("t.realm", "check deep", folder: folder.path)
    #expect(check.status == 0, "\(check.outputText)")
    return result
  }

  private func number(_ statement: String) -> Int? {
    let text = Realmsh.run("t.realm", statement, folder: folder.path).outputText
    return Int(text.split(separator: "\n").last ?? "")
  }

  @Test(arguments: [false, true]) func noUpdateIsLost(_ isInMemory: Bool) {
    var script = isInMemory ? Self.opening.replacing("t.realm new", with: "memory") : ""
    for round in 0..<20 {
      for thread in 0..<8 {
        script += "on t\(thread) async: write { set Counter#0 n += 1; add Log [\"t\(thread)\"] }\n"
        if round % 5 == 4 { script += "count Log\n" }
      }
    }
    for thread in 0..<8 { script += "wait for t\(thread) timeout 60s\n" }
    script += "assert (get Counter#0.n) == 160\nassert (count Log) == 160\n"
    let result = run(script)
    #expect(result.status == 0, "\(result.errorText)")
  }

  @Test func theEndOfTheScriptWaitsForAllWork() {
    let result = run(
      String(repeating: "on a async: write { set Counter#0 n += 1 }\n", count: 20)
        + String(repeating: "on b async: write { set Counter#0 n += 1 }\n", count: 20))
    #expect(result.status == 0, "\(result.errorText)")
    #expect(number("print (get Counter#0.n)") == 40)
  }

  @Test func workThatFailsUnnoticedFailsTheScript() {
    let result = run("on a async: write { set Counter#0 n += 1; assert false }\n")
    #expect(result.status == 1)
    #expect(result.errorText.contains("<stdin>:5:50: error: the condition is false [Assertion]"))
    #expect(number("print (get Counter#0.n)") == 0)
  }

  @Test func anOpenTransactionOfAThreadFailsTheScript() {
    let result = run("on a { begin; set Counter#0 n += 1 }\n")
    #expect(result.status == 1)
    #expect(result.errorText.contains("thread a ended inside of a write transaction"))
  }

  @Test func whoWaitsForAnIdleThreadIsTold() {
    let result = run(
      "on a: begin\nexpect error Deadlock: set Counter#0 n += 1\n"
        + "expect error WriteLocked: begin nowait\non a: commit\nset Counter#0 n += 1\n")
    #expect(result.status == 0, "\(result.errorText)")
    #expect(number("print (get Counter#0.n)") == 1)
  }

  @Test func exitDropsWorkThatHasNotBegun() {
    let result = run(
      "on a: begin\n"
        + String(repeating: "on b async: write { set Counter#0 n += 1 }\n", count: 5)
        + "exit 7\n")
    #expect(result.status == 7)
    // The first of them waits for the lock already, and may get it.
    #expect([0, 1].contains(number("print (get Counter#0.n)")))
  }

  @Test func whoWaitsInACircleIsTold() {
    let result = run(
      """
      on a: begin
      on b async: write { set Counter#0 n += 1 }
      expect error Deadlock: on a: wait for b
      on a: cancel
      count Counter
      """, arguments: ["-q", "--keep-going"])
    // Which of the two is told depends on who comes last.
    #expect(result.status == 0, "\(result.errorText)")
  }

  @Test func circlesOverTwoFilesAreFound() {
    let result = run(
      """
      open u.realm new
      class Counter { n: int }
      add Counter {n: 0}
      on a { use t; begin }
      on b { use u; begin }
      on a async { use u; begin nowait }
      expect error WriteLocked: wait for a timeout 60s
      on a async { use u; begin }
      wait 200ms
      on b { use t; expect error Deadlock: begin }
      on b { use u; commit }
      wait for a timeout 60s
      on a { use t; cancel }
      """)
    #expect(result.status == 0, "\(result.errorText)")
  }

  @Test func ctrlCEndsWaitingForTheWriteLock() {
    _ = folder.write(
      Array((Self.opening + "on a: begin\nbegin timeout 60s\n").utf8), to: "waits.realmsh")
    let script =
      "env --default-signal=INT \"$0\" -q -f waits.realmsh & sleep 1; kill -INT $!; wait $!; echo $?"
    let result = Process.run("/bin/sh", ["-c", script, Fixtures.realmsh], folder: folder.path)
    #expect(result.outputText == "130\n")
    #expect(!result.hasTimedOut)
  }

  /// Statements chosen by chance, on threads chosen by chance: whatever they do to each other, the
  /// program ends, the file is whole, and each transaction has happened as a whole or not at all.
  @Test(arguments: 0..<4) func whateverThreadsDo(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var script = ""
    for _ in 0..<250 { script += Self.statement(&random) + "\n" }
    for thread in 0..<5 { script += "wait for t\(thread) timeout 60s\n" }
    let result = run(script, arguments: ["-q", "--keep-going"])
    #expect(result.status == 0 || result.status == 1, "\(result.errorText)")
    #expect(number("print (get Counter#0.n)") == number("count Log"))
  }

  private static func statement(_ random: inout SplitMix64) -> String {
    let thread = "t\(Int.random(in: 0..<5, using: &random))"
    let variable = "v\(Int.random(in: 0..<4, using: &random))"
    let change = "set Counter#0 n += 1; add Log [\"\(thread)\"]"
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<4: return "on \(thread) async: write { \(change) }"
    case 4: return "on \(thread) async { begin; \(change); wait 1ms; commit }"
    case 5: return "on \(thread) async { begin; \(change) }"
    case 6: return "on \(thread) async: write { \(change); assert false }"
    case 7: return "on \(thread): write { \(change) }"
    case 8: return "write { \(change) }"
    case 9: return "stop \(thread)"
    case 10: return "wait for \(thread) timeout 60s"
    case 11: return "let $\(variable) = get Counter#0"
    case 12: return "let $\(variable) = freeze((where Log))"
    case 13: return "let $\(variable) = ref((where Log thread == \"\(thread)\"))"
    case 14: return "on \(thread): let $\(variable) = resolve($\(variable))"
    case 15: return "on \(thread) async: print count($\(variable))"
    case 16: return "on \(thread) with $\(variable): print $\(variable).n"
    case 17: return "on \(thread) async { invalidate; count Log; let; on }"
    case 18: return "info versions"
    default: return "on \(thread) { refresh; where Log; unlet $\(variable) }"
    }
  }
}
