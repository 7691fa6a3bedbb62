import RealmObjects
import RealmStorage
import RealmValues

/// Finds objects by their primary key.
enum PrimaryKeyLookup {
  /// The object with a key of the type of the property; nil if there is none.
  static func find(
    _ key: QueryValue, _ property: Property, in objectClass: ObjectClass
  ) throws(QueryFailure) -> ObjectKey? {
    let condition = ValueCondition(.equal)
    return try reading { () throws(StorageError) in
      let cursor = try TableCursor(objectClass.table, columns: [property.position])
      while try cursor.next() {
        for row in 0..<cursor.count
        where condition.holds(QueryValue(try cursor.value(0, at: row)), key) {
          return cursor.key(at: row)
        }
      }
      return nil
    }
  }
}
