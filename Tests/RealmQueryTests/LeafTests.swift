import RealmLanguage
import RealmObjects
import RealmQuery
import RealmStorage
import RealmValues
import TestSupport
import Testing

/// Testing whole leaves gives what testing objects one by one gives, on files of all versions.
@Suite struct LeafTests {
  private static let comparators = [
    "==", "!=", "<", "<=", ">", ">=", "beginswith", "endswith", "contains", "like", "==[c]",
    "contains[c]",
  ]

  /// Classes with more objects are left out: the reference is slow.
  private static let maximumCount = 1000

  /// Calls `body` with each class of each file that can be opened without a key.
  static func forEachClass(
    _ body: (Realm, ObjectClass, [ObjectKey], String) throws -> Void
  ) throws {
    guard let shared = Fixtures.shared else {
      print("skipped: the folder shared is not there; REALMSH_SHARED can name it")
      return
    }
    for folder in ["\(shared)/fixtures", "\(shared)/fixtures/vendor"] {
      for name in Files.names(in: folder) where name.hasSuffix(".realm") {
        guard let realm = try? Realm(path: "\(folder)/\(name)") else { continue }
        for objectClass in realm.schema.classes {
          guard let count = try? objectClass.table.objectCount(), count > 0, count <= maximumCount,
            let keys = try? query("TRUEPREDICATE", objectClass, realm).keys()
          else { continue }
          try body(realm, objectClass, keys, "\(name) \(objectClass.name)")
        }
      }
    }
  }

  static func query(
    _ text: String, _ objectClass: ObjectClass, _ realm: Realm, _ argument: ScalarValue = .null
  ) throws -> Query {
    try Query(
      try PredicateParser.parse(text), class: objectClass, schema: realm.schema,
      arguments: [.scalar(argument)])
  }

  private static func isPlainName(_ name: String) -> Bool {
    !name.contains(".") && (try? PredicateParser.parse("\(name) == 1 SORT(\(name) ASC)")) != nil
  }

  static func values(
    _ property: Property, _ objectClass: ObjectClass, _ keys: [ObjectKey]
  ) throws -> [ScalarValue] {
    try keys.map { key in
      guard let row = try objectClass.table.row(of: key) else { return .null }
      return try objectClass.table.value(of: property.position, in: row).scalar ?? .null
    }
  }

  static func singleProperties(_ objectClass: ObjectClass) -> [Property] {
    objectClass.properties.filter { $0.collection == .none && isPlainName($0.name) }
  }

  @Test func leavesAgreeWithRows() throws {
    try Self.forEachClass { realm, objectClass, keys, place in
      for property in Self.singleProperties(objectClass) {
        let values = try Self.values(property, objectClass, keys)
        let step = max(1, values.count / 4)
        let samples = stride(from: 0, to: values.count, by: step).map { values[$0] } + [.null]
        for sample in samples {
          for comparator in Self.comparators {
            let text = "\(property.name) \(comparator) $0"
            guard let query = try? Self.query(text, objectClass, realm, sample) else { continue }
            let byLeaves = try query.keys()
            let byRows = try query.keys(among: keys)
            #expect(byLeaves == byRows, "\(place): \(text), $0 = \(sample)")
            #expect(try query.count() == byRows.count)
            guard let negated = try? Self.query("NOT (\(text))", objectClass, realm, sample) else {
              continue
            }
            #expect(
              try negated.count() == keys.count - byRows.count || byRows.count == keys.count,
              "\(place): NOT \(text), $0 = \(sample)")
          }
        }
      }
    }
  }

  @Test func sortingAgreesWithTotalOrder() throws {
    try Self.forEachClass { realm, objectClass, keys, place in
      // Collections in mixed values have no scalar to compare with.
      for property in Self.singleProperties(objectClass) where property.kind != .mixed {
        let values = try Self.values(property, objectClass, keys)
        let sorted = { (direction: Int) in
          keys.indices.sorted {
            let order = values[$0].totalOrder(values[$1]) * direction
            return order != 0 ? order < 0 : $0 < $1
          }.map { keys[$0] }
        }
        for (word, direction) in [("ASC", 1), ("DESC", -1)] {
          let wanted = sorted(direction)
          let text = "TRUEPREDICATE SORT(\(property.name) \(word))"
          #expect(try Self.query(text, objectClass, realm).keys() == wanted, "\(place): \(text)")
          let limited = try Self.query("\(text) LIMIT(3)", objectClass, realm).keys()
          #expect(limited == Array(wanted.prefix(3)), "\(place): \(text) LIMIT(3)")
        }
        var firsts: [ObjectKey] = []
        var seen: [ScalarValue] = []
        for (key, value) in zip(keys, values)
        where !seen.contains(where: { $0.totalOrder(value) == 0 }) {
          seen.append(value)
          firsts.append(key)
        }
        let text = "TRUEPREDICATE DISTINCT(\(property.name))"
        #expect(try Self.query(text, objectClass, realm).keys() == firsts, "\(place): \(text)")
      }
    }
  }
}
