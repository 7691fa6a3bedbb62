import RealmStorage
public import RealmValues

/// One value that is computed from the objects of each group.
///
/// Source: object-model.md 5.7.
public enum Aggregate {
  /// The number of objects.
  case count
  /// 0 without values; of ints it wraps around.
  case sum(GroupingSource)
  /// Null without values, like the two that follow.
  case average(GroupingSource)
  case minimum(GroupingSource)
  case maximum(GroupingSource)

  /// What the values are read from.
  var source: GroupingSource? {
    switch self {
    case .count: nil
    case .sum(let source), .average(let source), .minimum(let source), .maximum(let source): source
    }
  }

  fileprivate var accumulator: GroupAccumulator {
    switch self {
    case .count: ObjectCounts()
    case .sum(let source): accumulator(.sum, source.kind)
    case .average(let source): accumulator(.average, source.kind)
    case .minimum(let source): accumulator(.minimum, source.kind)
    case .maximum(let source): accumulator(.maximum, source.kind)
    }
  }

  private func accumulator(
    _ operation: AggregateOperation, _ kind: ValueKind
  ) -> GroupAccumulator {
    switch (kind, operation) {
    case (.int, .sum): IntSums()
    case (.int, .average): IntAverages()
    case (.double, .sum): DoubleSums()
    case (.double, .average): DoubleAverages()
    case (.int, _): IntExtremes(isMinimum: operation == .minimum)
    case (.double, _): DoubleExtremes(isMinimum: operation == .minimum)
    case (.date, .minimum), (.date, .maximum): DateExtremes(isMinimum: operation == .minimum)
    default: ValueAggregates(operation, kind)
    }
  }
}

extension Aggregate {
  /// The sum of values; 0 without numbers.
  public static func sum(of values: [ScalarValue]) -> ScalarValue { result(.sum, values) }

  /// The average of values; null without numbers.
  public static func average(of values: [ScalarValue]) -> ScalarValue { result(.average, values) }

  /// The least of values; null without any.
  public static func minimum(of values: [ScalarValue]) -> ScalarValue { result(.minimum, values) }

  /// The greatest of values; null without any.
  public static func maximum(of values: [ScalarValue]) -> ScalarValue { result(.maximum, values) }

  /// Aggregates values as those of a column of their type, mixed if they have several.
  private static func result(
    _ operation: AggregateOperation, _ values: [ScalarValue]
  ) -> ScalarValue {
    let kind = values.lazy.compactMap(\.kind).first ?? .int
    let isUniform = values.allSatisfy { $0.kind == kind || $0 == .null }
    let pool = ConstantPool()
    var accumulator = Accumulator(operation, isUniform ? kind : .mixed)
    for value in values { accumulator.add(QueryValue(value) { pool.keep($0) }) }
    return withExtendedLifetime(pool) { accumulator.result.scalar }
  }
}

/// Objects in groups of equal keys, and the aggregates of each group.
///
/// Whole blocks of objects are read column by column if all keys and values are properties of the
/// objects themselves, else objects are read one at a time.
public final class Grouping {
  private let keys: [GroupingSource]
  private let aggregates: [Aggregate]
  private let pool = ConstantPool()
  private let indexes: [KeyIndex]
  /// For each key but the first the groups by all keys so far: the group by the keys before it in
  /// the high half of a number, the id of its own value in the low half.
  private let combinations: [NumberTable]
  private let accumulators: [GroupAccumulator]
  private var groupCount: Int
  /// Number of objects in all groups.
  public private(set) var objectCount = 0
  /// The groups of the rows of a block, and ids for another key.
  private let scratch = UnsafeMutablePointer<Int32>.allocate(capacity: 2 * RowMask.capacity)

  /// A grouping without objects.
  ///
  /// - Parameter keys: What the objects of a group have in common; without keys there is one group.
  public init(by keys: [GroupingSource], _ aggregates: [Aggregate]) {
    self.keys = keys
    self.aggregates = aggregates
    let pool = pool
    indexes = keys.map { KeyIndex($0, pool) }
    combinations = keys.dropFirst().map { _ in NumberTable() }
    accumulators = aggregates.map(\.accumulator)
    groupCount = keys.isEmpty ? 1 : 0
    for accumulator in accumulators { accumulator.reserve(groupCount) }
  }

  deinit { scratch.deallocate() }

  // MARK: Object by object

  /// Puts objects into their groups.
  ///
  /// - Parameter isCancelled: Asked now and then whether to stop.
  /// - Throws: `QueryFailure`.
  public func add(
    _ objects: [ObjectKey], isCancelled: @escaping () -> Bool = { false }
  ) throws(QueryFailure) {
    let run = QueryRun()
    run.isCancelled = isCancelled
    objectCount += objects.count
    let keyReaders = keys.map { GroupingReader($0, run) }
    let valueReaders = aggregates.map { $0.source.map { GroupingReader($0, run) } }
    for object in objects {
      try run.visit()
      var group: Int32 = 0
      for (i, reader) in keyReaders.enumerated() {
        let id = indexes[i].id(
          of: try reader.value(of: object), isTransient: reader.isTransient)
        group = i == 0 ? id : combined(group, id, i)
      }
      makeRoom(for: group)
      for (i, accumulator) in accumulators.enumerated() {
        guard let reader = valueReaders[i] else {
          accumulator.add(.null, to: Int(group))
          continue
        }
        let value = try reader.value(of: object)
        accumulator.add(reader.isTransient ? value.kept(by: pool) : value, to: Int(group))
      }
    }
  }

  @inline(__always)
  private func combined(_ group: Int32, _ id: Int32, _ key: Int) -> Int32 {
    combinations[key - 1].id(
      of: UInt64(UInt32(bitPattern: group)) &<< 32 | UInt64(UInt32(bitPattern: id)))
  }

  private func makeRoom(for group: Int32) {
    guard Int(group) >= groupCount else { return }
    groupCount = Int(group) + 1
    for accumulator in accumulators { accumulator.reserve(groupCount) }
  }

  // MARK: Block by block

  /// Positions of the columns that are read: those of the keys, then those of the aggregates that
  /// have values; nil if not all values are in columns of the objects themselves.
  var columns: [Int]? {
    let sources = keys + aggregates.compactMap(\.source)
    let columns = sources.compactMap(\.column)
    return columns.count == sources.count ? columns : nil
  }

  /// Puts rows of a block into their groups.
  ///
  /// - Parameter first: Which column of the cursor is the first of `columns`.
  func add(
    _ rows: RowMask, of cursor: TableCursor, first: Int
  ) throws(QueryFailure) {
    var column = first
    objectCount &+= rows.count
    let groups = scratch
    for i in keys.indices {
      if i == 0 {
        try indexes[0].storeIDs(of: cursor, column, rows, to: groups)
      } else {
        let ids = scratch + RowMask.capacity
        try indexes[i].storeIDs(of: cursor, column, rows, to: ids)
        rows.forEachRow { groups[$0] = combined(groups[$0], ids[$0], i) }
      }
      column += 1
    }
    if let last = keys.indices.last {
      let count = last == 0 ? indexes[0].count : combinations[last - 1].numbers.count
      makeRoom(for: Int32(truncatingIfNeeded: count - 1))
    }
    for (i, accumulator) in accumulators.enumerated() {
      try accumulator.add(rows, of: cursor, column, keys.isEmpty ? nil : UnsafePointer(groups))
      if aggregates[i].source != nil { column += 1 }
    }
  }

  // MARK: Results

  /// One row for each group, in the order of the keys: their values, then the aggregates.
  ///
  /// - Throws: `QueryFailure.query`, without a place, if a key is a collection.
  public func rows() throws(QueryFailure) -> [[ScalarValue]] {
    var groups: [(keys: [QueryValue], group: Int)] = []
    groups.reserveCapacity(groupCount)
    for group in 0..<groupCount { groups.append((keyValues(of: group), group)) }
    groups.sort { Grouping.order($0.keys, $1.keys) < 0 }
    var rows: [[ScalarValue]] = []
    rows.reserveCapacity(groups.count)
    for (keys, group) in groups {
      var row: [ScalarValue] = []
      for key in keys { row.append(try key.key()) }
      for accumulator in accumulators { row.append(accumulator.result(of: group).scalar) }
      rows.append(row)
    }
    return rows
  }

  private func keyValues(of group: Int) -> [QueryValue] {
    var values: [QueryValue] = []
    var group = Int32(truncatingIfNeeded: group)
    for i in keys.indices.reversed() {
      var id = group
      if i > 0 {
        let pair = combinations[i - 1].numbers[Int(group)]
        id = Int32(truncatingIfNeeded: pair & 0xFFFF_FFFF)
        group = Int32(truncatingIfNeeded: pair &>> 32)
      }
      values.append(indexes[i].value(of: id))
    }
    return values.reversed()
  }

  private static func order(_ a: [QueryValue], _ b: [QueryValue]) -> Int {
    for i in a.indices {
      let order = QueryValue.order(a[i], b[i])
      if order != 0 { return order }
    }
    return 0
  }
}
