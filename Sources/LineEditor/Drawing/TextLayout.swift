import ByteKernels

/// Where the rows of a text break on a screen of a certain width.
///
/// A grapheme cluster that does not fit at the end of a row goes to the next one.
struct TextLayout {
  /// One row of the screen.
  struct Row {
    /// The bytes of the text in it.
    var range: Range<Int>
    /// Columns before them: prompt, indentation, or nothing.
    var startColumn: Int
    /// Whether the terminal breaks the row by itself.
    var isContinued = false
  }

  let text: [UInt8]
  let columns: Int
  private(set) var rows: [Row] = []
  private(set) var cursor = Frame.Position(row: 0, column: 0)

  /// Lays out a text.
  ///
  /// - Parameter cursor: A place between two clusters of the text.
  /// - Parameter firstColumn: Columns before the first row.
  /// - Parameter indentation: Columns before each row that follows a newline.
  init(_ text: [UInt8], cursor: Int, firstColumn: Int, indentation: Int, columns: Int) {
    self.text = text
    self.columns = columns
    text.withUnsafeBytes { bytes in
      var start = 0
      while true {
        let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
        append(start..<end, of: bytes, startColumn: start == 0 ? firstColumn : indentation)
        guard end < bytes.count else { break }
        start = end + 1
      }
    }
    placeCursor(cursor)
  }

  /// The cells of a row, without what stands before its text.
  ///
  /// - Parameter style: The look of the cluster that begins at a byte of the text; asked in
  ///   ascending order.
  func cells(of row: Row, style: (Int) -> CellStyle) -> [Cell] {
    var cells: [Cell] = []
    cells.reserveCapacity(row.range.count)
    var column = row.startColumn
    text.withUnsafeBytes { bytes in
      let rowBytes = UnsafeRawBufferPointer(rebasing: bytes[row.range])
      forEachCluster(in: rowBytes) { range, width in
        let place = row.range.lowerBound + range.lowerBound
        if range.count == 1, 0x20..<0x7F ~= rowBytes[range.lowerBound] {
          cells.append(Cell(ascii: rowBytes[range.lowerBound], style(place)))
          column += 1
          return true
        }
        let cluster = UnsafeRawBufferPointer(rebasing: rowBytes[range])
        var cell = Cell(cluster, width: width, column: column, columns: columns)
        cell.style = style(place)
        cells.append(cell)
        column += cell.width
        return true
      }
    }
    return cells
  }

  // MARK: Breaking

  /// Appends the rows of a line, which has no newline in it.
  private mutating func append(
    _ line: Range<Int>, of bytes: UnsafeRawBufferPointer, startColumn: Int
  ) {
    let lineBytes = UnsafeRawBufferPointer(rebasing: bytes[line])
    // Without control characters, nothing is wider than its bytes.
    if startColumn + line.count <= columns, isPrintable(lineBytes, without: 0x7F, 0x7F) {
      rows.append(Row(range: line, startColumn: startColumn))
    } else if isPrintableASCII(lineBytes, without: 0x7F, 0x7F) {
      appendASCII(line, startColumn: startColumn)
    } else {
      appendClusters(of: lineBytes, at: line.lowerBound, startColumn: startColumn)
    }
  }

  private mutating func appendASCII(_ line: Range<Int>, startColumn: Int) {
    var start = line.lowerBound
    var column = startColumn
    repeat {
      let end = min(line.upperBound, start + max(0, columns - column))
      rows.append(
        Row(range: start..<end, startColumn: column, isContinued: end < line.upperBound))
      (start, column) = (end, 0)
    } while start < line.upperBound
  }

  private mutating func appendClusters(
    of bytes: UnsafeRawBufferPointer, at offset: Int, startColumn: Int
  ) {
    var row = Row(range: offset..<offset, startColumn: startColumn)
    var column = startColumn
    var last = 0..<0
    forEachCluster(in: bytes) { range, width in
      let first = bytes[range.lowerBound]
      let isControl = range.count == 1 && (first < 0x20 || first == 0x7F)
      let width =
        isControl ? Cell.width(ofControl: first, column: column, columns: columns) : width
      if column + width > columns, column > 0 {
        let isFull = column == columns
        // Where terminals disagree about a width, they do not break the row in the same place.
        row.isContinued =
          !isDisputed(bytes[last]) && (isFull || !isControl && !isDisputed(bytes[range]))
        rows.append(row)
        let start = offset + range.lowerBound
        (row, column) = (Row(range: start..<start, startColumn: 0), 0)
      }
      row.range = row.range.lowerBound..<offset + range.upperBound
      column += width
      last = range
      return true
    }
    rows.append(row)
  }

  private func isDisputed(_ cluster: Slice<UnsafeRawBufferPointer>) -> Bool {
    !cluster.isEmpty
      && Cell(UnsafeRawBufferPointer(rebasing: cluster), width: 1, column: 0, columns: columns)
        .isDisputed
  }

  // MARK: The cursor

  private mutating func placeCursor(_ offset: Int) {
    // The last row that begins at or before the place.
    var low = 0
    var high = rows.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if rows[middle].range.lowerBound <= offset { low = middle } else { high = middle }
    }
    let row = rows[low]
    let before = Row(range: row.range.lowerBound..<offset, startColumn: row.startColumn)
    let column = cells(of: before) { _ in .plain }.reduce(row.startColumn) { $0 + $1.width }
    cursor = Frame.Position(row: low, column: column)
    if column >= columns {
      // Behind a full row the cursor stands in a row of its own.
      rows.insert(Row(range: offset..<offset, startColumn: 0), at: low + 1)
      cursor = Frame.Position(row: low + 1, column: 0)
    }
  }
}
