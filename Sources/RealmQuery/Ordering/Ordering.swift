import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// What a SORT or DISTINCT clause looks at: a property behind single links.
struct OrderingPath {
  var steps: [LinkStep]
  /// The property; a link property is the last step's column read as a value.
  var property: Property
  /// Class of the property.
  var objectClass: ObjectClass
  /// The key in a dictionary property.
  var key: UnsafeRawBufferPointer?
  /// Whether values are reached at all.
  var isReachable = true
  /// Whether smaller values come first.
  var isAscending = true
}

/// The ordering clauses of a query, bound. Source: query-language.md 26.
struct Ordering {
  enum Clause {
    case sort([OrderingPath])
    case distinct([OrderingPath])
    case limit(Int)
  }

  var clauses: [Clause]
  /// Why the objects cannot be ordered; no error as long as there are none.
  var failure: QueryError?

  var isEmpty: Bool { clauses.isEmpty }

  /// The limit if the first clause is one.
  var firstLimit: Int? {
    if case .limit(let limit)? = clauses.first { limit } else { nil }
  }

  /// Applies the clauses to objects in their start order.
  func apply(
    to keys: [ObjectKey], _ run: QueryRun, _ profile: QueryProfile? = nil
  ) throws(QueryFailure) -> [ObjectKey] {
    var keys = keys
    if let failure {
      if min(keys.count, firstLimit ?? .max) > 0 { throw .query(failure) }
    }
    var i = 0
    while i < clauses.count, !keys.isEmpty {
      switch clauses[i] {
      case .limit(let limit): keys = Array(keys.prefix(limit))
      case .distinct(let paths): keys = try Distinct.apply(to: keys, by: paths, run)
      case .sort(let paths):
        var limit: Int?
        if i + 1 < clauses.count, case .limit(let next) = clauses[i + 1] { limit = next }
        keys = try Sorting.apply(to: keys, by: paths, limit: limit, run)
      }
      profile?.endClause(i, objectCount: keys.count)
      i += 1
    }
    return keys
  }
}

extension Binder {
  /// Binds the clauses; directly consecutive SORT clauses become one, led by the later.
  func bind(_ clauses: [OrderingClause]) throws(QueryFailure) -> Ordering {
    var ordering = Ordering(clauses: [])
    // Criteria of directly consecutive SORT clauses, backwards.
    var backwards: [OrderingPath] = []
    func endSort() {
      if !backwards.isEmpty { ordering.clauses.append(.sort(backwards.reversed())) }
      backwards = []
    }
    for clause in clauses {
      switch clause.kind {
      case .limit(let limit):
        endSort()
        ordering.clauses.append(.limit(Int(max(0, limit))))
      case .distinct(let paths):
        endSort()
        var bound: [OrderingPath] = []
        for path in paths {
          if let path = try bindOrderingPath(path, &ordering.failure) { bound.append(path) }
        }
        ordering.clauses.append(.distinct(bound))
      case .sort(let criteria):
        var bound: [OrderingPath] = []
        for criterion in criteria {
          guard var path = try bindOrderingPath(criterion.path, &ordering.failure) else { continue }
          path.isAscending = criterion.isAscending
          bound.append(path)
        }
        backwards += bound.reversed()
      }
    }
    endSort()
    return ordering
  }

  /// Binds a path; nil, with the reason in `failure`, if it names what cannot be ordered.
  private func bindOrderingPath(
    _ path: PropertyPath, _ failure: inout QueryError?
  ) throws(QueryFailure) -> OrderingPath? {
    guard path.elements.count <= Binder.maximumPathLength else {
      throw self.failure(
        .limitExceeded, "a path of more than \(Binder.maximumPathLength) names", at: path.range)
    }
    var result: OrderingPath?
    var present = objectClass
    var steps: [LinkStep] = []
    var isReachable = true
    func fail(_ message: String, _ range: SourceRange) {
      if failure == nil { failure = QueryError(.badSort, message, at: range) }
    }
    var i = 0
    while i < path.elements.count {
      let (name, range) = try orderingName(path.elements[i])
      guard let property = present.property(named: name) else {
        throw noProperty(name, of: present, at: range)
      }
      i += 1
      var key: UnsafeRawBufferPointer?
      if property.collection == .dictionary, i < path.elements.count {
        key = pool.keep(try orderingName(path.elements[i]).name.utf8)
        i += 1
      }
      guard i < path.elements.count else {
        result = OrderingPath(steps: steps, property: property, objectClass: present, key: key)
        break
      }
      guard property.kind == .link, let target = property.target.flatMap(schema.objectClass) else {
        // The next name is still looked for in the same class.
        fail("\(name) is no link", range)
        continue
      }
      if property.collection == .set {
        throw self.failure(.undefined, "\(name) is a set of links", at: range)
      }
      if property.collection == .list { fail("\(name) is a list of links", range) }
      // realm-core reaches nothing through the entries of a dictionary.
      if property.collection == .dictionary { isReachable = false }
      steps.append(
        LinkStep(kind: .single, origin: present, property: property, target: target))
      present = target
    }
    result?.isReachable = isReachable
    if let result, result.property.collection != .none,
      result.property.collection != .dictionary || result.key == nil
    {
      fail("\(result.property.name) is a collection", path.range)
      return nil
    }
    return result
  }

  /// The name that an element of an ordering path is; no others are allowed.
  private func orderingName(
    _ element: PathElement
  ) throws(QueryFailure) -> (name: String, range: SourceRange) {
    guard case .name(let name) = element.kind else {
      throw failure(.undefined, "no element can be chosen here", at: element.range)
    }
    return (name, element.range)
  }
}
