/// A verb: its row in the table that feeds parser, help, completion and manual pages.
public struct Verb: Sendable {
  /// The groups of the overview. Source: shell.md 1.
  public enum Group: String, Sendable, CaseIterable {
    case database = "Database"
    case schema = "Schema"
    case transaction = "Transaction"
    case objects = "Objects"
    case queries = "Queries"
    case names = "Names"
    case live = "Live"
    case threads = "Threads"
    case transfer = "In and out"
    case shell = "Shell"
  }

  /// The word.
  public let name: String
  /// Other words for the same.
  public let aliases: [String]
  /// Where `help` lists it.
  public let group: Group
  /// One line of grammar.
  public let synopsis: String
  /// What it does, in one sentence.
  public let effect: String
  /// The words of the synopsis that need an explanation, in its order.
  public let terms: [GrammarWord]
  /// Two to four statements.
  public let examples: [String]
  /// Related verbs.
  public let seeAlso: [String]
  /// The statement is a value when it stands in parentheses.
  public let givesValue: Bool
  /// Reads what follows the verb.
  let parse: @Sendable (inout Parser) throws(SyntaxError) -> StatementBody

  init(
    _ name: String, aliases: [String] = [], _ group: Group, _ synopsis: String, _ effect: String,
    terms: [GrammarWord] = [], examples: [String], seeAlso: [String], givesValue: Bool = false,
    parse: @escaping @Sendable (inout Parser) throws(SyntaxError) -> StatementBody
  ) {
    self.name = name
    self.aliases = aliases
    self.group = group
    self.synopsis = synopsis
    self.effect = effect
    self.terms = terms
    self.examples = examples
    self.seeAlso = seeAlso
    self.givesValue = givesValue
    self.parse = parse
  }
}

/// A word of the language with what it stands for.
public struct GrammarWord: Sendable {
  /// The word, or the form of a call.
  public let name: String
  /// What it stands for.
  public let meaning: String

  init(_ name: String, _ meaning: String) {
    self.name = name
    self.meaning = meaning
  }
}

/// A function of expressions. Source: shell.md 11.
public struct Function: Sendable {
  /// The word.
  public let name: String
  /// Name and parameters.
  public let form: String
  /// The least and the greatest number of arguments.
  public let argumentCount: ClosedRange<Int>
  /// What it gives.
  public let meaning: String

  init(_ form: String, _ argumentCount: ClosedRange<Int>, _ meaning: String) {
    name = String(form.prefix { $0 != "(" })
    self.form = form
    self.argumentCount = argumentCount
    self.meaning = meaning
  }
}

/// The tables of the language.
public enum Grammar {
  /// The verb with this name or alias, in any case.
  public static func verb(named name: String) -> Verb? {
    let bytes = Array(name.utf8)
    let word = Token(.word, start: 0, end: bytes.count)
    return verbIndex(at: word, in: bytes.span).map { verbs[$0] }
  }

  /// The index in `verbs` of the one whose name or alias the token is, in any case.
  static func verbIndex(at token: Token, in bytes: Span<UInt8>) -> Int? {
    let key = key(of: token, in: bytes)
    for entry in verbKeys where entry.key == key {
      if StatementBounds.equalsIgnoringCase(token, entry.name, in: bytes) { return entry.index }
    }
    return nil
  }

  /// The names of the verbs with what tells most of them apart, so that one is found without making
  /// a string.
  private static let verbKeys: [(key: UInt64, name: String, index: Int)] =
    verbs.enumerated().flatMap { index, verb in
      ([verb.name] + verb.aliases).map { name in
        let bytes = Array(name.utf8)
        return (key(of: Token(.word, start: 0, end: bytes.count), in: bytes.span), name, index)
      }
    }

  /// The last eight bytes, letters in lower case.
  private static func key(of token: Token, in bytes: Span<UInt8>) -> UInt64 {
    var key: UInt64 = 0
    for index in token.start..<token.end { key = key << 8 | UInt64(bytes[index] | 0x20) }
    return key
  }

  /// The function with this name, in any case.
  public static func function(named name: String) -> Function? {
    functionsByName[name.lowercased()]
  }

  private static let functionsByName = Dictionary(
    uniqueKeysWithValues: functions.map { ($0.name, $0) })

  /// What may stand before a verb.
  public static let prefixes = [
    GrammarWord("on NAME [async] [with $NAME, ...]:", "runs the statement on a thread"),
    GrammarWord("time", "prints the time the statement took"),
    GrammarWord("explain [run]", "prints what would be done; run also does it and adds times"),
    GrammarWord("expect error [NAME]:", "succeeds if the statement fails with that error"),
  ]

  /// The output modes. Source: shell.md 18.
  public static let modes = [
    GrammarWord("table", "columns with a rule under the header"),
    GrammarWord("box", "columns in a frame"),
    GrammarWord("markdown", "a table of that markup"),
    GrammarWord("lines", "one property per line"),
    GrammarWord("json", "one array, indented"),
    GrammarWord("jsonl", "one JSON object per line"),
    GrammarWord("csv", "header line and records, separated by commas"),
    GrammarWord("tsv", "header line and records, separated by tabs"),
    GrammarWord("literal", "add statements that would make the objects again"),
    GrammarWord("none", "nothing"),
  ]

  /// The words that end a path.
  public static let pathWords = [
    "@count", "@min", "@max", "@sum", "@avg", "@keys", "@values", "@type", "@links",
  ]

  /// The functions of expressions. Source: shell.md 11.
  public static let functions = [
    Function("upper(s)", 1...1, "the text in upper case"),
    Function("lower(s)", 1...1, "the text in lower case"),
    Function("trim(s)", 1...1, "the text without blanks around it"),
    Function("length(s)", 1...1, "the number of characters"),
    Function(
      "substr(s, from, n)", 2...3,
      "n characters from a position, counted from 0; without n all to the end"),
    Function("replace(s, a, b)", 3...3, "the text with each a replaced by b"),
    Function("split(s, sep)", 2...2, "the list of the parts between separators"),
    Function("join(list, sep)", 2...2, "the texts of a list in one, with separators"),
    Function("abs(x)", 1...1, "the number without its sign"),
    Function("round(x)", 1...1, "the nearest whole number"),
    Function("floor(x)", 1...1, "the next whole number below"),
    Function("ceil(x)", 1...1, "the next whole number above"),
    Function("int(x)", 1...1, "as an int"),
    Function("double(x)", 1...1, "as a double"),
    Function("float(x)", 1...1, "as a float"),
    Function("decimal(x)", 1...1, "as a decimal128"),
    Function("string(x)", 1...1, "as a text"),
    Function("bool(x)", 1...1, "as a bool"),
    Function("date(x)", 1...1, "as a date; a number counts seconds since 1970"),
    Function("data(x)", 1...1, "as data; of a text the bytes of its UTF-8"),
    Function("type(x)", 1...1, "the name of the type"),
    Function("if(condition, a, b)", 3...3, "a if the condition is true, else b"),
    Function("coalesce(a, b, ...)", 1...1000, "the first value that is not null"),
    Function("count(c)", 1...1, "the number of members"),
    Function("first(c)", 1...1, "the first member"),
    Function("last(c)", 1...1, "the last member"),
    Function("index(c, x)", 2...2, "the position of x, null if it is not there"),
    Function("keys(d)", 1...1, "the keys of a dictionary"),
    Function("values(d)", 1...1, "the values of a dictionary"),
    Function("now()", 0...0, "the present date and time"),
    Function("year(d)", 1...1, "the year of a date"),
    Function("month(d)", 1...1, "the month, 1 to 12"),
    Function("day(d)", 1...1, "the day of the month"),
    Function("uuid()", 0...0, "a new uuid"),
    Function("oid()", 0...0, "a new objectId"),
    Function("env(name)", 1...1, "a variable of the environment, null if it is not set"),
    Function("file(path)", 1...1, "the bytes of a file"),
    Function("ref(x)", 1...1, "a reference that another thread can resolve, once"),
    Function("resolve(r)", 1...1, "what a reference stands for, on this thread"),
    Function(
      "freeze(x)", 1...1, "the object, results or collection as they are now, for every thread"),
    Function("thaw(x)", 1...1, "what was frozen, as it is today"),
  ]

  /// The words of the language that fit an expectation; names of the database are not known here.
  public static func words(fitting expectation: Expectation) -> [String] {
    switch expectation {
    case .word(let word), .offeredWord(let word): [word]
    case .verb: verbsAndPrefixes
    case .mode: modes.map(\.name)
    case .function: functions.map(\.name)
    case .type: TypeSyntax.Scalar.allCases.map(\.rawValue)
    case .comparator: comparators + ["between", "text", "geowithin"]
    case .optionalComparator: comparators
    default: []
    }
  }

  private static let verbsAndPrefixes =
    verbs.map(\.name) + ["time", "explain", "expect"]

  private static let comparators = ["in", "contains", "beginswith", "endswith", "like"]
}
