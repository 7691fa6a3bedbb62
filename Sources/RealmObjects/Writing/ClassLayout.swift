import RealmStorage
import RealmValues

/// What a writer has to know of a class, found out once.
final class ClassLayout {
  /// The class in the schema in use.
  var objectClass: ObjectClass
  let table: TableKey
  /// Index of the primary key among the properties.
  let primaryKey: Int?
  let properties: [Property]
  /// The column of each property.
  let columns: [ColumnKey]

  init(_ objectClass: ObjectClass) {
    self.objectClass = objectClass
    table = objectClass.table.key
    properties = objectClass.properties
    primaryKey = properties.firstIndex { $0.isPrimaryKey }
    let stored = objectClass.table.columns
    columns = properties.map { stored[$0.position].key }
  }

  var name: String { objectClass.name }
  var isEmbedded: Bool { objectClass.isEmbedded }

  /// Index of a property; nil if there is none.
  func index(of name: String) -> Int? { properties.firstIndex { $0.name == name } }

  /// Whether the layout is that of a class of another version of the schema.
  func fits(_ other: ObjectClass) -> Bool {
    if other === objectClass { return true }
    guard other.name == name, other.isEmbedded == isEmbedded,
      other.properties.count == properties.count
    else { return false }
    let stored = other.table.columns
    return other.properties.indices.allSatisfy {
      other.properties[$0].name == properties[$0].name
        && stored[other.properties[$0].position].key == columns[$0]
        && other.properties[$0].isPrimaryKey == properties[$0].isPrimaryKey
    }
  }

  /// An error about a property.
  func error(_ kind: ObjectError.Kind, _ property: Int? = nil) -> ObjectError {
    ObjectError(kind, className: name, property: property.map { properties[$0].name } ?? "")
  }
}
