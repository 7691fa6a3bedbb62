import Glibc
import TestSupport
import Testing

/// Verbs that need a prompt: `history`, `edit`, the pager, `exit`; the configuration; signals.
struct PromptVerbTests {
  private let folder = Realmsh.folderWithDogs()

  /// Starts the prompt on a copy of `dogs.realm`, away from the files of whoever runs the tests.
  private func prompt(
    _ arguments: String..., environment: [String: String] = [:]
  ) -> PseudoTerminal {
    let own = [
      "HOME": folder.path, "TMPDIR": folder.path, "REALMSH_HISTORY": folder.file("history"),
      "NO_COLOR": "1", "XDG_CONFIG_HOME": folder.file("config"),
    ]
    return PseudoTerminal(
      Fixtures.realmsh, arguments + [folder.file("dogs.realm")],
      environment: Process.plainEnvironment.merging(own) { $1 }.merging(environment) { $1 })
  }

  private func expect(
    _ text: String, on terminal: PseudoTerminal,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let found = terminal.read(until: text, timeoutSeconds: 60) != nil
    #expect(found, "\(text.debugDescription)", sourceLocation: sourceLocation)
  }

  private func leave(
    _ terminal: PseudoTerminal, status: Int32 = 0,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(terminal.waitForEnd(timeoutSeconds: 60) == status, sourceLocation: sourceLocation)
  }

  @Test func exitDropsATransactionTheSecondTime() {
    let terminal = prompt()
    terminal.type("begin\r")
    expect("write transaction on version 3", on: terminal)
    terminal.type("exit\r")
    expect("^^^^ error: a write transaction is open [WrongTransactionState]", on: terminal)
    expect("commit or cancel it; exit again to drop it", on: terminal)
    terminal.type("count Dog\r")
    expect("7\r\n", on: terminal)
    terminal.type("exit\r")
    expect("exit again to drop it", on: terminal)
    terminal.type("exit\r")
    expect("note: the transaction on dogs was cancelled: nothing", on: terminal)
    leave(terminal, status: 1)
  }

  @Test func whoeverPressesInterruptAtAnEmptyPromptIsToldHowToLeave() {
    let hint = "to leave: exit, or Ctrl-D on an empty line\r\n"
    let terminal = prompt()
    expect("dogs> ", on: terminal)
    terminal.type("print 1")
    expect("print 1", on: terminal)
    terminal.type("\u{03}")
    expect("^C", on: terminal)
    terminal.type("print 70 + 1\r")
    expect("71\r\n", on: terminal)
    expect("dogs> ", on: terminal)
    #expect(!terminal.transcript.contains(hint))
    for number in 2...3 {
      terminal.type("\u{03}")
      expect("^C", on: terminal)
      terminal.type("print 70 + \(number)\r")
      expect("7\(number)\r\n", on: terminal)
      expect("dogs> ", on: terminal)
    }
    terminal.type("exit\r")
    leave(terminal)
    #expect(terminal.transcript.split(separator: hint).count == 2)
  }

  @Test func whoeverInterruptsIsToldThatTheTransactionIsOpen() {
    let terminal = prompt()
    expect("dogs> ", on: terminal)
    terminal.type("begin\r")
    expect("write transaction on version 3", on: terminal)
    // In one statement, so that it is known to have begun.
    terminal.type("on main { print 70 + 1; wait }\r")
    expect("71\r\n", on: terminal)
    usleep(300_000)
    terminal.type("\u{03}")
    expect("error: interrupted [Interrupted]\r\n  the transaction is still open\r\n", on: terminal)
    terminal.type("cancel\r")
    expect("cancelled: nothing", on: terminal)
    terminal.type("exit\r")
    leave(terminal, status: 1)
  }

  // MARK: history, edit

  @Test func hintsOfferNoStatementThatHasFailed() {
    let terminal = prompt(environment: ["NO_COLOR": ""])
    expect("dogs> ", on: terminal)
    terminal.type("print 70 + 1\r")
    expect("71\r\n", on: terminal)
    terminal.type("print 70 + nothing\r")
    expect("[InvalidProperty]", on: terminal)
    expect("dogs> ", on: terminal)
    // The right key takes the hint.
    terminal.type("print 7\u{1B}[C\r")
    expect("71\r\n", on: terminal)
    terminal.type("exit\r")
    leave(terminal, status: 1)
  }

  @Test func historyListsStatementsWithTheirNumbers() {
    let terminal = prompt()
    for number in 1...3 {
      terminal.type("print 70 + \(number)\r")
      expect("7\(number)\r\n", on: terminal)
    }
    terminal.type("history 2\r")
    expect("2  print 70 + 2\r\n3  print 70 + 3\r\n", on: terminal)
    terminal.type("history \"+ 1\"\r")
    expect("1  print 70 + 1\r\n", on: terminal)
    terminal.type("edit 9\r")
    expect("the history has no statement 9", on: terminal)
    terminal.type("exit\r")
    leave(terminal, status: 1)
    #expect(Files.readText(folder.file("history")).hasPrefix("print 70 + 1\nprint 70 + 2\n"))
  }

  @Test func keysReachNeitherHistoryNorMessages() {
    let key = String(repeating: "0aB1", count: 32)
    let terminal = prompt("--width", "100")
    for statement in [
      "open vault.realm key hex:\(key)", "open vault.realm key \"\(key)\"",
      "open vault.realm key \"HEX:\(key.dropLast(2))\"", "let $k = \"\\u0068ex:\(key)\"",
      "open \(key)",
    ] {
      terminal.type(statement + "\r")
    }
    // A comment that is only remembered.
    terminal.type("key \(key)\u{1B}#print 70 + 1\r")
    expect("71\r\n", on: terminal)
    #expect(terminal.transcript.contains("key has 63 bytes, 64 are needed [InvalidEncryptionKey]"))
    #expect(terminal.transcript.contains("the key source is no file, and looks like a key"))
    #expect(terminal.transcript.contains("a key source with a colon stands in quotes"))
    terminal.type("exit\r")
    leave(terminal, status: 1)
    #expect(Files.readText(folder.file("history")) == "print 70 + 1\nexit\n")
  }

  @Test func controlsAreShownAsEscapes() {
    folder.write(Array("print \"\u{1B}[31m\u{202E}x\"\n".utf8), to: "history")
    let terminal = prompt()
    terminal.type("history\r")
    expect("1  print \"\\u001b[31m\\u202ex\"\r\n", on: terminal)
    terminal.type("config prompt \"\\u001b[32m{db}\\u001b[0m> \"\r")
    terminal.type("config prompt\r")
    expect("\\u001b[32m{db}\\u001b[0m> \r\n", on: terminal)
    terminal.type("exit\r")
    leave(terminal)
  }

  @Test func editPutsTheTextIntoTheLine() {
    let script = "#!/bin/sh\nsed -i s/70/80/ \"$1\"\nls -l \"$1\" | cut -c1-10 > \"$HOME/mode\"\n"
    folder.write(Array(script.utf8), to: "editor")
    chmod(folder.file("editor"), 0o700)
    let terminal = prompt(environment: ["EDITOR": folder.file("editor"), "VISUAL": ""])
    terminal.type("print 70 + 1\r")
    expect("71\r\n", on: terminal)
    terminal.type("edit\r")
    expect("print 80 + 1", on: terminal)
    terminal.type("\r")
    expect("81\r\n", on: terminal)
    terminal.type("edit 1\r")
    expect("print 80 + 1", on: terminal)
    terminal.type(" + 1\r")
    expect("82\r\n", on: terminal)
    terminal.type("exit\r")
    leave(terminal)
    #expect(Files.readText(folder.file("mode")) == "-rw-------\n")
    #expect(!Files.names(in: folder.path).contains { $0.hasPrefix("realmsh-") })
  }

  @Test func anEditorThatFailsChangesNothing() {
    let terminal = prompt("--width", "120", environment: ["EDITOR": "true"])
    terminal.type("print 70 + 1\r")
    expect("71\r\n", on: terminal)
    terminal.type("config editor false\r")
    terminal.type("edit\r")
    expect("the editor false: the command ended with status 1 [CommandFailed]", on: terminal)
    terminal.type("config editor environment\r")
    // The text is left as it was, so that the line is empty and takes what is typed.
    terminal.type("edit 1\r")
    terminal.type("print 50 + 2\r")
    expect("52\r\n", on: terminal)
    terminal.type("exit\r")
    leave(terminal, status: 1)
    #expect(!Files.names(in: folder.path).contains { $0.hasPrefix("realmsh-") })
  }

  // MARK: Pager, commands

  @Test func longResultsGoToThePager() {
    let terminal = prompt(environment: ["PAGER": "sed 's/^/| /'"])
    terminal.type("config pager auto\r")
    terminal.type("help functions\r")
    expect("| upper(s)", on: terminal)
    terminal.type("print 70 + 1\r")
    expect("71\r\n", on: terminal)
    terminal.type("! echo $((40 + 2))\r")
    expect("42\r\n", on: terminal)
    terminal.type("exit\r")
    leave(terminal)
    #expect(!terminal.transcript.contains("warning"))
  }

  @Test func aPagerThatCannotRunIsAWarning() {
    let terminal = prompt(environment: ["PAGER": "exit 5"])
    terminal.type("config pager auto\r")
    terminal.type("help functions\r")
    expect("warning: the pager exit 5: the command ended with status 5", on: terminal)
    expect("config pager off", on: terminal)
    terminal.type("exit\r")
    leave(terminal)
  }

  @Test func commandsHaveTheTerminal() {
    let terminal = prompt("--width", "120")
    terminal.type("! echo $((40 + 2)); read x; echo \"[$x]\"\r")
    // What is typed before belongs to the line.
    expect("42\r\n", on: terminal)
    terminal.type("some words\r")
    expect("[some words]\r\n", on: terminal)
    terminal.type("! stty raw -echo; exit 3\r")
    expect("the command ended with status 3 [CommandFailed]", on: terminal)
    terminal.type("print 70 + 1\r")
    expect("71\r\n", on: terminal)
    terminal.type("exit\r")
    leave(terminal, status: 1)
  }

  // MARK: Configuration

  @Test func theConfigurationIsRunFirst() {
    folder.write(Array("config prompt \"ready> \"\nconfig mode csv\n".utf8), to: "c.realmsh")
    let terminal = prompt(environment: ["REALMSH_CONFIG": folder.file("c.realmsh")])
    expect("ready> ", on: terminal)
    terminal.type("where Dog LIMIT(1) show name\r")
    expect("name\r\nRex\r\n", on: terminal)
    terminal.type("exit\r")
    leave(terminal)
    let other = prompt("--no-config", environment: ["REALMSH_CONFIG": folder.file("c.realmsh")])
    expect("dogs> ", on: other)
    other.type("exit\r")
    leave(other)
  }

  @Test func theConfigurationMayEndTheProgram() {
    folder.write(Array("exit 3\n".utf8), to: "c.realmsh")
    leave(prompt("--config", folder.file("c.realmsh")), status: 3)
  }

  @Test func aMistakeInTheConfigurationDoesNotKeepThePromptAway() {
    folder.write(Array("cuont Dog\n".utf8), to: "c.realmsh")
    let terminal = prompt("--config", folder.file("c.realmsh"))
    expect("c.realmsh:1:1: error: no verb cuont", on: terminal)
    expect("dogs> ", on: terminal)
    terminal.type("exit\r")
    leave(terminal)
    let missing = prompt("--config", folder.file("missing"))
    expect("cannot read the configuration", on: missing)
    leave(missing, status: 3)
  }

  // MARK: Signals

  @Test(arguments: [(SIGTERM, 128 + SIGTERM), (SIGHUP, 128 + SIGHUP)])
  func signalsEndThePrompt(_ signal: Int32, _ status: Int32) {
    let terminal = prompt()
    terminal.type("begin\r")
    expect("write transaction on version 3", on: terminal)
    terminal.type("delete Dog all\r")
    expect("deleted 7 Dog", on: terminal)
    terminal.send(signal)
    leave(terminal, status: status)
    let count = Realmsh.run("-r", folder.file("dogs.realm"), "count Dog")
    #expect(count.outputText == "7\n")
    #expect(Files.readText(folder.file("history")) == "begin\ndelete Dog all\n")
  }
}
