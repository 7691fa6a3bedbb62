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
  ///   - cursor: At the block.
  ///   - column: Which column of the cursor has the values; meaningless where only the rows count.
  ///   - groups: The group of each row at its place; nil if all belong to the first.
  func add(
    _ rows: RowMask, of cursor: TableCursor, _ column: Int, _ groups: UnsafePointer<Int32>?
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
    _ rows: RowMask, of cursor: TableCursor, _ column: Int, _ groups: UnsafePointer<Int32>?
  ) throws(QueryFailure) {
    guard let groups else {
      counts[0] += Int64(rows.count)
      return
    }
    counts.withMutableElements { counts in
      rows.forEachRow { counts[Int(groups[$0])] &+= 1 }
    }
  }

  override func add(_ value: QueryValue, to group: Int) { counts[group] += 1 }
  override func result(of group: Int) -> QueryValue { .int(counts[group]) }
}

/// A leaf of numbers that is read without a look at the type of each.
protocol NumberLeaf {
  associatedtype Number: Numeric & Comparable

  /// The leaf of a column; nil if it is of another kind.
  static func leaf(of cursor: TableCursor, _ column: Int) throws(QueryFailure) -> Self?

  /// The number of a row; nil for null and NaN.
  func presentNumber(at row: Int) -> Number?
  /// Adds the numbers of some of `count` rows to a sum.
  func add(_ rows: RowMask, _ count: Int, to sum: inout Number)
  /// Adds the numbers of some of `count` rows, in their order, to a sum and counts them.
  func add(_ rows: RowMask, _ count: Int, toDouble sum: inout Double, _ added: inout Int64)
  /// The least or the greatest number of the whole leaf as it is known without a look at the leaf.
  static func knownBest(
    of cursor: TableCursor, _ column: Int, isMinimum: Bool
  ) throws(QueryFailure) -> Number?
  /// The least or the greatest number of some of `count` rows; nil if there is none.
  func best(of rows: RowMask, _ count: Int, isMinimum: Bool) -> Number?

  /// The number of a value; nil for null and NaN.
  static func number(_ value: QueryValue) -> Number?
  static func value(_ number: Number) -> QueryValue
  /// Sums of ints wrap around. Source: object-model.md 5.7.
  static func sum(_ a: Number, _ b: Number) -> Number
  static func double(_ number: Number) -> Double
}

/// Sums.
class NumberSums<Leaf: NumberLeaf>: GroupAccumulator {
  private var sums: [Leaf.Number] = []

  override func reserve(_ groupCount: Int) { sums.extend(to: groupCount, by: .zero) }

  @inline(__always)
  fileprivate final func addBlock(
    _ rows: RowMask, of cursor: TableCursor, _ column: Int, _ groups: UnsafePointer<Int32>?
  ) throws(QueryFailure) {
    guard let leaf = try Leaf.leaf(of: cursor, column) else { return }
    let count = cursor.count
    guard let groups else {
      leaf.add(rows, count, to: &sums[0])
      return
    }
    sums.withMutableElements { sums in
      rows.forEachRow { row in
        guard let number = leaf.presentNumber(at: row) else { return }
        let group = Int(groups[row])
        sums[group] = Leaf.sum(sums[group], number)
      }
    }
  }

  override func add(_ value: QueryValue, to group: Int) {
    if let number = Leaf.number(value) { sums[group] = Leaf.sum(sums[group], number) }
  }

  override func result(of group: Int) -> QueryValue { Leaf.value(sums[group]) }
}

/// Averages: those of ints have no overflow.
class NumberAverages<Leaf: NumberLeaf>: GroupAccumulator {
  private var sums: [(sum: Double, count: Int64)] = []

  override func reserve(_ groupCount: Int) { sums.extend(to: groupCount, by: (0, 0)) }

  @inline(__always)
  fileprivate final func addBlock(
    _ rows: RowMask, of cursor: TableCursor, _ column: Int, _ groups: UnsafePointer<Int32>?
  ) throws(QueryFailure) {
    guard let leaf = try Leaf.leaf(of: cursor, column) else { return }
    let count = cursor.count
    guard let groups else {
      var (sum, added) = sums[0]
      leaf.add(rows, count, toDouble: &sum, &added)
      sums[0] = (sum, added)
      return
    }
    sums.withMutableElements { sums in
      rows.forEachRow { row in
        guard let number = leaf.presentNumber(at: row) else { return }
        let group = Int(groups[row])
        sums[group].sum += Leaf.double(number)
        sums[group].count &+= 1
      }
    }
  }

  override func add(_ value: QueryValue, to group: Int) {
    guard let number = Leaf.number(value) else { return }
    sums[group].sum += Leaf.double(number)
    sums[group].count &+= 1
  }

  override func result(of group: Int) -> QueryValue {
    let (sum, count) = sums[group]
    return count == 0 ? .null : .double(sum / Double(count))
  }
}

/// The least or the greatest numbers.
class NumberExtremes<Leaf: NumberLeaf>: GroupAccumulator {
  /// The best so far; nil if there is none.
  private var best: [Leaf.Number?] = []
  private let isMinimum: Bool

  init(isMinimum: Bool) { self.isMinimum = isMinimum }

  override func reserve(_ groupCount: Int) { best.extend(to: groupCount, by: nil) }

  @inline(__always)
  private func better(_ number: Leaf.Number, _ other: Leaf.Number?) -> Leaf.Number {
    guard let other else { return number }
    return (isMinimum ? number < other : number > other) ? number : other
  }

  @inline(__always)
  fileprivate final func addBlock(
    _ rows: RowMask, of cursor: TableCursor, _ column: Int, _ groups: UnsafePointer<Int32>?
  ) throws(QueryFailure) {
    let count = cursor.count
    if groups == nil, rows.count == count,
      let number = try Leaf.knownBest(of: cursor, column, isMinimum: isMinimum)
    {
      best[0] = better(number, best[0])
      return
    }
    guard let leaf = try Leaf.leaf(of: cursor, column) else { return }
    guard let groups else {
      if let number = leaf.best(of: rows, count, isMinimum: isMinimum) {
        best[0] = better(number, best[0])
      }
      return
    }
    best.withMutableElements { best in
      rows.forEachRow { row in
        guard let number = leaf.presentNumber(at: row) else { return }
        let group = Int(groups[row])
        best[group] = better(number, best[group])
      }
    }
  }

  override func add(_ value: QueryValue, to group: Int) {
    guard let number = Leaf.number(value) else { return }
    best[group] = better(number, best[group])
  }

  override func result(of group: Int) -> QueryValue { best[group].map(Leaf.value) ?? .null }
}

// A method of a generic class asks at run time what its types are, in each call: those for blocks
// belong to classes that know.

final class IntSums: NumberSums<IntegerLeaf> {
  override func add(
    _ rows: RowMask, of cursor: TableCursor, _ column: Int, _ groups: UnsafePointer<Int32>?
  ) throws(QueryFailure) { try addBlock(rows, of: cursor, column, groups) }
}

final class DoubleSums: NumberSums<FloatingLeaf<Double>> {
  override func add(
    _ rows: RowMask, of cursor: TableCursor, _ column: Int, _ groups: UnsafePointer<Int32>?
  ) throws(QueryFailure) { try addBlock(rows, of: cursor, column, groups) }
}

final class IntAverages: NumberAverages<IntegerLeaf> {
  override func add(
    _ rows: RowMask, of cursor: TableCursor, _ column: Int, _ groups: UnsafePointer<Int32>?
  ) throws(QueryFailure) { try addBlock(rows, of: cursor, column, groups) }
}

final class DoubleAverages: NumberAverages<FloatingLeaf<Double>> {
  override func add(
    _ rows: RowMask, of cursor: TableCursor, _ column: Int, _ groups: UnsafePointer<Int32>?
  ) throws(QueryFailure) { try addBlock(rows, of: cursor, column, groups) }
}

final class IntExtremes: NumberExtremes<IntegerLeaf> {
  override func add(
    _ rows: RowMask, of cursor: TableCursor, _ column: Int, _ groups: UnsafePointer<Int32>?
  ) throws(QueryFailure) { try addBlock(rows, of: cursor, column, groups) }
}

final class DoubleExtremes: NumberExtremes<FloatingLeaf<Double>> {
  override func add(
    _ rows: RowMask, of cursor: TableCursor, _ column: Int, _ groups: UnsafePointer<Int32>?
  ) throws(QueryFailure) { try addBlock(rows, of: cursor, column, groups) }
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
    _ rows: RowMask, of cursor: TableCursor, _ column: Int, _ groups: UnsafePointer<Int32>?
  ) throws(QueryFailure) {
    if groups == nil, try !canImprove(cursor, column) { return }
    let leaf = try reading { () throws(StorageError) in try cursor.dates(column) }
    guard let leaf else { return }
    // Of one group only those rows matter that have the least or the greatest seconds.
    let rows = groups == nil ? extremeRows(leaf.seconds, rows, cursor.count) : rows
    try rows.forEachRow { (row) throws(QueryFailure) in
      let date = try reading { () throws(StorageError) in try leaf.value(at: row) }
      guard let date else { return }
      let group = groups.map { Int($0[row]) } ?? 0
      best[group] = better(date, best[group])
    }
  }

  /// Whether a value of the block may improve the only group.
  private func canImprove(_ cursor: TableCursor, _ column: Int) throws(QueryFailure) -> Bool {
    guard let known = best[0]?.seconds,
      let range = try reading({ () throws(StorageError) in try cursor.range(column) })
    else { return true }
    return isMinimum ? range.least <= known : range.greatest >= known
  }

  /// The rows of a leaf that may improve the only group.
  private func extremeRows(_ seconds: IntegerLeaf, _ rows: RowMask, _ count: Int) -> RowMask {
    guard let number = seconds.best(of: rows, count, isMinimum: isMinimum) else { return .empty }
    if let known = best[0]?.seconds, isMinimum ? known < number : known > number { return .empty }
    return rows.subtracting(seconds.nullRows(count))
      & RowMask.filled {
        seconds.packed.fillMask($0, from: seconds.first, count: count, .equal, number)
      }
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
    _ rows: RowMask, of cursor: TableCursor, _ column: Int, _ groups: UnsafePointer<Int32>?
  ) throws(QueryFailure) {
    let leaf = try reading { () throws(StorageError) in try cursor.leaf(column) }
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
  fileprivate mutating func withMutableElements(_ body: (UnsafeMutablePointer<Element>) -> Void) {
    withUnsafeMutableBufferPointer { elements in
      if let start = elements.baseAddress { body(start) }
    }
  }
}

extension IntegerLeaf: NumberLeaf {
  static func leaf(of cursor: TableCursor, _ column: Int) throws(QueryFailure) -> IntegerLeaf? {
    try reading { () throws(StorageError) in try cursor.ints(column) }
  }

  static func knownBest(
    of cursor: TableCursor, _ column: Int, isMinimum: Bool
  ) throws(QueryFailure) -> Int64? {
    let range = try reading { () throws(StorageError) in try cursor.range(column) }
    guard let range, range.least <= range.greatest else { return nil }
    return isMinimum ? range.least : range.greatest
  }

  @inline(__always)
  func presentNumber(at row: Int) -> Int64? { value(at: row) }

  func add(_ rows: RowMask, _ count: Int, to sum: inout Int64) {
    let rows = rows.subtracting(nullRows(count))
    sum &+=
      rows.count == count
      ? packed.sum(from: first, count: count)
      : rows.withWords { packed.sum(from: first, count: count, mask: $0) }
  }

  func add(_ rows: RowMask, _ count: Int, toDouble sum: inout Double, _ added: inout Int64) {
    let rows = rows.subtracting(nullRows(count))
    added &+= Int64(rows.count)
    guard packed.width == 64 else {
      // So few narrower numbers have a sum that is exact, in 64 bits and as a double.
      var part: Int64 = 0
      add(rows, count, to: &part)
      sum += Double(part)
      return
    }
    rows.forEachRowQuickly { sum += Double(packed[first &+ $0]) }
  }

  func best(of rows: RowMask, _ count: Int, isMinimum: Bool) -> Int64? {
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

  static func number(_ value: QueryValue) -> Int64? {
    if case .int(let number) = value { number } else { nil }
  }

  static func value(_ number: Int64) -> QueryValue { .int(number) }
  @inline(__always) static func sum(_ a: Int64, _ b: Int64) -> Int64 { a &+ b }
  static func double(_ number: Int64) -> Double { Double(number) }
}

extension FloatingLeaf: NumberLeaf where Value == Double {
  static func leaf(of cursor: TableCursor, _ column: Int) throws(QueryFailure) -> FloatingLeaf? {
    try reading { () throws(StorageError) in try cursor.doubles(column) }
  }

  static func knownBest(
    of cursor: TableCursor, _ column: Int, isMinimum: Bool
  ) throws(QueryFailure) -> Double? { nil }

  /// Null is a NaN as well.
  @inline(__always)
  func presentNumber(at row: Int) -> Double? {
    let number = number(at: row)
    return number.isNaN ? nil : number
  }

  func add(_ rows: RowMask, _ count: Int, to sum: inout Double) {
    var added: Int64 = 0
    add(rows, count, toDouble: &sum, &added)
  }

  func add(_ rows: RowMask, _ count: Int, toDouble sum: inout Double, _ added: inout Int64) {
    var (total, numbers) = (sum, added)
    rows.forEachRowQuickly { row in
      let number = number(at: row)
      total += number.isNaN ? 0 : number
      numbers &+= number.isNaN ? 0 : 1
    }
    (sum, added) = (total, numbers)
  }

  func best(of rows: RowMask, _ count: Int, isMinimum: Bool) -> Double? {
    var best = Double.nan
    rows.forEachRowQuickly { row in
      let number = number(at: row)
      if (isMinimum ? number < best : number > best) || best.isNaN { best = number }
    }
    return best.isNaN ? nil : best
  }

  static func number(_ value: QueryValue) -> Double? {
    if case .double(let number) = value, !number.isNaN { number } else { nil }
  }

  static func value(_ number: Double) -> QueryValue { .double(number) }
  @inline(__always) static func sum(_ a: Double, _ b: Double) -> Double { a + b }
  static func double(_ number: Double) -> Double { number }
}
