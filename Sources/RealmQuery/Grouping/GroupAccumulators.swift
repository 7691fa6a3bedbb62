import ByteKernels
import RealmStorage
import RealmValues

/// One aggregate of every group.
class GroupAccumulator {
  /// Makes room for so many groups.
  func reserve(_ groupCount: Int) { preconditionFailure("abstract") }

  /// Adds rows of a block.
  ///
  /// - Parameters:
  ///   - leaf: The values; nil where only the rows count.
  ///   - groups: The group of each row at its place; nil if all belong to the first.
  func add(
    _ leaf: ColumnLeaf?, _ rows: RowMask, _ groups: UnsafePointer<Int32>?
  ) throws(QueryFailure) { preconditionFailure("abstract") }

  /// Adds one value.
  func add(_ value: QueryValue, to group: Int) { preconditionFailure("abstract") }

  /// The aggregate of a group.
  func result(of group: Int) -> QueryValue { preconditionFailure("abstract") }
}

/// Counts objects.
final class ObjectCounts: GroupAccumulator {
  private var counts: [Int64] = []

  override func reserve(_ groupCount: Int) { counts.extend(to: groupCount, by: 0) }

  override func add(
    _ leaf: ColumnLeaf?, _ rows: RowMask, _ groups: UnsafePointer<Int32>?
  ) throws(QueryFailure) {
    guard let groups else {
      counts[0] += Int64(rows.count)
      return
    }
    try counts.withMutableElements { (counts) throws(QueryFailure) in
      try rows.forEachRow { counts[Int(groups[$0])] &+= 1 }
    }
  }

  override func add(_ value: QueryValue, to group: Int) { counts[group] += 1 }
  override func result(of group: Int) -> QueryValue { .int(counts[group]) }
}

/// Sums or averages ints; sums wrap around.
final class IntSums: GroupAccumulator {
  private var sums: [(sum: Int64, count: Int64)] = []
  private let isAverage: Bool

  init(isAverage: Bool) { self.isAverage = isAverage }

  override func reserve(_ groupCount: Int) { sums.extend(to: groupCount, by: (0, 0)) }

  override func add(
    _ leaf: ColumnLeaf?, _ rows: RowMask, _ groups: UnsafePointer<Int32>?
  ) throws(QueryFailure) {
    guard case .int(let leaf)? = leaf else { return }
    guard let groups else {
      addToFirst(leaf, rows)
      return
    }
    try sums.withMutableElements { (sums) throws(QueryFailure) in
      try rows.forEachRow { row in
        guard let number = leaf.value(at: row) else { return }
        let group = Int(groups[row])
        sums[group].sum &+= number
        sums[group].count &+= 1
      }
    }
  }

  private func addToFirst(_ leaf: IntegerLeaf, _ rows: RowMask) {
    let rows = rows.subtracting(leaf.nullRows(leaf.count))
    sums[0].count += Int64(rows.count)
    sums[0].sum &+=
      rows.count == leaf.count
      ? leaf.packed.sum(from: leaf.first, count: leaf.count)
      : rows.withWords { leaf.packed.sum(from: leaf.first, count: leaf.count, mask: $0) }
  }

  override func add(_ value: QueryValue, to group: Int) {
    guard case .int(let number) = value else { return }
    sums[group].sum &+= number
    sums[group].count &+= 1
  }

  override func result(of group: Int) -> QueryValue {
    let (sum, count) = sums[group]
    if !isAverage { return .int(sum) }
    return count == 0 ? .null : .double(Double(sum) / Double(count))
  }
}

/// The least or the greatest ints.
final class IntExtremes: GroupAccumulator {
  /// The best so far; nil if there is none.
  private var best: [Int64?] = []
  private let isMinimum: Bool

  init(isMinimum: Bool) { self.isMinimum = isMinimum }

  override func reserve(_ groupCount: Int) { best.extend(to: groupCount, by: nil) }

  @inline(__always)
  private func better(_ number: Int64, _ other: Int64?) -> Int64 {
    guard let other else { return number }
    return isMinimum ? min(number, other) : max(number, other)
  }

  override func add(
    _ leaf: ColumnLeaf?, _ rows: RowMask, _ groups: UnsafePointer<Int32>?
  ) throws(QueryFailure) {
    guard case .int(let leaf)? = leaf else { return }
    guard let groups else {
      addToFirst(leaf, rows)
      return
    }
    try best.withMutableElements { (best) throws(QueryFailure) in
      try rows.forEachRow { row in
        guard let number = leaf.value(at: row) else { return }
        let group = Int(groups[row])
        best[group] = better(number, best[group])
      }
    }
  }

  private func addToFirst(_ leaf: IntegerLeaf, _ rows: RowMask) {
    if let number = leaf.extreme(of: rows, isMinimum: isMinimum) {
      best[0] = better(number, best[0])
    }
  }

  override func add(_ value: QueryValue, to group: Int) {
    guard case .int(let number) = value else { return }
    best[group] = better(number, best[group])
  }

  override func result(of group: Int) -> QueryValue { best[group].map { .int($0) } ?? .null }
}

/// Sums or averages doubles in the order in which they come; NaN does not count.
final class DoubleSums: GroupAccumulator {
  private var sums: [(sum: Double, count: Int64)] = []
  private let isAverage: Bool

  init(isAverage: Bool) { self.isAverage = isAverage }

  override func reserve(_ groupCount: Int) { sums.extend(to: groupCount, by: (0, 0)) }

  override func add(
    _ leaf: ColumnLeaf?, _ rows: RowMask, _ groups: UnsafePointer<Int32>?
  ) throws(QueryFailure) {
    guard case .double(let leaf)? = leaf else { return }
    guard let groups else {
      addToFirst(leaf, rows)
      return
    }
    try sums.withMutableElements { (sums) throws(QueryFailure) in
      try rows.forEachRow { row in
        guard let number = leaf.value(at: row), !number.isNaN else { return }
        let group = Int(groups[row])
        sums[group].sum += number
        sums[group].count &+= 1
      }
    }
  }

  private func addToFirst(_ leaf: FloatingLeaf<Double>, _ rows: RowMask) {
    var (sum, count) = sums[0]
    // Null is a NaN as well.
    leaf.forEachNumber(of: rows) { number in
      sum += number.isNaN ? 0 : number
      count &+= number.isNaN ? 0 : 1
    }
    sums[0] = (sum, count)
  }

  override func add(_ value: QueryValue, to group: Int) {
    guard case .double(let number) = value, !number.isNaN else { return }
    sums[group].sum += number
    sums[group].count &+= 1
  }

  override func result(of group: Int) -> QueryValue {
    let (sum, count) = sums[group]
    if !isAverage { return .double(sum) }
    return count == 0 ? .null : .double(sum / Double(count))
  }
}

/// The least or the greatest doubles; NaN does not count.
final class DoubleExtremes: GroupAccumulator {
  /// The best so far; NaN if there is none.
  private var best: [Double] = []
  private let isMinimum: Bool

  init(isMinimum: Bool) { self.isMinimum = isMinimum }

  override func reserve(_ groupCount: Int) { best.extend(to: groupCount, by: .nan) }

  /// The better of two, of which `number` may be NaN.
  @inline(__always)
  private func better(_ number: Double, _ other: Double) -> Double {
    if other.isNaN { return number }
    return (isMinimum ? number < other : number > other) ? number : other
  }

  override func add(
    _ leaf: ColumnLeaf?, _ rows: RowMask, _ groups: UnsafePointer<Int32>?
  ) throws(QueryFailure) {
    guard case .double(let leaf)? = leaf else { return }
    guard let groups else {
      var first = best[0]
      leaf.forEachNumber(of: rows) { first = better($0, first) }
      best[0] = first
      return
    }
    try best.withMutableElements { (best) throws(QueryFailure) in
      try rows.forEachRow { row in
        guard let number = leaf.value(at: row) else { return }
        let group = Int(groups[row])
        best[group] = better(number, best[group])
      }
    }
  }

  override func add(_ value: QueryValue, to group: Int) {
    guard case .double(let number) = value else { return }
    best[group] = better(number, best[group])
  }

  override func result(of group: Int) -> QueryValue {
    best[group].isNaN ? .null : .double(best[group])
  }
}

/// The first or the last dates.
final class DateExtremes: GroupAccumulator {
  /// The best so far; nil if there is none.
  private var best: [Timestamp?] = []
  private let isMinimum: Bool

  init(isMinimum: Bool) { self.isMinimum = isMinimum }

  override func reserve(_ groupCount: Int) { best.extend(to: groupCount, by: nil) }

  private func better(_ date: Timestamp, _ other: Timestamp?) -> Timestamp {
    guard let other else { return date }
    return (isMinimum ? date < other : other < date) ? date : other
  }

  override func add(
    _ leaf: ColumnLeaf?, _ rows: RowMask, _ groups: UnsafePointer<Int32>?
  ) throws(QueryFailure) {
    guard case .date(let leaf)? = leaf else { return }
    // Of one group only those rows matter that have the least or the greatest seconds.
    let rows = groups == nil ? extremeRows(leaf.seconds, rows) : rows
    try rows.forEachRow { (row) throws(QueryFailure) in
      let date = try reading { () throws(StorageError) in try leaf.value(at: row) }
      guard let date else { return }
      let group = groups.map { Int($0[row]) } ?? 0
      best[group] = better(date, best[group])
    }
  }

  /// The rows of a leaf that may improve the only group.
  private func extremeRows(_ seconds: IntegerLeaf, _ rows: RowMask) -> RowMask {
    guard let number = seconds.extreme(of: rows, isMinimum: isMinimum) else { return .empty }
    if let known = best[0]?.seconds, isMinimum ? known < number : known > number { return .empty }
    return rows & seconds.equalRows(number)
  }

  override func add(_ value: QueryValue, to group: Int) {
    guard case .date(let date) = value else { return }
    best[group] = better(date, best[group])
  }

  override func result(of group: Int) -> QueryValue { best[group].map { .date($0) } ?? .null }
}

/// Aggregates of values of all other types.
final class ValueAggregates: GroupAccumulator {
  private var accumulators: [Accumulator] = []
  private let empty: Accumulator

  init(_ operation: AggregateOperation, _ kind: ValueKind) {
    empty = Accumulator(operation, kind)
  }

  override func reserve(_ groupCount: Int) { accumulators.extend(to: groupCount, by: empty) }

  override func add(
    _ leaf: ColumnLeaf?, _ rows: RowMask, _ groups: UnsafePointer<Int32>?
  ) throws(QueryFailure) {
    guard let leaf else { return }
    try rows.forEachRow { (row) throws(QueryFailure) in
      let value = try reading { () throws(StorageError) in try leaf.value(at: row) }
      add(QueryValue(value), to: groups.map { Int($0[row]) } ?? 0)
    }
  }

  override func add(_ value: QueryValue, to group: Int) {
    switch value {
    case .list, .dictionary: break
    default: accumulators[group].add(value)
    }
  }

  override func result(of group: Int) -> QueryValue { accumulators[group].result }
}

extension Array {
  /// Adds elements until there are so many.
  fileprivate mutating func extend(to count: Int, by element: Element) {
    if count > self.count { append(contentsOf: repeatElement(element, count: count - self.count)) }
  }

  /// Runs code that changes elements whose positions are known to be right.
  @inline(__always)
  fileprivate mutating func withMutableElements<Failure: Error>(
    _ body: (UnsafeMutablePointer<Element>) throws(Failure) -> Void
  ) throws(Failure) {
    try withUnsafeMutableBufferPointer { (elements) throws(Failure) in
      if let start = elements.baseAddress { try body(start) }
    }
  }
}

extension IntegerLeaf {
  /// The least or the greatest of some rows, nulls left out; nil if there are none.
  fileprivate func extreme(of rows: RowMask, isMinimum: Bool) -> Int64? {
    if rows.count == count {
      let number =
        isMinimum
        ? packed.minimum(from: first, count: count) : packed.maximum(from: first, count: count)
      // The number that stands for null is often the greatest one: then nulls have to be left out.
      if nullValue == nil || number != nullValue { return number }
    }
    return rows.subtracting(nullRows(count)).withWords {
      isMinimum
        ? packed.minimum(from: first, count: count, mask: $0)
        : packed.maximum(from: first, count: count, mask: $0)
    }
  }

  /// The rows that hold a number, which is not the one that stands for null.
  fileprivate func equalRows(_ number: Int64) -> RowMask {
    RowMask.filled { packed.fillMask($0, from: first, count: count, .equal, number) }
  }
}

extension FloatingLeaf where Value == Double {
  /// Calls `body` with the numbers of rows in their order; null is a NaN.
  @inline(__always)
  fileprivate func forEachNumber(of rows: RowMask, _ body: (Double) -> Void) {
    if rows.count == count {
      for row in 0..<count { body(base.loadUnaligned(fromByteOffset: row &* 8, as: Double.self)) }
      return
    }
    for word in 0..<4 {
      var rest = rows.words[word]
      while rest != 0 {
        let row = word &* 64 &+ rest.trailingZeroBitCount
        body(base.loadUnaligned(fromByteOffset: row &* 8, as: Double.self))
        rest &= rest &- 1
      }
    }
  }
}
