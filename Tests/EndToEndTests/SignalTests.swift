import Glibc
import TestSupport
import Testing

/// Signals, and standard streams that are closed or full.
struct SignalTests {
  private let folder = Realmsh.folderWithDogs()

  /// Runs a command line of the shell in which `$0` is the program, sends it a signal after a
  /// while, and gives its status with its errors.
  private func end(
    _ command: String, by signal: String, after seconds: Double = 0.3
  ) -> (status: String, errors: String) {
    // The shell makes programs in the background ignore SIGINT and SIGQUIT.
    let script =
      "env --default-signal=INT,QUIT \(command) & sleep \(seconds); kill -\(signal) $!; wait $!; echo $?"
    let result = Process.run("/bin/sh", ["-c", script, Fixtures.realmsh], folder: folder.path)
    return (result.outputText, result.errorText)
  }

  private func write(_ statement: String, times: Int, to file: String) {
    folder.write(Array(String(repeating: statement + "\n", count: times).utf8), to: file)
  }

  // MARK: Ctrl-C

  @Test(arguments: ["count Dog", "check deep", "print 1", "where Dog | cat"])
  func anInterruptEndsAScriptWith130(_ statement: String) {
    write(statement, times: 100_000, to: "many.realmsh")
    let (status, errors) = end("\"$0\" dogs.realm -f many.realmsh > out.txt", by: "INT")
    #expect(status == "130\n")
    #expect(errors.contains(": error: interrupted"))
  }

  @Test func anInterruptDropsALineWithoutAnEditor() {
    let terminal = PseudoTerminal(
      Fixtures.realmsh, [folder.file("dogs.realm")],
      environment: Process.plainEnvironment.merging(["TERM": "dumb"]) { $1 })
    #expect(terminal.read(until: "dogs> ") != nil)
    terminal.type("count Do\u{3}")
    #expect(terminal.read(until: "dogs> ") != nil)
    terminal.type("print 40 + 2\n")
    #expect(terminal.read(until: "\n42\r\n") != nil)
    terminal.type("\u{4}")
    #expect(terminal.waitForEnd() == 0)
  }

  @Test(arguments: [
    "-c 'source pipe'", "-f pipe", "-c 'print file(\"pipe\")'", "-k pipe dogs.realm info",
  ])
  func anInterruptEndsReadingWith130(_ arguments: String) {
    mkfifo(folder.file("pipe"), 0o600)
    let (status, errors) = end("\"$0\" \(arguments)", by: "INT")
    #expect(status == "130\n")
    #expect(errors.contains("error: interrupted"))
  }

  @Test func anInterruptInASourcedScriptEndsWith130() {
    write("print 1", times: 100_000, to: "inner.realmsh")
    folder.write(Array("source inner.realmsh\n".utf8), to: "outer.realmsh")
    #expect(end("\"$0\" -f outer.realmsh > out.txt", by: "INT").status == "130\n")
  }

  @Test func anInterruptAlsoEndsWhatKeepsGoing() {
    write("print 1", times: 100_000, to: "many.realmsh")
    let (status, errors) = end(
      "\"$0\" --keep-going -f many.realmsh -f many.realmsh > out.txt", by: "INT")
    #expect(status == "130\n")
    #expect(errors.split(separator: "\n").count == 3)
  }

  @Test func aCommandThatCtrlCEndsIsInterrupted() {
    let result = Realmsh.run("-c", "!kill -INT $$")
    #expect(result.status == 130)
    let killed = Realmsh.run("-c", "!kill -KILL $$")
    #expect(killed.status == 1)
    #expect(killed.errorText.contains("error: signal 9 ended the command [CommandFailed]"))
  }

  @Test func aFileWithoutAnEndIsNotReadForEver() {
    let result = Realmsh.run("-c", "source /dev/zero")
    #expect(result.status == 1)
    #expect(result.errorText.contains("error: /dev/zero has more than 256 MiB [LimitExceeded]"))
  }

  // MARK: Ends from outside

  @Test(arguments: [("TERM", "143\n"), ("HUP", "129\n"), ("QUIT", "131\n")])
  func noUnfinishedFileIsLeft(_ signal: String, _ status: String) {
    write("export Dog to dogs.csv", times: 100_000, to: "many.realmsh")
    #expect(end("\"$0\" dogs.realm -f many.realmsh > out.txt", by: signal).status == status)
    #expect(Files.names(in: folder.path).allSatisfy { !$0.hasSuffix(".tmp") })
  }

  @Test func nohupIsRespected() {
    write("print 1", times: 100_000, to: "many.realmsh")
    let (status, _) = end("nohup \"$0\" -f many.realmsh > out.txt", by: "HUP", after: 0.1)
    #expect(status == "0\n")
  }

  // MARK: Standard streams

  @Test func commandsDieOfClosedPipes() {
    let result = Realmsh.run("-c", "!yes | head -1")
    #expect(result.outputText == "y\n")
    #expect(result.errorText == "")
  }

  @Test func closedStreamsAreNotTakenByFiles() {
    let statement = "export Dog to dogs.csv; count Dgo"
    let result = Process.run(
      "/bin/sh",
      ["-c", "\"$0\" dogs.realm \"$1\" <&- >&- 2>&-; echo $?", Fixtures.realmsh, statement],
      folder: folder.path)
    #expect(result.outputText == "1\n")
    let rows = String(decoding: Files.read(folder.file("dogs.csv")), as: UTF8.self)
    #expect(rows.split(separator: "\n").count == 8)
  }

  @Test func aLimitOfTheFileSizeIsAnError() {
    let script = "ulimit -f 0; \"$0\" dogs.realm 'export Dog to dogs.csv'"
    let result = Process.run("/bin/sh", ["-c", script, Fixtures.realmsh], folder: folder.path)
    #expect(result.status == 1)
    #expect(result.errorText.contains("cannot write dogs.csv: file too large"))
    #expect(Files.names(in: folder.path) == ["dogs.realm"])
  }
}
