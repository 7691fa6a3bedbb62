/// The verbs of the group Database, and `schema`. Source: shell.md 5.
extension Parser {
  mutating func openStatement() throws(SyntaxError) -> StatementBody {
    expect(.word("memory"))
    var statement: OpenStatement
    if text(barePathRange).lowercased() == "memory" {
      try advance()
      let isOption = Self.openOptions.contains { isWord($0) }
      statement = OpenStatement(target: .memory(isOption ? nil : try acceptName(.newName)))
    } else {
      statement = OpenStatement(target: .file(try filePath(.database)))
    }
    while try openOption(&statement) {}
    return .open(statement)
  }

  private static let openOptions = [
    "as", "create", "new", "readonly", "shared", "key", "schema", "version", "compact", "snapshot",
    "versions",
  ]

  /// Takes one option.
  private mutating func openOption(_ statement: inout OpenStatement) throws(SyntaxError) -> Bool {
    if try accept(word: "as") {
      statement.name = try name(.newName)
    } else if try accept(word: "create") {
      statement.create = true
    } else if try accept(word: "new") {
      statement.new = true
    } else if try accept(word: "readonly") {
      statement.readonly = true
    } else if try accept(word: "shared") {
      statement.shared = true
    } else if let key = try acceptKey() {
      statement.key = key
    } else if try accept(word: "schema") {
      statement.schema = try filePath(.script)
    } else if try accept(word: "version") {
      statement.version = try integer()
    } else if try accept(word: "compact") {
      statement.compact = true
    } else if try accept(word: "snapshot") {
      statement.snapshot =
        try accept(word: "previous") ? .previous : .version(try integer())
    } else if try accept(word: "versions") {
      statement.versionLimit = try integer()
    } else {
      return false
    }
    return true
  }

  mutating func closeStatement() throws(SyntaxError) -> StatementBody {
    if try accept(word: "all") { return .close(.all) }
    if let name = try acceptName(.database) { return .close(.named(name)) }
    return .close(.current)
  }

  mutating func useStatement() throws(SyntaxError) -> StatementBody {
    .use(try acceptName(.database))
  }

  mutating func infoStatement() throws(SyntaxError) -> StatementBody {
    if try accept(word: "space") { return .info(.space) }
    if try accept(word: "versions") { return .info(.versions) }
    if try accept(word: "history") { return .info(.history) }
    if try accept(word: "file") {
      let path = try filePath(.database)
      return .info(.file(path, key: try acceptKey()))
    }
    return .info(.summary)
  }

  mutating func checkStatement() throws(SyntaxError) -> StatementBody {
    expect(.word("quick"))
    expect(.word("deep"))
    var statement = CheckStatement(file: nil, key: nil, depth: .standard)
    let word = text(barePathRange).lowercased()
    if word != "quick", word != "deep", let path = try acceptFilePath(.database) {
      statement.file = path
      statement.key = try acceptKey()
    }
    if try accept(word: "quick") {
      statement.depth = .quick
    } else if try accept(word: "deep") {
      statement.depth = .deep
    }
    return .check(statement)
  }

  mutating func schemaStatement() throws(SyntaxError) -> StatementBody {
    if try accept(word: "version") { return .schema(.version(try acceptInteger())) }
    if try accept(word: "diff") { return .schema(.diff(try filePath(.database))) }
    var classes: [Name] = []
    if !isWord("as"), !isWord("to"), let first = try acceptName(.schemaClass) {
      classes.append(first)
      while try accept(.comma, ",") { classes.append(try name(.schemaClass)) }
    }
    var format = SchemaFormat.text
    if try accept(word: "as") {
      guard let chosen = try accept(oneOf: SchemaFormat.self) else { throw failure() }
      format = chosen
    }
    let path = try accept(word: "to") ? try filePath(.output) : nil
    return .schema(.show(classes: classes, format: format, to: path))
  }
}
