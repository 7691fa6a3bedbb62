/// Expressions, values and columns.
extension StatementGenerator {
  /// An expression; over the properties of a class if there is one.
  mutating func expression(_ className: String? = nil, depth: Int = 2) {
    switch depth == 0
      ? Int.random(in: 0..<4, using: &random) : Int.random(in: 0..<14, using: &random)
    {
    case 0, 1: constant()
    case 2, 3: operandPath(className)
    case 4:
      expression(className, depth: 0)
      word(one(of: ["+", "-", "*", "/", "%"]))
      expression(className, depth: 0)
    case 5: comparison(className)
    case 6:
      expression(className, depth: 0)
      sign("==")
      literal("1")
      words(one(of: ["and", "or"]))
      expression(className, depth: 0)
      sign("!=")
      literal("2")
    case 7:
      words("not")
      expression(className, depth: 0)
    case 8:
      sign("(")
      let start = tokens.count
      expression(className, depth: depth - 1)
      setGlued(start)
      glued(")")
    case 9: call(className, depth: depth - 1)
    case 10:
      sign("(")
      let start = tokens.count
      subquery()
      setGlued(start)
      glued(")")
    case 11:
      sign("[")
      let start = tokens.count
      list { $0.expression(className, depth: 0) }
      setGlued(start)
      glued("]")
    case 12:
      let owner = object()
      glued(".")
      name(owner == "Note" ? "text" : "_id", isGlued: true)
    default:
      sign("-")
      literal("3", isGlued: true)
    }
  }

  /// Operators fit the type of what stands before them.
  private mutating func comparison(_ className: String?) {
    choose(
      {
        $0.literal("3")
        $0.word($0.one(of: ["==", "!=", "<", "<=", ">", ">="]))
      },
      {
        $0.literal("\"text\"")
        $0.words($0.one(of: ["in", "contains", "beginswith", "endswith", "like"]))
      },
      {
        $0.expression(className, depth: 0)
        $0.word($0.one(of: ["==", "!="]))
        $0.optional { $0.glued("[c]") }
      })
    expression(className, depth: 0)
  }

  private mutating func constant() {
    choose(
      { $0.literal($0.one(of: ["3", "1.5", "\"text\"", "2024-05-01"])) },
      { $0.name($0.one(of: ["null", "true", "false"])) },
      { $0.name($0.one(of: ["$n", "$text"])) })
  }

  private mutating func operandPath(_ className: String?) {
    guard let className else {
      name("$rex")
      glued(".")
      name(one(of: ["name", "age", "owner"]), isGlued: true)
      return
    }
    path(of: className)
  }

  private mutating func call(_ className: String?, depth: Int) {
    let (function, count) = one(of: [
      ("upper", 1), ("length", 1), ("substr", 3), ("abs", 1), ("string", 1), ("coalesce", 2),
      ("if", 3), ("count", 1), ("now", 0), ("env", 1), ("type", 1),
    ])
    name(function)
    glued("(")
    for i in 0..<count {
      if i > 0 { glued(",") }
      let start = tokens.count
      expression(className, depth: 0)
      if i == 0 { setGlued(start) }
    }
    glued(")")
  }

  /// A statement that gives a value.
  mutating func subquery() {
    choose(
      {
        $0.words("count")
        let className = $0.source()
        $0.condition(className)
      },
      {
        $0.words("where")
        let className = $0.source()
        $0.optional { $0.predicate(className, depth: 0) }
      },
      {
        $0.words("get")
        _ = $0.object()
      })
  }

  // MARK: Clauses

  /// `where RQL [args (…)]`, maybe.
  mutating func condition(_ className: String, _ percent: Int = 50) {
    guard chance(percent) else { return }
    words("where")
    if chance(20), className != "Note", className != "Address" {
      name(className == "`my-class`" ? "value" : "_id")
      sign("==")
      literal("$0")
      words("args")
      sign("(")
      let start = tokens.count
      list { $0.expression(depth: 0) }
      setGlued(start)
      glued(")")
    } else {
      query(className)
    }
  }

  /// `show COLUMN, …`, maybe.
  mutating func columns(_ className: String, _ percent: Int = 40) {
    guard chance(percent) else { return }
    words("show")
    list { $0.column(className) }
  }

  private mutating func column(_ className: String) {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: sign(one(of: ["*", "**"]))
    case 1:
      words("except")
      name(property(of: className))
      optional { $0.name($0.property(of: className)) }
    case 2 where className == "Person":
      name("dogs")
      sign("{")
      let start = tokens.count
      list { $0.path(of: "Dog") }
      setGlued(start)
      glued("}")
    case 3 where className == "Person":
      name("dogs")
      glued(".")
      append("@count", .word, isGlued: true)
    default:
      path(of: className)
      optional {
        $0.words("as")
        $0.new("title")
      }
    }
  }

  /// `{PROPERTY: EXPRESSION, …}`.
  mutating func objectValue(_ className: String, depth: Int = 1) {
    sign("{")
    let names = (Self.properties[className] ?? []).filter { !["place", "mixed"].contains($0.type) }
    for i in 0..<Int.random(in: 1...3, using: &random) {
      if i > 0 { glued(",") }
      let property = one(of: names)
      name(property.name, isGlued: i == 0)
      glued(":")
      value(of: property, depth: depth)
    }
    optional(10) { $0.glued(",") }
    glued("}")
  }

  private mutating func value(of property: Property, depth: Int) {
    switch property.type {
    case "[Dog]":
      sign("[")
      let start = tokens.count
      if depth > 0, chance(50) { objectValue("Dog", depth: depth - 1) } else { _ = object() }
      setGlued(start)
      glued("]")
    case "Dog", "Person":
      if depth > 0, chance(50) {
        objectValue(property.type, depth: depth - 1)
      } else {
        name("$rex")
      }
    case "Address": objectValue("Address", depth: 0)
    case "set", "list":
      sign("[")
      literal("1", isGlued: true)
      glued(",")
      literal("2")
      glued("]")
    case "dictionary":
      sign("{")
      append("Oslo", .raw, isGlued: true)
      glued(":")
      literal("\"x\"")
      glued("}")
    default: expression(depth: 1)
    }
  }
}
