import TestSupport
import Testing

/// What `export` writes, `import` reads back equal: random objects with properties of all types, in
/// all formats.
struct ImportRoundTripTests {
  private static let types = [
    "bool", "int", "float", "double", "decimal128", "string", "data", "date", "objectId", "uuid",
  ]

  /// The classes: each type as a value and in collections, required and nullable; links, embedded
  /// objects, mixed values.
  private static let schema: String = {
    var properties = ["_id: int primary"]
    for type in types {
      for (name, mark) in [("", ""), ("OrNull", "?")] {
        properties.append("\(type)\(name): \(type)\(mark)")
        properties.append("\(type)\(name)List: \(type)\(mark)[]")
        properties.append("\(type)\(name)Set: \(type)\(mark)<>")
        properties.append("\(type)\(name)Map: \(type)\(mark){}")
      }
    }
    for (name, mark) in [("", ""), ("List", "[]"), ("Set", "<>"), ("Map", "{}")] {
      properties.append("mixed\(name): mixed\(mark)")
    }
    properties += [
      "friend: Thing?", "friends: Thing[]", "friendSet: Thing<>", "friendMap: Thing?{}",
      "named: Named?", "nameds: Named[]", "part: Part?", "parts: Part[]", "partMap: Part?{}",
    ]
    return """
      write {
      class Thing { \(properties.joined(separator: ", ")) }
      class Named { key: string? primary }
      class Part embedded { text: string?, number: int, inner: Inner?, friend: Thing? }
      class Inner embedded { day: date?, any: mixed, words: string[] }
      }

      """
  }()

  /// Literals of random values.
  private struct Literals {
    var random: SplitMix64
    let count: Int

    private mutating func chance(_ percent: Int) -> Bool {
      Int.random(in: 0..<100, using: &random) < percent
    }

    private mutating func one(of texts: [String]) -> String {
      texts[Int.random(in: 0..<texts.count, using: &random)]
    }

    private mutating func digits(_ count: Int, _ alphabet: String = "0123456789abcdef") -> String {
      String((0..<count).map { _ in alphabet.randomElement(using: &random) ?? "0" })
    }

    mutating func value(_ type: String) -> String {
      switch type {
      case "bool": one(of: ["true", "false"])
      case "int":
        one(of: ["0", "-1", "9223372036854775807", "-9223372036854775808", digits(5, "123456789")])
      case "float": one(of: ["0.0", "-0.0", "1.5", "3.4028235e+38", "1e-45", "0.1", "-inf", "inf"])
      case "double":
        one(of: ["0.0", "-0.0", "1.0", "1e+300", "5e-324", "0.1", "123456789.125", "-inf", "inf"])
      case "decimal128":
        one(of: [
          "decimal(\"1.50\")", "decimal(\"-0\")", "decimal(\"1E-6000\")", "decimal(\"12345678\")",
          "decimal(\"1234567890123456789012345678901234\")", "decimal(\"inf\")",
        ])
      case "string": string()
      case "data": one(of: ["B64\"\"", "B64\"AA==\"", "B64\"3q2+7w==\"", "hex(\"\(digits(20))\")"])
      case "date":
        one(of: [
          "2024-05-01T12:00:00Z", "1969-12-31T23:59:59.5Z", "T0:1", "0001-01-01",
          "9999-12-31T23:59:59.999999999Z", "T\(digits(9, "123456789")):\(digits(3, "123456789"))",
        ])
      case "objectId": "oid(\(digits(24)))"
      default: "uuid(\(digits(8))-\(digits(4))-\(digits(4))-\(digits(4))-\(digits(12)))"
      }
    }

    private mutating func string() -> String {
      let parts = [
        "a", "", " ", ",", "\\\"", "\\n", "\\r\\n", "\\t", "\\\\", "\\\\N", "null", "NA", "[]",
        "{", "狗狗", "é", "😀", "$", "'", "\\u0000", "\\u001f", ";", "0",
      ]
      let length = Int.random(in: 0...4, using: &random)
      return "\"" + (0..<length).map { _ in one(of: parts) }.joined() + "\""
    }

    private mutating func mixed(_ depth: Int, links: ClosedRange<Int>) -> String {
      switch Int.random(in: 0..<(depth > 0 ? 17 : 13), using: &random) {
      case 0: "null"
      case 1: "Thing(\(Int.random(in: links, using: &random)))"
      case 2: "\(value("float"))".last == "f" ? "1.5f" : "2.5f"
      case 13, 14:
        "[" + (0..<3).map { _ in mixed(depth - 1, links: links) }.joined(separator: ", ") + "]"
      case 15, 16:
        "{" + (0..<3).map { "k\($0): \(mixed(depth - 1, links: links))" }.joined(separator: ", ")
          + "}"
      default: value(one(of: ImportRoundTripTests.types.filter { $0 != "float" }))
      }
    }

    private mutating func collection(_ mark: String, _ element: (inout Literals) -> String)
      -> String
    {
      let members = (0..<Int.random(in: 0...3, using: &random)).map { _ in element(&self) }
      guard mark == "Map" else { return "[" + members.joined(separator: ", ") + "]" }
      let keys = ["a", "\"b c\"", "\"狗\"", "\"\""]
      return "{"
        + zip(keys, members).map { "\($0): \($1)" }.joined(separator: ", ") + "}"
    }

    /// An object that links to those of `links` only.
    mutating func object(_ id: Int, links: ClosedRange<Int>) -> String {
      var fields = ["_id: \(id)"]
      func link(_ literals: inout Literals) -> String {
        "Thing(\(Int.random(in: links, using: &literals.random)))"
      }
      for type in ImportRoundTripTests.types {
        for isNullable in [false, true] {
          let name = type + (isNullable ? "OrNull" : "")
          func element(_ literals: inout Literals) -> String {
            isNullable && literals.chance(30) ? "null" : literals.value(type)
          }
          fields.append("\(name): \(element(&self))")
          for mark in ["List", "Set", "Map"] {
            fields.append("\(name)\(mark): \(collection(mark, element))")
          }
        }
      }
      fields.append("mixed: \(mixed(3, links: links))")
      fields.append("mixedList: \(collection("List") { $0.mixed(2, links: links) })")
      fields.append("mixedSet: \(collection("Set") { $0.mixed(0, links: links) })")
      fields.append("mixedMap: \(collection("Map") { $0.mixed(2, links: links) })")
      if chance(70) { fields.append("friend: \(link(&self))") }
      fields.append("friends: \(collection("List", link))")
      fields.append("friendSet: \(collection("Set", link))")
      fields.append("friendMap: \(collection("Map") { $0.chance(30) ? "null" : link(&$0) })")
      func named(_ literals: inout Literals) -> String {
        "Named(\(literals.one(of: ["\"\"", "\"a,b\"", "\"x\\ny\""])))"
      }
      if chance(70) { fields.append("named: \(named(&self))") }
      fields.append("nameds: \(collection("List", named))")
      func part(_ literals: inout Literals) -> String {
        let inner =
          literals.chance(50)
          ? "{day: \(literals.value("date")), any: \(literals.mixed(1, links: links)), words: [\(literals.string())]}"
          : "null"
        return
          "{text: \(literals.string()), number: 3, inner: \(inner), friend: \(link(&literals))}"
      }
      if chance(70) { fields.append("part: \(part(&self))") }
      fields.append("parts: \(collection("List", part))")
      fields.append("partMap: \(collection("Map") { $0.chance(30) ? "null" : part(&$0) })")
      return "{\(fields.joined(separator: ", "))}"
    }

    /// Statements that make the objects, some with links to later ones.
    mutating func statements() -> String {
      var text = "add Named {key: \"\"}, {key: \"a,b\"}, {key: \"x\\ny\"}\nwrite {\n"
      // The first one has nobody to link to but itself.
      for id in 1...count {
        let required = ImportRoundTripTests.types.map { "\($0): \(value($0))" }
        text += "add Thing {_id: \(id), \(required.joined(separator: ", "))}\n"
      }
      for id in 1...count { text += "upsert Thing \(object(id, links: 1...count)) policy all\n" }
      return text + "}\n"
    }
  }

  @Test(arguments: ["csv", "tsv", "json", "jsonl"])
  func whatIsExportedIsImportedEqual(_ format: String) {
    let folder = TemporaryFolder()
    var literals = Literals(
      random: SplitMix64.fresh(for: "import round trip \(format)"), count: 25)
    folder.write(Array(Self.schema.utf8), to: "schema.realmsh")
    folder.write(Array(literals.statements().utf8), to: "objects.realmsh")
    let made = Realmsh.run(
      "-q", "--new", "a.realm", "-f", "schema.realmsh", "-f", "objects.realmsh",
      "-c", "export Thing to a.\(format)", "-c", "export Named to named.\(format)",
      "-c", "export Thing to a-all.jsonl", folder: folder.path)
    #expect(made.status == 0, "\(made.errorText)")
    for (name, statement) in [
      ("b", "import Thing from a.\(format)"),
      ("c", "import Thing from a.\(format) upsert policy all"),
      ("d", "import Thing from a.\(format); import Thing from a.\(format) upsert"),
    ] {
      let read = Realmsh.run(
        "-q", "--new", "\(name).realm", "-f", "schema.realmsh",
        "-c", "import Named from named.\(format)", "-c", statement,
        "-c", "export Thing to \(name)-all.jsonl", "-c", "check", folder: folder.path)
      #expect(read.status == 0, "\(statement): \(read.errorText.prefix(2000))")
      let (first, second) = (
        Files.readText(folder.file("a-all.jsonl")), Files.readText(folder.file("\(name)-all.jsonl"))
      )
      #expect(first == second, "\(statement): \(firstDifference(first, second).prefix(2000))")
    }
  }
}
