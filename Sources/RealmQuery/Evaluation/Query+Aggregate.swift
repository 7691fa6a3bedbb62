import ByteKernels
public import RealmObjects
import RealmStorage
public import RealmValues

extension Query {
  /// An aggregate of a property over the results, all clauses applied; nulls do not count.
  ///
  /// - Parameter property: A property of the class that is no collection; numbers, for minimum and
  ///   maximum also dates.
  /// - Returns: `null` where there is nothing to aggregate and the operation is not `sum`.
  /// - Throws: `QueryFailure`.
  public func aggregate(
    _ operation: AggregateOperation, of property: Property,
    isCancelled: @escaping () -> Bool = { false }
  ) throws(QueryFailure) -> ScalarValue {
    precondition(property.collection == .none, "a collection has no single values")
    let source = GroupingSource.property(SingleProperty(property, of: objectClass))
    let grouping = Grouping(by: [], [Aggregate(operation, source)])
    try add(to: grouping, isCancelled: isCancelled)
    return try grouping.rows()[0][0]
  }

  /// Puts the results, all clauses applied, into the groups of a grouping of the same class.
  ///
  /// - Parameter isCancelled: Asked now and then whether to stop.
  /// - Throws: `QueryFailure`.
  public func add(
    to grouping: Grouping, isCancelled: @escaping () -> Bool = { false }
  ) throws(QueryFailure) {
    guard let columns = grouping.columns, ordering.isEmpty,
      try plan.candidates(objectClass) == nil
    else {
      try grouping.add(try keys(isCancelled: isCancelled), isCancelled: isCancelled)
      return
    }
    try running(isCancelled) { () throws(QueryFailure) in
      let blocks = BlockPredicate(predicate, reading: columns)
      try blocks.forEachBlock(of: objectClass, run) { (cursor, rows) throws(QueryFailure) in
        try grouping.add(rows, of: cursor)
        return true
      }
    }
  }
}

extension Accumulator {
  /// Adds rows of a leaf with `count` rows.
  mutating func add(_ rows: RowMask, of leaf: ColumnLeaf, count: Int) throws(StorageError) {
    switch (leaf, operation) {
    case (.int(let leaf), .sum), (.int(let leaf), .average):
      let rows = rows.subtracting(leaf.nullRows(count))
      add(sum: leaf.sum(rows, count), of: rows.count)
    case (.int(let leaf), .minimum), (.int(let leaf), .maximum):
      if let extreme = leaf.extreme(rows, count, operation) { add(.int(extreme)) }
    case (.double(let leaf), .sum), (.double(let leaf), .average): add(rows, of: leaf)
    case (.date(let leaf), .minimum), (.date(let leaf), .maximum):
      try add(rows, of: leaf, count)
    default:
      for row in 0..<count where rows.contains(row) { add(QueryValue(try leaf.value(at: row))) }
    }
  }

  /// Adds the first or last of some dates: among those with the least or greatest seconds.
  private mutating func add(
    _ rows: RowMask, of leaf: TimestampLeaf, _ count: Int
  ) throws(StorageError) {
    guard let seconds = leaf.seconds.extreme(rows, count, operation) else { return }
    if case .date(let best) = result,
      operation == .minimum ? best.seconds < seconds : best.seconds > seconds
    {
      return
    }
    let ties = RowMask.filled {
      leaf.seconds.packed.fillMask($0, from: leaf.seconds.first, count: count, .equal, seconds)
    }
    for row in 0..<count where (ties & rows).contains(row) {
      if let date = try leaf.value(at: row) { add(.date(date)) }
    }
  }
}

extension IntegerLeaf {
  /// The sum of some rows, none of which is null, modulo 2^64.
  fileprivate func sum(_ rows: RowMask, _ count: Int) -> Int64 {
    if rows.count == count { return packed.sum(from: first, count: count) }
    return rows.withWords { packed.sum(from: first, count: count, mask: $0) }
  }

  /// The least or greatest of some rows that is not null; nil if there is none.
  fileprivate func extreme(
    _ rows: RowMask, _ count: Int, _ operation: AggregateOperation
  ) -> Int64? {
    let isMinimum = operation == .minimum
    if rows.count == count, let nullValue {
      return isMinimum
        ? packed.minimum(from: first, count: count, except: nullValue)
        : packed.maximum(from: first, count: count, except: nullValue)
    }
    if rows.count == count {
      return isMinimum
        ? packed.minimum(from: first, count: count) : packed.maximum(from: first, count: count)
    }
    return rows.subtracting(nullRows(count)).withWords {
      isMinimum
        ? packed.minimum(from: first, count: count, mask: $0)
        : packed.maximum(from: first, count: count, mask: $0)
    }
  }
}
