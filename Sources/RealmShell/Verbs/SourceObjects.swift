import RealmLanguage
import RealmObjects
import RealmQuery
import RealmStorage
import RealmValues

/// From the source of a statement and its condition to the objects.
extension Session {
  /// The objects that a source stands for.
  struct Objects {
    let objectClass: ObjectClass
    /// The objects of a collection; nil for all of the class.
    let keys: [ObjectKey]?
    /// The query whose results they are; nil for other collections.
    var origin: (query: WhereStatement, scope: Scope)?
  }

  /// The objects of a source with an evaluator for the rest of its statement.
  ///
  /// - Parameter database: Where they are looked for; nil for the current one.
  func objects(
    of source: Source, scope: Scope?, in database: Database? = nil
  ) throws(ShellError) -> (objects: Objects, evaluator: Evaluator) {
    let database = if let database { database } else { try current(at: source.range) }
    let evaluator = evaluator(database, scope: scope)
    let objects = try objects(of: source, evaluator)
    return (objects, try self.evaluator(for: objects.objectClass, evaluator, scope))
  }

  func objects(of source: Source, _ evaluator: Evaluator) throws(ShellError) -> Objects {
    switch source {
    case .name(let name):
      return Objects(objectClass: try evaluator.objectClass(named: name), keys: nil)
    case .path(let path):
      let value = try evaluator.value(of: path, row: nil)
      if case .results(let results) = value {
        var objects = Objects(objectClass: results.objectClass, keys: results.keys)
        if case .variable(let name) = path.base, path.steps.isEmpty,
          case .results(let bound)? = evaluator.scope?[name.text],
          case .query(let query, let scope) = bound.value.origin
        {
          objects.origin = (query, scope)
        }
        return objects
      }
      var keys: [ObjectKey] = []
      var objectClass: ObjectClass?
      let members = value.members ?? [value]
      // Members that were deleted since the list was made are null.
      let hasObjects = members.contains(where: \.isObject)
      for member in members where !(hasObjects && member.isNull) {
        guard case .object(let owner, let key) = member, objectClass.map({ $0 === owner }) ?? true
        else {
          throw ShellError(
            .typeMismatch, "objects of one class are needed, this is \(member.kindText)",
            at: path.range)
        }
        objectClass = owner
        keys.append(key)
      }
      if objectClass == nil { objectClass = try target(of: path, evaluator) }
      guard let objectClass else {
        throw ShellError(.typeMismatch, "this is no collection of objects", at: path.range)
      }
      return Objects(objectClass: objectClass, keys: keys)
    }
  }

  /// The class an empty collection is for.
  private func target(
    of path: PathExpression, _ evaluator: Evaluator
  ) throws(ShellError) -> ObjectClass? {
    let start = PathExpression(base: path.base, steps: [], range: path.range)
    guard case .object(let owner, _) = try evaluator.value(of: start, row: nil) else { return nil }
    let steps = PathExpression(base: .row, steps: path.steps, range: path.range)
    return try evaluator.type(of: steps, for: owner).objectClass
  }

  /// The objects of a source that match, in order.
  func keys(
    of objects: Objects, _ condition: Condition, _ evaluator: Evaluator
  ) throws(ShellError) -> [ObjectKey] {
    let bound = try bind(condition, objects.objectClass, evaluator)
    let source = try sources(of: objects, narrowedBy: condition, evaluator)
    return try run(evaluator.path) { () throws(QueryFailure) in
      measurement?.begin(bound, condition)
      let keys: [ObjectKey]
      if let source {
        keys = try bound.keys(narrowing: source.queries, among: source.members) {
          Interruption.isRequested
        }
      } else if let members = objects.keys {
        keys = try bound.keys(among: members) { Interruption.isRequested }
      } else {
        keys = try bound.keys { Interruption.isRequested }
      }
      measurement?.end(bound, condition, objectCount: keys.count)
      return keys
    }
  }

  /// The queries whose results are narrowed, the innermost first, and the members of the collection
  /// that it searches; nil if the objects themselves can be narrowed.
  ///
  /// A condition on results comes before all their clauses, not after a DISTINCT, and never after a
  /// LIMIT. Source: object-model.md 5.1.
  private func sources(
    of objects: Objects, narrowedBy condition: Condition, _ evaluator: Evaluator
  ) throws(ShellError) -> (queries: [Query], members: [ObjectKey]?)? {
    if case .truePredicate = condition.query.predicate { return nil }
    var queries: [Query] = []
    var hasDistinct = false
    var present = objects
    while let (query, scope) = present.origin {
      for clause in query.condition.query.ordering {
        switch clause.kind {
        case .sort: break
        case .distinct: hasDistinct = true
        case .limit, .offset:
          throw ShellError(
            .illegalOperation, "results with a LIMIT or OFFSET cannot be filtered",
            at: condition.query.predicate.range)
        }
      }
      let inner = self.evaluator(evaluator.database, scope: scope)
      present = try self.objects(of: query.source, inner)
      queries.append(try bind(query.condition, present.objectClass, inner))
    }
    return hasDistinct ? (queries.reversed(), present.keys) : nil
  }

  /// Number of the objects of a source.
  func count(_ objects: Objects, _ evaluator: Evaluator) throws(ShellError) -> Int {
    if let keys = objects.keys { return keys.count }
    return try evaluator.reading { () throws(StorageError) in
      try objects.objectClass.table.objectCount()
    }
  }

  /// A predicate bound to a class.
  ///
  /// - Parameter isExplained: Whether it is going to be explained, with all warnings.
  func bind(
    _ condition: Condition, _ objectClass: ObjectClass, _ evaluator: Evaluator,
    isExplained: Bool = false
  ) throws(ShellError) -> Query {
    let isMeasured = isExplained || measurement?.concerns(condition) == true
    let warns = isMeasured || screenIsTerminal && !hasWarned
    var arguments: [QueryArgument] = []
    for expression in condition.arguments {
      let value = try evaluator.value(of: expression, row: nil)
      guard let argument = QueryArgument(value) else {
        throw ShellError(
          .invalidArgument, "\(value.kindText) cannot be an argument", at: expression.range)
      }
      arguments.append(argument)
    }
    var failure: ShellError?
    do throws(ShellError) {
      let bound = try run(evaluator.path) { () throws(QueryFailure) in
        try Query(
          condition.query, class: objectClass.base, schema: evaluator.schema, arguments: arguments,
          variables: { text in
            do throws(ShellError) {
              let name = Name(text, range: condition.query.range)
              return try evaluator.variable(name).flatMap { QueryArgument($0) }
            } catch {
              failure = error
              return nil
            }
          }, examining: warns ? evaluator.source.bytes : nil)
      }
      if let failure { throw failure }
      if warns, !hasWarned, !isExplained, screenIsTerminal, let warning = bound.warnings.first {
        hasWarned = true
        warn(ShellError(warning), origin: statementOrigin)
      }
      return bound
    } catch {
      // Of a variable that cannot be used is known why.
      var error = failure ?? error
      if error.name == .invalidProperty, error.suggestion == nil, objectClass.view != nil {
        error.remedy =
          "conditions on \(quotedName(objectClass.name)) use the names of "
          + quotedName(objectClass.base.name)
      }
      throw condition.query.ordering.contains { $0.range.contains(error.range) }
        ? error.ofOrdering : error
    }
  }

  func run<Result>(
    _ path: String, _ body: () throws(QueryFailure) -> Result
  ) throws(ShellError) -> Result {
    do throws(QueryFailure) {
      return try body()
    } catch {
      switch error {
      case .query(let error): throw ShellError(error)
      case .storage(let error): throw StorageMessages.error(error, path: path)
      case .interrupted: throw ShellError(.interrupted, "interrupted")
      }
    }
  }
}

extension SourceRange {
  /// Whether another range lies in this one.
  fileprivate func contains(_ other: SourceRange?) -> Bool {
    other.map { start <= $0.start && $0.end <= end } ?? false
  }
}

extension ShellError {
  /// The error as one of a path that objects cannot be ordered by. Source: object-model.md 5.3.
  fileprivate var ofOrdering: ShellError {
    var error = self
    if name == .invalidProperty { error.name = .invalidArgument }
    return error
  }
}
