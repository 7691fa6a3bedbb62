import RealmStorage
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

  /// Layouts of classes, and the schema they were compared with last.
  private var layouts: [TableKey: ClassLayout] = [:]
  private var schema: Schema?
  /// The layout asked for last, mostly the one asked for next.
  private var last: ClassLayout?

  /// Makes a writer; it may be kept over transactions.
  public init(_ realm: Realm) { self.realm = realm }

  /// The layout of a class; nil if there is no such table.
  func layout(_ table: TableKey) -> ClassLayout? {
    if schema !== realm.schema {
      schema = realm.schema
      last = nil
      for (key, layout) in layouts {
        guard let objectClass = realm.schema.objectClass(key), layout.fits(objectClass) else {
          layouts[key] = nil
          continue
        }
        layout.objectClass = objectClass
      }
    }
    if let last, last.table == table { return last }
    if let known = layouts[table] {
      last = known
      return known
    }
    guard let objectClass = realm.schema.objectClass(table) else { return nil }
    let layout = ClassLayout(objectClass)
    layouts[table] = layout
    return layout
  }

  private func layout(of objectClass: ObjectClass) throws(ObjectError) -> ClassLayout {
    guard let layout = layout(objectClass.table.key) else {
      throw ObjectError(.storage(.rejected(.noTable)), className: objectClass.name)
    }
    return layout
  }

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
    try plan(try layout(of: objectClass), values, .error)
  }

  /// Plans objects that are made, or updated if there is one with the primary key.
  ///
  /// - Throws: `ObjectError`; the place starts with `.value`; `missingPrimaryKey` without place if
  ///   the class has none.
  public func planUpsert(
    _ objectClass: ObjectClass, _ values: [InputValue], policy: UpdatePolicy
  ) throws(ObjectError) -> WritePlan {
    let layout = try layout(of: objectClass)
    guard layout.primaryKey != nil else { throw layout.error(.missingPrimaryKey) }
    return try plan(layout, values, policy)
  }

  private func plan(
    _ layout: ClassLayout, _ values: [InputValue], _ policy: UpdatePolicy
  ) throws(ObjectError) -> WritePlan {
    let plan = WritePlan(self)
    for (i, value) in values.enumerated() {
      do throws(ObjectError) {
        try plan.addSubject(layout, value, policy)
      } catch {
        throw error.below(.value(i))
      }
    }
    return plan
  }

  /// Plans changes of one object, in their order.
  ///
  /// - Throws: `ObjectError`; the place starts with `.change`, then `.pathStep` or `.argument`.
  public func planSet(
    _ objectClass: ObjectClass, _ object: ObjectKey, _ changes: [PropertyChange]
  ) throws(ObjectError) -> WritePlan {
    let plan = WritePlan(self)
    try plan.setSubject(try layout(of: objectClass), object, changes)
    return plan
  }

  /// Starts the plan of a change of many objects, which are added with `WritePlan.set`.
  ///
  /// The realm is refreshed: values are read from its snapshot.
  public func planBulkSet(_ objectClass: ObjectClass) throws(ObjectError) -> WritePlan {
    do throws(StorageError) {
      try realm.refresh()
    } catch {
      throw ObjectError(.storage(error))
    }
    return WritePlan(self, bulkLayout: try layout(of: objectClass))
  }

  /// Plans the deletion of objects; one that is named twice is deleted once.
  ///
  /// - Throws: `invalidatedObject`; the place is `.value` with the position in `objects`.
  public func planDelete(
    _ objectClass: ObjectClass, _ objects: [ObjectKey]
  ) throws(ObjectError) -> WritePlan {
    let plan = WritePlan(self)
    let layout = try layout(of: objectClass)
    let missing = try plan.read { () throws(StorageError) in
      try plan.transaction.firstMissing(layout.table, among: objects)
    }
    if let missing { throw layout.error(.invalidatedObject).below(.value(missing)) }
    plan.deletions.append((layout, BulkColumns.ordered(objects)))
    plan.mayDeleteEmbedded = true
    return plan
  }

  /// Plans the deletion of all objects of all classes.
  public func planDeleteEverything() -> WritePlan {
    let plan = WritePlan(self)
    plan.clearedClasses = realm.schema.classes.compactMap { layout($0.table.key) }
    return plan
  }
}
