import ByteKernels
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// `let`, `unlet`.
///
/// Source: shell.md 11.
extension Session {
  /// Collections inside each other that a variable can hold.
  private static let maximumNesting = 100

  func `let`(_ statement: LetStatement?, to writer: ByteWriter) throws(ShellError) {
    guard let statement else {
      try listVariables(to: writer)
      return
    }
    variables[statement.variable.text] = try variable(for: statement.value)
  }

  private func variable(for expression: Expression) throws(ShellError) -> Variable {
    let database = try? current()
    switch expression {
    case .query(.where(let query), _):
      let result = try find(query)
      return .results(live(query, result, try current(at: query.source.range)))
    case .path(let path) where path.steps.isEmpty:
      // A second name of live results is live as well.
      if case .variable(let name) = path.base, let known = variables[name.text],
        case .results = known
      {
        return known
      }
    default: break
    }
    let value = KeptValue(try evaluator(database).value(of: expression, row: nil))
    guard value.isNested(atMost: Session.maximumNesting) else {
      throw ShellError(
        .limitExceeded, "collections are nested more than \(Session.maximumNesting) deep",
        at: expression.range)
    }
    return .value(value, value.holdsObjects ? database : nil)
  }

  /// Binds a variable to what `add` or `upsert` gives; false if the statement is another one.
  func bind(
    _ name: Name, toChange statement: StatementBody, at range: SourceRange, to writer: ByteWriter
  ) throws(ShellError) -> Bool {
    switch statement {
    case .add(let add):
      try change(at: range, to: writer) { (database) throws(ShellError) in
        let outcome = try self.add(add, to: database)
        variables[name.text] = .value(KeptValue(value(of: outcome)), database)
        return acknowledges ? try AcknowledgementText(database).added(outcome) : ""
      }
    case .upsert(let upsert):
      try change(at: range, to: writer) { (database) throws(ShellError) in
        let outcome = try self.upsert(upsert, in: database)
        variables[name.text] = .value(KeptValue(value(of: outcome)), database)
        return acknowledges ? try AcknowledgementText(database).upserted(outcome) : ""
      }
    default: return false
    }
    return true
  }

  func unlet(_ names: [Name]) throws(ShellError) {
    for name in names where variables[name.text] == nil {
      throw evaluator(nil).unknownVariable(name)
    }
    for name in names { variables[name.text] = nil }
  }

  // MARK: List

  private func listVariables(to writer: ByteWriter) throws(ShellError) {
    var lines: [(name: String, kind: String, text: String)] = []
    for name in variables.keys.sorted() where name != "_" {
      let (kind, text) = try description(of: name)
      lines.append(("$" + name, kind, text))
    }
    let nameWidth = lines.map(\.name.count).max() ?? 0
    let kindWidth = lines.map(\.kind.count).max() ?? 0
    for line in lines {
      writer.write("\(padded(line.name, nameWidth))  \(padded(line.kind, kindWidth))  ")
      writer.write(line.text + "\n")
    }
  }

  private func description(of name: String) throws(ShellError) -> (kind: String, text: String) {
    let place = Name(name, range: statementRange)
    let value: ShellValue
    do throws(ShellError) {
      guard let found = try self.value(of: place, in: scope) else { return ("", "") }
      value = found
    } catch {
      guard error.name != .interrupted else { throw error }
      let prefix = "$\(name): "
      let message = error.message
      let text = message.hasPrefix(prefix) ? String(message.dropFirst(prefix.count)) : message
      return (kind(of: variables[name]), text)
    }
    switch (value, variables[name]) {
    case (.results(let result), .results(let live)?):
      let count = counted(result.keys.count, "object", "objects")
      return ("results", "\(text(of: live, result)) (\(count))")
    case (.object, _): return ("object", try text(of: value))
    default: return (Functions.typeName(value), try text(of: value))
    }
  }

  private func kind(of variable: Variable?) -> String {
    switch variable {
    case .results: "results"
    case .value(let value, _): value.kindText
    case .invalidated, nil: "object"
    }
  }

  /// `Dog where age > 4`.
  private func text(of live: LiveResults, _ result: ResultSet) -> String {
    guard case .query(let query, let scope) = live.origin else {
      return quotedName(result.objectClass.name)
    }
    let source = scope.source.text(of: query.source.range)
    let range = query.condition.query.range
    guard range.length > 0 else { return source }
    let words = scope.source.text(of: range).split { $0.isWhitespace }
    return "\(source) where \(words.joined(separator: " "))"
  }

  private func text(of value: ShellValue) throws(ShellError) -> String {
    let evaluator = evaluator(try? current())
    let memory = ByteWriter()
    try evaluator.reading { () throws(StorageError) in
      try ValueWriter(evaluator.schema, to: memory).write(value, isMixed: true, .literal)
    }
    return String(decoding: memory.takeBytes(), as: UTF8.self)
  }
}
