import TestSupport

/// Statements that make a database with values of all types, links of all kinds and cycles.
struct RandomDatabase {
  /// The statements.
  private(set) var script = ""

  private var random: SplitMix64
  /// Names of the objects that can be linked to, by class.
  private var objects: [String: [String]] = [:]

  private static let scalars: [(type: String, values: [String])] = [
    ("bool", ["true", "false"]),
    ("int", ["0", "-1", "9223372036854775807", "-9223372036854775808", "42"]),
    (
      "float",
      [
        "0.1", "-0.0", "1e-45", "3.4028235e38", "nan", "inf", "-inf", "16777216",
        "nan(\"ffc00001\")",
      ]
    ),
    (
      "double",
      [
        "0.1", "-0.0", "5e-324", "1.7976931348623157e308", "nan", "-inf",
        "nan(\"fff8000000000000\")", "4.467409913479521e-305",
      ]
    ),
    (
      "decimal128",
      [
        "decimal(\"1.50\")", "decimal(\"-0\")", "decimal(\"NaN\")", "decimal(\"-Infinity\")",
        "decimal(\"9.999999999999999999999999999999999E6144\")", "7", "12345678901234567890",
      ]
    ),
    (
      "string",
      [
        "\"\"", "\"null\"", "\"a \\\"quoted\\\" \\\\ text\"", "\"two\\nlines\\r\\t\"", "\"狗狗\"",
        "\"\\u0000\\u007f\"", "\"it's $x; {\"", "\"3\"",
      ]
    ),
    ("data", ["B64\"\"", "hex(\"00ff10\")", "binary(\"it's\")"]),
    (
      "date",
      [
        "2024-05-01", "1969-12-31T23:59:59.999999999Z", "T253402300800:5", "T-62167219201:-1",
        "T9223372036854775807:0", "T0:0",
      ]
    ),
    ("objectId", ["oid(64f1c2a90f3b5d0012ab34cd)", "oid(000000000000000000000000)"]),
    ("uuid", ["uuid(3b241101-e2bb-4255-8caf-4136c566a962)"]),
  ]
  private static let keys = ["a", "\"two words\"", "\"\"", "\"é\"", "\"null\"", "\"1\"", "owner"]
  private static let identities: [(type: String, key: @Sendable (Int) -> String)] = [
    ("int", { "\($0 - 3)" }), ("string", { "\"key \($0) 'q'\"" }),
    ("uuid", { "uuid(3b241101-e2bb-4255-8caf-4136c566a9\(10 + $0))" }),
    ("objectId?", { $0 == 0 ? "null" : "oid(64f1c2a90f3b5d0012ab34\(10 + $0))" }),
  ]
  private static let classes = ["Keyed", "Plain", "`odd class`"]

  /// - Parameter deletes: Whether objects are deleted, so that object keys have gaps.
  init(seed: UInt64, deletes: Bool) {
    random = SplitMix64(seed: seed)
    let identity = Self.identities.randomElement(using: &random) ?? Self.identities[0]
    let types = declare(identity.type)
    for name in Self.classes {
      for i in 0..<Int.random(in: 2...7, using: &random) {
        let key = name == "Keyed" ? "_id: \(identity.key(i)), " : ""
        script += "add \(name) {\(key)\(values(types))}\n"
        objects[name, default: []].append(
          name == "Keyed" ? "Keyed(\(identity.key(i)))" : "\(name)#\(i)")
      }
    }
    for object in Self.classes.flatMap({ objects[$0] ?? [] }) {
      script += "set \(object) \(links())\n"
    }
    if deletes {
      for name in Self.classes { script += "delete \(objects[name]?.first ?? "")\n" }
    }
    script += "schema version \(Int.random(in: 0...9, using: &random))\n"
  }

  private mutating func declare(_ identity: String) -> [(name: String, values: [String])] {
    var types: [(name: String, values: [String])] = []
    var properties: [String] = []
    for scalar in Self.scalars {
      for mark in ["", "?", "[]", "?[]", "<>", "?<>", "{}", "?{}"] where Bool.random(using: &random)
      {
        let name = "`p \(types.count)`"
        properties.append("\(name): \(scalar.type)\(mark)")
        types.append((name, collection(mark, scalar.values)))
      }
    }
    let links = Self.classes.enumerated().map { i, name in
      "one\(i): \(name)?, many\(i): \(name)[], some\(i): \(name)<>, named\(i): \(name){}"
    }.joined(separator: ", ")
    let parts = "part: Part?, parts: Part[], partsByName: Part{}"
    let mixed = "m: mixed, ms: mixed[], mset: mixed<>, md: mixed{}"
    script += "write {\n"
    for name in Self.classes {
      let own = name == "Keyed" ? "_id: \(identity) primary, " : ""
      let all = ([own + links, parts, mixed] + properties).joined(separator: ", ")
      script += "class \(name) { \(all) }\n"
    }
    script += "class Part embedded { n: int?, to: Plain?, any: mixed, inner: Detail[] }\n"
    script += "class Detail embedded { to: Keyed?, any: mixed }\n}\n"
    return types
  }

  /// Values of a property, each in turn.
  private func collection(_ mark: String, _ values: [String]) -> [String] {
    let all = mark.hasPrefix("?") ? values + ["null"] : values
    if mark.hasSuffix("[]") || mark.hasSuffix("<>") {
      return ["[]", "[\(all.joined(separator: ", "))]", "[\(all[0])]"]
    }
    if mark.hasSuffix("{}") {
      let entries = zip(Self.keys, all + all).map { "\($0): \($1)" }
      return ["{}", "{\(entries.joined(separator: ", "))}"]
    }
    return all
  }

  private mutating func values(_ types: [(name: String, values: [String])]) -> String {
    types.map { "\($0.name): \($0.values.randomElement(using: &random) ?? "null")" }
      .joined(separator: ", ")
  }

  // MARK: Links

  private mutating func object(of name: String) -> String {
    objects[name]?.randomElement(using: &random) ?? "null"
  }

  private mutating func links() -> String {
    var changes: [String] = []
    for (i, name) in Self.classes.enumerated() {
      let (one, two) = (object(of: name), object(of: name))
      if Bool.random(using: &random) { changes.append("one\(i) = \(one)") }
      if Bool.random(using: &random) { changes.append("many\(i) = [\(one), \(two), \(one)]") }
      if Bool.random(using: &random) { changes.append("some\(i) = [\(two), \(one)]") }
      if Bool.random(using: &random) {
        changes.append("named\(i) = {a: \(one), \"two words\": null, é: \(two)}")
      }
    }
    if Bool.random(using: &random) { changes.append("part = \(part())") }
    changes.append("parts = [\(part()), \(part())]")
    if Bool.random(using: &random) {
      changes.append("partsByName = {x: \(part()), y: null}")
    }
    changes.append("m = \(mixed(depth: 0))")
    changes.append("ms = [\(mixed(depth: 0)), \(mixed(depth: 0)), null]")
    changes.append("mset = [\(mixedScalar()), \(mixedScalar()), null]")
    if Bool.random(using: &random) { changes.append("md = {a: \(mixed(depth: 0)), \"\": null}") }
    return changes.joined(separator: ", ")
  }

  private mutating func part() -> String {
    let inner =
      Bool.random(using: &random)
      ? "{to: \(object(of: "Keyed")), any: \(mixed(depth: 2))}, {to: null}" : ""
    return "{n: 7, to: \(object(of: "Plain")), any: \(mixed(depth: 2)), inner: [\(inner)]}"
  }

  private mutating func mixedScalar() -> String {
    if Bool.random(using: &random) {
      return object(of: Self.classes.randomElement(using: &random) ?? "Plain")
    }
    let scalar = Self.scalars.randomElement(using: &random) ?? Self.scalars[0]
    let value = scalar.values.randomElement(using: &random) ?? "null"
    guard scalar.type == "float" else { return value }
    return value.last?.isNumber == true ? value + "f" : "float(\(value))"
  }

  private mutating func mixed(depth: Int) -> String {
    switch Int.random(in: 0...5, using: &random) {
    case 0 where depth < 3: "[\(mixed(depth: depth + 1)), \(mixedScalar())]"
    case 1 where depth < 3: "{k: \(mixed(depth: depth + 1)), \"two words\": \(mixedScalar())}"
    case 2: "null"
    default: mixedScalar()
    }
  }
}
