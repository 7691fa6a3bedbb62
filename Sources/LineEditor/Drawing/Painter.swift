/// Makes the screen show a frame by writing as little as possible, with relative movements only.
///
/// Each function appends what has to be written. Source: shell.md 22 (the painter).
struct Painter {
  /// What is on the screen; no rows when the cursor stands where the frame is to begin.
  private(set) var frame = Frame()
  /// The row of the cursor, counted from the first one of the frame.
  private var row = 0
  /// The column of the cursor; nil if it may wait behind the last one.
  private var column: Int?
  /// The look that the terminal writes with.
  private var style = CellStyle.plain
  /// The width of the screen.
  private var columns = 80

  private static let startOfUpdate = "\u{1B}[?2026h\u{1B}[?25l"
  private static let endOfUpdate = "\u{1B}[?25h\u{1B}[?2026l"

  /// Begins at the start of the cursor's row.
  mutating func begin(columns: Int) {
    self.columns = columns
    forget()
  }

  /// Replaces what is on the screen by a frame.
  mutating func paint(_ new: Frame, to output: inout [UInt8]) {
    guard new != frame else { return }
    update(&output) { painter, output in
      painter.replaceRows(by: new, &output)
      painter.place(new.cursor, &output)
      painter.frame.cursor = new.cursor
    }
  }

  /// Writes text above the frame, then the frame anew.
  mutating func print(_ text: String, above new: Frame, to output: inout [UInt8]) {
    update(&output) { painter, output in
      painter.eraseRows(&output)
      output.append(lines: text)
      painter.replaceRows(by: new, &output)
      painter.place(new.cursor, &output)
      painter.frame.cursor = new.cursor
    }
  }

  /// Shows a last frame, writes a text behind it and goes to the row below.
  ///
  /// - Parameter ending: Written at the cursor of the frame, if it is not empty.
  mutating func leave(_ last: Frame, ending: String, to output: inout [UInt8]) {
    update(&output) { painter, output in
      painter.replaceRows(by: last, &output)
      if !ending.isEmpty {
        painter.place(last.cursor, &output)
        output += ending
        painter.column = nil
      }
      painter.moveToRow(last.rows.count - 1, &output)
      output += "\r\n"
      painter.forget()
    }
  }

  /// Takes the frame off the screen, with the cursor where it began.
  mutating func erase(to output: inout [UInt8]) {
    update(&output) { painter, output in painter.eraseRows(&output) }
  }

  /// Clears the whole screen.
  mutating func clearScreen(to output: inout [UInt8]) {
    output += "\u{1B}[H\u{1B}[2J"
    forget()
  }

  /// Takes note that the terminal has got another size and has broken the rows of the frame anew.
  mutating func resize(rows: Int, columns: Int) {
    self.columns = columns
    frame = frame.reflowed(columns: columns)
    // What has left the screen at its top cannot be reached.
    let hidden = max(0, frame.rows.count - rows)
    row = max(0, frame.cursor.row - hidden)
    column = nil
    frame.rows.removeFirst(hidden)
    frame.cursor.row = row
  }

  private mutating func forget() {
    frame = Frame()
    (row, column) = (0, nil)
  }

  private mutating func update(
    _ output: inout [UInt8], _ body: (inout Painter, inout [UInt8]) -> Void
  ) {
    output += Self.startOfUpdate
    body(&self, &output)
    output += Self.endOfUpdate
  }

  // MARK: Rows

  private mutating func replaceRows(by new: Frame, _ output: inout [UInt8]) {
    let old = frame.rows
    frame.rows = new.rows
    // Only a row that is erased as a whole is not joined with the next one any more.
    for (number, (former, shown)) in zip(old, new.rows).enumerated()
    where former.isContinued && !shown.isContinued {
      moveToRow(number, existing: old.count, &output)
      output += "\u{1B}[2K"
    }
    var isChanged = false
    var existing = old.count
    for (number, shown) in new.rows.enumerated() {
      let former = number < old.count ? old[number] : nil
      let continuesChange = isChanged && new.rows[number - 1].isContinued
      isChanged = continuesChange || shown != former
      guard isChanged else { continue }
      var first = 0
      if continuesChange {
        // The terminal goes to this row by itself when the first cell is written.
        row = number
      } else if let unchanged = unchangedCount(former, shown, number) {
        first = unchanged
      } else {
        moveToRow(number, existing: existing, &output)
      }
      write(shown, from: first, &output)
      existing = max(existing, number + 1)
    }
    for number in new.rows.count..<max(old.count, new.rows.count) {
      moveToRow(number, existing: existing, &output)
      output += "\u{1B}[2K"
    }
  }

  private mutating func eraseRows(_ output: inout [UInt8]) {
    for number in frame.rows.indices {
      moveToRow(number, existing: frame.rows.count, &output)
      output += "\u{1B}[2K"
    }
    moveToRow(0, existing: frame.rows.count, &output)
    forget()
  }

  /// The number of cells before the cursor if it stands in the row and they stay as they are; else
  /// nil.
  ///
  /// What is typed at the end is then written where the cursor is, wherever that may be: a terminal
  /// can have broken the rows anew without having told so.
  private func unchangedCount(
    _ former: Frame.Row?, _ shown: Frame.Row, _ number: Int
  ) -> Int? {
    guard let former, number == row, let column, 1..<columns ~= column else { return nil }
    var (count, width) = (0, 0)
    while width < column {
      guard count < former.cells.count, count < shown.cells.count,
        former.cells[count] == shown.cells[count]
      else { return nil }
      width += shown.cells[count].width
      count += 1
    }
    // Marks without a base share the column before the cursor.
    let isAlone = [former, shown].allSatisfy { row in
      count == row.cells.count || row.cells[count].width > 0
    }
    return width == column && isAlone ? count : nil
  }

  /// Writes the cells of a row from one of them on, and erases what stands behind it.
  private mutating func write(_ shown: Frame.Row, from first: Int, _ output: inout [UInt8]) {
    let width = shown.width
    var column = shown.cells[..<first].reduce(0) { $0 + $1.width }
    for cell in shown.cells[first...] {
      if cell.style != style {
        output += cell.style.sequence
        style = cell.style
      }
      output += cell.text
      column += cell.width
      // At the end of a row the terminal waits with the break, which setting the column would end.
      if cell.isDisputed, column < columns { setColumn(column, &output) }
    }
    if style != .plain {
      output += CellStyle.plain.sequence
      style = .plain
    }
    if width < columns { output += "\u{1B}[K" }
    self.column = width < columns ? width : nil
  }

  // MARK: Movements

  private mutating func place(_ cursor: Frame.Position, _ output: inout [UInt8]) {
    if row == cursor.row, column == cursor.column { return }
    defer { column = cursor.column }
    moveToRow(cursor.row, existing: frame.rows.count, &output)
    if cursor.column > 0 { setColumn(cursor.column, &output) }
  }

  private mutating func moveToRow(_ target: Int, _ output: inout [UInt8]) {
    moveToRow(target, existing: frame.rows.count, &output)
  }

  /// Goes to the start of a row; the one behind those that exist is made.
  private mutating func moveToRow(_ target: Int, existing: Int, _ output: inout [UInt8]) {
    output += "\r"
    let reachable = min(target, max(0, existing - 1))
    if reachable < row { output += "\u{1B}[\(row - reachable)A" }
    if reachable > row { output += "\u{1B}[\(reachable - row)B" }
    for _ in reachable..<max(reachable, target) { output += "\r\n" }
    (row, column) = (target, 0)
  }

  private func setColumn(_ column: Int, _ output: inout [UInt8]) {
    output += "\u{1B}[\(column + 1)G"
  }
}

extension [UInt8] {
  /// Appends text.
  static func += (bytes: inout [UInt8], text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  /// Appends text as whole rows in the terminal's own look.
  fileprivate mutating func append(lines text: String) {
    var hasSequences = false
    var last: UInt8 = 0x0A
    for byte in text.utf8 {
      if byte == 0x0A, last != 0x0D { append(0x0D) }
      append(byte)
      hasSequences = hasSequences || byte == 0x1B
      last = byte
    }
    if hasSequences { self += CellStyle.plain.sequence }
    if last != 0x0A { self += "\r\n" }
  }
}
