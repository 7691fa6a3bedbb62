import RealmStorage
import RealmValues

/// What changes of classes need to know about the objects.
extension SchemaEditor {
  /// The keys of all objects in ascending order.
  func objects(of objectClass: ObjectClass) throws(SchemaError) -> [ObjectKey] {
    try storage { () throws(StorageError) in
      var keys: [ObjectKey] = []
      keys.reserveCapacity(try objectClass.table.objectCount())
      let cursor = try TableCursor(objectClass.table, columns: [])
      while try cursor.next() {
        for row in 0..<cursor.count { keys.append(cursor.key(at: row)) }
      }
      return keys
    }
  }

  private func forEachValue(
    _ property: Property, of objectClass: ObjectClass,
    _ body: (ObjectKey, StoredValue) throws(StorageError) -> Void
  ) throws(SchemaError) {
    try storage { () throws(StorageError) in
      let cursor = try TableCursor(objectClass.table, columns: [property.position])
      while try cursor.next() {
        for row in 0..<cursor.count {
          try body(cursor.key(at: row), try cursor.value(0, at: row))
        }
      }
    }
  }

  /// Number of objects whose value, or an element of it, is null.
  func nullCount(
    _ property: Property, of objectClass: ObjectClass
  ) throws(SchemaError) -> Int {
    var count = 0
    try forEachValue(property, of: objectClass) { (_, value) throws(StorageError) in
      let hasNull =
        switch value {
        case .null: true
        case .list(let list): try list.values().contains { $0.isNull }
        case .dictionary(let dictionary): try dictionary.entries().contains { $0.value.isNull }
        default: false
        }
      if hasNull { count += 1 }
    }
    return count
  }

  /// Checks that no two objects have the same value.
  ///
  /// - Throws: `duplicatePrimaryKey`.
  func checkUnique(_ property: Property, of objectClass: ObjectClass) throws(SchemaError) {
    var seen: [ScalarValue: ObjectKey] = [:]
    var duplicate: (value: ScalarValue, first: ObjectKey, second: ObjectKey)?
    try forEachValue(property, of: objectClass) { (key, value) throws(StorageError) in
      guard duplicate == nil, let scalar = value.scalar else { return }
      if let first = seen.updateValue(key, forKey: scalar) { duplicate = (scalar, first, key) }
    }
    guard let duplicate else { return }
    throw .duplicatePrimaryKey(
      SchemaError.Place(objectClass.name, property.name), duplicate.value,
      first: duplicate.first, second: duplicate.second)
  }

  /// Checks that each object of a class has exactly one owner.
  ///
  /// - Throws: `notEmbeddable`.
  ///
  /// Source: object-model.md 8.7.
  func checkEmbeddable(_ objectClass: ObjectClass) throws(SchemaError) {
    let obstacles = try obstacles(to: objectClass)
    guard obstacles.isEmpty else { throw .notEmbeddable(objectClass.name, obstacles) }
  }

  /// What keeps the objects of a class from being embedded.
  func obstacles(to objectClass: ObjectClass) throws(SchemaError) -> SchemaError.Obstacles {
    var obstacles = SchemaError.Obstacles()
    obstacles.primaryKey = objectClass.primaryKey?.name
    let table = objectClass.table
    try storage { () throws(StorageError) in
      let cursor = try TableCursor(table, columns: [])
      while try cursor.next() {
        for row in 0..<cursor.count {
          let stored = cursor.storedRow(at: row)
          var (owners, isInMixed) = (0, false)
          for inverse in objectClass.inverses {
            let count = try table.backlinkCount(inverse.backlink, to: stored)
            let isMixed =
              inverse.backlink.originColumn.typeNumber == Int(ValueKind.mixed.rawValue)
            if isMixed, count > 0 { isInMixed = true }
            if !isMixed { owners += count }
          }
          if owners == 0 { obstacles.orphans += 1 }
          if owners > 1 { obstacles.shared += 1 }
          if isInMixed { obstacles.inMixed += 1 }
          if owners != 1 || isInMixed { obstacles.first = obstacles.first ?? cursor.key(at: row) }
        }
      }
    }
    return obstacles
  }
}

extension StoredValue {
  fileprivate var isNull: Bool { if case .null = self { true } else { false } }
}
