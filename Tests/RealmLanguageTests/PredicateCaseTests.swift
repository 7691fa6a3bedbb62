import RealmLanguage
import Testing

/// The cases that were checked against realm-core.
@Suite struct PredicateCaseTests {
  private static let syntaxCategories = ["syntax", "bad-base64", "bad-timestamp"]

  @Test func agreesWithRealmCore() throws {
    guard let cases = RQLCase.load() else {
      print("skipped: the folder with cases/rql.jsonl is not there; REALMSH_SHARED can name it")
      return
    }
    #expect(cases.count > 4000)
    for one in cases {
      let wanted = one.error.flatMap { Self.syntaxCategories.contains($0) ? $0 : nil }
      do {
        _ = try PredicateParser.parse(one.predicate)
        #expect(wanted == nil, "\(one.id) should be refused: \(one.predicate)")
      } catch {
        #expect(error.category.rawValue == wanted, "\(one.id): \(one.predicate): \(error.message)")
      }
    }
  }
}
