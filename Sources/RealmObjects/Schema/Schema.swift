import RealmStorage
public import RealmValues

/// The classes of one version of a database.
public final class Schema {
  /// All classes and other tables, in the order of their names.
  public let all: [ObjectClass]
  /// The schema version of the SDKs; nil if the file has none.
  public let version: UInt64?

  private let byName: [String: ObjectClass]
  private let byKey: [TableKey: ObjectClass]

  /// The classes that a user sees: of SDKs, and tables made with the bare library.
  public var classes: [ObjectClass] { all.filter { $0.origin != .system } }

  /// - Parameter frozen: What keeps the version, if it is frozen.
  init(_ snapshot: Snapshot, frozen: FrozenVersion? = nil) throws(StorageError) {
    var names: [TableKey: String] = [:]
    for table in snapshot.tables {
      names[table.key] = ObjectClass.nameAndOrigin(ofTable: table.name).0
    }
    let classes = snapshot.tables.map { ObjectClass($0, names, frozen) }
    byKey = Dictionary(classes.map { ($0.table.key, $0) }, uniquingKeysWith: { first, _ in first })
    // A class wins over a table of the library that has its name.
    let ordered = classes.filter { $0.origin == .sdk } + classes.filter { $0.origin != .sdk }
    byName = Dictionary(ordered.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    all = classes
    version = try Schema.version(snapshot)
    for objectClass in classes { objectClass.inverses = inverses(of: objectClass) }
  }

  /// A schema without classes.
  public static var empty: Schema { Schema() }

  private init() { (all, version, byName, byKey) = ([], nil, [:], [:]) }

  /// The class with a name; nil if there is none. Names of system tables lead to them too.
  public func objectClass(named name: String) -> ObjectClass? { byName[name] }

  /// The class of a table; nil if there is none.
  public func objectClass(_ key: TableKey) -> ObjectClass? { byKey[key] }

  private func inverses(of objectClass: ObjectClass) -> [ObjectClass.Inverse] {
    objectClass.table.backlinks.compactMap { backlink in
      guard let origin = byKey[backlink.originTable] else { return nil }
      let columns = origin.table.columns
      let position =
        columns.firstIndex { $0.key == backlink.originColumn }
        ?? columns.firstIndex { $0.key.index == backlink.originColumn.index }
      guard let position else { return nil }
      return ObjectClass.Inverse(
        originClass: origin.name, originProperty: columns[position].name, backlink: backlink)
    }
  }

  /// Names the ways back that computed properties stand for, which files do not store.
  func setComputedProperties(_ properties: [String: [InverseDefinition]]) {
    for objectClass in all where !objectClass.inverses.isEmpty {
      let own = properties[objectClass.name] ?? []
      var computed: [ObjectClass.Inverse] = []
      for i in objectClass.inverses.indices {
        var inverse = objectClass.inverses[i]
        let names = own.filter {
          $0.originClass == inverse.originClass && $0.originProperty == inverse.originProperty
            && objectClass.property(named: $0.name) == nil
        }.map(\.name)
        objectClass.inverses[i].name = names.first
        for name in names {
          inverse.name = name
          computed.append(inverse)
        }
      }
      objectClass.computed = computed
    }
  }

  /// The schema version stands in the only object of the table `metadata`; all ones mean none.
  ///
  /// Source: file-format.md 8.
  private static func version(_ snapshot: Snapshot) throws(StorageError) -> UInt64? {
    guard let table = snapshot.table(named: "metadata"),
      let column = table.column(named: "version"),
      let row = try table.row(of: ObjectKey(0)),
      case .int(let value) = try table.value(of: column, in: row),
      value != -1
    else { return nil }
    return UInt64(bitPattern: value)
  }
}
