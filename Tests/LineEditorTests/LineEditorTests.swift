import Glibc
import TestSupport
import Testing

/// The editor on a pseudo-terminal: what is typed at EditorProbe comes back as it was read.
struct LineEditorTests {
  private static func start(
    historyPath: String? = nil, environment: [String: String] = [:]
  ) -> PseudoTerminal {
    PseudoTerminal(
      Fixtures.executable("EditorProbe"), historyPath.map { [$0] } ?? [],
      environment: Process.plainEnvironment.merging(environment) { $1 })
  }

  /// Waits until the editor reads: only then does it, not the terminal, treat keys and echo.
  private static func waitForPrompt(_ terminal: PseudoTerminal) {
    #expect(terminal.read(until: "probe\u{1B}[0m> ") != nil, "\(terminal.transcript)")
  }

  /// Types keys at a prompt and expects an answer.
  private static func expect(
    _ terminal: PseudoTerminal, typing keys: String, toRead text: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    waitForPrompt(terminal)
    terminal.type(keys)
    #expect(
      terminal.read(until: "read \(text.debugDescription)\r\n") != nil,
      "\(terminal.transcript)", sourceLocation: sourceLocation)
  }

  @Test func aLineIsRead() {
    let terminal = Self.start()
    Self.expect(terminal, typing: "count Dog\r", toRead: "count Dog")
    Self.expect(terminal, typing: "\r", toRead: "")
  }

  @Test func keysEditTheLine() {
    let terminal = Self.start()
    // Left, insertion, end of line, backspace, start of line, insertion.
    Self.expect(terminal, typing: "help\u{02}l\u{05}\u{7F}o\u{01}>\r", toRead: ">hello")
    // Arrow keys and delete.
    Self.expect(terminal, typing: "abc\u{1B}[D\u{1B}[D\u{1B}[3~\r", toRead: "ac")
    // Kill to the end and yank.
    Self.expect(
      terminal, typing: "one two\u{02}\u{02}\u{02}\u{0B}\u{01}\u{19} \r", toRead: "two one ")
  }

  @Test func textOutsideASCIIIsReadInEveryLocale() {
    for locale in ["C.UTF-8", "C", "no_SUCH"] {
      let terminal = Self.start(environment: ["LC_ALL": locale])
      Self.expect(terminal, typing: "狗狗 Étude 🐕\u{02}!\r", toRead: "狗狗 Étude !🐕")
    }
  }

  @Test func bytesThatAreNoTextDoNotStopTheEditor() {
    let terminal = Self.start()
    Self.waitForPrompt(terminal)
    terminal.type([0x61, 0xFF, 0x62, 0x0D])
    #expect(terminal.read(until: #"read "a\#u{FFFD}b""#) != nil, "\(terminal.transcript)")
  }

  @Test func anIncompleteStatementGetsAnotherRow() {
    let terminal = Self.start()
    Self.expect(terminal, typing: "f(1,\r2\r)\r", toRead: "f(1,\n2\n)")
    Self.waitForPrompt(terminal)
    terminal.type("(\r")
    // The second row is indented by the width of `probe> `.
    #expect(terminal.read(until: "(\r\n\u{1B}[8G") != nil, "\(terminal.transcript)")
  }

  @Test func interruptDropsAllRows() {
    let terminal = Self.start()
    Self.waitForPrompt(terminal)
    terminal.type("f(\r")
    #expect(terminal.read(until: "(\r\n\u{1B}[8G") != nil, "\(terminal.transcript)")
    terminal.type("abc\u{02}\u{02}")
    #expect(terminal.read(until: "abc\u{08}\u{08}") != nil, "\(terminal.transcript)")
    terminal.type("\u{03}")
    // The rest of the row is passed before the mark is written.
    #expect(terminal.read(until: "bc^C\r\ninterrupted\r\n") != nil, "\(terminal.transcript)")
    Self.expect(terminal, typing: "next\r", toRead: "next")
  }

  @Test func endOfFileEndsOnlyAnEmptyStatement() {
    let terminal = Self.start()
    // On a character: deletes it.
    Self.expect(terminal, typing: "ab\u{01}\u{04}\r", toRead: "b")
    // In the empty row of a longer statement: nothing.
    Self.waitForPrompt(terminal)
    terminal.type("(\r")
    #expect(terminal.read(until: "(\r\n\u{1B}[8G") != nil, "\(terminal.transcript)")
    terminal.type("\u{04}")
    #expect(terminal.read(until: "\r\n\u{1B}[8G") != nil, "\(terminal.transcript)")
    terminal.type(")\r")
    #expect(terminal.read(until: #"read "(\n)""#) != nil, "\(terminal.transcript)")
    Self.waitForPrompt(terminal)
    terminal.type("\u{04}")
    #expect(terminal.read(until: "end\r\n") != nil, "\(terminal.transcript)")
    #expect(terminal.waitForEnd() == 0)
  }

  @Test func aSignalThatEndsProgramsEndsThisOne() {
    for (signal, status) in [(SIGTERM, Int32(143)), (SIGHUP, 129), (SIGQUIT, 131)] {
      // The runtime of Swift would ask on the terminal what to do about SIGQUIT.
      let terminal = Self.start(environment: ["SWIFT_BACKTRACE": "enable=no"])
      Self.waitForPrompt(terminal)
      terminal.send(signal)
      #expect(terminal.waitForEnd() == status)
    }
  }

  @Test func anotherWindowSizeKeepsTheLine() {
    let terminal = Self.start()
    Self.waitForPrompt(terminal)
    terminal.type("abc")
    #expect(terminal.read(until: "abc") != nil, "\(terminal.transcript)")
    terminal.resize(rows: 10, columns: 40)
    #expect(terminal.read(until: "abc") != nil, "\(terminal.transcript)")
    terminal.type("d\r")
    #expect(terminal.read(until: #"read "abcd""#) != nil, "\(terminal.transcript)")
  }

  @Test func historyIsKeptForTheNextRun() {
    let folder = TemporaryFolder()
    let path = folder.file("state/realmsh/history")
    let first = Self.start(historyPath: path)
    Self.expect(first, typing: "one\r", toRead: "one")
    Self.expect(first, typing: "(\r)\r", toRead: "(\n)")
    Self.waitForPrompt(first)
    #expect(Files.readText(path) == "one\n(\\n)\n")

    let second = Self.start(historyPath: path)
    // Up twice; then up once, to the entry just repeated.
    Self.expect(second, typing: "\u{1B}[A\u{1B}[A!\r", toRead: "one!")
    Self.expect(second, typing: "\u{1B}[A\r", toRead: "one!")
    // Search backwards.
    Self.expect(second, typing: "\u{12}(\u{1B}\u{05}\r", toRead: "(\n)")
  }

  @Test func theUsersFileBindsKeys() {
    let folder = TemporaryFolder()
    let file = folder.write(Array("probe:bind ^T ed-move-to-beg\n".utf8), to: "editrc")
    let terminal = Self.start(environment: ["EDITRC": file])
    Self.expect(terminal, typing: "b\u{14}a\r", toRead: "ab")
  }

  @Test(arguments: ["dumb", ""])
  func aTerminalThatCannotEditGetsNoEditor(name: String) {
    let terminal = Self.start(environment: ["TERM": name])
    #expect(terminal.read(until: "no editor") != nil)
    #expect(terminal.waitForEnd() == 2)
  }

  @Test func aPipeGetsNoEditor() {
    let result = Process.run(Fixtures.executable("EditorProbe"), input: Array("a\n".utf8))
    #expect(result.outputText == "no editor\n")
    #expect(result.status == 2)
  }
}
