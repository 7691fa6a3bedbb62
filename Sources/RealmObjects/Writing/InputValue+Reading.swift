import RealmStorage
import RealmValues

extension InputValue {
  /// What a stored value is as input; links become scalars.
  init(_ value: MixedValue) {
    switch value {
    case .scalar(let scalar): self = .scalar(scalar)
    case .list(let values): self = .array(values.map { InputValue($0) })
    case .dictionary(let entries):
      self = .map(
        entries.map {
          InputField(
            String(decoding: $0.key, as: UTF8.self), InputValue($0.value), isVerbatim: true)
        })
    }
  }

  var isNull: Bool {
    if case .scalar(.null) = self { return true }
    return false
  }

  /// What it is, for errors.
  var found: ObjectError.Found {
    switch self {
    case .scalar(let value), .number(let value, _): value.kind.map { .scalar($0) } ?? .null
    case .object(let objectClass, _): .object(objectClass.name)
    case .array: .array
    case .set: .set
    case .map: .map
    }
  }

  /// The members of a list or set; nil for other values.
  var members: [InputValue]? {
    switch self {
    case .array(let members), .set(let members): members
    default: nil
    }
  }
}

/// The properties in a map or an array, to be asked for in ascending order.
struct Input {
  private let values: [InputValue]
  private let fields: [InputField]
  /// Whether values come in schema order.
  let isPositional: Bool
  private let layout: ClassLayout
  /// The field after the one found last, which is most likely the next to be asked for.
  private var next = 0

  /// Checks the names or the number of the values.
  init(_ value: InputValue, _ layout: ClassLayout) throws(ObjectError) {
    self.layout = layout
    switch value {
    case .array(let values):
      guard values.count <= layout.properties.count else {
        throw layout.error(.invalidArgument).below(.element(layout.properties.count))
      }
      (self.values, fields, isPositional) = (values, [], true)
    case .map(let fields):
      (values, self.fields, isPositional) = ([], fields, false)
      try Input.check(fields, layout)
    case .scalar(.null): throw layout.error(.invalidArgument)
    default: throw layout.error(.typeMismatch(value.found))
    }
  }

  private static func check(_ fields: [InputField], _ layout: ClassLayout) throws(ObjectError) {
    var last = -1
    var isAscending = true
    for field in fields {
      let expected = last + 1
      var index: Int?
      if expected < layout.names.count, layout.names[expected] == field.key {
        index = expected
      } else {
        index = layout.index(of: field.key)
      }
      guard let index else {
        throw ObjectError(
          .invalidProperty, className: layout.name, property: field.key,
          place: [.property(field.key)])
      }
      if index <= last { isAscending = false }
      last = index
    }
    if isAscending { return }
    var seen: Set<String> = []
    for field in fields where !seen.insert(field.key).inserted {
      throw ObjectError(
        .invalidArgument, className: layout.name, property: field.key,
        place: [.property(field.key)])
    }
  }

  /// The value of a property; nil if it is missing.
  mutating func value(of property: Int) -> InputValue? {
    if isPositional { return property < values.count ? values[property] : nil }
    let name = layout.names[property]
    if next < fields.count, fields[next].key == name {
      next += 1
      return fields[next - 1].value
    }
    guard let index = fields.firstIndex(where: { $0.key == name }) else { return nil }
    next = index + 1
    return fields[index].value
  }

  /// The step to the value of a property.
  func place(of property: Int, _ layout: ClassLayout) -> InputStep {
    isPositional ? .element(property) : .property(layout.properties[property].name)
  }
}
