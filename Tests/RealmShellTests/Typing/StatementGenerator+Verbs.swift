/// One production for each verb.
extension StatementGenerator {
  typealias Production = @Sendable (inout StatementGenerator) -> Void

  static let verbs: [String: Production] =
    databaseVerbs.merging(careVerbs) { first, _ in first }
    .merging(schemaVerbs) { first, _ in first }.merging(objectVerbs) { first, _ in first }
    .merging(queryVerbs) { first, _ in first }.merging(otherVerbs) { first, _ in first }

  mutating func keySource() {
    words("key")
    name("\"file:keys.key\"")
  }

  private mutating func newFile() {
    choose(
      {
        $0.words("to")
        $0.name("data.realm")
      }, { $0.words("in", "place") })
  }

  private static let databaseVerbs: [String: Production] = [
    "open": { generator in
      generator.words("open")
      generator.choose(
        { $0.name("data.realm") },
        {
          $0.words("memory")
          $0.optional { $0.new("scratch") }
        })
      for _ in 0..<Int.random(in: 0...3, using: &generator.random) { generator.openOption() }
    },
    "close": { generator in
      generator.words("close")
      generator.choose({ _ in }, { $0.name("other") }, { $0.words("all") })
    },
    "use": { generator in
      generator.words("use")
      generator.optional { $0.name("other") }
    },
    "info": { generator in
      generator.words("info")
      generator.choose(
        { _ in }, { $0.words($0.one(of: ["space", "versions", "history"])) },
        {
          $0.words("file")
          $0.name("data.realm")
          $0.optional { $0.keySource() }
        })
    },
    "check": { generator in
      generator.words("check")
      generator.optional {
        $0.name("data.realm")
        $0.optional { $0.keySource() }
      }
      generator.optional { $0.words($0.one(of: ["quick", "deep"])) }
    },
    "copy": { generator in
      generator.words("copy")
      generator.choose(
        {
          $0.words("to")
          $0.name("data.realm")
          $0.optional { $0.words("new") }
          $0.optional { $0.keySource() }
        },
        {
          let className = $0.source()
          $0.condition(className)
          $0.words("into")
          $0.name("other")
          $0.optional { $0.words("links") }
          $0.optional { $0.policy() }
        })
    },
    "compact": { generator in
      generator.words("compact")
      generator.optional {
        $0.words("to")
        $0.name("data.realm")
      }
    },
    "encrypt": { generator in
      generator.words("encrypt")
      generator.newFile()
      generator.keySource()
    },
    "decrypt": { generator in
      generator.words("decrypt")
      generator.newFile()
    },
    "rekey": { generator in
      generator.words("rekey")
      generator.newFile()
      generator.keySource()
    },
    "upgrade": { generator in
      generator.words("upgrade")
      generator.newFile()
    },
  ]

  private mutating func openOption() {
    choose(
      {
        $0.words("as")
        $0.new("before")
      },
      { $0.words($0.one(of: ["create", "new", "readonly", "shared", "compact"])) },
      { $0.keySource() },
      {
        $0.words("schema")
        $0.name("script.realmsh")
      },
      {
        $0.words($0.one(of: ["version", "versions"]))
        $0.literal("3")
      },
      {
        $0.words("snapshot")
        $0.choose({ $0.words("previous") }, { $0.literal("4") })
      })
  }

  private mutating func policy() { words("policy", one(of: ["modified", "all", "error"])) }

  // MARK: Schema

  private static let schemaVerbs: [String: Production] = [
    "class": { generator in
      generator.words("class")
      generator.name("Dog")
      generator.optional { $0.words($0.one(of: ["embedded", "asymmetric"])) }
      generator.sign("{")
      generator.list { generator in
        generator.new("extra")
        generator.glued(":")
        generator.type()
        generator.optional { $0.words($0.one(of: ["primary", "indexed", "fulltext"])) }
        generator.optional {
          $0.sign("=")
          $0.choose({ $0.literal("3") }, { $0.name("null") }, { $0.name("$n") })
        }
      }
      generator.sign("}")
    },
    "schema": { generator in
      generator.words("schema")
      generator.choose(
        {
          $0.optional { $0.list { $0.name($0.anyClass()) } }
          $0.optional {
            $0.words(
              "as",
              $0.one(of: [
                "text", "json", "mermaid", "dot", "swift", "kotlin", "dart", "csharp", "typescript",
              ]))
          }
          $0.optional {
            $0.words("to")
            $0.name("script.realmsh")
          }
        },
        {
          $0.words("version")
          $0.optional { $0.literal("3") }
        },
        {
          $0.words("diff")
          $0.name("data.realm")
        })
    },
    "alter": { generator in
      generator.words("alter")
      generator.choose(
        {
          let className = $0.propertyReference()
          $0.glued(":")
          $0.type()
          $0.optional { $0.words($0.one(of: ["primary", "indexed", "fulltext"])) }
          $0.optional {
            $0.words("using")
            $0.expression(className)
          }
        },
        {
          $0.name($0.anyClass())
          $0.words($0.one(of: ["embedded", "standalone"]))
        },
        {
          let className = $0.keyedClass()
          $0.name(className)
          $0.words("primary")
          if $0.chance(30) { $0.words("none") } else { $0.name($0.property(of: className)) }
        })
    },
    "rename": { generator in
      generator.words("rename")
      generator.choose(
        {
          $0.words("class")
          $0.name($0.anyClass())
        }, { $0.propertyReference() })
      generator.words("to")
      generator.new("fresh")
    },
    "drop": { generator in
      generator.words("drop")
      generator.choose(
        {
          $0.words("class")
          $0.name($0.anyClass())
          $0.optional { $0.words("links") }
        }, { $0.propertyReference() },
        {
          $0.words("index")
          $0.propertyReference()
        })
    },
    "migrate": { generator in
      generator.words("migrate")
      generator.optional { $0.words("dry") }
      generator.choose(
        {
          $0.words("to")
          $0.literal("4")
          $0.migrationBlock()
        },
        { generator in
          generator.sign("{")
          for version in ["4", "5"] {
            generator.words("version")
            generator.literal(version)
            generator.migrationBlock()
          }
          generator.sign("}")
        })
    },
  ]

  /// A block whose expressions name old values.
  private mutating func migrationBlock() {
    sign("{")
    words("set")
    name("Dog")
    name("name")
    sign("=")
    name("old")
    glued(".")
    name("name", isGlued: true)
    words("all")
    sign("}")
  }

  private mutating func type() {
    if chance(15) {
      append("@links", .word)
      glued(".")
      name("Person", isGlued: true)
      glued(".")
      name("dogs", isGlued: true)
      return
    }
    choose(
      {
        $0.words(
          $0.one(of: [
            "bool", "int", "float", "double", "decimal128", "string", "data", "date", "objectId",
            "uuid", "mixed",
          ]))
      }, { $0.name($0.anyClass()) })
    optional(30) { $0.glued("?") }
    optional(30) { $0.glued($0.one(of: ["[]", "<>", "{}"])) }
  }

  // MARK: Objects

  private static let objectVerbs: [String: Production] = [
    "add": { generator in
      generator.words("add")
      generator.newObjects()
      generator.alias()
    },
    "upsert": { generator in
      generator.words("upsert")
      generator.newObjects()
      generator.optional { $0.policy() }
      generator.alias()
    },
    "set": { generator in
      generator.words("set")
      let (className, isObject) = generator.changeSubject()
      generator.list { $0.change(className) }
      if !isObject { generator.extent(className) }
    },
    "delete": { generator in
      generator.words("delete")
      if generator.chance(10) {
        generator.words("everything")
      } else {
        let (className, isObject) = generator.changeSubject()
        if !isObject { generator.extent(className) }
      }
    },
    "get": { generator in
      generator.words("get")
      let className = generator.target()
      let mayGoOn = generator.tokens.last?.text == ")"
      if className == "Person", mayGoOn, generator.chance(30) {
        generator.glued(".")
        generator.name(generator.one(of: ["dogs", "best"]), isGlued: true)
        generator.columns("Dog")
      } else {
        generator.columns(className)
      }
    },
  ]

  private mutating func newObjects() {
    let className = one(of: ["Person", "Dog", "Note", "`my-class`"])
    name(className)
    list { generator in
      if generator.chance(20) {
        generator.sign("[")
        let start = generator.tokens.count
        generator.list { $0.expression(depth: 1) }
        generator.setGlued(start)
        generator.glued("]")
      } else {
        generator.objectValue(className)
      }
    }
  }

  private mutating func alias() {
    optional(25) {
      $0.words("as")
      $0.new("$made")
    }
  }

  /// One object; its class.
  private mutating func target() -> String {
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      name("$rex")
      return "Dog"
    case 1:
      let className = keyedClass()
      name(className)
      name(key(of: className))
      return className
    default: return object()
    }
  }

  private mutating func changeSubject() -> (className: String, isObject: Bool) {
    chance(50) ? (target(), tokens.last?.text != "$rex") : (source(), false)
  }

  private mutating func extent(_ className: String) {
    if chance(50) { words("all") } else { condition(className, 100) }
  }

  private mutating func change(_ className: String) {
    if className == "Person", chance(30) {
      let (property, methods) = one(of: [
        ("dogs", ["append", "insert", "move", "swap", "removeAt"]),
        ("tags", ["union", "intersect"]),
        ("scores", ["remove", "clear", "subtract"]),
      ])
      name(property)
      glued(".")
      append(one(of: methods), .word, isGlued: true)
      glued("(")
      literal("1", isGlued: true)
      optional {
        $0.glued(",")
        $0.literal("2")
      }
      glued(")")
      return
    }
    if className == "Person", chance(20) {
      name("address")
      glued(".")
      name("city", isGlued: true)
    } else {
      name(property(of: className))
    }
    word(one(of: ["=", "+=", "-=", "*=", "/="]))
    expression(className)
  }

  // MARK: Queries

  private static let queryVerbs: [String: Production] = [
    "where": { generator in
      generator.words("where")
      let className = generator.source()
      generator.optional(70) { $0.query(className) }
      generator.columns(className)
    },
    "count": { generator in
      generator.words("count")
      let className = generator.source()
      generator.condition(className)
    },
    "aggregate": { generator in
      generator.words("aggregate")
      let className = generator.source()
      generator.list { generator in
        let function = generator.one(of: ["count", "sum", "avg", "min", "max"])
        generator.words(function)
        generator.glued("(")
        if function != "count" { generator.path(of: className, isGlued: true) }
        generator.glued(")")
        generator.optional {
          $0.words("as")
          $0.new("total")
        }
      }
      generator.optional {
        $0.words("by")
        $0.list { $0.expression(className, depth: 1) }
      }
      generator.condition(className)
    },
    "sections": { generator in
      generator.words("sections")
      generator.sections(clause: 50)
    },
    "more": { generator in
      generator.words("more")
      generator.choose({ _ in }, { $0.literal("5") }, { $0.words("all") })
    },
    "last": { generator in
      generator.words("last")
      generator.optional { $0.mode() }
    },
  ]

  private mutating func sections(clause percent: Int) {
    let className = source()
    words("by")
    expression(className, depth: 1)
    condition(className, percent)
    columns(className)
  }

  private mutating func mode() {
    name(
      one(of: [
        "table", "box", "markdown", "lines", "json", "jsonl", "csv", "tsv", "literal", "none",
      ]))
  }

  // MARK: The rest

  private static let otherVerbs: [String: Production] = [
    "begin": { generator in
      generator.words("begin")
      generator.choose(
        { _ in }, { $0.words("nowait") },
        {
          $0.words("timeout")
          $0.literal("2s")
        })
    },
    "commit": { generator in
      generator.words("commit")
      generator.optional {
        $0.words("without")
        $0.list { $0.name($0.one(of: ["watcher", "1"])) }
      }
    },
    "cancel": { $0.words("cancel") },
    "write": { generator in
      generator.words("write")
      generator.block()
    },
    "refresh": { $0.words("refresh") },
    "invalidate": { $0.words("invalidate") },
    "let": { generator in
      generator.words("let")
      generator.optional(80) { generator in
        generator.name("$n")
        generator.sign("=")
        if generator.chance(40) { generator.subquery() } else { generator.expression() }
      }
    },
    "unlet": { generator in
      generator.words("unlet")
      generator.list { $0.name($0.one(of: ["$n", "$rex", "$dogs"])) }
    },
    "projection": { generator in
      generator.words("projection")
      generator.optional(80) { generator in
        generator.new("fresh")
        generator.words("of")
        let className = generator.anyClass()
        generator.name(className)
        generator.sign("{")
        generator.list { generator in
          if generator.chance(50) {
            generator.name(generator.property(of: className))
          } else {
            generator.new("title")
            generator.sign("=")
            generator.expression(className, depth: 1)
          }
        }
        generator.sign("}")
      }
    },
    "observe": { generator in
      generator.words("observe")
      generator.optional(85) { $0.observed() }
    },
    "unobserve": { generator in
      generator.words("unobserve")
      generator.choose({ $0.words("all") }, { $0.name($0.one(of: ["watcher", "1"])) })
    },
    "wait": { generator in
      generator.words("wait")
      generator.choose(
        { _ in }, { $0.literal("5ms") },
        {
          $0.words("for")
          $0.name($0.one(of: ["watcher", "1", "worker"]))
          $0.optional {
            $0.literal("2")
            $0.words("changes")
          }
        })
      generator.optional {
        $0.words("timeout")
        $0.literal("2ms")
      }
    },
    "on": { generator in
      generator.words("on")
      generator.optional(80) { generator in
        generator.name("worker")
        let isAsync = generator.chance(30)
        if isAsync { generator.words("async") }
        generator.optional {
          $0.words("with")
          $0.list { $0.name("$rex") }
        }
        if isAsync || generator.chance(60) { generator.block() }
      }
    },
    "stop": { generator in
      generator.words("stop")
      generator.name("worker")
    },
    "import": { generator in
      generator.words("import")
      let className = generator.one(of: ["Person", "Dog", "Note"])
      generator.name(className)
      generator.words("from")
      generator.name("data.csv")
      generator.optional { $0.words("format", $0.one(of: ["csv", "tsv", "json", "jsonl"])) }
      generator.optional {
        $0.words("separator")
        $0.literal("\";\"")
      }
      generator.optional { $0.words("header", $0.one(of: ["on", "off"])) }
      generator.optional {
        $0.words("map")
        $0.sign("(")
        $0.choose({ $0.new("fresh") }, { $0.literal("3") })
        $0.sign("->")
        $0.choose({ $0.name($0.property(of: className)) }, { $0.words("none") })
        $0.sign(")")
      }
      generator.optional {
        $0.words("null")
        $0.literal("\"NA\"")
      }
      generator.optional {
        $0.words("upsert")
        $0.optional { $0.words("policy", $0.one(of: ["modified", "all", "error"])) }
      }
      generator.optional {
        $0.words("batch")
        $0.literal("3")
      }
      generator.optional {
        $0.words("skip")
        $0.literal("3")
      }
      generator.optional {
        $0.words("rejects")
        $0.name("data.csv")
      }
      generator.optional { $0.words("dry") }
    },
    "export": { generator in
      generator.words("export")
      generator.choose(
        { $0.words("all") },
        {
          let className = $0.source()
          $0.condition(className)
          $0.columns(className)
        })
      generator.words("to")
      generator.name("data.csv")
      generator.optional {
        $0.words("format", $0.one(of: ["csv", "tsv", "json", "jsonl", "sql", "sqlite"]))
      }
      generator.optional { $0.words("append") }
      generator.optional { $0.words("links") }
    },
    "dump": { generator in
      generator.words("dump")
      generator.optional { $0.words($0.one(of: ["schema", "data"])) }
      generator.optional { $0.list { $0.name($0.anyClass()) } }
      generator.optional {
        $0.words("to")
        $0.name("script.realmsh")
      }
    },
    "source": { generator in
      generator.words("source")
      generator.name("script.realmsh")
    },
    "output": { generator in
      generator.words("output")
      generator.choose(
        {
          $0.name("data.csv")
          $0.optional { $0.words("append") }
        }, { $0.words("off") })
    },
    "print": { generator in
      generator.words("print")
      generator.list { $0.expression() }
    },
    "help": { generator in
      generator.words("help")
      generator.optional { $0.name($0.one(of: ["where", "literals", "errors", "NoSuchTable"])) }
    },
    "config": { generator in
      generator.words("config")
      generator.optional(80) { generator in
        let (setting, values) = generator.one(of: [
          ("mode", ["table", "jsonl"]), ("acks", ["on", "off", "auto"]), ("keys", ["emacs", "vi"]),
          ("color", ["auto", "always", "never"]), ("zone", ["utc", "local"]),
        ])
        generator.name(setting)
        generator.optional { $0.name($0.one(of: values)) }
      }
    },
    "mode": { generator in
      generator.words("mode")
      generator.optional { $0.mode() }
    },
    "history": { generator in
      generator.words("history")
      generator.optional { $0.literal("3") }
      generator.optional { $0.literal("\"Dog\"") }
    },
    "edit": { generator in
      generator.words("edit")
      generator.optional { $0.literal("3") }
    },
    "assert": { generator in
      generator.words("assert")
      generator.expression()
      generator.optional {
        $0.glued(",")
        $0.literal("\"why\"")
      }
    },
    "cd": { generator in
      generator.words("cd")
      generator.optional { $0.name("folder") }
    },
    "exit": { generator in
      generator.words("exit")
      generator.optional { $0.literal("3") }
    },
  ]

  private mutating func observed() {
    var className: String?
    choose(
      { $0.words("realm") },
      {
        $0.words("sections")
        $0.sections(clause: 40)
        className = nil
      },
      { className = $0.target() },
      {
        let source = $0.source()
        $0.condition(source)
        className = source
      })
    if let className {
      optional {
        $0.words("keys")
        $0.sign("(")
        let start = $0.tokens.count
        $0.list { $0.choose({ $0.name($0.property(of: className)) }, { $0.sign("*") }) }
        $0.setGlued(start)
        $0.glued(")")
      }
      columns(className, 20)
    }
    optional {
      $0.words("as")
      $0.new("fresh")
    }
    optional { $0.words("values", $0.one(of: ["none", "changes", "full"])) }
    optional { $0.words("mode", $0.one(of: ["human", "json"])) }
    optional(20) {
      $0.words("to")
      $0.name("data.csv")
    }
  }

  private mutating func block() {
    sign("{")
    for i in 0..<2 {
      if i > 0 { glued(";") }
      choose(
        {
          $0.words("count")
          let className = $0.source()
          $0.condition(className, 30)
        },
        {
          $0.words("set")
          $0.name("Dog")
          $0.literal("1")
          $0.name("age")
          $0.sign("+=")
          $0.literal("1")
        },
        {
          $0.words("add")
          $0.name("Note")
          $0.objectValue("Note")
        })
    }
    sign("}")
  }
}
