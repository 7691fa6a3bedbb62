import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// Binds a predicate to a class: names become columns, constants get the type of the other side.
final class Binder {
  /// Most elements of a path; every one can cost a level of recursion.
  static let maximumPathLength = 256

  let schema: Schema
  let arguments: [QueryArgument]
  let variables: (String) -> QueryArgument?
  /// Keeps the bytes of constants.
  let pool: ConstantPool
  /// What all parts of the running query share.
  let run: QueryRun
  /// Collects what people want to know; nil if nobody does.
  let examination: Examination?

  /// How the comparison bound last is evaluated.
  var form = ComparisonForm.general

  /// Class of the objects that the condition being bound is about.
  var objectClass: ObjectClass
  /// Variables of the SUBQUERYs around the condition being bound, with their classes.
  var scopes: [(variable: String, objectClass: ObjectClass)] = []

  init(
    schema: Schema, objectClass: ObjectClass, arguments: [QueryArgument],
    variables: @escaping (String) -> QueryArgument?, pool: ConstantPool, run: QueryRun,
    examination: Examination? = nil
  ) {
    self.schema = schema
    self.objectClass = objectClass
    self.arguments = arguments
    self.variables = variables
    self.pool = pool
    self.run = run
    self.examination = examination
  }

  /// Makes an error.
  func failure(
    _ category: QueryError.Category, _ message: String, at range: SourceRange
  ) -> QueryFailure {
    .query(QueryError(category, message, at: range))
  }

  /// The error for a name that is no property of the class.
  func noProperty(
    _ name: String, of objectClass: ObjectClass, at range: SourceRange
  ) -> QueryFailure {
    .query(
      QueryError(
        .unknownProperty, "\(objectClass.name) has no property \(name)", at: range,
        unknownName: name, candidates: objectClass.properties.map(\.name)))
  }

  /// Binds a condition.
  func bind(_ predicate: Predicate) throws(QueryFailure) -> BoundPredicate {
    switch predicate {
    case .truePredicate: return .always(true)
    case .falsePredicate: return .always(false)
    case .and: return try bindAnd(predicate.flattenedOperands)
    case .or: return try bindOr(predicate)
    case .not: return try bindNot(predicate)
    case .comparison(let comparison): return try bind(comparison)
    case .between(let operand, let bounds, let range):
      return try bindBetween(operand, bounds, range)
    case .geoWithin(let operand, let region, let range):
      let bound = try bindGeoWithin(operand, region, range)
      examine(asWritten: predicate, bound)
      return bound
    }
  }

  /// Without recursion: a chain of `not` can be as long as the text.
  private func bindNot(_ predicate: Predicate) throws(QueryFailure) -> BoundPredicate {
    var inner = predicate
    var isNegated = false
    while case .not(let operand, _) = inner {
      inner = operand
      isNegated.toggle()
    }
    let bound = try bind(inner)
    if case .vacuous = bound { return .vacuous }
    return isNegated ? .not(bound) : bound
  }

  /// Vacuous conditions are left out. Source: query-language.md 22.
  private func bindAnd(_ operands: [Predicate]) throws(QueryFailure) -> BoundPredicate {
    var parts: [BoundPredicate] = []
    for operand in operands {
      let part = try bind(operand)
      if case .vacuous = part { continue }
      parts.append(part)
    }
    if parts.isEmpty { return .vacuous }
    return parts.count == 1 ? parts[0] : .and(parts)
  }

  /// A vacuous condition is left out at the end; elsewhere realm-core crashes.
  private func bindOr(_ predicate: Predicate) throws(QueryFailure) -> BoundPredicate {
    let operands = predicate.flattenedOperands
    var parts: [BoundPredicate] = []
    for (index, operand) in operands.enumerated() {
      let part = try bind(operand)
      if case .vacuous = part {
        guard index == operands.count - 1 else {
          throw failure(
            .undefined, "this condition holds for every object and cannot stand here in an or",
            at: operand.range)
        }
        continue
      }
      parts.append(part)
    }
    return parts.count == 1 ? parts[0] : .or(parts)
  }
}
