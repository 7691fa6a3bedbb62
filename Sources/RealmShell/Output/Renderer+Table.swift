import ByteKernels
import RealmStorage
import RealmValues

/// One column of a table on the screen.
struct TableColumn {
  let title: TitleText
  let isRightAligned: Bool
  var width: Int

  /// The least width that it may be narrowed to.
  var narrowest: Int { min(width, 8) }
}

/// Widest column that is filled with blanks where nothing is cut. One long text among a million rows
/// would else make each of them as long; it sticks out instead.
private let widestFilledColumn = 1000

/// Columns side by side: modes `table`, `box`, `markdown`.
///
/// The result is read twice, first for the widths, so that no row is stored.
extension Renderer {
  func renderTable(_ rows: Range<Int>, _ hasMore: Bool) throws(ShellError) {
    guard !rows.isEmpty else {
      footer(rows, hasMore)
      return
    }
    let memory = ByteWriter()
    let record = RecordWriter(result, RecordFormat(.cell, settings), to: memory)
    var columns = makeColumns(rows)
    let first = columns.count - result.columns.count
    var widths = columns.map(\.width)
    try forEachRow(rows) { (_) throws(ShellError) in
      for i in first..<widths.count {
        try writeCell(i - first, record, memory)
        let width = memory.drain { displayWidth(of: $0) }
        if width > widths[i] { widths[i] = width }
      }
    }
    for i in columns.indices { columns[i].width = widths[i] }
    if let needed = fit(&columns) {
      try renderLines(rows, note: " (as lines: a table needs \(needed) columns)", hasMore)
      return
    }
    let printer = TablePrinter(columns, settings, to: out)
    printer.writeTop()
    try forEachRow(rows) { (row) throws(ShellError) in
      if first > 0 {
        memory.writeInt(Int64(row))
        memory.drain { printer.write($0, column: 0, nil) }
      }
      for i in 0..<result.columns.count {
        let style = settings.usesColor ? try style(ofColumn: i) : nil
        try writeCell(i, record, memory)
        memory.drain { printer.write($0, column: i + first, style) }
      }
      printer.endRow()
    }
    printer.writeBottom()
    if settings.mode != .markdown { footer(rows, hasMore) }
  }

  private func makeColumns(_ rows: Range<Int>) -> [TableColumn] {
    var columns: [TableColumn] = []
    if settings.showsIndex {
      let width = decimalDigitCount(UInt64(rows.upperBound - 1))
      columns.append(
        TableColumn(title: TitleText("#"), isRightAligned: true, width: width))
    }
    for column in result.columns {
      let title = TitleText(column.title)
      columns.append(
        TableColumn(
          title: title, isRightAligned: column.isNumeric, width: title.width))
    }
    if settings.mode == .markdown {
      for i in columns.indices { columns[i].width = max(columns[i].width, 3) }
    }
    return columns
  }

  private func writeCell(
    _ column: Int, _ record: RecordWriter<Rows>, _ memory: ByteWriter
  ) throws(ShellError) {
    try record.write(column)
    if settings.mode == .markdown { escapeBars(memory) }
  }

  private func style(ofColumn i: Int) throws(ShellError) -> TablePrinter.Style? {
    switch try result.cell(i) {
    case .stored(let value): TablePrinter.Style(value)
    case .value(let value): TablePrinter.Style(value)
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
    guard settings.cutsCells else {
      for i in columns.indices {
        columns[i].width = min(columns[i].width, widestFilledColumn)
      }
      return nil
    }
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
