import LineEditor
import RealmLanguage

extension Session {
  /// What the line editor asks about the text being typed.
  ///
  /// Nothing in it waits for the write lock, moves to another version or changes a file.
  ///
  /// - Parameter prompt: The prompt as it stands before the text.
  func assistance(prompt: @escaping () -> String) -> Assistance {
    let completer = Completer(self)
    let highlighter = Highlighter(completer.names)
    let wordHelp = WordHelp(session: self, names: completer.names)
    var assistance = Assistance()
    assistance.isComplete = { Self.completeness(of: $0) == .complete }
    assistance.openBrackets = { text in
      guard case .incomplete(let count) = Self.completeness(of: text) else { return 0 }
      return count
    }
    assistance.highlight = { text, cursor, isSettled in
      highlighter.styles(of: text, cursor: cursor, isSettled: isSettled)
    }
    assistance.hint = { HintMaker().hint(after: $0) }
    assistance.complete = { completer.completion(of: $0, at: $1) }
    assistance.help = { wordHelp.text(for: $0, at: $1) }
    assistance.edit = { [unowned self] in edit($0) }
    assistance.mayBeKept = { !KeyText.isIn($0.utf8) }
    assistance.pasted = { PastedText.withoutPrompts($0, prompt: prompt()) }
    return assistance
  }

  /// A text as the user's editor has changed it; nil if it was left as it was.
  private func edit(_ text: String) -> String? {
    do throws(ShellError) {
      return try edited(text)
    } catch {
      report(error, origin: nil)
      return nil
    }
  }

  /// Whether a text consists of whole statements.
  static func completeness(of text: String) -> Completeness {
    let bytes = Array(text.utf8)
    return StatementBounds.completeness(of: bytes.span)
  }
}
