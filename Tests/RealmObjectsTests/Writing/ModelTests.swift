import RealmStorage
import RealmValues
import TestSupport
import Testing

@testable import RealmObjects

/// Random statements give what the naive model says, and a good file.
struct ModelTests {
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func randomStatements(seed: UInt64) throws {
    var run = try ModelRun(seed: seed)
    for round in 0..<9 {
      for _ in 0..<30 { try run.step() }
      #expect(try run.differences() == [], "seed \(seed), round \(round)")
      if round % 3 == 2 { try run.realm.commitAndCheck() }
    }
  }
}

/// A file and its model.
private struct ModelRun {
  var random: SplitMix64
  var world = ModelWorld()
  let realm: WrittenRealm
  private let counter = Counter()
  /// Primary keys of the objects around the input that is made.
  private var ancestors: Set<Int64> = []

  private final class Counter { var value: Int64 = 0 }

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    let world = world
    realm = try WrittenRealm { try world.makeSchema($0) }
    let counter = counter
    realm.names = ["Note": "tag"]
    realm.writer.defaults = { _, property in
      if property.name == "tag" {
        counter.value += 1
        return .scalar(.int(counter.value))
      }
      guard property.collection == .none, !property.isNullable else { return nil }
      return .scalar(ModelWorld.initial(property.kind))
    }
  }

  // MARK: Steps

  mutating func step() throws {
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<7:
      let policy: UpdatePolicy = Bool.random(using: &random) ? .modified : .all
      let value = input(ofClass: "Thing", depth: 0)
      try realm.upsert("Thing", policy, try real(.map(value)))
      _ = world.create("Thing", value, policy)
    case 7:
      let value = input(ofClass: "Note", depth: 0)
      try realm.add("Note", try real(.map(value)))
      _ = world.create("Note", value, .error)
    case 8:
      guard let object = world.objects.randomElement(using: &random) else { return }
      try realm.delete(object.className, try key(object))
      world.delete(object)
    default: try set()
    }
  }

  /// A `set` of one property.
  private mutating func set() throws {
    let things = world.objects.filter { $0.className == "Thing" }
    guard let object = things.randomElement(using: &random),
      let property = world.classes["Thing"]?.dropFirst().randomElement(using: &random)
    else { return }
    if case .scalar(.int(let id))? = object.values["id"] { ancestors = [id] }
    let value = input(for: property, depth: 1)
    ancestors = []
    if case .scalar(.null) = value, property.collection == .none, !property.isNullable { return }
    let change = PropertyChange([.property(property.name)], .replace(try real(value)))
    let objectClass = try realm.objectClass("Thing")
    let plan: WritePlan
    do {
      plan = try realm.writer.planSet(objectClass, try key(object), [change])
    } catch let error as ObjectError where error.name == "ObjectAlreadyExists" {
      counter.value = world.nextTag
      return
    }
    _ = try realm.writer.apply(plan)
    guard case .scalar(let id)? = object.values["id"] else { return }
    _ = world.create("Thing", [("id", .scalar(id)), (property.name, value)], .all)
  }

  private func key(_ object: ModelObject) throws -> ObjectKey {
    if case .scalar(.int(let id))? = object.values["id"] { return try realm.key("Thing", id) }
    let table = try realm.objectClass("Note").table
    let transaction = try #require(realm.realm.transaction)
    let column = table.columns[0].key
    guard case .scalar(let tag)? = object.values["tag"] else { return .null }
    return try #require(
      try transaction.objects(table.key).first {
        try transaction.value(table.key, $0, column) == tag
      })
  }

  private func real(_ input: ModelInput) throws -> InputValue {
    switch input {
    case .scalar(let value): .scalar(value)
    case .object(let object):
      .object(try realm.objectClass(object.className), try key(object))
    case .array(let members): .array(try members.map { try real($0) })
    case .map(let fields): .map(try fields.map { InputField($0.key, try real($0.value)) })
    }
  }

  // MARK: Random input

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }

  private mutating func input(
    ofClass name: String, depth: Int
  ) -> [(key: String, value: ModelInput)] {
    var fields: [(key: String, value: ModelInput)] = []
    let outer = ancestors
    defer { ancestors = outer }
    for property in world.classes[name] ?? [] where property.name != "tag" {
      if property.name == "id" {
        var id: Int64
        // An object that is changed while it is changed has no simple model.
        repeat { id = Int64.random(in: 0..<12, using: &random) } while ancestors.contains(id)
        ancestors.insert(id)
        fields.append(("id", .scalar(.int(id))))
      } else if chance(name == "Thing" ? 12 : 60) {
        fields.append((property.name, input(for: property, depth: depth + 1)))
      }
    }
    return fields
  }

  private mutating func input(for property: ModelProperty, depth: Int) -> ModelInput {
    switch property.collection {
    case .none: return member(of: property, depth: depth)
    case _ where chance(5): return .scalar(.null)
    case .list, .set:
      return .array(
        (0..<Int.random(in: 0..<5, using: &random)).map { _ in
          member(of: property, depth: depth)
        })
    case .dictionary: return .map(fields { $0.member(of: property, depth: depth) })
    }
  }

  private mutating func fields(
    _ value: (inout ModelRun) -> ModelInput
  ) -> [(key: String, value: ModelInput)] {
    let keys = ["", "a", "b", "c", "é", "a$"].filter { _ in chance(40) }
    return keys.map { ($0, value(&self)) }
  }

  private mutating func member(of property: ModelProperty, depth: Int) -> ModelInput {
    if property.kind == .mixed { return mixed(isMember: property.collection == .set, level: 0) }
    if property.isNullable, chance(15) { return .scalar(.null) }
    guard let target = property.target else { return .scalar(scalar(property.kind)) }
    let known = world.objects.filter { $0.className == target }
    if depth > 2 || chance(50), let object = known.randomElement(using: &random) {
      return .object(object)
    }
    // Deep input ends with an object of its own, so that it has an end.
    if depth > 4, property.isNullable { return .scalar(.null) }
    if depth > 3 {
      return .map(target == "Thing" ? [("id", .scalar(.int(99)))] : [])
    }
    return .map(input(ofClass: target, depth: depth))
  }

  private mutating func mixed(isMember: Bool, level: Int) -> ModelInput {
    if !isMember, level < 3, chance(25) {
      if chance(50) {
        return .array(
          (0..<Int.random(in: 0..<4, using: &random)).map { _ in
            mixed(isMember: false, level: level + 1)
          })
      }
      return .map(fields { $0.mixed(isMember: false, level: level + 1) })
    }
    if chance(20), let object = world.objects.randomElement(using: &random) {
      return .object(object)
    }
    if chance(15) { return .scalar(.null) }
    return .scalar(scalar(ModelWorld.kinds.randomElement(using: &random) ?? .int))
  }

  private mutating func scalar(_ kind: ValueKind) -> ScalarValue {
    let number = Int64.random(in: -3...3, using: &random)
    switch kind {
    case .int: return .int(chance(10) ? Int64.random(in: .min ... .max, using: &random) : number)
    case .bool: return .bool(number > 0)
    case .string:
      let text = String(repeating: "aé", count: chance(5) ? 400 : Int(number + 3))
      return .string(Array(text.utf8))
    case .data: return .data([UInt8](repeating: 9, count: chance(5) ? 5000 : Int(number + 3)))
    case .date:
      return .date(Timestamp(seconds: number, nanoseconds: Int32(number.signum() * 500_000_000)))
    case .float: return .float(Float(number) / 2)
    case .double: return .double(Double(number) / 2)
    case .decimal: return .decimal(Decimal128(number) / Decimal128(2))
    case .objectID:
      let bytes = [UInt8](repeating: UInt8(number + 3), count: 12)
      // Twelve bytes have an address.
      return .objectID(bytes.withUnsafeBytes { ObjectID($0.baseAddress!) })
    default:
      let bytes = [UInt8](repeating: UInt8(number + 3), count: 16)
      // Sixteen bytes have an address.
      return .uuid(bytes.withUnsafeBytes { UUIDValue($0.baseAddress!) })
    }
  }

  // MARK: Comparison

  /// Lines that only the file or only the model has.
  func differences() throws -> [String] {
    var lines: [String] = []
    let objects = try realm.objects("Thing") + realm.objects("Note")
    let things = world.objects.filter { $0.className == "Thing" }
    let notes = world.objects.filter { $0.className == "Note" }
    let expected = (things + notes).map { text($0) }
    for (a, b) in zip(expected, objects) where a != b { lines += ["expected \(a)", "found \(b)"] }
    if expected.count != objects.count {
      lines.append("\(objects.count) objects instead of \(expected.count)")
    }
    let parts = try realm.count("Part")
    let expectedParts = world.objects.reduce(0) { $0 + partCount($1) }
    if parts != expectedParts { lines.append("\(parts) parts instead of \(expectedParts)") }
    return lines
  }

  private func partCount(_ object: ModelObject) -> Int {
    object.values.values.reduce(0) { $0 + partCount($1) }
  }

  private func partCount(_ value: ModelValue) -> Int {
    switch value {
    case .link(let target) where target.className == "Part": 1 + partCount(target)
    case .list(let values): values.reduce(0) { $0 + partCount($1) }
    case .dictionary(let entries): entries.reduce(0) { $0 + partCount($1.value) }
    default: 0
    }
  }

  private func text(_ object: ModelObject) -> String {
    let parts = (world.classes[object.className] ?? []).map {
      "\($0.name): \(text(object.values[$0.name] ?? .null))"
    }
    return "{\(parts.joined(separator: ", "))}"
  }

  private func text(_ value: ModelValue) -> String {
    switch value {
    case .scalar(let value): return WrittenRealm.text(value)
    case .nested(let value): return text(value)
    case .link(let object):
      switch object.className {
      case "Part": return text(object)
      case "Thing": return "Thing(\(text(object.values["id"] ?? .null)))"
      default: return "Note(\(text(object.values["tag"] ?? .null)))"
      }
    case .list(let values): return "[\(values.map { text($0) }.joined(separator: ", "))]"
    case .set(let values):
      return "[\(values.map { text($0) }.sorted().joined(separator: ", "))]"
    case .dictionary(let entries):
      let sorted = entries.sorted {
        Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8))
      }
      return "{\(sorted.map { "\($0.key): \(text($0.value))" }.joined(separator: ", "))}"
    }
  }
}
