import ByteKernels

/// The look of a cell.
struct CellStyle: Equatable {
  /// The SGR number of the colour; 0 for the terminal's own.
  var color: UInt8 = 0
  var isBold = false
  var isDim = false
  var isUnderlined = false

  static let plain = CellStyle()
  static let dim = CellStyle(isDim: true)

  /// What the terminal is told before a cell with this look, after one with another look.
  var sequence: String {
    var numbers = "0"
    if isBold { numbers += ";1" }
    if isDim { numbers += ";2" }
    if isUnderlined { numbers += ";4" }
    if color != 0 { numbers += ";\(color)" }
    return "\u{1B}[\(numbers)m"
  }
}

extension CellStyle {
  /// The look that the language gives to a part of the text.
  init(_ style: TextStyle) {
    self.init(
      color: style.color?.rawValue ?? 0, isBold: style.isBold, isDim: style.isDim,
      isUnderlined: style.isUnderlined)
  }
}

/// What stands in one place of a row: a grapheme cluster, a control character as `^X`, or the blanks
/// of a tab.
struct Cell: Equatable {
  var text: String
  /// Columns; 0 for a mark without a base, which shares the column before it.
  var width: Int
  var style = CellStyle.plain
  /// Whether terminals disagree about the width, so that the column has to be set behind it.
  var isDisputed = false

  /// A printable ASCII character.
  init(ascii byte: UInt8, _ style: CellStyle) {
    text = String(Unicode.Scalar(byte))
    width = 1
    self.style = style
  }

  /// The cell of a cluster.
  ///
  /// - Parameter width: Columns by the rules of the whole program.
  /// - Parameter column: Where it begins, which decides how wide a tab is.
  /// - Parameter columns: The width of the screen.
  init(_ cluster: UnsafeRawBufferPointer, width: Int, column: Int, columns: Int) {
    let first = cluster.first ?? 0
    if cluster.count == 1, first < 0x20 || first == 0x7F {
      self.width = Cell.width(ofControl: first, column: column, columns: columns)
      text =
        first == 0x09
        ? String(repeating: " ", count: self.width) : "^\(Unicode.Scalar(first ^ 0x40))"
      return
    }
    let cluster = String(decoding: cluster, as: UTF8.self)
    // The control characters of ISO 6429 would be obeyed by the terminal, and so would the breaks
    // of lines and paragraphs by some.
    if let scalar = cluster.unicodeScalars.first, Cell.isUnprintable(scalar) {
      (text, self.width) = ("\u{FFFD}", 1)
      return
    }
    text = cluster
    self.width = width
    isDisputed = width == 0 || Cell.isDisputed(cluster.unicodeScalars)
  }

  /// What the terminal knows of the cell: it takes `^X` and the blanks of a tab for characters of
  /// their own.
  var places: [Cell] {
    guard width > 1, text.utf8.count == width else { return [self] }
    return text.utf8.map { Cell(ascii: $0, style) }
  }

  /// The columns of an ASCII control character.
  static func width(ofControl byte: UInt8, column: Int, columns: Int) -> Int {
    guard byte == 0x09 else { return 2 }
    let start = column < columns ? column : 0
    return max(1, min(8 - start % 8, columns - start))
  }

  private static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
    0x80...0x9F ~= scalar.value || scalar == "\u{2028}" || scalar == "\u{2029}"
  }

  /// Joined emoji, skin tones, flags, presentation selectors and whatever else is more than a base
  /// with marks above or below it.
  private static func isDisputed(_ scalars: String.UnicodeScalarView) -> Bool {
    guard let first = scalars.first else { return false }
    if first == "\u{AD}" || 0x1F1E6...0x1F1FF ~= first.value { return true }
    return scalars.dropFirst().contains { scalar in
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark: scalar.properties.isDefaultIgnorableCodePoint
      default: true
      }
    }
  }
}
