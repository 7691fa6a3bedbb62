import RealmLanguage

/// Text that was pasted, with the prompts that were copied along.
///
/// Source: shell.md 21.
enum PastedText {
  /// The text without prompts, if each row that starts a statement has one.
  ///
  /// - Parameter prompt: The present prompt, which may be of another form than usual.
  static func withoutPrompts(_ text: String, prompt: String) -> String {
    let rows = text.split(separator: "\n", omittingEmptySubsequences: false)
    var result: [Substring] = []
    // The rows of the statement so far; their indentation is what the prompt was wide.
    var statement = ""
    var indentation = 0
    for row in rows {
      if statement.isEmpty {
        if row.allSatisfy(\.isWhitespace) {
          result.append(row)
          continue
        }
        guard let rest = self.rest(of: row, prompt: prompt) else { return text }
        indentation = row.count - rest.count
        result.append(rest)
      } else {
        let blanks = row.prefix(indentation).prefix { $0 == " " }
        result.append(row.dropFirst(blanks.count))
      }
      statement += (statement.isEmpty ? "" : "\n") + (result.last ?? "")
      let bytes = Array(statement.utf8)
      if StatementBounds.completeness(of: bytes.span) == .complete { statement = "" }
    }
    return result.joined(separator: "\n")
  }

  /// A row behind its prompt; nil if it has none.
  private static func rest(of row: Substring, prompt: String) -> Substring? {
    if !prompt.isEmpty, row.hasPrefix(prompt) { return row.dropFirst(prompt.count) }
    // `dogs> `, `dogs*> `, `dogs@worker!> `, `dogs:ro> `
    guard let sign = row.firstIndex(of: ">") else { return nil }
    let name = row[..<sign]
    let rest = row[row.index(after: sign)...]
    guard !name.isEmpty, rest.isEmpty || rest.first == " ",
      name.allSatisfy({ $0.isLetter || $0.isNumber || "_-.@:*!+".contains($0) })
    else { return nil }
    return rest.dropFirst()
  }
}
