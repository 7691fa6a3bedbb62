public import RealmStorage
public import RealmValues

extension ObjectClass {
  /// What tells an object from others of its class.
  public enum Identity {
    /// The value of the primary key.
    case primaryKey(ScalarValue)
    /// The object key, in a class without primary key.
    case objectKey(ObjectKey)
  }

  /// The identity of an object, as its name shows it.
  ///
  /// An object that does not exist (in a damaged file) is named by its key.
  public func identity(of key: ObjectKey) throws(StorageError) -> Identity {
    guard let primaryKey, let row = try table.row(of: key),
      let value = try table.value(of: primaryKey.position, in: row).scalar
    else { return .objectKey(key) }
    return .primaryKey(value)
  }
}
