import ByteKernels

/// Breaks texts for people between words, which a terminal would break in the midst of them.
enum WordWrap {
  /// The lines of a text, each at most as wide as said if its words allow it.
  static func lines(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var words: [Substring] = []
    var column = 0
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      let wordWidth = columns(of: word)
      if !words.isEmpty, column + 1 + wordWidth > width {
        lines.append(words.joined(separator: " "))
        words = []
      }
      column = words.isEmpty ? wordWidth : column + 1 + wordWidth
      words.append(word)
    }
    return lines + [words.joined(separator: " ")]
  }

  /// The columns that a text takes on the screen.
  static func columns(of text: some StringProtocol) -> Int {
    Array(text.utf8).withUnsafeBytes { displayWidth(of: $0) }
  }

  /// Least columns of what stands to the right of a name.
  private static let narrowest = 24

  /// A text of several lines; what is too wide goes on below its last column.
  ///
  /// - Parameter width: nil if there is no screen, and no line is too wide.
  static func paragraphs(_ text: String, width: Int?) -> String {
    guard let width else { return text }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard columns(of: line) > width else { return String(line) }
      let (lead, rest) = lastColumn(of: line, width)
      let indentation = columns(of: lead)
      return lead
        + lines(rest, width: width - indentation)
        .joined(separator: "\n" + String(repeating: " ", count: indentation))
    }.joined(separator: "\n")
  }

  /// Divides a line before its last column, in front of which there are at least two blanks.
  private static func lastColumn(
    of line: Substring, _ width: Int
  ) -> (lead: String, rest: String) {
    var start = line.startIndex
    var index = start
    var blanks = 0
    while index < line.endIndex {
      if line[index] == " " {
        blanks += 1
      } else {
        if blanks > 1, columns(of: line[..<index]) <= width - narrowest { start = index }
        blanks = 0
      }
      index = line.index(after: index)
    }
    return (String(line[..<start]), String(line[start...]))
  }
}
