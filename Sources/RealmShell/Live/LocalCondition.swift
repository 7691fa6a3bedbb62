import RealmLanguage

/// Conditions whose truth for an object depends on nothing but its own properties: after a commit
/// only the objects that it has touched need to be looked at again.
extension Condition {
  /// Whether the predicate and the clauses look at the properties of the object itself only.
  var isLocal: Bool {
    guard arguments.isEmpty else { return false }
    var pending = [query.predicate]
    while let predicate = pending.popLast() {
      switch predicate {
      case .truePredicate, .falsePredicate: continue
      case .and(let operands, _), .or(let operands, _): pending += operands
      case .not(let operand, _): pending.append(operand)
      case .comparison(let comparison):
        guard comparison.lhs.isLocal, comparison.rhs.isLocal else { return false }
      case .between(let operand, let list, _):
        guard operand.isLocal, list.elements.allSatisfy(\.isLocal) else { return false }
      case .geoWithin: return false
      }
    }
    return query.ordering.allSatisfy { clause in
      switch clause.kind {
      case .sort(let criteria): criteria.allSatisfy { $0.path.isLocal }
      case .distinct(let paths): paths.allSatisfy(\.isLocal)
      case .limit, .offset: true
      }
    }
  }
}

extension Operand {
  fileprivate var isLocal: Bool {
    switch self {
    case .constant(let constant): constant.isLocal
    case .property(let property): property.path.isLocal
    case .list(let list): list.elements.allSatisfy(\.isLocal)
    case .aggregate, .subquery, .arithmetic: false
    }
  }
}

extension Constant {
  /// Whether it has the same value in every version.
  fileprivate var isLocal: Bool {
    switch kind {
    case .argument, .variable, .object, .objectName: false
    default: true
    }
  }
}

extension PropertyPath {
  fileprivate var isLocal: Bool {
    guard elements.count == 1, case .name = elements[0].kind else { return false }
    return true
  }
}

extension Expression {
  /// Whether its value depends on nothing but the properties of the object itself.
  var isLocal: Bool {
    switch self {
    case .literal: true
    case .path(let path):
      if path.base == .row, path.steps.count == 1, case .property = path.steps[0].kind {
        true
      } else {
        false
      }
    case .unary(_, let operand, _): operand.isLocal
    case .binary(_, _, let left, let right, _): left.isLocal && right.isLocal
    case .call(let function, let arguments, _):
      Expression.lasting.contains(function.text.lowercased()) && arguments.allSatisfy(\.isLocal)
    case .array, .object, .query: false
    }
  }

  /// Functions that give the same for the same arguments.
  private static let lasting: Set<String> = [
    "upper", "lower", "trim", "length", "substr", "replace", "split", "join", "abs", "round",
    "floor", "ceil", "int", "double", "float", "decimal", "string", "bool", "date", "data", "type",
    "if", "coalesce", "year", "month", "day",
  ]
}
