/// The screen of a terminal that knows only the sequences that the shell may send.
///
/// Source: shell.md 25 (terminal sequences used).
public struct TerminalEmulator {
  /// One place of the screen.
  public struct Cell: Equatable, Sendable {
    /// A grapheme cluster; a blank if nothing was written.
    public var text = " "
    /// Columns: 1, 2, or 0 for the second half of a wide cluster.
    public var width = 1
    /// The parameters of the look, without those that are off.
    public var look: Set<Int> = []
    /// Whether nothing was written here.
    public var isEmpty = true

    /// An empty place.
    public init() {}
  }

  /// A row and whether the terminal has broken it because it was full.
  public struct Row: Sendable {
    /// As many as the screen has columns.
    public var cells: [Cell]
    /// Whether the next row belongs to it.
    public var isContinued = false

    /// The text without the blanks at its end.
    public var text: String {
      var text = cells.filter { $0.width > 0 }.map(\.text).joined()
      while text.last == " " { text.removeLast() }
      return text
    }
  }

  /// Columns of the screen.
  public private(set) var columns: Int
  /// The rows of the screen.
  public private(set) var rows: [Row]
  /// The rows that have left the screen at its top.
  public private(set) var scrollback: [Row] = [] {
    didSet {
      // Rows are added at the end, but for a change of size.
      if scrollback.count < scrollbackTexts.count { scrollbackTexts = [] }
      scrollbackTexts += scrollback[scrollbackTexts.count...].map(\.text)
    }
  }
  /// The texts of the rows that have left the screen.
  public private(set) var scrollbackTexts: [String] = []
  /// The cursor's row on the screen.
  public private(set) var cursorRow = 0
  /// The cursor's column.
  public private(set) var cursorColumn = 0
  /// Whether the cursor is shown.
  public private(set) var showsCursor = true
  /// Whether pasted text is marked.
  public private(set) var marksPaste = false
  /// Whether the terminal waits with showing what it gets.
  public private(set) var isUpdating = false
  /// How often the terminal was told to wait with showing what it gets, and got nothing: a mark
  /// that tests write.
  public private(set) var markCount = 0
  /// How often the bell has rung.
  public private(set) var bellCount = 0
  /// What came that a terminal need not know.
  public private(set) var failure: String?

  /// Whether a full row waits for the next character to be broken.
  private var isWaitingToBreak = false
  /// Whether the next character may join the cluster before the cursor.
  private var canJoin = false
  private var look: Set<Int> = []
  private var isUpdateEmpty = false
  private var sequence: [UInt8] = []
  private var character: [UInt8] = []

  /// An empty screen.
  public init(rows: Int, columns: Int) {
    self.columns = columns
    self.rows = Array(repeating: Self.emptyRow(columns), count: rows)
  }

  /// The texts of all rows, those that have left the screen first.
  public var allTexts: [String] { scrollbackTexts + texts }

  /// The texts of the rows of the screen.
  public var texts: [String] { rows.map(\.text) }

  private static func emptyRow(_ columns: Int) -> Row {
    Row(cells: Array(repeating: Cell(), count: columns))
  }

  // MARK: Input

  /// Obeys what a program has written.
  public mutating func feed(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { feed(byte) }
  }

  private mutating func feed(_ byte: UInt8) {
    if !sequence.isEmpty {
      sequence.append(byte)
      finishSequence()
      return
    }
    if byte != 0x1B { isUpdateEmpty = false }
    switch byte {
    case 0x07: bellCount += 1
    case 0x0A: goDown()
    case 0x0D: moveTo(column: 0)
    case 0x1B: sequence = [byte]
    case 0x20...0x7E: write(Unicode.Scalar(byte))
    case 0x80...: feedPart(byte)
    default: fail("control character \(byte)")
    }
  }

  private mutating func feedPart(_ byte: UInt8) {
    character.append(byte)
    let length = character[0] >= 0xF0 ? 4 : character[0] >= 0xE0 ? 3 : 2
    guard character.count == length else { return }
    let scalars = String(decoding: character, as: UTF8.self).unicodeScalars
    character = []
    guard scalars.count == 1, let scalar = scalars.first else { return fail("invalid UTF-8") }
    write(scalar)
  }

  private mutating func fail(_ text: String) {
    if failure == nil { failure = text }
  }

  // MARK: Sequences

  private mutating func finishSequence() {
    guard sequence.count > 2 else {
      if sequence.last != UInt8(ascii: "[") { failSequence() }
      return
    }
    guard let last = sequence.last, (0x40...0x7E).contains(last) else { return }
    let parameters = String(decoding: sequence[2..<sequence.count - 1], as: UTF8.self)
    let endsEmptyUpdate = isUpdateEmpty && parameters == "?2026" && last == UInt8(ascii: "l")
    if endsEmptyUpdate { markCount += 1 }
    isUpdateEmpty = parameters == "?2026" && last == UInt8(ascii: "h")
    if !obey(parameters, Unicode.Scalar(last)) { failSequence() }
    sequence = []
  }

  private mutating func failSequence() {
    fail("sequence \(String(decoding: sequence, as: UTF8.self).debugDescription)")
    sequence = []
  }

  private mutating func obey(_ parameters: String, _ final: Unicode.Scalar) -> Bool {
    let number = parameters.isEmpty ? 1 : Int(parameters) ?? -1
    switch final {
    case "A" where number > 0: moveTo(row: cursorRow - number)
    case "B" where number > 0: moveTo(row: cursorRow + number)
    case "G" where number > 0: moveTo(column: number - 1)
    case "K" where parameters.isEmpty: erase(from: cursorColumn)
    case "K" where number == 2: erase(from: 0)
    case "H" where parameters.isEmpty:
      moveTo(row: 0)
      moveTo(column: 0)
    case "J" where number == 2:
      rows = Array(repeating: Self.emptyRow(columns), count: rows.count)
    case "h", "l": return setMode(parameters, final == "h")
    case "m": return setLook(parameters)
    default: return false
    }
    return true
  }

  private mutating func setMode(_ mode: String, _ isOn: Bool) -> Bool {
    switch mode {
    case "?25": showsCursor = isOn
    case "?2004": marksPaste = isOn
    case "?2026": isUpdating = isOn
    default: return false
    }
    return true
  }

  private mutating func setLook(_ parameters: String) -> Bool {
    for parameter in parameters.split(separator: ";", omittingEmptySubsequences: false) {
      switch parameter.isEmpty ? 0 : Int(parameter) ?? -1 {
      case 0: look = []
      case 22: look.subtract([1, 2])
      case 39: look = look.filter { $0 < 30 }
      case let number where [1, 2, 4].contains(number): look.insert(number)
      case let number where (30...37).contains(number) || (90...97).contains(number):
        look = look.filter { $0 < 30 }.union([number])
      default: return false
      }
    }
    return true
  }

  private mutating func erase(from start: Int) {
    for column in start..<columns { clear(column) }
    rows[cursorRow].isContinued = false
    canJoin = false
  }

  // MARK: Movements

  private mutating func moveTo(row: Int) {
    cursorRow = min(max(0, row), rows.count - 1)
    settle()
  }

  private mutating func moveTo(column: Int) {
    cursorColumn = min(max(0, column), columns - 1)
    settle()
  }

  private mutating func settle() {
    cursorColumn = min(cursorColumn, columns - 1)
    (isWaitingToBreak, canJoin) = (false, false)
  }

  private mutating func goDown() {
    settle()
    if cursorRow < rows.count - 1 {
      cursorRow += 1
    } else {
      scrollback.append(rows.removeFirst())
      rows.append(Self.emptyRow(columns))
    }
  }

  // MARK: Text

  private mutating func write(_ scalar: Unicode.Scalar) {
    if join(scalar) { return }
    let width = CellWidth.of(scalar)
    // A mark without anything to stand on.
    guard width > 0 else { return }
    if isWaitingToBreak || cursorColumn + width > columns {
      let row = cursorRow
      let isAtBottom = row == rows.count - 1
      goDown()
      cursorColumn = 0
      if isAtBottom {
        if row > 0 { rows[row - 1].isContinued = true } else { markLastScrolled() }
      } else {
        rows[row].isContinued = true
      }
    }
    put(String(scalar), width)
  }

  private mutating func markLastScrolled() {
    scrollback[scrollback.count - 1].isContinued = true
  }

  /// Puts a cluster at the cursor and goes behind it.
  private mutating func put(_ text: String, _ width: Int) {
    for column in cursorColumn..<cursorColumn + width { clear(column) }
    rows[cursorRow].cells[cursorColumn].text = text
    rows[cursorRow].cells[cursorColumn].width = width
    rows[cursorRow].cells[cursorColumn].look = look
    rows[cursorRow].cells[cursorColumn].isEmpty = false
    if width == 2 { rows[cursorRow].cells[cursorColumn + 1].width = 0 }
    goBehind(width)
  }

  private mutating func goBehind(_ width: Int) {
    cursorColumn += width
    canJoin = true
    if cursorColumn == columns {
      cursorColumn = columns - 1
      isWaitingToBreak = true
    }
  }

  /// Adds a character to the cluster before the cursor, if the two belong together.
  private mutating func join(_ scalar: Unicode.Scalar) -> Bool {
    var column = isWaitingToBreak ? cursorColumn : cursorColumn - 1
    guard column >= 0 else { return false }
    if rows[cursorRow].cells[column].width == 0 { column -= 1 }
    let isMark = CellWidth.of(scalar) == 0
    let joined = rows[cursorRow].cells[column].text + String(scalar)
    guard isMark || canJoin && joined.count == 1 else { return false }
    rows[cursorRow].cells[column].text = joined
    let width = max(CellWidth.of(joined), rows[cursorRow].cells[column].width)
    if width == 2, rows[cursorRow].cells[column].width == 1, column + 1 < columns {
      clear(column + 1)
      rows[cursorRow].cells[column].width = 2
      rows[cursorRow].cells[column + 1].width = 0
      if !isWaitingToBreak { goBehind(1) }
    }
    return true
  }

  /// Empties a place, and the other half of a wide cluster.
  private mutating func clear(_ column: Int) {
    let width = rows[cursorRow].cells[column].width
    rows[cursorRow].cells[column] = Cell()
    if width == 0 { rows[cursorRow].cells[column - 1] = Cell() }
    if width == 2 { rows[cursorRow].cells[column + 1] = Cell() }
  }

  // MARK: Size

  /// Changes the size of the window: rows that were broken because they were full are broken anew.
  public mutating func resize(rows newRows: Int, columns newColumns: Int) {
    let all = scrollback + rows
    let cursor = scrollback.count + cursorRow
    let used = max(cursor, all.lastIndex { $0.cells.contains { !$0.isEmpty } } ?? 0) + 1
    var broken: [Row] = []
    var place = (row: 0, column: 0)
    var start = 0
    while start < used {
      let end = min(all[start...].firstIndex { !$0.isContinued } ?? used - 1, used - 1)
      let first = broken.count
      var offset = -1
      var cells: [Cell] = []
      for number in start...end {
        if number == cursor { offset = cells.count + cursorColumn + (isWaitingToBreak ? 1 : 0) }
        cells += number < end ? Self.full(all[number]) : Self.trimmed(all[number])
      }
      broken += Self.rows(of: cells, newColumns)
      if offset >= 0 { place = Self.place(of: offset, in: broken[first...], first) }
      start = end + 1
    }
    let top = max(0, min(broken.count - newRows, place.row))
    scrollback = []
    scrollback = Array(broken[..<top])
    rows = Array(broken[top...].prefix(newRows))
    while rows.count < newRows { rows.append(Self.emptyRow(newColumns)) }
    columns = newColumns
    cursorRow = min(place.row - top, newRows - 1)
    isWaitingToBreak = place.column == newColumns
    cursorColumn = min(place.column, newColumns - 1)
  }

  /// The cells of a row that is continued: without the place that a wide cluster has left empty.
  private static func full(_ row: Row) -> [Cell] {
    row.cells.last?.isEmpty == true && row.cells.last?.width == 1
      ? row.cells.dropLast() : row.cells
  }

  private static func trimmed(_ row: Row) -> [Cell] {
    let end = row.cells.lastIndex { !$0.isEmpty || $0.width == 0 } ?? -1
    return Array(row.cells[...end])
  }

  private static func rows(of cells: [Cell], _ columns: Int) -> [Row] {
    var rows: [Row] = []
    var row: [Cell] = []
    for cell in cells where cell.width > 0 {
      if row.count + cell.width > columns {
        rows.append(padded(row, columns, isContinued: true))
        row = []
      }
      row.append(cell)
      if cell.width == 2 {
        var half = Cell()
        half.width = 0
        row.append(half)
      }
    }
    rows.append(padded(row, columns, isContinued: false))
    return rows
  }

  private static func padded(_ cells: [Cell], _ columns: Int, isContinued: Bool) -> Row {
    Row(
      cells: cells + Array(repeating: Cell(), count: columns - cells.count),
      isContinued: isContinued)
  }

  private static func place(
    of offset: Int, in rows: ArraySlice<Row>, _ first: Int
  ) -> (row: Int, column: Int) {
    var rest = offset
    for (number, row) in rows.enumerated() {
      let width = row.isContinued ? full(row).count : row.cells.count
      if rest < width || number == rows.count - 1 { return (first + number, rest) }
      rest -= width
    }
    return (first, 0)
  }
}

/// Columns of clusters as terminals of today count them.
private enum CellWidth {
  static func of(_ cluster: String) -> Int {
    let scalars = Array(cluster.unicodeScalars)
    if scalars.dropFirst().contains("\u{FE0F}") { return 2 }
    return scalars.reduce(0) { max($0, of($1)) }
  }

  static func of(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case 0x300...0x36F, 0x200B...0x200F, 0xFE00...0xFE0F: 0
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF: 2
    case 0xFF00...0xFF60, 0x1F1E6...0x1F1FF, 0x1F300...0x1F64F, 0x1F680...0x1F9FF: 2
    default: 1
    }
  }
}
