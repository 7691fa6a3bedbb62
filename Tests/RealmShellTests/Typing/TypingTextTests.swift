import RealmLanguage
import TestSupport
import Testing

@testable import RealmShell

/// Hints, help for a word, pasted text, and what the history keeps.
@Suite(.serialized) struct TypingTextTests {
  @Test(arguments: [
    ("where ", "SOURCE [RQL] [args (...)] [show COLUMN, ...]"),
    ("where", " SOURCE [RQL] [args (...)] [show COLUMN, ...]"),
    ("where Dog ", "[RQL] [args (...)] [show COLUMN, ...]"),
    ("where Dog age ", "OPERATOR"), ("where Dog age > ", "VALUE"),
    (
      "where Dog age > 3 ",
      "[SORT(...)] [DISTINCT(...)] [LIMIT(N)] [and | or PREDICATE] [args (...)] ..."
    ),
    ("add Dog ", "{PROPERTY: VALUE, ...}"), ("add Dog {", "PROPERTY: VALUE"),
    ("get Dog ", "KEY"), ("begin ", "[nowait | timeout DURATION]"), ("config zone ", "[utc local]"),
    ("delete ", "OBJECT | SOURCE (where RQL [args (...)] | all) | everything"),
    ("alter Dog.age: ", "TYPE | CLASS"), ("use ", "[NAME]"),
  ])
  func hints(_ text: String, _ hint: String) {
    #expect(HintMaker().hint(after: text) == hint, "\(text)")
  }

  @Test(arguments: ["", "  ", "wher", "where Do", "cancel ", "where Dog age age ", "cou"])
  func noHints(_ text: String) { #expect(HintMaker().hint(after: text) == nil) }

  @Test func helpForAWord() throws {
    let fixture = try TypingFixture()
    let help = WordHelp(session: fixture.session, names: NameResolver(session: fixture.session))
    #expect(help.text(for: "where Dog age > 3", at: 2)?.hasPrefix("where SOURCE") == true)
    #expect(help.text(for: "where Dog age > 3", at: 7)?.hasPrefix("class Dog {") == true)
    #expect(help.text(for: "where Dog age > 3", at: 11) == "Dog.age: int")
    #expect(help.text(for: "open x readonly", at: 10)?.contains("changes no byte") == true)
    #expect(help.text(for: "where Dog age > 3 ", at: 18)?.hasPrefix("where SOURCE") == true)
    #expect(help.text(for: "print upper(1)", at: 8)?.hasPrefix("upper(s)") == true)
    #expect(help.text(for: "com", at: 3)?.contains("compact") == true)
    #expect(help.text(for: "whe", at: 3)?.hasPrefix("where SOURCE") == true)
    #expect(help.text(for: "", at: 0)?.contains("Database") == true)
  }

  @Test func promptsCopiedAlongAreRemoved() {
    func stripped(_ text: String) -> String { PastedText.withoutPrompts(text, prompt: "my db $ ") }
    #expect(stripped("dogs> count Dog\ndogs*> cancel\n") == "count Dog\ncancel\n")
    #expect(
      stripped("dogs@w:ro> count Dog where\n             age > 3") == "count Dog where\n  age > 3")
    #expect(
      stripped("dogs> write {\n        count Dog\n      }\ndogs> use")
        == "write {\n  count Dog\n}\nuse")
    #expect(stripped("my db $ count Dog") == "count Dog")
    #expect(stripped("dogs> count Dog\n3") == "dogs> count Dog\n3")
    #expect(stripped("count Dog\ndogs> use") == "count Dog\ndogs> use")
    #expect(stripped("count Dog where\n  age > 3") == "count Dog where\n  age > 3")
    #expect(stripped("") == "")
  }

  private func kept(_ text: String) -> [String] {
    EnteredText(text).parts.filter(\.mayBeKept).map(\.text)
  }

  @Test func oneEntryForEachStatement() {
    #expect(
      kept("count Dog; use\nwrite {\n count Dog\n}\n# no\n") == [
        "count Dog", "use", "write {\n count Dog\n}",
      ])
    #expect(kept(" count Dog\nuse") == ["use"])
    #expect(kept("whre Dog; cuont") == ["whre Dog", "cuont"])
  }

  private static let base64 = String(repeating: "QUJD", count: 21) + "QQ=="

  @Test func keysAreNotKept() {
    let hex = String(repeating: "ab", count: 64)
    for text in [
      "open a.realm key \"hex:\(hex)\"", "open a.realm readonly key 'base64:abc'",
      "copy to b.realm key \"bytes:1,2,3\"", "time check a.realm key \"hex:00\" deep",
      "expect error WrongKey: open a.realm key \"hex:00\"", "write { open a key \"hex:00\" }",
      "open a.realm kye \"hex:00\"", "! realmsh -k hex:00 a.realm",
      "info file a key \"hex:00\" | cat", "open a.realm key hex:\(hex)",
      "open a.realm key base64:QUJD", "open a.realm key bytes:1,2,-3",
      "let $k = \"hex:\(hex)\"", "let $k = \"bytes:-1,2\"", "add Dog {name: \"hex:00\"}",
      "open a.realm key \"HEX:\(hex)\"", "open a.realm key 'Base64:abc'",
      "open a.realm key \"\\u0068ex:\(hex)\"", "open a.realm key \"hex\\u003A00\"",
      "open a.realm key \"hex:\\u0030\\u0030\"", "open a.realm key \"hex:\n00\"",
      "open a.realm key \"\(hex)\"", "open a.realm key \(hex.uppercased())",
      "let $k = \"\(hex.dropLast(2))\"", "open a.realm key \"\(Self.base64)\"",
      "! realmsh -k \(hex) a.realm", "open a.realm key \"cmd:echo \(hex)\"",
    ] {
      #expect(kept(text).isEmpty, "\(text)")
    }
    for text in [
      "open a.realm key \"file:hex.key\"", "open hex.realm key \"prompt\"",
      "print \"base64: \" + $x", "class Dog { hex: string, bytes: data }",
      "add Dog {photo: hex(\"\(hex)\")}", "add Dog {photo: B64\"\(Self.base64)\"}",
      "print \"\\n\\u00e9\"", "cd /\(String(repeating: "folder/", count: 20))a",
    ] {
      #expect(kept(text) == [text])
    }
  }

  @Test func whatIsLeftForCorrection() {
    let text = EnteredText("use; count Dgo\ncount Dog\n")
    #expect(text.text(from: text.parts[1]) == "count Dgo\ncount Dog")
    #expect(text.rowStart(of: text.parts[1]) == "use; ")
  }
}
