import ByteKernels
import RealmLanguage
import RealmObjects
import RealmValues

/// A table of values that was printed, for `more` and `last`.
struct ShownTable {
  /// What its rows are.
  enum Kind {
    /// What `aggregate` gives.
    case groups
    /// The members of a collection of values.
    case values
  }

  let kind: Kind
  /// Makes it as it is now.
  let find: () throws(ShellError) -> ValueTable

  /// The word for several rows.
  var rowsText: String { kind == .groups ? "groups" : "values" }

  fileprivate func counted(_ count: Int) -> String {
    RealmShell.counted(count, kind == .groups ? "group" : "value", rowsText)
  }
}

/// Tables of values: `aggregate`, and `where` on collections of values.
///
/// Source: shell.md 10, 18.
extension Session {
  /// Rows of a result that are printed at once.
  func printedCount(of rowCount: Int) -> Int {
    // The pager can show as many as there are.
    let isLimited = outputIsTerminal && redirection == nil
    return isLimited ? min(settings.rowLimit ?? rowCount, rowCount) : rowCount
  }

  /// Prints a table and makes it the last result.
  func show(
    _ shown: ShownTable, _ table: ValueTable, _ value: ShellValue, to writer: ByteWriter
  ) throws(ShellError) {
    locals["_"] = .value(KeptValue(value), nil)
    shownTable = shown
    printedRowCount = printedCount(of: table.rowCount)
    try print(shown, table, 0..<printedRowCount, outputSettings, to: writer)
  }

  /// Prints rows of a table.
  func print(
    _ shown: ShownTable, _ table: ValueTable, _ rows: Range<Int>, _ settings: OutputSettings,
    to writer: ByteWriter
  ) throws(ShellError) {
    var settings = settings
    let isForPeople = [.table, .box, .lines].contains(settings.mode)
    let showsFooter = settings.showsFooter && isForPeople
    let total = table.rowCount
    settings.showsFooter = false
    if shown.kind == .groups { settings.showsIndex = false }
    if total == 0, isForPeople, showsFooter || shown.kind == .groups {
      if showsFooter { writer.write(shown.kind == .groups ? "no objects\n" : "no values\n") }
      return
    }
    try Renderer(table, settings, to: writer).render(rows: rows)
    guard showsFooter else { return }
    if rows.upperBound < total {
      writer.write("\(grouped(rows.upperBound)) of \(shown.counted(total)) (more)\n")
    } else if shown.kind == .values {
      writer.write(shown.counted(total) + "\n")
    }
  }
}
