import ByteKernels
import Glibc
import RealmLanguage

/// `history` and `edit`.
///
/// Source: shell.md 17.
extension Session {
  /// Statements that `history` lists unless a number is given.
  private static let usualHistoryCount = 20

  func history(
    _ statement: HistoryStatement, at range: SourceRange, to writer: ByteWriter
  ) throws(ShellError) {
    var entries = Array(try earlierStatements(at: range).enumerated())
    if let text = statement.text { entries = entries.filter { $0.element.contains(text.text) } }
    let count = statement.count.map { Int(clamping: $0.value) } ?? Session.usualHistoryCount
    entries = entries.suffix(count)
    let width = entries.last.map { String($0.offset + 1).utf8.count } ?? 0
    for (index, entry) in entries {
      let number = String(index + 1)
      writer.pad(width - number.utf8.count)
      writer.write(number + "  ")
      // Rows of one statement stand under each other.
      let rows = entry.split(separator: "\n", omittingEmptySubsequences: false)
      let indentation = "\n" + String(repeating: " ", count: width + 2)
      writer.write(rows.map { EscapedText.bare(String($0)) }.joined(separator: indentation))
      writer.write("\n")
    }
  }

  /// What was entered before the present statement, oldest first.
  private func earlierStatements(at range: SourceRange) throws(ShellError) -> [String] {
    guard let typing else {
      throw ShellError(
        .illegalOperation, "there is no history without a prompt", at: verbRange(range))
    }
    let entries = typing.history()
    // A statement is remembered before it runs.
    guard let last = entries.last, last.utf8.elementsEqual(source.bytes.trimmingLineEnd) else {
      return entries
    }
    return entries.dropLast()
  }

  // MARK: edit

  func edit(_ number: IntegerOperand?, at range: SourceRange) throws(ShellError) {
    guard !isSafe else {
      throw ShellError(.notSafe, "edit is refused by --safe", at: verbRange(range))
    }
    let entries = try earlierStatements(at: range)
    let text: String
    if let number {
      guard number.value >= 1, number.value <= entries.count else {
        throw ShellError(
          .outOfBounds, "the history has no statement \(number.value)", at: number.range,
          remedy: "history")
      }
      text = entries[Int(number.value) - 1]
    } else {
      text = entries.last ?? ""
    }
    if let changed = try edited(text) { typing?.place(changed) }
  }

  /// The text as the user's editor has changed it.
  ///
  /// - Returns: nil if it was left as it was.
  /// - Throws: `ShellError`: the editor ended with an error, or the file cannot be written or read.
  func edited(_ text: String) throws(ShellError) -> String? {
    guard !isSafe else { throw ShellError(.notSafe, "the editor is refused by --safe") }
    let folder = nonEmptyEnvironment("TMPDIR") ?? "/tmp"
    var path = Array("\(folder)/realmsh-XXXXXX.realmsh".utf8CString)
    let descriptor = mkstemps(&path, Int32(".realmsh".utf8.count))
    let name = path.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    guard descriptor >= 0 else {
      throw ShellError(
        .fileOperationFailed,
        "cannot make a file in \(folder): \(StorageMessages.systemText(errno))")
    }
    return try UnfinishedFile.during(name) { () throws(ShellError) in
      defer { unlink(name) }
      let writer = ByteWriter(descriptor: descriptor)
      writer.write(text + "\n")
      writer.flush()
      Glibc.close(descriptor)
      if let failure = writer.failure {
        throw ShellError(
          .fileOperationFailed, "cannot write \(name): \(StorageMessages.systemText(failure))")
      }
      let editor =
        settings.editor ?? nonEmptyEnvironment("VISUAL") ?? nonEmptyEnvironment("EDITOR") ?? "vi"
      let status = try runOnTerminal("\(editor) '\(name.replacing("'", with: "'\\''"))'")
      guard status.isSuccess else {
        throw ShellError(.commandFailed, "the editor \(editor): \(status.text)")
      }
      let bytes = try TextFile.read(name, shownAs: name).trimmingLineEnd
      let changed = String(decoding: bytes, as: UTF8.self)
      return changed == text || changed.isEmpty ? nil : changed
    }
  }
}

extension [UInt8] {
  /// The bytes without line ends behind them.
  fileprivate var trimmingLineEnd: ArraySlice<UInt8> {
    var rest = self[...]
    while let last = rest.last, last == 0x0A || last == 0x0D { rest.removeLast() }
    return rest
  }
}
