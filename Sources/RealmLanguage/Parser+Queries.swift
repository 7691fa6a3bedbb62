/// The verbs of the groups Objects and Queries that read, and `export`. Source: shell.md 5.
extension Parser {
  mutating func getStatement() throws(SyntaxError) -> StatementBody {
    let target = try target()
    let owner = records ? owner(of: .path(target)) : nil
    return .get(GetStatement(target: target, columns: try acceptColumns(of: owner) ?? []))
  }

  /// An object, with or without steps; `Dog 1` reads as `Dog(1)`.
  private mutating func target() throws(SyntaxError) -> PathExpression {
    expect(.className)
    expect(.variable)
    switch token.kind {
    case .variable: return try variablePath()
    case .word, .quotedName: break
    default: throw failure()
    }
    if startsObjectName { return try objectPath() }
    let className = try name(.className)
    offerObjectName()
    let keyRange = token.range
    let object = ObjectName(
      className: className, key: try primaryKey(of: className.text),
      range: SourceRange(start: className.range.start, end: position))
    try refusePath(behind: keyRange, of: className)
    return PathExpression(base: .object(object), steps: [], range: object.range)
  }

  /// Tells how a path is written that stands right behind a key, as in `get Dog 1.name`.
  private func refusePath(behind key: SourceRange, of className: Name) throws(SyntaxError) {
    guard token.start == position, token.kind == .dot || token.kind == .word else { return }
    var end = token.start
    while end < bytes.count, bytes[end] > UInt8(ascii: " "), bytes[end] != UInt8(ascii: ";") {
      end += 1
    }
    // The point of a number is that of the path.
    let literal = text(SourceRange(start: key.start, end: position))
    let keyText = literal.hasSuffix(".") ? String(literal.dropLast()) : literal
    let path = text(SourceRange(start: token.start, end: end)).drop { $0 == "." }
    throw SyntaxError(
      "the key stands in parentheses before a path",
      range: SourceRange(start: key.start, end: end),
      suggestion: "\(text(className.range))(\(keyText)).\(path)")
  }

  mutating func whereStatement() throws(SyntaxError) -> StatementBody {
    let source = try source()
    let owner = owner(of: source)
    var statement = WhereStatement(
      source: source,
      condition: Condition(query: try query(owner: owner, clauseWords: ["args", "show"])),
      columns: [])
    var hasArguments = false
    var hasColumns = false
    while true {
      if !hasArguments, let arguments = try acceptArguments() {
        statement.condition.arguments = arguments
        hasArguments = true
      } else if !hasColumns, let columns = try acceptColumns(of: owner) {
        statement.columns = columns
        hasColumns = true
      } else {
        return .where(statement)
      }
    }
  }

  mutating func countStatement() throws(SyntaxError) -> StatementBody {
    let source = try source()
    let condition = try acceptCondition(on: source, clauseWords: ["args"])
    return .count(CountStatement(source: source, condition: condition))
  }

  mutating func aggregateStatement() throws(SyntaxError) -> StatementBody {
    let source = try source()
    propertyOwner = owner(of: source)
    var columns: [AggregateColumn] = []
    repeat { columns.append(try aggregateColumn()) } while try accept(.comma, ",")
    let keys = try accept(word: "by") ? try expressions() : []
    let condition = try acceptCondition(on: source, clauseWords: ["args"])
    return .aggregate(
      AggregateStatement(source: source, columns: columns, keys: keys, condition: condition))
  }

  /// `function "(" [ path ] ")" [ "as" NAME ]`.
  private mutating func aggregateColumn() throws(SyntaxError) -> AggregateColumn {
    let start = token.start
    guard let function = try accept(oneOf: AggregateColumn.Function.self) else { throw failure() }
    try require(.openParenthesis, "(")
    let path = function == .count ? nil : try path(base: .row, from: token.start)
    try require(.closeParenthesis, ")")
    let range = SourceRange(start: start, end: position)
    let name = try accept(word: "as") ? try name(.newName) : nil
    return AggregateColumn(function: function, path: path, name: name, range: range)
  }

  mutating func sectionsStatement() throws(SyntaxError) -> StatementBody {
    .sections(try sections(clauseWords: ["args", "show"]))
  }

  /// What stands behind `sections`; `clauseWords` may follow the condition.
  mutating func sections(clauseWords: [String]) throws(SyntaxError) -> SectionsStatement {
    let source = try source()
    let owner = owner(of: source)
    propertyOwner = owner
    try require(word: "by")
    let key = try expression()
    let condition = try acceptCondition(on: source, clauseWords: clauseWords)
    return SectionsStatement(
      source: source, key: key, condition: condition,
      columns: try acceptColumns(of: owner) ?? [])
  }

  mutating func moreStatement() throws(SyntaxError) -> StatementBody {
    if try accept(word: "all") { return .more(.all) }
    if let rows = try acceptInteger() { return .more(.rows(rows)) }
    return .more(.next)
  }

  mutating func lastStatement() throws(SyntaxError) -> StatementBody {
    .last(mode: try acceptMode())
  }

  mutating func exportStatement() throws(SyntaxError) -> StatementBody {
    let content: ExportStatement.Content
    if try accept(word: "all") {
      content = .all
    } else {
      let source = try source()
      let condition = try acceptCondition(on: source, clauseWords: ["args", "show", "to"])
      let columns = try acceptColumns(of: owner(of: source)) ?? []
      content = .source(source, condition: condition, columns: columns)
    }
    try require(word: "to")
    var statement = ExportStatement(content: content, path: try filePath(.output))
    while true {
      if try accept(word: "format") {
        guard let format = try accept(oneOf: ExportFormat.self) else { throw failure() }
        statement.format = format
      } else if try accept(word: "append") {
        statement.append = true
      } else if try accept(word: "links") {
        statement.links = true
      } else {
        return .export(statement)
      }
    }
  }
}
