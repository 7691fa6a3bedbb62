/// One thing that is wrong with asked classes.
///
/// Source: object-model.md 2.5, 2.6.
public struct SchemaViolation: Equatable, Sendable {
  /// What is wrong.
  public enum Kind: Equatable, Sendable {
    /// Two classes have the name.
    case duplicateClass
    /// Two properties of the class have the name.
    case duplicateProperty
    /// The name is empty.
    case emptyName
    /// The name has more bytes than files can hold.
    case nameTooLong(byteCount: Int, limit: Int)
    /// An embedded class has the property as primary key.
    case primaryKeyOfEmbedded
    /// Asymmetric classes exist in synchronised files only.
    case asymmetric
    /// Elements of lists and sets of objects are never null.
    case cannotBeNullable
    /// Mixed values, single links and values of dictionaries of objects can always be null.
    case mustBeNullable
    /// The type cannot be that of a primary key.
    case primaryKeyType
    /// The class has another primary key, the property of this name.
    case secondPrimaryKey(String)
    /// The type cannot have an index.
    case notIndexable
    /// The type cannot have a full-text index.
    case notFullTextIndexable
    /// A property can have one index; a primary key has a general one.
    case secondIndex
    /// A class is named although the type is not that of links.
    case targetOfValue(String)
    /// There is no class of this name.
    case unknownTarget(String)
    /// Objects of an embedded class, here this one, are never in sets.
    case setOfEmbedded(String)
    /// Nothing can link to an asymmetric class, here this one.
    case linkToAsymmetric(String)
    /// The origin of the computed property does not exist.
    case noOrigin(originClass: String, property: String)
    /// The origin of the computed property is not a link.
    case originIsNoLink(originClass: String, property: String)
    /// The origin of the computed property links to this class.
    case originLinksTo(String, originClass: String, property: String)
    /// Objects of the embedded class would have to contain themselves, along these properties.
    case embeddedCycle(path: [String])
  }

  /// The class.
  public var className: String
  /// The property; nil if the class as a whole is meant.
  public var property: String?
  /// What is wrong.
  public var kind: Kind

  /// Describes a violation.
  public init(_ kind: Kind, _ className: String, _ property: String? = nil) {
    self.kind = kind
    self.className = className
    self.property = property
  }

  /// Whether only a name is wrong.
  public var isName: Bool {
    switch kind {
    case .emptyName, .nameTooLong: true
    default: false
    }
  }

  /// Whether the declaration of one more class may mend it.
  ///
  /// - Parameter awaited: Classes that have tables, but no properties yet.
  func isForwardReference(awaiting awaited: Set<String>) -> Bool {
    switch kind {
    case .unknownTarget: true
    case .noOrigin(let originClass, _): awaited.contains(originClass)
    default: false
    }
  }
}
