import RealmStorage
import RealmValues
import TestSupport
import Testing

/// Many objects that link to one, which is the worst case for backlinks: links are taken away and
/// moved in bulk, one by one, and both in the same transaction.
struct ManyLinksTests {
  private struct Graph {
    var people: TableKey
    var dogs: TableKey
    var owner: ColumnKey
    var friends: ColumnKey
    var anything: ColumnKey
    /// Of people, to dogs.
    var kennel: ColumnKey
    var survivor: ObjectKey
    var other: ObjectKey
  }

  /// The survivor's kennel has all dogs, and all dogs lead to the survivor in three ways.
  private func makeGraph(_ file: WrittenFile, count: Int) throws -> Graph {
    try file.write { transaction in
      try transaction.setSchemaVersion(0)
      let people = try transaction.createTable("class_Person")
      let dogs = try transaction.createTable("class_Dog")
      let graph = Graph(
        people: people, dogs: dogs,
        owner: try transaction.addColumn(
          dogs, ColumnDefinition("owner", .link, isNullable: true, target: people)),
        friends: try transaction.addColumn(
          dogs, ColumnDefinition("friends", .link, collection: .list, target: people)),
        anything: try transaction.addColumn(
          dogs, ColumnDefinition("anything", .mixed, isNullable: true)),
        kennel: try transaction.addColumn(
          people, ColumnDefinition("kennel", .link, collection: .list, target: dogs)),
        survivor: try transaction.createObject(people),
        other: try transaction.createObject(people))
      for i in 0..<count {
        let dog = try transaction.createObject(dogs)
        try transaction.set(dogs, dog, graph.owner, .key(graph.survivor))
        try transaction.set(dogs, dog, graph.anything, .link(people, graph.survivor))
        try transaction.insert(dogs, dog, graph.friends, at: 0, .key(graph.survivor))
        if i % 3 == 0 {
          try transaction.insert(dogs, dog, graph.friends, at: 1, .key(graph.survivor))
        }
        try transaction.insert(people, graph.survivor, graph.kennel, at: i, .key(dog))
      }
      return graph
    }
  }

  @Test(arguments: [1, 7, 900, 1999, 2000])
  func deletingManyLeavesTheRest(doomedCount: Int) throws {
    let file = try WrittenFile()
    let graph = try makeGraph(file, count: 2000)
    var random = SplitMix64(seed: UInt64(doomedCount))
    try file.write { transaction in
      let all = try transaction.objects(graph.dogs)
      let doomed = all.shuffled(using: &random).prefix(doomedCount).sorted()
      #expect(try transaction.deleteObjects(graph.dogs, doomed) == doomedCount)
      let left = Set(all).subtracting(doomed)
      let kennel = try transaction.elements(graph.people, graph.survivor, graph.kennel)
      #expect(kennel.count == left.count)
      #expect(try transaction.objectCount(graph.dogs) == left.count)
    }
  }

  @Test func deletingTheTargetMakesLinksNull() throws {
    let file = try WrittenFile()
    let graph = try makeGraph(file, count: 1200)
    try file.write { transaction in
      #expect(try transaction.deleteObjects(graph.people, [graph.survivor]) == 1)
      for dog in try transaction.objects(graph.dogs) {
        #expect(try transaction.value(graph.dogs, dog, graph.owner) == .null)
        #expect(try transaction.value(graph.dogs, dog, graph.anything) == .null)
        #expect(try transaction.count(graph.dogs, dog, graph.friends) == 0)
      }
    }
  }

  /// Links leave lists and become null in dictionaries, in every depth, among other values.
  @Test(arguments: [1, 7, 900, 1999, 2000], [false, true])
  func deletingManyEmptiesCollectionsOfMixedValues(doomedCount: Int, isNested: Bool) throws {
    let file = try WrittenFile()
    let dogCount = 2000
    var random = SplitMix64(seed: UInt64(doomedCount))
    try file.write { transaction in
      try transaction.setSchemaVersion(0)
      let (dogs, people) = (
        try transaction.createTable("class_Dog"), try transaction.createTable("class_Person")
      )
      let byName = try transaction.addColumn(
        people,
        ColumnDefinition("byName", .link, collection: .dictionary, isNullable: true, target: dogs))
      let list = try transaction.addColumn(
        people, ColumnDefinition("list", .mixed, collection: .list, isNullable: true))
      let set = try transaction.addColumn(
        people, ColumnDefinition("set", .mixed, collection: .set, isNullable: true))
      let any = try transaction.addColumn(
        people, ColumnDefinition("any", .mixed, isNullable: true))
      let all = try (0..<dogCount).map { _ in try transaction.createObject(dogs) }
      let doomed = Set(all.shuffled(using: &random).prefix(doomedCount))
      /// What is in a list with a dictionary at its end.
      func values(without gone: Set<ObjectKey>) -> [MixedValue] {
        var values: [MixedValue] = []
        for (i, dog) in all.enumerated() {
          if !gone.contains(dog) { values.append(.scalar(.link(dogs, dog))) }
          if i % 100 == 0 { values.append(.scalar(.null)) }
          if i % 100 == 1 { values.append(.scalar(.string(Array("text \(i)".utf8)))) }
        }
        guard isNested else { return values }
        let entries = all.enumerated().map { i, dog in
          (
            Array(String(1_000_000 + i).utf8),
            MixedValue.scalar(gone.contains(dog) ? .null : .link(dogs, dog))
          )
        }
        return values + [.dictionary(entries), .list(values)]
      }
      let holder = try transaction.createObject(people)
      try transaction.set(people, holder, any, mixed: .list(values(without: [])))
      for (i, value) in values(without: []).enumerated() {
        try transaction.insert(people, holder, list, at: i, mixed: value)
      }
      for (i, dog) in all.enumerated() {
        let name = Array(String(1_000_000 + i).utf8)
        try transaction.set(people, holder, byName, key: name, .key(dog))
        try transaction.insert(people, holder, set, member: .link(dogs, dog))
      }
      #expect(try transaction.deleteObjects(dogs, doomed.sorted()) == doomedCount)
      let expected = values(without: doomed)
      #expect("\(try transaction.elements(people, holder, list))" == "\(expected)")
      #expect("\(try transaction.mixed(people, holder, any))" == "\(MixedValue.list(expected))")
      let left = all.filter { !doomed.contains($0) }.map { ScalarValue.link(dogs, $0) }
      #expect(
        "\(try transaction.elements(people, holder, set))"
          == "\(left.map { MixedValue.scalar($0) })")
      let entries = try transaction.entries(people, holder, byName)
      #expect(entries.count == dogCount)
      for (entry, dog) in zip(entries, all) {
        let value = doomed.contains(dog) ? ScalarValue.null : .link(dogs, dog)
        #expect("\(entry.value)" == "\(MixedValue.scalar(value))")
      }
    }
    try file.check()
  }

  @Test func gatheredChangesAreSeenByWhatReadsBacklinks() throws {
    let file = try WrittenFile()
    let graph = try makeGraph(file, count: 1500)
    var random = SplitMix64(seed: 5)
    try file.write { transaction in
      transaction.gatherBacklinks()
      for (i, dog) in try transaction.objects(graph.dogs).shuffled(using: &random).enumerated() {
        try transaction.set(graph.dogs, dog, graph.owner, .key(graph.other))
        if i % 2 == 0 { try transaction.set(graph.dogs, dog, graph.owner, .key(graph.survivor)) }
        if i % 5 == 0 { try transaction.removeAll(graph.dogs, dog, graph.friends) }
        if i % 400 == 399 { try transaction.deleteObject(graph.dogs, dog) }
        if i == 700 { try transaction.deleteObject(graph.people, graph.survivor) }
        if i == 700 { break }
      }
      try transaction.endGatheringBacklinks()
    }
    #expect(try file.rows("class_Dog").count == 1499)
  }

  @Test func whoIsAskedCanStopIt() throws {
    let file = try WrittenFile()
    let graph = try makeGraph(file, count: 6000)
    let transaction = try file.database.beginWrite()
    transaction.goesOn = { done, _ in done < 1000 }
    #expect(throws: StorageError.rejected(.interrupted)) {
      try transaction.deleteAllObjects(graph.dogs)
    }
    transaction.cancel()
    try file.check()
    #expect(try file.rows("class_Dog").count == 6000)
  }
}
