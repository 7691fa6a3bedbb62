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

  /// Binds a predicate to a class.
  ///
  /// - Parameters:
  ///   - arguments: The values of `$0`, `$1`, …
  ///   - variables: Finds the value of a shell variable by its name without the dollar sign.
  /// - Throws: `QueryFailure.query` for what is wrong with the predicate; `storage` if the file
  ///   could not be read for `obj(…)`.
  public init(
    _ syntax: QuerySyntax, class objectClass: ObjectClass, schema: Schema,
    arguments: [QueryArgument] = [],
    variables: @escaping (String) -> QueryArgument? = { _ in nil }
  ) throws(QueryFailure) {
    self.objectClass = objectClass
    let binder = Binder(
      schema: schema, objectClass: objectClass, arguments: arguments, variables: variables,
      pool: pool, run: run)
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
    try ordering.apply(to: try unorderedKeys(), run)
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
      try ordering.apply(to: try matching(among: candidates), run)
    }
  }

  private func matching(among candidates: [ObjectKey]) throws(QueryFailure) -> [ObjectKey] {
    var matching: [ObjectKey] = []
    for key in candidates {
      try run.visit()
      if try rows.matches(key) { matching.append(key) }
    }
    return matching
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

  /// The matching objects in the order of their keys; not all if the first clause limits them.
  private func unorderedKeys() throws(QueryFailure) -> [ObjectKey] {
    if let candidates = try plan.candidates(objectClass) {
      return try matching(among: candidates)
    }
    let limit = ordering.firstLimit ?? .max
    var keys: [ObjectKey] = []
    guard let filter = ordering.makeFilter() else {
      try blocks.forEachBlock(of: objectClass, run) { (cursor, rows) in
        cursor.appendKeys(of: rows, to: &keys)
        return keys.count < limit
      }
      return keys
    }
    let blocks = BlockPredicate(predicate, reading: [filter.position])
    try blocks.forEachBlock(of: objectClass, run) { (cursor, rows) throws(QueryFailure) in
      let left = try reading { () throws(StorageError) in
        try filter.narrow(rows, try cursor.leaf(0), cursor.count)
      }
      cursor.appendKeys(of: left, to: &keys)
      try filter.prune(&keys, run)
      return true
    }
    return keys
  }

  private func matchCount() throws(QueryFailure) -> Int {
    if let candidates = try plan.candidates(objectClass) {
      return try matching(among: candidates).count
    }
    var total = 0
    try blocks.forEachBlock(of: objectClass, run) { (_, rows) in
      total &+= rows.count
      return true
    }
    return total
  }
}

extension TableCursor {
  /// Adds the keys of some rows of the block.
  fileprivate func appendKeys(of rows: RowMask, to keys: inout [ObjectKey]) {
    let start = keys.count
    keys.append(contentsOf: repeatElement(ObjectKey(0), count: rows.count))
    keys.withUnsafeMutableBufferPointer { keys in
      var next = start
      rows.forEachRowQuickly { row in
        keys[next] = key(at: row)
        next &+= 1
      }
    }
  }
}
