import Glibc
import TestSupport
import Testing

/// What is seen on the screen while a line is typed.
struct ScreenTests {
  private static func texts(_ editor: EditorOnScreen) -> [String] {
    editor.screen.texts.filter { !$0.isEmpty }
  }

  private static func history(_ entries: [String], in folder: TemporaryFolder) -> [String] {
    let lines = entries.map { $0.replacing("\n", with: "\\n") + "\n" }.joined()
    return ["--history", folder.write(Array(lines.utf8), to: "history")]
  }

  @Test func aResizedWindowHasNoCopies() {
    let editor = EditorOnScreen(rows: 20, columns: 80)
    #expect(editor.waitForPrompt())
    let text = String((0..<12).map { "part\($0) " }.joined())
    editor.press(text)
    for columns in [60, 40, 25, 100] {
      editor.terminal.resize(rows: 20, columns: columns)
      #expect(editor.settle())
      #expect(editor.screen.allTexts.count { $0.hasPrefix("probe>") } == 1)
      let first = editor.screen.joinedText.split(separator: "\n").first
      #expect(first.map(String.init) == "probe> " + text.dropLast())
    }
  }

  @Test func longLinesAreBrokenByTheTerminal() {
    let editor = EditorOnScreen(rows: 10, columns: 20)
    #expect(editor.waitForPrompt())
    editor.press(String(repeating: "x", count: 30))
    #expect(editor.screen.rows[0].isContinued && !editor.screen.rows[1].isContinued)
    // A row that is full and has no other behind it is not joined with what comes.
    for _ in 0..<17 { editor.terminal.type("\u{7F}") }
    editor.press("\u{1B}\ry")
    #expect(!editor.screen.rows[0].isContinued)
    #expect(editor.screen.texts.prefix(2) == ["probe> xxxxxxxxxxxxx", "       y"])
  }

  @Test func stoppingAndGoingOn() {
    // Only the shell of a session can be stopped and told to go on.
    let terminal = EmulatedTerminal("/bin/sh", ["-i"], environment: ["PS1": "shell> "])
    #expect(terminal.wait { $0.texts.contains("shell>") })
    terminal.type(Fixtures.executable("EditorProbe") + " --plain\n")
    #expect(terminal.wait { $0.marksPaste && $0.texts.contains("probe>") })
    terminal.type("abc\u{02}")
    #expect(terminal.wait { $0.texts.contains("probe> abc") && $0.cursorColumn == 9 })
    terminal.type("\u{1A}")
    #expect(terminal.wait { $0.texts.last { !$0.isEmpty } == "shell>" && !$0.marksPaste })
    terminal.type("echo between\n")
    #expect(terminal.wait { $0.texts.contains("between") })
    terminal.type("fg\n")
    #expect(terminal.wait { $0.texts.last { !$0.isEmpty } == "probe> abc" && $0.marksPaste })
    #expect(terminal.screen.cursorColumn == 9)
    terminal.type("x\r")
    #expect(terminal.wait { $0.texts.contains("read \"abxc\"") })
    #expect(terminal.screen.failure == nil)
  }

  @Test func clearingTheScreen() {
    let editor = EditorOnScreen()
    editor.expect("one\r", reads: "one")
    editor.press("abc\u{0C}")
    #expect(editor.screen.texts.first == "probe> abc")
    #expect(Self.texts(editor).count == 1 && editor.screen.cursorColumn == 10)
  }

  @Test func textToBeginWith() {
    let editor = EditorOnScreen(["--initial", "count (狗\n)"])
    #expect(editor.waitForPrompt())
    #expect(editor.settle())
    #expect(Self.texts(editor) == ["probe> count (狗", "       )"])
    #expect(editor.screen.cursorRow == 1 && editor.screen.cursorColumn == 8)
    editor.expect("\r", reads: "count (狗\n)")
  }

  // MARK: Hints and colours

  @Test func aHintIsTaken() {
    let folder = TemporaryFolder()
    let history = Self.history(["count Dog where age", "(\n)"], in: folder)
    let editor = EditorOnScreen(history)
    #expect(editor.waitForPrompt())
    editor.press("cou")
    #expect(Self.texts(editor) == ["probe> count Dog where age"])
    #expect(editor.screen.cursorColumn == 10)
    #expect(
      editor.screen.rows[0].cells[9].look == [] && editor.screen.rows[0].cells[10].look == [2])
    editor.press("\u{1B}f\u{1B}[1;3C")
    #expect(editor.screen.cursorColumn == 7 + 9)
    editor.press("\u{1B}[C")
    #expect(editor.screen.cursorColumn == 7 + 19)
    // Only the first row of a longer entry is shown; all is taken.
    editor.press("\u{15}(")
    #expect(Self.texts(editor) == ["probe> ( …"])
    editor.expect("\u{05}\r", reads: "(\n)")
  }

  @Test func aHintOfTheGrammarIsNotTaken() {
    let editor = EditorOnScreen(["--language"])
    #expect(editor.waitForPrompt())
    editor.press("count\u{1B}[C")
    #expect(Self.texts(editor) == ["probe> count CLASS [RQL]"])
    #expect(editor.screen.cursorColumn == 12)
    // Nothing of it stays.
    editor.expect("\r", reads: "count")
    #expect(editor.screen.texts.first == "probe> count")
  }

  @Test func coloursSettle() {
    let editor = EditorOnScreen(["--language"])
    #expect(editor.waitForPrompt())
    editor.terminal.type("count foo bar")
    #expect(
      editor.terminal.wait { screen in
        let looks = screen.rows[0].cells.map(\.look)
        return looks[7] == [1] && looks[13] == [31] && looks[17] == []
      })
  }

  @Test func nothingHasALookWithoutColour() {
    let folder = TemporaryFolder()
    let history = Self.history(["count Dog"], in: folder)
    let editor = EditorOnScreen(["--language", "--plain"] + history)
    #expect(editor.waitForPrompt())
    editor.press("cou")
    #expect(Self.texts(editor) == ["probe> cou"])
    editor.terminal.type("\u{15}c\t\t")
    #expect(editor.terminal.wait { $0.texts.contains { $0.hasPrefix("> count") } })
    #expect(editor.screen.rows.allSatisfy { $0.cells.allSatisfy { $0.look.isEmpty } })
  }

  // MARK: History

  @Test func upGoesThroughEntriesThatBeginWithTheText() {
    let folder = TemporaryFolder()
    let history = Self.history(["count A", "where B", "count C", "get D"], in: folder)
    let editor = EditorOnScreen(["--plain"] + history)
    #expect(editor.waitForPrompt())
    let expected = [
      ("count", "count"), ("\u{1B}[A", "count C"), ("\u{1B}[A", "count A"),
      ("\u{1B}[A", "count A"), ("\u{1B}[B", "count C"), ("\u{1B}[B", "count"),
      ("\u{15}\u{1B}[A", "get D"), ("\u{1B}[A", "count C"), ("\u{1B}[6~", "get D"),
      ("\u{1B}[6~", ""),
    ]
    for (keys, text) in expected {
      editor.press(keys)
      #expect(editor.screen.texts[0] == (text.isEmpty ? "probe>" : "probe> \(text)"))
    }
  }

  @Test func theSearchFindsOlderEntries() {
    let folder = TemporaryFolder()
    let history = Self.history(["count Dog\nx", "where Dog", "count Cat"], in: folder)
    let editor = EditorOnScreen(["--plain"] + history)
    #expect(editor.waitForPrompt())
    let expected = [
      ("typed\u{12}", ["probe> typed", "search:"]),
      ("do", ["probe> where Dog", "search: do"]),
      ("\u{12}", ["probe> count Dog", "       x", "search: do"]),
      ("\u{12}", ["probe> count Dog", "       x", "search: do  not found"]),
      ("\u{7F}", ["probe> where Dog", "search: d"]),
      ("\u{07}", ["probe> typed"]),
      ("\u{12}CAT", ["probe> count Cat", "search: CAT  not found"]),
      ("\u{7F}\u{7F}\u{7F}cat\r", ["probe> count Cat"]),
    ]
    for (keys, rows) in expected {
      editor.terminal.type(keys)
      #expect(
        editor.terminal.wait(timeoutSeconds: 5) { screen in
          screen.texts.filter { !$0.isEmpty } == rows && !screen.isUpdating
        }, "\(keys.debugDescription): \(Self.texts(editor))")
    }
    // Enter has taken the entry, but not run it.
    editor.expect("!\r", reads: "count Cat!")
  }

  @Test func aCommentIsOnlyRemembered() {
    let editor = EditorOnScreen(["--plain"])
    #expect(editor.waitForPrompt())
    editor.press("count (\u{1B}#")
    #expect(Self.texts(editor) == ["probe> #count (", "probe>"])
    editor.expect("\u{1B}[A\u{01}\u{1B}[3~\u{05})\r", reads: "count ()")
  }

  @Test func theEditorChangesTheLine() {
    let editor = EditorOnScreen(["--language", "--plain"])
    #expect(editor.waitForPrompt())
    editor.expect("abc\u{18}\u{05}!\r", reads: "edited abc!")
  }

  // MARK: Completion

  @Test func oneCandidateIsInserted() {
    let editor = EditorOnScreen(["--language", "--plain"])
    editor.expect("wh\tx\r", reads: "where x")
    // A blank that is there already is passed.
    editor.expect("wh b\u{02}\u{02}\t\u{05}!\r", reads: "where b!")
    editor.expect("xx\t\r", reads: "xx")
  }

  @Test func theMenuIsWalkedThrough() {
    let editor = EditorOnScreen(["--language"], rows: 10, columns: 60)
    #expect(editor.waitForPrompt())
    editor.terminal.type("co\t\t")
    let menu = "  count  5 letters    colour  6 letters    column  6 letters"
    let narrow = ["  count   5 letters    column  6 letters", "  colour  6 letters"]
    #expect(editor.terminal.wait { $0.texts[1] == menu || $0.texts[1] == narrow[0] })
    #expect(editor.screen.cursorRow == 0 && editor.screen.cursorColumn == 9)
    // The chosen one is bold.
    #expect(editor.screen.rows[1].cells[2].look.contains(1))
    editor.terminal.type("\t\u{1B}[B\u{1B}[Z\r")
    #expect(editor.terminal.wait { $0.texts.filter { !$0.isEmpty } == ["probe> colour"] })
    editor.expect("\r", reads: "colour ")
  }

  @Test func anotherKeyClosesTheMenuAndActs() {
    let editor = EditorOnScreen(["--language"], rows: 10, columns: 60)
    for (key, text) in [("\u{1B}", "co"), ("x", "cox"), ("\u{02}!", "c!o"), ("\u{7F}", "c")] {
      #expect(editor.waitForPrompt())
      editor.terminal.type("co\t\t")
      #expect(editor.terminal.wait { $0.texts.contains { $0.hasPrefix("  count") } })
      editor.terminal.type(key)
      #expect(
        editor.terminal.wait { screen in !screen.texts.contains { $0.hasPrefix("  count") } })
      editor.expect("\r", reads: text)
    }
  }

  // MARK: The keys of vi

  @Test func theKeysOfVi() {
    let editor = EditorOnScreen(["--vi", "--plain"])
    editor.expect("abc\u{1B}0x$i-\r", reads: "b-c")
    editor.expect("one two\u{1B}bdwAthree\r", reads: "one three")
    // Keys with sequences do not leave the insert mode.
    editor.expect("ac\u{1B}[Db\r", reads: "abc")
    editor.expect("\u{1B}[A\u{1B}k\r", reads: "one three")
    // Movement goes by clusters there too.
    editor.expect("a👨‍👩‍👧b\u{1B}hhi-\r", reads: "-a👨‍👩‍👧b")
    editor.expect("(\r)\u{1B}kA1\r", reads: "(\n  )1")
  }
}
