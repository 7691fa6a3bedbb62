extension Grammar {
  /// The verbs, in the order of the overview. Adding one takes a row here, a case of
  /// `StatementBody` and a parse function. Source: shell.md 5.
  public static let verbs: [Verb] =
    databaseVerbs + fileVerbs + careVerbs + schemaVerbs + transactionVerbs + objectVerbs
    + queryVerbs + nameVerbs + liveVerbs + threadVerbs + importVerbs + transferVerbs + shellVerbs

  private static let databaseVerbs = [
    Verb(
      "open", .database,
      "open (PATH | memory [NAME]) [as NAME] [create | new] [readonly | shared] [key SOURCE] ...",
      "Opens a file or memory database and makes it the current one.",
      terms: [
        GrammarWord("as NAME", "name of the database; default the file name without .realm"),
        GrammarWord("create", "makes the file if it does not exist"),
        GrammarWord("new", "makes the file; it must not exist"),
        GrammarWord("readonly", "changes no byte and leaves no side file"),
        GrammarWord("shared", "takes part in the lock protocol from the start"),
        GrammarWord("key SOURCE", "the key of an encrypted file, such as \"file:vault.key\""),
        GrammarWord("schema PATH", "declares the classes of a script; version N is their version"),
        GrammarWord("compact", "rewrites the file first if less than half of it is in use"),
        GrammarWord("snapshot", "previous or a version: an older state, for reading only"),
        GrammarWord("versions N", "begin fails while more than N versions are alive"),
      ],
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
      terms: [
        GrammarWord("space", "where the bytes of the file are"),
        GrammarWord("versions", "which versions are pinned, and by what"),
        GrammarWord("history", "the kind of history and its entries"),
        GrammarWord("file PATH", "a file that need not be open, or cannot be"),
        GrammarWord("key SOURCE", "the key of an encrypted file, such as \"file:vault.key\""),
      ],
      examples: ["info", "info space", "info file notes.txt"], seeAlso: ["open", "check", "schema"]
    ) { parser throws(SyntaxError) in try parser.infoStatement() },
    Verb(
      "check", .database, "check [PATH [key SOURCE]] [quick | deep]",
      "Reads everything and prints what is damaged.",
      terms: [
        GrammarWord("PATH", "a file instead of the current database"),
        GrammarWord("key SOURCE", "the key of an encrypted file, such as \"file:vault.key\""),
        GrammarWord("quick", "header, top node and free list only"),
        GrammarWord("deep", "every value, index and backlink too"),
      ],
      examples: ["check", "check deep", "check damaged.realm quick"], seeAlso: ["info"]
    ) { parser throws(SyntaxError) in try parser.checkStatement() },
    Verb(
      "copy", .database,
      "copy to PATH [new] [key SOURCE] | copy SOURCE [where RQL] into NAME [links] [policy POLICY]",
      "Writes a compacted copy of the database, or copies objects into another open one.",
      terms: [
        GrammarWord("new", "the file must not exist"),
        GrammarWord("key SOURCE", "encrypts the copy; without it the copy has no key"),
        GrammarWord("SOURCE", "a class, a projection, a collection (Person(1).dogs) or a variable"),
        GrammarWord("where RQL", "a predicate with SORT, DISTINCT, LIMIT; see help rql"),
        GrammarWord("into NAME", "a database that is open"),
        GrammarWord("links", "copies the objects linked to as well"),
        GrammarWord("policy POLICY", "modified, all or error: what happens to objects that exist"),
      ],
      examples: [
        "copy to backup.realm", "copy to vault.realm new key \"file:vault.key\"",
        "copy Dog where age > 3 into archive links policy all",
      ], seeAlso: ["compact", "upgrade", "export"]
    ) { parser throws(SyntaxError) in try parser.copyStatement() },
    Verb(
      "compact", .database, "compact [to PATH]",
      "Rewrites the database without its free space, in place or as another file.",
      examples: ["compact", "compact to small.realm"], seeAlso: ["copy", "info"]
    ) { parser throws(SyntaxError) in try parser.compactStatement() },
  ]

  private static let queryVerbs = [
    Verb(
      "where", .queries, "where SOURCE [RQL] [args (...)] [show COLUMN, ...]",
      "Prints the objects that match.",
      terms: [
        GrammarWord("SOURCE", "a class, a projection, a collection (Person(1).dogs) or a variable"),
        GrammarWord("RQL", "a predicate with SORT, DISTINCT, LIMIT; see help rql"),
        GrammarWord("args (...)", "the values of $0, $1, ... in the predicate"),
        GrammarWord(
          "show", "*, **, except NAMES, paths, expressions as NAME, or PATH {COLUMN, ...}"),
      ],
      examples: [
        "where Dog", "where Dog age > 3 SORT(name ASC) show name, age",
        "where Person(1).dogs color == null", "where Dog name == $0 args (\"Rex\")",
      ], seeAlso: ["count", "get", "more", "last"], givesValue: true
    ) { parser throws(SyntaxError) in try parser.whereStatement() },
    Verb(
      "count", .queries, "count SOURCE [where RQL [args (...)]]", "Prints the number of objects.",
      terms: [
        GrammarWord("SOURCE", "a class, a projection, a collection (Person(1).dogs) or a variable")
      ],
      examples: [
        "count Dog", "count Dog where age > 3 and ANY owners.name == \"Ann\"",
        "count Person(1).dogs",
      ], seeAlso: ["where", "aggregate", "let"], givesValue: true
    ) { parser throws(SyntaxError) in try parser.countStatement() },
    Verb(
      "aggregate", .queries,
      "aggregate SOURCE FUNCTION(PATH) [as NAME], ... [by EXPRESSION, ...] [where RQL [args (...)]]",
      "Prints numbers over all objects, or over those of each group.",
      terms: [
        GrammarWord("SOURCE", "a class, a projection, a collection (Person(1).dogs) or a variable"),
        GrammarWord("FUNCTION", "sum, avg, min or max; or count()"),
        GrammarWord("by EXPRESSION", "one row for each of its values"),
        GrammarWord("where RQL", "a predicate with SORT, DISTINCT, LIMIT; see help rql"),
      ],
      examples: [
        "aggregate Dog count(), avg(age), max(age) as oldest where color != null",
        "aggregate Person count() by address.city",
      ], seeAlso: ["count", "sections"], givesValue: true
    ) { parser throws(SyntaxError) in try parser.aggregateStatement() },
    Verb(
      "sections", .queries,
      "sections SOURCE by EXPRESSION [where RQL [args (...)]] [show COLUMN, ...]",
      "Prints the objects in groups.",
      terms: [
        GrammarWord("SOURCE", "a class, a projection, a collection (Person(1).dogs) or a variable"),
        GrammarWord("by EXPRESSION", "one section for each of its values"),
        GrammarWord("where RQL", "a predicate with SORT, DISTINCT, LIMIT; see help rql"),
        GrammarWord(
          "show", "*, **, except NAMES, paths, expressions as NAME, or PATH {COLUMN, ...}"),
      ],
      examples: [
        "sections Dog by upper(substr(name, 0, 1)) show name, age",
        "sections Dog by color where age > 3",
      ], seeAlso: ["where", "aggregate"], givesValue: true
    ) { parser throws(SyntaxError) in try parser.sectionsStatement() },
    Verb(
      "more", .queries, "more [N | all]", "Prints the next rows of the last result.",
      examples: ["more", "more 500", "more all"], seeAlso: ["where", "last"]
    ) { parser throws(SyntaxError) in try parser.moreStatement() },
    Verb(
      "last", .queries, "last [MODE]", "Prints the last result again, in full.",
      terms: [
        GrammarWord("MODE", "an output mode; see help modes")
      ],
      examples: ["last", "last jsonl"], seeAlso: ["where", "more", "mode"]
    ) { parser throws(SyntaxError) in try parser.lastStatement() },
  ]

  private static let nameVerbs = [
    Verb(
      "let", .names, "let [$NAME = (STATEMENT | EXPRESSION)]",
      "Names a value, an object or a result; alone it lists the names.",
      terms: [
        GrammarWord("STATEMENT", "a query, add or upsert: its value; objects and results stay live")
      ],
      examples: ["let", "let $rex = get Dog 1", "let $old = where Dog age > 10", "let $n = 1 + 2"],
      seeAlso: ["unlet", "print"]
    ) { parser throws(SyntaxError) in try parser.letStatement() },
    Verb(
      "unlet", .names, "unlet $NAME, ...", "Forgets variables.",
      examples: ["unlet $old", "unlet $a, $b"], seeAlso: ["let"]
    ) { parser throws(SyntaxError) in try parser.unletStatement() },
    Verb(
      "projection", .names, "projection [NAME of CLASS { PROPERTY [= EXPRESSION], ... }]",
      "Names a view of a class, which then is a source; alone it lists the projections.",
      terms: [
        GrammarWord("PROPERTY", "a name of its own, or that of a property of the class"),
        GrammarWord("EXPRESSION", "a path from the class, or what is computed from its properties"),
      ],
      examples: [
        "projection",
        "projection Owner of Person { name, city = address.city, dogNames = dogs.name }",
      ], seeAlso: ["where", "observe", "set"]
    ) { parser throws(SyntaxError) in try parser.projectionStatement() },
  ]

  private static let transferVerbs = [
    Verb(
      "export", .transfer,
      "export (SOURCE [where RQL] [show COLUMN, ...] | all) to PATH [format FORMAT] [append] [links]",
      "Writes objects to a file.",
      terms: [
        GrammarWord("SOURCE", "a class, a projection, a collection (Person(1).dogs) or a variable"),
        GrammarWord("where RQL", "a predicate with SORT, DISTINCT, LIMIT; see help rql"),
        GrammarWord("all", "every class"),
        GrammarWord("FORMAT", "csv, tsv, json, jsonl, sql or sqlite; default by the file name"),
        GrammarWord("append", "adds to the file"),
        GrammarWord("links", "includes the objects linked to"),
      ],
      examples: [
        "export Dog to dogs.csv", "export Dog where age > 3 show name, age to old.jsonl",
        "export all to folder format csv", "export all to dogs.sqlite",
      ], seeAlso: ["import", "where"]
    ) { parser throws(SyntaxError) in try parser.exportStatement() },
    dumpVerb,
    Verb(
      "source", .transfer, "source PATH", "Runs the statements of a script.",
      examples: ["source add-fields.realmsh", "source ~/checks.realmsh"], seeAlso: ["cd"]
    ) { parser throws(SyntaxError) in try parser.sourceStatement() },
    Verb(
      "output", .transfer, "output (PATH [append] | off)",
      "Sends results to a file, until off; errors and diffs stay on the screen.",
      terms: [
        GrammarWord("append", "adds to the end of the file"),
        GrammarWord("off", "back to standard output"),
      ],
      examples: ["output dogs.txt", "output all.csv append", "output off"],
      seeAlso: ["export", "mode", "print"]
    ) { parser throws(SyntaxError) in try parser.outputStatement() },
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
      "history", .shell, "history [N] [STRING]",
      "Lists the last 20 statements, or the last N, with their numbers.",
      terms: [GrammarWord("STRING", "only statements that contain the text")],
      examples: ["history", "history 100", "history \"Dog\""], seeAlso: ["edit"]
    ) { parser throws(SyntaxError) in try parser.historyStatement() },
    Verb(
      "edit", .shell, "edit [N]",
      "Opens the last statement, or number N, in the editor and puts the text into the line.",
      examples: ["edit", "edit 17"], seeAlso: ["history", "config"]
    ) { parser throws(SyntaxError) in try parser.editStatement() },
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
