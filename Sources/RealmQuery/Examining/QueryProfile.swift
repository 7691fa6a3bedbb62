import Glibc
import RealmStorage
import RealmValues

/// Measures the steps of a query while it runs.
///
/// Steps come one after the other: the time since the end of the step before belongs to the one
/// that ends.
final class QueryProfile {
  struct Measure {
    var objectCount = 0
    var nanoseconds: UInt64 = 0
  }

  /// What the query does, as it was decided when it ran.
  private(set) var steps: [QueryExplanation.Step] = []
  private(set) var measures: [Measure] = []
  private var firstClause = 0
  private let start: UInt64
  private var last: UInt64
  private var leftOut: UInt64 = 0

  init() {
    start = QueryProfile.now()
    last = start
  }

  /// Nanoseconds of the monotonic clock.
  private static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }

  /// Names the steps; `clauseCount` of them at the end are ordering clauses.
  func begin(_ steps: [QueryExplanation.Step], clauseCount: Int) {
    self.steps = steps
    measures = Array(repeating: Measure(), count: steps.count)
    firstClause = steps.count - clauseCount
  }

  /// Ends a step, or a part of it that let through so many objects.
  func end(_ step: Int, objectCount: Int) {
    let now = QueryProfile.now()
    if measures.indices.contains(step) {
      measures[step].objectCount += objectCount
      measures[step].nanoseconds += now &- last
    }
    last = now
  }

  /// Ends an ordering clause.
  func endClause(_ clause: Int, objectCount: Int) {
    end(firstClause + clause, objectCount: objectCount)
  }

  /// Leaves out the time since the end of the step before: it is not the query's.
  func leaveOut() {
    let now = QueryProfile.now()
    leftOut += now &- last
    last = now
  }

  /// Nanoseconds since the beginning, without those left out.
  var elapsed: UInt64 { QueryProfile.now() &- start &- leftOut }
}

extension BlockPredicate {
  /// The conditions that have to hold together, in the order in which they are tested.
  var tests: [Node] {
    switch root {
    case .always(true): []
    case .and(let parts): parts
    default: [root]
    }
  }

  /// The rows of the present block that match; tells what each test takes.
  func matches(_ cursor: TableCursor, _ profile: QueryProfile) throws(QueryFailure) -> RowMask {
    profile.end(0, objectCount: cursor.count)
    var rows = RowMask.first(cursor.count)
    for (i, test) in tests.enumerated() {
      if rows.isEmpty { break }
      rows = try narrow(rows, test, cursor)
      profile.end(i + 1, objectCount: rows.count)
    }
    return rows
  }
}

extension RowPredicate {
  /// The conditions that have to hold together, in the order in which they are tested, without one
  /// that an index has answered.
  func tests(without answeredPart: Int?) -> [Node] {
    switch root {
    case .always(true): return []
    case .and(let parts):
      var rest = parts
      if let answeredPart { rest.remove(at: answeredPart) }
      return rest
    default: return answeredPart == nil ? [root] : []
    }
  }

  /// Whether all of some conditions hold for an object; tells what each takes.
  func matches(
    _ key: ObjectKey, _ tests: [Node], _ profile: QueryProfile?
  ) throws(QueryFailure) -> Bool {
    for (i, test) in tests.enumerated() {
      let isMatch = try matches(key, test)
      profile?.end(i + 1, objectCount: isMatch ? 1 : 0)
      if !isMatch { return false }
    }
    return true
  }
}
