import Testing

@testable import LineEditor

/// The bytes that bring the screen from one frame to the next.
struct PainterTests {
  private static let columns = 10

  /// A frame with the prompt `> `, a text, and a hint behind the cursor.
  private func frame(_ text: String, hint: String = "", looks: Int = 0) -> Frame {
    var view = LineView()
    view.prompt = StyledText("> ")
    view.text = Array(text.utf8)
    view.cursor = view.text.count
    view.hint = Array(hint.utf8)
    view.looks = looks > 0 ? [(0..<looks, CellStyle(isBold: true))] : []
    var top = 0
    return view.frame(rows: 5, columns: Self.columns, top: &top)
  }

  /// What is written for the last of some frames, without the marks of an update.
  private func output(_ frames: Frame...) -> String {
    var painter = Painter()
    painter.begin(columns: Self.columns)
    var output: [UInt8] = []
    for frame in frames {
      output = []
      painter.paint(frame, to: &output)
    }
    return String(decoding: output, as: UTF8.self)
      .replacing("\u{1B}[?2026h\u{1B}[?25l", with: "")
      .replacing("\u{1B}[?25h\u{1B}[?2026l", with: "").replacing("\u{1B}", with: "ESC")
  }

  /// A terminal may have broken the rows anew before it tells so: its cursor is then right, and the
  /// start of its row is not that of the text.
  @Test func whatIsTypedAtTheEndIsWrittenAtTheCursor() {
    #expect(output(frame("ab"), frame("abc")) == "cESC[K")
    #expect(output(frame("ab"), frame("ab狗")) == "狗ESC[K")
    #expect(
      output(frame("ab", hint: "xy"), frame("abc", hint: "y"))
        == "cESC[0;2myESC[0mESC[KESC[6G".replacing("ESC[6G", with: "\rESC[6G"))
    #expect(output(frame("abcdefg"), frame("abcdefgh")).hasPrefix("h"))
    #expect(output(frame("abcdefghij"), frame("abcdefghijk")) == "kESC[K")
  }

  @Test func whatChangesBeforeTheCursorIsWrittenFromTheStart() {
    #expect(output(frame("abc"), frame("ab")) == "\r> abESC[K")
    #expect(output(frame("ab"), frame("abc", looks: 2)).hasPrefix("\r> "))
    #expect(output(frame("e"), frame("e\u{301}")).hasPrefix("\r> e\u{301}"))
    // The mark stands on the blank of the prompt until the letter comes before it.
    let mark = frame("", hint: "\u{301}")
    #expect(output(mark, frame("Z", hint: "x")).hasPrefix("\r> Z"))
  }
}
