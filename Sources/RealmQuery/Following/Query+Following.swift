public import RealmValues

/// What brings results up to date by looking only at what commits have touched.
///
/// Source: object-model.md 6.8.
extension Query {
  /// How the results follow from the objects that match.
  public struct Shape: Sendable {
    /// Whether they are in the order of their keys.
    public var isInTableOrder: Bool
    /// The positions that limits and offsets leave; nil for all.
    public var window: Range<Int>?
  }

  /// How the results follow from the objects that match; nil if the order is not one of their own
  /// properties followed by nothing but limits, or cannot be found at all.
  public var shape: Shape? {
    guard ordering.failure == nil else { return nil }
    var shape = Shape(isInTableOrder: true)
    for (index, clause) in ordering.clauses.enumerated() {
      let window = shape.window ?? 0..<Int.max
      switch clause {
      case .sort(let paths):
        guard index == 0, paths.allSatisfy({ $0.steps.isEmpty }) else { return nil }
        shape.isInTableOrder = paths.isEmpty
      case .distinct: return nil
      case .limit(let limit): shape.window = window.prefix(limit)
      case .offset(let count): shape.window = window.dropFirst(count)
      }
    }
    return shape
  }

  /// All objects that match, in their order, whatever limits say.
  ///
  /// - Precondition: There is a `shape`.
  /// - Throws: `QueryFailure`.
  public func allMatches(
    isCancelled: @escaping () -> Bool = { false }
  ) throws(QueryFailure) -> [ObjectKey] {
    try running(isCancelled) { () throws(QueryFailure) in
      let keys = try unorderedKeys(forClauses: false)
      guard case .sort(let paths) = ordering.clauses.first else { return keys }
      return try Sorting.apply(to: keys, by: paths, limit: nil, run)
    }
  }

  /// Those of some objects that match, in the order given.
  ///
  /// - Throws: `QueryFailure`.
  public func matches(
    among candidates: [ObjectKey], isCancelled: @escaping () -> Bool = { false }
  ) throws(QueryFailure) -> [ObjectKey] {
    try running(isCancelled) { () throws(QueryFailure) in try matching(.members(candidates)) }
  }

  /// The order of objects one by one.
  ///
  /// - Precondition: There is a `shape`.
  public func objectOrder() -> ObjectOrder {
    guard case .sort(let paths) = ordering.clauses.first else { return ObjectOrder([], run) }
    return ObjectOrder(paths, run)
  }
}

/// Compares objects by the sort of a query, reading only what it is asked about; valid as long as
/// the query.
public final class ObjectOrder {
  private let columns: [SortColumn]
  private let readers: [SortColumn.Reader]
  private let run: QueryRun
  /// The two objects whose values are in the columns.
  private var loaded: (ObjectKey?, ObjectKey?)

  init(_ paths: [OrderingPath], _ run: QueryRun) {
    columns = paths.map { SortColumn($0, room: 2) }
    readers = paths.map { SortColumn.Reader($0, run) }
    self.run = run
  }

  /// Whether an object comes before another one; quick if one of the two is always the same.
  ///
  /// - Throws: `QueryFailure`.
  public func precedes(_ a: ObjectKey, _ b: ObjectKey) throws(QueryFailure) -> Bool {
    try run.visit()
    if loaded.0 != a {
      for (column, reader) in zip(columns, readers) { try column.read(a, to: 0, reader) }
      loaded.0 = a
    }
    if loaded.1 != b {
      for (column, reader) in zip(columns, readers) { try column.read(b, to: 1, reader) }
      loaded.1 = b
    }
    for column in columns {
      let order = column.order(0, 1)
      if order != 0 { return order < 0 }
    }
    return a < b
  }
}
