import RealmLanguage
import RealmObjects
import RealmQuery
import RealmStorage
import RealmValues
import TestSupport
import Testing

/// What is warned of in the cases whose answers were recorded from realm-core.
@Suite struct TrapCaseTests {
  @Test func whatIsCertainIsTrue() throws {
    guard let cases = QueryCase.load() else { return }
    let runner = QueryCaseRunner()
    var counts: [String: Int] = [:]
    for one in cases {
      guard let query = try? runner.query(one) else { continue }
      for warning in query.warnings {
        counts[warning.kind.rawValue, default: 0] += 1
        let start = one.predicate.utf8.index(one.predicate.startIndex, offsetBy: warning.range.start)
        let end = one.predicate.utf8.index(one.predicate.startIndex, offsetBy: warning.range.end)
        print("TRAP\t\(warning.kind.rawValue)\t\(one.id)\t\(one.predicate)\t\(one.arguments)\t[\(one.predicate[start..<end])]\t\(warning.message)\t\(warning.remedy ?? "")")
      }
      guard case .keys(let keys) = one.expected, query.warnings.contains(where: { $0.kind == .never || $0.kind == .always }) else { continue }
      print("CERT\t\(one.id)\t\(one.predicate)\t\(keys.count)\t\(query.warnings.map { $0.kind.rawValue })")
    }
    print("TRAPS", counts)
  }
}
