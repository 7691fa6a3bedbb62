import LineEditor
import RealmLanguage
import TestSupport
import Testing

@testable import RealmShell

/// The colours of the text being typed.
@Suite(.serialized) struct HighlighterTests {
  let fixture: TypingFixture
  let highlighter: Highlighter

  init() throws {
    fixture = try TypingFixture()
    highlighter = Highlighter(NameResolver(session: fixture.session))
  }

  /// Letters for the looks: b bold, g green, c cyan, m magenta, d dim, r red, u underlined.
  private func looks(
    _ text: String, cursor: Int? = nil, isSettled: Bool = true, _ given: Highlighter? = nil
  ) -> String {
    var result = Array(repeating: Character("."), count: text.utf8.count)
    let ranges = (given ?? highlighter).styles(
      of: text, cursor: cursor ?? text.utf8.count, isSettled: isSettled)
    for styled in ranges {
      let letter: Character =
        switch styled.style {
        case TextStyle(isBold: true): "b"
        case TextStyle(.green): "g"
        case TextStyle(.cyan): "c"
        case TextStyle(.magenta): "m"
        case TextStyle(isDim: true): "d"
        case TextStyle(.red): "r"
        case TextStyle(isUnderlined: true): "u"
        default: "?"
        }
      for index in styled.range { result[index] = letter }
    }
    for (a, b) in zip(ranges, ranges.dropFirst()) {
      #expect(a.range.upperBound <= b.range.lowerBound, "\(text)")
    }
    return String(result)
  }

  @Test(arguments: [
    ("where Dog age > 3 # old", "bbbbb...........c.ddddd"),
    ("count Dog where name == \"x\" and age < $n", "bbbbb.....bbbbb.........ggg.bbb.......mm"),
    ("set Dog 1 name = 'a', age += 1", "bbb.....c........ggg.........c"),
    ("get Person(1).dogs show name", "bbb........c.......bbbb....."),
    (
      "print uuid(3b241101-e2bb-4255-8caf-4136c566a962)",
      "bbbbb." + String(repeating: "c", count: 42)
    ),
    ("open my-1.realm key \"file:x\"", "bbbb............bbb.gggggggg"),
    ("! echo 1 # x", "............"), ("help where", "bbbb......"),
    ("where Dog SORT(age DESC)", "bbbbb.....bbbb.....bbbb."),
    ("add Dog {_id: 2024-05-01, x: \"op", "bbb...........cccccccccc..r..ggg"),
  ])
  func colours(_ text: String, _ expected: String) {
    #expect(looks(text, cursor: 0) == expected)
  }

  @Test func unknownNamesAreRedWhenTheCursorHasLeft() {
    #expect(looks("where Dgo age", cursor: 13) == "bbbbb.rrr....")
    #expect(looks("where Dgo", cursor: 9) == "bbbbb....")
    #expect(looks("where Dog agee > 3", cursor: 18) == "bbbbb.....rrrr...c")
    #expect(looks("where Person address.cty == 1", cursor: 29) == "bbbbb................rrr....c")
    #expect(looks("where Dog owner.name == 1", cursor: 25) == "bbbbb...................c")
    #expect(
      looks("where Dog SUBQUERY(owner.dogs, $d, $d.agee > 1).@count > 0", cursor: 0)
        .contains("rrrr"))
    #expect(
      looks("class Fresh { a: int }\nadd Fresh {a: 1}", cursor: 0)
        == "bbbbb.................." + "bbb...........c.")
  }

  @Test func namesAreLookedUpWhenThereIsTime() {
    #expect(looks("where Dgo age", isSettled: false) == "bbbbb........")
    #expect(looks("where Dgo age") == "bbbbb.rrr....")
    #expect(looks("where Dgo age >", isSettled: false) == "bbbbb..........")
  }

  @Test func theMatchingBracketIsUnderlined() {
    #expect(looks("print (1 + (2))", cursor: 15) == "bbbbb.uc....c..")
    #expect(looks("print (1 + (2))", cursor: 14) == "bbbbb..c...uc..")
    #expect(looks("print (1 + (2))", cursor: 7) == "bbbbb..c....c.u")
    #expect(looks("print \"(\" )", cursor: 8) == "bbbbb.ggg..")
    #expect(looks("print (1", cursor: 7) == "bbbbb..c")
  }

  @Test func colouringBitByBitGivesWhatColouringAtOnceGives() {
    var random = SplitMix64(seed: 5)
    var generator = StatementGenerator(seed: 9)
    let verbs = Grammar.verbs.map(\.name)
    let long = "write { " + String(repeating: "set Dog 1 age = (1 + \"x\")\n", count: 900) + "}"
    var text = "# start\n"
    for step in 0..<400 {
      let isInsertion = text.isEmpty || Bool.random(using: &random)
      var characters = Array(text)
      let at = Int.random(in: 0...characters.count, using: &random)
      if step == 150 {
        characters.insert(contentsOf: long, at: at)
      } else if isInsertion {
        let verb = verbs[Int.random(in: 0..<verbs.count, using: &random)]
        let statement = StatementGenerator.text(of: generator.statement(of: verb) ?? [])
        let piece = Bool.random(using: &random) ? statement + "\n" : String(statement.prefix(3))
        characters.insert(contentsOf: piece, at: at)
      } else {
        let end = min(characters.count, at + Int.random(in: 1...9, using: &random))
        characters.removeSubrange(at..<end)
      }
      text = String(characters)
      if step % 5 > 0 { _ = looks(text, isSettled: false) }
      if step % 3 == 0 {
        let fresh = Highlighter(NameResolver(session: fixture.session))
        #expect(looks(text) == looks(text, fresh), "step \(step)")
      }
    }
  }
}
