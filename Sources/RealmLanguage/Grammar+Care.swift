extension Grammar {
  /// Verbs of the group Database that compare and save files. Source: shell.md 5.
  static let careVerbs = [
    Verb(
      "recover", .database, "recover PATH [key SOURCE] to PATH",
      "Saves what can be read of a damaged file, and tells what is lost.",
      terms: [
        GrammarWord("PATH", "the damaged file, which stays as it is"),
        GrammarWord("key SOURCE", "the key of an encrypted file, such as \"file:vault.key\""),
        GrammarWord("to PATH", "the new file, which must not exist; it has no key"),
      ],
      examples: [
        "recover damaged.realm to saved.realm",
        "recover damaged.realm key \"file:vault.key\" to saved.realm",
      ], seeAlso: ["check", "diff", "copy"]
    ) { parser throws(SyntaxError) in try parser.recoverStatement() },
    Verb(
      "diff", .database,
      "diff (PATH | NAME | snapshot (previous | N)) [key SOURCE] [schema | data] [CLASS, ...]",
      "Tells how the database differs from another file, an open database or an older state.",
      terms: [
        GrammarWord("PATH", "another file"),
        GrammarWord("NAME", "a database that is open"),
        GrammarWord("snapshot", "previous, or the number of a version that is alive"),
        GrammarWord("key SOURCE", "the key of an encrypted file, such as \"file:vault.key\""),
        GrammarWord("schema", "only classes and properties"),
        GrammarWord("data", "only objects"),
        GrammarWord("CLASS", "only these classes"),
      ],
      examples: ["diff backup.realm", "diff snapshot previous", "diff vault data Dog, Person"],
      seeAlso: ["check", "copy", "schema"]
    ) { parser throws(SyntaxError) in try parser.diffStatement() },
  ]
}
