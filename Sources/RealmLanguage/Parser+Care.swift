/// Verbs that compare and save files. Source: shell.md 5.
extension Parser {
  mutating func diffStatement() throws(SyntaxError) -> StatementBody {
    var statement = DiffStatement(target: try diffTarget())
    statement.key = try acceptKey()
    if try accept(word: "schema") {
      statement.scope = .schema
    } else if try accept(word: "data") {
      statement.scope = .data
    }
    if let first = try acceptName(.className) {
      statement.classes.append(first)
      while try accept(.comma, ",") { statement.classes.append(try name(.className)) }
    }
    return .diff(statement)
  }

  private mutating func diffTarget() throws(SyntaxError) -> DiffStatement.Target {
    expect(.database)
    expect(.word("snapshot"))
    if token.kind == .quotedName, let name = try acceptName(.database) { return .database(name) }
    let range = barePathRange
    guard text(range).lowercased() == "snapshot" else {
      return .file(try filePath(.database))
    }
    try advance()
    if try accept(word: "previous") { return .snapshot(.previous, range: range) }
    return .snapshot(.version(try integer()), range: range)
  }

  mutating func recoverStatement() throws(SyntaxError) -> StatementBody {
    let file = try filePath(.database)
    let key = try acceptKey()
    try require(word: "to")
    return .recover(RecoverStatement(file: file, key: key, target: try filePath(.output)))
  }
}
