public import RealmLanguage

/// Comparisons of texts as predicates make them.
public enum TextComparison {
  /// Whether an operator for texts holds between a text, or a binary, and a pattern.
  ///
  /// - Parameters:
  ///   - comparator: `==`, `BEGINSWITH`, `ENDSWITH`, `CONTAINS` or `LIKE`.
  ///   - folding: How letters are compared; nil as they are.
  /// - Precondition: The operator is one of these.
  public static func holds(
    _ text: UnsafeRawBufferPointer, _ comparator: Comparator, _ folding: CaseFolding?,
    _ pattern: UnsafeRawBufferPointer
  ) -> Bool {
    let comparison: ValueCondition.Operator
    switch comparator {
    case .equal: comparison = .equal
    case .beginsWith: comparison = .beginsWith
    case .endsWith: comparison = .endsWith
    case .contains: comparison = .contains
    case .like: comparison = .like
    default: preconditionFailure("\(comparator) is no operator for texts alone")
    }
    let condition = ValueCondition(comparison, folding: folding)
    return condition.isUnicodeFolded
      ? FoldedPattern(condition, pattern).matches(text) : condition.matches(text, pattern)
  }
}
