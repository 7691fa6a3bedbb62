import RealmLanguage
import RealmQuery
import TestSupport
import Testing

/// What is warned of in the cases whose answers were recorded from realm-core.
@Suite struct TrapCaseTests {
  /// Conditions told to hold never, or always, do so; most cases are told nothing about.
  @Test func whatIsCertainIsTrue() throws {
    guard let cases = QueryCase.load() else {
      print("skipped: the folder with cases/rql.jsonl is not there; REALMSH_SHARED can name it")
      return
    }
    let runner = QueryCaseRunner()
    var certainCount = 0
    var warnedCount = 0
    for one in cases {
      guard case .keys(let keys) = one.expected, let query = try runner.query(one) else { continue }
      let warnings = query.warnings
      if !warnings.isEmpty { warnedCount += 1 }
      let whole = SourceRange(start: 0, end: one.predicate.utf8.count)
      for warning in warnings where warning.range == whole {
        switch warning.kind {
        case .never:
          #expect(keys.isEmpty, "\(one.id): \(one.predicate)")
        case .always:
          let all = try runner.query(QueryCase(one, predicate: "TRUEPREDICATE"))?.count()
          #expect(keys.count == all, "\(one.id): \(one.predicate)")
        default: continue
        }
        certainCount += 1
      }
    }
    #expect(certainCount > 100)
    #expect(warnedCount < cases.count / 8)
  }
}

extension QueryCase {
  /// Another predicate on the same class.
  fileprivate init(_ one: QueryCase, predicate: String) {
    self.init(file: one.file, className: one.className, predicate: predicate)
  }
}
