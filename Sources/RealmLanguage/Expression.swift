public import RealmValues

/// A word that names something: a class, property, database, variable, column.
public struct Name: Equatable, Sendable {
  /// The name itself, without back quotes.
  public var text: String
  /// Where it stands.
  public var range: SourceRange

  /// Makes a name.
  public init(_ text: String, range: SourceRange) {
    self.text = text
    self.range = range
  }
}

/// A constant of the shell's literal forms. Source: shell.md 4.
public struct Literal: Equatable, Sendable {
  /// What the literal says, before it is fitted to the type of a property.
  public enum Kind: Equatable, Sendable {
    /// `null`, `nil`.
    case null
    /// `true`, `false`.
    case bool(Bool)
    /// A whole number within 64 bits, decimal or `0x`.
    case integer(Int64)
    /// A number with a final `f`; `text` is what was written, for decimal properties.
    case float(Float, text: String)
    /// A number with a fraction or exponent, `inf`, `nan`, or a whole number beyond 64 bits; `text`
    /// is what was written, for decimal properties.
    case double(Double, text: String)
    /// `decimal(1.50)`.
    case decimal(Decimal128)
    /// A quoted text, escapes translated.
    case string([UInt8])
    /// `B64"…"`, `binary("…")`, `hex("…")`.
    case data([UInt8])
    /// One of the date forms.
    case date(Timestamp)
    /// `oid(…)` with digits.
    case objectID(ObjectID)
    /// `uuid(…)` with digits.
    case uuid(UUIDValue)
  }

  /// The value.
  public var kind: Kind
  /// Where it stands.
  public var range: SourceRange

  /// Makes a literal.
  public init(_ kind: Kind, range: SourceRange) {
    self.kind = kind
    self.range = range
  }

  /// The value with the type its own form suggests, as a mixed property stores it.
  public var scalar: ScalarValue {
    switch kind {
    case .null: .null
    case .bool(let value): .bool(value)
    case .integer(let value): .int(value)
    case .float(let value, _): .float(value)
    case .double(let value, _): .double(value)
    case .decimal(let value): .decimal(value)
    case .string(let value): .string(value)
    case .data(let value): .data(value)
    case .date(let value): .date(value)
    case .objectID(let value): .objectID(value)
    case .uuid(let value): .uuid(value)
    }
  }
}

/// The name of one object: `Dog(1)`, `Dog#12`. Source: shell.md 4.
public struct ObjectName: Equatable, Sendable {
  /// How the object is told from the others of its class.
  public enum Key: Equatable, Sendable {
    /// `Dog(1)`: the primary key.
    case primaryKey(Literal)
    /// `Dog($id)`: the primary key is the value of a variable.
    case variable(Name)
    /// `Dog#12`: the object key.
    case objectKey(Int64)
  }

  /// The class.
  public var className: Name
  /// Primary key or object key.
  public var key: Key
  /// The whole name.
  public var range: SourceRange

  /// Makes the name of an object.
  public init(className: Name, key: Key, range: SourceRange) {
    self.className = className
    self.key = key
    self.range = range
  }
}

/// The expressions of `show`, `print`, `assert`, `args`: values, paths, functions, operators.
/// Source: shell.md 5 `expr`, 11.
public enum Expression: Equatable, Sendable {
  /// A constant; the one case that is not in a box of its own, as scripts are full of them.
  case literal(Literal)
  /// A property path, a variable or an object, with or without further steps.
  indirect case path(PathExpression)
  /// A function of the table in `Grammar.functions`.
  indirect case call(function: Name, arguments: [Expression], range: SourceRange)
  /// `-x`, `not x`.
  indirect case unary(UnaryOperator, Expression, range: SourceRange)
  /// Two operands with an operator between them, which says how letters are compared.
  indirect case binary(
    BinaryOperator, folding: CaseFolding?, Expression, Expression, range: SourceRange)
  /// `(count Dog)`: a statement as a value.
  case query(StatementBody, range: SourceRange)
  /// `[1, 2]`.
  case array([Expression], range: SourceRange)
  /// `{name: "Rex"}`: object or dictionary.
  case object([ObjectField], range: SourceRange)

  /// Where the expression stands.
  public var range: SourceRange {
    switch self {
    case .literal(let literal): literal.range
    case .path(let path): path.range
    case .call(_, _, let range), .unary(_, _, let range), .binary(_, _, _, _, let range),
      .query(_, let range), .array(_, let range), .object(_, let range):
      range
    }
  }
}

/// Operators with one operand.
public enum UnaryOperator: String, Sendable {
  /// Arithmetic negation.
  case minus = "-"
  /// Logical negation.
  case not = "not"
}

/// Operators with two operands; the raw value is the canonical spelling.
public enum BinaryOperator: String, Sendable {
  case or, and
  case equal = "=="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case `in`, contains, beginswith, endswith, like
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  case divide = "/"
  case remainder = "%"
}

/// One `key: value` of an object or dictionary literal.
public struct ObjectField: Equatable, Sendable {
  /// Property name or dictionary key.
  public var key: Name
  /// Whether a `$` at the start of the key, or a point in it, was written as an escape: such a key,
  /// which SDKs refuse, is meant.
  public var isVerbatim: Bool
  /// The value.
  public var value: Expression

  /// Makes a field.
  public init(key: Name, isVerbatim: Bool = false, value: Expression) {
    self.key = key
    self.isVerbatim = isVerbatim
    self.value = value
  }

  /// Key and value with the colon between them.
  public var range: SourceRange { key.range.joined(with: value.range) }
}

/// Where a path starts and the steps it takes: `address.city`, `$rex.name`, `Person(1).dogs[0]`.
public struct PathExpression: Equatable, Sendable {
  /// What the first step starts from.
  public enum Base: Equatable, Sendable {
    /// The object of the row, in `show` and `by`.
    case row
    /// `old.`, the object before the change.
    case old
    /// `$name`; the name is without the dollar sign, `_` is the last result.
    case variable(Name)
    /// `Dog(1)`.
    case object(ObjectName)
  }

  /// The start.
  public var base: Base
  /// The steps; never empty when `base` is `row` or `old`.
  public var steps: [PathStep]
  /// The whole path.
  public var range: SourceRange

  /// Makes a path.
  public init(base: Base, steps: [PathStep], range: SourceRange) {
    self.base = base
    self.steps = steps
    self.range = range
  }
}

/// One step of a `PathExpression`.
public struct PathStep: Equatable, Sendable {
  /// What the step does.
  public enum Kind: Equatable, Sendable {
    /// `.name`.
    case property(String)
    /// `[expr]`: position in a list, key of a dictionary.
    case index(Expression)
    /// `[*]`.
    case all
    /// `[first]`.
    case first
    /// `[last]`.
    case last
    /// `@count`, `@min`, `@max`, `@sum`, `@avg`.
    case aggregate(PathAggregate)
    /// `@keys`.
    case keys
    /// `@values`.
    case values
    /// `@type`.
    case type
    /// `@links.Class.property`.
    case backlinks(className: String, property: String)
  }

  /// What the step does.
  public var kind: Kind
  /// Where it stands, without the dot before it.
  public var range: SourceRange

  /// Makes a step.
  public init(_ kind: Kind, range: SourceRange) {
    self.kind = kind
    self.range = range
  }
}

/// The aggregate words a path may end in.
public enum PathAggregate: String, Sendable {
  case count = "@count"
  case min = "@min"
  case max = "@max"
  case sum = "@sum"
  case average = "@avg"
}
