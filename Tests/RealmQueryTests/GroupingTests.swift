import RealmObjects
import RealmQuery
import RealmValues
import TestSupport
import Testing

/// Grouping whole blocks gives what grouping objects one by one gives, on files of all versions.
@Suite struct GroupingTests {
  /// The properties with single values, as sources.
  private static func sources(
    _ objectClass: ObjectClass, _ realm: Realm
  ) -> [(property: Property, source: GroupingSource)] {
    objectClass.properties.compactMap { property in
      SingleProperty([property.name], of: objectClass, schema: realm.schema).map {
        (property, .property($0))
      }
    }
  }

  private static func aggregates(
    _ sources: [(property: Property, source: GroupingSource)]
  ) -> [Aggregate] {
    var aggregates = [Aggregate.count]
    for (property, source) in sources {
      switch property.kind {
      case .int, .float, .double, .decimal, .mixed:
        aggregates += [.sum(source), .average(source), .minimum(source), .maximum(source)]
      case .date: aggregates += [.minimum(source), .maximum(source)]
      default: break
      }
    }
    return aggregates
  }

  /// The rows of a grouping; nil if a key is a collection.
  private static func rows(
    _ keys: [GroupingSource], _ aggregates: [Aggregate],
    _ add: (Grouping) throws(QueryFailure) -> Void
  ) throws(QueryFailure) -> [[ScalarValue]]? {
    let grouping = Grouping(by: keys, aggregates)
    try add(grouping)
    return try? grouping.rows()
  }

  @Test func blocksAreAsObjects() throws {
    try LeafTests.forEachClass { realm, objectClass, keys, name in
      let sources = Self.sources(objectClass, realm)
      let aggregates = Self.aggregates(sources)
      let query = try LeafTests.query("TRUEPREDICATE", objectClass, realm)
      var groupings = [[]] + sources.map { [$0.source] }
      for (first, second) in zip(sources, sources.dropFirst()) {
        groupings.append([first.source, second.source])
      }
      for (i, grouping) in groupings.enumerated() {
        let blocks = try Self.rows(grouping, aggregates) { (groups) throws(QueryFailure) in
          try query.add(to: groups)
        }
        let objects = try Self.rows(grouping, aggregates) { (groups) throws(QueryFailure) in
          try groups.add(keys)
        }
        #expect(blocks == objects, "\(name), grouping \(i)")
      }
    }
  }

  @Test func groupsAreThoseOfTheValues() throws {
    try LeafTests.forEachClass { realm, objectClass, keys, name in
      let query = try LeafTests.query("TRUEPREDICATE", objectClass, realm)
      for (property, source) in Self.sources(objectClass, realm) {
        // Values of these types are equal only if they are the same.
        guard [.int, .bool, .string, .data, .date, .objectID, .uuid].contains(property.kind) else {
          continue
        }
        let values = try LeafTests.values(property, objectClass, keys)
        let counts = Dictionary(values.map { ($0, Int64(1)) }, uniquingKeysWith: +)
        let expected = counts.sorted { $0.key.totalOrder($1.key) < 0 }
        let rows = try Self.rows([source], [.count]) { (groups) throws(QueryFailure) in
          try query.add(to: groups)
        }
        #expect(rows == expected.map { [$0.key, .int($0.value)] }, "\(name).\(property.name)")
        let sections = try Section.sections(of: keys, by: source, isSorted: true)
        #expect(sections.map(\.key) == expected.map(\.key), "\(name).\(property.name)")
        #expect(sections.flatMap(\.objects).sorted() == keys.sorted())
      }
    }
  }

  @Test func valuesOfManyTypes() {
    let values: [ScalarValue] = [.null, .int(4), .double(2), .string([65]), .float(1)]
    #expect(Aggregate.sum(of: values) == .decimal(Decimal128(7)))
    #expect(Aggregate.minimum(of: values) == .float(1))
    #expect(Aggregate.maximum(of: values) == .string([65]))
    #expect(Aggregate.sum(of: [.int(.max), .int(1)]) == .int(.min))
    #expect(Aggregate.sum(of: []) == .int(0))
    #expect(Aggregate.average(of: [.null]) == .null)
    #expect(Aggregate.average(of: [.float(1), .float(2)]) == .double(1.5))
    #expect(Aggregate.sum(of: [.double(1), .double(.nan), .double(2)]) == .double(3))
  }

  @Test func equalNumbersShareAGroup() throws {
    let values: [ScalarValue] = [
      .int(1), .double(1), .decimal(Decimal128(1)), .double(0.5),
      .decimal(Decimal128(5) / Decimal128(10)),
      .int(9_007_199_254_740_993), .double(9_007_199_254_740_992), .string([0x31]), .bool(true),
    ]
    let source = GroupingSource.computed(.mixed) { key in values[Int(key.rawValue)] }
    let keys = values.indices.map { ObjectKey(Int64($0)) }
    let sections = try Section.sections(of: keys, by: source, isSorted: false)
    #expect(
      sections.map { $0.objects.map(\.rawValue) } == [[0, 1, 2], [3, 4], [5], [6], [7], [8]])
  }
}
