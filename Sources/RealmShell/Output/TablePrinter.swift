import ByteKernels
import RealmStorage
import RealmValues

/// Prints the lines of a table whose column widths are known.
final class TablePrinter {
  private let columns: [TableColumn]
  private let widths: [Int]
  private let isRightAligned: [Bool]
  private let settings: OutputSettings
  private let out: ByteWriter
  /// Screen column, from 1, at which each column of the table starts with the gap before it.
  private let starts: [Int]
  /// Screen column behind the last column of the table.
  private let end: Int
  /// Whether the cell before had a text that terminals do not agree about.
  private var isUncertain = false

  init(_ columns: [TableColumn], _ settings: OutputSettings, to out: ByteWriter) {
    self.columns = columns
    widths = columns.map(\.width)
    isRightAligned = columns.map(\.isRightAligned)
    self.settings = settings
    self.out = out
    let (firstGap, gap) = settings.mode == .box ? (2, 3) : (0, 2)
    var start = 1
    starts = columns.indices.map { i in
      defer { start += columns[i].width + (i == 0 ? firstGap : gap) }
      return start
    }
    end = start
  }

  // MARK: Styles

  /// Sequences for the kinds of cells.
  ///
  /// Source: shell.md 18 (6), 25.
  enum Style: String {
    case bold = "\u{1B}[1m"
    case dim = "\u{1B}[2m"
    case number = "\u{1B}[36m"
    case link = "\u{1B}[34m"

    fileprivate static let end = "\u{1B}[0m"

    /// The style of a value; nil if it has none.
    init?(_ value: StoredValue) {
      switch value {
      case .null: self = .dim
      case .int, .float, .double, .decimal, .date: self = .number
      case .link: self = .link
      default: return nil
      }
    }

    /// The style of a value; nil if it has none.
    init?(_ value: ShellValue) {
      switch value {
      case .object: self = .link
      case .scalar(let scalar):
        switch scalar {
        case .null: self = .dim
        case .int, .float, .double, .decimal, .date: self = .number
        case .link, .key: self = .link
        default: return nil
        }
      default: return nil
      }
    }
  }

  private func styled(_ style: Style?, _ body: () -> Void) {
    guard let style, settings.usesColor else {
      body()
      return
    }
    out.write(style.rawValue)
    body()
    out.write(Style.end)
  }

  // MARK: Lines

  /// The titles with what stands above and below them.
  func writeTop() {
    if settings.mode == .box { writeFrame("┌", "┬", "┐") }
    for (i, column) in columns.enumerated() {
      column.title.bytes.withUnsafeBytes {
        write($0, column: i, settings.mode == .markdown ? nil : .bold)
      }
    }
    endRow()
    switch settings.mode {
    case .box: writeFrame("├", "┼", "┤")
    case .markdown:
      for column in columns {
        let dashes = String(repeating: "-", count: column.width - (column.isRightAligned ? 1 : 0))
        out.write("| \(dashes)\(column.isRightAligned ? ":" : "") ")
      }
      out.write("|\n")
    default:
      let line = settings.isTerminal ? "─" : "-"
      styled(.dim) {
        for (i, column) in columns.enumerated() {
          if i > 0 { out.pad(2) }
          out.write(String(repeating: line, count: column.width))
        }
      }
      out.byte(0x0A)
    }
  }

  /// What stands below the last row.
  func writeBottom() {
    if settings.mode == .box { writeFrame("└", "┴", "┘") }
  }

  private func writeFrame(_ left: String, _ middle: String, _ right: String) {
    styled(.dim) {
      out.write(left)
      for (i, column) in columns.enumerated() {
        if i > 0 { out.write(middle) }
        out.write(String(repeating: "─", count: column.width + 2))
      }
      out.write(right)
    }
    out.byte(0x0A)
  }

  /// Ends a line of cells.
  func endRow() {
    switch settings.mode {
    case .box:
      if isUncertain { placeCursor(end) }
      out.write(" │\n")
    case .markdown: out.write(" |\n")
    default: out.byte(0x0A)
    }
    isUncertain = false
  }

  // MARK: Cells

  /// Writes a cell with the gap before it; a text that is too long is cut.
  func write(_ text: UnsafeRawBufferPointer, column index: Int, _ style: Style?) {
    let room = widths[index]
    if isUncertain { placeCursor(starts[index]) }
    isUncertain = false
    switch settings.mode {
    case .box: out.write(index == 0 ? "│ " : " │ ")
    case .markdown: out.write(index == 0 ? "| " : " | ")
    default: if index > 0 { out.pad(2) }
    }
    var text = text
    var width = displayWidth(of: text)
    let isCut = width > room && settings.cutsCells
    if isCut {
      (text, width) = cut(text, to: room - 1)
      width += 1
    }
    if isRightAligned[index] { out.pad(room - width) }
    styled(style) {
      out.write(text)
      if isCut { out.write("…") }
    }
    isUncertain = settings.placesCursor && settings.isTerminal && hasUncertainWidth(text)
    let isLast = index == widths.count - 1 && settings.mode == .table
    if !isRightAligned[index], !isLast { out.pad(room - width) }
  }

  private func placeCursor(_ column: Int) { out.write("\u{1B}[\(column)G") }

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

  /// Whether terminals do not agree about the width: joined emoji, variation selectors, flags,
  /// skin tones.
  private func hasUncertainWidth(_ text: UnsafeRawBufferPointer) -> Bool {
    var i = asciiPrefixCount(of: text)
    while i < text.count {
      guard let (scalar, byteCount) = decodeScalar(in: text, at: i) else { return true }
      switch scalar.value {
      case 0x200D, 0xFE0F, 0x1F1E6...0x1F1FF, 0x1F3FB...0x1F3FF: return true
      default: i += byteCount
      }
    }
    return false
  }
}
