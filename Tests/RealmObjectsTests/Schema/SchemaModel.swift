import RealmObjects
import RealmStorage
import RealmValues
import TestSupport
import Testing

/// Classes with objects, changed at random in a database and in a model.
final class SchemaModel {
  private struct Class {
    var properties: [PropertyDefinition] = []
    var values: [ObjectKey: [String: Content]] = [:]
    var table = TableKey(0)
  }

  private let file: SchemaFile
  private var classes: [String: Class] = [:]
  private var random: SplitMix64
  private var counter: Int64 = 0

  init(_ file: SchemaFile, seed: UInt64) {
    self.file = file
    random = SplitMix64(seed: seed)
  }

  private var editor: SchemaEditor { file.editor }
  private var transaction: WriteTransaction {
    get throws { try #require(file.realm.transaction) }
  }

  private func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  private func someClass() -> String? { classes.keys.sorted().randomElement(using: &random) }

  private func freshName(_ start: String) -> String {
    counter += 1
    return "\(start)\(counter)"
  }

  // MARK: Types and values

  private static let types = [
    "int", "int?", "string", "string?", "double", "double?", "bool", "mixed", "int[]", "int?[]",
    "string[]", "string?[]", "int<>", "string?<>", "int{}", "double?{}", "decimal128?",
  ]

  private func randomProperty(_ name: String) -> PropertyDefinition {
    if let target = someClass(), number(5) == 0 {
      return property("\(name): \(target)\(["?", "[]", "<>", "?{}"][number(4)])")
    }
    var result = property("\(name): \(SchemaModel.types[number(SchemaModel.types.count)])")
    if result.type.collection == .none, [.int, .string, .bool, .mixed].contains(result.type.kind) {
      result.isIndexed = number(3) == 0
    }
    if result.type.kind == .string, result.type.collection == .list {
      result.isIndexed = number(2) == 0
    }
    if result.type.kind == .string, result.type.collection == .none, !result.isIndexed {
      result.isFullText = number(4) == 0
    }
    return result
  }

  private func randomScalar(_ type: PropertyType) -> ScalarValue {
    if type.isNullable, number(4) == 0 { return .null }
    let value = Int64(number(1000) - 300) << Int64(number(20))
    switch type.kind {
    case .int: return .int(value)
    case .double: return .double(Double(value) / 4)
    case .bool: return .bool(value % 2 == 0)
    case .decimal: return .decimal(Decimal128(value))
    case .mixed: return number(2) == 0 ? .int(value) : .text("mixed \(value)")
    default: return .text(String(repeating: "word \(value) ", count: number(4)))
    }
  }

  /// A value as input and as it is read; links lead to nothing.
  private func randomValue(_ type: PropertyType) -> (InputValue, Content) {
    if type.kind == .link {
      switch type.collection {
      case .none: return (.null, nil)
      case .dictionary: return (.map([]), .dictionary([:]))
      default: return (.array([]), .list([]))
      }
    }
    switch type.collection {
    case .none:
      let scalar = randomScalar(type)
      return (.scalar(scalar), .scalar(scalar))
    case .list:
      let scalars = (0..<number(4)).map { _ in randomScalar(type) }
      return (.array(scalars.map { .scalar($0) }), .list(scalars.map { .scalar($0) }))
    case .set:
      let members = Set((0..<number(4)).map { _ in randomScalar(type) })
      let sorted = members.sorted { $0.totalOrder($1) < 0 }
      return (.set(members.map { .scalar($0) }), .list(sorted.map { .scalar($0) }))
    case .dictionary:
      var fields: [InputField] = []
      var entries: [[UInt8]: Content] = [:]
      for i in 0..<number(4) {
        let scalar = randomScalar(type)
        fields.append(InputField("key \(i)", .scalar(scalar)))
        entries[Array("key \(i)".utf8)] = .scalar(scalar)
      }
      return (.map(fields), .dictionary(entries))
    }
  }

  private static func initial(_ type: PropertyType) -> Content {
    switch type.collection {
    case .list, .set: return .list([])
    case .dictionary: return .dictionary([:])
    case .none: break
    }
    if type.isNullable { return nil }
    switch type.kind {
    case .int: return 0
    case .double: return .scalar(.double(0))
    case .bool: return .scalar(.bool(false))
    case .decimal: return .scalar(.decimal(Decimal128(0)))
    default: return ""
    }
  }

  // MARK: Changes

  /// One random change in the open transaction.
  func change() throws {
    guard let name = someClass(), number(12) > 0 else { return try declareClass() }
    switch number(14) {
    case 0, 1, 2, 3: try addObject(name)
    case 4: try deleteObject(name)
    case 5: try declareProperties(name)
    case 6, 7: try alterWithValues(name)
    case 8: try alterNullability(name)
    case 9: try alterIndex(name)
    case 10: try rename(name)
    case 11: try dropProperty(name)
    case 12: try changePrimaryKey(name)
    default: if number(4) == 0 { try dropClass(name) }
    }
  }

  private func declareClass() throws {
    let name = freshName("Class")
    var definition = ClassDefinition(name, [])
    for i in 0..<number(6) { definition.properties.append(randomProperty("q\(i)")) }
    if number(2) == 0 { definition.properties.append(property("id: int primary")) }
    try editor.declare([definition])
    classes[name] = Class(
      properties: definition.properties, table: try file.objectClass(name).table.key)
  }

  private func declareProperties(_ name: String) throws {
    var definition = ClassDefinition(name, [])
    for _ in 0...number(3) { definition.properties.append(randomProperty(freshName("p"))) }
    for property in definition.properties {
      var content = SchemaModel.initial(property.type)
      if number(2) == 0, property.type.kind != .link {
        let (input, expected) = randomValue(property.type)
        definition.defaults[property.name] = input
        content = expected
      }
      for key in Array(classes[name]?.values.keys ?? [:].keys) {
        classes[name]?.values[key]?[property.name] = content
      }
    }
    let outcome = try editor.declare([definition])[0]
    #expect(outcome.added == definition.properties)
    #expect(outcome.filledCount == classes[name]?.values.count)
    classes[name]?.properties += definition.properties
  }

  private func addObject(_ name: String) throws {
    counter += 1
    let model = try #require(classes[name])
    var values: [String: Content] = [:]
    for property in model.properties { values[property.name] = SchemaModel.initial(property.type) }
    let object: ObjectKey
    if let primaryKey = model.properties.first(where: { $0.isPrimaryKey }) {
      let value: ScalarValue = primaryKey.type.kind == .int ? .int(counter) : .text("k\(counter)")
      values[primaryKey.name] = .scalar(value)
      object = try transaction.createObject(model.table, primaryKey: value)
    } else {
      object = try transaction.createObject(model.table)
    }
    classes[name]?.values[object] = values
    for property in model.properties where !property.isPrimaryKey {
      try setProperty(property, of: name, object)
    }
    file.realm.noteChange()
  }

  private func setProperty(
    _ property: PropertyDefinition, of name: String, _ object: ObjectKey
  ) throws {
    let table = try #require(classes[name]?.table)
    let column = try #require(try transaction.columnKey(table, property.name))
    let content: Content
    switch (property.type.kind, property.type.collection) {
    case (.link, let collection):
      let target = try #require(classes[property.type.target ?? ""])
      guard let key = target.values.keys.sorted().randomElement(using: &random) else { return }
      let link = ScalarValue.link(target.table, key)
      switch collection {
      case .none:
        try transaction.set(table, object, column, link)
        content = .scalar(link)
      case .list:
        try transaction.insert(table, object, column, at: 0, link)
        content = .list([.scalar(link)])
      case .set:
        try transaction.insert(table, object, column, member: link)
        content = .list([.scalar(link)])
      case .dictionary:
        try transaction.set(table, object, column, key: [65], link)
        content = .dictionary([[65]: .scalar(link)])
      }
    case (.mixed, .none) where !property.isIndexed && number(3) == 0:
      // Not in an index: realm-core loses track of such links when it deletes their targets.
      let link = ScalarValue.link(table, object)
      try transaction.set(table, object, column, link)
      content = .scalar(link)
    case (_, .none):
      let scalar = randomScalar(property.type)
      try transaction.set(table, object, column, scalar)
      content = .scalar(scalar)
    case (_, .list):
      let scalar = randomScalar(property.type)
      try transaction.insert(table, object, column, at: 0, scalar)
      content = .list([.scalar(scalar)])
    case (_, .set):
      let scalar = randomScalar(property.type)
      try transaction.insert(table, object, column, member: scalar)
      content = .list([.scalar(scalar)])
    case (_, .dictionary):
      let scalar = randomScalar(property.type)
      try transaction.set(table, object, column, key: [65], scalar)
      content = .dictionary([[65]: .scalar(scalar)])
    }
    classes[name]?.values[object]?[property.name] = content
  }

  private func deleteObject(_ name: String) throws {
    let model = try #require(classes[name])
    guard let object = model.values.keys.sorted().randomElement(using: &random) else { return }
    try transaction.deleteObject(model.table, object)
    file.realm.noteChange()
    classes[name]?.values[object] = nil
    forgetLinks { $0 == .scalar(.link(model.table, object)) }
  }

  /// Takes links away from all values.
  private func forgetLinks(_ isGone: (Content) -> Bool) {
    for (name, model) in classes {
      for (object, values) in model.values {
        for (property, content) in values {
          let rest: Content
          switch content {
          case .scalar: rest = isGone(content) ? nil : content
          case .list(let elements): rest = .list(elements.filter { !isGone($0) })
          case .dictionary(let entries):
            rest = .dictionary(entries.mapValues { isGone($0) ? nil : $0 })
          }
          if rest != content { classes[name]?.values[object]?[property] = rest }
        }
      }
    }
  }

  private func someProperty(
    _ name: String, _ isGood: (PropertyDefinition) -> Bool = { _ in true }
  ) -> PropertyDefinition? {
    classes[name]?.properties.filter(isGood).randomElement(using: &random)
  }

  private func changeProperties(of name: String, _ change: (inout PropertyDefinition) -> Void) {
    guard var model = classes[name] else { return }
    for i in model.properties.indices { change(&model.properties[i]) }
    classes[name] = model
  }

  private func replace(_ property: PropertyDefinition, in name: String) {
    changeProperties(of: name) { if $0.name == property.name { $0 = property } }
  }

  private func alterWithValues(_ name: String) throws {
    guard let old = someProperty(name, { !$0.isPrimaryKey }) else { return }
    let new = randomProperty(old.name)
    let alteration = try editor.planAlteration(of: name, to: new, takesValues: true)
    #expect(alteration.objects == classes[name]?.values.keys.sorted())
    for object in alteration.objects {
      let (input, content) = randomValue(new.type)
      try alteration.supply(input)
      classes[name]?.values[object]?[new.name] = content
    }
    #expect(try alteration.apply().rewrittenCount == alteration.objects.count)
    replace(new, in: name)
  }

  private func alterNullability(_ name: String) throws {
    guard let old = someProperty(name, { $0.type.kind != .link && $0.type.kind != .mixed }) else {
      return
    }
    var new = old
    new.type.isNullable.toggle()
    let nulls = (classes[name]?.values ?? [:]).values.count { values in
      switch values[old.name] {
      case .list(let elements): elements.contains(nil as Content)
      case .dictionary(let entries): entries.values.contains(nil as Content)
      case let value: value == .some(.scalar(.null))
      }
    }
    do {
      try editor.planAlteration(of: name, to: new).apply()
      #expect(new.type.isNullable || nulls == 0)
      replace(new, in: name)
    } catch {
      guard case .hasNulls(_, let count, _) = error else { throw error }
      #expect(count == nulls && nulls > 0 && !new.type.isNullable)
    }
  }

  private func alterIndex(_ name: String) throws {
    guard
      let old = someProperty(
        name, { $0.type.collection == .none && $0.type.kind == .string && !$0.isPrimaryKey })
    else { return }
    var new = old
    (new.isIndexed, new.isFullText) = (!old.isIndexed, old.isIndexed)
    try editor.planAlteration(of: name, to: new).apply()
    replace(new, in: name)
  }

  private func rename(_ name: String) throws {
    if number(2) == 0 {
      let new = freshName("Renamed")
      try editor.renameClass(name, to: new)
      classes[new] = classes.removeValue(forKey: name)
      for other in classes.keys {
        changeProperties(of: other) { if $0.type.target == name { $0.type.target = new } }
      }
      return
    }
    guard let old = someProperty(name) else { return }
    let new = freshName("renamed")
    try editor.renameProperty(old.name, of: name, to: new)
    changeProperties(of: name) { if $0.name == old.name { $0.name = new } }
    for object in Array(classes[name]?.values.keys ?? [:].keys) {
      let value = classes[name]?.values[object]?.removeValue(forKey: old.name)
      classes[name]?.values[object]?[new] = value
    }
  }

  private func dropProperty(_ name: String) throws {
    guard let old = someProperty(name) else { return }
    #expect(try editor.dropProperty(old.name, of: name).type == old.type)
    forget([SchemaError.Place(name, old.name)])
  }

  private func forget(_ places: [SchemaError.Place]) {
    for place in places {
      classes[place.className]?.properties.removeAll { $0.name == place.property }
      for object in Array(classes[place.className]?.values.keys ?? [:].keys) {
        classes[place.className]?.values[object]?[place.property] = nil
      }
    }
  }

  private func dropClass(_ name: String) throws {
    let model = try #require(classes[name])
    var expected: Set<SchemaError.Place> = []
    for (other, definition) in classes where other != name {
      for property in definition.properties where property.type.target == name {
        expected.insert(SchemaError.Place(other, property.name))
      }
    }
    let outcome = try editor.dropClass(name, droppingLinks: true)
    #expect(Set(outcome.links) == expected)
    #expect(outcome.objectCount == model.values.count)
    classes[name] = nil
    forget(outcome.links)
    forgetLinks { if case .scalar(.link(model.table, _)) = $0 { true } else { false } }
  }

  private func changePrimaryKey(_ name: String) throws {
    let new = someProperty(
      name,
      {
        $0.type.collection == .none && !$0.isFullText
          && ($0.type.kind == .int || $0.type.kind == .string)
      })
    let values = (classes[name]?.values ?? [:]).values.compactMap { values -> ScalarValue? in
      guard let new, case .scalar(let scalar)? = values[new.name] else { return nil }
      return scalar
    }
    do {
      try editor.setPrimaryKey(of: name, to: new?.name)
      #expect(Set(values).count == values.count)
      changeProperties(of: name) { $0.isPrimaryKey = $0.name == new?.name }
    } catch {
      guard case .duplicatePrimaryKey(_, let value, _, _) = error else { throw error }
      #expect(values.count { $0 == value } > 1)
    }
  }

  // MARK: Comparing

  /// Compares the model with what a reader sees.
  func compare() throws {
    #expect(Set(file.realm.schema.classes.map { $0.name }) == Set(classes.keys))
    for (name, model) in classes {
      let found = try file.properties(name)
      #expect(found.map { $0.name } == model.properties.map { $0.name })
      for (stored, expected) in zip(found, model.properties) {
        #expect(stored.type == expected.type && stored.isPrimaryKey == expected.isPrimaryKey)
        #expect(stored.isFullText == expected.isFullText)
        if !expected.isPrimaryKey { #expect(stored.isIndexed == expected.isIndexed) }
      }
      let keys = model.values.keys.sorted()
      for property in model.properties {
        let expected = keys.map { model.values[$0]?[property.name] ?? nil }
        #expect(try file.values(property.name, of: name) == expected, "\(name).\(property.name)")
      }
    }
  }
}
