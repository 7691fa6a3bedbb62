import Glibc
import TestSupport
import Testing

/// `import` as a program among others: pipes, threads, signals, and ends at any moment.
struct ImportTests {
  private let folder = TemporaryFolder()
  private static let rowCount = 20_000

  init() {
    run("-q", "--new", "dogs.realm", "class Dog { _id: int primary, name: string indexed }")
  }

  @discardableResult
  private func run(_ arguments: String..., input: String = "") -> Process.Result {
    Realmsh.run(arguments, input: input, folder: folder.path)
  }

  /// A file of many rows.
  private func writeRows() {
    let rows = (0..<Self.rowCount).map { "\($0),dog number \($0 % 1000)\n" }
    folder.write(Array(("_id,name\n" + rows.joined()).utf8), to: "dogs.csv")
  }

  /// Number of dogs in the file, which is whole.
  private func count() -> Int? {
    let result = run("dogs.realm", "check", "count Dog")
    #expect(result.status == 0, "\(result.outputText)\(result.errorText)")
    return result.outputText.split(separator: "\n").last.flatMap { Int($0) }
  }

  @Test func standardInputIsReadFromCommandsAndScriptsOnly() {
    let rows = "_id,name\n1,Rex\n"
    let ours = run("dogs.realm", "import Dog from - format csv", input: rows)
    #expect(ours.outputText == "imported 1 Dog from -\n")
    folder.write(Array("import Dog from - format csv upsert\n".utf8), to: "script.realmsh")
    let script = run("dogs.realm", "-f", "script.realmsh", input: rows)
    #expect(script.outputText == "imported 1 Dog from -: 1 unchanged\n")
    let typed = run("dogs.realm", input: "import Dog from - format csv\n" + rows)
    #expect(typed.status == 1)
    #expect(typed.errorText.contains("standard input is where the statements come from"))
  }

  @Test func whatIsExportedToAPipeIsImported() {
    let command = """
      "$0" dogs.realm "import Dog from dogs.csv"
      "$0" dogs.realm -m csv "where Dog" |
        "$0" --new copy.realm "class Dog { _id: int primary, name: string }" \
          "import Dog from - format csv" "count Dog"
      """
    writeRows()
    let result = Process.run("/bin/sh", ["-c", command, Fixtures.realmsh], folder: folder.path)
    #expect(result.outputText.hasSuffix("created class Dog\nimported 20,000 Dog from -\n20000\n"))
  }

  @Test func anotherThreadImports() {
    writeRows()
    let result = run(
      "dogs.realm", "on importer async: import Dog from dogs.csv", "wait for importer", "count Dog")
    #expect(
      result.outputText
        == "[importer] started\n[importer] imported 20,000 Dog from dogs.csv\n20000\n")
  }

  @Test func manyLinksToLaterObjectsAreResolved() {
    run("-q", "--new", "chain.realm", "class Link { id: int primary, next: Link? }")
    let rows = (0..<5000).map { "\($0),\($0 + 1)\n" }
    folder.write(
      Array(("id,next\n" + rows.joined() + "5000,\n").utf8), to: "chain.csv")
    let result = run(
      "chain.realm", "import Link from chain.csv", "count Link where next.id == 1 + 2",
      "count Link where next == null")
    #expect(result.outputText == "imported 5,001 Link from chain.csv\n1\n1\n")
  }

  @Test func aBadLineDropsEverythingAndIsKeptByteForByte() {
    let bad = Array("7,\"a\"\"b\",x\r\n".utf8)
    folder.write(
      Array("_id,name\n6,ok\n".utf8) + bad + Array("8,\u{FFFD}\n".utf8) + [0xFF], to: "a.csv")
    let refused = run("dogs.realm", "import Dog from a.csv")
    #expect(refused.status == 1)
    #expect(refused.errorText.hasSuffix("  nothing was imported\n"))
    #expect(count() == 0)
    let result = run("dogs.realm", "import Dog from a.csv rejects bad.csv")
    #expect(result.outputText == "imported 2 Dog from a.csv; 2 lines rejected, see bad.csv\n")
    #expect(Files.read(folder.file("bad.csv")) == Array("_id,name\n".utf8) + bad + [0xFF, 0x0A])
    #expect(count() == 2)
    #expect(result.errorText.contains("a.csv:3:10: warning: the line has 3 fields instead of 2 ["))
    #expect(result.errorText.contains("a.csv:5:1: warning: a byte that is not UTF-8 ["))
  }

  /// What was rejected is a file of the same format: mended, it is imported by the same statement.
  @Test(arguments: [
    ("a.csv", "_id;name\r\n1;a\r\nx;b\r\n3;c\r\ny;d", "_id;name\r\nx;b\r\ny;d\n"),
    ("a.tsv", "_id\tname\nx\tb", "_id\tname\nx\tb\n"),
    ("a.jsonl", "{\"_id\":\"x\"}\n\n{\"_id\":\"y\"}", "{\"_id\":\"x\"}\n{\"_id\":\"y\"}\n"),
    (
      "a.json", "[{\"_id\":\"x\"},\n\n {\"_id\":\"y\"}\n]\n",
      "[\n{\"_id\":\"x\"},\n{\"_id\":\"y\"}\n]\n"
    ), ("b.json", "[]", ""),
  ])
  func rejectedRecordsCanBeImportedAgain(_ name: String, _ text: String, _ rejected: String) {
    folder.write(Array(text.utf8), to: name)
    let option = text.contains(";") ? "separator \";\"" : ""
    run("dogs.realm", "import Dog from \(name) \(option) rejects bad.\(name)")
    #expect(Files.read(folder.file("bad.\(name)")) == Array(rejected.utf8))
    if rejected.isEmpty { return }
    run("dogs.realm", "import Dog from bad.\(name) \(option) rejects again.\(name)")
    #expect(Files.read(folder.file("again.\(name)")) == Array(rejected.utf8))
  }

  /// The first bad lines are told one by one, also to programs.
  @Test func whatIsWrongWithRejectedLinesIsTold() {
    folder.write(Array(("_id,name\n" + String(repeating: "x,y\n", count: 1005)).utf8), to: "a.csv")
    let result = run("dogs.realm", "import Dog from a.csv rejects bad.csv")
    #expect(
      result.errorText.hasPrefix(
        """
        a.csv:2:1: warning: "x" is not an int (Dog._id) [TypeMismatch]
          2 | x,y
            | ^
        a.csv:3:1: warning:
        """))
    #expect(
      result.errorText.hasSuffix("a.csv: warning: 1,002 more lines were rejected [ImportFailed]\n"))
    let json = run(
      "--errors", "json", "dogs.realm", "import Dog from a.csv rejects bad.csv")
    #expect(
      json.errorText.split(separator: "\n").last
        == "{\"warning\":\"ImportFailed\",\"message\":\"1,002 more lines were rejected\"}")
  }

  @Test(arguments: ["KILL", "INT", "TERM"])
  func aSignalLeavesAllOrNothing(_ signal: String) {
    writeRows()
    for _ in 0..<4 {
      run("dogs.realm", "delete Dog all")
      let delay = Double.random(in: 0...0.4)
      let script =
        "env --default-signal=INT \"$0\" dogs.realm 'import Dog from dogs.csv rejects bad.csv' & "
        + "sleep \(delay); kill -\(signal) $!; wait $!"
      _ = Process.run("/bin/sh", ["-c", script, Fixtures.realmsh], folder: folder.path)
      let count = count()
      #expect(count == 0 || count == Self.rowCount, "\(signal) after \(delay) s: \(count ?? -1)")
    }
  }

  /// A file that cannot grow stands for a full disk.
  @Test(arguments: [64, 200, 500, 900])
  func aFullDiskLeavesNothing(_ kilobytes: Int) {
    writeRows()
    let script = "ulimit -f \(kilobytes * 2); \"$0\" dogs.realm 'import Dog from dogs.csv'"
    let result = Process.run("/bin/sh", ["-c", script, Fixtures.realmsh], folder: folder.path)
    let count = count()
    #expect(result.status == 0 ? count == Self.rowCount : count == 0, "\(result.errorText)")
  }
}
