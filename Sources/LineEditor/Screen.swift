import CLibEdit
import Glibc

/// What the editor knows about the screen.
struct Screen {
  var size = Terminal.Size(rows: 24, columns: 80)
  var painter = Painter()
  var prompt = StyledText("")
  /// The first row of the text that is shown, if there are more than fit.
  var top = 0
  /// Rows below the text, such as a menu.
  var footer: [[Cell]] = []
  /// The cursor's column in the last of these rows, if it stands there.
  var footerCursor: Int?
  /// A part of the text that is marked instead of its colours, such as what a search has found.
  var markedRange: Range<Int>?
  /// The last colours of the text.
  var highlighting: Highlighting?
  /// When the colours are to be made final, on the monotonic clock.
  var settlingTime: UInt64?

  /// Colours of a text.
  struct Highlighting {
    var text: TypedText
    var isSettled: Bool
    var looks: [(range: Range<Int>, style: CellStyle)]
  }
}

extension LineEditor {
  /// Longer texts are neither coloured nor hinted at, so that each key is quick.
  static let assistedByteCount = 32 << 10
  /// How long after a key the colours that need more time are made.
  private static let settlingNanoseconds: UInt64 = 30_000_000

  /// The text in the line.
  var text: TypedText { buffer.text }

  // MARK: Painting

  /// Begins a line at the cursor's row.
  func startShowing() {
    screen.size = Terminal.size
    screen.painter.begin(columns: screen.size.columns)
    screen.top = 0
    clearFooter()
    Terminal.write(Array("\u{1B}[?2004h".utf8))
  }

  /// Makes the screen show the line as it is now.
  func paint() {
    var output: [UInt8] = []
    if !followSize(&output) {
      let frame = frame(of: text, withHint: true)
      screen.painter.paint(frame, to: &output)
    }
    if takeBell() { output.append(0x07) }
    if !output.isEmpty { Terminal.write(output) }
  }

  /// Writes text above the line.
  func printAbove(_ text: String) {
    guard !text.isEmpty else { return }
    var output: [UInt8] = []
    _ = followSize(&output)
    let frame = frame(of: self.text, withHint: true)
    screen.painter.print(text, above: frame, to: &output)
    Terminal.write(output)
  }

  /// Shows the line for the last time and goes to the row below it; does nothing when that has been
  /// done.
  ///
  /// - Parameter mark: Written behind the line.
  func leaveLine(mark: String = "") {
    guard !editing.hasLeft else { return }
    editing.hasLeft = true
    Terminal.write(goBelow(mark: mark) + Array("\u{1B}[?2004l".utf8))
  }

  /// The bytes that show the line without hint and menu, and go to the row below it.
  private func goBelow(mark: String) -> [UInt8] {
    clearFooter()
    var text = text
    // A newline at the end is Enter.
    if editing.isEntered, text.bytes.last == 0x0A { text.bytes.removeLast() }
    text.cursor = text.bytes.count
    var output: [UInt8] = []
    _ = followSize(&output)
    screen.painter.leave(frame(of: text, withHint: false), ending: mark, to: &output)
    return output
  }

  /// Gives the terminal to somebody else while `body` runs.
  func suspendingLine(_ body: () -> Void) {
    Terminal.write(goBelow(mark: "") + Array("\u{1B}[?2004l".utf8))
    _ = editline_set_raw_mode(handle, 0)
    body()
    _ = editline_set_raw_mode(handle, 1)
    el_resize(handle)
    let top = screen.top
    startShowing()
    screen.top = top
  }

  /// Clears the screen and shows the line at its top.
  func clearScreen() {
    var output: [UInt8] = []
    screen.painter.clearScreen(to: &output)
    Terminal.write(output)
  }

  func clearFooter() {
    screen.footer = []
    screen.footerCursor = nil
    screen.markedRange = nil
  }

  /// Paints anew if the window has another size; false if it has not.
  private func followSize(_ output: inout [UInt8]) -> Bool {
    let size = Terminal.size
    guard size != screen.size else { return false }
    screen.size = size
    el_resize(handle)
    screen.painter.resize(rows: size.rows, columns: size.columns)
    screen.painter.print("", above: frame(of: text, withHint: true), to: &output)
    return true
  }

  private func frame(of text: TypedText, withHint: Bool) -> Frame {
    var view = LineView()
    view.prompt = screen.prompt
    view.text = text.bytes
    view.cursor =
      text.isBoundary(text.cursor)
      ? text.cursor : text.clusterRange(around: text.cursor).upperBound
    view.usesColor = options.usesColor
    view.looks = looks(of: text, isLast: !withHint)
    view.footer = screen.footer
    view.footerCursor = screen.footerCursor
    if withHint, screen.footer.isEmpty { view.hint = Array(hint(for: text).shown.utf8) }
    return view.frame(rows: screen.size.rows, columns: screen.size.columns, top: &screen.top)
  }

  // MARK: Colours

  private func looks(
    of text: TypedText, isLast: Bool
  ) -> [(range: Range<Int>, style: CellStyle)] {
    guard options.usesColor else { return [] }
    if let marked = screen.markedRange { return [(marked, CellStyle(isUnderlined: true))] }
    guard options.highlights, text.bytes.count <= Self.assistedByteCount else { return [] }
    if screen.highlighting?.text != text {
      highlight(text, isSettled: isLast)
    }
    let looks = screen.highlighting?.looks ?? []
    // The bracket that matches the one before the cursor is of no interest any more.
    return isLast ? looks.map { ($0.range, $0.style.withoutLine) } : looks
  }

  private func highlight(_ text: TypedText, isSettled: Bool) {
    let looks = assistance.highlight(text.string, text.cursor, isSettled)
    screen.highlighting = Screen.Highlighting(
      text: text, isSettled: isSettled, looks: looks.map { ($0.range, CellStyle($0.style)) })
    screen.settlingTime = isSettled ? nil : Self.now + Self.settlingNanoseconds
  }

  /// Milliseconds until the colours are to be made final; -1 if they are.
  var millisecondsToSettling: Int32 {
    guard let time = screen.settlingTime else { return -1 }
    let now = Self.now
    return now >= time ? 0 : Int32(clamping: (time - now) / 1_000_000 + 1)
  }

  /// Makes the colours final if their time has come.
  func settleColors() {
    guard let time = screen.settlingTime, Self.now >= time else { return }
    screen.settlingTime = nil
    if let highlighting = screen.highlighting, !highlighting.isSettled {
      highlight(highlighting.text, isSettled: true)
    }
  }

  private static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

extension CellStyle {
  fileprivate var withoutLine: CellStyle {
    var style = self
    style.isUnderlined = false
    return style
  }
}
