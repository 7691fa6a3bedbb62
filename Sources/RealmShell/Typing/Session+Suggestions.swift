import RealmLanguage
import RealmObjects

extension Session {
  /// Errors about a name that is not known.
  private static let errorsOfNames: Set<ErrorName> = [
    .noSuchTable, .invalidProperty, .unknownVariable, .unknownObserver, .unknownThread,
    .unknownSetting, .unknownDatabase, .unknownFunction, .invalidArgument, .fileNotFound,
  ]

  /// An error with the nearest name that would be right at its place, from the list that completion
  /// offers there, if it has no suggestion of its own.
  ///
  /// Source: shell.md 19.
  func suggesting(_ error: ShellError, in statement: SourceRange?) -> ShellError {
    let error = suggestingName(error, in: statement)
    guard let statement else { return error }
    let classNames = NameResolver(session: self).schema?.classes.map(\.name) ?? []
    return NewcomerHints(error, in: statement, of: source, classNames)?.hintedError ?? error
  }

  /// The error of a parser that knows no names, without the guess that a property or class is a
  /// misspelled word.
  func withoutWrongGuess(_ error: SyntaxError) -> SyntaxError {
    guard let plain = error.withoutGuess.first,
      let schema = NameResolver(session: self).schema
    else { return error }
    let word = source.text(of: error.range)
    let isKnown = schema.classes.contains { $0.name == word || $0.propertyNames.contains(word) }
    return isKnown ? plain : error
  }

  private func suggestingName(_ error: ShellError, in statement: SourceRange?) -> ShellError {
    guard error.suggestion == nil, Self.errorsOfNames.contains(error.name),
      let range = error.range, let statement, statement.start <= range.start
    else { return error }
    let word = source.text(of: range)
    guard !word.isEmpty, word.utf8.allSatisfy({ Completer.isNameByte($0) || $0 == 0x24 }) else {
      return error
    }
    let completer = Completer(self)
    let before = Array(source.bytes[statement.start..<range.start])
    let options = completer.options(for: StatementParser.followers(of: before), typed: "")
    var error = error
    error.suggestion = Spelling.nearest(to: word, among: options.map(\.key))
    return error
  }
}
