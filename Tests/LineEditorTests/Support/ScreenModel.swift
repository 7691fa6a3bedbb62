/// What the screen has to show, made from the text alone and without any thought about speed.
struct ScreenModel {
  /// A cluster as it is shown.
  struct Piece: Equatable {
    var text: String
    var width: Int
    /// Whether terminals disagree about the width.
    var isDisputed = false
  }

  /// A row of the screen.
  struct Row {
    var pieces: [Piece] = []
    var isContinued = false

    var width: Int { pieces.reduce(0) { $0 + $1.width } }

    /// The text without the blanks at its end.
    var text: String {
      var text = pieces.map(\.text).joined()
      while text.last == " " { text.removeLast() }
      return text
    }
  }

  var rows: Int
  var columns: Int { didSet { wrapLines() } }
  /// The lines above the one being typed.
  private(set) var lines: [[Piece]] = [] { didSet { wrapLines(from: oldValue.count) } }
  /// Their rows.
  private(set) var rowsAbove: [Row] = []
  /// The texts of these rows.
  private(set) var textsAbove: [String] = []
  /// The first row shown of a text that is higher than the screen.
  private var top = 0

  init(rows: Int, columns: Int) {
    (self.rows, self.columns) = (rows, columns)
  }

  /// Breaks the lines anew, or those that have been added.
  private mutating func wrapLines(from start: Int = 0) {
    let start = start <= lines.count ? start : 0
    if start == 0 { (rowsAbove, textsAbove) = ([], []) }
    let added = lines[start...].flatMap { wrapped($0, firstColumn: 0, columns) }
    rowsAbove += added
    textsAbove += added.map(\.text)
  }

  // MARK: What happens

  /// Something is printed above.
  mutating func print(_ text: String) {
    lines.append(pieces(of: text))
  }

  /// A line is left on the screen.
  mutating func leave(_ text: String, mark: String = "") {
    var (shown, _) = frame(of: text, cursor: text.count, hint: "")
    shown[shown.count - 1].pieces += pieces(of: mark)
    append(shown)
    top = 0
  }

  /// The screen is cleared but for the rows that have left it.
  mutating func clear(keeping count: Int) {
    let kept = Array(rowsAbove[..<count])
    (lines, rowsAbove, textsAbove) = ([], [], [])
    append(kept)
  }

  private mutating func append(_ rows: [Row]) {
    var line: [Piece] = []
    for row in rows {
      // A terminal that breaks rows anew takes the characters of `^A` and of a tab one by one.
      line += row.pieces.flatMap { piece in
        piece.width > 1 && piece.text.utf8.count == piece.width
          ? piece.text.map { Piece(text: String($0), width: 1) } : [piece]
      }
      if !row.isContinued {
        lines.append(line)
        line = []
      }
    }
    // The rest of this line has been cleared.
    if !line.isEmpty { lines.append(line) }
  }

  // MARK: The line being typed

  /// The rows that are shown of a text, and the cursor.
  mutating func frame(
    of text: String, cursor: Int, hint: String
  ) -> (rows: [Row], cursor: (row: Int, column: Int)) {
    let prompt = pieces(of: EditorOnScreen.prompt)
    let indentation = pieces(of: String(repeating: " ", count: prompt.count))
    var all: [Row] = []
    var place = (row: 0, column: 0)
    var passed = 0
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (number, line) in lines.enumerated() {
      let start = number == 0 ? prompt : indentation
      // How wide a tab of the hint is depends on what stands before it.
      let behind = number == lines.count - 1 ? hint : ""
      let whole = pieces(of: String(line) + behind, firstColumn: start.count)
      var shown = wrapped(start + whole, firstColumn: 0, columns)
      if cursor >= passed, cursor <= passed + line.count {
        let before = start + pieces(of: String(line.prefix(cursor - passed)), firstColumn: 7)
        place = self.place(behind: before.count, in: &shown)
        place.row += all.count
      }
      passed += line.count + 1
      all += shown
    }
    top = max(0, min(max(top, place.row - rows + 1), place.row, all.count - rows))
    var visible = Array(all[top..<min(all.count, top + rows)])
    visible[visible.count - 1].isContinued = false
    place.row -= top
    return (visible, place)
  }

  /// The place behind a number of pieces; a row is added if that is behind a full one.
  private func place(behind count: Int, in rows: inout [Row]) -> (row: Int, column: Int) {
    var rest = count
    for (number, row) in rows.enumerated() {
      if rest < row.pieces.count || rest == row.pieces.count && number == rows.count - 1 {
        let column = row.pieces[..<rest].reduce(0) { $0 + $1.width }
        if column < columns { return (number, column) }
        rows.append(Row())
        return (number + 1, 0)
      }
      rest -= row.pieces.count
    }
    return (0, 0)
  }

  /// Whether the rows of a frame have room on a screen of another size.
  mutating func fits(_ frame: [Row], rows newRows: Int, columns newColumns: Int) -> Bool {
    var copy = self
    copy.lines = []
    copy.columns = newColumns
    copy.append(frame)
    return copy.rowsAbove.count < newRows && frame.count < rows
  }

  // MARK: Pieces

  private func pieces(of text: String, firstColumn: Int = 0) -> [Piece] {
    var column = firstColumn
    return text.map { character in
      let piece = Self.piece(character, column, columns)
      column = column + piece.width > columns ? piece.width : column + piece.width
      return piece
    }
  }

  private static func piece(_ character: Character, _ column: Int, _ columns: Int) -> Piece {
    let scalars = Array(character.unicodeScalars)
    let first = scalars[0].value
    if character == "\t" {
      let start = column < columns ? column : 0
      let width = max(1, min(8 - start % 8, columns - start))
      return Piece(text: String(repeating: " ", count: width), width: width)
    }
    if first < 0x20, let letter = Unicode.Scalar(first + 0x40) {
      return Piece(text: "^\(letter)", width: 2)
    }
    let isMark = 0x300...0x36F ~= first
    let isWide = 0x4E00...0x9FFF ~= first || first >= 0x1F1E6 || scalars.contains("\u{FE0F}")
    let isDisputed =
      isMark || 0x1F1E6...0x1F1FF ~= first
      || scalars.dropFirst().contains { !(0x300...0x36F ~= $0.value) }
    return Piece(
      text: String(character), width: isMark ? 0 : isWide ? 2 : 1, isDisputed: isDisputed)
  }

  private func wrapped(_ pieces: [Piece], firstColumn: Int, _ columns: Int) -> [Row] {
    var rows: [Row] = []
    var row = Row()
    for piece in pieces {
      if row.width + piece.width > columns {
        let isControl = piece.text.count > 1 && piece.text.first == "^"
        row.isContinued =
          row.pieces.last?.isDisputed == false
          && (row.width == columns || !piece.isDisputed && !isControl)
        rows.append(row)
        row = Row()
      }
      row.pieces.append(piece)
    }
    return rows + [row]
  }
}
