extension Grammar {
  static let migrationVerb = Verb(
    "migrate", .schema,
    "migrate [dry] (to N { STATEMENT; ... } | { version N { STATEMENT; ... } ... })",
    "Changes classes and objects in one transaction and sets the schema version.",
    terms: [
      GrammarWord("dry", "does all of it, prints a report and changes nothing"),
      GrammarWord("to N", "runs the block if the file has a lower schema version"),
      GrammarWord("version N", "runs each block, in ascending order, that the file lacks"),
      GrammarWord(
        "STATEMENT",
        "class, alter, rename, drop, set, add, upsert, delete, assert, print, let or a query; "
          + "old.PROPERTY is a value from before the block"),
    ],
    examples: [
      "migrate to 4 { rename Dog.color to coat; drop Dog.weight }",
      "migrate dry to 4 { class Dog { label: string }; set Dog label = old.name + \"!\" all }",
      "migrate { version 1 { class Dog { age: int } } version 2 { drop Dog.age } }",
    ], seeAlso: ["class", "alter", "rename", "drop", "schema"]
  ) { parser throws(SyntaxError) in try parser.migrateStatement() }
}

/// `migrate`. Source: shell.md 5, 14.
extension Parser {
  mutating func migrateStatement() throws(SyntaxError) -> StatementBody {
    let start = position - "migrate".utf8.count
    let isDry = try accept(word: "dry")
    if try accept(word: "to") {
      let version = try integer()
      let range = SourceRange(start: start, end: position)
      let outer = hasOld
      hasOld = true
      defer { hasOld = outer }
      let step = MigrateStatement.Step(version: version, block: try block(), range: range)
      return .migrate(MigrateStatement(isDry: isDry, steps: [step], hasVersions: false))
    }
    var steps: [MigrateStatement.Step] = []
    let outer = try openBlock()
    while true {
      while token.kind == .newline || token.kind == .semicolon { try advance() }
      let start = token.start
      guard try accept(word: "version") else { break }
      steps.append(try versionStep(from: start))
    }
    try closeBlock(outer)
    return .migrate(MigrateStatement(isDry: isDry, steps: steps, hasVersions: true))
  }

  private mutating func versionStep(
    from start: Int
  ) throws(SyntaxError) -> MigrateStatement.Step {
    let version = try integer()
    let range = SourceRange(start: start, end: position)
    let outer = hasOld
    hasOld = true
    defer { hasOld = outer }
    return MigrateStatement.Step(version: version, block: try block(), range: range)
  }
}
