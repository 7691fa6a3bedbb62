/// `class NAME [embedded | asymmetric] { … }`. Source: shell.md 7.
public struct ClassStatement: Equatable, Sendable {
  /// The kinds of classes.
  public enum Kind: String, Sendable {
    case standalone, embedded, asymmetric
  }

  /// The class.
  public var name: Name
  /// `embedded`, `asymmetric` or neither.
  public var kind: Kind
  /// The properties, in the order written.
  public var properties: [PropertyDeclaration]
  /// From the opening to the closing brace.
  public var bodyRange: SourceRange

  /// Makes a `class`.
  public init(
    name: Name, kind: Kind, properties: [PropertyDeclaration], bodyRange: SourceRange
  ) {
    self.name = name
    self.kind = kind
    self.properties = properties
    self.bodyRange = bodyRange
  }
}

/// `name: type flags = default`.
public struct PropertyDeclaration: Equatable, Sendable {
  /// The property.
  public var name: Name
  /// Its type.
  public var type: TypeSyntax
  /// `primary`, `indexed`, `fulltext`, in the order written.
  public var flags: [PropertyFlag]
  /// The default: a literal, an array, an object, `uuid()`, `oid()`, `now()`, the name of an object
  /// or a variable.
  public var defaultValue: Expression?
  /// From the name to the last token.
  public var range: SourceRange

  /// Makes a declaration.
  public init(
    name: Name, type: TypeSyntax, flags: [PropertyFlag] = [], defaultValue: Expression? = nil,
    range: SourceRange
  ) {
    self.name = name
    self.type = type
    self.flags = flags
    self.defaultValue = defaultValue
    self.range = range
  }
}

/// The type of a property as it is declared: `string?[]`, `Dog`, `@links.Person.dogs`.
/// Source: shell.md 7.
public struct TypeSyntax: Equatable, Sendable {
  /// The word for a value that is no object.
  public enum Scalar: String, Sendable, CaseIterable {
    case bool, int, float, double, decimal128, string, data, date, objectId, uuid, mixed
  }

  /// What stands before the marks.
  public enum Base: Equatable, Sendable {
    /// `int` and its like; `decimal` reads as `decimal128`.
    case scalar(Scalar)
    /// A class: a link, or an embedded object.
    case object(className: Name)
    /// `@links.Class.property`: computed.
    case backlinks(className: Name, property: Name)
  }

  /// The marks of collections.
  public enum Collection: String, Sendable, CaseIterable {
    case list = "[]"
    case set = "<>"
    case dictionary = "{}"
  }

  /// What stands before the marks.
  public var base: Base
  /// Where `?` stands, nil if it is absent.
  public var optionalRange: SourceRange?
  /// `[]`, `<>`, `{}` or none.
  public var collection: Collection?
  /// The whole type.
  public var range: SourceRange

  /// Makes a type.
  public init(
    base: Base, optionalRange: SourceRange? = nil, collection: Collection? = nil,
    range: SourceRange
  ) {
    self.base = base
    self.optionalRange = optionalRange
    self.collection = collection
    self.range = range
  }

  /// `?` was written.
  public var isOptional: Bool { optionalRange != nil }
}

/// A word after the type of a property.
public struct PropertyFlag: Equatable, Sendable {
  /// The words.
  public enum Kind: String, Sendable, CaseIterable {
    case primary, indexed, fulltext
  }

  /// Which one.
  public var kind: Kind
  /// Where it stands.
  public var range: SourceRange

  /// Makes a flag.
  public init(_ kind: Kind, range: SourceRange) {
    self.kind = kind
    self.range = range
  }
}

/// `Class.property`.
public struct PropertyReference: Equatable, Sendable {
  /// The class.
  public var className: Name
  /// The property.
  public var property: Name

  /// Makes a reference.
  public init(className: Name, property: Name) {
    self.className = className
    self.property = property
  }

  /// Both with the dot between them.
  public var range: SourceRange { className.range.joined(with: property.range) }
}

/// `alter`. Source: shell.md 7.
public enum AlterStatement: Equatable, Sendable {
  /// `alter Class.property: type flags [using E]`.
  case property(
    PropertyReference, type: TypeSyntax, flags: [PropertyFlag], conversion: Expression?)
  /// `alter Class embedded`, `alter Class standalone`; `word` is where that word stands.
  case kind(className: Name, ClassStatement.Kind, word: SourceRange)
  /// `alter Class primary NAME`, `alter Class primary none` if nil; `range` is from `primary` on.
  case primaryKey(className: Name, property: Name?, range: SourceRange)
}

/// `rename`.
public enum RenameStatement: Equatable, Sendable {
  /// `rename class NAME to NAME`.
  case `class`(Name, to: Name)
  /// `rename Class.property to NAME`.
  case property(PropertyReference, to: Name)
}

/// `drop`.
public enum DropStatement: Equatable, Sendable {
  /// `drop class NAME [links]`: `links` also drops the properties that link to it.
  case `class`(Name, links: Bool)
  /// `drop Class.property`.
  case property(PropertyReference)
  /// `drop index Class.property`.
  case index(PropertyReference)
}
