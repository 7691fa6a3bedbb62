extension Grammar {
  static let liveVerbs = [
    Verb(
      "observe", .live,
      "observe [(realm | OBJECT | SOURCE [where RQL] | sections SOURCE by E [where RQL]) OPTION ...]",
      "Prints what has changed each time something changes; alone it lists the observers.",
      terms: [
        GrammarWord("realm", "the whole database"),
        GrammarWord("OBJECT", "CLASS KEY, CLASS(KEY), CLASS#NUMBER or a variable"),
        GrammarWord("SOURCE", "a class, a projection, a collection (Person(1).dogs) or a variable"),
        GrammarWord("where RQL", "a predicate with SORT, DISTINCT, LIMIT; see help rql"),
        GrammarWord("as NAME", "the name for unobserve, wait and commit without"),
        GrammarWord("keys (PATH, ...)", "only changes of these properties count; * is all of them"),
        GrammarWord("values V", "none, changes (old and new values; default) or full objects"),
        GrammarWord("show COLUMN, ...", "the columns of inserted objects"),
        GrammarWord("mode M", "human, or json: one object per line"),
        GrammarWord("to PATH", "appends to a file instead of printing"),
      ],
      examples: [
        "observe", "observe realm", "observe Dog where age > 3 as old",
        "observe Person(1).dogs keys (name, owner.*) values none",
      ], seeAlso: ["unobserve", "wait", "commit"]
    ) { parser throws(SyntaxError) in try parser.observeStatement() },
    Verb(
      "unobserve", .live, "unobserve (OBSERVER | all)", "Ends an observer, or all of them.",
      terms: [GrammarWord("OBSERVER", "its name or number")],
      examples: ["unobserve 2", "unobserve old", "unobserve all"], seeAlso: ["observe"]
    ) { parser throws(SyntaxError) in try parser.unobserveStatement() },
    Verb(
      "wait", .live, "wait [DURATION | for NAME [N changes]] [timeout DURATION]",
      "Waits and prints changes meanwhile; alone until interrupted.",
      terms: [
        GrammarWord("DURATION", "such as 250ms, 2s, 5m"),
        GrammarWord("for NAME", "an observer that prints N times, or the work of a thread"),
        GrammarWord("timeout DURATION", "fails after that time"),
      ],
      examples: ["wait 500ms", "wait for dogs 3 changes timeout 5s", "wait for worker"],
      seeAlso: ["observe", "on"]
    ) { parser throws(SyntaxError) in try parser.waitStatement() },
  ]

  static let threadVerbs = [
    Verb(
      "on", .threads, "on [NAME [async] [with $NAME, ...] [: STATEMENT | { STATEMENT; ... }]]",
      "Runs statements on a thread, or makes it the thread of the prompt; alone it lists them.",
      terms: [
        GrammarWord("NAME", "the thread; it begins with its first use"),
        GrammarWord("async", "does not wait for the end"),
        GrammarWord("with $NAME", "variables that go across"),
      ],
      examples: [
        "on", "on worker { let $n = count Dog; print $n }",
        "on worker with $rex { print $rex.name }",
        "on main",
      ], seeAlso: ["stop", "wait"]
    ) { parser throws(SyntaxError) in try parser.onStatement() },
    Verb(
      "stop", .threads, "stop NAME", "Ends a thread after its current statement.",
      examples: ["stop worker", "stop importer"], seeAlso: ["on"]
    ) { parser throws(SyntaxError) in try parser.stopStatement() },
  ]
}
