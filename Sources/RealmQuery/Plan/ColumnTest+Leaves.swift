import ByteKernels
import RealmStorage
import RealmValues

extension ColumnTest {
  /// Rank among the conditions of an AND or OR: the greater, the more work for each row.
  var cost: Int {
    switch kind {
    case .int, .intBetween, .intAny, .double, .float: 1
    case .null: 2
    case .link, .date: 3
    case .text: 10
    default: 20
    }
  }

  /// The rows of `rows` that match, in the present block of the cursor.
  func matches(_ rows: RowMask, _ cursor: TableCursor, _ i: Int) throws(QueryFailure) -> RowMask {
    do throws(StorageError) {
      let leaf = try cursor.leaf(i)
      if let mask = fastMatches(leaf, cursor.count) { return rows & mask }
      var result = rows
      for word in 0..<4 {
        var rest = rows.words[word]
        while rest != 0 {
          let row = word &* 64 &+ rest.trailingZeroBitCount
          if !matches(QueryValue(try leaf.value(at: row))) { result.remove(row) }
          rest &= rest &- 1
        }
      }
      return result
    } catch { throw .storage(error) }
  }

  /// The matching rows of a leaf, if there is a kernel for it.
  private func fastMatches(_ leaf: ColumnLeaf, _ count: Int) -> RowMask? {
    switch (kind, leaf) {
    case (.int(let comparison, let key), .int(let leaf)):
      return ColumnTest.compare(leaf, count, comparison, key)
    case (.intBetween(let low, let high), .int(let leaf)):
      let mask = RowMask.filled {
        leaf.packed.fillMaskBetween($0, from: leaf.first, count: count, low, high)
      }
      guard let null = leaf.nullValue, low <= null, null <= high else { return mask }
      return mask.subtracting(ColumnTest.nulls(leaf, count))
    case (.intAny(let keys, let matchesNull), .int(let leaf)):
      var mask = RowMask.filled { out in
        keys.withUnsafeBufferPointer {
          leaf.packed.fillMaskAny(out, from: leaf.first, count: count, sortedKeys: $0)
        }
      }
      guard leaf.nullValue != nil else { return mask }
      let nulls = ColumnTest.nulls(leaf, count)
      mask = mask.subtracting(nulls)
      return matchesNull ? mask | nulls : mask
    case (.double(let comparison, let key), .double(let leaf)):
      return RowMask.filled {
        fillDoubleMask($0, base: leaf.base, count: count, comparison, key)
      }
    case (.float(let comparison, let key), .float(let leaf)):
      return RowMask.filled {
        fillFloatMask($0, base: leaf.base, count: count, comparison, key)
      }
    default: return nil
    }
  }

  /// The nulls of a leaf of ints.
  private static func nulls(_ leaf: IntegerLeaf, _ count: Int) -> RowMask {
    guard let null = leaf.nullValue else { return .empty }
    return RowMask.filled {
      leaf.packed.fillMask($0, from: leaf.first, count: count, .equal, null)
    }
  }

  @inline(__always)
  private static func compare(
    _ leaf: IntegerLeaf, _ count: Int, _ comparison: Comparison, _ key: Int64
  ) -> RowMask {
    let mask = RowMask.filled {
      leaf.packed.fillMask($0, from: leaf.first, count: count, comparison, key)
    }
    guard leaf.nullValue != nil else { return mask }
    let nulls = nulls(leaf, count)
    return comparison == .notEqual ? mask | nulls : mask.subtracting(nulls)
  }
}
