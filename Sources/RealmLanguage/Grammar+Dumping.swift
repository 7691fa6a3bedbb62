extension Grammar {
  static let dumpVerb = Verb(
    "dump", .transfer, "dump [schema | data] [CLASS, ...] [to PATH]",
    "Prints a script that makes the database again.",
    terms: [
      GrammarWord("schema", "only the classes and the schema version"),
      GrammarWord("data", "only the objects"),
      GrammarWord("CLASS", "only these classes, with the embedded objects in them"),
    ],
    examples: ["dump", "dump to dogs.realmsh", "dump schema", "dump data Dog, Person"],
    seeAlso: ["export", "source", "schema"]
  ) { parser throws(SyntaxError) in try parser.dumpStatement() }
}

extension Parser {
  mutating func dumpStatement() throws(SyntaxError) -> StatementBody {
    var statement = DumpStatement(part: try accept(oneOf: DumpStatement.Part.self))
    if !isWord("to"), let first = try acceptName(.className) {
      statement.classes.append(first)
      while try accept(.comma, ",") { statement.classes.append(try name(.className)) }
    }
    if try accept(word: "to") { statement.path = try filePath(.output) }
    return .dump(statement)
  }
}
