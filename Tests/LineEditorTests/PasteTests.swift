import TestSupport
import Testing

/// Pasted text goes into the line as it is.
struct PasteTests {
  private static func pasted(_ text: String) -> String { "\u{1B}[200~\(text)\u{1B}[201~" }

  @Test func tabsAndNewlinesDoNothing() {
    let editor = EditorOnScreen(["--language"])
    #expect(editor.waitForPrompt())
    editor.press(Self.pasted("cou\tx\r\ncount\ry\nz"))
    #expect(
      editor.screen.texts.prefix(4)
        == ["probe> cou      x", "       count", "       y", "       z"])
    editor.expect("\r", reads: "cou\tx\ncount\ny\nz")
  }

  @Test func theMiddleOfALine() {
    let editor = EditorOnScreen()
    #expect(editor.waitForPrompt())
    editor.expect("ad\u{02}" + Self.pasted("bc\u{1B}[1m") + "\r", reads: "abc\u{1B}[1md")
  }

  @Test func anInterruptEndsAPasteThatHasNoEnd() {
    let editor = EditorOnScreen()
    #expect(editor.waitForPrompt())
    editor.terminal.type("\u{1B}[200~abc")
    editor.terminal.type("\u{03}")
    #expect(editor.terminal.wait { $0.texts.contains("interrupted") && $0.marksPaste })
    editor.expect("next\r", reads: "next")
  }

  @Test func fiveThousandRows() {
    let editor = EditorOnScreen(["--silent"], rows: 24, columns: 80)
    #expect(editor.waitForPrompt())
    let rows = (1...5000).map { "row \($0) of a statement that has very many rows" }
    let text = rows.joined(separator: "\r")
    #expect(text.utf8.count > 200_000)
    editor.press(Self.pasted(text))
    #expect(editor.screen.texts.last == "       " + (rows.last ?? ""))
    #expect(editor.screen.texts.first == "       " + rows[5000 - 24])
    // The cursor moves and text is inserted far from the end.
    editor.press("\u{01}\u{01}>")
    #expect(editor.screen.texts.first == "probe> >" + rows[0])
    #expect(editor.screen.cursorRow == 0 && editor.screen.cursorColumn == 8)
    editor.press("\u{1B}[B\u{7F}狗")
    #expect(editor.screen.texts[1] == "       狗" + rows[1].dropFirst())
    editor.terminal.type("\r")
    #expect(editor.terminal.wait { $0.texts.last == "probe>" && !$0.isUpdating })
  }
}
