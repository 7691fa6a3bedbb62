import RealmStorage
import RealmValues

/// Persons with two dogs each and a favourite one: person number p has the dogs 2p and 2p + 1.
enum Person {
  static func dogAge(_ dog: Int64) -> Int64 { Int64(Item.random(11, dog) % 15) }

  /// The dog that a person likes best; not always one of the own.
  static func favourite(_ person: Int64, count: Int64) -> Int64 {
    Item.probe(person, count: 2 * count)
  }

  /// Writes the persons and twice as many dogs into a new file.
  static func write(_ count: Int64, to path: String) throws(StorageError) {
    let database = try Database.create(path: path)
    let transaction = try database.beginWrite()
    try transaction.setSchemaVersion(0)
    let dogs = try makeTable(transaction, "class_Dog", [])
    let persons = try makeTable(
      transaction, "class_Person",
      [
        ColumnDefinition("favourite", .link, target: dogs),
        ColumnDefinition("dogs", .link, collection: .list, target: dogs),
      ])
    var dogKeys: [ObjectKey] = []
    let dogAppender = try transaction.appender(dogs)
    for number in 0..<2 * count {
      try dogAppender.set(0, .int(number))
      try dogAppender.set(1, .string(Item.firstName(Item.random(12, number))))
      try dogAppender.set(2, .int(dogAge(number)))
      dogKeys.append(try dogAppender.append())
    }
    var personKeys: [ObjectKey] = []
    var item = Item()
    let appender = try transaction.appender(persons)
    for number in 0..<count {
      item.become(number)
      try appender.set(0, .int(number))
      try appender.set(1, .string(item.name))
      try appender.set(2, .int(item.age))
      try appender.set(3, .key(dogKeys[Int(favourite(number, count: count))]))
      personKeys.append(try appender.append())
    }
    if let list = try transaction.columnKey(persons, "dogs") {
      for (number, person) in personKeys.enumerated() {
        for place in 0..<2 {
          let dog = dogKeys[2 * number + place]
          try transaction.insert(persons, person, list, at: place, .key(dog))
        }
      }
    }
    try transaction.commit()
  }

  private static func makeTable(
    _ transaction: WriteTransaction, _ name: String, _ more: [ColumnDefinition]
  ) throws(StorageError) -> TableKey {
    let table = try transaction.createTable(name)
    let id = try transaction.addColumn(table, ColumnDefinition("id", .int))
    try transaction.setPrimaryKey(table, id)
    let common = [ColumnDefinition("name", .string), ColumnDefinition("age", .int)]
    for definition in common + more { _ = try transaction.addColumn(table, definition) }
    return table
  }
}
