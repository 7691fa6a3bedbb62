import ByteKernels
import RealmLanguage
import RealmObjects
import RealmStorage

/// Prints a result that is divided into sections.
///
/// For people each section has a line with its key and a table of its own, in `json` an object; in
/// the modes with one object per line the key stands before the other columns.
///
/// Source: shell.md 10.
struct SectionRenderer {
  let result: ResultSet
  let sections: ResultSections
  let settings: OutputSettings
  let out: ByteWriter

  /// Prints the rows of a range.
  ///
  /// - Parameter hasMore: Whether the footer tells that rows are left.
  /// - Throws: `ShellError` if a value cannot be read or computed, or the user interrupts.
  func render(rows: Range<Int>, hasMore: Bool) throws(ShellError) {
    switch settings.mode {
    case .table, .box, .markdown, .lines, .literal:
      try forEachSection(in: rows) { (i, section) throws(ShellError) in
        try renderForPeople(i, section)
      }
      if settings.mode != .literal, settings.mode != .markdown { footer(rows, hasMore) }
    case .json: try renderJSON(rows)
    case .jsonl, .csv, .tsv:
      try Renderer(flat, settings, to: out).render(rows: rows, hasMore: hasMore)
    case .none: break
    }
  }

  /// Calls `body` with each section that has rows of a range, and those rows.
  private func forEachSection(
    in rows: Range<Int>, _ body: (Int, Range<Int>) throws(ShellError) -> Void
  ) throws(ShellError) {
    for (i, section) in sections.rows.enumerated() where section.overlaps(rows) {
      try body(i, section.clamped(to: rows))
    }
  }

  private func renderForPeople(_ i: Int, _ rows: Range<Int>) throws(ShellError) {
    guard let part = result.section(at: i) else { return }
    if settings.mode == .literal { out.write("# ") }
    try write(sections.keys[i], .literal)
    out.write("  \(counted(part.rowCount, "object", "objects"))\n")
    if settings.mode == .markdown { out.byte(0x0A) }
    var settings = settings
    settings.showsFooter = false
    let first = sections.rows[i].lowerBound
    try Renderer(part, settings, to: out).render(
      rows: rows.lowerBound - first..<rows.upperBound - first)
    if settings.mode == .markdown { out.byte(0x0A) }
  }

  private func renderJSON(_ rows: Range<Int>) throws(ShellError) {
    var isFirst = true
    try forEachSection(in: rows) { (i, rows) throws(ShellError) in
      out.write(isFirst ? "[\n" : ",\n")
      isFirst = false
      out.write("  {\n    \"key\": ")
      try write(sections.keys[i], .json)
      out.write(",\n    \"objects\": ")
      try Renderer(result, settings, to: out).renderJSONArray(rows, indent: 4)
      out.write("\n  }")
    }
    out.write(isFirst ? "[]\n" : "\n]\n")
  }

  private func write(_ key: ShellValue, _ form: ValueWriter.Form) throws(ShellError) {
    try result.evaluator.reading { () throws(StorageError) in
      try ValueWriter(result.schema, to: out).write(key, isMixed: sections.column.isMixed, form)
    }
  }

  /// All rows with the key as their first column.
  private var flat: ResultSet {
    ResultSet(
      result.objectClass, result.keys, sections: sections,
      columns: [sections.column] + result.columns, evaluator: result.evaluator)
  }

  /// `3 sections, 3 objects`.
  private func footer(_ rows: Range<Int>, _ hasMore: Bool) {
    guard settings.showsFooter else { return }
    let objects = counted(result.rowCount, "object", "objects")
    if result.rowCount == 0 {
      out.write("no objects\n")
    } else if hasMore {
      out.write("\(grouped(rows.upperBound)) of \(objects) (more)\n")
    } else if rows.count == result.rowCount {
      out.write("\(counted(sections.count, "section", "sections")), \(objects)\n")
    }
  }
}
