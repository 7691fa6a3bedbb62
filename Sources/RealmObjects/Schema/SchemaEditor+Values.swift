import RealmStorage
import RealmValues

/// Fits values to properties that do not exist yet.
extension SchemaEditor {
  /// The value as it is written into a property.
  ///
  /// - Throws: `value`.
  func fit(
    _ value: InputValue, _ property: PropertyDefinition, of className: String
  ) throws(SchemaError) -> ColumnValue {
    do throws(ObjectError) {
      return try fit(value, property.type)
    } catch {
      var placed = error
      (placed.className, placed.property) = (className, property.name)
      throw .value(placed)
    }
  }

  private func fit(
    _ value: InputValue, _ type: PropertyType
  ) throws(ObjectError) -> ColumnValue {
    switch (type.collection, value) {
    case (.none, _):
      guard type.kind == .mixed else { return .single(try scalar(value, type)) }
      let mixed = try mixed(value, depth: 0)
      if case .scalar(let scalar) = mixed { return .single(scalar) }
      return .nested(mixed)
    case (.list, .array(let elements)), (.list, .set(let elements)):
      return .list(try fit(elements, type))
    case (.set, .array(let elements)), (.set, .set(let elements)):
      var members: [ScalarValue] = []
      for (i, element) in elements.enumerated() {
        do throws(ObjectError) {
          members.append(try scalar(element, type))
        } catch { throw error.below(.element(i)) }
      }
      return .set(members)
    case (.dictionary, .map(let fields)): return .map(try fit(fields, type, depth: 0))
    default: throw ObjectError(.typeMismatch(found(value)))
    }
  }

  private func fit(
    _ elements: [InputValue], _ type: PropertyType
  ) throws(ObjectError) -> [MixedValue] {
    var result: [MixedValue] = []
    for (i, element) in elements.enumerated() {
      do throws(ObjectError) {
        result.append(
          type.kind == .mixed
            ? try mixed(element, depth: 1) : .scalar(try scalar(element, type)))
      } catch { throw error.below(.element(i)) }
    }
    return result
  }

  private func fit(
    _ fields: [InputField], _ type: PropertyType, depth: Int
  ) throws(ObjectError) -> [(key: [UInt8], value: MixedValue)] {
    var result: [(key: [UInt8], value: MixedValue)] = []
    var names: Set<String> = []
    for field in fields {
      guard !field.key.hasPrefix("$"), !field.key.utf8.contains(UInt8(ascii: ".")) else {
        throw ObjectError(.invalidDictionaryKey(field.key), place: [.key(field.key)])
      }
      guard names.insert(field.key).inserted else {
        throw ObjectError(.invalidArgument, place: [.key(field.key)])
      }
      do throws(ObjectError) {
        let value =
          type.kind == .mixed
          ? try mixed(field.value, depth: depth + 1) : .scalar(try scalar(field.value, type))
        result.append((Array(field.key.utf8), value))
      } catch { throw error.below(.key(field.key)) }
    }
    return result
  }

  private func mixed(_ value: InputValue, depth: Int) throws(ObjectError) -> MixedValue {
    guard depth <= StoredList.maximumDepth else {
      throw ObjectError(.limitExceeded(limit: StoredList.maximumDepth))
    }
    switch value {
    case .array(let elements):
      var values: [MixedValue] = []
      for (i, element) in elements.enumerated() {
        do throws(ObjectError) {
          values.append(try mixed(element, depth: depth + 1))
        } catch { throw error.below(.element(i)) }
      }
      return .list(values)
    case .map(let fields):
      return .dictionary(try fit(fields, PropertyType(.mixed, isNullable: true), depth: depth))
    case .set: throw ObjectError(.illegalOperation(.setInMixed))
    case .object(let objectClass, let key):
      guard !objectClass.isEmbedded else { throw ObjectError(.illegalOperation(.embeddedInMixed)) }
      return .scalar(.link(objectClass.table.key, key))
    case .scalar(let scalar), .number(let scalar, _): return .scalar(scalar)
    }
  }

  // MARK: Values of one type

  private func scalar(
    _ value: InputValue, _ type: PropertyType
  ) throws(ObjectError) -> ScalarValue {
    switch value {
    case .scalar(.null):
      guard type.isNullable else { throw ObjectError(.propertyNotNullable) }
      return .null
    case .object(let objectClass, let key):
      guard type.kind == .link else { throw ObjectError(.typeMismatch(found(value))) }
      guard objectClass.name == type.target else {
        throw ObjectError(
          .objectTypeMismatch(found: objectClass.name, needed: type.target ?? ""))
      }
      guard !objectClass.isEmbedded else { throw ObjectError(.illegalOperation(.embeddedMoved)) }
      return .link(objectClass.table.key, key)
    default: break
    }
    guard case .scalar(let scalar) = value.withoutText,
      let fitting = scalar.converted(to: type.kind)
    else { throw ObjectError(.typeMismatch(found(value))) }
    return fitting
  }

  private func found(_ value: InputValue) -> ObjectError.Found {
    switch value {
    case .scalar(let scalar), .number(let scalar, _): scalar.kind.map { .scalar($0) } ?? .null
    case .object(let objectClass, _): .object(objectClass.name)
    case .array: .array
    case .set: .set
    case .map: .map
    }
  }
}

extension InputValue {
  fileprivate var withoutText: InputValue {
    if case .number(let scalar, _) = self { .scalar(scalar) } else { self }
  }
}

extension ScalarValue {
  fileprivate func converted(to kind: ValueKind) -> ScalarValue? {
    switch (kind, self) {
    case (.double, .int(let number)): .double(Double(number))
    case (.float, .int(let number)): .float(Float(number))
    case (.decimal, .int(let number)): .decimal(Decimal128(number))
    default: self.kind == kind ? self : nil
    }
  }
}
