import RealmStorage
import RealmValues
import TestSupport
import Testing

@testable import RealmObjects

/// A value of the model: as simple as can be, copied freely.
indirect enum ModelValue {
  case scalar(ScalarValue)
  case link(ModelObject)
  case list([ModelValue])
  case set([ModelValue])
  case dictionary([(key: String, value: ModelValue)])
  /// A list or dictionary in a mixed value.
  case nested(ModelValue)

  static var null: ModelValue { .scalar(.null) }
  var isNull: Bool { if case .scalar(.null) = self { true } else { false } }
}

/// An object of the model.
final class ModelObject {
  let className: String
  var values: [String: ModelValue] = [:]
  var isAlive = true

  init(_ className: String) { self.className = className }
}

/// A property of the model's classes.
struct ModelProperty {
  var name: String
  var kind: ValueKind
  var collection: StoredColumn.Collection = .none
  var isNullable = false
  var target: String?
}

/// The objects that a file should hold, by the rules of object-model.md 4 applied naively.
struct ModelWorld {
  let classes: [String: [ModelProperty]]
  /// Objects that stand for themselves, in the order of creation.
  var objects: [ModelObject] = []
  /// What the next object without primary key is told by.
  var nextTag: Int64 = 0

  static let kinds: [ValueKind] = [
    .int, .bool, .string, .data, .date, .float, .double, .decimal, .objectID, .uuid,
  ]

  init() {
    var thing = [ModelProperty(name: "id", kind: .int)]
    for kind in ModelWorld.kinds {
      for isNullable in [false, true] {
        for collection in [.none, .list, .set, .dictionary] as [StoredColumn.Collection] {
          let name = "\(kind.name)\(isNullable ? "N" : "")\(collection)"
          thing.append(
            ModelProperty(
              name: name, kind: kind, collection: collection, isNullable: isNullable))
        }
      }
    }
    for target in ["Thing", "Note", "Part"] {
      for collection in [.none, .list, .set, .dictionary] as [StoredColumn.Collection] {
        if target == "Part", collection == .set { continue }
        thing.append(
          ModelProperty(
            name: "\(target)\(collection)", kind: .link, collection: collection,
            isNullable: collection == .none || collection == .dictionary, target: target))
      }
    }
    for collection in [.none, .list, .set, .dictionary] as [StoredColumn.Collection] {
      thing.append(
        ModelProperty(
          name: "mixed\(collection)", kind: .mixed, collection: collection, isNullable: true))
    }
    classes = [
      "Thing": thing,
      "Note": [
        ModelProperty(name: "tag", kind: .int),
        ModelProperty(name: "text", kind: .string, isNullable: true),
        ModelProperty(name: "next", kind: .link, isNullable: true, target: "Note"),
      ],
      "Part": [
        ModelProperty(name: "n", kind: .int, isNullable: true),
        ModelProperty(name: "note", kind: .link, isNullable: true, target: "Note"),
        ModelProperty(name: "parts", kind: .link, collection: .list, target: "Part"),
      ],
    ]
  }

  /// Makes the classes in a file.
  func makeSchema(_ transaction: WriteTransaction) throws {
    var keys: [String: TableKey] = [:]
    for name in ["Thing", "Note", "Part"] {
      keys[name] = try transaction.createTable(
        "class_" + name, kind: name == "Part" ? .embedded : .topLevel)
    }
    for (name, properties) in classes {
      guard let table = keys[name] else { continue }
      for property in properties {
        let column = try transaction.addColumn(
          table,
          ColumnDefinition(
            property.name, property.kind, collection: property.collection,
            isNullable: property.isNullable, target: property.target.flatMap { keys[$0] }))
        if property.name == "id" { try transaction.setPrimaryKey(table, column) }
        let isIndexed =
          property.collection == .none
          && [.int, .string, .bool, .date, .uuid, .objectID, .mixed].contains(property.kind)
        if isIndexed, property.name != "id", property.isNullable || property.kind == .uuid {
          try transaction.addIndex(table, column)
        }
      }
    }
  }

  /// What required properties of new objects have if nothing is given.
  static func initial(_ kind: ValueKind) -> ScalarValue {
    switch kind {
    case .int: .int(7)
    case .bool: .bool(true)
    case .string: .string(Array("default".utf8))
    case .data: .data([0, 1])
    case .date: .date(Timestamp(seconds: 5, nanoseconds: 6))
    case .float: .float(0.5)
    case .double: .double(2.5)
    case .decimal: .decimal(Decimal128(12))
    case .objectID: .objectID([UInt8](1...12).withUnsafeBytes { ObjectID($0.baseAddress!) })
    case .uuid: .uuid([UInt8](1...16).withUnsafeBytes { UUIDValue($0.baseAddress!) })
    default: .null
    }
  }

  // MARK: Creation

  /// The object with a primary key.
  func thing(_ id: Int64) -> ModelObject? {
    objects.first {
      if $0.className == "Thing", case .scalar(.int(id))? = $0.values["id"] { true } else { false }
    }
  }

  /// Makes or updates an object; the input is known to be right.
  mutating func create(
    _ className: String, _ fields: [(key: String, value: ModelInput)], _ policy: UpdatePolicy,
    current: ModelObject? = nil
  ) -> ModelObject {
    let given = Dictionary(uniqueKeysWithValues: fields.map { ($0.key, $0.value) })
    var object: ModelObject?
    if className == "Thing", case .scalar(.int(let id))? = given["id"] {
      object = thing(id)
    } else if policy != .error {
      object = current
    }
    let isNew = object == nil
    let target = object ?? ModelObject(className)
    if isNew, className != "Part" { objects.append(target) }
    if isNew, case .scalar(let id)? = given["id"] { target.values["id"] = .scalar(id) }
    for property in classes[className] ?? [] where property.name != "id" {
      if let value = given[property.name] {
        let old = isNew ? empty(property) : target.values[property.name] ?? empty(property)
        if isNew { target.values[property.name] = old }
        set(value, property, policy, of: target, old: old)
      } else if isNew {
        target.values[property.name] = initialValue(property)
      }
    }
    return target
  }

  private mutating func initialValue(_ property: ModelProperty) -> ModelValue {
    if property.name == "tag" {
      nextTag += 1
      return .scalar(.int(nextTag))
    }
    if property.collection == .none, !property.isNullable {
      return .scalar(ModelWorld.initial(property.kind))
    }
    return empty(property)
  }

  private func empty(_ property: ModelProperty) -> ModelValue {
    switch property.collection {
    case .none: .null
    case .list: .list([])
    case .set: .set([])
    case .dictionary: .dictionary([])
    }
  }

  private mutating func set(
    _ input: ModelInput, _ property: ModelProperty, _ policy: UpdatePolicy,
    of object: ModelObject, old: ModelValue
  ) {
    let isUpdate = policy == .modified
    switch (property.collection, input) {
    case (.none, _):
      object.values[property.name] = member(input, property, policy, old: old)
    case (_, .scalar(.null)): object.values[property.name] = empty(property)
    case (.list, .array(let inputs)):
      guard case .list(let known) = old else { return }
      var result: [ModelValue] = []
      if !isUpdate { object.values[property.name] = .list([]) }
      for (i, input) in inputs.enumerated() {
        let current = isUpdate && i < known.count ? known[i] : .null
        result.append(member(input, property, policy, old: current))
      }
      object.values[property.name] = .list(result)
    case (.set, .array(let inputs)):
      guard case .set(let known) = old else { return }
      var result = isUpdate ? known : []
      for input in inputs {
        let new = member(input, property, policy, old: .null)
        if !result.contains(where: { ModelWorld.areEqual($0, new) }) { result.append(new) }
      }
      object.values[property.name] = .set(result)
    case (.dictionary, .map(let fields)):
      guard case .dictionary(let known) = old else { return }
      var result = isUpdate ? known : []
      for field in fields {
        let place = result.firstIndex { $0.key == field.key }
        // Only embedded objects are updated in place here.
        let isKept = isUpdate && property.target != "Note"
        let current = isKept ? place.map { result[$0].value } ?? .null : .null
        let new = member(field.value, property, policy, old: current)
        if let place { result[place].value = new } else { result.append((field.key, new)) }
      }
      object.values[property.name] = .dictionary(result)
    default: return
    }
  }

  private mutating func member(
    _ input: ModelInput, _ property: ModelProperty, _ policy: UpdatePolicy, old: ModelValue
  ) -> ModelValue {
    switch input {
    case .object(let object): return .link(object)
    case .map(let fields) where property.kind == .link:
      var current: ModelObject?
      if policy == .modified, case .link(let object) = old { current = object }
      return .link(create(property.target ?? "", fields, policy, current: current))
    case .array, .map:
      let new = ModelWorld.mixed(input)
      guard policy == .modified, case .nested(let known) = old else { return .nested(new) }
      return .nested(ModelWorld.merge(new, into: known))
    case .scalar(let scalar):
      let new = ModelValue.scalar(scalar)
      guard policy == .modified, case .scalar(let known) = old else { return new }
      let isSame = known.isEqual(to: scalar) && known.kind == scalar.kind
      return isSame ? old : new
    }
  }

  /// A collection in a mixed value.
  private static func mixed(_ input: ModelInput) -> ModelValue {
    switch input {
    case .scalar(let value): .scalar(value)
    case .object(let object): .link(object)
    case .array(let members): .list(members.map { mixed($0) })
    case .map(let fields): .dictionary(fields.map { ($0.key, mixed($0.value)) })
    }
  }

  private static func merge(_ new: ModelValue, into old: ModelValue) -> ModelValue {
    switch (new, old) {
    case (.list(let values), .list(let known)):
      return .list(
        values.enumerated().map { $0 < known.count ? merge($1, into: known[$0]) : $1 })
    case (.dictionary(let entries), .dictionary(var known)):
      for entry in entries {
        if let place = known.firstIndex(where: { $0.key == entry.key }) {
          known[place].value = merge(entry.value, into: known[place].value)
        } else {
          known.append(entry)
        }
      }
      return .dictionary(known)
    default: return new
    }
  }

  static func areEqual(_ a: ModelValue, _ b: ModelValue) -> Bool {
    switch (a, b) {
    case (.scalar(let x), .scalar(let y)): x.isEqual(to: y)
    case (.link(let x), .link(let y)): x === y
    default: false
    }
  }

  // MARK: Deletion

  /// Deletes an object; links to it go as the place they are in demands.
  mutating func delete(_ object: ModelObject) {
    objects.removeAll { $0 === object }
    object.isAlive = false
    for other in objects { withoutLinks(to: object, in: other) }
  }

  private func withoutLinks(to doomed: ModelObject, in object: ModelObject) {
    for (name, value) in object.values {
      object.values[name] = withoutLinks(to: doomed, value) ?? .null
    }
  }

  /// Nil if the value itself is a link to the object.
  private func withoutLinks(to doomed: ModelObject, _ value: ModelValue) -> ModelValue? {
    switch value {
    case .scalar: return value
    case .link(let target):
      if target === doomed { return nil }
      if target.className == "Part" { withoutLinks(to: doomed, in: target) }
      return value
    case .list(let values): return .list(values.compactMap { withoutLinks(to: doomed, $0) })
    case .set(let values): return .set(values.compactMap { withoutLinks(to: doomed, $0) })
    case .dictionary(let entries):
      return .dictionary(entries.map { ($0.key, withoutLinks(to: doomed, $0.value) ?? .null) })
    case .nested(let value): return withoutLinks(to: doomed, value).map { .nested($0) }
    }
  }
}

/// A value that is written, in the terms of the model.
indirect enum ModelInput {
  case scalar(ScalarValue)
  case object(ModelObject)
  case array([ModelInput])
  case map([(key: String, value: ModelInput)])
}
