/// What the keys do to the text, cluster by cluster.
struct TextModel {
  var text = ""
  /// Characters before the cursor, which may stand inside of a cluster after an insertion.
  private var place = 0
  /// Clusters before the cursor, or before and around it.
  var cursor: Int {
    get {
      var rest = place
      var count = 0
      for cluster in text where rest > 0 {
        rest -= cluster.unicodeScalars.count
        count += 1
      }
      return count
    }
    set { place = text.prefix(newValue).unicodeScalars.count }
  }
  var killed = ""
  private var textAfterKill: String?
  private(set) var history: [String] = []
  private var walk: (typed: String, cursor: Int, index: Int, shown: String)?
  private var goal: (text: String, cursor: Int, column: Int)?
  /// Columns of a cluster.
  var width: (Character) -> Int = { _ in 1 }

  var clusters: [Character] { Array(text) }
  var isAtEnd: Bool { cursor == text.count }
  var openBrackets: Int { Self.openBrackets(text) }

  private static func openBrackets(_ text: String) -> Int {
    max(0, text.utf8.count { $0 == 0x28 } - text.utf8.count { $0 == 0x29 })
  }

  /// What is shown behind the text, and what can be taken of it.
  var hint: (shown: String, rest: String) {
    guard isAtEnd, !text.isEmpty,
      let entry = history.last(where: { entry in
        entry.count > text.count && entry.hasPrefix(text) && entry.utf8.starts(with: text.utf8)
      })
    else { return ("", "") }
    let rest = String(entry.dropFirst(text.count))
    let row = rest.prefix { $0 != "\n" }
    return (row.count < rest.count ? row + " …" : String(row), rest)
  }

  // MARK: Changes

  mutating func insert(_ inserted: String) {
    cursor = cursor
    type(inserted)
  }

  /// Inserts text where the cursor is, even inside of a cluster.
  mutating func type(_ typed: String) {
    var scalars = text.unicodeScalars
    let index = scalars.index(scalars.startIndex, offsetBy: place)
    scalars.insert(contentsOf: typed.unicodeScalars, at: index)
    text = String(scalars)
    place += typed.unicodeScalars.count
  }

  mutating func remove(_ range: Range<Int>) {
    let all = clusters
    text = String(all[..<range.lowerBound] + all[range.upperBound...])
    // What follows may join the cluster before it.
    place = all[..<range.lowerBound].reduce(0) { $0 + $1.unicodeScalars.count }
  }

  mutating func kill(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    let cut = String(clusters[range])
    if textAfterKill != "\(place) \(text)" {
      killed = cut
    } else if range.lowerBound < cursor {
      killed = cut + killed
    } else {
      killed += cut
    }
    remove(range)
    textAfterKill = "\(place) \(text)"
  }

  mutating func openRow() {
    let depth = Self.openBrackets(String(clusters[..<cursor]))
    insert("\n" + String(repeating: "  ", count: depth))
  }

  /// Enters the text into the history and empties the line.
  mutating func enter() {
    if let first = text.utf8.first, first != 0x20, first != 0x09, text != history.last {
      history.append(text)
    }
    empty()
  }

  mutating func empty() {
    (text, place, walk, goal, textAfterKill) = ("", 0, nil, nil, nil)
  }

  // MARK: Places

  var rowStart: Int { (clusters[..<cursor].lastIndex(of: "\n") ?? -1) + 1 }
  var rowEnd: Int { clusters[cursor...].firstIndex(of: "\n") ?? clusters.count }

  var wordEnd: Int {
    var place = cursor
    while place < clusters.count, !isWord(clusters[place]) { place += 1 }
    while place < clusters.count, isWord(clusters[place]) { place += 1 }
    return place
  }

  var wordStart: Int {
    var place = cursor
    while place > 0, !isWord(clusters[place - 1]) { place -= 1 }
    while place > 0, isWord(clusters[place - 1]) { place -= 1 }
    return place
  }

  private func isWord(_ cluster: Character) -> Bool {
    guard let first = cluster.unicodeScalars.first else { return false }
    return first == "." || first.properties.isAlphabetic || first.properties.numericType != nil
  }

  // MARK: Rows and history

  mutating func up() {
    guard rowStart > 0 else { return older() }
    let column = column
    let start = (clusters[..<(rowStart - 1)].lastIndex(of: "\n") ?? -1) + 1
    goTo(row: start, column: column)
  }

  mutating func down() {
    guard rowEnd < clusters.count else { return newer() }
    let column = column
    goTo(row: rowEnd + 1, column: column)
  }

  private var column: Int {
    if let goal, goal.text == text, goal.cursor == cursor { return goal.column }
    return clusters[rowStart..<cursor].reduce(0) { $0 + width($1) }
  }

  private mutating func goTo(row start: Int, column: Int) {
    cursor = start
    var rest = column
    while cursor < clusters.count, clusters[cursor] != "\n", width(clusters[cursor]) <= rest {
      rest -= width(clusters[cursor])
      cursor += 1
    }
    goal = (text, cursor, column)
  }

  mutating func older() {
    let typed = walk?.shown == text ? walk?.typed ?? text : text
    let start = walk?.shown == text ? walk?.index ?? 0 : history.count
    let place = walk?.shown == text ? walk?.cursor ?? 0 : cursor
    let found = history[..<start].lastIndex {
      $0.utf8.starts(with: typed.utf8) && $0 != text
    }
    guard let found else { return }
    walk = (typed, place, found, history[found])
    show(history[found], history[found].count)
  }

  mutating func newer() {
    guard let walk, walk.shown == text else { return }
    let found = history[(walk.index + 1)...].firstIndex {
      $0.utf8.starts(with: walk.typed.utf8) && $0 != text
    }
    if let found {
      self.walk = (walk.typed, walk.cursor, found, history[found])
      show(history[found], history[found].count)
    } else {
      show(walk.typed, walk.cursor)
      self.walk = nil
    }
  }

  private mutating func show(_ text: String, _ cursor: Int) {
    self.text = text
    self.cursor = cursor
  }
}
