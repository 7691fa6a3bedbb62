extension Grammar {
  static let schemaVerbs = [
    Verb(
      "class", .schema,
      "class NAME [embedded | asymmetric] { PROPERTY: TYPE [FLAG ...] [= LITERAL], ... }",
      "Creates a class, or adds properties to one.",
      terms: [
        GrammarWord("embedded", "the objects belong to others and go with them"),
        GrammarWord("asymmetric", "the objects are for sending only"),
        GrammarWord(
          "TYPE",
          "bool, int, float, double, decimal128, string, data, date, objectId, uuid, mixed or a "
            + "class; then ? and one of [] <> {}; or @links.CLASS.PROPERTY"),
        GrammarWord("FLAG", "primary, indexed or fulltext"),
        GrammarWord("= LITERAL", "default of add, and of objects that are there already"),
      ],
      examples: [
        "class Dog { _id: int primary, name: string indexed, age: int = 0 }",
        "class Address embedded { street: string?, city: string? }",
        "class Person { dogs: Dog[], tags: string<>, owners: @links.Club.members }",
      ], seeAlso: ["schema", "alter", "rename", "drop"]
    ) { parser throws(SyntaxError) in try parser.classStatement() },
    Verb(
      "schema", .schema,
      "schema [CLASS, ...] [as FORMAT] [to PATH] | schema version [N] | schema diff PATH",
      "Prints classes in the form they are declared, or in another format.",
      terms: [
        GrammarWord(
          "FORMAT", "text, json, mermaid, dot, swift, kotlin, dart, csharp or typescript"),
        GrammarWord("version", "prints the schema version, or sets it"),
        GrammarWord("diff PATH", "compares with the schema of another file"),
      ],
      examples: ["schema", "schema Dog, Person", "schema as json to dogs.json", "schema version"],
      seeAlso: ["class", "info"]
    ) { parser throws(SyntaxError) in try parser.schemaStatement() },
    Verb(
      "alter", .schema,
      "alter CLASS.PROPERTY: TYPE [FLAG ...] [using EXPRESSION] | alter CLASS (embedded | "
        + "standalone) | alter CLASS primary (PROPERTY | none)",
      "Changes the type or flags of a property, or the kind or primary key of a class.",
      terms: [
        GrammarWord("TYPE", "as in class"),
        GrammarWord("FLAG", "primary, indexed or fulltext; those not named are taken away"),
        GrammarWord(
          "using EXPRESSION", "the new value of each object; old.PROPERTY is the old one"),
      ],
      examples: [
        "alter Dog.age: double indexed using double(age)", "alter Dog.color: string?",
        "alter Address embedded", "alter Dog primary name",
      ], seeAlso: ["class", "rename", "drop"]
    ) { parser throws(SyntaxError) in try parser.alterStatement() },
    Verb(
      "rename", .schema, "rename (class NAME | CLASS.PROPERTY) to NAME",
      "Gives a class or property another name.",
      examples: ["rename class Dog to Hound", "rename Dog.color to coat"],
      seeAlso: ["class", "alter", "drop"]
    ) { parser throws(SyntaxError) in try parser.renameStatement() },
    Verb(
      "drop", .schema, "drop (class NAME [links] | CLASS.PROPERTY | index CLASS.PROPERTY)",
      "Removes a class with its objects, a property with its values, or an index.",
      terms: [GrammarWord("links", "also drops the properties that link to the class")],
      examples: ["drop class Dog links", "drop Dog.color", "drop index Dog.name"],
      seeAlso: ["class", "alter", "delete"]
    ) { parser throws(SyntaxError) in try parser.dropStatement() },
    migrationVerb,
  ]

  static let transactionVerbs = [
    Verb(
      "begin", .transaction, "begin [nowait | timeout DURATION]",
      "Begins a write transaction.",
      terms: [
        GrammarWord("nowait", "fails at once if another one holds the write lock"),
        GrammarWord("timeout DURATION", "fails after that time; such as 250ms, 2s, 5m"),
      ],
      examples: ["begin", "begin nowait", "begin timeout 2s"],
      seeAlso: ["commit", "cancel", "write"]
    ) { parser throws(SyntaxError) in try parser.beginStatement() },
    Verb(
      "commit", .transaction, "commit [without OBSERVER, ...]",
      "Writes the changes of the transaction.",
      terms: [GrammarWord("without OBSERVER", "names or numbers of observers not to be told")],
      examples: ["commit", "commit without 1, dogs"], seeAlso: ["begin", "cancel"]
    ) { parser throws(SyntaxError) in try parser.commitStatement() },
    Verb(
      "cancel", .transaction, "cancel", "Drops the changes of the transaction.",
      examples: ["cancel", "cancel; count Dog"], seeAlso: ["begin", "commit"]
    ) { _ throws(SyntaxError) in .cancel },
    Verb(
      "write", .transaction, "write { STATEMENT; ... }",
      "Runs statements in one transaction; an error cancels it.",
      examples: [
        "write { set Dog 1 age += 1; delete Dog 3 }",
        "write { add Dog {_id: 4, name: \"Maui\"} }",
      ], seeAlso: ["begin", "commit", "cancel"]
    ) { parser throws(SyntaxError) in try parser.writeStatement() },
    Verb(
      "refresh", .transaction, "refresh", "Moves to the newest version of the database.",
      examples: ["refresh", "refresh; info"], seeAlso: ["begin", "info"]
    ) { _ throws(SyntaxError) in .refresh },
    Verb(
      "invalidate", .transaction, "invalidate",
      "Lets go of the version of the database with all objects and results read from it.",
      examples: ["invalidate", "invalidate; info versions"], seeAlso: ["refresh", "cancel"]
    ) { _ throws(SyntaxError) in .invalidate },
  ]

  static let objectVerbs = [
    Verb(
      "add", .objects, "add CLASS VALUE, ... [as $NAME]",
      "Creates objects.",
      terms: [
        GrammarWord(
          "VALUE", "{PROPERTY: EXPRESSION, ...}, or [EXPRESSION, ...] in the order of the schema"),
        GrammarWord("as $NAME", "names the new object, or the list of them"),
      ],
      examples: [
        "add Dog {_id: 4, name: \"Maui\", age: 2}", "add Dog [5, \"Fido\", 7] as $fido",
        "add Person {_id: 3, dogs: [Dog(4), {_id: 6, name: \"Buster\"}], address: {city: \"Rome\"}}",
      ], seeAlso: ["upsert", "set", "delete"], givesValue: true
    ) { parser throws(SyntaxError) in try parser.addStatement() },
    Verb(
      "upsert", .objects, "upsert CLASS VALUE, ... [policy POLICY] [as $NAME]",
      "Creates objects, or changes those with the same primary key.",
      terms: [
        GrammarWord(
          "VALUE", "{PROPERTY: EXPRESSION, ...}, or [EXPRESSION, ...] in the order of the schema"),
        GrammarWord("POLICY", "modified (default), all or error; see help add"),
        GrammarWord("as $NAME", "names the object, or the list of them"),
      ],
      examples: [
        "upsert Dog {_id: 4, name: \"Maui\", age: 3}",
        "upsert Dog [4, \"Maui\", 3], [5, \"Fido\", 8] policy all as $dogs",
      ], seeAlso: ["add", "set"], givesValue: true
    ) { parser throws(SyntaxError) in try parser.upsertStatement() },
    Verb(
      "set", .objects, "set (OBJECT | SOURCE) CHANGE, ... [where RQL [args (...)] | all]",
      "Changes one object, those that match, or all of a source.",
      terms: [
        GrammarWord("OBJECT", "CLASS KEY, CLASS(KEY), CLASS#NUMBER or a variable"),
        GrammarWord("SOURCE", "a class, a projection, a collection (Person(1).dogs) or a variable"),
        GrammarWord("CHANGE", "PATH = EXPRESSION, also with += -= *= /=, or PATH.METHOD(...)"),
        GrammarWord(
          "METHOD",
          "append, insert, remove, removeAt, move, swap, clear, union, intersect or subtract"),
        GrammarWord("where RQL", "a predicate with SORT, DISTINCT, LIMIT; see help rql"),
      ],
      examples: [
        "set Dog 1 age += 1, tags += \"x\", parks[\"Rome\"] = \"Villa Ada\"",
        "set Person 1 dogs.move(0, 1), address.city = upper(address.city)",
        "set Dog color = \"grey\" where age > 4", "set Dog age = age + 1 all",
      ], seeAlso: ["add", "upsert", "delete"]
    ) { parser throws(SyntaxError) in try parser.setStatement() },
    Verb(
      "delete", .objects,
      "delete OBJECT | delete SOURCE (where RQL [args (...)] | all) | delete everything",
      "Deletes objects.",
      terms: [
        GrammarWord("OBJECT", "CLASS KEY, CLASS(KEY), CLASS#NUMBER or a variable"),
        GrammarWord("SOURCE", "a class, a projection, a collection (Person(1).dogs) or a variable"),
        GrammarWord("where RQL", "a predicate with SORT, DISTINCT, LIMIT; see help rql"),
        GrammarWord("everything", "all objects of all classes; the classes stay"),
      ],
      examples: [
        "delete Dog 3", "delete Dog where age > 10", "delete Dog all", "delete everything",
      ],
      seeAlso: ["drop", "set"]
    ) { parser throws(SyntaxError) in try parser.deleteStatement() },
    Verb(
      "get", .objects, "get OBJECT[.PATH] [show COLUMN, ...]",
      "Prints one object in full, or one of its values.",
      terms: [
        GrammarWord("OBJECT", "CLASS KEY, CLASS(KEY), CLASS#NUMBER or a variable"),
        GrammarWord(
          "show", "*, **, except NAMES, paths, expressions as NAME, or PATH {COLUMN, ...}"),
      ],
      examples: ["get Dog 1", "get Person(1).address.city", "get $_[2]"],
      seeAlso: ["where"], givesValue: true
    ) { parser throws(SyntaxError) in try parser.getStatement() },
  ]
}
