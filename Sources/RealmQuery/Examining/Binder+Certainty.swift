import ByteKernels
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// Conditions that hold for every object, or for none.
extension Binder {
  /// Warns if a comparison always or never holds.
  func findCertainty(
    _ comparison: RealmLanguage.Comparison, _ left: BoundOperand, _ right: BoundOperand,
    _ bound: BoundPredicate
  ) {
    let range = comparison.range
    switch bound {
    case .vacuous:
      warn(.always, "the condition has no effect: it holds for every object", at: range)
      return
    case .always(let value):
      warn(value ? .always : .never, certainty(value), at: range)
      return
    case .column(let test):
      if let value = certainty(of: test) {
        warn(value ? .always : .never, certainty(value), at: range)
        return
      }
    case .condition, .and, .or, .not: break
    }
    if findEmptyList(left, right, range) { return }
    findTypeMismatch(comparison, left, right)
    findMissing(comparison, left, right)
    findMixedTraps(comparison, left, right, bound)
  }

  private func certainty(_ value: Bool) -> String {
    value ? "the condition holds for every object" : "the condition holds for no object"
  }

  /// What a test of a column always yields; nil if that depends on the object.
  private func certainty(of test: ColumnTest) -> Bool? {
    switch test.kind {
    case .null(let isWanted): test.isNullable || test.isLink ? nil : !isWanted
    case .int(.less, .min), .int(.greater, .max): false
    case .intBetween(let low, let high): low > high ? false : nil
    case .double(let comparison, let key): key.isNaN ? comparison == .notEqual : nil
    case .float(let comparison, let key): key.isNaN ? comparison == .notEqual : nil
    case .any(let values, let matchesNull): values.isEmpty && !matchesNull ? false : nil
    default: nil
    }
  }

  /// ANY of an empty list.
  private func findEmptyList(
    _ left: BoundOperand, _ right: BoundOperand, _ range: SourceRange
  ) -> Bool {
    for (list, other) in [(left, right), (right, left)]
    where list.constant?.values.isEmpty == true && list.isAny && other.isAny {
      if isPairwise(left, right) { continue }
      warn(.never, "nothing is in an empty list", at: range)
      return true
    }
    return false
  }

  /// Types whose values never match.
  private func findTypeMismatch(
    _ comparison: RealmLanguage.Comparison, _ left: BoundOperand, _ right: BoundOperand
  ) {
    // The values of arithmetic and aggregates can be of other types than the declared one.
    if case .other = left.shape { return }
    guard left.isAny, right.isAny, left.type != .mixed, let value = right.single, !value.isNull
    else { return }
    switch comparison.comparator {
    case .beginsWith, .endsWith, .contains, .like:
      guard left.type != value.declaredType else { return }
      warn(
        .never,
        "\(comparison.comparator.rawValue) finds no \(value.declaredType.name) in \(left.type.name)",
        at: comparison.range)
    case .equal, .in, .notEqual:
      if form == .plainIn { return }
      let never = comparison.comparator != .notEqual
      let isPlain = left.linkSteps == nil && !left.source.yieldsLists && path(of: left) == nil
      guard never || isPlain else { return }
      if let reason = whyUnequal(left.type, value) {
        warn(never ? .never : .always, reason, at: comparison.range)
      }
    default: break
    }
  }

  /// The link steps before a property, if there are some.
  private func path(of operand: BoundOperand) -> [LinkStep]? {
    guard case .property(let path, _, _) = operand.shape, !path.steps.isEmpty else { return nil }
    return path.steps
  }

  /// Why a constant equals no value of a type; nil if it may.
  private func whyUnequal(_ type: DeclaredType, _ value: QueryValue) -> String? {
    switch (type, value) {
    case (.int, .double(let number)) where number.rounded(.towardZero) != number:
      "no int is \(number)"
    case (.int, .float(let number)) where number.rounded(.towardZero) != number:
      "no int is \(number)"
    case (.int, .double(let number)) where abs(number) >= 0x1p64: "no int is \(number)"
    default: nil
    }
  }

  /// Objects that have nothing to compare are left out, also beside null and 0.
  private func findMissing(
    _ comparison: RealmLanguage.Comparison, _ left: BoundOperand, _ right: BoundOperand
  ) {
    guard comparison.comparator == .equal, left.isAny, let value = right.single,
      right.constant?.isList == false
    else { return }
    if value.isNull, case .property(_, let property, let rest) = left.shape, !rest.isEmpty {
      if property.collection == .dictionary {
        warn(
          .missing, "an object whose dictionary is empty has no value here, not even null",
          at: comparison.range)
      } else if property.collection == .none {
        warn(
          .missing, "where the path leads nowhere there is no value, not even null",
          at: comparison.range)
      }
    }
    if case .int(0) = value, left.source is LinkCountsSource {
      warn(
        .missing, "an object that leads nowhere has no count, not even 0", at: comparison.range)
    }
  }

  private func findMixedTraps(
    _ comparison: RealmLanguage.Comparison, _ left: BoundOperand, _ right: BoundOperand,
    _ bound: BoundPredicate
  ) {
    if case .column(let test) = bound, case .indexedMixed(let value) = test.kind,
      value.isFractional
    {
      warn(
        .mixedIndex,
        "the index finds only the \(value.declaredType.name) \(text(of: value)), no other number equal to it",
        at: comparison.range)
    }
    let sides = [left, right]
    if comparison.comparator == .equal, sides.contains(where: { $0.linkSteps != nil }),
      sides.contains(where: { $0.type == .mixed && $0.constant == nil })
    {
      warn(
        .never, "a link in a mixed value equals no link property, only null equals null",
        at: comparison.range)
    }
  }
}

extension ColumnTest {
  /// Whether the column has links, which can be null.
  fileprivate var isLink: Bool {
    switch kind {
    case .link, .target: true
    default: false
    }
  }
}

extension QueryValue {
  /// Whether an index on mixed values files the number under its type.
  fileprivate var isFractional: Bool { rank == 2 && indexNumber == nil }
}
