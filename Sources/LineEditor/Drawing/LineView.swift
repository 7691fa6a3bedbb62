/// All that is shown while a line is typed.
struct LineView {
  var prompt = StyledText("")
  var text: [UInt8] = []
  /// A place in the text, in bytes.
  var cursor = 0
  /// The looks of parts of the text, in ascending order.
  var looks: [(range: Range<Int>, style: CellStyle)] = []
  /// Stands dim behind the text.
  var hint: [UInt8] = []
  /// Rows below the text, such as a menu; each fits on the screen.
  var footer: [[Cell]] = []
  /// The cursor's column in the last row of the footer, if it stands there.
  var footerCursor: Int?
  /// Whether anything has a look of its own.
  var usesColor = true

  /// The frame for a screen.
  ///
  /// - Parameter top: The first row of the text that is shown if there are more than fit; changed
  ///   only if the cursor would be out of sight.
  func frame(rows screenRows: Int, columns: Int, top: inout Int) -> Frame {
    let (promptRows, firstCells) = layOutPrompt(columns: columns)
    let firstColumn = firstCells.reduce(0) { $0 + $1.width }
    // A cluster of two columns has to fit behind the indentation.
    let indentation = firstColumn + 2 <= columns ? firstColumn : 0
    let layout = TextLayout(
      text + hint, cursor: cursor, firstColumn: firstColumn, indentation: indentation,
      columns: columns)
    let footer = footer.prefix(max(0, screenRows - 1))
    let height = screenRows - footer.count
    let count = promptRows.count + layout.rows.count
    let cursorRow = promptRows.count + layout.cursor.row
    top = max(0, min(max(top, cursorRow - height + 1), cursorRow, count - height))

    var frame = Frame(cursor: Frame.Position(row: cursorRow - top, column: layout.cursor.column))
    let blanks = Array(repeating: Cell(ascii: 0x20, .plain), count: indentation)
    var lookIndex = 0
    for row in top..<min(count, top + height) {
      guard row >= promptRows.count else {
        frame.rows.append(promptRows[row])
        continue
      }
      let number = row - promptRows.count
      let shape = layout.rows[number]
      let isFirst = number == 0
      let start = isFirst ? firstCells : shape.startColumn > 0 ? blanks : []
      let cells = layout.cells(of: shape) { look(at: $0, &lookIndex) }
      frame.rows.append(Frame.Row(cells: start + cells, isContinued: shape.isContinued))
    }
    // What comes below is no part of the row.
    frame.rows[frame.rows.count - 1].isContinued = false
    frame.rows += footer.map { row in
      // It may have been made for a screen of another width.
      var width = 0
      let cells = row.prefix { cell in
        width += cell.width
        return width <= columns
      }
      return Frame.Row(cells: usesColor ? Array(cells) : cells.map(\.plain))
    }
    if let footerCursor, !footer.isEmpty {
      frame.cursor = Frame.Position(
        row: frame.rows.count - 1, column: min(footerCursor, columns - 1))
    }
    return frame
  }

  /// The rows of the prompt above the text, and the cells before the text.
  private func layOutPrompt(columns: Int) -> (rows: [Frame.Row], last: [Cell]) {
    let layout = TextLayout(
      prompt.bytes, cursor: 0, firstColumn: 0, indentation: 0, columns: columns)
    var lookIndex = 0
    let rows = layout.rows.map { row in
      let cells = layout.cells(of: row) { place in
        usesColor ? Self.look(at: place, in: prompt.looks, &lookIndex) : .plain
      }
      return Frame.Row(cells: cells, isContinued: row.isContinued)
    }
    return (Array(rows.dropLast()), rows.last?.cells ?? [])
  }

  /// The look of the cluster at a byte of text and hint.
  private func look(at place: Int, _ index: inout Int) -> CellStyle {
    guard usesColor else { return .plain }
    if place >= text.count { return .dim }
    return Self.look(at: place, in: looks, &index)
  }

  /// The look at a place; `index` is that of the last one used.
  private static func look(
    at place: Int, in looks: [(range: Range<Int>, style: CellStyle)], _ index: inout Int
  ) -> CellStyle {
    while index < looks.count, looks[index].range.upperBound <= place { index += 1 }
    guard index < looks.count, looks[index].range.contains(place) else { return .plain }
    return looks[index].style
  }
}

extension Cell {
  /// The cell without its look.
  fileprivate var plain: Cell {
    var cell = self
    cell.style = .plain
    return cell
  }
}
