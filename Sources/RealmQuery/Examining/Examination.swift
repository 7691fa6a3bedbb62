import RealmLanguage

/// A condition with words, types and arguments filled in.
typealias UnderstoodCondition = Predicate

/// What binding a predicate has found out about it, for people.
final class Examination {
  /// The conditions as they are understood, by the place of those written.
  private var understood: [SourceRange: Predicate] = [:]
  /// Traps, in the order in which they were found.
  private(set) var warnings: [TrapWarning]

  init(_ syntax: QuerySyntax, text: [UInt8]) {
    warnings = LiteralTraps.all(in: syntax, text: text)
  }

  /// Records how a condition is understood.
  func record(_ predicate: Predicate, for written: Predicate) {
    understood[written.range] = predicate
  }

  /// Records a trap, once.
  func warn(_ warning: TrapWarning) {
    if !warnings.contains(warning) { warnings.append(warning) }
  }

  /// A predicate with each of its conditions as it is understood.
  func reading(of predicate: Predicate) -> Predicate {
    switch predicate {
    case .and(let operands, let range): .and(operands.map(reading), range: range)
    case .or(let operands, let range): .or(operands.map(reading), range: range)
    case .not(let operand, let range): .not(reading(of: operand), range: range)
    case .truePredicate, .falsePredicate: predicate
    case .comparison, .between, .geoWithin: understood[predicate.range] ?? predicate
    }
  }
}

/// How a comparison is evaluated, where that decides what its words mean.
///
/// Source: query-language.md 9, 10, 12.
enum ComparisonForm {
  /// A property of the object itself IN constants.
  case plainIn
  /// A property of the object itself against one constant.
  case plain
  /// One link step against constants.
  case link
  /// A search index that finds any reached value.
  case index
  /// Values of both sides by the rules for lists.
  case general
}

extension BoundPredicate {
  /// Tells the tests how they are understood.
  func setUnderstood(_ predicate: Predicate) {
    switch self {
    case .column(let test): test.understood = predicate
    case .condition(let condition): condition.understood = predicate
    case .and(let parts):
      // Only BETWEEN is bound as two tests, its bounds in order.
      guard case .between(let operand, let bounds, let range) = predicate else { return }
      let comparators: [Comparator] = [.greaterOrEqual, .lessOrEqual]
      for (i, part) in parts.enumerated() where i < bounds.elements.count && i < 2 {
        part.setUnderstood(
          .comparison(
            Comparison(
              lhs: operand, comparator: comparators[i], folding: nil,
              rhs: .constant(bounds.elements[i]), operatorRange: range)))
      }
    case .always, .vacuous, .or, .not: break
    }
  }
}
