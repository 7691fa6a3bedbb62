import Glibc
import RealmStorage
import RealmValues

/// The rows that all engines write: object number i is always the same.
struct Item {
  var name: [UInt8] = []
  var age: Int64 = 0
  var weight = 0.0
  var city: [UInt8] = []
  var born = Timestamp(seconds: 0, nanoseconds: 0)
  var score: Int64?
  var email: [UInt8] = []

  private static let first = ["Al", "Be", "Ca", "Do", "Er", "Fi", "Ga", "Hu", "Il", "Jo"]
  private static let second = ["na", "ro", "mi", "la", "vin", "sa", "tor", "lu", "ken", "de"]
  private static let third = [
    "Stein", "Wood", "Berg", "Hill", "Mar", "Nor", "South", "East", "West", "Green", "Black",
    "White", "Red", "Gold", "Silver", "Iron", "Lake", "Field", "Rose", "Thorn",
  ]
  private static let fourth = [
    "man", "son", "ton", "ley", "ford", "well", "er", "s", "bridge", "worth",
  ]
  private static let cities = [
    "Aarhus", "Berlin", "Cairo", "Delhi", "Edinburgh", "Florence", "Geneva", "Hamburg",
    "Istanbul", "Jakarta", "Kyoto", "Lisbon", "Madrid", "Nairobi", "Oslo", "Paris", "Quito",
    "Rome", "Seoul", "Tokyo", "Utrecht", "Vienna", "Warsaw", "Xiamen", "York", "Zurich",
    "Athens", "Boston", "Chicago", "Dublin", "Essen", "Frankfurt", "Glasgow", "Havana",
    "Innsbruck", "Johannesburg", "Krakow", "London", "Montreal", "Naples", "Osaka", "Prague",
    "Reykjavik", "Stockholm", "Toronto", "Uppsala", "Venice", "Wellington", "Yokohama", "Zagreb",
  ].map { Array($0.utf8) }
  private static let names: [[UInt8]] = first.flatMap { a in
    second.flatMap { b in
      third.flatMap { c in fourth.map { Array("\(a)\(b) \(c)\($0)".utf8) } }
    }
  }

  /// A number that depends on nothing but its stream and its position in it.
  static func random(_ stream: UInt64, _ position: Int64) -> UInt64 {
    var z =
      (UInt64(bitPattern: position) &+ 1) &* 0x9E37_79B9_7F4A_7C15
      &+ stream &* 0xD1B5_4A32_D192_ED03
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// The number of the row that is looked up at a position of a sequence of look-ups.
  static func probe(_ position: Int64, count: Int64) -> Int64 {
    Int64(random(21, position) % UInt64(count))
  }

  /// A first name made of a random number.
  static func firstName(_ random: UInt64) -> [UInt8] {
    Array((first[Int(random % 10)] + second[Int((random >> 8) % 10)]).utf8)
  }

  /// Becomes the row of a number.
  mutating func become(_ number: Int64) {
    let r = Item.random(1, number)
    let place =
      Int(r % 10) * 2000 + Int((r >> 8) % 10) * 200 + Int((r >> 16) % 20) * 10
      + Int((r >> 24) % 10)
    name = Item.names[place]
    age = Int64(Item.random(2, number) % 100)
    weight = 2 + Double(Item.random(3, number) >> 11) * (100 / 9_007_199_254_740_992)
    city = Item.cities[Int(Item.random(4, number) % 50)]
    let b = Item.random(5, number)
    born = Timestamp(
      seconds: Int64(b % 1_600_000_000), nanoseconds: Int32((b >> 40) % 1000) * 1_000_000)
    let s = Item.random(6, number)
    score = s % 10 == 0 ? nil : Int64((s >> 8) % 1_000_000)
    makeEmail(r, UInt32(truncatingIfNeeded: Item.random(7, number)), number)
  }

  private mutating func makeEmail(_ r: UInt64, _ random: UInt32, _ number: Int64) {
    email.removeAll(keepingCapacity: true)
    email.append(0x61 + UInt8(r % 26))
    email.append(0x61 + UInt8((r >> 5) % 26))
    email.append(0x2E)
    for shift in stride(from: 28 as UInt32, through: 0, by: -4) {
      let digit = UInt8(random >> shift & 15)
      email.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
    }
    let start = email.count
    var rest = number
    repeat {
      email.insert(0x30 + UInt8(rest % 10), at: start)
      rest /= 10
    } while rest > 0
    email.append(contentsOf: "@example.org".utf8)
  }

  /// Makes the class, with its two indexes.
  static func makeTable(_ transaction: WriteTransaction) throws(StorageError) -> TableKey {
    try transaction.setSchemaVersion(0)
    let table = try transaction.createTable("class_Item")
    let id = try transaction.addColumn(table, ColumnDefinition("id", .int))
    try transaction.setPrimaryKey(table, id)
    let others = [
      ColumnDefinition("name", .string), ColumnDefinition("age", .int),
      ColumnDefinition("weight", .double), ColumnDefinition("city", .string),
      ColumnDefinition("born", .date), ColumnDefinition("score", .int, isNullable: true),
      ColumnDefinition("email", .string),
    ]
    for definition in others {
      let column = try transaction.addColumn(table, definition)
      if definition.name == "email" { try transaction.addIndex(table, column) }
    }
    return table
  }

  /// Adds the row of a number.
  mutating func append(
    _ number: Int64, to appender: ObjectAppender
  ) throws(StorageError) {
    become(number)
    try appender.set(0, .int(number))
    try appender.set(1, .string(name))
    try appender.set(2, .int(age))
    try appender.set(3, .double(weight))
    try appender.set(4, .string(city))
    try appender.set(5, .date(born))
    try appender.set(6, score.map { .int($0) } ?? .null)
    try appender.set(7, .string(email))
    _ = try appender.append()
  }
}
