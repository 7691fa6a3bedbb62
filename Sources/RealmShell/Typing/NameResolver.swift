import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// What names being typed stand for, as far as it is known without reading objects.
///
/// Nothing here moves to another version, waits, or changes anything.
struct NameResolver {
  let session: Session

  /// The database that statements use; nil if there is none, or none that is being read.
  var database: Session.Database? {
    guard let database = session.databases.first(where: { $0.name == session.currentName }),
      !database.realm.isIdle
    else { return nil }
    return database
  }

  /// The classes as the statement would find them, so far as they were read.
  var schema: Schema? {
    guard let realm = database?.realm else { return nil }
    // Classes made by the open transaction; this reads no other version.
    if realm.isWriting { _ = try? realm.refresh() }
    return realm.schema
  }

  /// The class with a name, or the one that a projection with the name is a view of.
  func objectClass(named name: String) -> ObjectClass? {
    guard let schema else { return nil }
    if let found = schema.objectClass(named: name) { return found }
    return projection(named: name).flatMap { schema.objectClass(named: $0.className) }
  }

  /// The projection with a name, unless a class has it.
  func projection(named name: String) -> Projection? {
    schema?.objectClass(named: name) == nil ? session.threads.projections[name] : nil
  }

  /// The type at the end of the steps of an owner; nil if it is not known.
  func type(of owner: PropertyOwner) -> StaticType? {
    guard let schema, var type = start(of: owner, schema) else { return nil }
    var steps = owner.steps[...]
    if let first = steps.first, let field = owner.className.flatMap(projection)?.field(named: first)
    {
      guard let names = field.propertyNames else { return nil }
      steps = names[...] + steps.dropFirst()
    }
    while let step = steps.popFirst() {
      if step == "@links" {
        guard let origin = steps.popFirst(), steps.popFirst() != nil,
          let objectClass = schema.objectClass(named: origin)
        else { return nil }
        type = StaticType(kind: .link, isCollection: true, objectClass: objectClass)
      } else if let next = self.type(after: step, of: type, schema) {
        type = next
      } else {
        return nil
      }
    }
    return type
  }

  private func start(of owner: PropertyOwner, _ schema: Schema) -> StaticType? {
    if let name = owner.variable { return type(ofVariable: name, schema) }
    guard let objectClass = owner.className.flatMap(objectClass) else { return nil }
    return StaticType(kind: .link, objectClass: objectClass)
  }

  private func type(
    after step: String, of type: StaticType, _ schema: Schema
  ) -> StaticType? {
    switch step {
    case "@count", "@size": return StaticType(kind: .int)
    case "@type": return StaticType(kind: .string)
    case "@keys": return StaticType(kind: .string, isCollection: true)
    case "@values", "@min", "@max", "@sum", "@avg": return type
    default: break
    }
    if step.hasPrefix("@links.") {
      let parts = step.split(separator: ".")
      guard parts.count == 3 else { return nil }
      let objectClass = schema.objectClass(named: String(parts[1]))
      return StaticType(kind: .link, isCollection: true, objectClass: objectClass)
    }
    guard let objectClass = type.objectClass else { return nil }
    if let inverse = objectClass.inverse(named: step) {
      return StaticType(
        kind: .link, isCollection: true, objectClass: schema.objectClass(named: inverse.originClass)
      )
    }
    guard let property = objectClass.property(named: step) else { return nil }
    return StaticType(property, property.target.flatMap { schema.objectClass($0) })
  }

  /// The class whose properties come after the steps of an owner.
  ///
  /// - Parameter isAfterLinks: Whether the last steps are `@links` and a class, of which only the
  ///   properties count that lead to the class before them.
  func properties(of owner: PropertyOwner) -> [Property] {
    guard owner.steps.count >= 2, owner.steps[owner.steps.count - 2] == "@links" else {
      return type(of: owner)?.objectClass?.properties ?? []
    }
    var target = owner
    target.steps.removeLast(2)
    let wanted = type(of: target)?.objectClass?.name
    let origin = owner.steps.last.flatMap { schema?.objectClass(named: $0) }
    return (origin?.properties ?? []).filter {
      $0.targetName != nil && (wanted == nil || $0.targetName == wanted)
    }
  }

  /// Whether a property is known to be wrong: the class is known, and has none with the name.
  func isUnknown(_ name: String, of owner: PropertyOwner) -> Bool {
    if owner.steps.isEmpty, owner.className.flatMap(projection)?.field(named: name) != nil {
      return false
    }
    guard owner.steps.last != "@links",
      let objectClass = type(of: owner)?.objectClass ?? originClass(of: owner)
    else { return false }
    return objectClass.property(named: name) == nil && objectClass.inverse(named: name) == nil
      && name != "@owner"
  }

  /// The class behind `@links`.
  private func originClass(of owner: PropertyOwner) -> ObjectClass? {
    guard owner.steps.count >= 2, owner.steps[owner.steps.count - 2] == "@links" else { return nil }
    return owner.steps.last.flatMap { schema?.objectClass(named: $0) }
  }

  // MARK: Variables

  /// All variables by name.
  var variables: [(name: String, variable: Variable)] {
    session.threads.variables.merging(session.locals) { _, local in local }
      .map { ($0.key, $0.value) }.sorted { $0.name < $1.name }
  }

  private func type(ofVariable name: String, _ schema: Schema) -> StaticType? {
    guard let variable = session.locals[name] ?? session.threads.variables[name] else { return nil }
    switch variable {
    case .value(.object(let object), _):
      return StaticType(kind: .link, objectClass: schema.objectClass(named: object.className))
    case .value(.scalar(let scalar), _): return StaticType(kind: scalar.kind)
    case .results(let bound) where bound.owner.thread === session.thread:
      let objectClass = className(of: bound.value.origin).flatMap { schema.objectClass(named: $0) }
      return StaticType(kind: .link, isCollection: true, objectClass: objectClass)
    case .frozenResults(let results):
      return StaticType(
        kind: .link, isCollection: true, objectClass: schema.objectClass(results.table))
    default: return nil
    }
  }

  /// The class of results, if their source names it.
  private func className(of origin: LiveResults.Origin) -> String? {
    switch origin {
    case .query(let query, _): return className(of: query.source)
    case .sections(let sections, _): return className(of: sections.source)
    case .section(let whole, _): return className(of: whole)
    case .objects(let table, _): return schema?.objectClass(table)?.name
    }
  }

  private func className(of source: Source) -> String? {
    switch source {
    case .name(let name): return name.text
    case .path(let path):
      var owner: PropertyOwner
      switch path.base {
      case .object(let object): owner = PropertyOwner(className: object.className.text)
      // A variable may have been bound anew since, even to these results.
      case .variable, .row, .old: return nil
      }
      for step in path.steps {
        switch step.kind {
        case .property(let name): owner.steps.append(name)
        case .backlinks(let className, _): return className
        default: break
        }
      }
      return type(of: owner)?.objectClass?.name
    }
  }

  /// The word for what a variable holds.
  static func kindText(of variable: Variable) -> String {
    switch variable {
    case .value(.object(let object), _): object.className
    case .value(let value, _): value.kindText
    case .results, .frozenResults: "results"
    case .invalidated: "invalidated"
    }
  }
}
