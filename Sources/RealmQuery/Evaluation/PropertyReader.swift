import RealmObjects
import RealmStorage
import RealmValues

/// Reads one column of objects given by key.
struct PropertyReader {
  /// The class of the objects.
  let objectClass: ObjectClass
  /// The position of the column.
  let position: Int
  private let reader: ObjectReader

  /// Reads the column at a position of the table of a class.
  init(_ objectClass: ObjectClass, position: Int) {
    self.objectClass = objectClass
    self.position = position
    reader = ObjectReader(objectClass.table, columns: [position])
  }

  /// The value of an object; nil if there is no such object, as in a damaged file.
  @inline(__always)
  func value(of key: ObjectKey) throws(QueryFailure) -> StoredValue? {
    do throws(StorageError) {
      guard try reader.move(to: key) else { return nil }
      return try reader.value(0)
    } catch { throw .storage(error) }
  }
}
