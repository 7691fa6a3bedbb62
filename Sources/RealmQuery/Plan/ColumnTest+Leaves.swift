import ByteKernels
import RealmStorage
import RealmValues

extension ColumnTest {
  /// From this cost on every row is looked at by itself.
  static let rowCost = 20

  /// Rank among the conditions of an AND or OR: the greater, the more work for each row.
  var cost: Int {
    switch kind {
    case .int, .intBetween, .intAny, .bool, .double, .float, .orderedDouble: 1
    case .null: 2
    case .link, .date: 3
    case .text: 10
    case .target: 15
    default: ColumnTest.rowCost
    }
  }

  /// The rows of `rows` that match, in the present block of the cursor.
  func matches(_ rows: RowMask, _ cursor: TableCursor, _ i: Int) throws(QueryFailure) -> RowMask {
    let frequent = try reading { () throws(StorageError) in
      try frequentMatches(rows, cursor, i)
    }
    if let frequent { return frequent }
    let leaf = try reading { () throws(StorageError) in try cursor.leaf(i) }
    if let mask = wholeLeaf(leaf, cursor.count) { return rows & mask }
    if case .target(let target, let matchesNull) = kind, case .link(let leaf, _) = leaf {
      return try rows.filter { (row) throws(QueryFailure) in
        let key = leaf.packed[leaf.first &+ row] &- 1
        return try key < 0 ? matchesNull : target.matches(ObjectKey(key))
      }
    }
    return try rows.filter { (row) throws(QueryFailure) in
      let value = try reading { () throws(StorageError) in try leaf.value(at: row) }
      return try matches(QueryValue(value))
    }
  }

  /// The rows of `rows` that match, if the leaf is of a frequent kind, which is quicker to read than
  /// others, and the test is one of those for this kind.
  @inline(__always)
  private func frequentMatches(
    _ rows: RowMask, _ cursor: TableCursor, _ i: Int
  ) throws(StorageError) -> RowMask? {
    let count = cursor.count
    if let interval, let range = try cursor.range(i),
      range.greatest < interval.lowerBound || range.least > interval.upperBound
    {
      return .empty
    }
    switch kind {
    case .int(let comparison, let key):
      return try cursor.ints(i).map { rows & $0.mask(count, comparison, key) }
    case .intBetween(let low, let high):
      return try cursor.ints(i).map { rows & ColumnTest.between($0, count, low, high) }
    case .intAny(let keys, let matchesNull):
      return try cursor.ints(i).map { rows & ColumnTest.any($0, count, keys, matchesNull) }
    case .double(let comparison, let key):
      return try cursor.doubles(i).map { leaf in
        rows
          & RowMask.filled { fillDoubleMask($0, base: leaf.base, count: count, comparison, key) }
      }
    case .date(let comparison, let key):
      return try cursor.dates(i).map { rows & ColumnTest.dates($0, count, comparison, key) }
    case .text(let condition, let pattern, let matchesNull):
      guard let leaf = try cursor.strings(i) else { return nil }
      let scan = TextScan(
        condition: condition, pattern: pattern, matchesNull: matchesNull, isNullable: isNullable)
      return try scan.matches(leaf, count, rows)
    default: return nil
    }
  }

  private static func between(
    _ leaf: IntegerLeaf, _ count: Int, _ low: Int64, _ high: Int64
  ) -> RowMask {
    let mask = RowMask.filled {
      leaf.packed.fillMaskBetween($0, from: leaf.first, count: count, low, high)
    }
    guard let null = leaf.nullValue, low <= null, null <= high else { return mask }
    return mask.subtracting(leaf.nullRows(count))
  }

  private static func any(
    _ leaf: IntegerLeaf, _ count: Int, _ keys: [Int64], _ matchesNull: Bool
  ) -> RowMask {
    let mask = RowMask.filled { out in
      keys.withUnsafeBufferPointer {
        leaf.packed.fillMaskAny(out, from: leaf.first, count: count, sortedKeys: $0)
      }
    }
    guard leaf.nullValue != nil else { return mask }
    let nulls = leaf.nullRows(count)
    return matchesNull ? mask | nulls : mask.subtracting(nulls)
  }

  /// The matching rows of a leaf, if all can be tested at once.
  private func wholeLeaf(_ leaf: ColumnLeaf, _ count: Int) -> RowMask? {
    switch (kind, leaf) {
    case (.bool(let wanted, let isEqual), .bool(let leaf, let isNullable)):
      let nulls = ColumnTest.nulls(leaf, count, isNullable)
      let isTrue = RowMask.filled {
        leaf.packed.fillMask($0, from: leaf.first, count: count, .notEqual, 0)
      }
      let hits = (wanted ? isTrue : isTrue.inverted(count)).subtracting(nulls)
      return isEqual ? hits : hits.inverted(count)
    case (.float(let comparison, let key), .float(let leaf)):
      return RowMask.filled {
        fillFloatMask($0, base: leaf.base, count: count, comparison, key)
      }
    case (.orderedDouble(let comparison, let key), .double(let leaf)):
      return ColumnTest.ordered(leaf, count, comparison, key)
    case (.null(let isWanted), _):
      return ColumnTest.nulls(leaf, count).map { isWanted ? $0 : $0.inverted(count) }
    case (.link(let keys, let matchesNull, let isEqual), .link(let leaf, _)):
      return ColumnTest.links(leaf, count, keys, matchesNull, isEqual)
    default: return nil
    }
  }

  private static func nulls(_ leaf: IntegerLeaf, _ count: Int, _ isNullable: Bool) -> RowMask {
    guard isNullable else { return leaf.nullRows(count) }
    return leaf.equal(count, 3)
  }

  /// The nulls of a leaf; nil where they have to be looked at one by one.
  private static func nulls(_ leaf: ColumnLeaf, _ count: Int) -> RowMask? {
    switch leaf {
    case .int(let leaf): leaf.nullRows(count)
    case .bool(let leaf, let isNullable): nulls(leaf, count, isNullable)
    case .date(let leaf): leaf.seconds.nullRows(count)
    case .double(let leaf):
      leaf.isNullable
        ? RowMask.filled {
          fillDoubleEqualBitsMask(
            $0, base: leaf.base, count: count, FloatingLeaf<Double>.nullPattern)
        } : .empty
    case .float(let leaf):
      leaf.isNullable
        ? RowMask.filled {
          fillFloatEqualBitsMask(
            $0, base: leaf.base, count: count, FloatingLeaf<Float>.nullPattern)
        } : .empty
    case .link(let leaf, _): leaf.noLinks(count)
    default: nil
    }
  }

  /// Doubles in the total order: what IEEE 754 says, and NaN below all numbers.
  private static func ordered(
    _ leaf: FloatingLeaf<Double>, _ count: Int, _ comparison: Comparison, _ key: Double
  ) -> RowMask {
    let mask = RowMask.filled {
      fillDoubleMask($0, base: leaf.base, count: count, comparison, key)
    }
    guard comparison == .less || comparison == .lessOrEqual else { return mask }
    let numbers = RowMask.filled {
      fillDoubleMask($0, base: leaf.base, count: count, .lessOrEqual, .infinity)
    }
    let noNumbers = numbers.inverted(count)
    if noNumbers.isEmpty { return mask }
    return mask | noNumbers.subtracting(nulls(.double(leaf), count) ?? .empty)
  }

  private static func dates(
    _ leaf: TimestampLeaf, _ count: Int, _ comparison: Comparison, _ key: Timestamp
  ) -> RowMask {
    let equalSeconds = leaf.seconds.mask(count, .equal, key.seconds)
    var matching: RowMask
    switch comparison {
    case .equal: matching = .empty
    case .notEqual: matching = equalSeconds.inverted(count)
    case .less, .lessOrEqual: matching = leaf.seconds.mask(count, .less, key.seconds)
    case .greater, .greaterOrEqual: matching = leaf.seconds.mask(count, .greater, key.seconds)
    }
    if equalSeconds.isEmpty { return matching }
    for word in 0..<4 {
      var rest = equalSeconds.words[word]
      while rest != 0 {
        let row = word &* 64 &+ rest.trailingZeroBitCount
        let part = leaf.nanoseconds?.value(at: row) ?? 0
        if comparison.holds(part, Int64(key.nanoseconds)) { matching.insert(row) }
        rest &= rest &- 1
      }
    }
    return matching
  }

  private static func links(
    _ leaf: IntegerLeaf, _ count: Int, _ keys: [Int64], _ matchesNull: Bool, _ isEqual: Bool
  ) -> RowMask {
    let nulls = leaf.noLinks(count)
    let found = RowMask.filled { out in
      keys.withUnsafeBufferPointer {
        leaf.packed.fillMaskAny(out, from: leaf.first, count: count, sortedKeys: $0)
      }
    }
    let matching = isEqual ? found : found.inverted(count).subtracting(nulls)
    return matchesNull ? matching | nulls : matching
  }
}

extension IntegerLeaf {
  @inline(__always)
  fileprivate func equal(_ count: Int, _ key: Int64) -> RowMask {
    RowMask.filled { packed.fillMask($0, from: first, count: count, .equal, key) }
  }

  /// The rows that are null.
  @inline(__always)
  func nullRows(_ count: Int) -> RowMask { nullValue.map { equal(count, $0) } ?? .empty }

  /// The rows of a leaf of links that have none: links are stored as their key + 1.
  fileprivate func noLinks(_ count: Int) -> RowMask {
    RowMask.filled { packed.fillMask($0, from: first, count: count, .lessOrEqual, 0) }
  }

  /// The rows that are not null and compare as wanted, and for `notEqual` the nulls.
  @inline(__always)
  fileprivate func mask(_ count: Int, _ comparison: Comparison, _ key: Int64) -> RowMask {
    let mask = RowMask.filled {
      packed.fillMask($0, from: first, count: count, comparison, key)
    }
    guard nullValue != nil else { return mask }
    return comparison == .notEqual ? mask | nullRows(count) : mask.subtracting(nullRows(count))
  }
}

extension ColumnTest.Kind {
  /// Where the ints, or the seconds of the dates, that match are; nil if others match as well.
  var interval: ClosedRange<Int64>? {
    switch self {
    case .int(let comparison, let key): Self.interval(comparison, key)
    case .intBetween(let low, let high): low <= high ? low...high : nil
    case .intAny(let keys, matchesNull: false):
      keys.first.flatMap { first in keys.last.map { first...$0 } }
    case .date(let comparison, let key): Self.interval(comparison, key.seconds)
    default: nil
    }
  }

  private static func interval(_ comparison: Comparison, _ key: Int64) -> ClosedRange<Int64>? {
    switch comparison {
    case .equal: key...key
    case .less, .lessOrEqual: .min...key
    case .greater, .greaterOrEqual: key ... .max
    case .notEqual: nil
    }
  }
}
