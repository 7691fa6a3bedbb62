/// `import`. Source: shell.md 5, 16.
extension Parser {
  mutating func importStatement() throws(SyntaxError) -> StatementBody {
    let className = try name(.storedClass)
    try require(word: "from")
    var statement = ImportStatement(className: className, path: try filePath(.data))
    while try acceptImportOption(&statement) {}
    return .import(statement)
  }

  private mutating func acceptImportOption(
    _ statement: inout ImportStatement
  ) throws(SyntaxError) -> Bool {
    if try accept(word: "format") {
      guard let format = try accept(oneOf: ImportFormat.self) else { throw failure() }
      statement.format = format
    } else if try accept(word: "header") {
      let range = token.range
      let isOn = try accept(word: "on")
      if !isOn { try require(word: "off") }
      statement.header = HeaderOperand(isOn: isOn, range: range)
    } else if try accept(word: "separator") {
      guard let text = try acceptString() else { throw failure() }
      statement.separator = text
    } else if try accept(word: "map") {
      try require(.openParenthesis, "(")
      repeat {
        statement.mappings.append(try importMapping(to: statement.className))
      } while try accept(.comma, ",")
      try require(.closeParenthesis, ")")
    } else if try accept(word: "null") {
      guard let text = try acceptString() else { throw failure() }
      statement.nullText = text
    } else if try accept(word: "batch") {
      statement.batch = try integer()
    } else if try accept(word: "skip") {
      statement.skip = try integer()
    } else if try accept(word: "rejects") {
      statement.rejects = try filePath(.output)
    } else {
      return try acceptImportManner(&statement)
    }
    return true
  }

  /// `upsert [policy P]` or `dry`.
  private mutating func acceptImportManner(
    _ statement: inout ImportStatement
  ) throws(SyntaxError) -> Bool {
    let range = token.range
    if try accept(word: "upsert") {
      statement.upsert = range
      statement.policy = try acceptPolicy()
    } else if try accept(word: "dry") {
      statement.dry = range
    } else {
      return false
    }
    return true
  }

  /// `(NAME | INT) "->" (NAME { "." NAME } | "none")`.
  private mutating func importMapping(
    to className: Name
  ) throws(SyntaxError) -> ImportMapping {
    let source: ImportMapping.Source
    if let number = try acceptInteger() {
      source = .position(number)
    } else {
      source = .name(try name(.newName))
    }
    try require(.arrow, "->")
    if try accept(word: "none") { return ImportMapping(source: source, path: []) }
    var owner: PropertyOwner? = records ? PropertyOwner(className: className.text) : nil
    var path = [try name(.property(owner))]
    while try accept(.dot, ".") {
      owner = path.last.flatMap { owner?.adding([$0.text]) }
      path.append(try name(.property(owner)))
    }
    return ImportMapping(source: source, path: path)
  }
}
