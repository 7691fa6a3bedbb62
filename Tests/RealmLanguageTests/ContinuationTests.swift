import RealmLanguage
import Testing

/// What may follow a text that is being typed.
@Suite struct ContinuationTests {
  private func expected(_ text: String) -> (offset: Int, expected: [RealmLanguage.Expectation]) {
    let result = StatementParser.continuation(of: Array(text.utf8))
    return (result.offset, result.expected)
  }

  private func property(_ className: String?, _ steps: [String] = []) -> RealmLanguage.Expectation {
    .property(PropertyOwner(className: className, steps: steps))
  }

  @Test(arguments: [
    "", "wh", "count Dog; coun", "where Dog age > 3\nwh", "time ", "expect error X: ",
  ])
  func verbs(_ text: String) { #expect(expected(text).expected.contains(.verb)) }

  @Test func sources() {
    #expect(expected("where ").expected == [.className, .variable])
    #expect(expected("count Do").offset == 6)
  }

  @Test func propertiesFollowThePath() {
    #expect(expected("where Dog ").expected.contains(property("Dog")))
    #expect(expected("where Person address.ci").expected.contains(property("Person", ["address"])))
    #expect(expected("where Person address.ci").offset == 21)
    #expect(expected("where Person(1).dogs na").expected.contains(property("Person", ["dogs"])))
    #expect(expected("where Dog age > 3 SORT(na").expected.contains(property("Dog")))
    #expect(expected("where Dog show owners {na").expected.contains(property("Dog", ["owners"])))
    #expect(expected("where Dog show address.c").expected.contains(property("Dog", ["address"])))
    #expect(
      expected("where Dog SUBQUERY(owners, $o, $o.x.na").expected.contains(
        property("Dog", ["owners", "x"])))
    #expect(
      expected("print $rex.na").expected.contains(.property(PropertyOwner(variable: "rex"))))
    #expect(expected("export Dog show na").expected.contains(property("Dog")))
  }

  @Test func clauseWords() {
    let words = expected("where Dog age > 3 ke").expected
    #expect(words.contains(.word("args")) && words.contains(.word("SORT")))
    #expect(words.contains(.endOfStatement))
    #expect(expected("where Dog age ").expected.contains(.comparator))
    #expect(expected("where Dog age ").expected.contains(.offeredWord("+")))
    #expect(expected("schema Dog as ").expected.contains(.word("mermaid")))
  }

  @Test func filesAndValues() {
    #expect(expected("open da/ta").offset == 5)
    #expect(expected("open da/ta").expected.contains(.file(.database)))
    #expect(expected("open \"my fi").offset == 5)
    #expect(expected("cd ../mo").expected.contains(.file(.folder)))
    #expect(expected("open x.realm key ").expected == [.file(.key)])
    #expect(expected("get Dog ").expected.contains(.primaryKey(of: "Dog")))
    #expect(expected("get Dog(").expected.contains(.primaryKey(of: "Dog")))
    #expect(expected("mode ").expected.contains(.mode))
    #expect(expected("config ro").expected.contains(.setting))
    #expect(expected("config rows ").expected.contains(.settingValue(of: "rows")))
    #expect(expected("help ").expected.contains(.helpTopic))
    #expect(expected("expect error ").expected.contains(.errorName))
    #expect(expected("print up").expected.contains(.function))
  }

  @Test func newObjects() {
    #expect(expected("add Dog ").expected == [.symbol("{"), .symbol("[")])
    #expect(expected("add Dog {na").expected.contains(property("Dog")))
    #expect(expected("add Dog {name: 1, a").expected.contains(property("Dog")))
    #expect(expected("upsert Person {dogs: [{na").expected.contains(property("Person", ["dogs"])))
    #expect(expected("add Person {a: {b: 1}, c").expected.contains(property("Person")))
    #expect(expected("upsert Dog {a: 1} ").expected.contains(.word("policy")))
    #expect(expected("upsert Dog {a: 1} policy m").expected.contains(.word("modified")))
    #expect(expected("add Dog {a: 1} as ").expected == [.variable])
  }

  @Test func changes() {
    #expect(expected("set Dog ").expected.contains(property("Dog")))
    #expect(expected("set Dog ").expected.contains(.primaryKey(of: "Dog")))
    #expect(expected("set Dog 1 na").expected.contains(property("Dog")))
    #expect(expected("set Person 1 address.ci").expected.contains(property("Person", ["address"])))
    #expect(expected("set Dog 1 age = na").expected.contains(property("Dog")))
    #expect(
      expected("set Person(1).dogs age = 1 where na").expected.contains(
        property("Person", ["dogs"])))
    #expect(expected("set Dog age = 1 ").expected.contains(.word("all")))
    #expect(!expected("set Dog 1 age = 1 ").expected.contains(.word("all")))
    #expect(expected("delete ").expected.contains(.word("everything")))
    #expect(expected("delete Dog ").expected.contains(.primaryKey(of: "Dog")))
    #expect(expected("write { set Dog 1 na").expected.contains(property("Dog")))
    #expect(expected("write {\n count Dog\n ").expected.contains(.verb))
    #expect(expected("write { count Dog ").expected.contains(.symbol("}")))
    #expect(expected("let $x = ").expected.contains(.offeredWord("where")))
  }

  @Test func schemaChanges() {
    #expect(expected("class Dog { age: ").expected.contains(.type))
    #expect(expected("class Dog { age: int in").expected.contains(.word("indexed")))
    #expect(expected("class Dog { age: int, ").expected.contains(.newName))
    #expect(expected("alter Dog.").expected == [property("Dog")])
    #expect(expected("alter Dog.age: int using ").expected.contains(property("Dog")))
    #expect(expected("drop ").expected.contains(.schemaClass))
    #expect(expected("begin timeout ").expected == [.duration])
    #expect(expected("commit without ").expected.contains(.observer))
    #expect(expected("copy Dog into ").expected == [.database])
    #expect(expected("copy to a").expected.contains(.file(.output)))
  }

  @Test func nothingAfterAnError() {
    #expect(expected("where Dog age age ").expected.isEmpty)
  }
}
