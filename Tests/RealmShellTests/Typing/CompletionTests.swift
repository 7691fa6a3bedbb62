import LineEditor
import RealmLanguage
import RealmObjects
import RealmStorage
import TestSupport
import Testing

@testable import RealmShell

/// What Tab offers.
@Suite(.serialized) struct CompletionTests {
  let fixture: TypingFixture
  let completer: Completer

  init() throws {
    fixture = try TypingFixture()
    completer = Completer(fixture.session)
  }

  private func candidates(_ text: String) -> [String] {
    completer.completion(of: text, at: text.utf8.count).candidates.map(\.text)
  }

  private func candidate(_ text: String, _ name: String) -> Completion.Candidate? {
    completer.completion(of: text, at: text.utf8.count).candidates.first { $0.text == name }
  }

  @Test(arguments: [
    ("where Person address.ci", ["city"]), ("where Dog c", ["color"]),
    ("observe Dog where age > 3 ke", ["keys ("]),
    ("get Dog ", ["1", "2", "$dogs", "$n", "$rex", "$text"]),
    ("open data.realm k", ["key"]), ("wh", ["where"]), ("whEr", ["where"]),
    ("add Ad", []), ("set Person 1 hom", ["`home town`"]), ("count my", ["`my-class`"]),
    ("count `my", ["`my-class`"]), ("mode j", ["json", "jsonl"]),
    ("config zone ", ["utc", "local", "|"]),
    ("use ", ["other", "data", "|"]), ("unlet $r", ["$rex"]), ("stop ", ["main", "worker"]),
    ("unobserve ", ["watcher", "1", "all"]), ("print $rex.na", ["name"]),
    ("where $dogs own", ["owner"]), ("expect error NoSuch", ["NoSuchTable"]),
    ("open da", ["data.realm", "data.csv"]), ("cd ", ["folder/", "|"]),
    ("open data.realm key \"file:k", ["\"file:keys.key\""]), ("print upp", ["upper("]),
    ("where Person dogs.owner.add", ["address"]), ("where Person @links.Person.be", []),
    ("where Dog @links.Person.be", ["best"]),
    ("get `my-class` ", ["\"a\"", "$dogs", "$n", "$rex", "$text"]),
    ("get `my-class` \"", ["\"a\""]), ("schema as m", ["mermaid"]),
    ("time exp", ["export", "explain", "expect error"]),
    ("where Dog SUBQUERY(owner.dogs, $d, $d.ag", ["age"]),
    ("where Ow", ["Owner"]), ("where Owner ci", ["city"]), ("add Ow", []),
    ("where Dog age > 3 SORT(na", ["name"]), ("where Dog age > 3 SORT(name DE", ["DESC"]),
  ])
  func list(_ text: String, _ expected: [String]) {
    #expect(candidates(text) == expected, "\(text)")
  }

  @Test func whatFollowsAName() {
    #expect(candidate("wh", "where")?.suffix == " ")
    #expect(candidate("where Person addr", "address")?.suffix == "")
    #expect(candidate("cd f", "folder/")?.suffix == "")
    #expect(candidate("add Dog {na", "name")?.suffix == ": ")
    #expect(candidate("print upp", "upper(")?.suffix == "")
  }

  @Test func commentsTellTypesAndTexts() {
    #expect(candidate("where Dog c", "color")?.comment == "string?")
    #expect(candidate("where Person ", "dogs")?.comment == "Dog[]")
    #expect(candidate("get Dog ", "2")?.comment == "Fido")
    #expect(candidate("print $r", "$rex")?.comment == "Dog")
  }

  @Test func operatorsFitTheTypeOfTheLeftSide() {
    #expect(candidates("where Dog name ").contains("BEGINSWITH"))
    #expect(!candidates("where Dog age ").contains("BEGINSWITH"))
    #expect(candidates("where Dog age ").contains("BETWEEN"))
    #expect(!candidates("where Person active ").contains("<"))
    #expect(candidates("where Person extra ").contains("LIKE"))
    #expect(!candidates("where Person dogs.@count ").contains("LIKE"))
    #expect(candidates("print $rex.name ").contains("beginswith"))
  }

  @Test func noEmbeddedClassesAfterAdd() {
    #expect(!candidates("add ").contains("Address"))
    #expect(candidates("where ").contains("Address"))
    #expect(!candidates("print ").contains("Address("))
    #expect(candidates("print ").contains("Note#"))
  }

  @Test func projectionsAreNoTypes() {
    fixture.run("projection Named of Dog { name }")
    #expect(candidates("where ").contains("Named"))
    for text in [
      "class Fresh { a: ", "alter Dog.age: ", "alter ", "rename class ", "drop ", "drop class ",
      "schema ", "where Dog @links.", "print $rex.@links.", "add ", "class ",
    ] {
      #expect(!candidates(text).contains("Named"), "\(text)")
    }
    #expect(candidates("class Fresh { a: ").contains("Address"))
  }

  @Test func stepsFitTheType() {
    func steps(_ text: String) -> [String] { candidates(text).filter { $0.hasPrefix("@") } }
    let all = ["@count", "@min", "@max", "@sum", "@avg", "@keys", "@values", "@type", "@links"]
    #expect(steps("where Person dogs.") == all)
    #expect(steps("where Dog owner.") == ["@type", "@links"])
    #expect(steps("print $rex.") == ["@type", "@links"])
    #expect(steps("where Dog name.") == ["@count", "@type"])
    #expect(steps("where Dog age.") == ["@type"])
    #expect(steps("where Person extra.") == all)
    #expect(candidates("aggregate Dog cou") == ["count()"])
  }

  @Test func commandsAreNotOfferedWhereTheyAreRefused() throws {
    #expect(candidates("where Dog ").contains("|"))
    #expect(candidates("").contains("!"))
    let safe = Completer(try TypingFixture("--safe").session)
    for text in ["where Dog ", "", "count Dog ", "time "] {
      let found = safe.completion(of: text, at: text.utf8.count).candidates.map(\.text)
      #expect(!found.isEmpty && !found.contains("|") && !found.contains("!"))
    }
  }

  @Test func theCursorMayStandInTheMiddle() {
    let completion = completer.completion(of: "where Dog na == 1", at: 12)
    #expect(completion.range == 10..<12)
    #expect(completion.candidates.map(\.text) == ["name"])
  }

  @Test func aWholeWordIsFollowedBySigns() {
    let completion = completer.completion(of: "class Fresh { ag", at: 16)
    #expect(completion.range == 16..<16)
    #expect(completion.candidates.map(\.text) == [":"])
    #expect(candidates("get Dog(1").contains("1"))
    #expect(candidates("get Dog(3").contains(")"))
  }

  @Test func namesOfAnOpenTransaction() {
    fixture.run("begin; class Fresh { one: int }")
    #expect(candidates("where Fr") == ["Fresh"])
    #expect(candidates("where Fresh on") == ["one"])
    fixture.run("cancel")
    #expect(candidates("where Fr").isEmpty)
  }

  @Test func atMostFiftyKeys() {
    var values = (10..<90).map { "{_id: \($0), name: \"d\", age: 1, weight: 1.0}" }
    values.append("{_id: 555, name: \"late\", age: 1, weight: 1.0}")
    fixture.run("add Dog " + values.joined(separator: ", "))
    let keys = candidates("get Dog ").filter { Int($0) != nil }
    #expect(keys.count == 50)
    #expect(candidates("get Dog 55") == ["55", "555"])
  }

  @Test func completingChangesNothing() {
    let before = fixture.session.databases.map(\.realm.snapshot.version)
    for text in ["where Dog ", "get Dog ", "set Dog 1 ", "add Dog {", "observe "] {
      _ = candidates(text)
    }
    #expect(fixture.session.databases.map(\.realm.snapshot.version) == before)
    #expect(fixture.session.databases.allSatisfy { !$0.realm.isWriting })
  }
}
