import ByteKernels
import RealmLanguage

/// Prints errors and warnings on standard error.
///
/// Source: shell.md 19.
struct ErrorPrinter {
  /// The forms of messages.
  enum Form: String, CaseIterable {
    case human, json
  }

  /// Where the text of a statement came from.
  struct Origin {
    var source: SourceText
    /// Number of columns in front of the text on the screen, if it was just typed in one row.
    var promptWidth: Int?
    /// The whole statement.
    var statement: SourceRange?
    /// A line at or before the place, if one was counted.
    var lineStart: SourceText.LineStart?
  }

  let form: Form
  let writer: ByteWriter
  /// Columns of the screen; nil if there is none.
  var width: Int?

  /// Prints an error of a statement, or one without a place.
  func print(_ error: ShellError, severity: String = "error", origin: Origin?) {
    var error = error
    error.message = presentable(error.message)
    error.details = error.details.map(presentable)
    error.suggestion = error.suggestion.map(presentable)
    error.remedy = error.remedy.map(presentable)
    error.subject = error.subject.map(presentable)
    var place = origin
    if let file = error.file { place = Origin(source: file) }
    switch form {
    case .json: printJSON(error, severity, place, statement: origin)
    case .human: printHuman(error, severity, place)
    }
    writer.flush()
  }

  private func printHuman(_ error: ShellError, _ severity: String, _ origin: Origin?) {
    var error = error
    error.message = EscapedText.bare(error.message)
    error.details = error.details.map(EscapedText.bare)
    error.suggestion = error.suggestion.map(EscapedText.bare)
    error.remedy = error.remedy.map(EscapedText.bare)
    let suffix = " [\(error.name.rawValue)]"
    if error.name == .interrupted, origin?.source.fileName == "<prompt>" {
      // The terminal has shown ^C behind the last output.
      writer.write("\n\(severity): \(error.message)\(suffix)\n")
      for line in error.details { writer.write("  \(line)\n") }
      return
    }
    let message = "\(severity): \(error.message)\(suffix)"
    guard let origin, let range = error.range else {
      let place = EscapedText.bare(error.subject ?? origin?.source.fileName ?? "realmsh")
      write("\(place): \(message)", indentation: 2)
      for line in error.details { write(line, behind: "  ") }
      if let help = help(error) { write(help, behind: "  hint: ") }
      return
    }
    let source = origin.source
    if let promptWidth = origin.promptWidth, isInOneRow(source, behind: promptWidth) {
      let marks = marks(range, source)
      let indent = String(repeating: " ", count: promptWidth + marks.width)
      write(message, behind: indent + marks.text + " ")
      if let help = help(error) { write(help, behind: indent) }
      for line in error.details { write(line, behind: indent) }
      return
    }
    let place = source.place(of: range.start, after: origin.lineStart)
    write(
      "\(EscapedText.bare(source.fileName)):\(place.line):\(place.column): \(message)",
      indentation: 2)
    let number = String(place.line)
    let gap = String(repeating: " ", count: number.utf8.count)
    let marks = marks(range, source, room: width.map { $0 - number.utf8.count - 5 })
    writer.write("  \(number) | \(marks.line)\n")
    let lead = "  \(gap) | " + String(repeating: " ", count: marks.width) + marks.text
    if let help = help(error) { write(help, behind: lead + " ") } else { writer.write(lead + "\n") }
    for line in error.details { write(line, behind: "  ") }
  }

  /// Whether a text that was typed stands in one row of the screen.
  private func isInOneRow(_ source: SourceText, behind promptWidth: Int) -> Bool {
    let text = String(decoding: source.bytes, as: UTF8.self).prefix { !$0.isNewline }
    guard text.utf8.count + 1 >= source.bytes.count else { return false }
    return width.map { promptWidth + WordWrap.columns(of: text) <= $0 } ?? true
  }

  /// Least columns for a text behind something else.
  private static let narrowest = 32

  /// Writes a text behind another, broken between words if it does not fit; where too little room is
  /// left, it stands below.
  private func write(_ text: String, behind lead: String) {
    let column = WordWrap.columns(of: lead)
    guard let width, column + WordWrap.columns(of: text) > width else {
      writer.write("\(lead)\(text)\n")
      return
    }
    if width - column >= ErrorPrinter.narrowest {
      let lines = WordWrap.lines(text, width: width - column)
      writer.write(
        lead + lines.joined(separator: "\n" + String(repeating: " ", count: column)) + "\n")
    } else {
      if lead.contains(where: { $0 != " " }) { writer.write(lead.dropLast() + "\n") }
      writer.write("  ")
      write(text, indentation: 2)
    }
  }

  /// Writes a text that is broken between words; its further lines are indented.
  private func write(_ text: String, indentation: Int) {
    let indent = String(repeating: " ", count: indentation)
    let lines = width.map { WordWrap.lines(text, width: $0 - indentation) } ?? [text]
    writer.write(lines.joined(separator: "\n" + indent) + "\n")
  }

  private func help(_ error: ShellError) -> String? {
    guard let suggestion = error.suggestion else { return error.remedy }
    return "did you mean \(suggestion)?" + (error.remedy.map { " or, \($0)" } ?? "")
  }

  /// Prints something that is no error.
  func printNote(_ text: String) {
    switch form {
    case .human: writer.write("note: \(EscapedText.bare(presentable(text)))\n")
    case .json:
      writer.write("{\"note\":")
      writeJSONString(presentable(text))
      writer.write("}\n")
    }
    writer.flush()
  }

  /// Bytes of a line that are printed, and how many of them may stand before the place.
  private static let longestLine = 300
  private static let longestLead = 100

  /// The line of a place, the carets under a range, and the display width in front of them; a very
  /// long line is cut on both sides.
  ///
  /// - Parameter room: Columns for the line; nil if there is no limit.
  private func marks(
    _ range: SourceRange, _ source: SourceText, room: Int? = nil
  ) -> (line: String, width: Int, text: String) {
    var line = source.lineRange(containing: range.start)
    let start = max(line.lowerBound, min(range.start, line.upperBound))
    let whole = line
    let longest = min(ErrorPrinter.longestLine, max(40, room ?? .max))
    if line.count > longest {
      func boundary(before offset: Int) -> Int {
        var offset = min(max(offset, whole.lowerBound), whole.upperBound)
        while offset > whole.lowerBound, offset < whole.upperBound,
          source.bytes[offset] & 0xC0 == 0x80
        { offset -= 1 }
        return offset
      }
      // Both ends get a sign for what is left out.
      let from = boundary(before: start - min(ErrorPrinter.longestLead, longest / 2))
      line = from..<max(start, boundary(before: from + longest - 2))
    }
    let end = max(start, min(range.end, line.upperBound))
    // What stands around it shows whether digits belong to a key.
    let seen = Range(
      uncheckedBounds: (
        max(whole.lowerBound, line.lowerBound - ErrorPrinter.longestLine),
        min(whole.upperBound, line.upperBound + ErrorPrinter.longestLine)
      ))
    var shown = source.bytes[seen].map { $0 == UInt8(ascii: "\t") ? UInt8(ascii: " ") : $0 }
    KeyText.mask(&shown)
    func text(_ bounds: Range<Int>) -> String {
      let bounds = bounds.lowerBound - seen.lowerBound..<bounds.upperBound - seen.lowerBound
      return EscapedText.bare(String(decoding: shown[bounds], as: UTF8.self))
    }
    func width(_ bounds: Range<Int>) -> Int {
      Array(text(bounds).utf8).withUnsafeBytes { displayWidth(of: $0) }
    }
    let lead = line.lowerBound > whole.lowerBound ? "…" : ""
    let tail = line.upperBound < whole.upperBound ? "…" : ""
    return (
      lead + text(line) + tail, lead.count + width(line.lowerBound..<start),
      String(repeating: "^", count: max(1, width(start..<end)))
    )
  }

  /// Characters of a text that are printed.
  private static let longestText = 2000
  /// Bytes of a statement that are repeated for programs.
  private static let longestStatement = 100_000

  /// A text without keys, in which the middle of what is very long is left out.
  private func presentable(_ text: String) -> String {
    presentable(text, longest: ErrorPrinter.longestText)
  }

  private func presentable(_ text: String, longest: Int) -> String {
    let text = KeyText.masked(text)
    guard text.utf8.count > longest else { return text }
    func boundary(_ offset: Int) -> String.Index {
      let index = text.utf8.index(text.startIndex, offsetBy: offset)
      return text.unicodeScalars.index(after: text.unicodeScalars.index(before: index))
    }
    let start = boundary(longest * 2 / 3)
    let end = boundary(text.utf8.count - longest / 3)
    return text[..<start] + " … " + text[end...]
  }

  /// - Parameter statement: Where the statement comes from; the place may be in another file.
  private func printJSON(
    _ error: ShellError, _ severity: String, _ origin: Origin?, statement: Origin?
  ) {
    writer.write("{\"\(severity)\":\"\(error.name.rawValue)\",\"message\":")
    writeJSONString(error.message)
    if let origin {
      writer.write(",\"file\":")
      writeJSONString(origin.source.fileName)
      if let range = error.range {
        let place = origin.source.place(of: range.start, after: origin.lineStart)
        writer.write(",\"line\":\(place.line),\"column\":\(place.column)")
        writer.write(",\"length\":\(origin.source.clusterCount(of: range))")
      }
    }
    if let suggestion = error.suggestion ?? error.remedy {
      writer.write(",\"suggestion\":")
      writeJSONString(suggestion)
    }
    if let origin = statement, let statement = origin.statement {
      writer.write(",\"statement\":")
      writeJSONString(
        presentable(
          origin.source.text(of: statement), longest: ErrorPrinter.longestStatement))
    }
    writer.write("}\n")
  }

  private func writeJSONString(_ text: String) {
    var text = text
    text.withUTF8 { JSONText.writeString(UnsafeRawBufferPointer($0), to: writer) }
  }
}
