import RealmStorage
import RealmValues
import TestSupport
import Testing

/// Two classes with links to each other, changed at random in a database and in a model.
final class RandomGraph {
  private struct Person {
    var name: ScalarValue
    var age: ScalarValue = .int(0)
    var friend: ObjectKey?
    var friends: [ObjectKey] = []
    var tags: [ScalarValue] = []
    var scores: [[UInt8]: ScalarValue] = [:]
    var note: ScalarValue = .null
  }

  private let table: TableKey
  private let home: TableKey
  private let columns: [String: ColumnKey]
  private var people: [ObjectKey: Person] = [:]
  private var homeCount = 0
  private var random: SplitMix64
  private var created: Int64 = 0

  init(_ transaction: WriteTransaction, seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    try transaction.setSchemaVersion(3)
    table = try transaction.createTable("class_Person")
    home = try transaction.createTable("class_Home", kind: .embedded)
    _ = try transaction.addColumn(home, ColumnDefinition("street", .string))
    let definitions = [
      ColumnDefinition("name", .string), ColumnDefinition("age", .int),
      ColumnDefinition("friend", .link, target: table),
      ColumnDefinition("friends", .link, collection: .list, target: table),
      ColumnDefinition("tags", .string, collection: .set),
      ColumnDefinition("scores", .double, collection: .dictionary, isNullable: true),
      ColumnDefinition("note", .mixed), ColumnDefinition("home", .link, target: home),
      ColumnDefinition("others", .link, collection: .set, target: table),
      ColumnDefinition("named", .link, collection: .dictionary, target: table),
    ]
    var columns: [String: ColumnKey] = [:]
    for definition in definitions {
      columns[definition.name] = try transaction.addColumn(table, definition)
    }
    self.columns = columns
    try transaction.setPrimaryKey(table, columns["name"])
    for name in ["age", "note"] { try transaction.addIndex(table, try column(name)) }
  }

  init(copying other: RandomGraph) {
    (table, home, columns) = (other.table, other.home, other.columns)
    (people, random, created) = (other.people, other.random, other.created)
  }

  private func column(_ name: String) throws -> ColumnKey { try #require(columns[name]) }

  private func someone() -> ObjectKey? { people.keys.sorted().randomElement(using: &random) }

  private func text() -> [UInt8] {
    Array("text \(Int.random(in: 0..<20, using: &random))".utf8)
  }

  /// One random change.
  func change(_ transaction: WriteTransaction) throws {
    guard let key = someone(), Int.random(in: 0..<10, using: &random) > 1 else {
      return try create(transaction)
    }
    let number = Int64.random(in: -3...40, using: &random)
    switch Int.random(in: 0..<14, using: &random) {
    case 0: try delete(key, transaction)
    case 1, 2:
      try transaction.set(table, key, try column("age"), .int(number))
      people[key]?.age = .int(number)
    case 3:
      let friend = someone()
      try transaction.set(table, key, try column("friend"), friend.map { .key($0) } ?? .null)
      people[key]?.friend = friend
    case 4, 5: try changeFriends(key, transaction)
    case 6:
      let tag = text()
      if try transaction.insert(table, key, try column("tags"), member: .string(tag)) {
        people[key]?.tags.append(.string(tag))
      }
    case 7:
      guard let tag = people[key]?.tags.randomElement(using: &random) else { return }
      #expect(try transaction.remove(table, key, try column("tags"), member: tag))
      people[key]?.tags.removeAll { $0 == tag }
    case 8:
      let name = text()
      try transaction.set(table, key, try column("scores"), key: name, .double(Double(number)))
      people[key]?.scores[name] = .double(Double(number))
    case 9:
      guard
        let name = people[key]?.scores.keys.sorted(by: { $0.lexicographicallyPrecedes($1) })
          .randomElement(using: &random)
      else { return }
      #expect(try transaction.remove(table, key, try column("scores"), key: name))
      people[key]?.scores[name] = nil
    case 10: try changeNote(key, number, transaction)
    case 11: _ = try transaction.createEmbedded(table, key, try column("home"))
    case 12:
      let other = try #require(someone())
      try transaction.insert(table, key, try column("others"), member: .key(other))
    default:
      let other = try #require(someone())
      try transaction.set(table, key, try column("named"), key: text(), .key(other))
    }
  }

  private func create(_ transaction: WriteTransaction) throws {
    created += 1
    let name = ScalarValue.string(Array("person \(created * 37 % 1009)".utf8))
    let key = try transaction.createObject(table, primaryKey: name)
    #expect(throws: StorageError.rejected(.duplicatePrimaryKey(key))) {
      try transaction.createObject(self.table, primaryKey: name)
    }
    people[key] = Person(name: name)
  }

  private func delete(_ key: ObjectKey, _ transaction: WriteTransaction) throws {
    try transaction.deleteObject(table, key)
    people[key] = nil
    for other in people.keys {
      if people[other]?.friend == key { people[other]?.friend = nil }
      people[other]?.friends.removeAll { $0 == key }
      if people[other]?.note == .link(table, key) { people[other]?.note = .null }
    }
  }

  private func changeFriends(_ key: ObjectKey, _ transaction: WriteTransaction) throws {
    let friends = people[key]?.friends ?? []
    let list = try column("friends")
    if !friends.isEmpty, Int.random(in: 0..<3, using: &random) == 0 {
      let index = Int.random(in: 0..<friends.count, using: &random)
      try transaction.remove(table, key, list, at: index)
      people[key]?.friends.remove(at: index)
      return
    }
    let friend = try #require(someone())
    let index = Int.random(in: 0...friends.count, using: &random)
    try transaction.insert(table, key, list, at: index, .key(friend))
    people[key]?.friends.insert(friend, at: index)
  }

  private func changeNote(
    _ key: ObjectKey, _ number: Int64, _ transaction: WriteTransaction
  ) throws {
    let other = try #require(someone())
    let notes: [ScalarValue] = [
      .int(number), .double(Double(number)), .string(text()), .link(table, other), .null,
      .bool(true), .int(number << 40),
    ]
    let note = notes[Int.random(in: 0..<notes.count, using: &random)]
    try transaction.set(table, key, try column("note"), note)
    people[key]?.note = note
  }

  /// Compares the model with what a reader sees.
  func compare(with snapshot: Snapshot) throws {
    let table = try #require(snapshot.table(named: "class_Person"))
    var count = 0
    let cursor = try TableCursor(table, columns: Array(0..<7))
    while try cursor.next() {
      for row in 0..<cursor.count {
        count += 1
        let person = try #require(people[cursor.key(at: row)])
        #expect(try cursor.value(0, at: row).scalar == person.name)
        #expect(try cursor.value(1, at: row).scalar == person.age)
        let friend = person.friend.map { ScalarValue.link(table.key, $0) } ?? .null
        #expect(try cursor.value(2, at: row).scalar == friend)
        guard case .list(let friends) = try cursor.value(3, at: row),
          case .list(let tags) = try cursor.value(4, at: row),
          case .dictionary(let scores) = try cursor.value(5, at: row)
        else {
          Issue.record("no collections")
          return
        }
        #expect(
          try friends.values().map { $0.scalar } == person.friends.map { .link(table.key, $0) })
        #expect(
          try tags.values().map { $0.scalar } == person.tags.sorted { $0.totalOrder($1) < 0 })
        var found: [[UInt8]: ScalarValue] = [:]
        for entry in try scores.entries() { found[Array(entry.key)] = entry.value.scalar }
        #expect(found == person.scores)
        #expect(try cursor.value(6, at: row).scalar == person.note)
      }
    }
    #expect(count == people.count)
  }
}
