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

  /// The rows of the present block of a cursor that may be in the result.
  ///
  /// - Precondition: The first column of the cursor is the one at `position`.
  func narrow(_ rows: RowMask, _ cursor: TableCursor) throws(StorageError) -> RowMask {
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
    _ rows: RowMask, _ cursor: TableCursor
  ) throws(StorageError) -> RowMask {
    guard let bound else { return rows }
    let isAscending = paths[0].isAscending
    @inline(__always) func isBelow(_ code: SortCode) -> Bool {
      let (a, b) = isAscending ? (code, bound) : (bound, code)
      return a.rank < b.rank || a.rank == b.rank && a.prefix <= b.prefix
    }
    if let leaf = try cursor.ints(0) {
      return rows.filter { isBelow(leaf.value(at: $0).map { SortCode($0) } ?? .null) }
    }
    if let leaf = try cursor.doubles(0) {
      return rows.filter { isBelow(leaf.value(at: $0).map { SortCode($0) } ?? .null) }
    }
    if let leaf = try cursor.dates(0) {
      return rows.filter { isBelow(leaf.seconds.value(at: $0).map { SortCode($0) } ?? .null) }
    }
    guard let leaf = try cursor.strings(0) else { return rows }
    if let (base, width) = leaf.shortElements {
      let texts = ShortTexts(
        base: base, width: width, count: cursor.count, isNullable: paths[0].property.isNullable)
      return rows.filter { isBelow(texts.text(at: $0).map { SortCode($0) } ?? .null) }
    }
    return try rows.filter { (row) throws(StorageError) in
      isBelow(try leaf.value(at: row).map { SortCode($0) } ?? .null)
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
  /// A value: an int, or an element of a short text.
  private struct Known {
    /// The int, or the first and the last eight bytes.
    var first: UInt64
    var last: UInt64
    /// The width of an element; 0 for an int, -1 in a free place.
    var width: Int
    /// The element; nil for an int.
    var element: UnsafeRawPointer?

    @inline(__always)
    init(number: Int64) {
      (first, last, width) = (UInt64(bitPattern: number), 0, 0)
    }

    @inline(__always)
    init(_ element: UnsafeRawPointer, _ width: Int) {
      (self.element, self.width) = (element, width)
      if width >= 8 {
        first = element.loadUnaligned(as: UInt64.self)
        last = element.loadUnaligned(fromByteOffset: width &- 8, as: UInt64.self)
      } else {
        first = SortColumn.word(UnsafeRawBufferPointer(start: element, count: width), at: 0)
        last = 0
      }
    }

    @inline(__always)
    static func == (a: Known, b: Known) -> Bool {
      guard a.first == b.first, a.last == b.last, a.width == b.width else { return false }
      guard a.width > 16, let x = a.element, let y = b.element else { return true }
      return memcmp(x, y, a.width) == 0
    }
  }

  private static let placeCount = 4096
  /// Places in which a value can be.
  private static let ways = 4

  private let places = UnsafeMutablePointer<Known>.allocate(capacity: placeCount + ways)

  override init(position: Int) {
    super.init(position: position)
    var free = Known(number: 0)
    free.width = -1
    places.initialize(
      repeating: free, count: FirstOfGroupFilter.placeCount + FirstOfGroupFilter.ways)
  }

  deinit { places.deallocate() }

  override func narrow(
    _ rows: RowMask, _ cursor: TableCursor
  ) throws(StorageError) -> RowMask {
    if let leaf = try cursor.ints(0) {
      return rows.filter { row in leaf.value(at: row).map { isNew(Known(number: $0)) } ?? true }
    }
    guard let (base, width) = try cursor.strings(0)?.shortElements else { return rows }
    if width == 16 { return rows.filter { isNew(Known(base + $0 &* 16, 16)) } }
    return rows.filter { isNew(Known(base + $0 &* width, width)) }
  }

  @inline(__always)
  private func isNew(_ value: Known) -> Bool {
    let start =
      Int(truncatingIfNeeded: SortColumn.mix(value.first ^ (value.last &<< 23 | value.last &>> 41)))
      & (FirstOfGroupFilter.placeCount &- 1)
    for place in start..<start &+ FirstOfGroupFilter.ways {
      if places[place] == value { return false }
      if places[place].width < 0 {
        places[place] = value
        return true
      }
    }
    return true
  }
}
