import Glibc
import TestSupport
import Testing

/// What comes while a line is typed stands above it, whole and in order, and no key is lost.
struct PrintingAboveTests {
  private static func rows(_ screen: TerminalEmulator, startingWith prefix: String) -> [String] {
    screen.allTexts.filter { $0.hasPrefix(prefix) }
  }

  @Test func manyRowsWhileTyping() {
    let editor = EditorOnScreen(rows: 12, columns: 40, printsLines: true)
    #expect(editor.waitForPrompt())
    var typed = ""
    var printed: [String] = []
    while printed.count < 20_000 {
      let rows = (0..<100).map { "~ \(printed.count + $0)" }
      editor.print(rows)
      printed += rows
      let key = "\(printed.count / 100 % 10)"
      editor.terminal.type(key)
      typed += key
    }
    let last = printed.last ?? ""
    #expect(editor.terminal.wait { $0.texts.contains(last) })
    #expect(editor.settle())
    #expect(Self.rows(editor.screen, startingWith: "~") == printed)
    #expect(editor.screen.joinedText.hasSuffix("probe> \(typed)\n" + suffixRows(editor.screen)))
    editor.expect("\r", reads: typed)
  }

  /// The newlines of the empty rows at the bottom.
  private func suffixRows(_ screen: TerminalEmulator) -> String {
    String(repeating: "\n", count: screen.texts.reversed().prefix { $0.isEmpty }.count)
  }

  @Test func insideOfASequenceASearchAndAMenu() {
    let folder = TemporaryFolder()
    let path = folder.write(Array("count Dog\nwhere Cat\n".utf8), to: "history")
    let editor = EditorOnScreen(["--history", path, "--language"], rows: 12, printsLines: true)
    #expect(editor.waitForPrompt())
    editor.press("ab")
    // Between the parts of the sequence for Left.
    editor.terminal.type("\u{1B}")
    editor.print(["~ 1", "~ 2"])
    #expect(editor.terminal.wait { $0.texts.contains("~ 2") })
    editor.press("[D")
    #expect(editor.screen.texts.prefix(3) == ["~ 1", "~ 2", "probe> ab"])
    #expect(editor.screen.cursorColumn == 8)
    // In a search.
    editor.terminal.type("\u{12}dog")
    #expect(editor.terminal.wait { $0.texts.contains("search: dog") })
    editor.print(["~ 3"])
    #expect(editor.terminal.wait { $0.texts.contains("~ 3") && !$0.isUpdating })
    #expect(
      editor.screen.texts.prefix(5) == ["~ 1", "~ 2", "~ 3", "probe> count Dog", "search: dog"])
    #expect(editor.screen.cursorRow == 4 && editor.screen.cursorColumn == 11)
    editor.press("\r\u{15}del\t\t")
    // A menu vanishes with the key that asked for the screen.
    editor.terminal.type("\t")
    #expect(editor.terminal.wait { $0.texts.contains { $0.contains("delegate") } })
    editor.print(["~ 4"])
    #expect(editor.terminal.wait { $0.texts.contains("~ 4") && !$0.isUpdating })
    #expect(
      editor.screen.texts[3...5] == [
        "~ 4", "probe> dele", "  delete  6 letters    delegate  8 letters",
      ])
  }

  @Test func aTextThatFillsTheScreen() {
    let editor = EditorOnScreen(rows: 8, columns: 40, printsLines: true)
    #expect(editor.waitForPrompt())
    let pasted = (1...30).map { "row \($0)" }
    editor.press("\u{1B}[200~" + pasted.joined(separator: "\r") + "\u{1B}[201~")
    #expect(editor.screen.texts == (23...30).map { "       row \($0)" })
    editor.print(["~ 1", "~ 2"])
    #expect(editor.terminal.wait { $0.scrollbackTexts.contains("~ 2") && !$0.isUpdating })
    #expect(editor.settle())
    #expect(editor.screen.scrollbackTexts.suffix(2) == ["~ 1", "~ 2"])
    #expect(editor.screen.texts == (23...30).map { "       row \($0)" })
    // All rows can be reached.
    for number in (1...29).reversed() {
      editor.press("\u{1B}[A")
      let row = editor.screen.texts[editor.screen.cursorRow]
      #expect(row == (number == 1 ? "probe> row 1" : "       row \(number)"))
    }
    #expect(editor.screen.texts.first == "probe> row 1" && editor.screen.cursorRow == 0)
    editor.expect("\r", reads: pasted.joined(separator: "\n"))
  }
}
