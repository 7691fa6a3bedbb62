import ByteKernels
import RealmObjects
import RealmStorage
import RealmValues

/// Prints a result in an output mode.
///
/// Source: shell.md 18.
struct Renderer<Rows: RowSource> {
  let result: Rows
  let settings: OutputSettings
  let out: ByteWriter

  init(_ result: Rows, _ settings: OutputSettings, to out: ByteWriter) {
    self.result = result
    self.settings = settings
    self.out = out
  }

  /// Prints the rows of a range.
  ///
  /// - Parameter hasMore: Whether the footer tells that rows are left.
  /// - Throws: `ShellError` if a value cannot be read or computed, or the user interrupts.
  func render(rows: Range<Int>, hasMore: Bool = false) throws(ShellError) {
    switch settings.mode {
    case .table, .box, .markdown: try renderTable(rows, hasMore)
    case .lines: try renderLines(rows, note: "", hasMore)
    case .json: try renderJSON(rows)
    case .jsonl: try renderJSONLines(rows)
    case .csv: try renderRecords(rows, .csv)
    case .tsv: try renderRecords(rows, .tsv)
    case .literal: try renderLiterals(rows)
    case .none: break
    }
  }

  /// Visits the objects of a range that still exist.
  func forEachRow(
    _ rows: Range<Int>, _ body: (Int) throws(ShellError) -> Void
  ) throws(ShellError) {
    for row in rows {
      if Interruption.isRequested {
        throw ShellError(.interrupted, "interrupted after \(grouped(row)) rows")
      }
      if out.failure != nil { return }
      if row & 0x3FF == 0, let progress = settings.progress {
        progress.update(row, of: rows.upperBound)
      }
      guard try move(to: row) else { continue }
      try body(row)
    }
  }

  private func move(to row: Int) throws(ShellError) -> Bool {
    do throws(StorageError) {
      return try result.move(toRow: row)
    } catch {
      throw StorageMessages.error(error, path: result.path)
    }
  }

  // MARK: Literals

  /// Statements that would make the objects again, in which only what is stored belongs; of rows
  /// that are no objects the values.
  private func renderLiterals(_ rows: Range<Int>) throws(ShellError) {
    let record = RecordWriter(result, RecordFormat(.literal), to: out)
    let owner = rows.first.flatMap { result.object(ofRow: $0)?.objectClass }
    let start = Array((owner.map { "add \(quotedName($0.name)) {" } ?? "{").utf8)
    // Quoting a name takes longer than writing a value.
    let memory = ByteWriter()
    let names = ValueWriter(result.schema, to: memory)
    var labels: [(column: Int, text: [UInt8])] = []
    for (i, column) in result.columns.enumerated() where owner == nil || column.isStored {
      if !labels.isEmpty { memory.write(", ") }
      names.key(column.title, .literal)
      labels.append((i, memory.takeBytes()))
    }
    try forEachRow(rows) { (_) throws(ShellError) in
      out.write(start)
      for (column, text) in labels {
        out.write(text)
        try record.write(column)
      }
      out.write("}\n")
    }
  }

  // MARK: Lines

  /// One property per line.
  func renderLines(
    _ rows: Range<Int>, note: String, _ hasMore: Bool
  ) throws(ShellError) {
    let record = RecordWriter(result, RecordFormat(.literal, settings), to: out)
    let values = ValueWriter(result.schema, to: out)
    let titles = result.columns.map { TitleText($0.title) }
    let width = titles.map(\.width).max() ?? 0
    let labels = titles.map { title in
      "  ".utf8 + title.bytes + [UInt8](repeating: 0x20, count: width - title.width + 2)
    }
    var isFirst = true
    try forEachRow(rows) { (row) throws(ShellError) in
      if !isFirst { out.byte(0x0A) }
      isFirst = false
      if let (objectClass, key) = result.object(ofRow: row) {
        try writeName(of: key, in: objectClass, to: values)
      }
      for column in labels.indices {
        out.write(labels[column])
        try record.write(column)
        let omitted = try omittedCount(column)
        if omitted > 0 { out.write(" … \(grouped(omitted)) more") }
        out.byte(0x0A)
      }
    }
    footer(rows, note: note, hasMore)
  }

  private func omittedCount(_ column: Int) throws(ShellError) -> Int {
    do throws(StorageError) {
      return try result.omittedCount(column)
    } catch {
      throw StorageMessages.error(error, path: result.path)
    }
  }

  /// The name of an object on a line of its own.
  private func writeName(
    of key: ObjectKey, in objectClass: ObjectClass, to values: ValueWriter
  ) throws(ShellError) {
    do throws(StorageError) {
      try values.name(of: key, in: objectClass)
    } catch {
      throw StorageMessages.error(error, path: result.path)
    }
    out.byte(0x0A)
  }

  // MARK: Footer

  /// `3 objects`, or how many of them have been printed.
  func footer(_ rows: Range<Int>, note: String = "", _ hasMore: Bool) {
    guard settings.showsFooter else { return }
    let total = result.rowCount
    let objects = counted(total, "object", "objects")
    if total == 0 {
      out.write("no objects\n")
    } else if hasMore {
      out.write("\(grouped(rows.upperBound)) of \(objects) (more)\(note)\n")
    } else if rows.count == total {
      out.write("\(objects)\(note)\n")
    } else if !note.isEmpty {
      out.write("\(counted(rows.count, "object", "objects"))\(note)\n")
    }
  }
}

/// The title of a column on the screen, controls escaped.
struct TitleText {
  let bytes: [UInt8]
  let width: Int

  init(_ title: String) {
    let memory = ByteWriter()
    var title = title
    title.withUTF8 { EscapedText.write(UnsafeRawBufferPointer($0), .bare, to: memory) }
    let bytes = memory.takeBytes()
    self.bytes = bytes
    width = bytes.withUnsafeBytes { displayWidth(of: $0) }
  }
}
