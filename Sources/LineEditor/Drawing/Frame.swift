/// What the editor shows on the screen: rows of cells and the cursor.
struct Frame: Equatable {
  /// One row of the screen.
  struct Row: Equatable {
    var cells: [Cell] = []
    /// Whether the terminal itself breaks the row here, so that it knows that the next belongs to it.
    var isContinued = false

    /// Columns taken by the cells.
    var width: Int { cells.reduce(0) { $0 + $1.width } }
  }

  var rows: [Row] = []
  var cursor = Position(row: 0, column: 0)

  /// A place on the screen, counted from the first cell of the frame.
  struct Position: Equatable {
    var row: Int
    var column: Int
  }

  /// The frame as a terminal shows it that has got another width and has broken its rows anew.
  func reflowed(columns: Int) -> Frame {
    var result = Frame()
    var start = 0
    while start < rows.count {
      let end = rows[start...].firstIndex { !$0.isContinued } ?? rows.count - 1
      let line = rows[start...end]
      let firstRow = result.rows.count
      result.append(line.flatMap(\.cells).flatMap(\.places), columns: columns)
      if line.indices.contains(cursor.row) {
        let offset = rows[start..<cursor.row].reduce(0) { $0 + $1.width } + cursor.column
        result.placeCursor(atOffset: offset, from: firstRow)
      }
      start = end + 1
    }
    return result
  }

  /// Appends rows for the cells of one line.
  private mutating func append(_ cells: [Cell], columns: Int) {
    var row = Row()
    var width = 0
    for cell in cells {
      if width + cell.width > columns, !row.cells.isEmpty {
        row.isContinued = true
        rows.append(row)
        (row, width) = (Row(), 0)
      }
      row.cells.append(cell)
      width += cell.width
    }
    rows.append(row)
  }

  /// Puts the cursor on the cell at a number of columns from the start of the last line, or behind
  /// the last one.
  private mutating func placeCursor(atOffset offset: Int, from firstRow: Int) {
    var rest = offset
    for row in firstRow..<rows.count {
      let width = rows[row].width
      if rest < width || row == rows.count - 1 {
        cursor = Position(row: row, column: rest)
        return
      }
      rest -= width
    }
  }
}
