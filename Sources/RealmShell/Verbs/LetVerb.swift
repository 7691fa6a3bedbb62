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
    set(statement.variable.text, try variable(for: statement.value))
  }

  private func variable(for expression: Expression) throws(ShellError) -> Variable {
    let database = try? current()
    switch expression {
    case .query(.where(let query), _):
      if let table = try values(of: query) { return .value(KeptValue(table.list), nil) }
      let result = try find(query)
      let database = try current(at: query.source.range)
      let live = live(result, from: query.source, database) { .query(query, $0) }
      return .results(Bound(live, owner(database)))
    case .query(.sections(let sections), _):
      let result = try find(sections)
      let database = try current(at: sections.source.range)
      let live = live(result, from: sections.source, database) { .sections(sections, $0) }
      return .results(Bound(live, owner(database)))
    case .call(let function, let arguments, let range):
      if let sharing = SharingFunction(rawValue: function.text.lowercased()), arguments.count == 1 {
        return try variable(
          for: SharingCall(
            function: sharing, argument: arguments[0], row: nil, scope: scope, range: range))
      }
    case .path(let path) where path.steps.count == 1:
      if let section = try section(at: path, expression, database) { return .results(section) }
    case .path(let path) where path.steps.isEmpty:
      // A second name of live results is live as well.
      if case .variable(let name) = path.base, let known = scope[name.text] {
        switch known {
        case .results(let bound) where bound.owner.thread === thread: return known
        case .frozenResults: return known
        default: break
        }
      }
    default: break
    }
    let value = KeptValue(try evaluator(database).value(of: expression, row: nil))
    guard value.isNested(atMost: Session.maximumNesting) else {
      throw ShellError(
        .limitExceeded, "collections are nested more than \(Session.maximumNesting) deep",
        at: expression.range)
    }
    return .value(value, value.holdsObjects ? database.map(owner) : nil)
  }

  /// The section of live results that `$name[key]` or `$name[position]` means, which follows its key;
  /// nil if the path means something else. Source: object-model.md 5.8.
  func section(
    at path: PathExpression, _ expression: Expression, _ database: Database?
  ) throws(ShellError) -> Bound<LiveResults>? {
    guard let database, case .variable(let name) = path.base,
      case .results(let bound)? = scope[name.text], bound.owner == owner(database),
      case .index(let index) = path.steps[0].kind,
      let sections = try present(bound.value, in: database).sections
    else { return nil }
    let evaluator = evaluator(database)
    // Refuses what is outside.
    _ = try evaluator.value(of: expression, row: nil)
    guard case .scalar(var key) = try evaluator.value(of: index, row: nil) else { return nil }
    if case .int(let position) = key {
      let i = position < 0 ? Int(position) + sections.count : Int(position)
      guard case .scalar(let found) = sections.keys[i] else { return nil }
      key = found
    }
    let section = LiveResults.Origin.section(bound.value.origin, key)
    return Bound(LiveResults(database, section, depth: bound.value.depth), bound.owner)
  }

  /// Binds a variable to what `add` or `upsert` gives; false if the statement is another one.
  func bind(
    _ name: Name, toChange statement: StatementBody, at range: SourceRange, to writer: ByteWriter
  ) throws(ShellError) -> Bool {
    switch statement {
    case .add(let add):
      try change(at: range, to: writer) { (database) throws(ShellError) in
        let outcome = try self.add(add, to: database)
        set(name.text, .value(KeptValue(value(of: outcome)), owner(database)))
        return outcome
      } tell: { (text, outcome) throws(ShellError) in
        try text.added(outcome)
      }
    case .upsert(let upsert):
      try change(at: range, to: writer) { (database) throws(ShellError) in
        let outcome = try self.upsert(upsert, in: database)
        set(name.text, .value(KeptValue(value(of: outcome)), owner(database)))
        return outcome
      } tell: { (text, outcome) throws(ShellError) in
        try text.upserted(outcome)
      }
    default: return false
    }
    return true
  }

  func unlet(_ names: [Name]) throws(ShellError) {
    let scope = scope
    for name in names where scope[name.text] == nil {
      throw evaluator(nil).unknownVariable(name)
    }
    for name in names { set(name.text, nil) }
  }

  // MARK: List

  private func listVariables(to writer: ByteWriter) throws(ShellError) {
    var lines: [(name: String, kind: String, text: String)] = []
    for name in Set(scope.names).sorted() where name != "_" {
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
      return (kind(of: scope[name]), text)
    }
    switch (value, scope[name]) {
    case (.results(let result), .results(let bound)?):
      let count = counted(result.keys.count, "object", "objects")
      guard let sections = result.sections else {
        return ("results", "\(text(of: bound.value.origin, result)) (\(count))")
      }
      let parts = counted(sections.count, "section", "sections")
      return ("sections", "\(text(of: bound.value.origin, result)) (\(parts), \(count))")
    case (.results(let result), .frozenResults(let frozen)?):
      let count = counted(result.keys.count, "object", "objects")
      return ("frozen", "\(text(of: frozen.origin, result)) (\(count))")
    case (.reference(let reference), _): return ("reference", reference.text)
    case (.object, _): return ("object", try text(of: value))
    default: return (Functions.typeName(value), try text(of: value))
    }
  }

  private func kind(of variable: Variable?) -> String {
    switch variable {
    case .results: "results"
    case .frozenResults: "frozen"
    case .value(let value, _): value.kindText
    case .invalidated, nil: "object"
    }
  }

  /// `Dog where age > 4`, `Dog by color where age > 4`.
  private func text(of origin: LiveResults.Origin, _ result: ResultSet) -> String {
    switch origin {
    case .query(let query, let scope): return text(of: query.source, query.condition, scope)
    case .sections(let sections, let scope):
      let key = scope.source.text(of: sections.key.range)
      return text(of: sections.source, by: key, sections.condition, scope)
    case .section, .objects: return quotedName(result.objectClass.name)
    }
  }

  private func text(
    of start: Source, by key: String? = nil, _ condition: Condition?, _ scope: Scope
  ) -> String {
    var text = scope.source.text(of: start.range)
    if let key { text += " by \(key)" }
    guard let range = condition?.query.range, range.length > 0 else { return text }
    let words = scope.source.text(of: range).split { $0.isWhitespace }
    return "\(text) where \(words.joined(separator: " "))"
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
