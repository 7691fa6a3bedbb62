public import RealmStorage
public import RealmValues

/// What a property holds.
///
/// Source: object-model.md 2.1, 2.2.
public struct PropertyType: Hashable, Sendable {
  /// Type of the values or elements; `link` for objects.
  public var kind: ValueKind
  /// Whether each object has one value or a collection.
  public var collection: StoredColumn.Collection
  /// Whether values or elements can be null.
  public var isNullable: Bool
  /// Name of the class of links; nil for everything else.
  public var target: String?

  /// Describes a type exactly; it need not be one that exists.
  public init(
    _ kind: ValueKind, _ collection: StoredColumn.Collection = .none, isNullable: Bool = false,
    target: String? = nil
  ) {
    self.kind = kind
    self.collection = collection
    self.isNullable = isNullable
    self.target = target
  }

  /// The type of the notation of schemas: mixed values, single links and dictionaries of links can
  /// be null without a mark.
  ///
  /// Source: shell.md 7.
  public static func written(
    _ kind: ValueKind, _ collection: StoredColumn.Collection = .none, isMarked: Bool = false,
    target: String? = nil
  ) -> PropertyType {
    var type = PropertyType(kind, collection, isNullable: isMarked, target: target)
    if type.mustBeNullable { type.isNullable = true }
    return type
  }

  /// Whether every property of the type can be null.
  var mustBeNullable: Bool {
    switch kind {
    case .mixed: true
    case .link: collection == .none || collection == .dictionary
    default: false
    }
  }
}

/// The indexes a property can have.
public enum PropertyIndex: Sendable {
  /// For equality.
  case general
  /// For words of texts.
  case fullText
}

/// A persisted property as it is, or as it shall be.
public struct PropertyDefinition: Hashable, Sendable {
  /// The name; at most 63 bytes.
  public var name: String
  /// What it holds.
  public var type: PropertyType
  /// Whether it is the primary key of its class.
  public var isPrimaryKey: Bool
  /// Whether it has a general index; a primary key has one in any case.
  public var isIndexed: Bool
  /// Whether it has a full-text index.
  public var isFullText: Bool

  /// Describes a property.
  public init(
    _ name: String, _ type: PropertyType, isPrimaryKey: Bool = false, isIndexed: Bool = false,
    isFullText: Bool = false
  ) {
    self.name = name
    self.type = type
    self.isPrimaryKey = isPrimaryKey
    self.isIndexed = isIndexed
    self.isFullText = isFullText
  }

  /// Describes a property of a file.
  public init(_ property: Property) {
    self.init(
      property.name,
      .written(
        property.kind, property.collection, isMarked: property.isNullable,
        target: property.targetName),
      isPrimaryKey: property.isPrimaryKey, isIndexed: property.isIndexed,
      isFullText: property.hasFullTextIndex)
  }

  /// The index that was asked for; a primary key needs none of its own.
  var index: PropertyIndex? {
    if isFullText { return .fullText }
    return isIndexed && !isPrimaryKey ? .general : nil
  }
}

/// A computed property: the objects that link to an object through one property.
///
/// Files do not store it.
public struct InverseDefinition: Hashable, Sendable {
  /// The name.
  public var name: String
  /// Class of the objects that link.
  public var originClass: String
  /// Property with the links.
  public var originProperty: String

  /// Describes a computed property.
  public init(_ name: String, originClass: String, originProperty: String) {
    self.name = name
    self.originClass = originClass
    self.originProperty = originProperty
  }
}

/// A class as it is, or as it shall be.
public struct ClassDefinition {
  /// The name; at most 57 bytes.
  public var name: String
  /// Whether objects stand for themselves or are embedded.
  public var kind: StoredTable.Kind
  /// The persisted properties in their order.
  public var properties: [PropertyDefinition]
  /// The computed properties.
  public var inverses: [InverseDefinition]
  /// What properties of existing objects get when they are added, by name.
  public var defaults: [String: InputValue]

  /// Describes a class.
  public init(
    _ name: String, kind: StoredTable.Kind = .topLevel, _ properties: [PropertyDefinition],
    inverses: [InverseDefinition] = [], defaults: [String: InputValue] = [:]
  ) {
    self.name = name
    self.kind = kind
    self.properties = properties
    self.inverses = inverses
    self.defaults = defaults
  }

  /// Describes a class of a file.
  public init(_ objectClass: ObjectClass) {
    self.init(
      objectClass.name, kind: objectClass.table.kind,
      objectClass.properties.map { PropertyDefinition($0) })
  }

  /// The property with a name; nil if there is none.
  public func property(named name: String) -> PropertyDefinition? {
    properties.first { $0.name == name }
  }

  /// The property with the primary key; nil if there is none.
  public var primaryKey: PropertyDefinition? { properties.first { $0.isPrimaryKey } }
}
