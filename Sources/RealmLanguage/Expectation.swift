/// What the parser would have accepted at a place: the source of completions, hints and the list
/// "expected …" of an error. Source: shell.md 5, last paragraph.
public enum Expectation: Hashable, Sendable {
  /// A word of the grammar.
  case word(String)
  /// A word or sign that is offered, but not named in errors: one of many ways to go on.
  case offeredWord(String)
  /// A sign; named in errors only where no word fits.
  case symbol(String)
  /// A verb or prefix.
  case verb
  /// A class or projection.
  case className
  /// A class whose objects stand for themselves.
  case storedClass
  /// A class of the schema, not a projection.
  case schemaClass
  /// A property of the class that `PropertyOwner` tells, or of any class if nil.
  case property(PropertyOwner?)
  /// A variable.
  case variable
  /// A database that is open.
  case database
  /// A name that the user makes up.
  case newName
  /// A file of a kind.
  case file(FileKind)
  /// The primary key of an object of the class.
  case primaryKey(of: String)
  /// An operand of a predicate or expression.
  case value
  /// The operator of a comparison, which a predicate needs.
  case comparator
  /// The operator of a comparison, which an expression may have.
  case optionalComparator
  /// A function of `Grammar.functions`.
  case function
  /// A whole number.
  case integer
  /// A text in quotes.
  case string
  /// An output mode.
  case mode
  /// A setting.
  case setting
  /// A value of the setting.
  case settingValue(of: String)
  /// A type of properties.
  case type
  /// A length of time.
  case duration
  /// A live observer, by name or number.
  case observer
  /// A thread.
  case thread
  /// The name of an error.
  case errorName
  /// What `help` knows.
  case helpTopic
  /// The statement may end.
  case endOfStatement

  /// What kind of file fits.
  public enum FileKind: Hashable, Sendable {
    case database, script, data, output, folder, key
  }

  /// The words for an error message, nil if the message does not name it.
  var phrase: String? {
    switch self {
    case .word(let word): word
    case .offeredWord, .primaryKey, .optionalComparator: nil
    case .symbol(let symbol): symbol
    case .verb: "a verb"
    case .className, .storedClass, .schemaClass: "a class"
    case .property: "a property"
    case .variable: "a variable"
    case .database: "a database"
    case .newName: "a name"
    case .file(let kind):
      switch kind {
      case .folder: "a folder"
      case .key: "a key source"
      default: "a file"
      }
    case .value: "a value"
    case .comparator: "an operator"
    case .function: "a function"
    case .integer: "a whole number"
    case .string: "a text in quotes"
    case .mode: "an output mode"
    case .setting: "a setting"
    case .settingValue: "a value"
    case .type: "a type"
    case .duration: "a duration such as 2s"
    case .observer: "an observer"
    case .thread: "a thread"
    case .errorName: "the name of an error"
    case .helpTopic: "a topic"
    case .endOfStatement: "end of statement"
    }
  }

  var isSymbol: Bool {
    if case .symbol = self { true } else { false }
  }

  /// Names that are one of many ways to write a value.
  var isPartOfValue: Bool {
    switch self {
    case .property, .variable, .className, .function: true
    default: false
    }
  }
}

/// Whose properties fit at a place: those reached from a class through steps.
public struct PropertyOwner: Hashable, Sendable {
  /// The class or projection the steps start from; nil if a variable or unknown.
  public var className: String?
  /// The variable the steps start from, without its dollar sign.
  public var variable: String?
  /// Property names passed so far.
  public var steps: [String]

  /// Makes an owner.
  public init(className: String? = nil, variable: String? = nil, steps: [String] = []) {
    self.className = className
    self.variable = variable
    self.steps = steps
  }

  /// The owner one or more steps further.
  func adding(_ names: [String]) -> PropertyOwner {
    var result = self
    result.steps += names
    return result
  }
}
