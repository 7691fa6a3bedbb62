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
    return try running(isCancelled) { () throws(QueryFailure) in
      if ordering.isEmpty, try plan.candidates(objectClass) == nil {
        return try byLeaves(operation, property).scalar ?? .null
      }
      return try byKeys(operation, property).scalar ?? .null
    }
  }

  private func byKeys(
    _ operation: AggregateOperation, _ property: Property
  ) throws(QueryFailure) -> QueryValue {
    var accumulator = Accumulator(operation, property.kind)
    let reader = PropertyReader(objectClass, position: property.position)
    for key in try resultKeys() {
      try run.visit()
      if let value = try reader.value(of: key) { accumulator.add(QueryValue(value)) }
    }
    return accumulator.result
  }

  private func byLeaves(
    _ operation: AggregateOperation, _ property: Property
  ) throws(QueryFailure) -> QueryValue {
    var accumulator = Accumulator(operation, property.kind)
    let blocks = BlockPredicate(predicate, reading: [property.position])
    try blocks.forEachBlock(of: objectClass, run) { (cursor, rows) throws(QueryFailure) in
      try reading { () throws(StorageError) in
        try accumulator.add(rows, of: try cursor.leaf(0), count: cursor.count)
      }
      return true
    }
    return accumulator.result
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

extension QueryValue {
  /// The value as one that stands for itself; nil for collections.
  fileprivate var scalar: ScalarValue? {
    switch self {
    case .null: .null
    case .bool(let value): .bool(value)
    case .int(let value): .int(value)
    case .float(let value): .float(value)
    case .double(let value): .double(value)
    case .decimal(let value): .decimal(value)
    case .string(let bytes): .string([UInt8](bytes))
    case .data(let bytes): .data([UInt8](bytes))
    case .date(let value): .date(value)
    case .objectID(let value): .objectID(value)
    case .uuid(let value): .uuid(value)
    case .typedLink(let table, let key): .link(table, key)
    case .link(let key): .key(key)
    case .type, .list, .dictionary: nil
    }
  }
}
