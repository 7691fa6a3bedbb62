extension LineEditor {
  /// Searches the history for what is typed meanwhile.
  ///
  /// The entry found stands in the line, with what was looked for marked; the text looked for
  /// stands below. Source: shell.md 21 (Ctrl-R).
  func search() {
    var search = HistorySearch(typed: text)
    defer { clearFooter() }
    while true {
      show(search)
      guard let press = readKey() else { return }
      switch press.key {
      case .character(let scalar):
        search.pattern.unicodeScalars.append(scalar)
        search.find(in: history.entries, from: search.index ?? history.entries.count - 1)
      case .backspace:
        search.pattern = String(search.pattern.dropLast())
        search.find(in: history.entries, from: history.entries.count - 1)
      case .other where press.scalars == ["\u{12}"]:
        search.find(in: history.entries, from: (search.index ?? history.entries.count) - 1)
      case .escape,
        .other where press.scalars == ["\u{07}"]:
        restore(search.typed)
        return
      case .enter:
        buffer.move(from: text, to: text.bytes.count)
        return
      default:
        // Any other key takes the entry and acts on it.
        input.putBack(press.scalars)
        return
      }
    }
  }

  private func show(_ search: HistorySearch) {
    let text = text
    if let index = search.index, let match = search.match {
      let entry = history.entries[index]
      if !entry.utf8.elementsEqual(text.bytes) { buffer.replace(text, by: entry) }
      buffer.move(from: self.text, to: match.lowerBound)
    } else if text != search.typed {
      restore(search.typed)
    }
    screen.markedRange = search.match
    var row = FooterRow(columns: screen.size.columns - 1)
    row.append("search: ", .dim)
    row.append(search.pattern, .plain)
    screen.footerCursor = row.width
    if search.hasFailed { row.append("  not found", .dim) }
    screen.footer = [row.cells]
  }
}

/// What has been looked for in the history, and what was found.
struct HistorySearch {
  /// The line as it was before the search.
  let typed: TypedText
  var pattern = ""
  /// The entry found.
  private(set) var index: Int?
  /// Where the pattern stands in it.
  private(set) var match: Range<Int>?
  /// Whether the last look has found nothing; what was found before stays.
  private(set) var hasFailed = false

  init(typed: TypedText) {
    self.typed = typed
  }

  /// Looks for the newest entry at or before a place that has the pattern in it.
  mutating func find(in entries: [String], from start: Int) {
    guard !pattern.isEmpty else {
      (index, match, hasFailed) = (nil, nil, false)
      return
    }
    let ignoresCase = !pattern.contains(where: \.isUppercase)
    let wanted = Self.folded(pattern, ignoresCase)
    var place = min(start, entries.count - 1)
    while place >= 0 {
      if let range = Self.lastRange(of: wanted, in: Self.folded(entries[place], ignoresCase)) {
        (index, match, hasFailed) = (place, range, false)
        return
      }
      place -= 1
    }
    hasFailed = true
  }

  /// The bytes of a text, ASCII letters in lower case if case does not matter.
  private static func folded(_ text: String, _ ignoresCase: Bool) -> [UInt8] {
    guard ignoresCase else { return Array(text.utf8) }
    return text.utf8.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
  }

  private static func lastRange(of wanted: [UInt8], in bytes: [UInt8]) -> Range<Int>? {
    var start = bytes.count - wanted.count
    while start >= 0 {
      if bytes[start] == wanted[0], bytes[start...].starts(with: wanted) {
        return start..<start + wanted.count
      }
      start -= 1
    }
    return nil
  }
}
