import RealmStorage
public import RealmValues

/// Which changes of objects count for an observer; nothing filters insertions and deletions.
///
/// Source: object-model.md 6.10.
public struct KeyPathFilter: Sendable {
  /// One step of a path as it is written.
  public enum Name: Sendable {
    case property(String)
    /// `*`: every property; in the middle every link.
    case any
    /// `@links.Class.property`.
    case backlinks(className: String, property: String)
  }

  /// One step of a path, from the objects of a table.
  public struct Step: Equatable, Sendable {
    /// What the step looks at.
    public enum Kind: Equatable, Sendable {
      case any
      case property(ColumnKey)
      case backlinks(TableKey, ColumnKey)
    }

    /// The table of the objects at the step.
    public var table: TableKey
    /// What it looks at.
    public var kind: Kind
  }

  /// A path without stars in the middle.
  public struct Path: Equatable, Sendable {
    /// The steps, at least one.
    public var steps: [Step]
  }

  /// Why a path is none.
  public enum Failure: Error, Equatable, Sendable {
    /// The class has no such property; which step it is.
    case noProperty(className: String, String, step: Int)
    /// A property in the middle is no link; which step it is.
    case noLink(String, step: Int)
    /// There are more paths than can be followed.
    case tooManyPaths
  }

  /// The paths; none means that only insertions and deletions count.
  public private(set) var paths: [Path] = []

  /// Stars multiply paths.
  private static let maximumCount = 10_000

  /// Resolves paths that start at objects of a class.
  ///
  /// - Throws: `Failure`.
  public init(
    _ paths: [[Name]], of objectClass: ObjectClass, in schema: Schema
  ) throws(Failure) {
    for path in paths { try add(path[...], at: 0, [], objectClass, schema) }
  }

  /// The paths of several filters.
  public init(joining filters: [KeyPathFilter]) { paths = filters.flatMap(\.paths) }

  private mutating func add(
    _ names: ArraySlice<Name>, at level: Int, _ steps: [Step], _ objectClass: ObjectClass,
    _ schema: Schema
  ) throws(Failure) {
    guard let name = names.first else { return }
    guard paths.count < KeyPathFilter.maximumCount else { throw .tooManyPaths }
    let table = objectClass.table.key
    let rest = names.dropFirst()
    switch name {
    case .any: try addAny(rest, at: level, steps, objectClass, schema)
    case .property(let text):
      guard let property = objectClass.property(named: text) else {
        guard let inverse = objectClass.inverse(named: text) else {
          throw .noProperty(className: objectClass.name, text, step: level)
        }
        try add(
          links: (inverse.originClass, inverse.originProperty), rest: rest, at: level, steps,
          objectClass, schema)
        return
      }
      let key = objectClass.table.columns[property.position].key
      let step = Step(table: table, kind: .property(key))
      guard !rest.isEmpty else {
        paths.append(Path(steps: steps + [step]))
        return
      }
      guard let target = property.target.flatMap(schema.objectClass) else {
        throw .noLink(text, step: level)
      }
      try add(rest, at: level + 1, steps + [step], target, schema)
    case .backlinks(let className, let text):
      try add(
        links: (className, text), rest: rest, at: level, steps, objectClass, schema)
    }
  }

  /// A star: with stars alone behind it every property counts; behind it a name has to be one of some
  /// class that a link leads to.
  private mutating func addAny(
    _ rest: ArraySlice<Name>, at level: Int, _ steps: [Step], _ objectClass: ObjectClass,
    _ schema: Schema
  ) throws(Failure) {
    let table = objectClass.table.key
    let hasOnlyStars = rest.allSatisfy { if case .any = $0 { true } else { false } }
    if hasOnlyStars { paths.append(Path(steps: steps + [Step(table: table, kind: .any)])) }
    guard !rest.isEmpty else { return }
    var failure: Failure?
    var isFound = hasOnlyStars
    for property in objectClass.properties {
      guard let target = property.target.flatMap(schema.objectClass) else { continue }
      let step = Step(
        table: table, kind: .property(objectClass.table.columns[property.position].key))
      let count = paths.count
      do throws(Failure) {
        try add(rest, at: level + 1, steps + [step], target, schema)
        isFound = true
      } catch {
        guard error != .tooManyPaths else { throw error }
        paths.removeLast(paths.count - count)
        failure = failure ?? error
      }
    }
    if !isFound { throw failure ?? .noLink("*", step: level) }
  }

  private mutating func add(
    links: (className: String, property: String), rest: ArraySlice<Name>, at level: Int,
    _ steps: [Step], _ objectClass: ObjectClass, _ schema: Schema
  ) throws(Failure) {
    guard let origin = schema.objectClass(named: links.className),
      let property = origin.property(named: links.property),
      property.target == objectClass.table.key
    else {
      throw .noProperty(className: links.className, links.property, step: level)
    }
    let kind = Step.Kind.backlinks(
      origin.table.key, origin.table.columns[property.position].key)
    let step = Step(table: objectClass.table.key, kind: kind)
    guard !rest.isEmpty else {
      paths.append(Path(steps: steps + [step]))
      return
    }
    try add(rest, at: level + 1, steps + [step], origin, schema)
  }
}
