import RealmLanguage
import RealmObjects
import Testing

@testable import RealmShell

/// The places of errors in changing statements.
struct StatementPartsTests {
  /// What an error at a place points at.
  private func text(
    _ statement: String, _ place: [InputStep], _ part: (StatementParts.Part) -> SourceRange?
  ) -> String? {
    let source = SourceText(statement)
    guard let parsed = try? StatementParser.parse(statement).first else { return nil }
    let parts: StatementParts
    switch parsed.body {
    case .add(let add): parts = StatementParts(values: add.values, text: source)
    case .set(let set):
      parts = StatementParts(changes: set.changes, text: source, subject: set.subject.range)
    default: return nil
    }
    return parts.part(at: place).flatMap(part).map { source.text(of: $0) }
  }

  private func value(_ statement: String, _ place: [InputStep]) -> String? {
    text(statement, place, \.value)
  }

  private func key(_ statement: String, _ place: [InputStep]) -> String? {
    text(statement, place, \.key)
  }

  @Test func valuesAreFoundByTheirWay() {
    let add = #"add C {a: 1, b: [2, {c: "x"}], "d.e": {f: null}}, [7, 8]"#
    #expect(value(add, [.value(0), .property("a")]) == "1")
    #expect(key(add, [.value(0), .property("a")]) == "a")
    #expect(value(add, [.value(0), .property("b"), .element(0)]) == "2")
    #expect(value(add, [.value(0), .property("b"), .element(1), .property("c")]) == "\"x\"")
    #expect(value(add, [.value(0), .property("d.e"), .key("f")]) == "null")
    #expect(text(add, [.value(0), .property("a")], \.field) == "a: 1")
    #expect(value(add, [.value(1)]) == "[7, 8]")
    #expect(value(add, [.value(1), .element(1)]) == "8")
  }

  @Test func aWayThatLeavesTheTextEndsAtItsLastPart() {
    #expect(value("add C {a: $x}", [.value(0), .property("a"), .element(3)]) == "$x")
    #expect(value("add C {a: 1}", [.value(0), .property("b")]) == "{a: 1}")
    #expect(value("add C [1]", [.value(0), .element(4)]) == "[1]")
    #expect(value("add C [1]", []) == nil)
  }

  @Test func changesAreFoundByTheirWay() {
    let set = "set C 1 a.b[0] += 1, list.insert(0, {x: 2})"
    #expect(value(set, [.change(0), .pathStep(1)]) == "b")
    #expect(value(set, [.change(0), .argument(0)]) == "1")
    #expect(value(set, [.change(1), .argument(1), .property("x")]) == "2")
    #expect(value(set, [.change(1), .argument(7)]) == "insert")
    #expect(value(set, [.change(1)]) == "list")
    #expect(value(set, [.value(0)]) == "C 1")
  }

  @Test func aNameThatStandsTwiceIsFoundTheSecondTime() {
    #expect(value("add C {a: 1, a: 2}", [.value(0), .property("a")]) == "2")
  }
}
