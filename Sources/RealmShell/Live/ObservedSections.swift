import RealmLanguage
import RealmObjects
import RealmQuery
import RealmStorage
import RealmValues

/// The state of observed sections.
struct SectionedObjects {
  /// The objects in the order from which the sections follow.
  let objects: [ObjectKey]
  let places: SectionPlaces
  /// The keys of the sections.
  let keys: [ScalarValue]

  static var none: SectionedObjects {
    SectionedObjects(
      objects: [], places: SectionPlaces(EmptyCollection(), sectionCount: 0), keys: [])
  }

  init(_ divided: Session.DividedObjects) {
    objects = divided.objects
    keys = divided.sections.map(\.key)
    let ordered = divided.sections.lazy.flatMap(\.objects)
    guard !ordered.elementsEqual(divided.objects) else {
      let sections = divided.sections.enumerated().lazy.flatMap { section in
        repeatElement(section.offset, count: section.element.objects.count)
      }
      places = SectionPlaces(sections, sectionCount: divided.sections.count)
      return
    }
    // All objects with one key are in one section, also those that come several times.
    var sections: [ObjectKey: Int] = [:]
    sections.reserveCapacity(divided.objects.count)
    for (i, section) in divided.sections.enumerated() {
      for object in section.objects { sections[object] = i }
    }
    places = SectionPlaces(
      divided.objects.lazy.map { sections[$0] ?? 0 }, sectionCount: divided.sections.count)
  }

  private init(objects: [ObjectKey], places: SectionPlaces, keys: [ScalarValue]) {
    (self.objects, self.places, self.keys) = (objects, places, keys)
  }

  /// The section with a key; nil if there is none.
  func section(with key: ScalarValue) -> Int? { keys.firstIndex { $0.totalOrder(key) == 0 } }

  /// For each section where the one with its key is in another state; nil where there is none.
  func positions(in other: SectionedObjects) -> [Int?] {
    let order = other.keys.indices.sorted { other.keys[$0].totalOrder(other.keys[$1]) < 0 }
    return keys.map { key in
      var (low, high) = (0, order.count)
      while low < high {
        let middle = (low + high) / 2
        if other.keys[order[middle]].totalOrder(key) < 0 {
          low = middle + 1
        } else {
          high = middle
        }
      }
      guard low < order.count, other.keys[order[low]].totalOrder(key) == 0 else { return nil }
      return order[low]
    }
  }

  /// Number of objects: in all sections, or in the one with a key.
  func count(of key: ScalarValue?) -> Int {
    guard let key else { return objects.count }
    return section(with: key).map { places.positions[$0].count } ?? 0
  }

  /// The numbers in words.
  func countText(of key: ScalarValue?) -> String {
    let objects = counted(count(of: key), "object", "objects")
    return key == nil ? "\(counted(keys.count, "section", "sections")), \(objects)" : objects
  }
}

/// What a statement that asks to watch sections means.
extension Session {
  func sectionsTarget(
    _ statement: SectionsStatement, _ scope: Scope, _ database: Database, only key: ScalarValue?
  ) throws(ShellError) -> (Observer.Target, ObjectClass?) {
    let divided = try divide(statement, scope: scope, in: database)
    try refuseObservingFrozen(divided.objectClass, at: statement.source.range)
    let table = divided.objectClass.table.key
    let condition = statement.condition
    var isLocal = false
    if case .name = statement.source, !divided.objectClass.isEmbedded {
      isLocal = (condition?.isLocal ?? true) && statement.key.isLocal
    }
    var owner: (table: TableKey, key: ObjectKey)?
    if case .path(let path) = statement.source, !path.steps.isEmpty,
      case .object(let ownerClass, let key) = try self.owner(
        of: path, evaluator(database, scope: scope))
    {
      try refuseObservingFrozen(ownerClass, at: path.range)
      owner = (ownerClass.table.key, key)
    }
    let sections = Observer.Sections(
      table: table, owner: owner, isLocal: isLocal, key: key, keyIsMixed: divided.column.isMixed
    ) { [unowned self] () throws(ShellError) in
      SectionedObjects(try divide(statement, scope: scope, in: database))
    }
    return (.sections(sections), divided.objectClass)
  }

  /// The sections, or the one section, that results in a variable are; nil if they are not divided.
  func sectionsTarget(
    _ origin: LiveResults.Origin, _ database: Database
  ) throws(ShellError) -> (Observer.Target, ObjectClass?)? {
    switch origin {
    case .sections(let statement, let scope):
      return try sectionsTarget(statement, scope, database, only: nil)
    case .section(.sections(let statement, let scope), let key):
      return try sectionsTarget(statement, scope, database, only: key)
    case .query, .objects, .section: return nil
    }
  }

  /// The object at the end of a path but its last step.
  func owner(
    of path: PathExpression, _ evaluator: Evaluator
  ) throws(ShellError) -> ShellValue {
    let start = PathExpression(
      base: path.base, steps: Array(path.steps.dropLast()), range: path.range)
    return try evaluator.value(of: start, row: nil)
  }
}
