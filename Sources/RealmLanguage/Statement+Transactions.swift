/// Statements in braces, each on its line or separated by `;`. Source: shell.md 5 `block`.
public struct Block: Equatable, Sendable {
  /// The statements, in order.
  public var statements: [Statement]
  /// From the opening to the closing brace.
  public var range: SourceRange

  /// Makes a block.
  public init(_ statements: [Statement], range: SourceRange) {
    self.statements = statements
    self.range = range
  }
}

/// `begin`. Source: shell.md 8.
public enum BeginStatement: Equatable, Sendable {
  /// Waits for the write lock as long as it takes.
  case wait
  /// `nowait`.
  case nowait
  /// `timeout DURATION`.
  case timeout(DurationOperand)
}

/// `250ms`, `2s`, `5m`.
public struct DurationOperand: Equatable, Sendable {
  /// The time in milliseconds; never negative.
  public var milliseconds: Int64
  /// Where it stands.
  public var range: SourceRange

  /// Makes a duration.
  public init(milliseconds: Int64, range: SourceRange) {
    self.milliseconds = milliseconds
    self.range = range
  }
}

/// An observer, by its name or its number.
public enum ObserverOperand: Equatable, Sendable {
  case name(Name)
  case number(IntegerOperand)

  /// Where it stands.
  public var range: SourceRange {
    switch self {
    case .name(let name): name.range
    case .number(let number): number.range
    }
  }
}

/// `copy`. Source: shell.md 6.
public enum CopyStatement: Equatable, Sendable {
  /// `copy to PATH [new] [key SOURCE]`.
  case database(to: FilePath, new: Bool, key: FilePath?)
  /// `copy SOURCE [where RQL] into NAME [links] [policy]`.
  case objects(ObjectCopy)
}

/// `copy SOURCE into NAME`: objects go to another open database.
public struct ObjectCopy: Equatable, Sendable {
  /// What is copied.
  public var source: Source
  /// `where …`.
  public var condition: Condition?
  /// The name of the database.
  public var database: Name
  /// `links`: copies the objects linked to as well.
  public var links = false
  /// What happens to objects that exist.
  public var policy: PolicyOperand?

  /// Makes a `copy` without options.
  public init(source: Source, condition: Condition?, database: Name) {
    self.source = source
    self.condition = condition
    self.database = database
  }
}

/// `upgrade`.
public enum UpgradeStatement: Equatable, Sendable {
  /// `upgrade to PATH`.
  case file(FilePath)
  /// `upgrade in place`.
  case inPlace
}
