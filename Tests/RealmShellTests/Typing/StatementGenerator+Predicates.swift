/// Predicates and their clauses.
extension StatementGenerator {
  /// A predicate with SORT, DISTINCT and LIMIT, for objects of a class.
  mutating func query(_ className: String) {
    predicate(className)
    optional(25) { $0.clauses(className) }
  }

  mutating func clauses(_ className: String) {
    choose(
      {
        $0.words("SORT")
        $0.glued("(")
        $0.path(of: className, isGlued: true)
        $0.words($0.one(of: ["ASC", "DESC"]))
        $0.optional {
          $0.glued(",")
          $0.path(of: className)
          $0.words("DESC")
        }
        $0.glued(")")
      },
      {
        $0.words("DISTINCT")
        $0.glued("(")
        $0.path(of: className, isGlued: true)
        $0.glued(")")
      },
      {
        $0.words($0.one(of: ["LIMIT", "OFFSET"]))
        $0.glued("(")
        $0.literal("3", isGlued: true)
        $0.glued(")")
      })
  }

  /// A path to a single value.
  mutating func path(of className: String, isGlued: Bool = false) {
    let simple = (Self.properties[className] ?? []).filter {
      ["int", "string", "double", "date", "bool"].contains($0.type)
    }
    if className == "Person", chance(30) {
      name(one(of: ["address", "best"]), isGlued: isGlued)
      let isAddress = tokens.last?.text == "address"
      glued(".")
      name(isAddress ? one(of: ["city", "street"]) : one(of: ["name", "age"]), isGlued: true)
    } else {
      name(one(of: simple).name, isGlued: isGlued)
    }
  }

  mutating func predicate(_ className: String, depth: Int = 2) {
    switch depth == 0 ? 9 : Int.random(in: 0..<10, using: &random) {
    case 0:
      predicate(className, depth: depth - 1)
      words(one(of: ["and", "or"]))
      predicate(className, depth: depth - 1)
    case 1:
      words("NOT")
      predicate(className, depth: 0)
    case 2:
      sign("(")
      let start = tokens.count
      predicate(className, depth: depth - 1)
      setGlued(start)
      glued(")")
    case 3: words(one(of: ["TRUEPREDICATE", "FALSEPREDICATE"]))
    case 4 where className == "Person": collectionPredicate()
    case 4 where className == "Dog": dogPredicate()
    default: comparison(className)
    }
  }

  private mutating func comparison(_ className: String) {
    let candidates = (Self.properties[className] ?? []).filter {
      ["int", "string", "double", "date", "bool", "mixed"].contains($0.type)
    }
    let property = one(of: candidates)
    name(property.name)
    switch property.type {
    case "string":
      choose(
        {
          $0.word($0.one(of: ["==", "!=", "<", ">="]))
          $0.literal("\"Rex\"")
        },
        {
          $0.words($0.one(of: ["CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE"]))
          $0.optional { $0.glued($0.one(of: ["[c]", "[cd]", "[cu]"])) }
          $0.literal("\"R\"")
        },
        {
          $0.words("IN")
          $0.constants(["\"a\"", "\"b\""])
        },
        {
          $0.sign("==")
          $0.name($0.one(of: ["$text", "null"]))
        })
    case "bool":
      word(one(of: ["==", "!="]))
      name(one(of: ["true", "false"]))
    case "mixed":
      choose(
        {
          $0.glued(".")
          $0.append("@type", .word, isGlued: true)
          $0.sign("==")
          $0.literal("\"string\"")
        },
        {
          $0.sign("!=")
          $0.name("null")
        })
    default: numeric(property.type)
    }
  }

  private mutating func numeric(_ type: String) {
    let value = type == "date" ? "2024-05-01" : type == "double" ? "1.5" : "3"
    choose(
      {
        $0.word($0.one(of: ["==", "!=", "<", "<=", ">", ">="]))
        $0.literal(value)
      },
      {
        $0.words("BETWEEN")
        $0.constants([value, value])
      },
      {
        $0.words("IN")
        $0.constants([value, value])
      },
      {
        guard type != "date" else {
          $0.sign(">")
          $0.literal(value)
          return
        }
        $0.word($0.one(of: ["+", "-", "*", "/"]))
        $0.literal("2")
        $0.sign(">")
        $0.sign("(")
        $0.literal("1", isGlued: true)
        $0.sign("+")
        $0.literal("2")
        $0.glued(")")
      },
      {
        $0.sign("==")
        $0.name("$n")
      })
  }

  /// `{1, 2}`.
  private mutating func constants(_ values: [String]) {
    sign("{")
    for (i, value) in values.enumerated() {
      if i > 0 { glued(",") }
      literal(value, isGlued: i == 0)
    }
    glued("}")
  }

  private mutating func collectionPredicate() {
    if chance(50) { countPredicate() } else { elementPredicate() }
  }

  private mutating func countPredicate() {
    choose(
      {
        $0.words($0.one(of: ["ANY", "ALL", "NONE"]))
        $0.name("dogs")
        $0.glued(".")
        $0.name("age", isGlued: true)
        $0.sign(">")
        $0.literal("3")
      },
      {
        $0.name($0.one(of: ["dogs", "scores", "tags", "parks"]))
        $0.glued(".")
        $0.append("@count", .word, isGlued: true)
        $0.sign(">")
        $0.literal("1")
      },
      {
        $0.name("dogs")
        $0.glued(".")
        $0.append($0.one(of: ["@avg", "@min", "@max", "@sum"]), .word, isGlued: true)
        $0.glued(".")
        $0.name("age", isGlued: true)
        $0.sign(">")
        $0.literal("1")
      },
      {
        $0.words("SUBQUERY")
        $0.glued("(")
        $0.name("dogs", isGlued: true)
        $0.glued(",")
        $0.new("$d")
        $0.glued(",")
        $0.name("$d")
        $0.glued(".")
        $0.name("age", isGlued: true)
        $0.sign(">")
        $0.literal("3")
        $0.glued(")")
        $0.glued(".")
        $0.append("@count", .word, isGlued: true)
        $0.sign(">")
        $0.literal("0")
      })
  }

  private mutating func elementPredicate() {
    choose(
      {
        $0.name("scores")
        $0.glued("[")
        $0.choose(
          { $0.literal("0", isGlued: true) },
          { $0.append($0.one(of: ["FIRST", "LAST", "SIZE", "*"]), .word, isGlued: true) })
        $0.glued("]")
        $0.sign(">")
        $0.literal("3")
      },
      {
        $0.name("parks")
        $0.glued("[")
        $0.literal("\"Oslo\"", isGlued: true)
        $0.glued("]")
        $0.sign("==")
        $0.literal("\"x\"")
      },
      {
        $0.name("parks")
        $0.glued(".")
        $0.append($0.one(of: ["@keys", "@values"]), .word, isGlued: true)
        $0.sign("==")
        $0.literal("\"Oslo\"")
      },
      {
        $0.name("best")
        $0.word($0.one(of: ["==", "!="]))
        $0.choose(
          {
            $0.name("Dog")
            $0.glued("(")
            $0.literal("1", isGlued: true)
            $0.glued(")")
          },
          { $0.name("$rex") }, { $0.name("null") },
          {
            $0.words("obj")
            $0.glued("(")
            $0.literal("\"Dog\"", isGlued: true)
            $0.glued(",")
            $0.literal("1")
            $0.glued(")")
          })
      })
  }

  private mutating func dogPredicate() {
    choose(
      {
        $0.append("@links", .word)
        $0.glued(".")
        $0.name("Person", isGlued: true)
        $0.glued(".")
        $0.name("dogs", isGlued: true)
        $0.choose(
          {
            $0.glued(".")
            $0.append("@count", .word, isGlued: true)
            $0.sign(">")
            $0.literal("0")
          },
          {
            $0.glued(".")
            $0.name("name", isGlued: true)
            $0.sign("==")
            $0.literal("\"Ann\"")
          })
      },
      {
        $0.name("owner")
        $0.glued(".")
        $0.name("address", isGlued: true)
        $0.glued(".")
        $0.name("city", isGlued: true)
        $0.sign("==")
        $0.literal("\"Oslo\"")
      },
      {
        $0.name("name")
        $0.words("TEXT")
        $0.literal("\"rex\"")
      },
      { $0.geography() })
  }

  private mutating func geography() {
    name("place")
    words("GEOWITHIN")
    choose(
      {
        $0.words("geoCircle")
        $0.glued("(")
        $0.point(isGlued: true)
        $0.glued(",")
        $0.literal("1.5")
        $0.glued(")")
      },
      {
        $0.words("geoBox")
        $0.glued("(")
        $0.point(isGlued: true)
        $0.glued(",")
        $0.point()
        $0.glued(")")
      },
      {
        $0.words("geoPolygon")
        $0.glued("(")
        $0.glued("{")
        for i in 0..<4 {
          if i > 0 { $0.glued(",") }
          $0.point(isGlued: i == 0)
        }
        $0.glued("}")
        $0.glued(")")
      })
  }

  private mutating func point(isGlued: Bool = false) {
    append("[", .sign, isGlued: isGlued)
    literal("1.0", isGlued: true)
    glued(",")
    literal("2.0")
    glued("]")
  }
}
