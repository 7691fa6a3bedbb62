import RealmStorage
import RealmValues

/// Fits values to a property that does not exist yet.
///
/// Objects that a value makes are planned only, in a plan that is never applied: an embedded object
/// exists in a property, and this one is not made yet.
struct ColumnFitting {
  private let schema: Schema
  private let layout: ClassLayout
  private let property: Property
  private let target: ObjectClass?
  /// The objects that all values together make.
  private let made: WritePlan

  init(_ definition: PropertyDefinition, of objectClass: ObjectClass, _ writer: ObjectWriter) {
    let schema = writer.realm.schema
    self.schema = schema
    made = WritePlan(writer)
    layout = ClassLayout(objectClass)
    let type = definition.type
    target = type.target.flatMap { schema.objectClass(named: $0) }
    property = Property(
      name: definition.name, position: -1, kind: type.kind, collection: type.collection,
      isNullable: type.isNullable, isPrimaryKey: definition.isPrimaryKey,
      isIndexed: definition.isIndexed, hasFullTextIndex: definition.isFullText,
      target: target?.table.key, targetName: type.target)
  }

  private func error(_ kind: ObjectError.Kind) -> ObjectError {
    ObjectError(kind, className: layout.name, property: property.name)
  }

  /// The value as it is written.
  ///
  /// - Throws: `typeMismatch`, `propertyNotNullable` and others of `ObjectError`.
  func fit(_ value: InputValue) throws(ObjectError) -> ColumnValue {
    if makesObjects(value) {
      try check(value)
      return .made(value)
    }
    switch (property.collection, value) {
    case (.none, _):
      switch try single(value, level: 0) {
      case .scalar(let scalar): return .single(scalar)
      case let nested: return .nested(nested)
      }
    case (.list, .array(let elements)), (.list, .set(let elements)):
      return .list(try fit(elements, level: 0))
    case (.set, .array(let elements)), (.set, .set(let elements)):
      return .set(try fitMembers(elements))
    case (.dictionary, .map(let fields)): return .map(try fit(fields, level: 0))
    default: throw error(.typeMismatch(value.found))
    }
  }

  private func single(_ value: InputValue, level: Int) throws(ObjectError) -> MixedValue {
    switch property.kind {
    case .mixed: try mixed(value, level: level)
    case .link: .scalar(try link(value))
    default: .scalar(try ValueFitting.fit(value, property, layout))
    }
  }

  private func fit(
    _ elements: [InputValue], level: Int
  ) throws(ObjectError) -> [MixedValue] {
    var result: [MixedValue] = []
    result.reserveCapacity(elements.count)
    for (i, element) in elements.enumerated() {
      do throws(ObjectError) {
        result.append(try single(element, level: level + 1))
      } catch {
        throw error.below(.element(i))
      }
    }
    return result
  }

  private func fitMembers(_ elements: [InputValue]) throws(ObjectError) -> [ScalarValue] {
    var result: [ScalarValue] = []
    for (i, element) in try fit(elements, level: 0).enumerated() {
      do throws(ObjectError) {
        guard case .scalar(let scalar) = element else {
          throw error(.illegalOperation(.wrongKind))
        }
        result.append(scalar)
      } catch {
        throw error.below(.element(i))
      }
    }
    return result
  }

  private func fit(
    _ fields: [InputField], level: Int
  ) throws(ObjectError) -> [(key: [UInt8], value: MixedValue)] {
    var result: [(key: [UInt8], value: MixedValue)] = []
    var seen: Set<[UInt8]> = []
    for field in fields {
      do throws(ObjectError) {
        let key = try ValueFitting.key(field.key, isVerbatim: field.isVerbatim, property, layout)
        guard seen.insert(key).inserted else { throw error(.invalidArgument) }
        result.append((key, try single(field.value, level: level + 1)))
      } catch {
        throw error.below(.key(field.key))
      }
    }
    return result
  }

  // MARK: Objects that are made

  private func makesObjects(_ value: InputValue) -> Bool {
    guard property.kind == .link else { return false }
    return switch (property.collection, value) {
    case (.none, _): isNewObject(value)
    case (.list, .array(let elements)), (.list, .set(let elements)),
      (.set, .array(let elements)), (.set, .set(let elements)):
      elements.contains { isNewObject($0) }
    case (.dictionary, .map(let fields)): fields.contains { isNewObject($0.value) }
    default: false
    }
  }

  private func isNewObject(_ value: InputValue) -> Bool {
    switch value {
    case .map, .array: true
    default: false
    }
  }

  /// Checks a value that makes objects.
  private func check(_ value: InputValue) throws(ObjectError) {
    if property.collection == .none { return try checkObject(value) }
    if case .map(let fields) = value {
      for field in fields {
        do throws(ObjectError) {
          _ = try ValueFitting.key(field.key, isVerbatim: field.isVerbatim, property, layout)
          try checkObject(field.value)
        } catch {
          throw error.below(.key(field.key))
        }
      }
      return
    }
    for (i, element) in (value.members ?? []).enumerated() {
      do throws(ObjectError) {
        try checkObject(element)
      } catch {
        throw error.below(.element(i))
      }
    }
  }

  private func checkObject(_ value: InputValue) throws(ObjectError) {
    guard isNewObject(value) else {
      _ = try link(value)
      return
    }
    guard let target, let layout = made.writer.layout(target.table.key) else {
      throw error(.typeMismatch(value.found))
    }
    // An embedded object stands for its own place; the place is not looked at.
    _ = try made.create(layout, value, .error, current: layout.isEmbedded ? 0 : nil)
  }

  // MARK: Mixed values and links

  /// - Parameter level: Number of collections around the value.
  private func mixed(_ value: InputValue, level: Int) throws(ObjectError) -> MixedValue {
    switch value {
    case .array, .map:
      guard level < StoredList.maximumDepth else {
        throw error(.limitExceeded(limit: StoredList.maximumDepth))
      }
      if case .map(let fields) = value { return .dictionary(try fit(fields, level: level)) }
      return .list(try fit(value.members ?? [], level: level))
    case .set: throw error(.illegalOperation(.setInMixed))
    case .object, .scalar(.link):
      let (objectClass, object) = try named(value)
      guard !objectClass.isEmbedded else { throw error(.illegalOperation(.embeddedInMixed)) }
      try checkExistence(of: object, objectClass)
      return .scalar(.link(objectClass.table.key, object))
    case .scalar(let scalar), .number(let scalar, _):
      try ValueFitting.check(scalar, property, layout)
      return .scalar(scalar)
    }
  }

  private func link(_ value: InputValue) throws(ObjectError) -> ScalarValue {
    if case .scalar(.null) = value {
      if property.isNullable { return .null }
      throw error(.propertyNotNullable)
    }
    let (objectClass, object) = try named(value)
    guard let target, objectClass.table.key == target.table.key else {
      throw error(
        .objectTypeMismatch(found: objectClass.name, needed: property.targetName ?? ""))
    }
    guard !target.isEmbedded else { throw error(.illegalOperation(.embeddedMoved)) }
    try checkExistence(of: object, target)
    return .link(target.table.key, object)
  }

  /// The object that a value names.
  private func named(_ value: InputValue) throws(ObjectError) -> (ObjectClass, ObjectKey) {
    var table: TableKey?
    var key = ObjectKey.null
    switch value {
    case .object(let objectClass, let object): (table, key) = (objectClass.table.key, object)
    case .scalar(.link(let target, let object)): (table, key) = (target, object)
    default: break
    }
    guard let objectClass = table.flatMap({ schema.objectClass($0) }) else {
      throw error(.typeMismatch(value.found))
    }
    return (objectClass, key)
  }

  private func checkExistence(
    of object: ObjectKey, _ objectClass: ObjectClass
  ) throws(ObjectError) {
    let isThere: Bool
    do throws(StorageError) {
      isThere = try objectClass.table.row(of: object) != nil
    } catch {
      throw ObjectError(.storage(error))
    }
    guard isThere else { throw error(.invalidatedObject) }
  }
}
