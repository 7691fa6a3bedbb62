import Glibc
import TestSupport
import Testing

/// An observer in one process, writers in others.
///
/// FOLLOWED_COMMITS says how many commits each writer makes.
struct FollowingTests {
  private let folder = TemporaryFolder()
  private static var commitCount: Int { TestScale.number("FOLLOWED_COMMITS", standard: 100) }

  init() {
    let statement = "class T { id: int primary, n: int }; add T {id: 0, n: 0}"
    #expect(Realmsh.run("--create", "x.realm", statement, folder: folder.path).status == 0)
  }

  /// Runs commands of the shell beside an observer of all objects, which ends when there is one with
  /// n = -1. `$0` is the program, `$observer` the process.
  ///
  /// - Parameter options: Of the observer.
  /// - Returns: the lines of JSON of the observer.
  private func observe(_ options: String, while commands: String) throws -> [JSONValue] {
    mkfifo(folder.file("ready"), 0o600)
    folder.write(
      Array(
        """
        observe T \(options) mode json
        observe T where n == -1 values none as last mode human
        !echo > ready
        wait for last timeout 60s

        """.utf8), to: "observer.realmsh")
    let script = """
      "$0" -q x.realm -f observer.realmsh > out.txt &
      observer=$!
      read line < ready
      \(commands)
      "$0" -q x.realm 'add T {id: 1000000, n: -1}'
      wait $observer
      """
    let result = Process.run(
      "/bin/sh", ["-c", script, Fixtures.realmsh], folder: folder.path)
    #expect(result.errorText == "")
    #expect(Realmsh.run("x.realm", "check deep", folder: folder.path).status == 0)
    let lines = Files.readText(folder.file("out.txt")).split(separator: "\n")
    return try lines.filter { $0.hasPrefix("{") }.map { try #require(JSONValue(Array($0.utf8))) }
  }

  /// Writes a script of commits and gives the command that runs it.
  private func commits(_ name: String, _ statement: (Int) -> String) -> String {
    let text = (0..<Self.commitCount).map { statement($0) + "\n" }.joined()
    folder.write(Array(text.utf8), to: "\(name).realmsh")
    return "\"$0\" -q x.realm -f \(name).realmsh"
  }

  /// The ids of the objects that came, in the order of the reports.
  private func insertedIds(_ reports: [JSONValue]) -> [Int64] {
    reports.flatMap { report in
      (report["insertions"]?.elements ?? []).compactMap { $0["object"]?["id"]?.int }
    }
  }

  @Test func nothingOfTwoWritersIsLost() throws {
    let one = commits("one") { "add T {id: \(1 + $0), n: 1}" }
    let two = commits("two") { "add T {id: \(100_000 + $0), n: 2}" }
    let reports = try observe("", while: "\(one) &\nwriter=$!\n\(two)\nwait $writer")
    let ids = insertedIds(reports)
    let count = Int64(Self.commitCount)
    #expect(ids.filter { $0 < 100_000 } == Array(1...count))
    #expect(ids.filter { (100_000..<1_000_000).contains($0) } == (0..<count).map { 100_000 + $0 })
    #expect(reports.last?["count"]?.int == 2 * count + 2)
  }

  /// Who is stopped finds out afterwards, in one report; meanwhile others write on.
  @Test(arguments: ["", "values none"]) func aStoppedObserverCatchesUp(_ options: String) throws {
    let work = commits("work") { "write { set T 0 n += 1; upsert T {id: \(1 + $0 % 10), n: 7} }" }
    let reports = try observe(
      options, while: "kill -STOP $observer\n\(work)\nkill -CONT $observer")
    // The initial state, what came while it was stopped, and the last object, alone or with that.
    #expect((2...3).contains(reports.count))
    let insertions = reports.reduce(0) { $0 + ($1["insertions"]?.elements.count ?? 0) }
    #expect(insertions == 11)
    #expect(reports.last?["count"]?.int == 12)
  }

  /// What a dead observer has kept others from reusing is reused when all have closed the file.
  @Test func aKilledObserverKeepsNothing() throws {
    let work = commits("work") { _ in "set T 0 n += 1" }
    mkfifo(folder.file("ready"), 0o600)
    folder.write(
      Array("observe T\n!echo > ready\nwait\n".utf8), to: "observer.realmsh")
    let script = """
      "$0" -q x.realm -f observer.realmsh > out.txt 2> /dev/null &
      observer=$!
      read line < ready
      "$0" -q x.realm 'begin' "source work.realmsh" 'commit'
      kill -KILL $observer
      wait $observer
      \(work)
      \(work)
      """
    let result = Process.run(
      "/bin/sh", ["-c", script, Fixtures.realmsh], folder: folder.path)
    #expect(result.errorText.split(separator: "\n").allSatisfy { $0.contains("Killed") })
    func byteCount() -> Int { Files.read(folder.file("x.realm")).count }
    let before = byteCount()
    _ = Realmsh.run("-q", "x.realm", "-f", "work.realmsh", folder: folder.path)
    #expect(byteCount() == before)
    let check = Realmsh.run("x.realm", "check deep", "print (get T 0.n)", folder: folder.path)
    #expect(check.status == 0)
    #expect(check.outputText.hasSuffix("\(4 * Self.commitCount)\n"))
  }
}
