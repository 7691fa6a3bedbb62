/// `add CLASS VALUE, … [as $x]`. Source: shell.md 9.
public struct AddStatement: Equatable, Sendable {
  /// The class.
  public var className: Name
  /// The objects: `.object` or `.array`, at least one.
  public var values: [Expression]
  /// `as $x`; the name is without the dollar sign.
  public var variable: Name?

  /// Makes an `add`.
  public init(className: Name, values: [Expression], variable: Name? = nil) {
    self.className = className
    self.values = values
    self.variable = variable
  }
}

/// `upsert CLASS VALUE, … [policy P] [as $x]`. Source: shell.md 9.
public struct UpsertStatement: Equatable, Sendable {
  /// The class.
  public var className: Name
  /// The objects: `.object` or `.array`, at least one.
  public var values: [Expression]
  /// `policy P`; nil is `modified`.
  public var policy: PolicyOperand?
  /// `as $x`; the name is without the dollar sign.
  public var variable: Name?

  /// Makes an `upsert`.
  public init(
    className: Name, values: [Expression], policy: PolicyOperand? = nil, variable: Name? = nil
  ) {
    self.className = className
    self.values = values
    self.policy = policy
    self.variable = variable
  }
}

/// `policy P`: what happens to an object that exists.
public struct PolicyOperand: Equatable, Sendable {
  /// The policies.
  public enum Kind: String, Sendable, CaseIterable {
    case modified, all, error
  }

  /// Which one.
  public var kind: Kind
  /// Where the word stands, without `policy`.
  public var range: SourceRange

  /// Makes a policy.
  public init(_ kind: Kind, range: SourceRange) {
    self.kind = kind
    self.range = range
  }
}

/// What `set` and `delete` work on.
public enum ChangeSubject: Equatable, Sendable {
  /// One object: `Dog 1`, `Dog(1)`, `Dog#12`.
  case object(ObjectName)
  /// A class or projection, or a path. A path that starts at an object has steps and is a
  /// collection; whether one that starts at a variable (`$x`, `$x[0]`, `$x.dogs`) is an object or a
  /// collection shows when it runs.
  case source(Source)

  /// Where it stands.
  public var range: SourceRange {
    switch self {
    case .object(let object): object.range
    case .source(let source): source.range
    }
  }
}

/// Which objects of a source are meant.
public enum ChangeExtent: Equatable, Sendable {
  /// `where RQL [args (…)]`.
  case condition(Condition)
  /// `all`; the range is that of the word.
  case all(SourceRange)
}

/// `set`. Source: shell.md 9.
public struct SetStatement: Equatable, Sendable {
  /// The object or objects.
  public var subject: ChangeSubject
  /// What is changed, at least one.
  public var changes: [Change]
  /// `where …` or `all`; nil if neither was written, and always for `.object`.
  public var extent: ChangeExtent?

  /// Makes a `set`.
  public init(subject: ChangeSubject, changes: [Change], extent: ChangeExtent? = nil) {
    self.subject = subject
    self.changes = changes
    self.extent = extent
  }
}

/// One change of `set`: `age += 1`, `dogs.append($rex)`.
public struct Change: Equatable, Sendable {
  /// What is done.
  public enum Action: Equatable, Sendable {
    /// An operator and its right side.
    case assign(AssignmentOperator, Expression)
    /// A method and its arguments; `name` is where the name of the method stands.
    case call(CollectionMethod, [Expression], name: SourceRange)
  }

  /// What is changed; the base is `.row`.
  public var path: PathExpression
  /// What is done.
  public var action: Action
  /// From the path to the last token.
  public var range: SourceRange

  /// Makes a change.
  public init(path: PathExpression, action: Action, range: SourceRange) {
    self.path = path
    self.action = action
    self.range = range
  }
}

/// The operators of `set`.
public enum AssignmentOperator: String, Sendable, CaseIterable {
  case assign = "="
  case add = "+="
  case subtract = "-="
  case multiply = "*="
  case divide = "/="
}

/// The methods of `set`.
public enum CollectionMethod: String, Sendable, CaseIterable {
  case append, insert, remove, removeAt, move, swap, clear, union, intersect, subtract
}

/// `delete`. Source: shell.md 9.
public enum DeleteStatement: Equatable, Sendable {
  /// An object, or objects of a source; `extent` is nil if neither `where` nor `all` was written,
  /// and always for `.object`.
  case objects(ChangeSubject, ChangeExtent?)
  /// `delete everything`: all objects of all classes.
  case everything
}

/// `let $x = …`. Source: shell.md 11.
public struct LetStatement: Equatable, Sendable {
  /// The variable; the name is without the dollar sign.
  public var variable: Name
  /// The value; `.query` for a statement, with or without parentheses around it.
  public var value: Expression

  /// Makes a `let`.
  public init(variable: Name, value: Expression) {
    self.variable = variable
    self.value = value
  }
}

/// `projection NAME of CLASS { a, city = address.city }`. Source: shell.md 11.
public struct ProjectionStatement: Equatable, Sendable {
  /// One property of the projection.
  public struct Field: Equatable, Sendable {
    /// Its name.
    public var name: Name
    /// Its value, from the properties of the class; nil for the property with the same name.
    public var value: Expression?

    /// Makes a property.
    public init(name: Name, value: Expression?) {
      self.name = name
      self.value = value
    }

    /// Name and value.
    public var range: SourceRange { value.map { name.range.joined(with: $0.range) } ?? name.range }
  }

  /// The projection.
  public var name: Name
  /// The class that it is a view of.
  public var className: Name
  /// Its properties, at least one.
  public var fields: [Field]

  /// Makes a projection.
  public init(name: Name, className: Name, fields: [Field]) {
    self.name = name
    self.className = className
    self.fields = fields
  }
}
