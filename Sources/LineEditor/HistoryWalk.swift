/// A walk through the history: through the entries that begin with what was typed.
struct HistoryWalk {
  /// The line as it was before the walk.
  let typed: TypedText
  /// The entry shown; the number of entries for the line itself.
  var index: Int
  /// What the walk has put into the line.
  var shown: [UInt8]
}

extension LineEditor {
  /// Shows an older entry; false if there is none.
  func showOlder() -> Bool {
    let text = text
    let entries = history.entries
    var walk = walk(showing: text)
    guard
      let index = entries[..<min(walk.index, entries.count)].lastIndex(where: {
        $0.begins(with: walk.typed.bytes) && !$0.utf8.elementsEqual(text.bytes)
      })
    else { return false }
    walk.index = index
    walk.shown = Array(entries[index].utf8)
    buffer.replace(text, by: entries[index])
    editing.walk = walk
    return true
  }

  /// Shows a newer entry, or the line as it was before the walk; false if there is no walk.
  func showNewer() -> Bool {
    let text = text
    var walk = walk(showing: text)
    let entries = history.entries
    guard walk.index < entries.count else { return false }
    let newer = entries[(walk.index + 1)...].firstIndex {
      $0.begins(with: walk.typed.bytes) && !$0.utf8.elementsEqual(text.bytes)
    }
    if let newer {
      walk.index = newer
      walk.shown = Array(entries[newer].utf8)
      buffer.replace(text, by: entries[newer])
      editing.walk = walk
    } else {
      restore(walk.typed)
      editing.walk = nil
    }
    return true
  }

  /// Puts a former text into the line, with its cursor.
  func restore(_ former: TypedText) {
    buffer.replace(text, by: former.string)
    buffer.move(from: text, to: former.cursor)
  }

  /// The walk that has shown a text, or a new one that begins with it.
  private func walk(showing text: TypedText) -> HistoryWalk {
    if let walk = editing.walk, walk.shown == text.bytes { return walk }
    return HistoryWalk(typed: text, index: history.entries.count, shown: text.bytes)
  }
}
