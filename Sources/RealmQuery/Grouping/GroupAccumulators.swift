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

/// A leaf of numbers that is read without a look at the type of each.
protocol NumberLeaf {
  associatedtype Number: Numeric & Comparable

  init?(_ leaf: ColumnLeaf)

  /// The number of a row; nil for null and NaN.
  func presentNumber(at row: Int) -> Number?

  /// The number of a value; nil for null and NaN.
  static func number(_ value: QueryValue) -> Number?
  static func value(_ number: Number) -> QueryValue
  /// Sums of ints wrap around. Source: object-model.md 5.7.
  static func sum(_ a: Number, _ b: Number) -> Number
  static func double(_ number: Number) -> Double
}

/// Sums or averages of groups.
final class NumberSums<Leaf: NumberLeaf>: GroupAccumulator {
  private var sums: [(sum: Leaf.Number, count: Int64)] = []
  private let isAverage: Bool

  init(isAverage: Bool) { self.isAverage = isAverage }

  override func reserve(_ groupCount: Int) { sums.extend(to: groupCount, by: (.zero, 0)) }

  override func add(
    _ leaf: ColumnLeaf?, _ rows: RowMask, _ groups: UnsafePointer<Int32>?
  ) throws(QueryFailure) {
    guard let leaf = leaf.flatMap(Leaf.init), let groups else { return }
    try sums.withMutableElements { (sums) throws(QueryFailure) in
      try rows.forEachRow { row in
        guard let number = leaf.presentNumber(at: row) else { return }
        let group = Int(groups[row])
        sums[group].sum = Leaf.sum(sums[group].sum, number)
        sums[group].count &+= 1
      }
    }
  }

  override func add(_ value: QueryValue, to group: Int) {
    guard let number = Leaf.number(value) else { return }
    sums[group].sum = Leaf.sum(sums[group].sum, number)
    sums[group].count &+= 1
  }

  override func result(of group: Int) -> QueryValue {
    let (sum, count) = sums[group]
    if !isAverage { return Leaf.value(sum) }
    return count == 0 ? .null : .double(Leaf.double(sum) / Double(count))
  }
}

/// The least or the greatest numbers of groups.
final class NumberExtremes<Leaf: NumberLeaf>: GroupAccumulator {
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

  override func add(
    _ leaf: ColumnLeaf?, _ rows: RowMask, _ groups: UnsafePointer<Int32>?
  ) throws(QueryFailure) {
    guard let leaf = leaf.flatMap(Leaf.init), let groups else { return }
    try best.withMutableElements { (best) throws(QueryFailure) in
      try rows.forEachRow { row in
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

/// Aggregates of values of all other types.
final class ValueAggregates: GroupAccumulator {
  private var accumulators: [Accumulator] = []
  private let empty: Accumulator
  /// Whether there may be collections among the values.
  private let isMixed: Bool

  init(_ operation: AggregateOperation, _ kind: ValueKind) {
    isMixed = kind == .mixed
    empty = Accumulator(operation, kind)
  }

  override func reserve(_ groupCount: Int) { accumulators.extend(to: groupCount, by: empty) }

  override func add(
    _ leaf: ColumnLeaf?, _ rows: RowMask, _ groups: UnsafePointer<Int32>?
  ) throws(QueryFailure) {
    guard let leaf else { return }
    if groups == nil, !isMixed {
      try reading { () throws(StorageError) in
        try accumulators[0].add(rows, of: leaf, count: leaf.count)
      }
      return
    }
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

extension IntegerLeaf: NumberLeaf {
  init?(_ leaf: ColumnLeaf) {
    guard case .int(let leaf) = leaf else { return nil }
    self = leaf
  }

  @inline(__always)
  func presentNumber(at row: Int) -> Int64? { value(at: row) }

  static func number(_ value: QueryValue) -> Int64? {
    if case .int(let number) = value { number } else { nil }
  }

  static func value(_ number: Int64) -> QueryValue { .int(number) }
  @inline(__always) static func sum(_ a: Int64, _ b: Int64) -> Int64 { a &+ b }
  static func double(_ number: Int64) -> Double { Double(number) }
}

extension FloatingLeaf: NumberLeaf where Value == Double {
  init?(_ leaf: ColumnLeaf) {
    guard case .double(let leaf) = leaf else { return nil }
    self = leaf
  }

  /// Null is a NaN as well.
  @inline(__always)
  func presentNumber(at row: Int) -> Double? {
    let number = base.loadUnaligned(fromByteOffset: row &* 8, as: Double.self)
    return number.isNaN ? nil : number
  }

  static func number(_ value: QueryValue) -> Double? {
    if case .double(let number) = value, !number.isNaN { number } else { nil }
  }

  static func value(_ number: Double) -> QueryValue { .double(number) }
  @inline(__always) static func sum(_ a: Double, _ b: Double) -> Double { a + b }
  static func double(_ number: Double) -> Double { number }
}
