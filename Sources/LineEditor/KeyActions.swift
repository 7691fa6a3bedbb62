import ByteKernels

// What the functions do that keys are bound to. Source: shell.md 21.

extension LineEditor {
  // MARK: Ending

  /// Enters a complete statement, else opens a row.
  func enter() -> KeyFunction.Outcome {
    let text = text
    guard assistance.isComplete(text.string) else {
      openRow()
      return .done
    }
    // An empty line would look like the end of the input.
    buffer.move(from: text, to: text.bytes.count)
    buffer.insert("\n")
    editing.isEntered = true
    leaveLine()
    return .newline
  }

  /// Opens a row at the cursor, indented by the brackets that are open there.
  func openRow() {
    let text = text
    let before = String(decoding: text.bytes[..<text.cursor], as: UTF8.self)
    let depth = max(0, assistance.openBrackets(before))
    buffer.insert("\n" + String(repeating: "  ", count: min(depth, 100)))
  }

  /// Leaves if the line is empty, else deletes the character under the cursor.
  func deleteOrLeave() -> KeyFunction.Outcome {
    guard text.bytes.isEmpty else {
      deleteRight()
      return .done
    }
    leaveLine()
    return .endOfFile
  }

  /// Makes the line a comment that is only remembered.
  func comment() -> KeyFunction.Outcome {
    buffer.move(from: text, to: 0)
    buffer.insert("#")
    let comment = text.string
    editing.isComment = true
    leaveLine()
    if assistance.mayBeKept(comment) { remember(comment) }
    // An empty line would look like the end of the input.
    buffer.insert("\n")
    return .newline
  }

  // MARK: Movements

  func moveLeft() {
    move { $0.clusterStart(before: $0.cursor) }
  }

  /// At the end of the text the hint is taken.
  func moveRight() {
    if !text.isAtEnd || !takeHint() { move { $0.clusterEnd(after: $0.cursor) } }
  }

  func moveWordLeft() {
    move { $0.wordStart(before: $0.cursor) }
  }

  /// At the end of the text a word of the hint is taken.
  func moveWordRight() {
    if !text.isAtEnd || !takeWordOfHint() { move { $0.wordEnd(after: $0.cursor) } }
  }

  func moveHome() {
    move { text in
      let start = text.rowStart(of: text.cursor)
      return start == text.cursor ? 0 : start
    }
  }

  /// At the end of the text the hint is taken.
  func moveEnd() {
    guard !text.isAtEnd || !takeHint() else { return }
    move { text in
      let end = text.rowEnd(of: text.cursor)
      return end == text.cursor ? text.bytes.count : end
    }
  }

  /// Goes to the row above; from the first one to an older entry.
  func moveUp() {
    let text = text
    let start = text.rowStart(of: text.cursor)
    guard start > 0 else { return showOlderOrRing() }
    moveToRow(at: text.rowStart(of: start - 1), of: text)
  }

  /// Goes to the row below; from the last one to a newer entry.
  func moveDown() {
    let text = text
    let end = text.rowEnd(of: text.cursor)
    guard end < text.bytes.count else { return showNewerOrRing() }
    moveToRow(at: end + 1, of: text)
  }

  func showOlderOrRing() {
    if !showOlder() { ring() }
  }

  func showNewerOrRing() {
    if !showNewer() { ring() }
  }

  private func moveToRow(at start: Int, of text: TypedText) {
    var column = text.column
    if let goal = editing.goal, goal.text == text { column = goal.column }
    buffer.move(from: text, to: text.place(inRowAt: start, column: column))
    editing.goal = (self.text, column)
  }

  private func move(to place: (TypedText) -> Int) {
    let text = text
    buffer.move(from: text, to: place(text))
  }

  // MARK: Deletions

  func deleteLeft() {
    let text = text
    buffer.delete(text.clusterStart(before: text.cursor)..<text.cursor, of: text)
  }

  func deleteRight() {
    let text = text
    buffer.delete(text.cursor..<text.clusterEnd(after: text.cursor), of: text)
  }

  func killWordLeft() {
    kill { $0.wordStart(before: $0.cursor)..<$0.cursor }
  }

  func killWordRight() {
    kill { $0.cursor..<$0.wordEnd(after: $0.cursor) }
  }

  /// Cuts to the end of the row; at its end, the newline.
  func killToRowEnd() {
    kill { text in
      let end = text.rowEnd(of: text.cursor)
      return text.cursor..<(end == text.cursor ? min(end + 1, text.bytes.count) : end)
    }
  }

  func killToRowStart() {
    kill { $0.rowStart(of: $0.cursor)..<$0.cursor }
  }

  func killAll() {
    kill { 0..<$0.bytes.count }
  }

  /// Cuts a part of the text; cuts in a row are joined.
  private func kill(_ range: (TypedText) -> Range<Int>) {
    let text = text
    let range = range(text)
    guard !range.isEmpty else { return }
    let cut = String(decoding: text.bytes[range], as: UTF8.self)
    if editing.textAfterKill != text {
      killed = cut
    } else if range.lowerBound < text.cursor {
      killed = cut + killed
    } else {
      killed += cut
    }
    buffer.delete(range, of: text)
    editing.textAfterKill = self.text
  }

  func yank() {
    buffer.insert(killed)
  }

  func undo() {
    if let former = editing.undo.pop() { restore(former) } else { ring() }
  }

  // MARK: Others

  func showHelp() {
    let text = text
    if let help = assistance.help(text.string, text.cursor) { printAbove(help) } else { ring() }
  }

  /// Lets the user change the line in the program of his choice.
  func edit() {
    let text = text
    var edited: String?
    suspendingLine { edited = assistance.edit(text.string) }
    if let edited { buffer.replace(self.text, by: edited) }
  }
}
