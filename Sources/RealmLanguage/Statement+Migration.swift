/// `migrate`. Source: shell.md 14.
public struct MigrateStatement: Equatable, Sendable {
  /// `dry`: prints what would be done.
  public var isDry: Bool
  /// The blocks, in the order written; one if the statement is `migrate to N`.
  public var steps: [Step]
  /// It is `migrate { version N … }`.
  public var hasVersions: Bool

  /// What leads to one schema version.
  public struct Step: Equatable, Sendable {
    /// The version.
    public var version: IntegerOperand
    /// What is done.
    public var block: Block
    /// The words that say which version it is: `version 2`, `migrate to 4`.
    public var range: SourceRange

    /// Makes a step.
    public init(version: IntegerOperand, block: Block, range: SourceRange) {
      self.version = version
      self.block = block
      self.range = range
    }
  }

  /// Makes a `migrate`.
  public init(isDry: Bool, steps: [Step], hasVersions: Bool) {
    self.isDry = isDry
    self.steps = steps
    self.hasVersions = hasVersions
  }
}
