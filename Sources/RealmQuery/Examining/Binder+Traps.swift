import ByteKernels
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// Comparisons that do something else than they seem to. Source: query-language.md 28.
extension Binder {
  /// Warns of a trap.
  func warn(
    _ kind: TrapWarning.Kind, _ message: String, at range: SourceRange, remedy: String? = nil
  ) {
    examination?.warn(TrapWarning(kind, message, at: range, remedy: remedy))
  }

  /// Looks for traps in a comparison.
  func findTraps(
    _ comparison: RealmLanguage.Comparison, _ left: BoundOperand, _ right: BoundOperand,
    _ bound: BoundPredicate
  ) {
    findIgnoredWords(comparison, left, right)
    findListTraps(comparison, left, right)
    findCaseTraps(comparison, left, right)
    findConstantTraps(comparison, left, right)
    findPatternTraps(comparison, right)
    let isOrdered = [.less, .lessOrEqual, .greater, .greaterOrEqual].contains(
      comparison.comparator)
    if isOrdered, left.isSingleNull || right.isSingleNull {
      findNullOrder(comparison, left, right)
    } else if !isOrdered || !findNullText(comparison, left, right) {
      findCertainty(comparison, left, right, bound)
    }
  }

  /// Looks for traps in a BETWEEN. Source: query-language.md 11.
  func findTraps(
    between operand: Operand, _ bounds: ListOperand, _ range: SourceRange, _ left: BoundOperand,
    _ low: BoundOperand, _ high: BoundOperand
  ) {
    if let word = bounds.qualifier, word != .any {
      warnOfWord(word, at: bounds.range, "before this list")
    }
    if case .property(let property) = operand, let word = property.qualifier, word != .any,
      left.qualifier == nil
    {
      warnOfWord(word, at: operand.range, "before \(path(of: operand))")
    }
    for (constant, bound) in zip(bounds.elements, [low, high]) {
      if let value = bound.single { findTraps(of: constant, value, beside: left) }
    }
    if case .property(_, _, let rest) = left.shape,
      rest.contains(where: { if case .name(_, let bytes) = $0 { bytes.isEmpty } else { false } })
    {
      warn(
        .key, "BETWEEN loses the key: it looks for an empty one", at: operand.range,
        remedy: "write >= ... and ... <=")
    } else if let a = low.single, let b = high.single, QueryValue.areComparable(a, b),
      QueryValue.order(a, b) > 0, left.isAny, !left.source.yieldsLists
    {
      warn(.never, "no value is between these bounds: the first is greater", at: bounds.range)
    } else if left.source.yieldsLists, !left.hasOneValue, left.qualifier != .all {
      warn(
        .bounds, "one value may be above the first bound and another one below the second",
        at: range, remedy: "write SUBQUERY(..., $x, $x... between {...}).@count > 0")
    }
  }

  // MARK: Words

  /// Words before operands that mean nothing there.
  private func findIgnoredWords(
    _ comparison: RealmLanguage.Comparison, _ left: BoundOperand, _ right: BoundOperand
  ) {
    for (operand, bound) in [(comparison.lhs, left), (comparison.rhs, right)] {
      guard case .property(let property) = operand, let word = property.qualifier, word != .any,
        bound.qualifier == nil
      else { continue }
      warnOfWord(word, at: operand.range, "before \(path(of: operand))")
    }
    guard let word = right.qualifier, word != .any, right.constant != nil else { return }
    let isIgnored =
      form == .link && (word == Qualifier.none || right.constant?.values.count ?? 0 > 1)
      || form == .plain && word == Qualifier.none
    if isIgnored { warnOfWord(word, at: right.range, "before this list") }
  }

  func warnOfWord(_ word: Qualifier, at range: SourceRange, _ place: String) {
    let start = range.start
    warn(
      .word, "\(word.rawValue) has no effect \(place)",
      at: SourceRange(start: start, end: start + word.rawValue.utf8.count))
  }

  private func path(of operand: Operand) -> String {
    var plain = operand
    if case .property(var property) = operand {
      property.qualifier = nil
      plain = .property(property)
    }
    return CanonicalText.string(plain)
  }

  // MARK: Lists

  private func findListTraps(
    _ comparison: RealmLanguage.Comparison, _ left: BoundOperand, _ right: BoundOperand
  ) {
    let range = comparison.operatorRange
    let isEquality = comparison.comparator == .equal || comparison.comparator == .in
    if isPairwise(left, right), comparesUnexpectedly(comparison.comparator, left, right) {
      let sign = comparison.comparator == .in ? "IN" : comparison.comparator.rawValue
      warn(
        .wholeLists, "\(sign) compares whole lists here, element by element", at: range,
        remedy: "write ANY \(CanonicalText.string(comparison.lhs)) \(sign) ... for \"any of\"")
      return
    }
    guard form == .general else { return }
    if let constant = right.constant, constant.isList, left.qualifier == .all, isEquality,
      comparison.folding == nil, right.isAny, constant.values.count > 2
    {
      warn(
        .repeated, "ALL does not hold for a list that repeats a value", at: left.range,
        remedy: "write NOT ANY ... with the opposite of the condition")
    }
    if let word = left.qualifier, word != .any,
      case .property(let path, let property, _) = left.shape, property.collection != .none,
      path.steps.contains(where: { !$0.isSingle && !$0.isNarrowed })
    {
      let owner = path.steps.last?.target.name ?? "object"
      warn(
        .eachList, "\(word.rawValue) looks at the list of one \(owner) at a time: one is enough",
        at: left.range)
    }
  }

  /// Whether the comparison of whole lists is hardly meant.
  private func comparesUnexpectedly(
    _ comparator: Comparator, _ left: BoundOperand, _ right: BoundOperand
  ) -> Bool {
    if let values = left.constant?.values ?? right.constant?.values {
      let path = left.constant == nil ? left : right
      return values.count > 1 || values.count == 1 && !path.hasOneValue
    }
    // Lists that were named on purpose.
    for side in [left, right] {
      if case .other = side.shape { return false }
    }
    return comparator != .equal
  }

  // MARK: Letter case

  private func findCaseTraps(
    _ comparison: RealmLanguage.Comparison, _ left: BoundOperand, _ right: BoundOperand
  ) {
    guard let folding = comparison.folding else { return }
    let range = SourceRange(
      start: comparison.operatorRange.end - folding.rawValue.utf8.count,
      end: comparison.operatorRange.end)
    let isText = [left, right].allSatisfy { $0.type.isText }
    if !isText {
      warn(.letterCase, "\(folding.rawValue) has no effect on what is no text", at: range)
    } else if form == .plainIn, folding == .latin {
      warn(
        .letterCase, "IN ignores [c] here", at: range,
        remedy: "write ==[c] for each text, or IN[cu]")
    } else if folding == .latin,
      let letter = right.constant?.values.lazy.compactMap({ Binder.caseOutsideLatin($0) }).first
    {
      warn(
        .letterCase, "[c] knows Latin letters only: \(letter) has no other case here", at: range,
        remedy: "write [cu]")
    }
  }

  /// The first letter of a text that has a case which `[c]` does not know.
  private static func caseOutsideLatin(_ value: QueryValue) -> Unicode.Scalar? {
    guard case .string(let text) = value else { return nil }
    return String(decoding: text, as: UTF8.self).unicodeScalars.first { scalar in
      let properties = scalar.properties
      return scalar.value > 0xFE && properties.isCased
        && (properties.changesWhenUppercased || properties.changesWhenLowercased)
    }
  }

  // MARK: Constants

  private func findConstantTraps(
    _ comparison: RealmLanguage.Comparison, _ left: BoundOperand, _ right: BoundOperand
  ) {
    for (written, bound, other) in [
      (comparison.lhs, left, right), (comparison.rhs, right, left),
    ] {
      guard let values = bound.constant?.values else { continue }
      let constants: [Constant]
      switch written {
      case .constant(let constant): constants = [constant]
      case .list(let list): constants = list.elements
      default: continue
      }
      guard constants.count == values.count else { continue }
      for (constant, value) in zip(constants, values) {
        findTraps(of: constant, value, beside: other)
        let isUsable = value.isNull || value.declaredType == other.type
        if form == .plainIn, !isUsable {
          warn(
            .element,
            "\(text(of: value)) is \(article(value.declaredType)) and equals no \(other.type.name)",
            at: constant.range)
        }
      }
    }
    if form == .plainIn, left.type == .int, let values = right.constant?.values,
      !values.contains(where: { $0.isNull || $0.declaredType == .int })
    {
      warn(.element, "a list without ints finds -1", at: right.range)
    }
  }

  private func findTraps(
    of constant: Constant, _ value: QueryValue, beside other: BoundOperand
  ) {
    switch constant.kind {
    case .string(let written):
      let isWhole = String(decoding: written, as: UTF8.self).allSatisfy {
        $0.isNumber || "+-.eE".contains($0)
      }
      let isNumber =
        switch value {
        case .int: true
        case .float, .double: value.asDouble?.isFinite == true
        default: false
        }
      if isNumber, !isWhole {
        warn(
          .number, "the text is read as the number it begins with, \(text(of: value))",
          at: constant.range)
      }
    case .double, .float:
      switch value {
      case .double(.infinity), .double(-.infinity), .float(.infinity), .float(-.infinity):
        warn(.clamped, "the number is too large and read as infinity", at: constant.range)
      case .float(let number)
      where other.type == .double && Double("\(number)") != Double(number):
        warn(
          .number, "the float \(number) is the double \(Double(number))", at: constant.range,
          remedy: "leave out f")
      default: break
      }
    case .object, .objectName:
      if value.isNull {
        warn(
          .object, "there is no such object, so this compares with null", at: constant.range)
      }
    case .objectKey(let key) where other.type == .mixed && other.linkSteps == nil:
      let name = "CLASS#\(key.rawValue)"
      warn(
        .never, "links in mixed values know their class, which an object key alone does not",
        at: constant.range, remedy: "write \(name)")
    default: break
    }
  }

  // MARK: Patterns

  private func findPatternTraps(
    _ comparison: RealmLanguage.Comparison, _ right: BoundOperand
  ) {
    guard let pattern = right.single?.bytes else { return }
    switch comparison.comparator {
    case .like:
      let hasWildcard = pattern.contains(UInt8(ascii: "*")) || pattern.contains(UInt8(ascii: "?"))
      if pattern.count > 1, pattern.last == UInt8(ascii: "*"),
        pattern[pattern.count - 2] == UInt8(ascii: "*")
      {
        warn(
          .wildcard, "of several stars at the end each but one stands for something",
          at: right.range, remedy: "write one star")
      } else if !hasWildcard, pattern.contains(UInt8(ascii: "%")) {
        warn(
          .wildcard, "% stands for itself", at: right.range,
          remedy: "write * for any text, ? for one character")
      }
    case .beginsWith, .endsWith, .contains:
      if pattern.isEmpty {
        warn(.always, "every text contains the empty text", at: right.range)
      }
    default: break
    }
  }

  // MARK: Null

  /// An order operator beside null means `== null`, or nothing.
  private func findNullOrder(
    _ comparison: RealmLanguage.Comparison, _ left: BoundOperand, _ right: BoundOperand
  ) {
    let sign = comparison.comparator.rawValue
    let range = comparison.operatorRange
    let isPlainText = form == .plain && left.type == .string
    switch comparison.comparator {
    case .lessOrEqual: warn(.nullOrder, "<= null means == null", at: range)
    case .greaterOrEqual where isPlainText: warn(.always, ">= null holds for every text", at: range)
    case .greaterOrEqual: warn(.nullOrder, ">= null means == null", at: range)
    case .greater where isPlainText: warn(.nullOrder, "> null means != null", at: range)
    default:
      if left.isAny, right.isAny { warn(.never, "nothing is \(sign) null", at: range) }
    }
  }

  /// Null stands below all texts in the plain form.
  private func findNullText(
    _ comparison: RealmLanguage.Comparison, _ left: BoundOperand, _ right: BoundOperand
  ) -> Bool {
    guard form == .plain, left.type == .string, let property = left.plainProperty,
      property.isNullable,
      comparison.comparator == .less || comparison.comparator == .lessOrEqual
    else { return false }
    let name = CanonicalText.string(name: property.name)
    warn(
      .nullText, "null counts as the smallest text: objects without \(name) are found, too",
      at: comparison.operatorRange, remedy: "add and \(name) != null")
    return true
  }

  // MARK: Arithmetic

  /// Looks for traps in arithmetic on constants. Source: query-language.md 21.
  func findArithmeticTraps(
    _ operation: ArithmeticOperator, _ a: QueryValue, _ b: QueryValue, _ result: QueryValue,
    _ range: SourceRange
  ) {
    switch (a, b) {
    case (.int(let x), .int(let y)):
      let isLost: Bool
      switch operation {
      case .divide: isLost = y == 0 || x.remainderReportingOverflow(dividingBy: y).partialValue != 0
      case .add: isLost = x.addingReportingOverflow(y).overflow
      case .subtract: isLost = x.subtractingReportingOverflow(y).overflow
      case .multiply: isLost = x.multipliedReportingOverflow(by: y).overflow
      }
      if isLost {
        warn(
          .arithmetic, "computed with ints: \(x) \(operation.rawValue) \(y) is \(text(of: result))",
          at: range)
      }
    case _ where result.isNull && !a.isNull && !b.isNull:
      warn(.arithmetic, "arithmetic on what is no number gives null", at: range)
    default: break
    }
  }

  /// Warns of what stands between a collection and its size or aggregate.
  func findIgnoredParts(_ path: KeyPath, _ suffix: String, _ range: SourceRange) {
    guard examination != nil else { return }
    guard case .property(let property, let rest) = path.end, property.collection != .none,
      let first = rest.first
    else { return }
    if case .all = first, rest.count == 1 { return }
    warn(
      .key, "\(suffix) is that of all of \(property.name): what stands between has no effect",
      at: range)
  }

  /// A value for a message.
  func text(of value: QueryValue) -> String {
    switch value {
    case .string(let bytes): "\"\(String(decoding: bytes, as: UTF8.self))\""
    case .bool(let value): value ? "true" : "false"
    case .int(let value): String(value)
    case .float(let value): value.description
    case .double(let value): value.description
    case .decimal(let value): "\(value)"
    case .null: "null"
    default: "this"
    }
  }

  private func article(_ type: DeclaredType) -> String {
    switch type {
    case .int, .objectID: "an \(type.name)"
    default: "a \(type.name)"
    }
  }
}

extension BoundOperand {
  /// Whether its lists have one value at most.
  fileprivate var hasOneValue: Bool {
    guard case .property(let path, _, let rest) = shape, path.isUnary, !rest.isEmpty else {
      return false
    }
    return !rest.contains { if case .all = $0 { true } else { false } }
  }
}
