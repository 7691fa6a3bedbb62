/// Dim text behind the cursor.
struct Hint {
  /// The text that it belongs to.
  var text: TypedText
  /// What is shown.
  var shown = ""
  /// What can be taken into the line; empty for what the grammar expects.
  var rest: [UInt8] = []
}

extension LineEditor {
  /// The hint for a text: the rest of the newest entry that begins with it, else what the grammar
  /// expects.
  func hint(for text: TypedText) -> Hint {
    if let hint = editing.hint, hint.text == text { return hint }
    let hint = makeHint(for: text)
    editing.hint = hint
    return hint
  }

  private func makeHint(for text: TypedText) -> Hint {
    var hint = Hint(text: text)
    guard options.showsHints, options.usesColor, text.isAtEnd,
      text.bytes.count <= Self.assistedByteCount
    else { return hint }
    if !text.bytes.isEmpty, let entry = history.newestEntry(beginningWith: text.bytes) {
      hint.rest = Array(entry[text.bytes.count...])
      let row = hint.rest.prefix { $0 != 0x0A }
      hint.shown = String(decoding: row, as: UTF8.self)
      if row.count < hint.rest.count { hint.shown += " …" }
    } else if let expected = assistance.hint(text.string) {
      hint.shown = String(expected.prefix { !$0.isNewline })
    }
    return hint
  }

  /// Takes what the hint says into the line; false if there is nothing to take.
  func takeHint() -> Bool {
    let hint = hint(for: text)
    buffer.insert(String(decoding: hint.rest, as: UTF8.self))
    return !hint.rest.isEmpty
  }

  /// Takes the next word of the hint; false if there is nothing to take.
  func takeWordOfHint() -> Bool {
    let hint = hint(for: text)
    let whole = TypedText(bytes: hint.text.bytes + hint.rest)
    let end = whole.wordEnd(after: hint.text.cursor)
    guard !hint.rest.isEmpty else { return false }
    buffer.insert(String(decoding: whole.bytes[hint.text.cursor..<end], as: UTF8.self))
    return true
  }
}

extension LineHistory {
  /// The bytes of the newest entry that goes on where a text ends; not one that has failed, and not
  /// one that adds only a part of a cluster.
  fileprivate func newestEntry(beginningWith text: [UInt8]) -> [UInt8]? {
    for entry in entries.reversed() where entry.begins(with: text) && !hasFailed(entry) {
      let bytes = Array(entry.utf8)
      if bytes.count > text.count, TypedText(bytes: bytes).isBoundary(text.count) { return bytes }
    }
    return nil
  }
}

extension String {
  /// Whether the text begins with bytes; without the rules of Unicode, so that each costs little.
  func begins(with bytes: [UInt8]) -> Bool {
    guard utf8.count >= bytes.count else { return false }
    return utf8.withContiguousStorageIfAvailable { $0.starts(with: bytes) }
      ?? utf8.starts(with: bytes)
  }
}
