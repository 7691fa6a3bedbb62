import RealmStorage
import RealmValues

extension SchemaEditor {
  // MARK: Names

  /// Gives a class another name.
  ///
  /// - Throws: `noClass`, `nameTaken`; `invalid` for a name that is empty or too long.
  public func renameClass(_ name: String, to new: String) throws(SchemaError) {
    let transaction = try begin()
    let objectClass = try objectClass(name)
    guard name != new else { return }
    let prefix = objectClass.origin == .sdk ? ClassTable.prefix : ""
    let isTaken = realm.schema.all.contains {
      ($0.name == new && $0.origin != .system) || $0.table.name == prefix + new
    }
    if isTaken { throw .nameTaken(new) }
    if let violation = SchemaValidator.violation(ofClassName: new) { throw .invalid([violation]) }
    try change { () throws(StorageError) in
      try transaction.renameTable(objectClass.table.key, to: prefix + new)
    }
    if undeclared.remove(name) != nil { undeclared.insert(new) }
    if let own = inverses.removeValue(forKey: name) { inverses[new] = own }
    inverses = inverses.mapValues { list in
      list.map { inverse in
        var renamed = inverse
        if inverse.originClass == name { renamed.originClass = new }
        return renamed
      }
    }
  }

  /// Gives a property another name.
  ///
  /// - Throws: `noClass`, `noProperty`, `nameTaken`; `invalid` for a name that is empty or too long.
  public func renameProperty(
    _ name: String, of className: String, to new: String
  ) throws(SchemaError) {
    let transaction = try begin()
    let objectClass = try objectClass(className)
    let property = try property(name, of: objectClass)
    guard name != new else { return }
    let isInverse = inverses[className]?.contains { $0.name == new } ?? false
    if objectClass.property(named: new) != nil || isInverse { throw .nameTaken(new) }
    if let violation = SchemaValidator.violation(ofPropertyName: new, in: className) {
      throw .invalid([violation])
    }
    let column = objectClass.table.columns[property.position].key
    try change { () throws(StorageError) in
      try transaction.renameColumn(objectClass.table.key, column, to: new)
    }
    inverses = inverses.mapValues { list in
      list.map { inverse in
        var renamed = inverse
        if inverse.originClass == className, inverse.originProperty == name {
          renamed.originProperty = new
        }
        return renamed
      }
    }
  }

  // MARK: Dropping

  /// Drops a class with its objects. Links to them in mixed values become null.
  ///
  /// - Parameter dropsLinks: Whether properties of other classes that link to it go as well.
  /// - Throws: `noClass`; `inUse` if there are such properties and they are to stay.
  @discardableResult
  public func dropClass(
    _ name: String, droppingLinks dropsLinks: Bool = false
  ) throws(SchemaError) -> DropOutcome {
    let transaction = try begin()
    let objectClass = try objectClass(name)
    let key = objectClass.table.key
    var places: [SchemaError.Place] = []
    var columns: [(table: TableKey, column: ColumnKey)] = []
    for other in realm.schema.all where other.table.key != key {
      for property in other.properties where property.target == key {
        places.append(SchemaError.Place(other.name, property.name))
        columns.append((other.table.key, other.table.columns[property.position].key))
      }
    }
    guard places.isEmpty || dropsLinks else { throw .inUse(name, by: places) }
    let count = try objectCount(objectClass)
    try change { () throws(StorageError) in
      for (table, column) in columns { try transaction.removeColumn(table, column) }
      try transaction.removeTable(key)
    }
    undeclared.remove(name)
    inverses[name] = nil
    inverses = inverses.mapValues { list in list.filter { $0.originClass != name } }
    return DropOutcome(objectCount: count, links: places)
  }

  /// Drops a property with its values and the embedded objects in it.
  ///
  /// - Returns: the property.
  /// - Throws: `noClass`, `noProperty`.
  @discardableResult
  public func dropProperty(
    _ name: String, of className: String
  ) throws(SchemaError) -> PropertyDefinition {
    let transaction = try begin()
    let objectClass = try objectClass(className)
    let property = try property(name, of: objectClass)
    let column = objectClass.table.columns[property.position].key
    try change { () throws(StorageError) in
      try transaction.removeColumn(objectClass.table.key, column)
    }
    inverses = inverses.mapValues { list in
      list.filter { $0.originClass != className || $0.originProperty != name }
    }
    return PropertyDefinition(property)
  }

  /// Drops the index of a property.
  ///
  /// - Returns: the property as it was.
  /// - Throws: `noClass`, `noProperty`; `noIndex`, also for the index that a primary key needs.
  @discardableResult
  public func dropIndex(
    of name: String, in className: String
  ) throws(SchemaError) -> PropertyDefinition {
    let transaction = try begin()
    let objectClass = try objectClass(className)
    let property = try property(name, of: objectClass)
    guard property.isIndexed || property.hasFullTextIndex else {
      throw .noIndex(
        SchemaError.Place(className, name), isPrimaryKey: property.isPrimaryKey)
    }
    let column = objectClass.table.columns[property.position].key
    try change { () throws(StorageError) in
      try transaction.removeIndex(objectClass.table.key, column)
    }
    return PropertyDefinition(property)
  }
}
