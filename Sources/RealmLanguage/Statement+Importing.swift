/// `import`.
public struct ImportStatement: Equatable, Sendable {
  /// The class of the objects.
  public var className: Name
  /// The file; `-` is standard input.
  public var path: FilePath
  /// `format F`; nil: by the ending of the file name.
  public var format: ImportFormat?
  /// `header on` or `header off`, with the place of the word behind `header`; nil is `on`.
  public var header: HeaderOperand?
  /// `separator TEXT`: the sign between the columns of csv.
  public var separator: Name?
  /// `map (...)`.
  public var mappings: [ImportMapping] = []
  /// `null TEXT`: another text for null.
  public var nullText: Name?
  /// `upsert`: the place of the word.
  public var upsert: SourceRange?
  /// `policy P` behind `upsert`; nil is `modified`.
  public var policy: PolicyOperand?
  /// `batch N`: rows of a transaction.
  public var batch: IntegerOperand?
  /// `skip N`: lines that are passed over.
  public var skip: IntegerOperand?
  /// `rejects PATH`: where bad lines go.
  public var rejects: FilePath?
  /// `dry`: the place of the word.
  public var dry: SourceRange?

  /// Makes an `import` without options.
  public init(className: Name, path: FilePath) {
    self.className = className
    self.path = path
  }
}

/// The forms objects can be imported from.
public enum ImportFormat: String, Sendable, CaseIterable {
  case csv, tsv, json, jsonl
}

/// Whether the first line of a file names the columns.
public struct HeaderOperand: Equatable, Sendable {
  /// Whether it does.
  public var isOn: Bool
  /// Where the word stands.
  public var range: SourceRange

  /// Makes an operand.
  public init(isOn: Bool, range: SourceRange) {
    self.isOn = isOn
    self.range = range
  }
}

/// `src -> path`, `3 -> path` or `src -> none`.
public struct ImportMapping: Equatable, Sendable {
  /// What is mapped.
  public enum Source: Equatable, Sendable {
    /// A column or field by its name.
    case name(Name)
    /// A column by its number, from 1.
    case position(IntegerOperand)
  }

  /// What is mapped.
  public var source: Source
  /// The property, behind the properties with the embedded objects that it is in; empty for `none`:
  /// what is mapped is left out.
  public var path: [Name]

  /// Makes a mapping.
  public init(source: Source, path: [Name]) {
    self.source = source
    self.path = path
  }
}
