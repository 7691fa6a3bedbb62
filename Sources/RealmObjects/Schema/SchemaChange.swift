public import RealmStorage

/// One difference between classes as they are and as they shall be.
///
/// Source: object-model.md 2.7.
public struct SchemaChange: Equatable, Sendable {
  /// What has to be done.
  public enum Kind: Equatable, Sendable {
    case addClass
    /// The properties of a new class.
    case addInitialProperties([PropertyDefinition])
    case changeClassKind(from: StoredTable.Kind, to: StoredTable.Kind)
    case addProperty(PropertyDefinition)
    case removeProperty(PropertyDefinition)
    /// Type, kind of collection or class of links differ.
    case changeType(from: PropertyDefinition, to: PropertyDefinition)
    case makeNullable(from: PropertyDefinition, to: PropertyDefinition)
    case makeRequired(from: PropertyDefinition, to: PropertyDefinition)
    case addIndex(PropertyIndex)
    case removeIndex(PropertyIndex)
    /// Names of the properties; nil for none.
    case changePrimaryKey(from: String?, to: String?)
  }

  /// The class.
  public var className: String
  /// The property; nil if the class as a whole is meant.
  public var property: String?
  /// What has to be done.
  public var kind: Kind

  /// Describes a change.
  public init(_ kind: Kind, _ className: String, _ property: String? = nil) {
    self.kind = kind
    self.className = className
    self.property = property
  }

  /// Whether SDKs make the change without a new schema version.
  ///
  /// Source: object-model.md 1.5.
  public var isFree: Bool {
    switch kind {
    case .addClass, .addInitialProperties, .addIndex, .removeIndex: true
    default: false
    }
  }

  /// Whether a file can be read as asked for without the change.
  public var isReadable: Bool {
    switch kind {
    case .removeProperty, .changeClassKind: true
    default: isFree
    }
  }

  /// Whether the change keeps every value as it is.
  public var keepsValues: Bool {
    switch kind {
    case .addProperty, .makeNullable: true
    default: isFree
    }
  }

  /// What has to be done to make asked classes of those in a file, in the order of realm-core.
  ///
  /// Classes that are not asked for stay, and the order of properties does not matter.
  public static func list(
    from file: [ClassDefinition], to asked: [ClassDefinition]
  ) -> [SchemaChange] {
    let existing = Dictionary(file.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let sorted = asked.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    var changes: [SchemaChange] = []
    for new in sorted where existing[new.name] == nil {
      changes.append(SchemaChange(.addClass, new.name))
    }
    for new in sorted {
      if let old = existing[new.name] { changes += list(from: old, to: new) }
    }
    for new in sorted where existing[new.name] == nil {
      changes.append(SchemaChange(.addInitialProperties(new.properties), new.name))
    }
    for new in sorted {
      guard let old = existing[new.name], old.kind != new.kind else { continue }
      changes.append(SchemaChange(.changeClassKind(from: old.kind, to: new.kind), new.name))
    }
    return changes
  }

  private static func list(from old: ClassDefinition, to new: ClassDefinition) -> [SchemaChange] {
    var changes: [SchemaChange] = []
    for property in old.properties {
      guard let asked = new.property(named: property.name) else {
        changes.append(SchemaChange(.removeProperty(property), old.name, property.name))
        continue
      }
      changes += list(from: property, to: asked).map {
        SchemaChange($0, old.name, property.name)
      }
    }
    for property in new.properties where old.property(named: property.name) == nil {
      changes.append(SchemaChange(.addProperty(property), old.name, property.name))
    }
    let (from, to) = (old.primaryKey?.name, new.primaryKey?.name)
    if from != to {
      changes.append(SchemaChange(.changePrimaryKey(from: from, to: to), old.name, to ?? from))
    }
    return changes
  }

  private static func list(from old: PropertyDefinition, to new: PropertyDefinition) -> [Kind] {
    guard
      (old.type.kind, old.type.collection, old.type.target)
        == (new.type.kind, new.type.collection, new.type.target)
    else { return [.changeType(from: old, to: new)] }
    var changes: [Kind] = []
    if old.type.isNullable != new.type.isNullable {
      changes.append(
        new.type.isNullable
          ? .makeNullable(from: old, to: new) : .makeRequired(from: old, to: new))
    }
    if old.index != new.index {
      if let index = old.index { changes.append(.removeIndex(index)) }
      if let index = new.index { changes.append(.addIndex(index)) }
    }
    return changes
  }
}
