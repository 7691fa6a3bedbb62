/// A thread with a name and how work is given to it. Source: shell.md 13.
public struct ThreadOperand: Equatable, Sendable {
  /// The thread.
  public var name: Name
  /// `async`: the work is not waited for.
  public var isAsync = false
  /// `with $x, …`: what goes across under the same name; the names are without the dollar sign.
  public var variables: [Name] = []

  /// Makes a thread that is waited for.
  public init(name: Name) { self.name = name }
}

/// `on` as a statement.
public enum OnStatement: Equatable, Sendable {
  /// `on`: lists the threads.
  case list
  /// `on NAME [async] [with …] [{ … }]`; without a block the thread becomes that of the prompt.
  case thread(ThreadOperand, Block?)
}

/// `observe WHAT OPTION …`. Source: shell.md 12.
public struct ObserveStatement: Equatable, Sendable {
  /// What is watched.
  public enum Subject: Equatable, Sendable {
    /// `realm`; the range is that of the word.
    case realm(SourceRange)
    /// One object: `Dog 1`, `Dog(1)`, `Dog#12`.
    case object(ObjectName)
    /// A class or projection, or a path with or without condition; whether a path that starts at a
    /// variable is an object, a collection or a result shows when it runs.
    case source(Source, Condition?)
    /// `sections SOURCE by E [where RQL]`.
    case sections(SectionsStatement)
  }

  /// What a diff tells about values.
  public enum Values: String, Sendable, CaseIterable {
    case none, changes, full
  }

  /// The form of diffs.
  public enum Form: String, Sendable, CaseIterable {
    case human, json
  }

  /// What is watched.
  public var subject: Subject
  /// From the first to the last word of what is watched: how the statement spells it.
  public var subjectRange: SourceRange
  /// `as NAME`.
  public var name: Name?
  /// `keys (PATH, …)`; nil if not written.
  public var keyPaths: [KeyPathOperand]?
  /// `values V`; nil if not written.
  public var values: Values?
  /// `show …`: the columns of inserted objects; empty means the stored properties.
  public var columns: [Column] = []
  /// `mode F`; nil if not written.
  public var form: Form?
  /// `to PATH`: diffs are appended to a file.
  public var file: FilePath?

  /// Makes an `observe` without options.
  public init(subject: Subject, subjectRange: SourceRange) {
    self.subject = subject
    self.subjectRange = subjectRange
  }
}

/// Which changes count: `age`, `owner.name`, `*`, `dogs.*`. Source: object-model.md 6.10.
public struct KeyPathOperand: Equatable, Sendable {
  /// One step.
  public enum Step: Equatable, Sendable {
    /// A property.
    case property(Name)
    /// `*`: every property.
    case any(SourceRange)
    /// `@links.CLASS.PROPERTY`.
    case backlinks(className: Name, property: Name)
  }

  /// The steps, at least one.
  public var steps: [Step]
  /// The whole path.
  public var range: SourceRange

  /// Makes a path.
  public init(steps: [Step], range: SourceRange) {
    self.steps = steps
    self.range = range
  }
}

/// `unobserve`.
public enum UnobserveStatement: Equatable, Sendable {
  case observer(ObserverOperand)
  case all
}

/// `wait …`. Source: shell.md 12.
public struct WaitStatement: Equatable, Sendable {
  /// What is waited for.
  public enum Event: Equatable, Sendable {
    /// Nothing: until interrupted.
    case interruption
    /// A time.
    case time(DurationOperand)
    /// `for NAME [N changes]`: diffs of an observer, one if no number was written, or the end of the
    /// asynchronous work of a thread.
    case work(of: ObserverOperand, count: IntegerOperand?)
  }

  /// What is waited for.
  public var event: Event
  /// `timeout DURATION`.
  public var timeout: DurationOperand?

  /// Makes a `wait`.
  public init(event: Event, timeout: DurationOperand? = nil) {
    self.event = event
    self.timeout = timeout
  }
}
