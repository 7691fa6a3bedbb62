extension Grammar {
  static let importVerbs = [
    Verb(
      "import", .transfer,
      "import CLASS from PATH [format FORMAT] [separator TEXT] [header on|off] "
        + "[map (SOURCE -> PATH, ...)] [null TEXT] [upsert [policy POLICY]] [batch N] [skip N] [rejects PATH] [dry]",
      "Makes objects from the rows of a file, in one transaction.",
      terms: [
        GrammarWord("PATH", "the file; - is standard input"),
        GrammarWord("FORMAT", "csv, tsv, json or jsonl; default by the file name"),
        GrammarWord("separator TEXT", "the sign between columns of csv, if it is no comma"),
        GrammarWord("header off", "the first line is no header: columns come in schema order"),
        GrammarWord(
          "map",
          "SOURCE is a column by name or number, PATH a property, also address.city, or none"),
        GrammarWord("null TEXT", "a text that stands for null"),
        GrammarWord("upsert", "objects that exist are updated; POLICY is modified, all or error"),
        GrammarWord("batch N", "commits after each N rows"),
        GrammarWord("skip N", "passes over N lines, or objects of json, before it begins"),
        GrammarWord(
          "rejects PATH", "bad lines go into this file, with the header, and the rest is imported"),
        GrammarWord("dry", "only checks"),
      ],
      examples: [
        "import Dog from more.csv", "import Dog from more.csv map (parks -> favoriteParks)",
        "import Dog from dogs.jsonl upsert policy all",
        "import Dog from dogs.tsv header off null \"NA\" rejects bad.tsv",
      ], seeAlso: ["export", "add", "upsert"]
    ) { parser throws(SyntaxError) in try parser.importStatement() }
  ]
}
