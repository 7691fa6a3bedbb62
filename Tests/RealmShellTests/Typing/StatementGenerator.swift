import TestSupport

/// Makes statements out of every production of the grammar, token by token, for the database of
/// `TypingFixture`.
///
/// Source: shell.md 5, query-language.md 3.
struct StatementGenerator {
  /// What a token is.
  enum Kind {
    /// A word of the grammar, in any case.
    case word
    case sign
    /// A name that exists.
    case name
    /// A number, a text, a date: one of many that fit.
    case literal
    /// A name that the user makes up.
    case new
    /// Text of another language.
    case raw
  }

  struct Token {
    let text: String
    let kind: Kind
    /// Stands right behind the token before it.
    let isGlued: Bool
  }

  private(set) var tokens: [Token] = []
  var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// The tokens of a statement of a verb.
  mutating func statement(of verb: String) -> [Token]? {
    guard let make = Self.verbs[verb] else { return nil }
    tokens = []
    if chance(15) { prefix(for: verb) }
    make(&self)
    if chance(5) { word("|") }
    if tokens.last?.text == "|" { append("cat", .raw) }
    return tokens
  }

  /// The text of some tokens.
  static func text(of tokens: some Sequence<Token>) -> String {
    var text = ""
    for token in tokens { text += (token.isGlued || text.isEmpty ? "" : " ") + token.text }
    return text
  }

  // MARK: Pieces

  mutating func append(_ text: String, _ kind: Kind, isGlued: Bool = false) {
    tokens.append(Token(text: text, kind: kind, isGlued: isGlued))
  }

  mutating func words(_ texts: String...) { for text in texts { append(text, .word) } }
  mutating func word(_ text: String) {
    append(text, text.first?.isLetter ?? false ? .word : .sign)
  }
  mutating func sign(_ text: String) { append(text, .sign) }
  mutating func glued(_ text: String) { append(text, .sign, isGlued: true) }
  mutating func name(_ text: String, isGlued: Bool = false) {
    append(text, .name, isGlued: isGlued)
  }
  mutating func literal(_ text: String, isGlued: Bool = false) {
    append(text, .literal, isGlued: isGlued)
  }
  mutating func new(_ text: String) { append(text, .new) }

  /// Sets a token right behind the one before it.
  mutating func setGlued(_ index: Int) {
    let token = tokens[index]
    tokens[index] = Token(text: token.text, kind: token.kind, isGlued: true)
  }

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
  mutating func one<Element>(of elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &random)]
  }
  mutating func choose(_ choices: (inout StatementGenerator) -> Void...) {
    one(of: choices)(&self)
  }
  mutating func optional(_ percent: Int = 40, _ body: (inout StatementGenerator) -> Void) {
    if chance(percent) { body(&self) }
  }
  mutating func list(_ body: (inout StatementGenerator) -> Void) {
    body(&self)
    while chance(30) {
      glued(",")
      body(&self)
    }
  }

  private mutating func prefix(for verb: String) {
    choose(
      { $0.words("time") }, { $0.words("explain") }, { $0.words("explain", "run") },
      {
        $0.words("expect", "error")
        $0.optional { $0.name("NoSuchTable") }
        $0.glued(":")
      },
      {
        $0.words("on")
        $0.name("worker")
        $0.optional { $0.words("async") }
        $0.optional {
          $0.words("with")
          $0.list { $0.name("$rex") }
        }
        $0.glued(":")
      })
  }

  // MARK: Names

  /// A class with a primary key.
  mutating func keyedClass() -> String { one(of: ["Person", "Dog", "`my-class`"]) }
  mutating func anyClass() -> String {
    one(of: ["Person", "Dog", "Note", "Address", "`my-class`"])
  }

  mutating func property(of className: String) -> String {
    one(of: Self.properties[className]?.map(\.name) ?? ["name"])
  }

  /// `CLASS.PROPERTY`, and the class.
  @discardableResult
  mutating func propertyReference() -> String {
    let className = anyClass()
    name(className)
    glued(".")
    name(property(of: className), isGlued: true)
    return className
  }

  mutating func key(of className: String) -> String {
    className == "`my-class`" ? "\"a\"" : one(of: ["1", "2"])
  }

  /// `Dog(1)`, `Note#0`; what follows stands behind it.
  mutating func object() -> String {
    if chance(20) {
      name("Note")
      glued("#")
      literal("0", isGlued: true)
      return "Note"
    }
    let className = keyedClass()
    name(className)
    glued("(")
    literal(key(of: className), isGlued: true)
    glued(")")
    return className
  }

  /// A class, a collection of an object, or results; the class of its objects.
  mutating func source() -> String {
    switch Int.random(in: 0..<10, using: &random) {
    case 0:
      name("Person")
      glued("(")
      literal("1", isGlued: true)
      glued(")")
      glued(".")
      name("dogs", isGlued: true)
      return "Dog"
    case 1:
      name("$dogs")
      return "Dog"
    default:
      let className = anyClass()
      name(className)
      return className
    }
  }

  struct Property {
    let name: String
    let type: String
  }

  static let properties: [String: [Property]] = [
    "Person": [
      Property(name: "_id", type: "int"), Property(name: "name", type: "string"),
      Property(name: "dogs", type: "[Dog]"), Property(name: "best", type: "Dog"),
      Property(name: "address", type: "Address"), Property(name: "tags", type: "set"),
      Property(name: "scores", type: "list"), Property(name: "parks", type: "dictionary"),
      Property(name: "born", type: "date"), Property(name: "active", type: "bool"),
      Property(name: "`home town`", type: "string"), Property(name: "extra", type: "mixed"),
    ],
    "Dog": [
      Property(name: "_id", type: "int"), Property(name: "name", type: "string"),
      Property(name: "age", type: "int"), Property(name: "color", type: "string"),
      Property(name: "weight", type: "double"), Property(name: "place", type: "place"),
      Property(name: "owner", type: "Person"),
    ],
    "Note": [Property(name: "text", type: "string"), Property(name: "at", type: "date")],
    "Address": [Property(name: "street", type: "string"), Property(name: "city", type: "string")],
    "`my-class`": [Property(name: "_id", type: "string"), Property(name: "value", type: "int")],
  ]
}
