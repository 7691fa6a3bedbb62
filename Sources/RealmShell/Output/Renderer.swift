import ByteKernels
import RealmObjects
import RealmStorage
import RealmValues

/// Prints a result in an output mode.
///
/// Source: shell.md 18.
struct Renderer {
  let result: ResultSet
  let settings: OutputSettings
  let out: ByteWriter
  let values: ValueWriter

  init(_ result: ResultSet, _ settings: OutputSettings, to out: ByteWriter) {
    self.result = result
    self.settings = settings
    self.out = out
    values = ValueWriter(result.schema, to: out)
  }

  /// Prints the rows of a range.
  ///
  /// - Parameter hasMore: Whether the footer tells that rows are left.
  func render(rows: Range<Int>, hasMore: Bool = false) throws(ShellError) {
    switch settings.mode {
    case .table, .box, .markdown: try renderTable(rows, hasMore)
    case .lines: try renderLines(rows, note: "", hasMore)
    case .json: try renderJSON(rows)
    case .jsonl:
      try forEachRow(rows) { (_) throws(ShellError) in
        try jsonObject(.compactJSON)
        out.byte(0x0A)
      }
    case .csv: try renderRecords(rows, SeparatedText.csv)
    case .tsv: try renderRecords(rows, SeparatedText.tsv)
    case .literal: try renderLiterals(rows)
    case .none: break
    }
  }

  /// Visits the objects of a range that still exist.
  func forEachRow(
    _ rows: Range<Int>, _ body: (Int) throws(ShellError) -> Void
  ) throws(ShellError) {
    for row in rows {
      if row & 1023 == 0, Interruption.isRequested {
        throw ShellError(.interrupted, "interrupted after \(grouped(row)) rows")
      }
      guard try move(to: row) else { continue }
      try body(row)
      if out.failure != nil { return }
    }
  }

  private func move(to row: Int) throws(ShellError) -> Bool {
    do throws(StorageError) {
      return try result.move(to: result.keys[row])
    } catch {
      throw StorageMessages.error(error, path: result.evaluator.path)
    }
  }

  /// Writes a cell in a form of values.
  func write(
    _ column: ResultColumn, _ form: ValueWriter.Form, to writer: ValueWriter
  ) throws(ShellError) {
    let cell = try result.cell(column)
    do throws(StorageError) {
      switch cell {
      case .stored(let value): try writer.write(value, isMixed: column.isMixed, form)
      case .value(let value): try writer.write(value, isMixed: column.isMixed, form)
      }
    } catch {
      throw StorageMessages.error(error, path: result.evaluator.path)
    }
  }

  // MARK: JSON

  private func jsonObject(_ form: ValueWriter.Form) throws(ShellError) {
    out.byte(UInt8(ascii: "{"))
    for (i, column) in result.columns.enumerated() {
      if i > 0 { values.separator(form) }
      values.key(column.title, form)
      try write(column, form, to: values)
    }
    out.byte(UInt8(ascii: "}"))
  }

  /// Longest object that `json` keeps on one line.
  private static let jsonLineWidth = 80

  private func renderJSON(_ rows: Range<Int>) throws(ShellError) {
    if rows.isEmpty {
      out.write("[]\n")
      return
    }
    out.write("[\n")
    let memory = ByteWriter()
    let line = Renderer(result, settings, to: memory)
    var isFirst = true
    try forEachRow(rows) { (_) throws(ShellError) in
      if !isFirst { out.write(",\n") }
      isFirst = false
      try line.jsonObject(.json)
      let bytes = memory.takeBytes()
      out.write("  ")
      if bytes.withUnsafeBytes({ displayWidth(of: $0) }) <= Renderer.jsonLineWidth {
        out.write(bytes)
      } else {
        try tallJSONObject()
      }
    }
    out.write("\n]\n")
  }

  /// One property a line.
  private func tallJSONObject() throws(ShellError) {
    out.write("{\n")
    for (i, column) in result.columns.enumerated() {
      if i > 0 { out.write(",\n") }
      out.write("    ")
      values.key(column.title, .json)
      try write(column, .json, to: values)
    }
    out.write("\n  }")
  }

  // MARK: Literals

  private func renderLiterals(_ rows: Range<Int>) throws(ShellError) {
    try forEachRow(rows) { (_) throws(ShellError) in
      out.write("add \(quotedName(result.objectClass.name)) {")
      for (i, column) in result.columns.enumerated() {
        if i > 0 { out.write(", ") }
        values.key(column.title, .literal)
        try write(column, .literal, to: values)
      }
      out.write("}\n")
    }
  }

  // MARK: Lines

  /// One property per line.
  func renderLines(
    _ rows: Range<Int>, note: String, _ hasMore: Bool
  ) throws(ShellError) {
    var isFirst = true
    try forEachRow(rows) { (row) throws(ShellError) in
      if !isFirst { out.byte(0x0A) }
      isFirst = false
      try writeName(of: result.keys[row])
      try writeProperties()
    }
    footer(rows, note: note, hasMore)
  }

  /// The name of an object on a line of its own.
  func writeName(of key: ObjectKey) throws(ShellError) {
    do throws(StorageError) {
      try values.name(of: key, in: result.objectClass)
    } catch {
      throw StorageMessages.error(error, path: result.evaluator.path)
    }
    out.byte(0x0A)
  }

  /// The columns of the present object, one per line.
  func writeProperties() throws(ShellError) {
    let width = result.columns.map { self.width(of: $0.title) }.max() ?? 0
    for column in result.columns {
      out.write("  ")
      out.write(column.title)
      out.pad(width - self.width(of: column.title) + 2)
      try write(column, .literal, to: values)
      out.byte(0x0A)
    }
  }

  func width(of text: String) -> Int {
    var text = text
    return text.withUTF8 { displayWidth(of: UnsafeRawBufferPointer($0)) }
  }

  // MARK: Footer

  /// `3 objects`, or how many of them were printed.
  func footer(_ rows: Range<Int>, note: String = "", _ hasMore: Bool) {
    guard settings.showsFooter else { return }
    let total = result.keys.count
    if total == 0 {
      out.write("no objects\n")
    } else if hasMore {
      out.write("\(grouped(rows.count)) of \(counted(total, "object", "objects")) (more)\n")
    } else if rows.count == total {
      out.write("\(counted(total, "object", "objects"))\(note)\n")
    }
  }
}
