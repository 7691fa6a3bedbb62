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
  /// Columns in front of what stands below a name for want of room.
  private static let indentation = 4

  /// A text of several lines; what is too wide goes on below its last column, or stands below the name
  /// that it belongs to.
  ///
  /// - Parameter width: nil if there is no screen, and no line is too wide.
  static func paragraphs(_ text: String, width: Int?) -> String {
    guard let width else { return text }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let lead = lastColumn(of: line)
      // Names that are too wide for their column have what they mean below them, short or not.
      guard columns(of: line) > width || columns(of: lead) > width - narrowest else {
        return String(line)
      }
      let rest = String(line[lead.endIndex...])
      guard columns(of: lead) > width - narrowest else {
        return lead + indented(rest, columns(of: lead), width)
      }
      let own = lead.prefix { $0 == " " }.count
      let name = lead.dropFirst(own).reversed().drop { $0 == " " }.reversed()
      let place = String(repeating: " ", count: own + indentation)
      return lead.prefix(own) + indented(String(name), own, width) + "\n" + place
        + indented(rest, own + indentation, width)
    }.joined(separator: "\n")
  }

  /// The lines of a text whose first line has something in front of it.
  private static func indented(_ text: String, _ indentation: Int, _ width: Int) -> String {
    lines(text, width: width - indentation)
      .joined(separator: "\n" + String(repeating: " ", count: indentation))
  }

  /// What stands in front of the last column of a line, between which there are at least two blanks.
  private static func lastColumn(of line: Substring) -> Substring {
    var start = line.startIndex
    var index = start
    var blanks = 0
    while index < line.endIndex {
      if line[index] == " " {
        blanks += 1
      } else {
        if blanks > 1 { start = index }
        blanks = 0
      }
      index = line.index(after: index)
    }
    return line[..<start]
  }
}
