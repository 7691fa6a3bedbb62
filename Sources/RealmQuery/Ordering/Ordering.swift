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
  /// Whether smaller values come first.
  var isAscending = true
}

/// The ordering clauses of a query, bound. Source: query-language.md 26.
struct Ordering {
  enum Clause {
    case sort([OrderingPath])
    case distinct([OrderingPath])
    case limit(Int)
    case offset(Int)
  }

  var clauses: [Clause]
  /// Why the objects cannot be ordered; no error as long as there are none.
  var failure: QueryError?

  var isEmpty: Bool { clauses.isEmpty }

  /// The number of objects that the limits and offsets from a clause on look at; nil if they look at
  /// all.
  func neededCount(from first: Int = 0) -> Int? {
    var skipped = 0
    var needed: Int?
    for clause in clauses[first...] {
      switch clause {
      case .limit(let limit):
        let (end, overflow) = skipped.addingReportingOverflow(limit)
        needed = min(needed ?? .max, overflow ? .max : end)
      case .offset(let count):
        skipped = skipped.addingReportingOverflow(count).overflow ? .max : skipped + count
      case .sort, .distinct: return needed
      }
    }
    return needed
  }

  /// Number of objects that the first clause leaves, if it is a limit or offset.
  private func countAfterFirst(_ count: Int) -> Int {
    switch clauses.first {
    case .limit(let limit): min(count, limit)
    case .offset(let skipped): max(0, count - skipped)
    case .sort, .distinct, nil: count
    }
  }

  /// Applies the clauses to objects in their start order.
  func apply(
    to keys: [ObjectKey], _ run: QueryRun, _ profile: QueryProfile? = nil
  ) throws(QueryFailure) -> [ObjectKey] {
    var keys = keys
    if let failure {
      if countAfterFirst(keys.count) > 0 { throw .query(failure) }
    }
    var i = 0
    while i < clauses.count, !keys.isEmpty {
      switch clauses[i] {
      case .limit(let limit): keys = Array(keys.prefix(limit))
      case .offset(let count): keys = Array(keys.dropFirst(count))
      case .distinct(let paths): keys = try Distinct.apply(to: keys, by: paths, run)
      case .sort(let paths):
        keys = try Sorting.apply(to: keys, by: paths, limit: neededCount(from: i + 1), run)
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
    var backwards: [OrderingPath]?
    func endSort() {
      // Also without a criterion that can be ordered, so that a later limit is not the first clause.
      if let criteria = backwards { ordering.clauses.append(.sort(criteria.reversed())) }
      backwards = nil
    }
    for clause in clauses {
      switch clause.kind {
      case .limit(let limit):
        endSort()
        ordering.clauses.append(.limit(Int(max(0, limit))))
      case .offset(let count):
        endSort()
        ordering.clauses.append(.offset(Int(max(0, count))))
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
        backwards = (backwards ?? []) + bound.reversed()
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
      // All names after a dictionary are keys for realm-core, of which the last one counts.
      while property.collection == .dictionary, i < path.elements.count {
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
      steps.append(
        LinkStep(kind: .single, origin: present, property: property, target: target))
      present = target
    }
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
