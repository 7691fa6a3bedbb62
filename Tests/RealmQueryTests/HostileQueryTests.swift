import RealmLanguage
import RealmQuery
import TestSupport
import Testing

/// No text, however odd or large, ends the program.
@Suite struct HostileQueryTests {
  private func run(_ text: String, class name: String = "Ship") throws -> QueryCase.Expectation? {
    guard Fixtures.shared != nil else { return nil }
    return try QueryCaseRunner().answer(
      QueryCase(file: "rql-harbor.realm", className: name, predicate: text))
  }

  @Test func longChains() throws {
    let negations = String(repeating: "not ", count: 150) + "hull == 1"
    #expect(try run(negations) == run("hull == 1"))
    let terms = Array(repeating: "hull == 101", count: 20_000)
    #expect(try run(terms.joined(separator: " or ")) == run("hull == 101"))
    #expect(try run(terms.joined(separator: " and ")) == run("hull == 101"))
    let sum = "hull == 0 + " + Array(repeating: "1", count: 1000).joined(separator: " + ")
    if case .keys = try run(sum) { Issue.record("a sum of 1000 terms should be refused") }
  }

  @Test func longPaths() throws {
    let sisters = Array(repeating: "sister", count: 5000).joined(separator: ".")
    if case .keys = try run("\(sisters).hull == 1") {
      Issue.record("a path of 5000 steps should be refused")
    }
    let few = Array(repeating: "sister", count: 200).joined(separator: ".")
    _ = try run("\(few).hull == 1 SORT(\(few).hull ASC)")
    let index = "v" + String(repeating: "[0]", count: 200)
    _ = try run("\(index) == 1")
  }

  @Test func extremeNumbers() throws {
    let least = "-9223372036854775808"
    for text in [
      "hull == \(least) / -1", "hull / -1 == \(least)", "hull * 9223372036854775807 > 0",
      "hull / 0 > 0", "hull >= \(least)", "tons == 1e400", "hull == 1e400", "hull < -1e30",
      "crew[9223372036854775807].age == 1", "codes[9223372036854775807] == 'a'",
      "TRUEPREDICATE LIMIT(9223372036854775807)", "built == T9223372036854775807:0",
      "crew == O9223372036854775807", "home == O-1",
    ] {
      _ = try run(text)
    }
  }

  /// Cases with a byte or two changed, removed or repeated.
  @Test func mutatedCases() throws {
    guard let cases = QueryCase.load() else {
      print("skipped: the folder with cases/rql.jsonl is not there; REALMSH_SHARED can name it")
      return
    }
    var random = SplitMix64(seed: 27)
    let runner = QueryCaseRunner()
    for one in cases {
      var bytes = Array(one.predicate.utf8)
      for _ in 0...Int(random.next() % 2) where !bytes.isEmpty {
        let position = Int(random.next() % UInt64(bytes.count))
        switch random.next() % 4 {
        case 0: bytes.remove(at: position)
        case 1: bytes[position] = UInt8(truncatingIfNeeded: random.next())
        case 2: bytes.insert(UInt8(ascii: " ") + UInt8(random.next() % 90), at: position)
        default: bytes.insert(contentsOf: bytes[position...].prefix(8), at: position)
        }
      }
      var mutated = one
      mutated.predicate = String(decoding: bytes, as: UTF8.self)
      _ = try runner.answer(mutated)
    }
  }
}
