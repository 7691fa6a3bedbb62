public import RealmStorage
import RealmValues

/// A name under which objects of a class are seen with properties of other names.
public protocol ClassView: AnyObject, Sendable {
  /// The name that objects go by.
  var name: String { get }
}

/// A class of a database as the SDKs see it, or a table that belongs to no class.
public final class ObjectClass {
  /// Who a table belongs to.
  public enum Origin: Sendable {
    /// A class of an SDK: the table name has the prefix `class_`.
    case sdk
    /// A table made with the bare library, shown under its own name.
    case library
    /// A table that Realm itself uses.
    case system
  }

  /// The name without the prefix.
  public let name: String
  /// Who the table belongs to.
  public let origin: Origin
  /// The table with the objects.
  public let table: StoredTable
  /// The persisted properties in stored order.
  public let properties: [Property]
  /// Links to this class: origin class, property and the hidden column with the links.
  public internal(set) var inverses: [Inverse] {
    get { viewed?.inverses ?? ownInverses }
    set { ownInverses = newValue }
  }
  private var ownInverses: [Inverse] = []
  /// The computed properties that were declared: the ways back with their names. One way can have
  /// several names.
  public internal(set) var computed: [Inverse] {
    get { viewed?.computed ?? ownComputed }
    set { ownComputed = newValue }
  }
  private var ownComputed: [Inverse] = []

  /// What keeps the version that the objects are of; nil if they are live.
  public let frozen: FrozenVersion?

  /// One way objects of a class are linked to.
  public struct Inverse {
    /// Class of the objects that link.
    public let originClass: String
    /// Property with the links.
    public let originProperty: String
    /// The hidden column.
    public let backlink: StoredBacklink
    /// The name of the computed property for it, the first of several; nil if none was declared.
    public internal(set) var name: String?
  }

  /// How the objects are seen; nil for as what they are. The properties are those of the class.
  public let view: (any ClassView)?
  private let viewed: ObjectClass?
  /// Who sees the class through the same view has the same object while somebody holds it.
  private var views: [ObjectIdentifier: WeakClass] = [:]

  private struct WeakClass {
    weak var value: ObjectClass?
  }

  private let positions: [String: Int]

  init(_ table: StoredTable, _ targets: [TableKey: String], _ frozen: FrozenVersion?) {
    (self.table, self.frozen, view, viewed) = (table, frozen, nil, nil)
    (name, origin) = ObjectClass.nameAndOrigin(ofTable: table.name)
    var properties: [Property] = []
    for (position, column) in table.columns.enumerated() {
      guard let kind = column.kind else { continue }
      properties.append(
        Property(
          name: column.name, position: position, kind: kind, collection: column.collection,
          isNullable: column.isNullable, isPrimaryKey: table.primaryKey == position,
          isIndexed: column.isMarkedIndexed && table.primaryKey != position,
          hasFullTextIndex: column.hasFullTextIndex, target: column.target,
          targetName: column.target.flatMap { targets[$0] }))
    }
    self.properties = properties
    positions = Dictionary(
      properties.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private init(_ base: ObjectClass, _ view: any ClassView) {
    (name, self.view, viewed) = (view.name, view, base)
    (origin, table, properties) = (base.origin, base.table, base.properties)
    (frozen, positions) = (base.frozen, base.positions)
  }

  /// The class without a view.
  public var base: ObjectClass { viewed ?? self }

  /// The class seen through a view; the class itself if there is none.
  public func seen(through view: (any ClassView)?) -> ObjectClass {
    guard let view else { return base }
    let base = base
    if let known = base.views[ObjectIdentifier(view)]?.value { return known }
    let made = ObjectClass(base, view)
    base.views[ObjectIdentifier(view)] = WeakClass(value: made)
    return made
  }

  /// Whether objects are owned by others.
  public var isEmbedded: Bool { table.kind == .embedded }
  /// The property with the primary key; nil if there is none.
  public var primaryKey: Property? { properties.first { $0.isPrimaryKey } }

  /// The property with a name; nil if there is none.
  public func property(named name: String) -> Property? { positions[name].map { properties[$0] } }

  /// The way back that a computed property stands for; nil if there is none with the name.
  public func inverse(named name: String) -> Inverse? { computed.first { $0.name == name } }

  /// Tables that Realm itself uses.
  ///
  /// Source: file-format.md 8.
  private static let systemTables: Set<String> = [
    "metadata", "pk", "!UPDATE_PROGRESS", "flx_subscription_sets", "flx_subscriptions",
    "flx_metadata", "flx_migration", "flx_pending_bootstrap", "flx_pending_bootstrap_progress",
    "flx_pending_bootstrap_changesets", "sync_internal_schemas", "client_reset_metadata",
    "schema_migration_metadata",
  ]

  static func nameAndOrigin(ofTable name: String) -> (String, Origin) {
    if let className = ClassTable.className(ofTable: name) { return (className, .sdk) }
    return (name, systemTables.contains(name) ? .system : .library)
  }
}
