import TestSupport
import Testing

/// Every way out of a database and back again gives equal data.
struct RoundTripTests {
  private let folder = TemporaryFolder()

  @discardableResult
  private func run(
    _ arguments: String..., input: String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) -> String {
    let result = Realmsh.run(arguments, input: input, folder: folder.path)
    #expect(
      result.status == 0, "\(arguments): \(result.errorText.prefix(1000))",
      sourceLocation: sourceLocation)
    return result.outputText
  }

  /// All objects and the schema as they are exported; objects without primary key are numbered, so
  /// that gaps between their keys do not show.
  private func content(_ name: String) -> [String: String] {
    let out = name + "-content"
    run("-q", "-r", name, "export all to \(out)")
    return Dictionary(
      uniqueKeysWithValues: Files.names(in: folder.file(out)).map {
        ($0, Files.readText("\(folder.file(out))/\($0)"))
      })
  }

  private func expectEqual(
    _ name: String, _ expected: [String: String], _ way: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let found = content(name)
    #expect(found.keys.sorted() == expected.keys.sorted(), "\(way)", sourceLocation: sourceLocation)
    for (file, text) in expected where found[file] != text {
      Issue.record(
        "\(way): \(file): \(firstDifference(text, found[file] ?? "").prefix(500))",
        sourceLocation: sourceLocation)
    }
    #expect(
      run("-r", name, "check deep").contains("no findings"), "\(way)",
      sourceLocation: sourceLocation)
  }

  /// The databases, and the classes in an order in which they can be imported; nil where classes
  /// without primary key link to each other in a circle.
  private static let databases: [(name: String, classes: [String]?)] = [
    ("dogs.realm", ["DogToy", "Dog", "Person", "DogClub"]), ("empty.realm", []),
    ("nohistory.realm", ["Plain", "no prefix"]),
    ("rql-scalars.realm", ["Memo", "MemoBox", "Pat", "Gauge"]),
    ("31", nil), ("35", nil),
  ]

  @Test(arguments: databases.indices)
  func everyWayBack(_ index: Int) throws {
    let (name, classes) = RoundTripTests.databases[index]
    if let seed = UInt64(name) {
      run(
        "-q", "--new", "a.realm", input: RandomDatabase(seed: seed, deletes: seed % 4 == 3).script)
    } else {
      folder.copy(Realmsh.fixture(name), as: "a.realm")
    }
    let expected = content("a.realm")
    for way in ["copy", "compact", "upgrade"] {
      run("-r", "a.realm", "\(way) to \(way).realm")
      run("-r", "\(way).realm", "diff a.realm")
    }
    run("-q", "-r", "a.realm", "encrypt to e.realm key \"new:e.key\"")
    run("-q", "-r", "-k", "e.key", "e.realm", "rekey to r.realm key \"new:r.key\"")
    run("-q", "-r", "-k", "r.key", "r.realm", "decrypt to d.realm")
    for (key, file) in [("e.key", "e.realm"), ("r.key", "r.realm")] {
      run("-r", "a.realm", "diff \(file) key \(key)")
    }
    run("-r", "d.realm", "diff a.realm")
    expectEqual("d.realm", expected, "decrypt")

    run("-q", "--new", "dump.realm", input: run("-r", "a.realm", "dump"))
    expectEqual("dump.realm", expected, "dump")
    for format in ["jsonl", "csv"] {
      run("-q", "-r", "a.realm", "export all to \(format) format \(format)")
      guard let classes else { continue }
      let imports = classes.map { "import `\($0)` from \"\(format)/\($0).\(format)\"" }
      run(
        "-q", "--new", "\(format).realm", "source \(format)/schema.realmsh",
        imports.joined(separator: "\n"))
      expectEqual("\(format).realm", expected, format)
    }
    run("-q", "-r", "a.realm", "export all to a.sqlite")
    let checked = Process.run(
      "/bin/sh", ["-c", "sqlite3 a.sqlite 'PRAGMA integrity_check; PRAGMA foreign_key_check'"],
      folder: folder.path)
    #expect(checked.outputText == "ok\n", "\(checked.errorText)")
  }

  // MARK: What is easily lost

  /// Old files have such keys, damaged ones such texts; what is not a number carries bits.
  @Test func oddValuesComeBack() {
    run(
      "-q", "--new", "a.realm", "class T { m: int{}, any: mixed, s: string, d: decimal128 }",
      """
      add T {m: {"\\u0024a": 1, "a\\u002eb": 2, "c$": 3}, any: {"\\u0024link": "T"}, s: "é\\xff\\x80é", \
      d: decimal("0x7c00000000000000000000000000007b")}
      add T {m: {}, any: decimal("0xfc00000000000000000000000000007b"), s: "", d: decimal("-0E-3")}
      """)
    let dump = run("-r", "a.realm", "dump")
    #expect(dump.contains("m: {\"\\u0024a\": 1, \"a\\u002eb\": 2, \"c$\": 3}"))
    #expect(
      dump.contains("s: \"é\\xff\\x80é\", d: decimal(\"0x7c00000000000000000000000000007b\")"))
    run("-q", "--new", "b.realm", input: dump)
    run("-r", "b.realm", "diff a.realm")
    run("-q", "--new", "copy.realm", "class T { m: int{}, any: mixed, s: string, d: decimal128 }")
    run("-q", "a.realm", "open copy.realm as other", "use a", "copy T into other")
    run("-r", "copy.realm", "diff a.realm data")
    // JSON has no place for the texts and the bits.
    run("-q", "a.realm", "export T show m, any to t.jsonl", "export T show m, any to t.csv")
    for format in ["jsonl", "csv"] {
      run(
        "-q", "--new", "\(format).realm", "class T { m: int{}, any: mixed }",
        "import T from t.\(format)")
      #expect(
        run("-r", "\(format).realm", "where T show m") == run("-r", "a.realm", "where T show m"))
    }
    for (statement, error) in [
      ("add T {m: {\"$a\": 1}, s: \"\", d: 0}", "InvalidDictionaryKey"),
      ("add T {m: {\"a.b\": 1}, s: \"\", d: 0}", "InvalidDictionaryKey"),
      ("add T {m: {\"\\xff\": 1}, s: \"\", d: 0}", "Syntax"),
      ("print \"\\x41\"", "Syntax"), ("print \"\\xf\"", "Syntax"),
    ] {
      let result = Realmsh.run("a.realm", statement, folder: folder.path)
      #expect(result.status == 1 && result.errorText.contains("[\(error)]"), "\(statement)")
    }
  }

  /// No link and one to the object with the key null are two things.
  @Test func linksToNullComeBack() {
    let schema =
      "write { class K { k: string? primary, to: K?, all: K[], byName: K{}, any: mixed } }"
    run(
      "-q", "--new", "a.realm", schema,
      """
      add K {k: null}, {k: "a"}
      set K("a") to = K(null), all = [K(null), K("a")], byName = {x: K(null), y: null}, any = [K(null)]
      """, "export K to k.jsonl", "export K to k.csv", "export K to k.json")
    for format in ["jsonl", "json", "csv"] {
      run("-q", "--new", "\(format).realm", schema, "import K from k.\(format)")
      run("-r", "\(format).realm", "diff a.realm")
    }
  }

  /// Classes that name each other can be declared from what was written, whatever runs it.
  @Test func schemaScriptsLoadAsTheyStand() {
    run(
      "-q", "--new", "a.realm",
      """
      write {
        class Person { _id: int primary, dogs: Dog[], clubs: @links.Club.members }
        class Dog { name: string, owners: @links.Person.dogs, keepers: @links.Person.dogs, at: Place? }
        class Club { members: Person[] }
        class Place embedded { lat: double }
      }
      """, "schema to s.realmsh", "export all to out", "output plain.realmsh", "schema")
    let script = Files.readText(folder.file("s.realmsh"))
    #expect(script.hasPrefix("write {\n  class Person {\n"))
    #expect(script.contains("    keepers: @links.Person.dogs\n"))
    #expect(Files.readText(folder.file("out/schema.realmsh")) == script)
    for (i, arguments) in [
      ["-f", "s.realmsh"], ["-c", "source out/schema.realmsh"], ["--schema", "s.realmsh"],
    ].enumerated() {
      let result = Realmsh.run(
        ["-q", "--new", "\(i).realm"] + arguments + ["-c", "schema"], folder: folder.path)
      #expect(result.status == 0, "\(result.errorText)")
      #expect(result.outputText == Files.readText(folder.file("plain.realmsh")))
      run("-r", "\(i).realm", "diff a.realm")
    }
    let alone = Realmsh.run("--memory", "class A { b: B? }", folder: folder.path)
    #expect(alone.errorText.contains("classes that name each other stand in one write { ... }"))
    let misspelt = Realmsh.run("--memory", "class Berry { b: Bery? }", folder: folder.path)
    #expect(misspelt.errorText.contains("did you mean Berry?"))
  }

  /// A class is shown with what leads back to it, also without the class that links.
  @Test func computedPropertiesStayWithTheirClass() {
    let schema = "write { class P { d: Dog? }; class Dog { n: int, owners: @links.P.d } }"
    run("-q", "--new", "a.realm", schema, "schema Dog to dog.realmsh", "dump Dog to dog.dump")
    let shown = run(
      "--memory", "-q", schema, "schema Dog", "schema Dog as swift",
      "migrate to 1 { class Dog { keepers: @links.P.d } }", "schema Dog")
    #expect(shown.contains("class Dog {\n  n: int\n  owners: @links.P.d\n}\n"))
    #expect(shown.contains("@Persisted(originProperty: \"d\") var owners: LinkingObjects<P>\n"))
    #expect(shown.contains("  owners: @links.P.d\n  keepers: @links.P.d\n}\n"))
    for name in ["dog.realmsh", "dog.dump"] {
      #expect(Files.readText(folder.file(name)).contains("  # owners: @links.P.d\n"))
      run("-q", "--new", name + ".realm", "-f", name)
    }
  }
}
