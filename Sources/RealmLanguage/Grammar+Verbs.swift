extension Grammar {
  /// The verbs, in the order of the overview. Adding one takes a row here, a case of
  /// `StatementBody` and a parse function. Source: shell.md 5.
  public static let verbs: [Verb] =
    databaseVerbs + schemaVerbs + objectVerbs + queryVerbs + transferVerbs + shellVerbs

  private static let databaseVerbs = [
    Verb(
      "open", .database,
      "open PATH [as NAME] [readonly] [key SOURCE] [snapshot previous]",
      "Opens a file and makes it the current database.",
      examples: [
        "open dogs.realm", "open vault.realm key \"file:vault.key\"",
        "open dogs.realm as before snapshot previous",
      ], seeAlso: ["close", "use", "info"]
    ) { parser throws(SyntaxError) in try parser.openStatement() },
    Verb(
      "close", .database, "close [NAME | all]", "Closes the current database, another one, or all.",
      examples: ["close", "close vault", "close all"], seeAlso: ["open", "use"]
    ) { parser throws(SyntaxError) in try parser.closeStatement() },
    Verb(
      "use", .database, "use [NAME]",
      "Makes an open database the current one; alone it lists them.",
      examples: ["use", "use dogs"], seeAlso: ["open", "close"]
    ) { parser throws(SyntaxError) in try parser.useStatement() },
    Verb(
      "info", .database, "info [space | versions | history | file PATH [key SOURCE]]",
      "Tells what is known about the database, or about a file that cannot be opened.",
      examples: ["info", "info space", "info file notes.txt"], seeAlso: ["open", "check", "schema"]
    ) { parser throws(SyntaxError) in try parser.infoStatement() },
    Verb(
      "check", .database, "check [PATH [key SOURCE]] [quick | deep]",
      "Reads everything and prints what is damaged.",
      examples: ["check", "check deep", "check damaged.realm quick"], seeAlso: ["info"]
    ) { parser throws(SyntaxError) in try parser.checkStatement() },
  ]

  private static let schemaVerbs = [
    Verb(
      "schema", .schema,
      "schema [CLASS, ...] [as text | json | mermaid | dot] [to PATH] | schema version",
      "Prints classes in the form they are declared, or in another format.",
      examples: ["schema", "schema Dog, Person", "schema as json to dogs.json", "schema version"],
      seeAlso: ["info"]
    ) { parser throws(SyntaxError) in try parser.schemaStatement() }
  ]

  private static let objectVerbs = [
    Verb(
      "get", .objects, "get OBJECT[.PATH] [show COLUMN, ...]",
      "Prints one object in full, or one of its values.",
      examples: ["get Dog 1", "get Person(1).address.city", "get $_[2]"],
      seeAlso: ["where"], givesValue: true
    ) { parser throws(SyntaxError) in try parser.getStatement() }
  ]

  private static let queryVerbs = [
    Verb(
      "where", .queries, "where SOURCE [RQL] [args (...)] [show COLUMN, ...]",
      "Prints the objects that match.",
      examples: [
        "where Dog", "where Dog age > 3 SORT(name ASC) show name, age",
        "where Person(1).dogs color == null", "where Dog name == $0 args (\"Rex\")",
      ], seeAlso: ["count", "get", "more", "last"], givesValue: true
    ) { parser throws(SyntaxError) in try parser.whereStatement() },
    Verb(
      "count", .queries, "count SOURCE [where RQL [args (...)]]", "Prints the number of objects.",
      examples: [
        "count Dog", "count Dog where age > 3 and ANY owners.name == \"Ann\"",
        "count Person(1).dogs",
      ], seeAlso: ["where"], givesValue: true
    ) { parser throws(SyntaxError) in try parser.countStatement() },
    Verb(
      "more", .queries, "more [N | all]", "Prints the next rows of the last result.",
      examples: ["more", "more 500", "more all"], seeAlso: ["where", "last"]
    ) { parser throws(SyntaxError) in try parser.moreStatement() },
    Verb(
      "last", .queries, "last [MODE]", "Prints the last result again, in full.",
      examples: ["last", "last jsonl"], seeAlso: ["where", "more", "mode"]
    ) { parser throws(SyntaxError) in try parser.lastStatement() },
  ]

  private static let transferVerbs = [
    Verb(
      "export", .transfer,
      "export (SOURCE [where RQL] [show COLUMN, ...] | all) to PATH [format FORMAT] [append]",
      "Writes objects to a file, or with all to a file for each class: csv, tsv, json or jsonl.",
      examples: [
        "export Dog to dogs.csv", "export Dog where age > 3 show name, age to old.jsonl",
        "export all to folder format csv",
      ], seeAlso: ["where"]
    ) { parser throws(SyntaxError) in try parser.exportStatement() },
    Verb(
      "source", .transfer, "source PATH", "Runs the statements of a script.",
      examples: ["source add-fields.realmsh", "source ~/checks.realmsh"], seeAlso: ["cd"]
    ) { parser throws(SyntaxError) in try parser.sourceStatement() },
    Verb(
      "print", .transfer, "print EXPRESSION, ...",
      "Prints values separated by blanks, strings without quotes.",
      examples: ["print 1 + 2, upper(\"é\"), 2024-05-01", "print (count Dog), \"dogs\""],
      seeAlso: ["assert", "get"]
    ) { parser throws(SyntaxError) in try parser.printStatement() },
  ]

  private static let shellVerbs = [
    Verb(
      "help", aliases: ["?"], .shell, "help [TOPIC]",
      "Explains a verb or topic; alone it lists the verbs.",
      examples: ["help", "help where", "help literals"], seeAlso: ["config"]
    ) { parser throws(SyntaxError) in try parser.helpStatement() },
    Verb(
      "config", .shell, "config [NAME [VALUE]]", "Lists, prints or changes settings.",
      examples: ["config", "config rows", "config rows 50"], seeAlso: ["mode", "help"]
    ) { parser throws(SyntaxError) in try parser.configStatement() },
    Verb(
      "mode", .shell, "mode [MODE]", "Prints or changes the output mode.",
      examples: ["mode", "mode jsonl", "mode table"], seeAlso: ["config", "last"]
    ) { parser throws(SyntaxError) in try parser.modeStatement() },
    Verb(
      "assert", .shell, "assert EXPRESSION [, STRING]", "Fails if the expression is not true.",
      examples: ["assert (count Dog) == 3", "assert Dog(1).age > 2, \"Rex is too young\""],
      seeAlso: ["print"]
    ) { parser throws(SyntaxError) in try parser.assertStatement() },
    Verb(
      "cd", .shell, "cd [PATH]", "Changes the folder for relative paths; alone it prints it.",
      examples: ["cd", "cd models"], seeAlso: ["source"]
    ) { parser throws(SyntaxError) in try parser.cdStatement() },
    Verb(
      "exit", aliases: ["quit"], .shell, "exit [N]", "Ends the program.",
      examples: ["exit", "exit 3"], seeAlso: ["close"]
    ) { parser throws(SyntaxError) in try parser.exitStatement() },
  ]
}
