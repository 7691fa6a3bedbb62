import Testing

/// The cases whose answers were recorded from realm-core.
@Suite struct QueryCaseTests {
  @Test func agreesWithRealmCore() throws {
    guard let cases = QueryCase.load() else {
      print("skipped: the folder with cases/rql.jsonl is not there; REALMSH_SHARED can name it")
      return
    }
    let runner = QueryCaseRunner()
    var passed: [String: (passed: Int, all: Int)] = [:]
    for one in cases {
      let answer = try runner.answer(one)
      passed[one.feature, default: (0, 0)].all += 1
      if answer == one.expected { passed[one.feature, default: (0, 0)].passed += 1 }
      #expect(answer == one.expected, "\(one.id): \(one.predicate)")
    }
    for (feature, counts) in passed.sorted(by: { $0.key < $1.key }) {
      print("\(feature): \(counts.passed) of \(counts.all)")
    }
    #expect(cases.count == 4066)
  }
}
