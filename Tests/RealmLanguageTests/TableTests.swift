import RealmLanguage
import Testing

@Suite struct SpellingTests {
  @Test(arguments: [
    ("Dgo", "Dog"), ("dog", "Dog"), ("agee", "age"), ("x", nil), ("nmae", "name"),
    ("citiesVisted", "citiesVisited"), ("completely", nil), ("Dog", nil), ("ag", "age"),
    ("1", nil), ("in", nil), ("no", "No"), ("on", "No"), ("ww", nil), ("W", "w"),
  ])
  func nearest(_ name: String, _ wanted: String?) {
    let names = ["Dog", "Person", "age", "name", "citiesVisited", "w", "No"]
    #expect(Spelling.nearest(to: name, among: names) == wanted)
  }
}

@Suite struct FileSpellingTests {
  @Test(arguments: [
    ("dog.realm", "dogs.realm"), ("dgs.realm", "dogs.realm"), ("my.real", "my.realm"),
    ("x.realm", nil), ("by.realm", "my.realm"), ("mroe.csv", "more.csv"), ("more.cvs", "more.csv"),
    ("dogs.csv", nil), ("README", nil), ("REDME", "README"), (".a", nil),
  ])
  func nearestFile(_ name: String, _ wanted: String?) {
    let names = ["dogs.realm", "my.realm", "more.csv", "README"]
    #expect(Spelling.nearestFile(to: name, among: names) == wanted)
  }
}

@Suite struct GrammarTests {
  @Test(arguments: Grammar.verbs.map(\.name)) func rowsAreComplete(_ name: String) throws {
    let verb = try #require(Grammar.verb(named: name.uppercased()))
    #expect((2...4).contains(verb.examples.count))
    #expect(verb.synopsis.hasPrefix(verb.name))
    #expect(verb.effect.hasSuffix("."))
    for other in verb.seeAlso { #expect(Grammar.verb(named: other) != nil, "\(other)") }
    for example in verb.examples {
      let statement = try #require(try StatementParser.parse(example).first, "\(example)")
      #expect(outline(statement.body).hasPrefix(verb.name), "\(example)")
    }
  }

  @Test func functionsAreNamedByTheirForm() {
    #expect(Grammar.function(named: "UPPER")?.form == "upper(s)")
    #expect(Grammar.function(named: "if")?.argumentCount == 3...3)
    #expect(Set(Grammar.functions.map(\.name)).count == Grammar.functions.count)
  }

  @Test func flatteningAppendsAtTheEnd() throws {
    func order(_ text: String) throws -> [String] {
      try PredicateParser.parse(text).predicate.flattenedOperands.map { CanonicalText.string($0) }
    }
    let a = "a == 1"
    let b = "b == 1"
    let c = "c == 1"
    let d = "d == 1"
    #expect(try order(a) == [a])
    #expect(try order("\(a) and \(b)") == [a, b])
    #expect(try order("\(a) and \(b) and \(c) and \(d)") == [d, c, a, b])
    #expect(try order("\(a) or (\(b) or \(c))") == [a, b, c])
    #expect(try order("(\(a) and \(b)) and (\(c) and \(d))") == [a, b, c, d])
    #expect(try order("\(a) or \(b) and \(c)") == [a, "\(b) and \(c)"])
  }
}
