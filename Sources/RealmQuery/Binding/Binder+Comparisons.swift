import ByteKernels
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

extension Binder {
  /// Binds `left OP right`.
  func bind(_ comparison: RealmLanguage.Comparison) throws(QueryFailure) -> BoundPredicate {
    if comparison.comparator == .text {
      let bound = try bindFullText(comparison)
      examine(asWritten: .comparison(comparison), bound)
      return bound
    }
    let (left, right) = try bindSides(comparison.lhs, comparison.rhs, comparison.range)
    if left.isCollection, right.isCollection {
      throw failure(.twoLists, "both sides are collections", at: comparison.range)
    }
    form = .general
    let bound =
      switch comparison.comparator {
      case .equal, .notEqual, .in: try bindEquality(comparison, left, right)
      case .less, .lessOrEqual, .greater, .greaterOrEqual:
        try bindOrder(comparison.comparator, left, right)
      default: try bindText(comparison, left, right)
      }
    examine(comparison, left, right, bound)
    return bound
  }

  /// A collection of links beside a single null.
  private func checkNoNullBesideLinks(
    _ left: BoundOperand, _ right: BoundOperand
  ) throws(QueryFailure) {
    for (link, constant) in [(left, right), (right, left)]
    where link.linkSteps != nil && link.isMulti && constant.isSingleNull {
      throw failure(.listNull, "a collection of links has no null", at: link.range)
    }
  }

  /// `==`, `!=`, IN. Source: query-language.md 9.
  private func bindEquality(
    _ comparison: RealmLanguage.Comparison, _ leftOperand: BoundOperand,
    _ rightOperand: BoundOperand
  ) throws(QueryFailure) -> BoundPredicate {
    var left = leftOperand
    var right = rightOperand
    let range = comparison.range
    try checkTypeNames(left, right, range)
    try checkNoNullBesideLinks(left, right)
    if left.linkSteps != nil, right.constant != nil { right = try links(right, to: left) }
    if right.linkSteps != nil, left.constant != nil { left = try links(left, to: right) }
    for (one, other) in [(left, right), (right, left)]
    where one.type == .typeName && other.type != .typeName {
      throw failure(.badTypeName, "@type is compared with names of types only", at: other.range)
    }
    let hasUntypedNull = left.type == .none || right.type == .none
    guard hasUntypedNull || left.type.isCompatible(with: right.type) else {
      throw mismatch(left, right, range)
    }
    if comparison.comparator == .in, !right.isMulti {
      throw failure(.notAList, "IN needs a list on its right", at: right.range)
    }
    let isEqual = comparison.comparator != .notEqual
    if isEqual, let special = try bindPlainIn(comparison.folding, left, right) {
      form = .plainIn
      return special
    }
    if comparison.comparator != .in, let special = try bindLinkEquality(isEqual, left, right, range)
    {
      form = .link
      return special
    }
    if let special = try bindPlainEquality(
      isEqual, comparison.folding, left, right, comparison.range)
    {
      form = .plain
      return special
    }
    return try bindGeneralEquality(isEqual, comparison.folding, left, right)
  }

  /// Two `@type` that are known, or one and a literal.
  private func checkTypeNames(
    _ left: BoundOperand, _ right: BoundOperand, _ range: SourceRange
  ) throws(QueryFailure) {
    let isLeftKnown = left.isKnownType || left.type == .typeName && left.constant != nil
    let isRightKnown = right.isKnownType || right.type == .typeName && right.constant != nil
    if isLeftKnown, isRightKnown {
      throw failure(.twoConstants, "both types are known beforehand", at: range)
    }
  }

  private func mismatch(
    _ left: BoundOperand, _ right: BoundOperand, _ range: SourceRange
  ) -> QueryFailure {
    failure(
      .typeMismatch, "\(left.type.name) cannot be compared with \(right.type.name)", at: range)
  }

  /// A constant beside a link operand: links to the target class or null.
  private func links(
    _ operand: BoundOperand, to link: BoundOperand
  ) throws(QueryFailure) -> BoundOperand {
    guard var constant = operand.constant, let target = link.linkSteps?.last?.target else {
      return operand
    }
    for (i, value) in constant.values.enumerated() {
      switch value {
      case .null, .link: break
      case .typedLink(let table, let key):
        guard table == target.table.key else {
          throw failure(
            .wrongClass, "this is no link to \(target.name)", at: operand.range)
        }
        constant.values[i] = .link(key)
      default:
        throw failure(
          .typeMismatch, "\(value.declaredType.name) cannot be compared with a link",
          at: operand.range)
      }
    }
    var result = operand
    result.shape = .constant(constant)
    result.type = .link
    result.source = constant.source
    return result
  }

  /// The general form of equality, or the any-form of a search index.
  private func bindGeneralEquality(
    _ isEqual: Bool, _ folding: CaseFolding?, _ left: BoundOperand, _ right: BoundOperand
  ) throws(QueryFailure) -> BoundPredicate {
    if let folding, !right.type.isText {
      throw failure(.badOperator, "\(folding.rawValue) needs a text on the right", at: right.range)
    }
    for side in [left, right] where side.constant?.hasMissingObject == true {
      let other = side.constant == nil ? left : right
      if other.linkSteps == nil, other.type == .mixed || side.constant?.isList == true {
        throw failure(.undefined, "there is no such object", at: side.range)
      }
    }
    if isEqual, folding == nil {
      if let special = bindIndexed(left, right) ?? bindIndexed(right, left) {
        form = .index
        return special
      }
    }
    var right = right
    if isEqual, folding == nil, left.isSingleNull, left.constant?.isList == false,
      case .property(let path, let property, let rest) = right.shape, path.steps.isEmpty,
      !rest.isEmpty, property.kind == .mixed, property.collection == .none,
      hasIndex(property, of: path.objectClass)
    {
      warn(.key, "with null on the left an index ignores the path into the value", at: right.range)
      var whole = path
      whole.end = .property(property, [])
      right = bindPath(whole, right.qualifier, right.range)
    }
    return general(
      ValueCondition(isEqual ? .equal : .notEqual, folding: folding), left, right)
  }

  /// Whether a property has a search index, of its own or as primary key.
  func hasIndex(_ property: Property, of objectClass: ObjectClass) -> Bool {
    objectClass.table.columns[property.position].hasIndex
  }

  /// An indexed property behind links, or an indexed list of texts, against a single constant: any
  /// reached value counts. Source: query-language.md 9.5.
  private func bindIndexed(_ operand: BoundOperand, _ other: BoundOperand) -> BoundPredicate? {
    guard operand.isAny, other.qualifier != Qualifier.none, let constant = other.single,
      !constant.isNull, case .property(let path, let property, _) = operand.shape,
      hasIndex(property, of: path.objectClass),
      constant.declaredType == DeclaredType(property.kind)
    else { return nil }
    switch property.collection {
    case .none:
      guard !path.steps.isEmpty, !path.steps.contains(where: \.isNarrowed) else { return nil }
      let predicate = plainGeneral(
        property, ValueCondition(.equal), constant, isReversed: false)
      return reached(path, predicate, .any, matchesNull: false)
    case .list where property.kind == .string:
      let steps = path.steps.map { step in
        var whole = step
        whole.index = nil
        return whole
      }
      let source = ListSource(
        LinkWalker(steps, run), PropertyReader(path.objectClass, position: property.position),
        index: nil)
      return .condition(AnyEqualCondition(source, constant))
    default: return nil
    }
  }

  /// A comparison in the general form. Single properties against one constant are tested by
  /// leaves.
  func general(
    _ condition: ValueCondition, _ left: BoundOperand, _ right: BoundOperand
  ) -> BoundPredicate {
    singleAgainstConstant(condition, left, right, isReversed: false)
      ?? singleAgainstConstant(condition, right, left, isReversed: true)
      ?? singleAmongConstants(condition, left, right)
      ?? .condition(comparison(condition, left, right))
  }

  private func comparison(
    _ condition: ValueCondition, _ left: BoundOperand, _ right: BoundOperand
  ) -> Condition {
    if let left = left.source as? SingleSource, let right = right.source as? SingleSource {
      return SingleCondition(condition, left, right)
    }
    return GeneralCondition(condition, left, right)
  }

  /// A single property, also behind links, against one constant that is no list; nil for others.
  private func singleAgainstConstant(
    _ condition: ValueCondition, _ operand: BoundOperand, _ other: BoundOperand, isReversed: Bool
  ) -> BoundPredicate? {
    guard other.qualifier == nil, let constant = other.constant, !constant.isList,
      let value = constant.single, case .property(let path, let property, let rest) = operand.shape,
      property.collection == .none, rest.isEmpty
    else { return nil }
    let predicate = plainGeneral(property, condition, value, isReversed: isReversed)
    if path.steps.isEmpty { return operand.qualifier == nil ? predicate : nil }
    let matchesNull =
      isReversed ? condition.holds(value, .null) : condition.holds(.null, value)
    return reached(path, predicate, Quantifier(operand.qualifier), matchesNull: matchesNull)
  }

  /// A single property behind links that equals one of several constants of its type; nil for
  /// others.
  private func singleAmongConstants(
    _ condition: ValueCondition, _ left: BoundOperand, _ right: BoundOperand
  ) -> BoundPredicate? {
    guard condition.comparison == .equal, !condition.ignoresCase, left.isAny, right.isAny,
      let constant = right.constant, constant.isList,
      case .property(let path, let property, let rest) = left.shape, !path.steps.isEmpty,
      property.collection == .none, rest.isEmpty, property.kind != .mixed,
      // Two lists without a word are compared element by element.
      path.isUnary || left.qualifier != nil || right.qualifier != nil
    else { return nil }
    let values = constant.values.filter { !$0.isNull }
    let hasNull = values.count < constant.values.count
    guard values.allSatisfy({ $0.declaredType == left.type }) else { return nil }
    let test = ColumnTest(
      property, .any(values.sorted { QueryValue.order($0, $1) < 0 }, matchesNull: hasNull))
    return reached(path, .column(test), .any, matchesNull: hasNull)
  }

  /// A condition on the objects behind links.
  private func reached(
    _ path: KeyPath, _ predicate: BoundPredicate, _ quantifier: Quantifier, matchesNull: Bool
  ) -> BoundPredicate {
    let target = TargetTest(path.objectClass, predicate, run)
    if path.steps.count == 1, let step = path.steps.first, step.isSingle {
      return .column(ColumnTest(step.property, .target(target, matchesNull: matchesNull)))
    }
    return .condition(
      PathCondition(LinkWalker(path.steps, run), target, quantifier, matchesNull: matchesNull))
  }

  /// `<`, `<=`, `>`, `>=`. Source: query-language.md 10.
  func bindOrder(
    _ comparator: Comparator, _ left: BoundOperand, _ right: BoundOperand
  ) throws(QueryFailure) -> BoundPredicate {
    let range = left.range.joined(with: right.range)
    try checkTypeNames(left, right, range)
    try checkNoNullBesideLinks(left, right)
    // realm-core has an order for links to any class, as constants on the left.
    let isLinkToAnyClass = right.type == .mixed && (left.single?.isTypedLink ?? false)
    if left.type == .link && !isLinkToAnyClass || left.type == .typeName {
      throw failure(.badOperator, "\(left.type.name) has no order", at: range)
    }
    let isNullSide = left.isSingleNull || right.isSingleNull
    guard isNullSide || left.type.isCompatible(with: right.type) else {
      throw mismatch(left, right, range)
    }
    if !isNullSide, right.type == .typeName { throw mismatch(left, right, range) }
    let (comparison, operation): (ByteKernels.Comparison, ValueCondition.Operator) =
      switch comparator {
      case .less: (.less, .less)
      case .lessOrEqual: (.lessOrEqual, .lessOrEqual)
      case .greater: (.greater, .greater)
      default: (.greaterOrEqual, .greaterOrEqual)
      }
    if let property = left.plainProperty, let value = right.single,
      right.type == left.type || left.type == .mixed,
      let special = plainOrder(property, comparison, operation, value)
    {
      form = .plain
      return special
    }
    return general(ValueCondition(operation), left, right)
  }

  /// The plain form of the order operators; nil for types that have none.
  private func plainOrder(
    _ property: Property, _ comparison: ByteKernels.Comparison,
    _ operation: ValueCondition.Operator, _ value: QueryValue
  ) -> BoundPredicate? {
    switch (property.kind, value) {
    case (.bool, _), (.data, _): return nil
    case (.int, .int(let key)):
      if comparison == .greaterOrEqual && key == .min || comparison == .lessOrEqual && key == .max {
        return .vacuous
      }
      return .column(ColumnTest(property, .int(comparison, key)))
    case (.double, .double(let key)): return .column(ColumnTest(property, .double(comparison, key)))
    case (.float, .float(let key)): return .column(ColumnTest(property, .float(comparison, key)))
    case (.date, .date(let key)): return .column(ColumnTest(property, .date(comparison, key)))
    case (.string, .null):
      // Null stands below every text here.
      switch comparison {
      case .less: return .always(false)
      case .lessOrEqual: return .column(ColumnTest(property, .null(true)))
      case .greater: return .column(ColumnTest(property, .null(false)))
      default: return .always(true)
      }
    case (.string, .string(let text)):
      let matchesNull = comparison == .less || comparison == .lessOrEqual
      return .column(
        ColumnTest(property, .text(ValueCondition(operation), text, matchesNull: matchesNull)))
    default:
      return .column(
        ColumnTest(property, .value(ValueCondition(operation), value, isReversed: false)))
    }
  }

  /// The general form for a plain property and one constant; numbers of another type than the
  /// property become the nearest number of its type that decides the same.
  private func plainGeneral(
    _ property: Property, _ condition: ValueCondition, _ value: QueryValue, isReversed: Bool
  ) -> BoundPredicate {
    if value.isNull, condition.comparison == .equal || condition.comparison == .notEqual {
      return .column(ColumnTest(property, .null(condition.comparison == .equal)))
    }
    if condition.isUnicodeFolded, !isReversed, property.kind == .string,
      case .string(let pattern) = value
    {
      let matchesNull = condition.comparison == .notEqual
      return .column(test(property, condition, pattern, matchesNull: matchesNull))
    }
    let test = ColumnTest.Kind.value(condition, value, isReversed: isReversed)
    guard let comparison = condition.kernelComparison(isReversed: isReversed) else {
      return .column(ColumnTest(property, test))
    }
    switch (property.kind, value) {
    case (.bool, .bool(let flag)) where comparison == .equal || comparison == .notEqual:
      return .column(ColumnTest(property, .bool(flag, isEqual: comparison == .equal)))
    case (.int, .int(let key)): return .column(ColumnTest(property, .int(comparison, key)))
    case (.date, .date(let key)): return .column(ColumnTest(property, .date(comparison, key)))
    case (.int, _):
      if let key = value.asDouble, !key.isNaN,
        let predicate = wholeNumbers(property, comparison, key)
      {
        return predicate
      }
    case (.double, .int(let key)):
      if let key = Double(exactly: key) {
        return .column(ColumnTest(property, .orderedDouble(comparison, key)))
      }
    case (.double, _):
      if let key = value.asDouble, !key.isNaN {
        return .column(ColumnTest(property, .orderedDouble(comparison, key)))
      }
    default: break
    }
    return .column(ColumnTest(property, test))
  }

  /// Ints compared with a double; nil where no int decides the same.
  private func wholeNumbers(
    _ property: Property, _ comparison: ByteKernels.Comparison, _ key: Double
  ) -> BoundPredicate? {
    let rounded: Double
    switch comparison {
    case .less, .greaterOrEqual: rounded = key.rounded(.up)
    case .lessOrEqual, .greater: rounded = key.rounded(.down)
    case .equal, .notEqual: rounded = key
    }
    return Int64(exactly: rounded).map { .column(ColumnTest(property, .int(comparison, $0))) }
  }
}

extension ValueCondition {
  /// The comparison of a property with a constant; nil for texts.
  fileprivate func kernelComparison(isReversed: Bool) -> ByteKernels.Comparison? {
    switch comparison {
    case .equal: .equal
    case .notEqual: .notEqual
    case .less: isReversed ? .greater : .less
    case .lessOrEqual: isReversed ? .greaterOrEqual : .lessOrEqual
    case .greater: isReversed ? .less : .greater
    case .greaterOrEqual: isReversed ? .lessOrEqual : .greaterOrEqual
    case .beginsWith, .endsWith, .contains, .like: nil
    }
  }
}
