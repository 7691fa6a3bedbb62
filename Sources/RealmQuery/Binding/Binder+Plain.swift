import ByteKernels
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// The forms of comparisons of a property of the object itself with constants.
extension Binder {
  /// `property IN {…}`; nil where the form does not apply. Source: query-language.md 9.2.
  func bindPlainIn(
    _ folding: CaseFolding?, _ left: BoundOperand, _ right: BoundOperand
  ) throws(QueryFailure) -> BoundPredicate? {
    // Other foldings than [c], which is ignored, are not of realm-core.
    guard folding == nil || folding == .latin,
      let property = left.plainProperty, left.type != .mixed, let constant = right.constant,
      constant.isList, !constant.values.isEmpty, right.isAny
    else { return nil }
    let usable = constant.values.filter { $0.isNull || $0.declaredType == left.type }
    let hasNull = usable.contains(where: \.isNull)
    // As IEEE 754 says, NaN equals nothing.
    let values = usable.filter { !$0.isNull && $0.asDouble?.isNaN != true }
      .sorted { QueryValue.order($0, $1) < 0 }
    switch property.kind {
    case .int:
      var keys: [Int64] = []
      for case .int(let key) in usable { keys.append(key) }
      keys.sort()
      let matchesNull = hasNull && property.isNullable
      // Without a usable element realm-core looks for -1.
      if keys.isEmpty, !matchesNull { keys = [-1] }
      return .column(ColumnTest(property, .intAny(keys, matchesNull: matchesNull)))
    case .string, .objectID, .uuid:
      return .column(ColumnTest(property, .any(values, matchesNull: hasNull)))
    default:
      let isUsable = !usable.allSatisfy(\.isNull) || hasNull && property.isNullable
      guard isUsable else { return .vacuous }
      return .column(
        ColumnTest(property, .any(values, matchesNull: hasNull && property.isNullable)))
    }
  }

  /// One link step against constants; nil where the form does not apply.
  ///
  /// Source: query-language.md 9.3.
  func bindLinkEquality(
    _ isEqual: Bool, _ left: BoundOperand, _ right: BoundOperand, _ range: SourceRange
  ) throws(QueryFailure) -> BoundPredicate? {
    guard let steps = left.linkSteps, steps.count == 1, !steps[0].isBacklinks, left.isAny,
      let constant = right.constant
    else { return nil }
    if constant.values.isEmpty {
      throw failure(.undefined, "a link against an empty list", at: range)
    }
    if !isEqual, constant.values.count > 1 {
      throw failure(.undefined, "!= needs one object on the right", at: range)
    }
    let hasNull = constant.values.contains(where: \.isNull)
    // Only these can be stored.
    let keys = constant.values.compactMap(\.linkKey)
      .filter { (0..<Int64.max).contains($0.rawValue) }.sorted()
    let step = steps[0]
    guard step.isSingle else {
      if case .dictionary = step.kind {
      } else if constant.hasMissingObject {
        throw failure(.undefined, "there is no such object", at: right.range)
      }
      return .condition(
        LinkCollectionCondition(
          PropertyReader(step.origin, position: step.property.position), keys,
          matchesNull: hasNull == isEqual, isEqual: isEqual, index: step.index))
    }
    return .column(
      ColumnTest(
        step.property,
        .link(
          keys.map { $0.rawValue &+ 1 }, matchesNull: hasNull == isEqual, isEqual: isEqual)))
  }

  /// A plain property against a single constant; nil where the form does not apply.
  ///
  /// Source: query-language.md 9.4.
  func bindPlainEquality(
    _ isEqual: Bool, _ folding: CaseFolding?, _ left: BoundOperand, _ right: BoundOperand,
    _ range: SourceRange
  ) throws(QueryFailure) -> BoundPredicate? {
    guard let property = left.plainProperty, let value = right.single,
      right.type == left.type || left.type == .mixed
    else { return nil }
    let isMixed = left.type == .mixed
    if isMixed, right.constant?.hasMissingObject == true {
      throw failure(.undefined, "there is no such object", at: right.range)
    }
    if value.isNull { return .column(ColumnTest(property, .null(isEqual))) }
    let comparison: ByteKernels.Comparison = isEqual ? .equal : .notEqual
    let condition = ValueCondition(isEqual ? .equal : .notEqual, folding: folding)
    switch (property.kind, value) {
    case (.int, .int(let key)): return .column(ColumnTest(property, .int(comparison, key)))
    case (.bool, .bool(let flag)):
      return .column(ColumnTest(property, .bool(flag, isEqual: isEqual)))
    case (.double, .double(let key)):
      return .column(ColumnTest(property, .double(comparison, key)))
    case (.float, .float(let key)): return .column(ColumnTest(property, .float(comparison, key)))
    case (.date, .date(let key)): return .column(ColumnTest(property, .date(comparison, key)))
    case (.string, .string(let text)), (.data, .data(let text)):
      return .column(test(property, condition, text, matchesNull: !isEqual))
    default:
      if isMixed, isEqual, hasIndex(property, of: objectClass) {
        if folding == .latin {
          throw failure(.undefined, "==[c] on an indexed mixed property", at: range)
        }
        if folding == nil { return .column(ColumnTest(property, .indexedMixed(value))) }
      }
      return .column(ColumnTest(property, .value(condition, value, isReversed: false)))
    }
  }

  /// BEGINSWITH, ENDSWITH, CONTAINS, LIKE. Source: query-language.md 12.
  func bindText(
    _ comparison: RealmLanguage.Comparison, _ left: BoundOperand, _ right: BoundOperand
  ) throws(QueryFailure) -> BoundPredicate {
    for (link, constant) in [(left, right), (right, left)]
    where link.linkSteps != nil && link.isMulti && constant.isSingleNull {
      throw failure(.listNull, "a collection of links has no null", at: link.range)
    }
    guard right.type.isText else {
      throw failure(
        .badOperator, "\(comparison.comparator.rawValue) needs a text on the right",
        at: right.range)
    }
    let operation: ValueCondition.Operator =
      switch comparison.comparator {
      case .beginsWith: .beginsWith
      case .endsWith: .endsWith
      case .contains: .contains
      default: .like
      }
    let condition = ValueCondition(operation, folding: comparison.folding)
    if comparison.folding != nil, let pattern = right.single?.bytes,
      firstInvalidUTF8(in: pattern) != nil
    {
      throw failure(.undefined, "the text is not UTF-8", at: right.range)
    }
    if let property = left.plainProperty, property.kind == .string || property.kind == .data,
      right.type == left.type, let value = right.single
    {
      form = .plain
      guard let pattern = value.bytes else { return textAgainstNull(condition, property) }
      let (simpler, text) = condition.simplified(pattern)
      return .column(test(property, simpler, text, matchesNull: false))
    }
    return general(condition, left, right)
  }

  /// A test of a text or binary property against a pattern that is not null.
  func test(
    _ property: Property, _ condition: ValueCondition, _ pattern: UnsafeRawBufferPointer,
    matchesNull: Bool
  ) -> ColumnTest {
    switch condition.folding {
    case nil, .latin:
      ColumnTest(property, .text(condition, pattern, matchesNull: matchesNull))
    case .unicode, .base:
      ColumnTest(
        property, .folded(FoldedPattern(condition, pattern), matchesNull: matchesNull))
    }
  }

  /// The plain form with a null pattern. Source: query-language.md 12.2.
  private func textAgainstNull(
    _ condition: ValueCondition, _ property: Property
  ) -> BoundPredicate {
    if condition.comparison == .like { return .column(ColumnTest(property, .null(true))) }
    if condition.comparison == .contains, condition.ignoresCase, property.kind == .data {
      return .column(ColumnTest(property, .null(false)))
    }
    return .always(true)
  }

  /// `value BETWEEN {low, high}`. Source: query-language.md 11.
  func bindBetween(
    _ operand: Operand, _ bounds: ListOperand, _ range: SourceRange
  ) throws(QueryFailure) -> BoundPredicate {
    if try isConstant(operand) {
      throw failure(.twoConstants, "both sides are constants", at: range)
    }
    guard bounds.elements.count == 2 else {
      throw failure(.badBetween, "BETWEEN needs two bounds", at: bounds.range)
    }
    let left = betweenOperand(try bind(operand))
    if left.isCollection, left.qualifier != .all {
      throw failure(.badBetween, "BETWEEN on a collection needs ALL", at: range)
    }
    let low = try bindConstant(.constant(bounds.elements[0]), hint: left.type)
    let high = try bindConstant(.constant(bounds.elements[1]), hint: left.type)
    for bound in [low, high] where bound.constant?.isList == true {
      throw failure(.undefined, "a list as a bound", at: bound.range)
    }
    form = .general
    let bound = try bindBetween(left, low, high, bounds.range)
    examine(between: operand, bounds, range, left, low, high, bound)
    return bound
  }

  private func bindBetween(
    _ left: BoundOperand, _ low: BoundOperand, _ high: BoundOperand, _ range: SourceRange
  ) throws(QueryFailure) -> BoundPredicate {
    if let property = left.plainProperty, property.kind == .int || property.kind == .date {
      guard low.type == left.type, high.type == left.type, let a = low.single, let b = high.single
      else {
        throw failure(.undefined, "both bounds must be \(property.kind.name)", at: range)
      }
      if case .int(let a) = a, case .int(let b) = b {
        return .column(ColumnTest(property, .intBetween(a, b)))
      }
      if case .date(let a) = a, case .date(let b) = b {
        return .and([
          .column(ColumnTest(property, .date(.greaterOrEqual, a))),
          .column(ColumnTest(property, .date(.lessOrEqual, b))),
        ])
      }
    }
    let atLeast = try bindOrder(.greaterOrEqual, left, low)
    let atMost = try bindOrder(.lessOrEqual, left, high)
    switch (atLeast, atMost) {
    case (.vacuous, let other), (let other, .vacuous): return other
    default: return .and([atLeast, atMost])
    }
  }

  /// realm-core loses names behind the final property here: they become the empty key.
  private func betweenOperand(_ operand: BoundOperand) -> BoundOperand {
    guard case .property(var path, let property, let rest) = operand.shape, !rest.isEmpty,
      property.collection == .dictionary || property.kind == .mixed
    else { return operand }
    let parts = rest.map { part in
      if case .name = part { return namePart("") }
      return part
    }
    path.end = .property(property, parts)
    return bindPath(path, operand.qualifier, operand.range)
  }
}

extension ValueCondition {
  /// A LIKE whose only wildcards are stars at its ends as the operator that is quicker.
  ///
  /// A single star matches any rest, also an empty one; of two stars at the end that is not so.
  fileprivate func simplified(
    _ pattern: UnsafeRawBufferPointer
  ) -> (ValueCondition, UnsafeRawBufferPointer) {
    let star = UInt8(ascii: "*")
    guard comparison == .like, folding == nil || folding == .latin,
      firstInvalidUTF8(in: pattern) == nil
    else { return (self, pattern) }
    let hasStart = pattern.first == star
    let hasEnd = pattern.count > 1 && pattern.last == star
    let literal = UnsafeRawBufferPointer(
      rebasing: pattern[(hasStart ? 1 : 0)..<(pattern.count - (hasEnd ? 1 : 0))])
    guard !literal.contains(star), !literal.contains(UInt8(ascii: "?")), !literal.isEmpty else {
      return (self, pattern)
    }
    let simple: Operator =
      switch (hasStart, hasEnd) {
      case (true, true): .contains
      case (true, false): .endsWith
      case (false, true): .beginsWith
      case (false, false): .equal
      }
    return (ValueCondition(simple, folding: folding), literal)
  }
}
