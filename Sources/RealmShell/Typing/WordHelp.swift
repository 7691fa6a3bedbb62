import ByteKernels
import RealmLanguage
import RealmObjects

/// The help for the word under the cursor.
///
/// Source: shell.md 21.
struct WordHelp {
  let session: Session
  let names: NameResolver

  /// What is known about the word at a place, else about the statement; nil if there is nothing.
  func text(for text: String, at cursor: Int) -> String? {
    let bytes = Array(text.utf8)
    guard let outline = Self.statement(of: bytes, at: cursor) else { return help(nil) }
    let verb = outline.marks.first { mark in
      mark.role == .word
        && Grammar.verb(named: String(decoding: bytes[mark.range.bounds], as: UTF8.self)) != nil
    }
    let verbName = verb.map { String(decoding: bytes[$0.range.bounds], as: UTF8.self) }
    let mark = outline.marks.last { $0.range.start <= cursor && cursor <= $0.range.end }
    if let mark, let text = self.text(for: mark, mark == verb, bytes, verbName) { return text }
    if verb == nil { return verbs(like: bytes[outline.range]) }
    return help(verbName)
  }

  /// The verbs that begin as a statement does; if that is no word of any, the overview.
  private func verbs(like statement: ArraySlice<UInt8>) -> String? {
    let word = String(decoding: statement.prefix(while: Completer.isNameByte), as: UTF8.self)
    let found = Grammar.verbs.filter { !word.isEmpty && $0.name.hasPrefix(word.lowercased()) }
    if found.count == 1 { return help(found[0].name) }
    let width = found.map(\.name.count).max() ?? 0
    if found.isEmpty { return help(nil) }
    let lines = found.map { padded($0.name, width) + "  " + $0.effect }
    return WordWrap.paragraphs(lines.joined(separator: "\n"), width: session.screenWidth)
  }

  private static func statement(
    of bytes: [UInt8], at cursor: Int
  ) -> StatementParser.Outline? {
    var last: StatementParser.Outline?
    while let outline = StatementParser.outline(of: bytes, from: last?.range.upperBound ?? 0),
      outline.range.lowerBound <= cursor || last == nil
    {
      last = outline
    }
    return last
  }

  private func text(
    for mark: Mark, _ isVerb: Bool, _ bytes: [UInt8], _ verb: String?
  ) -> String? {
    let word = String(decoding: bytes[mark.range.bounds], as: UTF8.self)
    switch mark.role {
    case .word where isVerb: return help(word)
    case .word:
      let terms = verb.flatMap { Grammar.verb(named: $0) }?.terms ?? []
      let term = terms.first { term in
        term.name.split(separator: " ").first.map { $0.lowercased() == word.lowercased() } ?? false
      }
      return term.map { "\($0.name)\n  \($0.meaning)" } ?? help(word)
    case .className:
      if let projection = session.threads.projections[word] {
        return "projection \(projection.text)"
      }
      guard let database = names.database, names.schema?.objectClass(named: word) != nil else {
        return nil
      }
      return classText(word, database)
    case .property(let owner?):
      guard let objectClass = names.type(of: owner)?.objectClass,
        let property = objectClass.property(named: word)
      else { return nil }
      var text = "\(quotedName(objectClass.name)).\(quotedName(word)): \(property.typeText)"
      if property.isPrimaryKey { text += " primary" }
      if property.isIndexed { text += " indexed" }
      if property.hasFullTextIndex { text += " fulltext" }
      return text
    case .function: return Grammar.function(named: word).map(\.form)
    default: return nil
    }
  }

  private func classText(_ name: String, _ database: Session.Database) -> String? {
    let writer = ByteWriter()
    let range = SourceRange(start: 0, end: 0)
    do throws(ShellError) {
      try session.schema(
        .show(classes: [Name(name, range: range)], format: .text, to: nil), range: range, to: writer
      )
    } catch {
      return nil
    }
    return Self.text(of: writer)
  }

  private func help(_ topic: String?) -> String? {
    let writer = ByteWriter()
    session.help(topic, to: writer)
    return Self.text(of: writer)
  }

  private static func text(of writer: ByteWriter) -> String? {
    var bytes = writer.takeBytes()
    while bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }
}
