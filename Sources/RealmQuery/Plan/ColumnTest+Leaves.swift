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
    let leaf: ColumnLeaf
    do throws(StorageError) { leaf = try cursor.leaf(i) } catch { throw .storage(error) }
    if let mask = wholeLeaf(leaf, cursor.count) { return rows & mask }
    switch (kind, leaf) {
    case (.text(let condition, let pattern, let matchesNull), .string(let leaf)):
      let scan = TextScan(
        condition: condition, pattern: pattern, matchesNull: matchesNull, isNullable: isNullable)
      return try reading { () throws(StorageError) in
        try scan.matches(leaf, cursor.count, rows)
      }
    case (.target(let target, let matchesNull), .link(let leaf, _)):
      return try rows.filter { (row) throws(QueryFailure) in
        let key = leaf.packed[leaf.first &+ row] &- 1
        return try key < 0 ? matchesNull : target.matches(ObjectKey(key))
      }
    default:
      return try rows.filter { (row) throws(QueryFailure) in
        let value = try reading { () throws(StorageError) in try leaf.value(at: row) }
        return try matches(QueryValue(value))
      }
    }
  }

  /// The matching rows of a leaf, if all can be tested at once.
  private func wholeLeaf(_ leaf: ColumnLeaf, _ count: Int) -> RowMask? {
    switch (kind, leaf) {
    case (.int(let comparison, let key), .int(let leaf)):
      return leaf.mask(count, comparison, key)
    case (.intBetween(let low, let high), .int(let leaf)):
      let mask = RowMask.filled {
        leaf.packed.fillMaskBetween($0, from: leaf.first, count: count, low, high)
      }
      guard let null = leaf.nullValue, low <= null, null <= high else { return mask }
      return mask.subtracting(leaf.nullRows(count))
    case (.intAny(let keys, let matchesNull), .int(let leaf)):
      let mask = RowMask.filled { out in
        keys.withUnsafeBufferPointer {
          leaf.packed.fillMaskAny(out, from: leaf.first, count: count, sortedKeys: $0)
        }
      }
      guard leaf.nullValue != nil else { return mask }
      let nulls = leaf.nullRows(count)
      return matchesNull ? mask | nulls : mask.subtracting(nulls)
    case (.bool(let wanted, let isEqual), .bool(let leaf, let isNullable)):
      let nulls = ColumnTest.nulls(leaf, count, isNullable)
      let isTrue = RowMask.filled {
        leaf.packed.fillMask($0, from: leaf.first, count: count, .notEqual, 0)
      }
      let hits = (wanted ? isTrue : isTrue.inverted(count)).subtracting(nulls)
      return isEqual ? hits : hits.inverted(count)
    case (.double(let comparison, let key), .double(let leaf)):
      return RowMask.filled {
        fillDoubleMask($0, base: leaf.base, count: count, comparison, key)
      }
    case (.float(let comparison, let key), .float(let leaf)):
      return RowMask.filled {
        fillFloatMask($0, base: leaf.base, count: count, comparison, key)
      }
    case (.orderedDouble(let comparison, let key), .double(let leaf)):
      return ColumnTest.ordered(leaf, count, comparison, key)
    case (.date(let comparison, let key), .date(let leaf)):
      return ColumnTest.dates(leaf, count, comparison, key)
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
