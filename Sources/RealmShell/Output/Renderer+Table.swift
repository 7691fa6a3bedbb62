import ByteKernels
import RealmStorage
import RealmValues

/// One column of a table on the screen.
struct TableColumn {
  /// The column; nil for the position in the results.
  let source: ResultColumn?
  let title: TitleText
  let isRightAligned: Bool
  var width: Int

  /// The least width that it may be narrowed to.
  var narrowest: Int { min(width, 8) }
}

/// Columns side by side: modes `table`, `box`, `markdown`.
///
/// The result is read twice, first for the widths, so that no row is stored.
extension Renderer {
  func renderTable(_ rows: Range<Int>, _ hasMore: Bool) throws(ShellError) {
    guard !rows.isEmpty else {
      footer(rows, hasMore)
      return
    }
    let cells = makeValueWriter(to: ByteWriter())
    var columns = makeColumns(rows)
    try forEachRow(rows) { (_) throws(ShellError) in
      for i in columns.indices {
        guard let source = columns[i].source else { continue }
        _ = try writeCellText(source, cells)
        let width = cells.out.consumeBytes { displayWidth(of: $0) }
        if width > columns[i].width { columns[i].width = width }
      }
    }
    if let needed = fit(&columns) {
      try renderLines(rows, note: " (as lines: a table needs \(needed) columns)", hasMore)
      return
    }
    let printer = TablePrinter(columns, settings, to: out)
    printer.writeTop()
    try forEachRow(rows) { (row) throws(ShellError) in
      try writeRow(row, printer, cells)
    }
    printer.writeBottom()
    if settings.mode != .markdown { footer(rows, hasMore) }
  }

  private func makeColumns(_ rows: Range<Int>) -> [TableColumn] {
    var columns: [TableColumn] = []
    if settings.showsIndex {
      let width = decimalDigitCount(UInt64(rows.upperBound - 1))
      columns.append(
        TableColumn(source: nil, title: TitleText("#"), isRightAligned: true, width: width))
    }
    for column in result.columns {
      let title = TitleText(column.title)
      columns.append(
        TableColumn(
          source: column, title: title, isRightAligned: column.isNumeric, width: title.width))
    }
    if settings.mode == .markdown {
      for i in columns.indices { columns[i].width = max(columns[i].width, 3) }
    }
    return columns
  }

  private func writeRow(
    _ row: Int, _ printer: TablePrinter, _ cells: ValueWriter
  ) throws(ShellError) {
    for (i, column) in printer.columns.enumerated() {
      var style: TablePrinter.Style?
      if let source = column.source {
        style = try writeCellText(source, cells)
      } else {
        cells.out.writeInt(Int64(row))
      }
      cells.out.consumeBytes { printer.write($0, column: i, style) }
    }
    printer.endRow()
  }

  /// Writes the text of a cell to the memory of `cells` and gives its style.
  private func writeCellText(
    _ column: ResultColumn, _ cells: ValueWriter
  ) throws(ShellError) -> TablePrinter.Style? {
    let cell = try result.cell(column)
    var style: TablePrinter.Style?
    do throws(StorageError) {
      switch cell {
      case .stored(.null), .value(.scalar(.null)):
        style = .dim
        cells.out.write(settings.nullText)
      case .stored(.string(let bytes)): writeText(bytes, column, cells)
      case .value(.scalar(.string(let bytes))):
        bytes.withUnsafeBytes { writeText($0, column, cells) }
      case .stored(let value):
        style = TablePrinter.Style(value)
        try cells.write(value, isMixed: column.isMixed, .literal)
      case .value(let value):
        style = TablePrinter.Style(value)
        try cells.write(value, isMixed: column.isMixed, .literal)
      }
    } catch {
      throw StorageMessages.error(error, path: result.evaluator.path)
    }
    if settings.mode == .markdown { escapeBars(cells.out) }
    return style
  }

  private func writeText(
    _ bytes: UnsafeRawBufferPointer, _ column: ResultColumn, _ cells: ValueWriter
  ) {
    if LiteralText.needsQuotes(bytes, isMixed: column.isMixed) {
      cells.quoted(bytes)
    } else {
      EscapedText.write(bytes, .bare, to: cells.out)
    }
  }

  private func escapeBars(_ memory: ByteWriter) {
    let bytes = memory.takeBytes()
    for byte in bytes {
      if byte == UInt8(ascii: "|") { memory.byte(UInt8(ascii: "\\")) }
      memory.byte(byte)
    }
  }

  /// Narrows the columns to the screen; the width that would be needed if that is impossible.
  private func fit(_ columns: inout [TableColumn]) -> Int? {
    guard settings.isTerminal, settings.mode != .markdown else { return nil }
    for i in columns.indices { columns[i].width = min(columns[i].width, settings.cellWidth) }
    guard settings.fits else { return nil }
    let gaps = settings.mode == .box ? 3 * columns.count + 1 : 2 * (columns.count - 1)
    let needed = columns.reduce(gaps) { $0 + $1.narrowest }
    if needed > settings.width { return needed }
    var total = columns.reduce(gaps) { $0 + $1.width }
    while total > settings.width {
      let wide = columns.indices.filter { columns[$0].width > 8 }
      guard let widest = wide.max(by: { columns[$0].width < columns[$1].width }) else { break }
      columns[widest].width -= 1
      total -= 1
    }
    return nil
  }
}
