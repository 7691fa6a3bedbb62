import TestSupport
import Testing

/// Long sessions of random keys, with rows printed above meanwhile: after each step the screen is
/// what a simple model of the text says.
///
/// EDITOR_STEPS is the number of steps in each window.
struct RandomSessionTests {
  private static let steps = TestScale.number("EDITOR_STEPS", standard: 500)

  @Test(arguments: [(24, 80), (14, 50), (18, 31), (12, 23)])
  func theScreenIsAsTheModelSays(rows: Int, columns: Int) {
    let random = SplitMix64.fresh(for: "session \(columns)x\(rows)")
    var session = RandomSession(rows: rows, columns: columns, random: random)
    guard session.start() else { return }
    for number in 0..<Self.steps {
      guard session.step(number) else { return }
    }
  }
}

/// A session with its model.
private struct RandomSession {
  private let editor: EditorOnScreen
  private var random: SplitMix64
  private var screen: ScreenModel
  private var text = TextModel()
  private var printedCount = 0
  private var canResize = true
  private let hasHints: Bool

  init(rows: Int, columns: Int, random: SplitMix64) {
    self.random = random
    hasHints = self.random.next() % 2 == 0
    screen = ScreenModel(rows: rows, columns: columns)
    editor = EditorOnScreen(
      ["--silent"] + (hasHints ? [] : ["--plain"]), rows: rows, columns: columns,
      printsLines: true)
    text.width = { character in
      let first = character.unicodeScalars.first?.value ?? 0
      if first < 0x20 { return 1 }
      return 0x300...0x36F ~= first
        ? 0
        : first > 0x1F000 || 0x4E00...0x9FFF ~= first
          || character.unicodeScalars.contains("\u{FE0F}") ? 2 : 1
    }
  }

  mutating func start() -> Bool {
    let isReady = editor.waitForPrompt()
    #expect(isReady)
    return isReady && check("start")
  }

  /// Does something and looks at the screen.
  mutating func step(_ number: Int) -> Bool {
    // The key with which the screen was asked for has moved the cursor out of a cluster.
    text.cursor = text.cursor
    let name: String
    switch random.next() % 100 {
    case 0..<45: name = type()
    case 45..<70: name = pressKey()
    case 70..<76: name = deleteSomething()
    case 76..<82: name = paste()
    case 82..<92: name = printAbove()
    case 92..<95: name = resize()
    case 95: name = clear()
    case 96: name = interrupt()
    default: name = enter()
    }
    return check("step \(number): \(name)")
  }

  // MARK: Steps

  private static let alphabet = [
    "a", "b", "Z", "0", " ", ".", "(", ")", "狗", "中", "e\u{301}", "é", "😀", "👨‍👩‍👧", "🇩🇪",
    "👋🏽", "❤️", "a\u{300}\u{316}", "\u{301}",
  ]

  /// The same without what terminals disagree about, alone or behind something else.
  private static let undisputed = alphabet.filter { !["\u{301}", "❤️"].contains($0) }

  private mutating func someText(
    _ count: ClosedRange<Int>, of alphabet: [String] = Self.alphabet
  ) -> String {
    (0..<Int.random(in: count, using: &random)).map { _ in
      alphabet.randomElement(using: &random) ?? ""
    }.joined()
  }

  private mutating func type() -> String {
    let typed = someText(1...6)
    for character in typed {
      editor.terminal.type(String(character))
    }
    text.type(typed)
    return "type \(typed.debugDescription)"
  }

  private mutating func pressKey() -> String {
    let keys: [(String, (inout TextModel) -> Void)] = [
      ("\u{1B}[D", { $0.cursor = max(0, $0.cursor - 1) }),
      ("\u{02}", { $0.cursor = max(0, $0.cursor - 1) }),
      ("\u{1B}[C", { [hasHints] in Self.right(&$0, hasHints) }),
      ("\u{1B}[H", { $0.cursor = $0.cursor == $0.rowStart ? 0 : $0.rowStart }),
      ("\u{05}", { [hasHints] in Self.end(&$0, hasHints) }),
      ("\u{1B}b", { $0.cursor = $0.wordStart }),
      ("\u{1B}f", { [hasHints] in Self.wordRight(&$0, hasHints) }),
      ("\u{1B}[A", { $0.up() }), ("\u{1B}[A", { $0.up() }), ("\u{10}", { $0.up() }),
      ("\u{1B}[B", { $0.down() }), ("\u{1B}[B", { $0.down() }),
      ("\u{19}", { $0.insert($0.killed) }), ("\u{1B}\r", { $0.openRow() }),
    ]
    let (key, action) = keys[Int(random.next() % UInt64(keys.count))]
    if random.next() % 8 == 0, key.hasPrefix("\u{1B}[") {
      // Rows come while the key is read only in part.
      editor.terminal.type("\u{1B}")
      let name = printAbove()
      editor.terminal.type(String(key.dropFirst()))
      action(&text)
      return "\(key.debugDescription) with \(name)"
    }
    editor.terminal.type(key)
    action(&text)
    return key.debugDescription
  }

  private static func right(_ text: inout TextModel, _ hasHints: Bool) {
    if text.isAtEnd, hasHints {
      text.insert(text.hint.rest)
    } else {
      text.cursor = min(text.text.count, text.cursor + 1)
    }
  }

  private static func end(_ text: inout TextModel, _ hasHints: Bool) {
    if text.isAtEnd, hasHints {
      text.insert(text.hint.rest)
    } else {
      text.cursor = text.cursor == text.rowEnd ? text.text.count : text.rowEnd
    }
  }

  private static func wordRight(_ text: inout TextModel, _ hasHints: Bool) {
    guard text.isAtEnd, hasHints else {
      text.cursor = text.wordEnd
      return
    }
    var whole = text
    whole.insert(text.hint.rest)
    whole.cursor = text.cursor
    text.insert(String(whole.clusters[text.cursor..<whole.wordEnd]))
  }

  private mutating func deleteSomething() -> String {
    let keys: [(String, (inout TextModel) -> Void)] = [
      ("\u{7F}", { $0.remove(max(0, $0.cursor - 1)..<$0.cursor) }),
      ("\u{1B}[3~", { $0.remove($0.cursor..<min($0.text.count, $0.cursor + 1)) }),
      ("\u{17}", { $0.kill($0.wordStart..<$0.cursor) }),
      (
        "\u{0B}",
        {
          $0.kill(
            $0.cursor..<($0.rowEnd == $0.cursor ? min($0.text.count, $0.cursor + 1) : $0.rowEnd))
        }
      ),
      ("\u{15}", { $0.kill(0..<$0.text.count) }),
    ]
    let (key, action) = keys[Int(random.next() % UInt64(keys.count))]
    editor.terminal.type(key)
    action(&text)
    return key.debugDescription
  }

  private mutating func paste() -> String {
    var pasted = (0..<Int.random(in: 1...4, using: &random)).map { _ in someText(0...12) }
      .joined(separator: "\n")
    if random.next() % 4 == 0 { pasted += "\tb\u{01}c" }
    editor.terminal.type("\u{1B}[200~\(pasted.replacing("\n", with: "\r"))\u{1B}[201~")
    text.insert(pasted)
    return "paste \(pasted.debugDescription)"
  }

  private mutating func printAbove() -> String {
    let lines = (0..<Int.random(in: 1...4, using: &random)).map { _ in
      printedCount += 1
      // A terminal breaks rows anywhere; what it thinks of disputed widths does not matter here.
      return "~ \(printedCount) " + someText(0...30, of: Self.undisputed)
    }
    for line in lines { screen.print(line) }
    editor.print(lines)
    let mark = "~ \(printedCount)"
    #expect(
      editor.terminal.wait { screen in
        (screen.scrollbackTexts.suffix(8) + screen.texts).contains { $0.hasPrefix(mark) }
      })
    return "print \(lines)"
  }

  private mutating func resize() -> String {
    let rows = Int.random(in: 8...26, using: &random)
    let columns = Int.random(in: 20...90, using: &random)
    let shown = frame().rows
    guard canResize, editor.settle(), screen.fits(shown, rows: rows, columns: columns) else {
      return "no resize"
    }
    editor.terminal.resize(rows: rows, columns: columns)
    (screen.rows, screen.columns) = (rows, columns)
    return "resize to \(columns)x\(rows)"
  }

  private mutating func clear() -> String {
    guard random.next() % 4 == 0 else { return "nothing" }
    // A row whose continuation is gone would be joined with another one.
    canResize = false
    _ = editor.settle()
    screen.clear(keeping: editor.screen.scrollback.count)
    editor.terminal.type("\u{0C}")
    return "clear"
  }

  private mutating func interrupt() -> String {
    _ = editor.settle()
    editor.terminal.type("\u{03}")
    screen.leave(text.text, mark: "^C")
    screen.print("interrupted")
    text.empty()
    let count = screen.lines.count { $0.map(\.text).joined() == "interrupted" }
    #expect(
      editor.terminal.wait { screen in
        screen.marksPaste && !screen.isUpdating
          && screen.allTexts.count { $0 == "interrupted" } >= count
      })
    return "interrupt"
  }

  private mutating func enter() -> String {
    editor.terminal.type("\r")
    guard text.openBrackets == 0 else {
      text.openRow()
      return "open a row"
    }
    screen.leave(text.text)
    text.enter()
    return "enter"
  }

  // MARK: Comparison

  private mutating func frame() -> (rows: [ScreenModel.Row], cursor: (row: Int, column: Int)) {
    screen.frame(
      of: text.text, cursor: text.cursor, hint: hasHints ? text.hint.shown : "")
  }

  /// Compares all rows, those that have left the screen too, and the cursor.
  private mutating func check(_ name: String) -> Bool {
    guard editor.settle() else {
      Issue.record("\(name): no answer; \(editor.screen.failure ?? "") \(editor.screen.texts)")
      return false
    }
    let (rows, cursor) = frame()
    let expected = screen.textsAbove + rows.map(\.text)
    var shown = editor.screen.allTexts
    while shown.count > expected.count, shown.last == "" { shown.removeLast() }
    let place = (
      editor.screen.scrollback.count + editor.screen.cursorRow - screen.textsAbove.count,
      editor.screen.cursorColumn
    )
    guard shown == expected, place == (cursor.row, cursor.column) else {
      let size = "\(editor.screen.columns)x\(editor.screen.rows.count)"
      Issue.record(
        """
        \(name), \(size): cursor \(place), expected \(cursor)
        \(Self.difference(shown, expected))
        text \(text.text.debugDescription), cursor \(text.cursor)
        """)
      return false
    }
    return true
  }

  private static func difference(_ shown: [String], _ expected: [String]) -> String {
    let first = zip(shown, expected).prefix { $0 == $1 }.count
    return """
      \(shown.count) rows, expected \(expected.count), first difference in row \(first)
      shown    \(shown[max(0, first - 1)...].prefix(8))
      expected \(expected[max(0, first - 1)...].prefix(8))
      """
  }
}
