/// `dump [schema | data] [CLASS, …] [to PATH]`. Source: shell.md 16.
public struct DumpStatement: Equatable, Sendable {
  /// What is printed.
  public enum Part: String, Sendable, CaseIterable {
    case schema, data
  }

  /// Only this part; nil for both.
  public var part: Part?
  /// The classes; empty means all.
  public var classes: [Name]
  /// The file; nil for where results go.
  public var path: FilePath?

  /// Makes a `dump`.
  public init(part: Part? = nil, classes: [Name] = [], path: FilePath? = nil) {
    self.part = part
    self.classes = classes
    self.path = path
  }
}
