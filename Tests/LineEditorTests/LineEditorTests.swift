import Glibc
import TestSupport
import Testing

/// The editor on a terminal: what is typed at EditorProbe comes back as it was read.
struct LineEditorTests {
  @Test func aLineIsRead() {
    let editor = EditorOnScreen()
    editor.expect("count Dog\r", reads: "count Dog")
    editor.expect("\r", reads: "")
  }

  @Test func keysEditTheLine() {
    let editor = EditorOnScreen()
    // Left, insertion, end of line, backspace, start of line, insertion.
    editor.expect("help\u{02}l\u{05}\u{7F}o\u{01}>\r", reads: ">hello")
    // Arrow keys and delete.
    editor.expect("abc\u{1B}[D\u{1B}[D\u{1B}[3~\r", reads: "ac")
    // Kill to the end and yank.
    editor.expect("one two\u{02}\u{02}\u{02}\u{0B}\u{01}\u{19} \r", reads: "two one ")
    // Words, cuts in a row, and undo.
    editor.expect("one two six\u{1B}b\u{1B}b\u{1B}d\u{1B}d\u{01}\u{19}\r", reads: "two sixone ")
    editor.expect("one two\u{17}\u{17}\u{1F}\u{1F}\r", reads: "one two")
  }

  @Test func textOutsideASCIIIsReadInEveryLocale() {
    for locale in ["C.UTF-8", "C", "no_SUCH"] {
      let editor = EditorOnScreen(environment: ["LC_ALL": locale])
      editor.expect("狗狗 Étude 🐕\u{02}!\r", reads: "狗狗 Étude !🐕")
    }
  }

  @Test func bytesThatAreNoTextDoNotStopTheEditor() {
    let editor = EditorOnScreen()
    #expect(editor.waitForPrompt())
    editor.terminal.type([0x61, 0xFF, 0x62])
    editor.expect("\r", reads: "a\u{FFFD}b")
  }

  @Test func unknownSequencesAreIgnored() {
    let editor = EditorOnScreen()
    editor.expect("a\u{1B}[1;9Z\u{1B}[99;88;77~b\u{1B}[?62;c\r", reads: "ab")
  }

  @Test func anIncompleteStatementGetsAnotherRow() {
    let editor = EditorOnScreen()
    editor.expect("f(1,\r2\r)\r", reads: "f(1,\n  2\n  )")
    #expect(editor.press("(("))
    #expect(editor.press("\r"))
    // The width of the prompt and two blanks for each bracket.
    #expect(editor.screen.cursorColumn == 7 + 4)
    #expect(editor.screen.texts.contains("probe> (("))
    editor.expect("))\u{1B}\r\r", reads: "((\n    ))\n")
  }

  @Test func interruptDropsAllRows() {
    let editor = EditorOnScreen()
    #expect(editor.waitForPrompt())
    editor.press("f(\rabc\u{02}\u{02}")
    editor.terminal.type("\u{03}")
    // The mark stands behind the text.
    #expect(editor.terminal.wait { $0.texts.contains("         abc^C") })
    #expect(editor.terminal.wait { $0.texts.contains("interrupted") })
    editor.expect("next\r", reads: "next")
  }

  @Test func endOfFileEndsOnlyAnEmptyStatement() {
    let editor = EditorOnScreen()
    // On a character: deletes it.
    editor.expect("ab\u{01}\u{04}\r", reads: "b")
    // In the empty row of a longer statement: nothing.
    editor.expect("(\r\u{04})\r", reads: "(\n  )")
    #expect(editor.waitForPrompt())
    editor.terminal.type("\u{04}")
    #expect(editor.terminal.waitForEnd() == 0)
    #expect(editor.screen.texts.contains("end"))
    #expect(!editor.screen.marksPaste && editor.screen.showsCursor)
  }

  @Test func aSignalThatEndsProgramsEndsThisOne() {
    for (signal, status) in [(SIGTERM, Int32(143)), (SIGHUP, 129), (SIGQUIT, 131)] {
      // The runtime of Swift would ask on the terminal what to do about SIGQUIT.
      let editor = EditorOnScreen(environment: ["SWIFT_BACKTRACE": "enable=no"])
      #expect(editor.waitForPrompt())
      editor.terminal.send(signal)
      #expect(editor.terminal.waitForEnd() == status)
      #expect(!editor.screen.marksPaste && editor.screen.showsCursor)
    }
  }

  @Test func historyIsKeptForTheNextRun() {
    let folder = TemporaryFolder()
    let path = folder.file("state/realmsh/history")
    let first = EditorOnScreen(["--history", path])
    first.expect("one\r", reads: "one")
    first.expect("(\r)\r", reads: "(\n  )")
    #expect(first.waitForPrompt())
    #expect(Files.readText(path) == "one\n(\\n  )\n")

    let second = EditorOnScreen(["--history", path])
    // Up to the last row of the newest entry, to its first row, to the entry before.
    second.expect("\u{1B}[A\u{1B}[A\u{1B}[A!\r", reads: "one!")
    second.expect("\u{1B}[A\r", reads: "one!")
  }

  @Test func theUsersFileBindsKeys() {
    let folder = TemporaryFolder()
    let file = folder.write(Array("probe:bind ^T ed-move-to-beg\n".utf8), to: "editrc")
    let editor = EditorOnScreen(environment: ["EDITRC": file])
    editor.expect("b\u{14}a\r", reads: "ab")
  }

  @Test(arguments: ["bind -v\nbind ^T ed-move-to-beg\n", "other:bind -v\n probe:bind -v\n"])
  func theUsersFileChoosesTheKeysOfVi(text: String) {
    let folder = TemporaryFolder()
    let file = folder.write(Array(text.utf8), to: "editrc")
    let editor = EditorOnScreen(environment: ["EDITRC": file])
    // Escape, start of the line, deletion; the incomplete statement gets a row.
    editor.expect("xabc(\u{1B}0xA\r)\r", reads: "abc(\n  )")
  }

  @Test func macrosOfTheUsersFileThatNeverEndAreLeftOut() {
    let folder = TemporaryFolder()
    // The key of the second is the end of its text and the start of what follows.
    let text = """
      bind -s ^[t a^[tb
      bind -s ^[o "x^[o"
      bind -s ^[g "^X1"
      bind -s "^X1" "b^[g"
      bind -s ^[q abc

      """
    let file = folder.write(Array(text.utf8), to: "editrc")
    let editor = EditorOnScreen(environment: ["EDITRC": file])
    editor.expect("1\u{1B}t2\u{1B}o\u{1B}g3\u{1B}q4\r", reads: "123abc4")
  }

  @Test func longLinesOfTheUsersFileDoNoHarm() {
    let folder = TemporaryFolder()
    let long = String(repeating: "x", count: 100_000)
    let text = "bind -s ^T \(long)\nbind \(long) ed-ignore\n\(long)\nbind ^O ed-move-to-beg\n"
    let file = folder.write(Array(text.utf8), to: "editrc")
    let editor = EditorOnScreen(environment: ["EDITRC": file])
    editor.expect("b\u{0F}a\r", reads: "ab")
  }

  @Test func filesWithoutAnEndAreNotWaitedFor() {
    let folder = TemporaryFolder()
    let pipe = folder.file("pipe")
    mkfifo(pipe, 0o600)
    for path in ["/dev/zero", pipe, folder.path] {
      let editor = EditorOnScreen(["--history", path], environment: ["EDITRC": path])
      editor.expect("a\r", reads: "a")
      editor.expect("\u{1B}[A\r", reads: "a")
      editor.terminal.type("\u{04}")
      #expect(editor.terminal.waitForEnd() == 0)
    }
  }

  @Test func noKeyReadsACommandOfLibedit() {
    let editor = EditorOnScreen()
    editor.expect("ab\u{1B}xc\u{1B}Xd\r", reads: "abcd")
    let vi = EditorOnScreen(["--vi"])
    vi.expect("ab\u{1B}:xac\r", reads: "ac")
  }

  @Test func theUsersFileMaySwitchEditingOff() {
    let folder = TemporaryFolder()
    let file = folder.write(Array("edit off\n".utf8), to: "editrc")
    let terminal = EmulatedTerminal(
      Fixtures.executable("EditorProbe"), environment: ["EDITRC": file])
    #expect(terminal.waitForEnd() == 2)
  }

  @Test(arguments: ["dumb", ""])
  func aTerminalThatCannotEditGetsNoEditor(name: String) {
    let terminal = EmulatedTerminal(
      Fixtures.executable("EditorProbe"), environment: ["TERM": name])
    #expect(terminal.waitForEnd() == 2)
    #expect(terminal.screen.texts.contains("no editor"))
  }

  @Test func anUnknownTerminalIsNoReasonForMessages() {
    let editor = EditorOnScreen(environment: ["TERM": "no-such-terminal"])
    #expect(editor.press("abc"))
    #expect(editor.screen.texts.filter { !$0.isEmpty } == ["probe> abc"])
  }

  @Test func aPipeGetsNoEditor() {
    let result = Process.run(Fixtures.executable("EditorProbe"), input: Array("a\n".utf8))
    #expect(result.outputText == "no editor\n")
    #expect(result.status == 2)
  }
}
