/// Parses predicates that stand alone, by the rules of realm-core without the additions of the
/// shell. Source: query-language.md 2, 3.
public enum PredicateParser {
  /// The predicate and clauses that fill `bytes`, which need not be well-formed UTF-8.
  public static func parse(_ bytes: [UInt8]) throws(SyntaxError) -> QuerySyntax {
    do throws(SyntaxError) {
      return try parse(bytes, records: false)
    } catch {
      return try parse(bytes, records: true)
    }
  }

  /// The predicate and clauses that fill `text`.
  public static func parse(_ text: String) throws(SyntaxError) -> QuerySyntax {
    try parse(Array(text.utf8))
  }

  private static func parse(
    _ bytes: [UInt8], records: Bool
  ) throws(SyntaxError) -> QuerySyntax {
    var parser = Parser(bytes: bytes, position: 0)
    parser.isBarePredicate = true
    parser.records = records
    return try parser.bareQuery()
  }
}
