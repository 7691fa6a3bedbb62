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

  /// Prints an error of a statement, or one without a place.
  func print(_ error: ShellError, severity: String = "error", origin: Origin?) {
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
    error.message = visible(error.message)
    error.details = error.details.map(visible)
    error.suggestion = error.suggestion.map(visible)
    error.remedy = error.remedy.map(visible)
    let suffix = " [\(error.name.rawValue)]"
    if error.name == .interrupted, origin?.source.fileName == "<prompt>" {
      // The terminal has shown ^C behind the last output.
      writer.write("\n\(severity): \(error.message)\(suffix)\n")
      for line in error.details { writer.write("  \(line)\n") }
      return
    }
    guard let origin, let range = error.range else {
      let place = (error.subject ?? origin?.source.fileName ?? "realmsh") + ": "
      writer.write("\(place)\(severity): \(error.message)\(suffix)\n")
      for line in error.details { writer.write("  \(line)\n") }
      if let help = help(error) { writer.write("  hint: \(help)\n") }
      return
    }
    let source = origin.source
    let marks = marks(range, source)
    if let promptWidth = origin.promptWidth, !source.bytes.dropLast().contains(0x0A) {
      let indent = String(repeating: " ", count: promptWidth + marks.width)
      writer.write("\(indent)\(marks.text) \(severity): \(error.message)\(suffix)\n")
      for line in error.details { writer.write("\(indent)\(line)\n") }
      if let help = help(error) { writer.write("\(indent)\(help)\n") }
      return
    }
    let place = source.place(of: range.start, after: origin.lineStart)
    writer.write(
      "\(source.fileName):\(place.line):\(place.column): \(severity): \(error.message)\(suffix)\n")
    let number = String(place.line)
    writer.write("  \(number) | \(marks.line)\n")
    let gap = String(repeating: " ", count: number.utf8.count)
    let indent = "  \(gap) | " + String(repeating: " ", count: marks.width)
    writer.write(indent + marks.text)
    if let help = help(error) { writer.write(" \(help)") }
    writer.write("\n")
    for line in error.details { writer.write("  \(line)\n") }
  }

  private func help(_ error: ShellError) -> String? {
    guard let suggestion = error.suggestion else { return error.remedy }
    return "did you mean \(suggestion)?" + (error.remedy.map { " or, \($0)" } ?? "")
  }

  /// Prints something that is no error.
  func printNote(_ text: String) {
    switch form {
    case .human: writer.write("note: \(visible(text))\n")
    case .json:
      writer.write("{\"note\":")
      writeJSONString(text)
      writer.write("}\n")
    }
    writer.flush()
  }

  /// Bytes of a line that are printed, and how many of them may stand before the place.
  private static let longestLine = 300
  private static let longestLead = 100

  /// The line of a place, the carets under a range, and the display width in front of them; a very
  /// long line is cut on both sides.
  private func marks(
    _ range: SourceRange, _ source: SourceText
  ) -> (line: String, width: Int, text: String) {
    var line = source.lineRange(containing: range.start)
    let start = max(line.lowerBound, min(range.start, line.upperBound))
    let whole = line
    if line.count > ErrorPrinter.longestLine {
      func boundary(before offset: Int) -> Int {
        var offset = min(max(offset, whole.lowerBound), whole.upperBound)
        while offset > whole.lowerBound, offset < whole.upperBound,
          source.bytes[offset] & 0xC0 == 0x80
        { offset -= 1 }
        return offset
      }
      let from = boundary(before: start - ErrorPrinter.longestLead)
      line = from..<max(start, boundary(before: from + ErrorPrinter.longestLine))
    }
    let end = max(start, min(range.end, line.upperBound))
    func text(_ bounds: Range<Int>) -> String {
      visible(String(decoding: source.bytes[bounds], as: UTF8.self))
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

  /// A text in which each control character, which may come from a hostile file, takes one column
  /// and does nothing.
  private func visible(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let isControl = scalar.properties.generalCategory == .control
      result.append(isControl ? scalar == "\t" ? " " : "\u{FFFD}" : scalar)
    }
    return String(result)
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
      writeJSONString(origin.source.text(of: statement))
    }
    writer.write("}\n")
  }

  private func writeJSONString(_ text: String) {
    var text = text
    text.withUTF8 { JSONText.writeString(UnsafeRawBufferPointer($0), to: writer) }
  }
}
