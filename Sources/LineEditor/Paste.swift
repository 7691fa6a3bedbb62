extension LineEditor {
  /// What the terminal sends behind a pasted text.
  private static let endOfPaste = Array("\u{1B}[201~".unicodeScalars)

  /// Reads a pasted text up to its end and inserts it as a whole.
  func paste() {
    var pasted = String.UnicodeScalarView()
    var last: [Unicode.Scalar] = []
    while last != Self.endOfPaste {
      guard let scalar = readScalar() else { return }
      pasted.append(scalar)
      if scalar == "\u{1B}" { last = [] }
      if last.count < Self.endOfPaste.count { last.append(scalar) }
    }
    pasted.removeLast(Self.endOfPaste.count)
    buffer.insert(assistance.pasted(Self.withNewlines(pasted)))
  }

  /// Text with newlines for carriage returns, alone or before a newline.
  private static func withNewlines(_ text: String.UnicodeScalarView) -> String {
    var result = String.UnicodeScalarView()
    var isAfterReturn = false
    for scalar in text {
      if scalar == "\n", isAfterReturn {
        isAfterReturn = false
        continue
      }
      isAfterReturn = scalar == "\r"
      result.append(isAfterReturn ? "\n" : scalar)
    }
    return String(result)
  }
}
