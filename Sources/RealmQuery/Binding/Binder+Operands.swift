import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

extension Binder {
  /// Most operations in one arithmetic expression; every one can cost a level of recursion.
  static let maximumArithmeticDepth = 200

  /// Whether an operand consists of literals and arguments only.
  func isConstant(_ operand: Operand, depth: Int = 0) throws(QueryFailure) -> Bool {
    switch operand {
    case .constant, .list: return true
    case .property, .aggregate, .subquery: return false
    case .arithmetic(_, let left, let right, let range):
      guard depth < Binder.maximumArithmeticDepth else {
        throw failure(
          .limitExceeded,
          "more than \(Binder.maximumArithmeticDepth) operations in one expression", at: range)
      }
      let isLeftConstant = try isConstant(left, depth: depth + 1)
      let isRightConstant = try isConstant(right, depth: depth + 1)
      return isLeftConstant && isRightConstant
    }
  }

  /// Binds two operands: the one that is no constant first, its type is the hint for the other.
  ///
  /// - Throws: `two-constants` if both are.
  func bindSides(
    _ left: Operand, _ right: Operand, _ range: SourceRange
  ) throws(QueryFailure) -> (BoundOperand, BoundOperand) {
    let isLeftConstant = try isConstant(left)
    let isRightConstant = try isConstant(right)
    switch (isLeftConstant, isRightConstant) {
    case (true, true): throw failure(.twoConstants, "both sides are constants", at: range)
    case (false, true):
      let bound = try bind(left)
      return (bound, try bindConstant(right, hint: bound.type))
    case (true, false):
      let bound = try bind(right)
      return (try bindConstant(left, hint: bound.type), bound)
    case (false, false):
      let bound = try bind(right)
      return (try bind(left), bound)
    }
  }

  /// Binds an operand that is no constant.
  func bind(_ operand: Operand) throws(QueryFailure) -> BoundOperand {
    switch operand {
    case .property(let property): return try bind(property)
    case .aggregate(let aggregate): return try bind(aggregate)
    case .subquery(let subquery): return try bind(subquery)
    case .arithmetic(let operation, let left, let right, let range):
      return try bindArithmetic(operation, left, right, range)
    case .constant, .list: return try bindConstant(operand, hint: .none)
    }
  }

  private func bind(_ operand: PropertyOperand) throws(QueryFailure) -> BoundOperand {
    let path = try resolve(operand.path)
    try checkQualifier(operand, path)
    switch operand.suffix {
    case .size, .indexSize: return try bindSize(path, operand.range)
    case .type: return try bindType(path, operand)
    case nil: return bindPath(path, operand.qualifier, operand.range)
    }
  }

  /// A word before a path needs a list somewhere. Source: query-language.md 6.
  private func checkQualifier(
    _ operand: PropertyOperand, _ path: KeyPath
  ) throws(QueryFailure) {
    guard operand.qualifier != nil, case .property(let property, let rest) = path.end,
      property.collection == .none, rest.isEmpty, path.isUnary
    else { return }
    throw failure(.notAList, "\(property.name) is no list", at: operand.range)
  }

  /// The operand of a path without suffix.
  func bindPath(
    _ path: KeyPath, _ qualifier: Qualifier?, _ range: SourceRange
  ) -> BoundOperand {
    let walker = LinkWalker(path.steps, run)
    switch path.end {
    case .link:
      return BoundOperand(
        shape: .link(path), type: .link, qualifier: qualifier, isMulti: !path.isUnary,
        source: path.isUnary ? LinkSource(walker) : LinksSource(walker), range: range)
    case .allBacklinks:
      return BoundOperand(
        shape: .other, type: .int, source: AllBacklinksSource(walker, path.objectClass),
        range: range)
    case .property(let property, let rest):
      let reader = PropertyReader(path.objectClass, position: property.position)
      if isLength(rest, after: property) {
        return BoundOperand(
          shape: .other, type: .int, qualifier: qualifier, isMulti: true,
          source: LengthSource(walker, reader, isMixed: property.kind == .mixed), range: range)
      }
      return bindProperty(path, property, rest, walker, reader, qualifier, range)
    }
  }

  private func bindProperty(
    _ path: KeyPath, _ property: Property, _ rest: [PathPart], _ walker: LinkWalker,
    _ reader: PropertyReader, _ qualifier: Qualifier?, _ range: SourceRange
  ) -> BoundOperand {
    let shape = BoundOperand.Shape.property(path, property, rest)
    func nested(_ parts: [PathPart], isDictionary: Bool) -> NestedSource {
      NestedSource(
        walker, reader, path: parts, isDictionary: isDictionary, schema: schema, run: run)
    }
    switch property.collection {
    case .none:
      let source: OperandSource
      if !rest.isEmpty {
        source = nested(rest, isDictionary: false)
      } else if path.isUnary {
        source = ValueSource(walker, reader)
      } else {
        source = ValuesSource(walker, reader)
      }
      return BoundOperand(
        shape: shape, type: DeclaredType(property.kind), qualifier: qualifier,
        isMulti: !path.isUnary, source: source, range: range)
    case .list, .set:
      let source: OperandSource
      if rest.count > 1 {
        source = nested(rest, isDictionary: false)
      } else if case .index(let index)? = rest.first {
        source = ListSource(walker, reader, index: index)
      } else {
        source = ListSource(walker, reader, index: nil)
      }
      return BoundOperand(
        shape: shape, type: DeclaredType(property.kind), qualifier: qualifier, isMulti: true,
        isCollection: true, source: source, range: range)
    case .dictionary:
      if case .name("@keys", _)? = rest.first {
        return BoundOperand(
          shape: .other, type: .string, qualifier: qualifier, source: KeysSource(walker, reader),
          range: range)
      }
      var parts = rest
      if parts.isEmpty { parts = [.all] }
      if case .name("@values", _) = parts[0] { parts = [.all] }
      return BoundOperand(
        shape: shape, type: .mixed, qualifier: qualifier, isMulti: true, isCollection: true,
        source: nested(parts, isDictionary: true), range: range)
    }
  }

  /// Source: query-language.md 21.
  private func bindArithmetic(
    _ operation: ArithmeticOperator, _ left: Operand, _ right: Operand, _ range: SourceRange
  ) throws(QueryFailure) -> BoundOperand {
    let (a, b) = try bindSides(left, right, range)
    for side in [a, b] where !side.type.isNumeric && side.type != .mixed {
      throw failure(.badArithmetic, "\(side.type.name) is no number", at: side.range)
    }
    if isNested(a), isNested(b) {
      throw failure(.undefined, "arithmetic on two paths into mixed values", at: range)
    }
    let isLeftSingle = a.single != nil
    return BoundOperand(
      shape: .other, type: a.type, qualifier: isLeftSingle ? b.qualifier : a.qualifier,
      source: arithmeticSource(operation, a.source, b.source, range), range: range)
  }

  private func arithmeticSource(
    _ operation: ArithmeticOperator, _ left: OperandSource, _ right: OperandSource,
    _ range: SourceRange
  ) -> OperandSource {
    if let left = left as? SingleSource, let right = right as? SingleSource {
      return SingleArithmeticSource(operation, left, right)
    }
    return ArithmeticSource(operation, left, right, range)
  }

  /// Whether an operand leads into a mixed value or dictionary.
  private func isNested(_ operand: BoundOperand) -> Bool {
    guard case .property(_, let property, let rest) = operand.shape else { return false }
    return property.collection == .dictionary || property.collection == .none && !rest.isEmpty
  }
}
