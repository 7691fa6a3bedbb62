/// One row below the text, filled from the left; what does not fit is left out.
struct FooterRow {
  let columns: Int
  private(set) var cells: [Cell] = []
  private(set) var width = 0

  init(columns: Int) {
    self.columns = columns
  }

  /// Appends text as far as there is room.
  mutating func append(_ text: String, _ style: CellStyle) {
    let layout = TextLayout(
      Array(text.utf8), cursor: 0, firstColumn: width, indentation: 0, columns: columns)
    guard let row = layout.rows.first else { return }
    for cell in layout.cells(of: row, style: { _ in style }) {
      cells.append(cell)
      width += cell.width
    }
  }

  /// Appends blanks up to a column.
  mutating func fill(to column: Int) {
    while width < min(column, columns) {
      cells.append(Cell(ascii: 0x20, .plain))
      width += 1
    }
  }
}
