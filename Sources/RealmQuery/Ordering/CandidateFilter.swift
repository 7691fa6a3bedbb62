import ByteKernels
import Glibc
import RealmObjects
import RealmStorage
import RealmValues

/// Leaves out, while objects are collected, most of those that the first clause would drop.
///
/// What is left is ordered by the clauses in the ordinary way: a filter may keep too many.
class CandidateFilter {
  /// Position of the property it looks at.
  let position: Int

  init(position: Int) { self.position = position }

  /// The rows of a block that may be in the result.
  func narrow(
    _ rows: RowMask, _ leaf: ColumnLeaf, _ count: Int
  ) throws(StorageError) -> RowMask {
    preconditionFailure("abstract")
  }

  /// Drops objects collected so far that have become superfluous.
  func prune(_ keys: inout [ObjectKey], _ run: QueryRun) throws(QueryFailure) {}
}

extension Ordering {
  /// The filter that suits the first clauses; nil if there is none.
  func makeFilter() -> CandidateFilter? {
    guard failure == nil, let clause = clauses.first else { return nil }
    switch clause {
    case .distinct(let paths):
      guard paths.count == 1, paths[0].isPlain else { return nil }
      switch paths[0].property.kind {
      case .string, .int: return FirstOfGroupFilter(position: paths[0].property.position)
      default: return nil
      }
    case .sort(let paths):
      guard let limit = neededCount(from: 1), limit > 0, limit <= LeastFilter.maximumLimit,
        let path = paths.first, path.isPlain
      else { return nil }
      switch path.property.kind {
      case .int, .double, .string, .date: return LeastFilter(paths, limit)
      default: return nil
      }
    case .limit, .offset: return nil
    }
  }
}

extension OrderingPath {
  /// Whether it is a property of the object itself.
  fileprivate var isPlain: Bool { steps.isEmpty && key == nil }
}

/// Keeps the rows that may be among the first ones of a sort.
private final class LeastFilter: CandidateFilter {
  static let maximumLimit = 10_000
  /// Objects are collected until there are so many for each that is wanted, at least the second.
  private static let slack = 4
  private static let leastCount = 1024

  private let paths: [OrderingPath]
  private let limit: Int
  /// What the last one of the best so far has.
  private var bound: SortCode?
  private let reader: PropertyReader

  init(_ paths: [OrderingPath], _ limit: Int) {
    self.paths = paths
    self.limit = limit
    reader = PropertyReader(paths[0].objectClass, position: paths[0].property.position)
    super.init(position: paths[0].property.position)
  }

  override func narrow(
    _ rows: RowMask, _ leaf: ColumnLeaf, _ count: Int
  ) throws(StorageError) -> RowMask {
    guard let bound else { return rows }
    let isAscending = paths[0].isAscending
    @inline(__always) func isBelow(_ code: SortCode) -> Bool {
      let (a, b) = isAscending ? (code, bound) : (bound, code)
      return a.rank < b.rank || a.rank == b.rank && a.prefix <= b.prefix
    }
    switch leaf {
    case .int(let leaf):
      return rows.filter { isBelow(leaf.value(at: $0).map { SortCode($0) } ?? .null) }
    case .double(let leaf):
      return rows.filter { isBelow(leaf.value(at: $0).map { SortCode($0) } ?? .null) }
    case .date(let leaf):
      return rows.filter { isBelow(leaf.seconds.value(at: $0).map { SortCode($0) } ?? .null) }
    case .string(let leaf):
      if let (base, width) = leaf.shortElements {
        let texts = ShortTexts(
          base: base, width: width, count: count, isNullable: paths[0].property.isNullable)
        return rows.filter { isBelow(texts.text(at: $0).map { SortCode($0) } ?? .null) }
      }
      return try rows.filter { (row) throws(StorageError) in
        isBelow(try leaf.value(at: row).map { SortCode($0) } ?? .null)
      }
    default: return rows
    }
  }

  override func prune(_ keys: inout [ObjectKey], _ run: QueryRun) throws(QueryFailure) {
    guard keys.count >= max(LeastFilter.slack * limit, LeastFilter.leastCount) else { return }
    keys = try Sorting.apply(to: keys, by: paths, limit: limit, run)
    if let last = keys.last, let value = try reader.value(of: last) { bound = SortCode(value) }
    // Equal ones stay in the order of their keys.
    keys.sort()
  }
}

/// Keeps the rows whose value was not seen before, as far as that is remembered.
private final class FirstOfGroupFilter: CandidateFilter {
  private static let placeCount = 4096
  /// Places in which a value can be.
  private static let ways = 4

  /// Elements of short texts; nil in free places.
  private var texts = [UnsafeRawBufferPointer?](repeating: nil, count: placeCount + ways)
  private var numbers = [Int64?](repeating: nil, count: placeCount + ways)

  override func narrow(
    _ rows: RowMask, _ leaf: ColumnLeaf, _ count: Int
  ) throws(StorageError) -> RowMask {
    switch leaf {
    case .int(let leaf):
      return rows.filter { row in leaf.value(at: row).map { isNew($0) } ?? true }
    case .string(let leaf):
      guard let (base, width) = leaf.shortElements else { return rows }
      return texts.withUnsafeMutableBufferPointer { places in
        rows.filter { row in
          FirstOfGroupFilter.isNew(
            UnsafeRawBufferPointer(start: base + row &* width, count: width), places)
        }
      }
    default: return rows
    }
  }

  private func isNew(_ number: Int64) -> Bool {
    let hash = SortColumn.mix(UInt64(bitPattern: number))
    let start = Int(truncatingIfNeeded: hash) & (FirstOfGroupFilter.placeCount &- 1)
    for place in start..<start &+ FirstOfGroupFilter.ways {
      guard let known = numbers[place] else {
        numbers[place] = number
        return true
      }
      if known == number { return false }
    }
    return true
  }

  @inline(__always)
  private static func isNew(
    _ element: UnsafeRawBufferPointer, _ places: UnsafeMutableBufferPointer<UnsafeRawBufferPointer?>
  ) -> Bool {
    let hash = SortColumn.hash(element)
    let start = Int(truncatingIfNeeded: hash) & (placeCount &- 1)
    for place in start..<start &+ ways {
      guard let known = places[place] else {
        places[place] = element
        return true
      }
      if known.count == element.count, let a = known.baseAddress, let b = element.baseAddress,
        memcmp(a, b, known.count) == 0
      {
        return false
      }
    }
    return true
  }
}
