import RealmStorage
import RealmValues

/// Checks the rules for classes.
///
/// Source: object-model.md 2.6.
public struct SchemaValidator {
  private let classes: [ClassDefinition]
  private let byName: [String: ClassDefinition]
  private var found: [SchemaViolation] = []

  /// Most bytes of the name of a class, and of a property.
  static let maximumClassNameByteCount = 57
  static let maximumPropertyNameByteCount = 63

  /// Everything that is wrong with classes that belong together, classes in the order of their
  /// names.
  public static func violations(of classes: [ClassDefinition]) -> [SchemaViolation] {
    var validator = SchemaValidator(classes)
    validator.run()
    return validator.found
  }

  /// What is wrong with the name of a class.
  static func violation(ofClassName name: String) -> SchemaViolation? {
    wrong(name, maximumClassNameByteCount).map { SchemaViolation($0, name) }
  }

  /// What is wrong with the name of a property.
  static func violation(ofPropertyName name: String, in className: String) -> SchemaViolation? {
    wrong(name, maximumPropertyNameByteCount).map { SchemaViolation($0, className, name) }
  }

  private static func wrong(_ name: String, _ limit: Int) -> SchemaViolation.Kind? {
    if name.isEmpty { return .emptyName }
    let byteCount = name.utf8.count
    return byteCount > limit ? .nameTooLong(byteCount: byteCount, limit: limit) : nil
  }

  private mutating func add(_ violation: SchemaViolation?) {
    if let violation { found.append(violation) }
  }

  private init(_ classes: [ClassDefinition]) {
    self.classes = classes.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    byName = Dictionary(classes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private mutating func run() {
    for (before, after) in zip(classes, classes.dropFirst()) where before.name == after.name {
      found.append(SchemaViolation(.duplicateClass, after.name))
    }
    for definition in classes { check(definition) }
    // Cycles are looked for among the classes that are known so far.
    guard found.allSatisfy({ $0.isForwardReference(awaiting: []) }) else { return }
    checkCycles()
  }

  private mutating func add(
    _ kind: SchemaViolation.Kind, _ definition: ClassDefinition, _ property: String? = nil
  ) {
    found.append(SchemaViolation(kind, definition.name, property))
  }

  private mutating func check(_ definition: ClassDefinition) {
    add(SchemaValidator.violation(ofClassName: definition.name))
    var names: Set<String> = []
    for name in definition.properties.map({ $0.name }) + definition.inverses.map({ $0.name })
    where !names.insert(name).inserted {
      add(.duplicateProperty, definition, name)
    }
    if definition.kind == .embedded, let key = definition.primaryKey {
      add(.primaryKeyOfEmbedded, definition, key.name)
    }
    if definition.kind == .asymmetric { add(.asymmetric, definition) }
    var primaryKey: String?
    for property in definition.properties {
      add(SchemaValidator.violation(ofPropertyName: property.name, in: definition.name))
      checkNullability(property, definition)
      if property.isPrimaryKey {
        checkPrimaryKey(property, after: primaryKey, definition)
        primaryKey = primaryKey ?? property.name
      }
      checkIndex(property, definition)
      checkTarget(property, definition)
    }
    for inverse in definition.inverses { check(inverse, definition) }
  }

  private mutating func checkNullability(
    _ property: PropertyDefinition, _ definition: ClassDefinition
  ) {
    let type = property.type
    if type.isNullable, type.kind == .link, !type.mustBeNullable {
      add(.cannotBeNullable, definition, property.name)
    }
    if !type.isNullable, type.mustBeNullable { add(.mustBeNullable, definition, property.name) }
  }

  private mutating func checkPrimaryKey(
    _ property: PropertyDefinition, after first: String?, _ definition: ClassDefinition
  ) {
    switch (property.type.kind, property.type.collection) {
    case (.int, .none), (.string, .none), (.objectID, .none), (.uuid, .none): break
    default: add(.primaryKeyType, definition, property.name)
    }
    if let first { add(.secondPrimaryKey(first), definition, property.name) }
  }

  private mutating func checkIndex(
    _ property: PropertyDefinition, _ definition: ClassDefinition
  ) {
    if property.isIndexed, !property.type.isIndexable {
      add(.notIndexable, definition, property.name)
    }
    guard property.isFullText else { return }
    if property.type.kind != .string || property.type.collection != .none {
      add(.notFullTextIndexable, definition, property.name)
    } else if property.isIndexed || property.isPrimaryKey {
      add(.secondIndex, definition, property.name)
    }
  }

  private mutating func checkTarget(
    _ property: PropertyDefinition, _ definition: ClassDefinition
  ) {
    let type = property.type
    guard type.kind == .link else {
      if let target = type.target { add(.targetOfValue(target), definition, property.name) }
      return
    }
    let name = type.target ?? ""
    guard let target = byName[name] else {
      return add(.unknownTarget(name), definition, property.name)
    }
    if target.kind == .embedded, type.collection == .set {
      add(.setOfEmbedded(name), definition, property.name)
    }
    if target.kind == .asymmetric { add(.linkToAsymmetric(name), definition, property.name) }
  }

  private mutating func check(_ inverse: InverseDefinition, _ definition: ClassDefinition) {
    add(SchemaValidator.violation(ofPropertyName: inverse.name, in: definition.name))
    let (originClass, property) = (inverse.originClass, inverse.originProperty)
    guard let origin = byName[originClass] else {
      return add(.unknownTarget(originClass), definition, inverse.name)
    }
    guard let link = origin.property(named: property) else {
      return add(
        .noOrigin(originClass: originClass, property: property), definition, inverse.name)
    }
    guard link.type.kind == .link, let target = link.type.target else {
      return add(
        .originIsNoLink(originClass: originClass, property: property), definition, inverse.name)
    }
    guard target != definition.name else { return }
    add(
      .originLinksTo(target, originClass: originClass, property: property), definition,
      inverse.name)
  }

  // MARK: Cycles

  /// An embedded class that a property leads to.
  private struct Step {
    var property: String
    var target: String
  }

  private mutating func checkCycles() {
    var steps: [String: [Step]] = [:]
    for definition in classes where definition.kind == .embedded {
      steps[definition.name] = definition.properties.compactMap { property in
        guard property.type.kind == .link, let target = property.type.target,
          byName[target]?.kind == .embedded
        else { return nil }
        return Step(property: property.name, target: target)
      }
    }
    SchemaValidator.removeDeadEnds(from: &steps)
    for definition in classes where steps[definition.name] != nil {
      guard let path = SchemaValidator.cycle(from: definition.name, steps) else { continue }
      add(.embeddedCycle(path: path), definition, path.first)
    }
  }

  /// Leaves only classes on cycles and those that lead to them.
  private static func removeDeadEnds(from steps: inout [String: [Step]]) {
    var counts = steps.mapValues { $0.count }
    var origins: [String: [String]] = [:]
    for (name, list) in steps { for step in list { origins[step.target, default: []] += [name] } }
    var pending = counts.filter { $0.value == 0 }.map { $0.key }
    while let name = pending.popLast() {
      steps[name] = nil
      for origin in origins[name] ?? [] {
        counts[origin, default: 0] -= 1
        if counts[origin] == 0 { pending.append(origin) }
      }
    }
  }

  /// The properties along the shortest way from a class back to itself.
  private static func cycle(from start: String, _ steps: [String: [Step]]) -> [String]? {
    var arrivals: [String: (from: String, property: String)] = [:]
    var pending = [start]
    var next = 0
    while next < pending.count {
      let name = pending[next]
      next += 1
      for step in steps[name] ?? [] {
        if step.target == start {
          var path = [step.property]
          var place = name
          while place != start, let arrival = arrivals[place] {
            path.append(arrival.property)
            place = arrival.from
          }
          return path.reversed()
        }
        guard steps[step.target] != nil, arrivals[step.target] == nil else { continue }
        arrivals[step.target] = (name, step.property)
        pending.append(step.target)
      }
    }
    return nil
  }
}

extension PropertyType {
  /// Whether a property of the type can have a general index.
  ///
  /// Source: object-model.md 2.5.
  var isIndexable: Bool {
    switch (kind, collection) {
    case (.int, .none), (.bool, .none), (.date, .none), (.string, .none), (.objectID, .none),
      (.uuid, .none), (.mixed, .none), (.string, .list):
      true
    default: false
    }
  }
}
