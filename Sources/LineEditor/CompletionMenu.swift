/// Candidates in columns below the line, one of them chosen.
struct CompletionMenu {
  /// Blanks before each column but the first.
  private static let gap = 4
  /// Blanks before the first column, and between a name and its comment.
  private static let margin = 2

  let candidates: [Completion.Candidate]
  private(set) var chosen = 0
  private var firstRow = 0
  private var rowCount = 1

  init(_ candidates: [Completion.Candidate]) {
    self.candidates = candidates
  }

  /// A step to another candidate.
  enum Step {
    case next, previous, up, down, left, right
  }

  /// Chooses another candidate; the ends of the list are joined.
  mutating func move(_ step: Step) {
    let distance =
      switch step {
      case .next, .down: 1
      case .previous, .up: -1
      case .left: -rowCount
      case .right: rowCount
      }
    let target = chosen + distance
    if candidates.indices.contains(target) {
      chosen = target
    } else if abs(distance) == 1 {
      chosen = (target + candidates.count) % candidates.count
    }
  }

  /// The rows that show the menu, at most half of the screen.
  ///
  /// - Parameter marksWithBlank: Whether the chosen one has a mark before it, where nothing may have
  ///   a look of its own.
  mutating func rows(on screen: Terminal.Size, usesColor: Bool) -> [[Cell]] {
    let names = candidates.map { FooterRow(text: $0.text, columns: screen.columns) }
    let comments = candidates.map { FooterRow(text: $0.comment, columns: screen.columns) }
    let columns = Self.columns(
      names.map(\.width), comments.map(\.width), within: screen.columns)
    rowCount = (candidates.count + columns.count - 1) / columns.count
    let height = min(rowCount, max(1, screen.rows / 2))
    let chosenRow = chosen % rowCount
    firstRow = max(chosenRow - height + 1, min(firstRow, chosenRow, rowCount - height))
    return (firstRow..<firstRow + height).map { number in
      var row = FooterRow(columns: screen.columns)
      var start = 0
      for (column, shape) in columns.enumerated() {
        let index = column * rowCount + number
        guard index < candidates.count else { break }
        let isChosen = index == chosen
        start += column == 0 ? 0 : Self.gap - Self.margin
        row.fill(to: start)
        row.append(isChosen && !usesColor ? "> " : "  ", .plain)
        row.append(
          candidates[index].text,
          isChosen ? CellStyle(isBold: true, isUnderlined: true) : .plain)
        if !candidates[index].comment.isEmpty {
          row.fill(to: start + Self.margin + shape.name + Self.margin)
          row.append(candidates[index].comment, .dim)
        }
        start += Self.margin + shape.width
      }
      return row.cells
    }
  }

  /// The widths of the names and of the whole items in each column; as many columns as fit.
  private static func columns(
    _ names: [Int], _ comments: [Int], within width: Int
  ) -> [(name: Int, width: Int)] {
    var count = min(names.count, max(1, width / (gap + 1)))
    while true {
      let rowCount = (names.count + count - 1) / count
      // Fewer columns may be enough for these rows.
      count = (names.count + rowCount - 1) / rowCount
      let columns = (0..<count).map { column in
        let items = column * rowCount..<min(names.count, (column + 1) * rowCount)
        let name = names[items].max() ?? 0
        let comment = comments[items].max() ?? 0
        return (name: name, width: name + (comment > 0 ? margin + comment : 0))
      }
      let total = columns.reduce(margin) { $0 + $1.width } + gap * (count - 1)
      if total <= width || count == 1 { return columns }
      count -= 1
    }
  }
}

extension FooterRow {
  fileprivate init(text: String, columns: Int) {
    self.init(columns: columns)
    append(text, .plain)
  }
}
