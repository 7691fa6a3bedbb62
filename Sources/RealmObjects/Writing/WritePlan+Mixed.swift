import RealmStorage
import RealmValues

/// Mixed values and the collections in them.
///
/// Source: object-model.md 4.3, 4.8.
extension WritePlan {
  /// A value for a property or element of type mixed.
  ///
  /// - Parameter level: Number of collections around it.
  func mixed(
    _ value: InputValue, _ layout: ClassLayout, _ property: Int, level: Int
  ) throws(ObjectError) -> PlannedValue {
    let definition = layout.properties[property]
    switch value {
    case .scalar(.link(let table, let object)):
      guard let target = writer.layout(table) else {
        throw layout.error(.typeMismatch(value.found), property)
      }
      return try mixed(
        .object(target.objectClass, object), layout, property, level: level)
    case .scalar(let scalar), .number(let scalar, _):
      try ValueFitting.check(scalar, definition, layout)
      return .scalar(scalar)
    case .object(let objectClass, let object):
      guard let target = writer.layout(objectClass.table.key) else {
        throw layout.error(.typeMismatch(value.found), property)
      }
      guard !target.isEmbedded else {
        throw layout.error(.illegalOperation(.embeddedInMixed), property)
      }
      try check(objectClass, object, isOf: target)
      return .scalar(.link(target.table, object))
    case .set: throw layout.error(.illegalOperation(.setInMixed), property)
    case .array(let members):
      try checkLevel(level, layout, property)
      var values: [MixedValue] = []
      values.reserveCapacity(members.count)
      for (i, member) in members.enumerated() {
        do throws(ObjectError) {
          values.append(try mixed(member, layout, property, level: level + 1).mixed)
        } catch {
          throw error.below(.element(i))
        }
      }
      return .nested(.list(values))
    case .map(let fields):
      try checkLevel(level, layout, property)
      var entries: [(key: [UInt8], value: MixedValue)] = []
      for (key, field) in try keys(fields, layout, property) {
        do throws(ObjectError) {
          entries.append((key, try mixed(field.value, layout, property, level: level + 1).mixed))
        } catch {
          throw error.below(.key(field.key))
        }
      }
      return .nested(.dictionary(entries))
    }
  }

  private func checkLevel(
    _ level: Int, _ layout: ClassLayout, _ property: Int
  ) throws(ObjectError) {
    guard level < StoredList.maximumDepth else {
      throw layout.error(.limitExceeded(limit: StoredList.maximumDepth), property)
    }
  }

  /// The fields of a dictionary with their keys as bytes.
  func keys(
    _ fields: [InputField], _ layout: ClassLayout, _ property: Int
  ) throws(ObjectError) -> [(key: [UInt8], field: InputField)] {
    var result: [(key: [UInt8], field: InputField)] = []
    var seen: Set<[UInt8]> = []
    for field in fields {
      do throws(ObjectError) {
        let key = try ValueFitting.key(
          field.key, isVerbatim: field.isVerbatim, layout.properties[property], layout)
        guard seen.insert(key).inserted else { throw layout.error(.invalidArgument, property) }
        result.append((key, field))
      } catch {
        throw error.below(.key(field.key))
      }
    }
    return result
  }

  /// What the policy `modified` makes of a value: lists go by position, dictionaries only gain.
  static func merge(_ new: MixedValue, into old: MixedValue) -> MixedValue {
    switch (new, old) {
    case (.list(let values), .list(let known)):
      return .list(
        values.enumerated().map { $0 < known.count ? merge($1, into: known[$0]) : $1 })
    case (.dictionary(let entries), .dictionary(let known)):
      var result = known
      for entry in entries {
        if let place = result.firstIndex(where: { $0.key == entry.key }) {
          result[place].value = merge(entry.value, into: result[place].value)
        } else {
          result.append(entry)
        }
      }
      return .dictionary(result)
    default: return new
    }
  }
}
