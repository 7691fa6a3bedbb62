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
    var error = suggestingName(error, in: statement)
    guard let statement else { return error }
    let classes = NameResolver(session: self).schema?.classes ?? []
    let classNames = classes.map(\.name)
    if error.name == .noSuchTable, let name = error.suggestion,
      classes.first(where: { $0.name == name })?.isEmbedded == true, makesObjects(statement)
    {
      // Embedded objects exist in their owners only.
      error.suggestion = nil
    }
    return NewcomerHints(error, in: statement, of: source, classNames)?.hintedError ?? error
  }

  private func makesObjects(_ statement: SourceRange) -> Bool {
    let words = source.text(of: statement).split(separator: " ", maxSplits: 1)
    return words.first.map { ["add", "upsert", "import"].contains($0.lowercased()) } ?? false
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
    let isFile = error.name == .fileNotFound
    let isName = word.utf8.allSatisfy { byte in
      Completer.isNameByte(byte) || byte == UInt8(ascii: "$") || isFile && byte > 0x20
    }
    guard !word.isEmpty, isName else { return error }
    let completer = Completer(self)
    let before = Array(source.bytes[statement.start..<range.start])
    let options = completer.options(for: StatementParser.followers(of: before), typed: "")
    var error = error
    let isFolder = error.message.hasPrefix("cannot change to")
    let names = options.map(\.key).filter { name in
      guard let first = name.first, isFolder || name.last != "/" else { return false }
      return first.isLetter || first.isNumber || "$`_.~".contains(first)
    }
    error.suggestion =
      isFile
      ? Spelling.nearestFile(to: word, among: names) : Spelling.nearest(to: word, among: names)
    return error
  }
}
