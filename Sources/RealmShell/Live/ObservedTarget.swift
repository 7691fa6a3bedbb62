import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// What a statement asks to watch.
extension Session {
  /// The target, and the class whose objects it tells of.
  func target(
    of statement: ObserveStatement, _ database: Database
  ) throws(ShellError) -> (Observer.Target, ObjectClass?) {
    switch statement.subject {
    case .realm: return (.realm, nil)
    case .object(let name):
      return try target(of: try evaluator(database).object(named: name), at: name.range)
    case .source(let source, let condition):
      return try target(of: source, condition, database)
    case .sections(let sections):
      return try sectionsTarget(sections, usedScope(), database, only: nil)
    }
  }

  private func target(
    of value: ShellValue, at range: SourceRange
  ) throws(ShellError) -> (Observer.Target, ObjectClass?) {
    guard case .object(let objectClass, let key) = value else {
      throw ShellError(
        .illegalOperation, "\(value.kindText) cannot be observed", at: range)
    }
    try refuseObservingFrozen(objectClass, at: range)
    return (.object(objectClass.table.key, key), objectClass)
  }

  func refuseObservingFrozen(
    _ objectClass: ObjectClass, at range: SourceRange
  ) throws(ShellError) {
    guard objectClass.frozen != nil else { return }
    throw ShellError(
      .wrongTransactionState, "what is frozen does not change", at: range, remedy: "thaw(x)")
  }

  private func target(
    of source: Source, _ condition: Condition?, _ database: Database
  ) throws(ShellError) -> (Observer.Target, ObjectClass?) {
    let evaluator = evaluator(database)
    guard case .path(let path) = source else {
      let objectClass = try objects(of: source, evaluator).objectClass
      let isSorted = condition?.query.ordering.contains(where: \.isSort) ?? false
      return (
        .results(results(source, condition, database, objectClass, isInTableOrder: !isSorted)),
        objectClass
      )
    }
    if path.steps.isEmpty { return try variableTarget(path, condition, database, evaluator) }
    if condition == nil, let found = try memberTarget(path, database, evaluator) { return found }
    if condition == nil, let found = try collectionTarget(path, database, evaluator) {
      return found
    }
    let ownerValue = try owner(of: path, evaluator)
    guard case .object(let ownerClass, let key) = ownerValue else {
      throw ShellError(
        .illegalOperation, "only collections of one object can be observed", at: path.range)
    }
    try refuseObservingFrozen(ownerClass, at: path.range)
    let objectClass = try objects(of: source, evaluator).objectClass
    let owned = (table: ownerClass.table.key, key: key)
    return (
      .results(
        results(source, condition, database, objectClass, isInTableOrder: false, owner: owned)),
      objectClass
    )
  }

  /// The object or the section that the last step of a path picks; nil if it does something else.
  private func memberTarget(
    _ path: PathExpression, _ database: Database, _ evaluator: Evaluator
  ) throws(ShellError) -> (Observer.Target, ObjectClass?)? {
    if path.steps.count == 1,
      let section = try section(at: path, .path(path), database),
      let found = try sectionsTarget(section.value.origin, database)
    {
      return found
    }
    guard try !evaluator.type(of: path, for: nil).isCollection else { return nil }
    let value = try evaluator.value(of: path, row: nil)
    return value.isObject ? try target(of: value, at: path.range) : nil
  }

  private func variableTarget(
    _ path: PathExpression, _ condition: Condition?, _ database: Database, _ evaluator: Evaluator
  ) throws(ShellError) -> (Observer.Target, ObjectClass?) {
    let value = try evaluator.value(of: path, row: nil)
    guard case .results(let result) = value else {
      return try target(of: value, at: path.range)
    }
    try refuseObservingFrozen(result.objectClass, at: path.range)
    guard case .variable(let name) = path.base, let variable = scope[name.text] else {
      throw ShellError(.illegalOperation, "this cannot be observed", at: path.range)
    }
    if case .results(let bound) = variable,
      let found = try sectionsTarget(bound.value.origin, database)
    {
      guard condition == nil else {
        throw ShellError(
          .illegalOperation, "sections cannot be narrowed", at: path.range,
          remedy: "observe sections SOURCE by EXPRESSION where ...")
      }
      return found
    }
    var isSorted = condition?.query.ordering.contains(where: \.isSort) ?? false
    isSorted = isSorted || !isInTableOrder(variable)
    return (
      .results(
        results(
          .path(path), condition, database, result.objectClass, isInTableOrder: !isSorted)),
      result.objectClass
    )
  }

  /// Whether the objects of a variable come in the order of their keys.
  private func isInTableOrder(_ variable: Variable) -> Bool {
    guard case .results(let results) = variable,
      case .query(let query, let scope) = results.value.origin,
      !query.condition.query.ordering.contains(where: \.isSort)
    else { return false }
    switch query.source {
    case .name: return true
    case .path(let path):
      guard path.steps.isEmpty, case .variable(let name) = path.base,
        let inner = scope[name.text]
      else { return false }
      // Definitions refer to older ones only, and their depth is limited.
      return isInTableOrder(inner)
    }
  }

  private func results(
    _ source: Source, _ condition: Condition?, _ database: Database, _ objectClass: ObjectClass,
    isInTableOrder: Bool, owner: (table: TableKey, key: ObjectKey)? = nil
  ) -> Observer.Results {
    let scope = usedScope()
    let condition = condition ?? Condition.everything(at: source.range)
    var results = Observer.Results(
      table: objectClass.table.key, isInTableOrder: isInTableOrder, owner: owner
    ) { [unowned self] () throws(ShellError) in
      let evaluator = evaluator(database, scope: scope)
      let objects = try objects(of: source, evaluator)
      return try keys(of: objects, condition, evaluator)
    }
    // The creation of embedded objects is not recorded.
    guard case .name = source, !objectClass.isEmbedded, condition.isLocal else { return results }
    results.isLocal = true
    results.query = { [unowned self] () throws(ShellError) in
      let evaluator = evaluator(database, scope: scope)
      let present = try objects(of: source, evaluator).objectClass
      return try bind(condition, present, evaluator)
    }
    return results
  }
}

extension OrderingClause {
  /// Whether the clause changes the order.
  fileprivate var isSort: Bool {
    if case .sort = kind { true } else { false }
  }
}
