import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// What a statement that asks to watch a collection of an object means.
extension Session {
  /// The list, set or dictionary that a path leads to, also one in a mixed value; nil for backlinks.
  func collectionTarget(
    _ path: PathExpression, _ database: Database, _ evaluator: Evaluator
  ) throws(ShellError) -> (Observer.Target, ObjectClass?)? {
    if case .backlinks? = path.steps.last?.kind { return nil }
    guard let (owner, steps) = try owner(ofCollection: path, evaluator) else {
      throw ShellError(
        .illegalOperation, "only collections of one object can be observed", at: path.range)
    }
    guard case .object(let ownerClass, let key) = owner, let first = steps.first,
      case .property(let name) = first.kind
    else { return nil }
    try refuseObservingFrozen(ownerClass, at: path.range)
    if ownerClass.inverse(named: name) != nil { return nil }
    let property = try property(name, of: ownerClass, at: first.range)
    let column = ownerClass.table.columns[property.position]
    var place = CollectionPlace(
      owner: ownerClass.table.key, object: key, column: column.key,
      collection: property.collection, kind: property.kind, target: property.target)
    var rest = Array(steps.dropFirst())
    if rest.count == 1, case .values = rest[0].kind, property.collection == .dictionary {
      place.isWatchedAsValues = true
      rest = []
    }
    guard property.collection == .none || !rest.isEmpty else {
      let target = property.kind == .link ? property.target : nil
      return (.collection(place), target.flatMap(database.realm.schema.objectClass))
    }
    return (.collection(try nested(place, property, rest, path, evaluator)), nil)
  }

  /// A collection in a mixed value.
  private func nested(
    _ outer: CollectionPlace, _ property: Property, _ steps: [PathStep], _ path: PathExpression,
    _ evaluator: Evaluator
  ) throws(ShellError) -> CollectionPlace {
    var taken: [CollectionPlace.Step] = []
    for step in steps { taken.append(try placeStep(step, path, evaluator)) }
    let value = try evaluator.value(of: path, row: nil)
    let collection: StoredColumn.Collection
    switch value {
    case .list: collection = .list
    case .dictionary: collection = .dictionary
    default:
      throw ShellError(.typeMismatch, "\(value.kindText) is no collection", at: path.range)
    }
    var place = CollectionPlace(
      owner: outer.owner, object: outer.object, column: outer.column, collection: collection,
      kind: .mixed, target: nil)
    place.steps = taken
    return place
  }

  /// The object that has the collection a path leads to, and the steps from there.
  private func owner(
    ofCollection path: PathExpression, _ evaluator: Evaluator
  ) throws(ShellError) -> (owner: ShellValue, steps: [PathStep])? {
    for count in stride(from: path.steps.count - 1, through: 0, by: -1) {
      let start = PathExpression(
        base: path.base, steps: Array(path.steps[..<count]), range: path.range)
      let value = try evaluator.value(of: start, row: nil)
      if value.isObject { return (value, Array(path.steps[count...])) }
    }
    return nil
  }

  /// The property of an object, or the one that a property of its projection is.
  private func property(
    _ name: String, of objectClass: ObjectClass, at range: SourceRange
  ) throws(ShellError) -> Property {
    var stored = name
    if let projection = objectClass.projection {
      guard let field = projection.field(named: name) else {
        throw Evaluator.unknownProperty(name, of: objectClass, at: range)
      }
      guard let names = field.propertyNames, names.count == 1 else {
        throw ShellError(
          .illegalOperation, "\(quotedName(name)) is no stored collection", at: range,
          remedy: "observe OBJECT keys (\(quotedName(name)))")
      }
      stored = names[0]
    }
    guard let property = objectClass.property(named: stored) else {
      throw Evaluator.unknownProperty(name, of: objectClass, at: range)
    }
    guard property.collection != .none || property.kind == .mixed else {
      throw ShellError(.typeMismatch, "\(quotedName(name)) is no collection", at: range)
    }
    return property
  }

  /// A step into a mixed value.
  private func placeStep(
    _ step: PathStep, _ path: PathExpression, _ evaluator: Evaluator
  ) throws(ShellError) -> CollectionPlace.Step {
    switch step.kind {
    case .property(let name): return .key(Array(name.utf8))
    case .first: return .position(0)
    case .index(let index):
      switch try evaluator.value(of: index, row: nil) {
      case .scalar(.int(let position)) where position >= 0 && position <= Int64(Int32.max):
        return .position(Int(position))
      case .scalar(.string(let key)): return .key(key)
      default: break
      }
    default: break
    }
    throw ShellError(
      .illegalOperation, "a step into a mixed value is a position or a key", at: step.range)
  }
}
