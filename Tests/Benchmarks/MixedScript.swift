/// A long script as a copy of a database with later changes looks.
enum MixedScript {
  /// What it consists of.
  static let description = """
    in 20 statements 15 plain adds, an add with a list, an embedded object and a link, an upsert, \
    a set, a delete and a query
    """

  /// Statements up to a number of bytes, or a little more.
  static func make(byteCount: Int) -> [UInt8] {
    var script: [UInt8] = []
    script.reserveCapacity(byteCount + 1024)
    var item = Item()
    var number: Int64 = 0
    while script.count < byteCount {
      if number % 100 == 0 { script.append(contentsOf: "# objects from \(number) on\n".utf8) }
      item.become(number)
      script.append(contentsOf: statement(number, item).utf8)
      number += 1
    }
    return script
  }

  private static func statement(_ number: Int64, _ item: Item) -> String {
    let (name, city) = (text(item.name), text(item.city))
    switch number % 20 {
    case 15:
      return """
        add Person {_id: \(number), name: "\(name)", tags: ["new", "\(city)"], \
        address: {street: "Main Street \(item.age)", city: "\(city)"}, \
        friend: Person(\(number / 2)), joined: \(item.born)}

        """
    case 16: return "upsert Item \(object(number, item)) policy modified\n"
    case 17: return "set Item \(number) city = \"\(city)\", age += 1, score = score * 2\n"
    case 18: return "delete Item where age < \(item.age) and city == \"\(city)\"\n"
    case 19:
      return """
        where Item weight > \(item.weight) and name beginswith "Al" SORT(age DESC) LIMIT(10) \
        show name, age * 2 as twice

        """
    default: return "add Item \(object(number, item))\n"
    }
  }

  private static func object(_ number: Int64, _ item: Item) -> String {
    let score = item.score.map { "\($0)" } ?? "null"
    return """
      {id: \(number), name: "\(text(item.name))", age: \(item.age), weight: \(item.weight), \
      city: "\(text(item.city))", born: \(item.born), score: \(score), \
      email: "\(text(item.email))"}
      """
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
