/// Statements in braces, each on its line or separated by `;`. Source: shell.md 5 `block`.
///
/// All of them have been parsed, but only the first ones are kept: a dump is one block, whose syntax
/// tree would take many times the memory of its text. The others, and all from the first plain `add`
/// on, are parsed again when it is their turn.
public struct Block: Equatable, Sendable {
  /// At most so many statements are kept.
  static let keptCount = 4096

  /// From the opening to the closing brace.
  public let range: SourceRange
  private let kept: [Statement]
  /// Where the statement after those kept starts, nil if there is none.
  private let rest: Int?
  private let bytes: [UInt8]

  /// - Parameter rest: Where the statement after the `kept` ones starts, nil if there is none.
  init(kept: [Statement], rest: Int?, bytes: [UInt8], range: SourceRange) {
    self.kept = kept
    self.rest = rest
    self.bytes = bytes
    self.range = range
  }

  /// The statements, in order.
  public var statements: Statements {
    Statements(
      kept: kept[...], rest: rest.map { Parser(bytes: bytes, insideBlockAt: $0) })
  }

  /// The statements of a block one after the other.
  public struct Statements: Sequence, IteratorProtocol, PlainAddSource {
    fileprivate var kept: ArraySlice<Statement>
    fileprivate var rest: Parser?

    /// The next statement, nil at the end of the block.
    public mutating func next() -> Statement? {
      if let statement = kept.popFirst() { return statement }
      // The text has been parsed before, so there are no errors.
      return try? rest?.blockStatement()
    }

    /// Reads the next statement if it is a plain `add`; else nothing is read.
    public mutating func next(_ add: inout PlainAdd) -> Bool {
      guard kept.isEmpty else { return false }
      return (try? rest?.accept(&add)) ?? false
    }

    /// Goes back to the start of the plain `add` that was read last: `next` gives it as a statement.
    public mutating func goBack(to add: PlainAdd) { rest?.resume(at: add.range.start) }
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
