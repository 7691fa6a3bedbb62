import ByteKernels
import RealmStorage
import RealmValues

/// One column of a table on the screen.
private struct TableColumn {
  /// The column; nil for the position in the results.
  let source: ResultColumn?
  let title: String
  let isRightAligned: Bool
  var width: Int
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
    let memory = ByteWriter()
    let cells = ValueWriter(result.schema, to: memory)
    var columns = makeColumns(rows)
    try forEachRow(rows) { (row) throws(ShellError) in
      for i in columns.indices {
        let width = try cellWidth(columns[i], row, cells)
        if width > columns[i].width { columns[i].width = width }
      }
    }
    guard fit(&columns) else {
      let needed = columns.reduce(0) { $0 + min($1.width, narrowest($1)) } + 2 * (columns.count - 1)
      try renderLines(rows, note: " (as lines: a table needs \(needed) columns)", hasMore)
      return
    }
    writeTop(columns)
    try forEachRow(rows) { (row) throws(ShellError) in
      try writeRow(columns, row, cells)
    }
    writeBottom(columns)
    if settings.mode != .markdown { footer(rows, hasMore) }
  }

  private func makeColumns(_ rows: Range<Int>) -> [TableColumn] {
    var columns: [TableColumn] = []
    if settings.showsIndex {
      columns.append(TableColumn(source: nil, title: "#", isRightAligned: true, width: 1))
    }
    for column in result.columns {
      columns.append(
        TableColumn(
          source: column, title: column.title, isRightAligned: column.isNumeric,
          width: width(of: column.title)))
    }
    if settings.mode == .markdown {
      for i in columns.indices { columns[i].width = max(columns[i].width, 3) }
    }
    return columns
  }

  /// Writes a cell's text into the memory of `cells` and gives its width.
  private func cellWidth(
    _ column: TableColumn, _ row: Int, _ cells: ValueWriter
  ) throws(ShellError) -> Int {
    let bytes = try cellText(column, row, cells)
    return bytes.withUnsafeBytes { displayWidth(of: $0) }
  }

  private func cellText(
    _ column: TableColumn, _ row: Int, _ cells: ValueWriter
  ) throws(ShellError) -> [UInt8] {
    guard let source = column.source else {
      cells.out.writeInt(Int64(row))
      return cells.out.takeBytes()
    }
    let cell = try result.cell(source)
    do throws(StorageError) {
      switch cell {
      case .stored(.null), .value(.scalar(.null)): cells.out.write(settings.nullText)
      case .stored(.string(let bytes)): writeText(bytes, source, cells)
      case .value(.scalar(.string(let bytes))):
        bytes.withUnsafeBytes { writeText($0, source, cells) }
      case .stored(let value): try cells.write(value, isMixed: source.isMixed, .literal)
      case .value(let value): try cells.write(value, isMixed: source.isMixed, .literal)
      }
    } catch {
      throw StorageMessages.error(error, path: result.evaluator.path)
    }
    let bytes = cells.out.takeBytes()
    return settings.mode == .markdown ? escapingBars(bytes) : bytes
  }

  private func writeText(
    _ bytes: UnsafeRawBufferPointer, _ column: ResultColumn, _ cells: ValueWriter
  ) {
    if LiteralText.needsQuotes(bytes, isMixed: column.isMixed) {
      cells.quoted(bytes)
    } else {
      LiteralText.writeEscaped(bytes, quote: false, to: cells.out)
    }
  }

  private func escapingBars(_ bytes: [UInt8]) -> [UInt8] {
    bytes.flatMap { $0 == UInt8(ascii: "|") ? [UInt8(ascii: "\\"), $0] : [$0] }
  }

  // MARK: Widths

  /// A column may not become narrower than this.
  private func narrowest(_ column: TableColumn) -> Int { min(column.width, 8) }

  /// Narrows the columns to the screen; false if that is impossible.
  private func fit(_ columns: inout [TableColumn]) -> Bool {
    guard settings.isTerminal, settings.fits, settings.mode != .markdown else { return true }
    for i in columns.indices { columns[i].width = min(columns[i].width, settings.cellWidth) }
    let frame = settings.mode == .box ? 3 * columns.count + 1 : 2 * (columns.count - 1)
    var total = columns.reduce(frame) { $0 + $1.width }
    while total > settings.width {
      let candidates = columns.indices.filter { columns[$0].width > narrowest(columns[$0]) }
      guard let widest = candidates.max(by: { columns[$0].width < columns[$1].width }) else {
        return false
      }
      columns[widest].width -= 1
      total -= 1
    }
    return true
  }

  // MARK: Rows

  private func writeTop(_ columns: [TableColumn]) {
    switch settings.mode {
    case .box:
      writeFrame(columns, "┌", "┬", "┐")
      writeTitles(columns)
      writeFrame(columns, "├", "┼", "┤")
    case .markdown:
      writeTitles(columns)
      for column in columns {
        let dashes = String(repeating: "-", count: column.width - (column.isRightAligned ? 1 : 0))
        out.write("| \(dashes)\(column.isRightAligned ? ":" : "") ")
      }
      out.write("|\n")
    default:
      writeTitles(columns)
      let line = settings.isTerminal ? "─" : "-"
      dim(true)
      for (i, column) in columns.enumerated() {
        if i > 0 { out.write("  ") }
        out.write(String(repeating: line, count: column.width))
      }
      dim(false)
      out.byte(0x0A)
    }
  }

  private func writeBottom(_ columns: [TableColumn]) {
    if settings.mode == .box { writeFrame(columns, "└", "┴", "┘") }
  }

  private func writeFrame(
    _ columns: [TableColumn], _ left: String, _ middle: String, _ right: String
  ) {
    out.write(left)
    for (i, column) in columns.enumerated() {
      if i > 0 { out.write(middle) }
      out.write(String(repeating: "─", count: column.width + 2))
    }
    out.write(right + "\n")
  }

  private func writeTitles(_ columns: [TableColumn]) {
    let style: Style? = settings.mode == .table ? .bold : nil
    for (i, column) in columns.enumerated() {
      writeCell(Array(column.title.utf8), column, i, columns.count, style)
    }
    endRow()
  }

  private func writeRow(
    _ columns: [TableColumn], _ row: Int, _ cells: ValueWriter
  ) throws(ShellError) {
    for (i, column) in columns.enumerated() {
      let style = settings.usesColor ? try style(column) : nil
      writeCell(try cellText(column, row, cells), column, i, columns.count, style)
    }
    endRow()
  }

  private func endRow() {
    switch settings.mode {
    case .box: out.write(" │\n")
    case .markdown: out.write(" |\n")
    default: out.byte(0x0A)
    }
  }

  private func writeCell(
    _ bytes: [UInt8], _ column: TableColumn, _ index: Int, _ count: Int, _ style: Style?
  ) {
    switch settings.mode {
    case .box: out.write(index == 0 ? "│ " : " │ ")
    case .markdown: out.write(index == 0 ? "| " : " | ")
    default: if index > 0 { out.write("  ") }
    }
    bytes.withUnsafeBytes { text in
      var text = text
      var width = displayWidth(of: text)
      var isCut = false
      if width > column.width {
        (text, width) = cut(text, to: column.width - 1)
        width += 1
        isCut = true
      }
      if column.isRightAligned { out.pad(column.width - width) }
      if let style, settings.usesColor { out.write(style.rawValue) }
      out.write(text)
      if isCut { out.write("…") }
      if style != nil, settings.usesColor { out.write(Style.end) }
      let isLast = index == count - 1 && settings.mode == .table
      if !column.isRightAligned, !isLast { out.pad(column.width - width) }
    }
  }

  /// The clusters at the start that fit a width.
  private func cut(
    _ text: UnsafeRawBufferPointer, to width: Int
  ) -> (UnsafeRawBufferPointer, Int) {
    var end = 0
    var used = 0
    forEachCluster(in: text) { range, clusterWidth in
      guard used + clusterWidth <= width else { return false }
      used += clusterWidth
      end = range.upperBound
      return true
    }
    return (UnsafeRawBufferPointer(rebasing: text[..<end]), used)
  }

  // MARK: Colours

  /// Sequences for the kinds of cells.
  ///
  /// Source: shell.md 18 (6), 25.
  private enum Style: String {
    case bold = "\u{1B}[1m"
    case dim = "\u{1B}[2m"
    case number = "\u{1B}[36m"
    case link = "\u{1B}[34m"

    static let end = "\u{1B}[0m"
  }

  private func dim(_ isOn: Bool) {
    if settings.usesColor { out.write(isOn ? Style.dim.rawValue : Style.end) }
  }

  private func style(_ column: TableColumn) throws(ShellError) -> Style? {
    guard let source = column.source else { return .number }
    switch try result.cell(source) {
    case .stored(.null), .value(.scalar(.null)): return .dim
    case .stored(.link), .value(.object): return .link
    case .stored(.int), .stored(.float), .stored(.double), .stored(.decimal), .stored(.date),
      .value(.scalar(.int)), .value(.scalar(.double)), .value(.scalar(.date)):
      return .number
    default: return nil
    }
  }
}
