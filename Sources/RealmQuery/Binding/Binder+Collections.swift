import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

extension Binder {
  /// `@count`, `@size`, `[SIZE]`. Source: query-language.md 15.
  func bindSize(_ path: KeyPath, _ range: SourceRange) throws(QueryFailure) -> BoundOperand {
    let walker = LinkWalker(path.steps, run)
    func sized(_ source: OperandSource) -> BoundOperand {
      BoundOperand(shape: .other, type: .int, source: source, range: range)
    }
    guard case .property(let property, let rest) = path.end else {
      if case .link = path.end {
        return sized(
          path.steps.count == 1 ? LinkCountSource(walker) : LinkCountsSource(walker))
      }
      return sized(AllBacklinksSource(walker, path.objectClass))
    }
    findIgnoredParts(path, "@count", range)
    let reader = PropertyReader(path.objectClass, position: property.position)
    if isLength(rest, after: property) || isKeys(rest, of: property) {
      throw noSize(property, range)
    }
    if property.collection != .none {
      return sized(
        path.isUnary
          ? ElementCountSource(walker, reader) : ElementCountsSource(walker, reader))
    }
    switch property.kind {
    case .string, .data, .mixed, .typedLink:
      return sized(SizeSource(bindPath(path, nil, range).source))
    default: throw noSize(property, range)
    }
  }

  private func noSize(_ property: Property, _ range: SourceRange) -> QueryFailure {
    failure(.badAggregate, "\(property.name) has no size", at: range)
  }

  private func isKeys(_ rest: [PathPart], of property: Property) -> Bool {
    guard property.collection == .dictionary, case .name("@keys", _)? = rest.first else {
      return false
    }
    return true
  }

  /// `@type`. Source: query-language.md 15.
  func bindType(
    _ path: KeyPath, _ operand: PropertyOperand
  ) throws(QueryFailure) -> BoundOperand {
    var bound = bindPath(path, operand.qualifier, operand.range)
    switch path.end {
    case .allBacklinks:
      throw failure(.badAggregate, "@links has no @type", at: operand.range)
    case .link: bound = known(.link, bound)
    case .property(let property, let rest):
      if isLength(rest, after: property) || isKeys(rest, of: property) {
        throw failure(.badAggregate, "this has no @type", at: operand.range)
      }
      let isMixed = property.kind == .mixed || property.kind == .typedLink
      if isMixed || property.collection == .dictionary {
        bound.source = TypeSource(bound.source)
      } else if property.collection == .none {
        bound = known(typeSet(property.kind), bound)
      } else {
        throw failure(
          .badAggregate, "all elements of \(property.name) have one type", at: operand.range)
      }
    }
    bound.shape = .other
    bound.type = .typeName
    bound.isCollection = false
    return bound
  }

  /// An `@type` that every object has.
  private func known(_ types: TypeSet, _ operand: BoundOperand) -> BoundOperand {
    var bound = operand
    bound.isKnownType = true
    bound.qualifier = nil
    bound.source = SingleConstantSource(.type(types))
    return bound
  }

  private func typeSet(_ kind: ValueKind) -> TypeSet {
    switch kind {
    case .int: .int
    case .bool: .bool
    case .string: .string
    case .data: .binary
    case .date: .timestamp
    case .float: .float
    case .double: .double
    case .decimal: .decimal
    case .objectID: .objectID
    case .uuid: .uuid
    default: .link
    }
  }

  /// `path.@max`, `path.@sum.name`. Source: query-language.md 16.
  func bind(_ aggregate: AggregateOperand) throws(QueryFailure) -> BoundOperand {
    let path = try resolve(aggregate.path)
    let operation: AggregateOperation =
      switch aggregate.operation {
      case .min: .minimum
      case .max: .maximum
      case .sum: .sum
      case .average: .average
      }
    if let name = aggregate.property { return try bind(operation, over: path, name, aggregate) }
    guard case .property(let property, let rest) = path.end, property.collection != .none,
      !isLength(rest, after: property), !isKeys(rest, of: property)
    else {
      throw failure(
        .badAggregate, "\(aggregate.operation.rawValue) needs a collection of numbers",
        at: aggregate.range)
    }
    findIgnoredParts(path, aggregate.operation.rawValue, aggregate.range)
    let isDictionary = property.collection == .dictionary
    let isExtreme = operation == .minimum || operation == .maximum
    guard isDictionary || isSummable(property.kind) else {
      throw failure(
        .badAggregate, "\(property.name) is no collection of numbers", at: aggregate.range)
    }
    let elements = ElementAggregate(
      PropertyReader(path.objectClass, position: property.position),
      // The least and the greatest value of a dictionary are found as among mixed ones.
      Accumulator(operation, isDictionary && isExtreme ? .mixed : property.kind))
    let walker = LinkWalker(path.steps, run)
    return BoundOperand(
      shape: .other, type: DeclaredType(property.kind),
      source: path.isUnary
        ? ElementAggregateSource(walker, elements) : ElementAggregatesSource(walker, elements),
      range: aggregate.range)
  }

  private func isSummable(_ kind: ValueKind) -> Bool {
    switch kind {
    case .int, .float, .double, .decimal, .mixed, .typedLink: true
    default: false
    }
  }

  /// An aggregate of a property of linked objects.
  private func bind(
    _ operation: AggregateOperation, over path: KeyPath, _ name: Name,
    _ aggregate: AggregateOperand
  ) throws(QueryFailure) -> BoundOperand {
    guard case .link = path.end else {
      throw failure(.badAggregate, "\(name.text) needs links before it", at: aggregate.range)
    }
    guard let property = path.objectClass.property(named: name.text) else {
      throw .query(
        QueryError(
          .badAggregate, "\(path.objectClass.name) has no property \(name.text)", at: name.range,
          unknownName: name.text, candidates: path.objectClass.properties.map(\.name)))
    }
    let isExtreme = operation == .minimum || operation == .maximum
    guard property.collection == .none,
      isSummable(property.kind) || isExtreme && property.kind == .date
    else {
      throw failure(.badAggregate, "\(property.name) is no number", at: name.range)
    }
    return BoundOperand(
      shape: .other, type: aggregateType(operation, property.kind),
      source: LinkAggregateSource(
        LinkWalker(path.steps, run),
        PropertyReader(path.objectClass, position: property.position),
        Accumulator(operation, property.kind)),
      range: aggregate.range)
  }

  private func aggregateType(_ operation: AggregateOperation, _ kind: ValueKind) -> DeclaredType {
    switch (operation, kind) {
    case (.minimum, _), (.maximum, _): DeclaredType(kind)
    case (.sum, .int): .int
    case (.sum, .float), (.sum, .double): .double
    case (.average, .int), (.average, .float), (.average, .double): .double
    default: .decimal
    }
  }

  /// `SUBQUERY(path, $x, predicate).@count`. Source: query-language.md 17.
  func bind(_ subquery: SubqueryOperand) throws(QueryFailure) -> BoundOperand {
    let variable = subquery.variable.text
    guard variable.utf8.first == UInt8(ascii: "$"), variable.utf8.count > 1 else {
      throw failure(
        .badSubquery, "the variable must begin with $", at: subquery.variable.range)
    }
    let path = try subqueryPath(subquery.path)
    if scopes.contains(where: { $0.variable == variable && $0.objectClass === path.objectClass }) {
      throw failure(.badSubquery, "\(variable) is in use already", at: subquery.variable.range)
    }
    let outer = objectClass
    scopes.append((variable, path.objectClass))
    objectClass = path.objectClass
    defer {
      scopes.removeLast()
      objectClass = outer
    }
    let predicate = TargetTest(objectClass, try bind(subquery.predicate), run)
    return BoundOperand(
      shape: .other, type: .int,
      source: SubquerySource(LinkWalker(path.steps, run), predicate), range: subquery.range)
  }

  /// The path of a SUBQUERY: it ends in a list of links or in backlinks.
  private func subqueryPath(_ path: PropertyPath) throws(QueryFailure) -> KeyPath {
    let resolved = try resolve(path)
    guard case .link = resolved.end, let last = resolved.steps.last else {
      throw failure(.badSubquery, "SUBQUERY needs a list of objects", at: path.range)
    }
    if resolved.steps.contains(where: \.isNarrowed) {
      throw failure(.undefined, "no position can be chosen here", at: path.range)
    }
    switch last.kind {
    case .list, .backlinks: return resolved
    default: throw failure(.badSubquery, "SUBQUERY needs a list of objects", at: path.range)
    }
  }
}
