public import RealmLanguage
public import RealmObjects
import RealmStorage
public import RealmValues

/// A predicate with its ordering clauses, bound to a class and ready to run any number of times.
///
/// Valid for the schema and snapshot it was bound to. Not for use from several threads.
public final class Query {
  /// The class of the results.
  public let objectClass: ObjectClass

  let run = QueryRun()
  private let pool = ConstantPool()
  let predicate: BoundPredicate
  private let blocks: BlockPredicate
  private let rows: RowPredicate
  let plan: IndexPlan
  let ordering: Ordering
  private let examination: Examination?
  private let syntax: QuerySyntax
  private(set) var profile: QueryProfile?

  /// Binds a predicate to a class.
  ///
  /// - Parameters:
  ///   - arguments: The values of `$0`, `$1`, …
  ///   - variables: Finds the value of a shell variable by its name without the dollar sign.
  ///   - text: What the places of the predicate refer to, if `explanation` or `warnings` will be
  ///     asked for.
  /// - Throws: `QueryFailure.query` for what is wrong with the predicate; `storage` if the file
  ///   could not be read for `obj(…)`.
  public init(
    _ syntax: QuerySyntax, class objectClass: ObjectClass, schema: Schema,
    arguments: [QueryArgument] = [],
    variables: @escaping (String) -> QueryArgument? = { _ in nil }, examining text: [UInt8]? = nil
  ) throws(QueryFailure) {
    self.objectClass = objectClass
    self.syntax = syntax
    examination = text.map { Examination(syntax, text: $0) }
    let binder = Binder(
      schema: schema, objectClass: objectClass, arguments: arguments, variables: variables,
      pool: pool, run: run, examination: examination)
    predicate = try binder.bind(syntax.predicate)
    blocks = BlockPredicate(predicate)
    rows = RowPredicate(predicate, objectClass)
    plan = IndexPlan(predicate, objectClass)
    ordering = try binder.bind(syntax.ordering)
  }

  /// The keys of the results, in result order, all clauses applied.
  ///
  /// - Parameter isCancelled: Asked now and then whether to stop.
  /// - Throws: `QueryFailure`.
  public func keys(
    isCancelled: @escaping () -> Bool = { false }
  ) throws(QueryFailure) -> [ObjectKey] {
    try running(isCancelled) { () throws(QueryFailure) in try resultKeys() }
  }

  /// The keys of the results within one run.
  func resultKeys() throws(QueryFailure) -> [ObjectKey] {
    try ordering.apply(to: try unorderedKeys(), run, profile)
  }

  /// The number of results, all clauses applied.
  ///
  /// - Throws: `QueryFailure`.
  public func count(isCancelled: @escaping () -> Bool = { false }) throws(QueryFailure) -> Int {
    try running(isCancelled) { () throws(QueryFailure) in
      if ordering.isEmpty { return try matchCount() }
      return try resultKeys().count
    }
  }

  /// The objects of a collection that match, in its order unless clauses order them.
  ///
  /// - Throws: `QueryFailure`.
  public func keys(
    among candidates: [ObjectKey], isCancelled: @escaping () -> Bool = { false }
  ) throws(QueryFailure) -> [ObjectKey] {
    try running(isCancelled) { () throws(QueryFailure) in
      try ordering.apply(to: try matching(.members(candidates)), run, profile)
    }
  }

  /// The objects among the results of other queries, the innermost first: all conditions come before
  /// all clauses. Source: object-model.md 5.1.
  ///
  /// - Precondition: There is another query.
  /// - Parameter members: The members of the collection that the innermost one searches; nil for all
  ///   objects of the class.
  /// - Throws: `QueryFailure`.
  public func keys(
    narrowing others: [Query], among members: [ObjectKey]?,
    isCancelled: @escaping () -> Bool = { false }
  ) throws(QueryFailure) -> [ObjectKey] {
    let queries = others + [self]
    for query in queries { query.run.isCancelled = isCancelled }
    defer { for query in queries { query.run.isCancelled = { false } } }
    let innermost = queries[0]
    var keys: [ObjectKey]
    if let members {
      keys = try innermost.matching(.members(members))
    } else {
      keys = try innermost.unorderedKeys(forClauses: false)
    }
    for query in queries.dropFirst() { keys = try query.matching(.members(keys)) }
    for query in queries { keys = try query.ordering.apply(to: keys, query.run, query.profile) }
    return keys
  }

  /// Whether the predicate holds for an object; clauses do not count.
  ///
  /// - Throws: `QueryFailure`.
  public func matches(_ key: ObjectKey) throws(QueryFailure) -> Bool { try rows.matches(key) }

  func running<Result>(
    _ isCancelled: @escaping () -> Bool, _ body: () throws(QueryFailure) -> Result
  ) throws(QueryFailure) -> Result {
    run.isCancelled = isCancelled
    defer { run.isCancelled = { false } }
    return try body()
  }

  // MARK: Access

  /// How the objects are found that are tested.
  enum Access {
    /// All objects of the class, a block at a time.
    case scan
    /// The members of a collection.
    case members([ObjectKey])
    /// The objects that an index tells.
    case candidates(IndexPlan.Candidates)
  }

  private func access() throws(QueryFailure) -> Access {
    guard let candidates = try plan.candidates(objectClass) else { return .scan }
    return .candidates(candidates)
  }

  /// Those of some objects that match, in their order.
  func matching(_ access: Access) throws(QueryFailure) -> [ObjectKey] {
    let keys: [ObjectKey]
    var answeredPart: Int?
    switch access {
    case .scan: return []
    case .members(let members): keys = members
    case .candidates(let candidates):
      keys = candidates.keys
      answeredPart = candidates.choice.answeredPart
    }
    let tests = rows.tests(without: answeredPart)
    profile?.begin(steps(access), clauseCount: ordering.clauses.count)
    profile?.end(0, objectCount: keys.count)
    if tests.isEmpty { return keys }
    var matching: [ObjectKey] = []
    for key in keys {
      try run.visit()
      if try rows.matches(key, tests, profile) { matching.append(key) }
    }
    return matching
  }

  /// Room for more results is not made before they are there.
  private static let maximumExpectation = 1 << 22

  /// The matching objects in the order of their keys.
  ///
  /// - Parameter forClauses: Whether those may be left out that the clauses drop.
  func unorderedKeys(forClauses: Bool = true) throws(QueryFailure) -> [ObjectKey] {
    let access = try access()
    guard case .scan = access else { return try matching(access) }
    let limit = forClauses ? ordering.neededCount() ?? .max : .max
    var keys: [ObjectKey] = []
    guard forClauses, let filter = ordering.makeFilter() else {
      // Damaged files tell any number, or none.
      let total = min(Query.maximumExpectation, (try? objectClass.table.objectCount()) ?? 0)
      var visited = 0
      try scan(blocks) { (cursor, rows) in
        visited &+= cursor.count
        let count = keys.count &+ rows.count
        if count > keys.capacity {
          // As many as there will be if all blocks are like those so far, and some more: to grow
          // step by step would touch new memory each time.
          let expected = count &* total / max(1, visited)
          let wanted = min(expected &+ expected / 16, total, max(limit, count))
          keys.reserveCapacity(max(2 &* keys.capacity, count, wanted))
        }
        cursor.appendKeys(of: rows, to: &keys)
        return keys.count < limit
      }
      return keys
    }
    let blocks = BlockPredicate(predicate, reading: [filter.position])
    try scan(blocks, hasFilter: true) { (cursor, rows) throws(QueryFailure) in
      let left = try reading { () throws(StorageError) in
        try filter.narrow(rows, cursor)
      }
      cursor.appendKeys(of: left, to: &keys)
      try filter.prune(&keys, run)
      profile?.end(blocks.root.predicate.tests.count + 1, objectCount: left.count)
      return true
    }
    return keys
  }

  /// Puts the results into the groups of a grouping of the same class.
  ///
  /// - Throws: `QueryFailure`.
  public func add(
    to grouping: Grouping, isCancelled: @escaping () -> Bool = { false }
  ) throws(QueryFailure) {
    guard let columns = grouping.columns, ordering.isEmpty, case .scan = try access() else {
      try grouping.add(try keys(isCancelled: isCancelled), isCancelled: isCancelled)
      profile?.leaveOut()
      return
    }
    let first = blocks.columns.count
    try running(isCancelled) { () throws(QueryFailure) in
      try scan(blocks, reading: columns) { (cursor, rows) throws(QueryFailure) in
        try grouping.add(rows, of: cursor, first: first)
        profile?.leaveOut()
        return true
      }
    }
  }

  private func matchCount() throws(QueryFailure) -> Int {
    let access = try access()
    guard case .scan = access else { return try matching(access).count }
    var total = 0
    try scan(blocks) { (_, rows) in
      total &+= rows.count
      return true
    }
    return total
  }

  private func scan(
    _ blocks: BlockPredicate, reading columns: [Int] = [], hasFilter: Bool = false,
    _ body: (TableCursor, RowMask) throws(QueryFailure) -> Bool
  ) throws(QueryFailure) {
    profile?.begin(
      steps(.scan, hasFilter: hasFilter), clauseCount: ordering.clauses.count)
    blocks.profile = profile
    try blocks.forEachBlock(of: objectClass, reading: columns, run, body)
  }

  // MARK: Explanation

  /// What would be done, without doing more than asking indexes.
  ///
  /// - Precondition: The query is examined.
  /// - Parameter members: The members of the collection that is searched; nil for all objects of
  ///   the class.
  /// - Throws: `QueryFailure`.
  public func explanation(among members: [ObjectKey]? = nil) throws(QueryFailure)
    -> QueryExplanation
  {
    let access: Access
    if let members { access = .members(members) } else { access = try self.access() }
    let hasFilter = ordering.makeFilter() != nil
    return QueryExplanation(text: text, steps: steps(access, hasFilter: hasFilter))
  }

  /// Places where the predicate means something else than it seems to, as they follow in the text.
  ///
  /// - Precondition: The query is examined.
  public var warnings: [TrapWarning] {
    precondition(examination != nil, "the query is not examined")
    return (examination?.warnings ?? []).sorted { $0.range.start < $1.range.start }
  }

  /// Measures what is run from now on.
  ///
  /// - Precondition: The query is examined.
  public func startMeasuring() { profile = QueryProfile() }

  /// What was done since `startMeasuring`, with the times; nil if nothing was run.
  public func measured(objectCount: Int) -> QueryExplanation? {
    guard let profile, !profile.steps.isEmpty else { return nil }
    let total = profile.elapsed
    var steps = profile.steps
    for (i, measure) in profile.measures.enumerated() {
      steps[i].objectCount = measure.objectCount
      steps[i].nanoseconds = measure.nanoseconds
    }
    return QueryExplanation(
      text: text, steps: steps, objectCount: objectCount, nanoseconds: total)
  }

  /// The text of the query as it is understood.
  private var text: String {
    var understood = syntax
    if let examination { understood.predicate = examination.reading(of: syntax.predicate) }
    return CanonicalText.string(understood)
  }

  private func steps(
    _ access: Access, hasFilter: Bool = false
  ) -> [QueryExplanation.Step] {
    precondition(examination != nil, "the query is not examined")
    let name = CanonicalText.string(name: objectClass.name)
    let first: QueryExplanation.Step
    var tests = rows.predicate.tests
    switch access {
    case .scan:
      first = QueryExplanation.Step(.scan, name)
      tests = blocks.root.predicate.tests
    case .members: first = QueryExplanation.Step(.list, name)
    case .candidates(let candidates):
      first = candidates.choice.step(objectClass)
      if let answered = candidates.choice.answeredPart { tests.remove(at: answered) }
    }
    var steps = [first]
    steps += tests.map { QueryExplanation.Step(.test, CanonicalText.string($0.understood)) }
    let clauses = ordering.steps
    if hasFilter, case .scan = access, let clause = clauses.first {
      steps.append(QueryExplanation.Step(.filter, "candidates of \(clause.kind.rawValue)"))
    }
    return steps + clauses
  }
}

extension TableCursor {
  /// Adds the keys of some rows of the block.
  fileprivate func appendKeys(of rows: RowMask, to keys: inout [ObjectKey]) {
    let start = keys.count
    let blockKeys = self.keys
    keys.append(contentsOf: repeatElement(ObjectKey(0), count: rows.count))
    keys.withUnsafeMutableBufferPointer { keys in
      var next = start
      rows.forEachRowQuickly { row in
        keys[next] = blockKeys[row]
        next &+= 1
      }
    }
  }
}
