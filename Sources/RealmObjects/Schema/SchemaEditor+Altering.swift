public import RealmStorage
public import RealmValues

/// A planned change of a property.
///
/// If it takes values, each object gets one with `supply`, in the order of `objects`; then `apply`
/// makes the change. Nothing else may be changed between.
public final class Alteration {
  /// The class.
  public let objectClass: ObjectClass
  /// The property before.
  public let old: PropertyDefinition
  /// The property afterwards.
  public let new: PropertyDefinition
  /// The objects that need a value, in the order of their keys; none if values are kept.
  public let objects: [ObjectKey]

  private let editor: SchemaEditor
  /// Whether all objects get new values.
  private let takesValues: Bool
  private let fitting: ColumnFitting
  private var values: [ColumnValue] = []
  private var primaryKeys: [ScalarValue: ObjectKey] = [:]

  init(
    _ editor: SchemaEditor, _ objectClass: ObjectClass, _ old: PropertyDefinition,
    _ new: PropertyDefinition, objects: [ObjectKey], takesValues: Bool
  ) {
    self.editor = editor
    self.objectClass = objectClass
    self.old = old
    self.new = new
    self.objects = objects
    self.takesValues = takesValues
    fitting = ColumnFitting(new, of: objectClass, editor.writer)
    values.reserveCapacity(objects.count)
  }

  /// Gives the next object its value.
  ///
  /// - Throws: `value` if it does not fit; `duplicatePrimaryKey`.
  /// - Precondition: not all objects have one.
  public func supply(_ value: InputValue) throws(SchemaError) {
    let fitted: ColumnValue
    do throws(ObjectError) {
      fitted = try fitting.fit(value)
    } catch {
      throw .value(error)
    }
    let object = objects[values.count]
    if new.isPrimaryKey, !editor.isMigrating, case .single(let scalar) = fitted,
      let first = primaryKeys.updateValue(object, forKey: scalar)
    {
      throw .duplicatePrimaryKey(
        SchemaError.Place(objectClass.name, new.name), scalar, first: first, second: object)
    }
    values.append(fitted)
  }

  /// Makes the change.
  ///
  /// - Precondition: all objects have a value.
  @discardableResult
  public func apply() throws(SchemaError) -> AlterationOutcome {
    precondition(values.count == objects.count, "objects without a value")
    let transaction = try editor.begin()
    let tables = editor.tables()
    try editor.change { () throws(StorageError) in try change(transaction, tables) }
    if takesValues { try editor.make(values, for: objects, in: new.name, of: objectClass.name) }
    var outcome = AlterationOutcome(className: objectClass.name, old: old, new: new)
    if takesValues { outcome.rewrittenCount = objects.count }
    return outcome
  }

  private func change(
    _ transaction: WriteTransaction, _ tables: [String: TableKey]
  ) throws(StorageError) {
    let table = objectClass.table.key
    guard var column = try transaction.columnKey(table, old.name) else { return }
    let isNew = takesValues || !old.type.hasSameBase(as: new.type)
    let isMarked = objectClass.table.columns.contains {
      $0.name == old.name && $0.isMarkedIndexed
    }
    if old.isFullText, !new.isFullText { try transaction.removeIndex(table, column) }
    if isNew {
      column = try transaction.replaceColumn(table, column, by: new.column(tables))
      if takesValues { try transaction.fill(table, column, new.type, objects, values) }
    } else if old.type.isNullable != new.type.isNullable {
      column = try transaction.setNullable(table, column, new.type.isNullable)
    }
    if new.isPrimaryKey, isNew || !old.isPrimaryKey {
      try transaction.setPrimaryKey(table, column)
    } else if old.isPrimaryKey, !new.isPrimaryKey, !isNew {
      try transaction.setPrimaryKey(table, nil)
    }
    if isMarked, !isNew, !new.isPrimaryKey, new.index != .general {
      // A primary key can have the mark of an index, which does not show as long as it is one.
      try transaction.removeIndex(table, column)
    }
    guard let index = new.index, isNew || old.index != index else { return }
    switch index {
    case .general: try transaction.addIndex(table, column)
    case .fullText: try transaction.addFullTextIndex(table, column)
    }
  }
}

extension SchemaEditor {
  /// Plans what `alter C.p: type flags` does: type, indexes and role as primary key become as given.
  ///
  /// Without values only what keeps every value is possible: another nullability, other indexes, and
  /// any type as long as there are no objects. With `takesValues` each object is to be given a value.
  ///
  /// - Throws: `noClass`, `noProperty`, `invalid`; `needsValues`, `hasNulls`, `duplicatePrimaryKey`.
  public func planAlteration(
    of className: String, to new: PropertyDefinition, takesValues: Bool = false
  ) throws(SchemaError) -> Alteration {
    _ = try begin()
    let objectClass = try objectClass(className)
    let property = try property(new.name, of: objectClass)
    let old = PropertyDefinition(property)
    try check(replacing(new, in: className))
    let count = try objectCount(objectClass)
    if takesValues {
      return Alteration(
        self, objectClass, old, new, objects: try objects(of: objectClass), takesValues: true)
    }
    if !old.type.hasSameBase(as: new.type), count > 0 {
      throw .needsValues(from: old, to: new, className: className)
    }
    if old.type.isNullable, !new.type.isNullable, count > 0 {
      let nulls = try nullCount(property, of: objectClass)
      guard nulls == 0 else {
        throw .hasNulls(SchemaError.Place(className, new.name), count: nulls, of: count)
      }
    }
    if new.isPrimaryKey, !old.isPrimaryKey, !isMigrating {
      try checkUnique(property, of: objectClass)
    }
    return Alteration(self, objectClass, old, new, objects: [], takesValues: false)
  }

  private func replacing(
    _ property: PropertyDefinition, in className: String
  ) -> [ClassDefinition] {
    definitions().map { definition in
      guard definition.name == className else { return definition }
      var result = definition
      result.properties = result.properties.map { $0.name == property.name ? property : $0 }
      return result
    }
  }

  /// Makes a property the primary key of its class, or leaves the class without one.
  ///
  /// - Returns: the name of the primary key before; nil if there was none.
  /// - Throws: `noClass`, `noProperty`, `invalid`, `duplicatePrimaryKey`.
  @discardableResult
  public func setPrimaryKey(
    of className: String, to name: String?
  ) throws(SchemaError) -> String? {
    let transaction = try begin()
    let objectClass = try objectClass(className)
    let old = objectClass.primaryKey?.name
    guard let name else {
      guard old != nil else { return nil }
      try change { () throws(StorageError) in
        try transaction.setPrimaryKey(objectClass.table.key, nil)
      }
      return old
    }
    let property = try property(name, of: objectClass)
    guard old != name else { return old }
    let changed = definitions().map { definition in
      guard definition.name == className else { return definition }
      var result = definition
      result.properties = result.properties.map { property in
        var changed = property
        changed.isPrimaryKey = property.name == name
        return changed
      }
      return result
    }
    try check(changed)
    if !isMigrating { try checkUnique(property, of: objectClass) }
    let column = objectClass.table.columns[property.position].key
    try change { () throws(StorageError) in
      try transaction.setPrimaryKey(objectClass.table.key, column)
    }
    return old
  }

  /// Makes the objects of a class embedded, or objects that stand for themselves.
  ///
  /// In a migration objects without an owner are deleted, and those with several are copied.
  ///
  /// - Returns: whether the class has changed.
  /// - Throws: `noClass`, `notEmbeddable`; `invalid`, for instance for sets of them.
  @discardableResult
  public func setKind(
    of className: String, to kind: StoredTable.Kind
  ) throws(SchemaError) -> Bool {
    let transaction = try begin()
    let objectClass = try objectClass(className)
    guard objectClass.table.kind != kind else { return false }
    if kind == .embedded {
      if isMigrating {
        try checkSeparable(objectClass)
      } else {
        try checkEmbeddable(objectClass)
      }
    }
    let changed = definitions().map { definition in
      var result = definition
      if definition.name == className { result.kind = kind }
      return result
    }
    try check(changed)
    if kind == .embedded, isMigrating { try separate(objectClass) }
    try change { () throws(StorageError) in
      try transaction.setKind(objectClass.table.key, kind)
    }
    return true
  }
}

extension PropertyType {
  /// Whether only the nullability can differ.
  fileprivate func hasSameBase(as other: PropertyType) -> Bool {
    (kind, collection, target) == (other.kind, other.collection, other.target)
  }
}
