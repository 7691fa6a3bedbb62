/// `diff`. Source: shell.md 6.
public struct DiffStatement: Equatable, Sendable {
  /// What the current database is compared with.
  public enum Target: Equatable, Sendable {
    /// A file, or the open database that has the word for its name.
    case file(FilePath)
    /// An open database, its name in back quotes.
    case database(Name)
    /// `snapshot previous`, `snapshot N`.
    case snapshot(OpenStatement.Snapshot, range: SourceRange)
  }

  /// What is compared.
  public enum Scope: String, Sendable {
    case all, schema, data
  }

  /// What the current database is compared with.
  public var target: Target
  /// `key SOURCE`.
  public var key: FilePath?
  /// What is compared.
  public var scope: Scope
  /// The classes; empty means all.
  public var classes: [Name]

  /// Makes a `diff` of everything.
  public init(target: Target) {
    self.target = target
    scope = .all
    classes = []
  }
}

/// `recover PATH [key SOURCE] to PATH`. Source: shell.md 6.
public struct RecoverStatement: Equatable, Sendable {
  /// The damaged file.
  public var file: FilePath
  /// `key SOURCE`.
  public var key: FilePath?
  /// The new file.
  public var target: FilePath

  /// Makes a `recover`.
  public init(file: FilePath, key: FilePath?, target: FilePath) {
    (self.file, self.key, self.target) = (file, key, target)
  }
}
