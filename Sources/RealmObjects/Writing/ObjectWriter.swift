public import RealmStorage
public import RealmValues

/// Changes objects in the write transaction of a realm.
///
/// Work has two phases. Planning checks a whole statement and changes nothing; applying the plan
/// makes the changes, and fails only if the file does. A plan is to be applied before anything else
/// changes. The schema of the realm must be that of the transaction: `refresh` after it has changed.
///
/// Source: object-model.md 4, shell.md 9.
public final class ObjectWriter {
  /// The realm whose transaction is written to.
  public let realm: Realm
  /// The default of a property of a new object, asked for each object; nil if it has none.
  public var defaults: (ObjectClass, Property) -> InputValue? = { _, _ in nil }

  /// Makes a writer; it may be kept over transactions.
  public init(_ realm: Realm) { self.realm = realm }

  /// Plans new objects, one for each value.
  ///
  /// A map gives properties by name, an array in schema order; both nest. An object as value is
  /// copied.
  ///
  /// - Throws: `ObjectError`; the place starts with `.value`.
  /// - Precondition: a write transaction is open, here and in the other plans.
  public func planAdd(
    _ objectClass: ObjectClass, _ values: [InputValue]
  ) throws(ObjectError) -> WritePlan {
    fatalError()
  }

  /// Plans objects that are made, or updated if there is one with the primary key.
  ///
  /// - Throws: `ObjectError`; the place starts with `.value`; `missingPrimaryKey` without place if
  ///   the class has none.
  public func planUpsert(
    _ objectClass: ObjectClass, _ values: [InputValue], policy: UpdatePolicy
  ) throws(ObjectError) -> WritePlan {
    fatalError()
  }

  /// Plans changes of one object, in their order.
  ///
  /// - Throws: `ObjectError`; the place starts with `.change`, then `.pathStep` or `.argument`.
  public func planSet(
    _ objectClass: ObjectClass, _ object: ObjectKey, _ changes: [PropertyChange]
  ) throws(ObjectError) -> WritePlan {
    fatalError()
  }

  /// Starts the plan of a change of many objects, which are added with `WritePlan.set`.
  public func planBulkSet(_ objectClass: ObjectClass) -> WritePlan {
    fatalError()
  }

  /// Plans the deletion of objects; one that is named twice is deleted once.
  ///
  /// - Throws: `invalidatedObject`; the place is `.value` with the position in `objects`.
  public func planDelete(
    _ objectClass: ObjectClass, _ objects: [ObjectKey]
  ) throws(ObjectError) -> WritePlan {
    fatalError()
  }

  /// Plans the deletion of all objects of all classes.
  public func planDeleteEverything() -> WritePlan {
    fatalError()
  }

  /// Makes the changes of a plan.
  ///
  /// - Throws: `StorageError`; the transaction must be cancelled then.
  public func apply(_ plan: WritePlan) throws(StorageError) -> WriteOutcome {
    fatalError()
  }
}
