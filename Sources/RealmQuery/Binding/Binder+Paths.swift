import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

extension Binder {
  /// The elements of a path with its arguments put in. Source: query-language.md 6.
  func parts(_ path: PropertyPath) throws(QueryFailure) -> [(part: PathPart, range: SourceRange)] {
    guard path.elements.count <= Binder.maximumPathLength else {
      throw failure(
        .limitExceeded, "a path of more than \(Binder.maximumPathLength) names", at: path.range)
    }
    var names: [(PathPart, SourceRange)] = []
    for element in path.elements {
      switch element.kind {
      case .name(let name): names.append((namePart(name), element.range))
      case .index(let position): names.append((.index(position), element.range))
      case .first: names.append((.index(0), element.range))
      case .last: names.append((.index(-1), element.range))
      case .all: names.append((.all, element.range))
      case .argument(let number):
        names.append((try indexArgument(number, element.range), element.range))
      case .keyPathArgument(let number):
        guard path.elements.count == 1 else {
          throw failure(.badArgument, "nothing may follow $K\(number)", at: path.range)
        }
        guard case .scalar(.string(let text)) = try argument(number, element.range) else {
          throw failure(.badArgument, "$K\(number) must be a text", at: element.range)
        }
        for piece in text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
          names.append((namePart(String(decoding: piece, as: UTF8.self)), element.range))
        }
      }
    }
    return try joinBacklinks(names)
  }

  func namePart(_ name: String) -> PathPart { .name(name, bytes: pool.keep(name.utf8)) }

  /// Makes one part of `@links`, the class and the property.
  private func joinBacklinks(
    _ names: [(PathPart, SourceRange)]
  ) throws(QueryFailure) -> [(part: PathPart, range: SourceRange)] {
    var result: [(part: PathPart, range: SourceRange)] = []
    var i = 0
    while i < names.count {
      let (part, range) = names[i]
      guard case .name("@links", _) = part else {
        result.append((part, range))
        i += 1
        continue
      }
      if i == names.count - 1 {
        result.append((.allBacklinks, range))
        break
      }
      guard i + 2 < names.count, case .name(let className, _) = names[i + 1].0,
        case .name(let property, _) = names[i + 2].0
      else {
        throw failure(
          .unknownProperty, "@links must be followed by a class and a property", at: range)
      }
      result.append(
        (
          .backlinks(className: className, property: property),
          names[i + 1].1.joined(with: names[i + 2].1)
        ))
      i += 3
    }
    return result
  }

  /// `[$n]`: a position or a name.
  private func indexArgument(
    _ number: Int, _ range: SourceRange
  ) throws(QueryFailure) -> PathPart {
    switch try argument(number, range) {
    case .scalar(.int(let position)): return .index(position)
    case .scalar(.string(let name)):
      return .name(String(decoding: name, as: UTF8.self), bytes: pool.keep(name))
    default: throw failure(.badArgument, "$\(number) must be an int or a text here", at: range)
    }
  }

  /// The value of `$n`.
  func argument(_ number: Int, _ range: SourceRange) throws(QueryFailure) -> QueryArgument {
    guard number >= 0, number < arguments.count else {
      throw failure(.missingArgument, "there is no argument $\(number)", at: range)
    }
    return arguments[number]
  }

  /// Whether a name is the variable of a SUBQUERY around whose class is the present one.
  private func isVariable(_ name: String, _ present: ObjectClass) -> Bool {
    scopes.contains { $0.variable == name && $0.objectClass === present }
  }

  /// The way back that the name of a computed property stands for; nil for other parts.
  private func computed(_ part: PathPart, _ present: ObjectClass) -> PathPart? {
    guard case .name(let name, _) = part, let inverse = present.inverse(named: name) else {
      return nil
    }
    return .backlinks(className: inverse.originClass, property: inverse.originProperty)
  }

  /// Finds the names of a path. Source: query-language.md 6.
  func resolve(_ path: PropertyPath) throws(QueryFailure) -> KeyPath {
    let parts = try parts(path)
    var steps: [LinkStep] = []
    var present = objectClass
    var i = 0
    walk: while i < parts.count {
      let (part, range) = parts[i]
      switch computed(part, present) ?? part {
      case .allBacklinks:
        return KeyPath(steps: steps, objectClass: present, end: .allBacklinks)
      case .backlinks(let className, let property):
        let step = try backlinkStep(className, property, to: present, range)
        steps.append(step)
        present = step.target
        i += 1
        continue
      case .name(let name, _):
        if isVariable(name, present) {
          i += 1
          continue
        }
        if name == "@values" {
          guard case .dictionary? = steps.last?.kind, steps.last?.isNarrowed == false else {
            throw failure(.badPath, "@values stands after a dictionary only", at: range)
          }
          i += 1
          continue
        }
        if let property = present.property(named: name) {
          guard property.kind == .link, let target = property.target.flatMap(schema.objectClass)
          else { break walk }
          steps.append(linkStep(property, present, target))
          present = target
          i += 1
          continue
        }
      case .index, .all: break
      }
      guard !steps.isEmpty, narrow(&steps[steps.count - 1], part) else { break walk }
      i += 1
    }
    if i < parts.count {
      let end = try tail(parts[i...], present)
      return KeyPath(steps: steps, objectClass: present, end: end)
    }
    if steps.isEmpty {
      throw failure(.undefined, "the object itself cannot be compared", at: path.range)
    }
    return try linkEnd(steps, present, path)
  }

  /// A path that ends in objects, or in an entry of a dictionary of links.
  private func linkEnd(
    _ steps: [LinkStep], _ present: ObjectClass, _ path: PropertyPath
  ) throws(QueryFailure) -> KeyPath {
    let last = steps[steps.count - 1]
    if last.index != nil {
      throw failure(
        .badPath, "an object of a list cannot be compared by its position", at: path.range)
    }
    if let key = last.keyPart {
      return KeyPath(
        steps: Array(steps.dropLast()), objectClass: last.origin,
        end: .property(last.property, [key]))
    }
    return KeyPath(steps: steps, objectClass: present, end: .link)
  }

  private func linkStep(
    _ property: Property, _ origin: ObjectClass, _ target: ObjectClass
  ) -> LinkStep {
    let kind: LinkStep.Kind =
      switch property.collection {
      case .none: .single
      case .list: .list
      case .set: .set
      case .dictionary: .dictionary
      }
    return LinkStep(kind: kind, origin: origin, property: property, target: target)
  }

  /// Gives a step an index or key if it takes one.
  private func narrow(_ step: inout LinkStep, _ part: PathPart) -> Bool {
    guard !step.isNarrowed else { return false }
    switch (part, step.kind) {
    case (.all, .backlinks): return false
    case (.all, _): return true
    case (.index(let position), .list):
      step.index = position
      return true
    case (.name(_, let bytes), .dictionary):
      step.key = bytes
      step.keyPart = part
      return true
    default: return false
    }
  }

  private func backlinkStep(
    _ className: String, _ propertyName: String, to present: ObjectClass, _ range: SourceRange
  ) throws(QueryFailure) -> LinkStep {
    let (classRange, propertyRange) = range.divided(after: className, before: propertyName)
    guard let origin = schema.objectClass(named: className) else {
      throw .query(
        QueryError(
          .unknownProperty, "no class \(className)", at: classRange, unknownName: className,
          candidates: schema.classes.map(\.name)))
    }
    guard let property = origin.property(named: propertyName) else {
      throw noProperty(propertyName, of: origin, at: propertyRange)
    }
    guard property.target == present.table.key,
      let inverse = present.inverses.first(where: {
        $0.originClass == origin.name && $0.originProperty == propertyName
      })
    else {
      throw failure(
        .undefined, "\(origin.name).\(propertyName) does not link to \(present.name)", at: range)
    }
    return LinkStep(
      kind: .backlinks(inverse.backlink), origin: present, property: property, target: origin)
  }

  /// The property that no step leads on from, and the elements after it.
  private func tail(
    _ rest: ArraySlice<(part: PathPart, range: SourceRange)>, _ present: ObjectClass
  ) throws(QueryFailure) -> KeyPath.End {
    guard let (first, range) = rest.first else { return .link }
    guard case .name(let name, _) = first else {
      throw failure(.badPath, "no element can be chosen here", at: range)
    }
    guard let property = present.property(named: name) else {
      throw noProperty(name, of: present, at: range)
    }
    let path = Array(rest.dropFirst())
    try check(path, after: property)
    return .property(property, path.map(\.part))
  }

  /// Whether the elements may follow the property. Source: query-language.md 6, table.
  private func check(
    _ path: [(part: PathPart, range: SourceRange)], after property: Property
  ) throws(QueryFailure) {
    guard let (first, range) = path.first else { return }
    if case .backlinks = first { throw backlinksAfterProperty(range) }
    if path.contains(where: { if case .allBacklinks = $0.part { true } else { false } }) {
      throw backlinksAfterProperty(range)
    }
    if isLength(path.map(\.part), after: property) { return }
    let isMixed = property.kind == .mixed || property.kind == .typedLink
    switch property.collection {
    case .none:
      if isMixed { return }
      throw notAProperty(first, property, range)
    case .set: throw notAProperty(first, property, range)
    case .list:
      if case .name = first { throw notAProperty(first, property, range) }
    case .dictionary:
      if case .index = first {
        throw failure(.badPath, "a dictionary has no positions", at: range)
      }
      return
    }
    if path.count > 1, !isMixed {
      throw failure(.badPath, "\(property.name) has no elements below this", at: path[1].range)
    }
  }

  private func backlinksAfterProperty(_ range: SourceRange) -> QueryFailure {
    .query(
      QueryError(
        .unknownProperty, "@links stands after objects only", at: range, unknownName: "@links"))
  }

  private func notAProperty(
    _ part: PathPart, _ property: Property, _ range: SourceRange
  ) -> QueryFailure {
    guard case .name(let name, _) = part else {
      return failure(.badPath, "\(property.name) has no elements to choose from", at: range)
    }
    return .query(
      QueryError(
        .unknownProperty, "\(property.name) is no link and has no property \(name)", at: range,
        unknownName: name))
  }

  /// Whether the path after a list or set of texts is `length`.
  func isLength(_ path: [PathPart], after property: Property) -> Bool {
    guard path.count == 1, case .name(let name, _) = path[0], name.lowercased() == "length",
      property.collection == .list || property.collection == .set
    else { return false }
    return property.kind == .string || property.kind == .data || property.kind == .mixed
  }
}
