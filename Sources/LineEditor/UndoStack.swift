/// Former texts of the line, for the keys of emacs; those of vi have libedit's own undo.
struct UndoStack {
  private static let limit = (texts: 200, bytes: 4 << 20)

  /// The text as it was noted last.
  private(set) var current = TypedText()
  private var former: [TypedText] = []
  private var byteCount = 0
  /// Whether the last change was a word being typed, which is undone as a whole.
  private var isTyping = false

  /// Takes note of the text after a key.
  mutating func note(_ text: TypedText) {
    guard text.bytes != current.bytes else {
      if text.cursor != current.cursor { isTyping = false }
      current.cursor = text.cursor
      return
    }
    let continuesWord = isTyping && isTyped(text)
    isTyping = isTyped(text)
    if !continuesWord { push(current) }
    current = text
  }

  /// Takes the former text; nil if there is none.
  mutating func pop() -> TypedText? {
    guard let last = former.popLast() else { return nil }
    byteCount -= last.bytes.count
    (current, isTyping) = (last, false)
    return last
  }

  /// Whether one key has inserted a character other than a blank.
  private func isTyped(_ text: TypedText) -> Bool {
    let count = text.bytes.count - current.bytes.count
    return (1...4).contains(count) && text.cursor == current.cursor + count
      && text.bytes[current.cursor] > 0x20
  }

  private mutating func push(_ text: TypedText) {
    former.append(text)
    byteCount += text.bytes.count
    while former.count > Self.limit.texts || byteCount > Self.limit.bytes && former.count > 1 {
      byteCount -= former.removeFirst().bytes.count
    }
  }
}
