import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// How conditions are understood: with words, types and arguments filled in.
extension Binder {
  /// Records how a comparison was bound.
  func examine(
    _ comparison: Comparison, _ left: BoundOperand, _ right: BoundOperand,
    _ bound: BoundPredicate
  ) {
    guard let examination else { return }
    findTraps(comparison, left, right, bound)
    var understood = comparison
    understood.lhs = reading(of: comparison.lhs, left)
    understood.rhs = reading(of: comparison.rhs, right)
    let isPairwise = isPairwise(left, right)
    switch form {
    case .plain, .plainIn: understood.rhs.qualifier = nil
    case .link:
      understood.rhs.qualifier = nil
      if left.source.yieldsLists { understood.lhs.addAny() }
    case .index:
      if left.source.yieldsLists { understood.lhs.addAny() }
      if right.source.yieldsLists { understood.rhs.addAny() }
    case .general:
      if left.source.yieldsLists, !isPairwise { understood.lhs.addAny() }
      if right.source.yieldsLists, !isPairwise { understood.rhs.addAny() }
    }
    bound.setUnderstood(.comparison(understood))
    examination.record(.comparison(understood), for: .comparison(comparison))
  }

  /// Records how a BETWEEN was bound.
  func examine(
    between operand: Operand, _ bounds: ListOperand, _ range: SourceRange, _ left: BoundOperand,
    _ low: BoundOperand, _ high: BoundOperand, _ bound: BoundPredicate
  ) {
    guard let examination else { return }
    findTraps(between: operand, bounds, range, left, low, high)
    var value = reading(of: operand, left)
    if left.source.yieldsLists { value.addAny() }
    var list = bounds
    list.qualifier = nil
    for (i, side) in [low, high].enumerated() where i < list.elements.count {
      list.elements[i] = constant(side.single, written: list.elements[i])
    }
    let understood = Predicate.between(value, list, range: range)
    bound.setUnderstood(understood)
    examination.record(understood, for: .between(operand, bounds, range: range))
  }

  /// Records a condition that is understood as it was written, but for its arguments.
  func examine(asWritten predicate: Predicate, _ bound: BoundPredicate) {
    guard let examination else { return }
    var understood = predicate
    if case .comparison(var comparison) = predicate {
      comparison.lhs = reading(of: comparison.lhs, nil)
      comparison.rhs = reading(of: comparison.rhs, nil)
      understood = .comparison(comparison)
    }
    bound.setUnderstood(understood)
    examination.record(understood, for: predicate)
  }

  /// Whether two lists without a word are compared element by element.
  ///
  /// Source: query-language.md 13, rule 2.
  func isPairwise(_ left: BoundOperand, _ right: BoundOperand) -> Bool {
    form == .general && left.qualifier == nil && right.qualifier == nil
      && left.source.yieldsLists && right.source.yieldsLists
  }

  // MARK: Operands

  private func reading(of operand: Operand, _ bound: BoundOperand?) -> Operand {
    if let constant = bound?.constant { return reading(of: constant, operand, bound) }
    switch operand {
    case .constant(let constant): return .constant(self.constant(nil, written: constant))
    case .list(var list):
      list.elements = list.elements.map { constant(nil, written: $0) }
      return .list(list)
    case .property(var property):
      property.path = reading(of: property.path)
      if let bound { property.qualifier = bound.qualifier }
      return .property(property)
    case .aggregate(var aggregate):
      aggregate.path = reading(of: aggregate.path)
      return .aggregate(aggregate)
    case .subquery(var subquery):
      subquery.path = reading(of: subquery.path)
      if let examination { subquery.predicate = examination.reading(of: subquery.predicate) }
      return .subquery(subquery)
    case .arithmetic(let operation, let left, let right, let range):
      return .arithmetic(
        operation, reading(of: left, nil), reading(of: right, nil), range: range)
    }
  }

  /// Constants as they were fitted to the other side; arithmetic on them as its result.
  private func reading(
    of bound: BoundConstant, _ operand: Operand, _ whole: BoundOperand?
  ) -> Operand {
    var written: [Constant] = []
    switch operand {
    case .constant(let constant): written = [constant]
    case .list(let list): written = list.elements
    default: break
    }
    let constants = bound.values.enumerated().map { i, value in
      constant(
        value,
        written: written.count == bound.values.count
          ? written[i] : Constant(.null, range: operand.range))
    }
    if !bound.isList, let single = constants.first { return .constant(single) }
    return .list(
      ListOperand(qualifier: whole?.qualifier, elements: constants, range: operand.range))
  }

  private func reading(of path: PropertyPath) -> PropertyPath {
    var result = path
    result.elements = path.elements.flatMap { element -> [PathElement] in
      switch element.kind {
      case .argument(let number):
        switch arguments.indices.contains(number) ? arguments[number] : nil {
        case .scalar(.int(let position)):
          return [PathElement(.index(position), range: element.range)]
        case .scalar(.string(let name)):
          return [
            PathElement(.name(String(decoding: name, as: UTF8.self)), range: element.range)
          ]
        default: return [element]
        }
      case .keyPathArgument(let number):
        guard arguments.indices.contains(number),
          case .scalar(.string(let text)) = arguments[number]
        else { return [element] }
        return text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map {
          PathElement(.name(String(decoding: $0, as: UTF8.self)), range: element.range)
        }
      default: return [element]
      }
    }
    return result
  }

  // MARK: Constants

  /// A constant as it is understood; nil for its value if it was not fitted to anything.
  private func constant(_ value: QueryValue?, written: Constant) -> Constant {
    var result = written
    result.qualifier = nil
    guard let value else {
      if case .argument(let number) = written.kind, arguments.indices.contains(number),
        case .scalar(let passed) = arguments[number]
      {
        result.kind = kind(of: scalar(passed), written: written.kind)
      } else if case .variable(let name) = written.kind, case .scalar(let passed)? = variables(name)
      {
        result.kind = kind(of: scalar(passed), written: written.kind)
      } else {
        return written
      }
      return result
    }
    result.kind = kind(of: value, written: written.kind)
    return result
  }

  private func kind(of value: QueryValue, written: Constant.Kind) -> Constant.Kind {
    switch value {
    case .null: .null
    case .bool(let value): .bool(value)
    case .int(let value): .integer(value)
    case .float(let value): .float(value)
    case .double(let value): .value(.double(value))
    case .decimal(let value): .value(.decimal(value))
    case .string(let text): .string([UInt8](text))
    case .data(let bytes): .binary([UInt8](bytes))
    case .date(let value): .value(.date(value))
    case .objectID(let value): .objectID(value)
    case .uuid(let value): .uuid(value)
    case .typedLink(let table, let key): objectName(table, key) ?? .typedLink(table, key)
    case .link(let key): .objectKey(key)
    case .type, .list, .dictionary: written
    }
  }

  /// The name of an object; nil if its class is unknown.
  private func objectName(_ table: TableKey, _ key: ObjectKey) -> Constant.Kind? {
    guard let objectClass = schema.objectClass(table) else { return nil }
    let nowhere = SourceRange(start: 0, end: 0)
    let name = Name(objectClass.name, range: nowhere)
    var identity = ObjectName.Key.objectKey(key.rawValue)
    if case .primaryKey(let value)? = try? objectClass.identity(of: key) {
      let literal: Literal.Kind? =
        switch value {
        case .null: .null
        case .int(let number): .integer(number)
        case .string(let text): .string(text)
        case .objectID(let value): .objectID(value)
        case .uuid(let value): .uuid(value)
        default: nil
        }
      if let literal { identity = .primaryKey(Literal(literal, range: nowhere)) }
    }
    return .objectName(ObjectName(className: name, key: identity, range: nowhere))
  }
}

extension Operand {
  /// The word before the operand.
  fileprivate var qualifier: Qualifier? {
    get {
      switch self {
      case .property(let property): property.qualifier
      case .list(let list): list.qualifier
      case .constant(let constant): constant.qualifier
      case .aggregate, .subquery, .arithmetic: nil
      }
    }
    set {
      switch self {
      case .property(var property):
        property.qualifier = newValue
        self = .property(property)
      case .list(var list):
        list.qualifier = newValue
        self = .list(list)
      case .constant, .aggregate, .subquery, .arithmetic: break
      }
    }
  }

  /// Puts ANY before a path that has no word and can have one.
  fileprivate mutating func addAny() {
    if case .property(let property) = self, property.qualifier == nil, property.suffix != .size,
      property.suffix != .indexSize
    {
      qualifier = .any
    }
  }
}
