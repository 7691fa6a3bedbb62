import ByteKernels

/// The leaves of one column that have been read: one for each leaf of the table, or the last one.
///
/// The frequent kinds of leaves are stored as what they are and read in place: a `ColumnLeaf` takes
/// longer to copy than most of them to scan. Belongs to whoever made it.
struct LeafColumn {
  /// Which type the stored leaves have.
  private enum Form { case int, double, string, date, other }

  let type: LeafType
  /// Position in a cluster leaf.
  let slot: Int
  private let form: Form
  /// Number of leaves for which there is room.
  private let capacity: Int
  private let storage: UnsafeMutableRawPointer
  private let isRead: UnsafeMutablePointer<Bool>
  /// The ranges of kept ints and dates, initialised where `hasRange` says so.
  private let ranges: UnsafeMutablePointer<ValueRange>
  private let hasRange: UnsafeMutablePointer<Bool>
  private let rangeCount: Int

  /// Whether leaves of the type may be kept: the others take too much room.
  static func isKept(_ type: LeafType) -> Bool { form(type) != .other }

  private static func form(_ type: LeafType) -> Form {
    switch type.layout {
    case .int: .int
    case .double: .double
    case .string: .string
    case .date, .oldDate: .date
    default: .other
    }
  }

  /// - Parameter isKept: Whether there is room for all leaves of the table, of which there are
  ///   `capacity`; else for one.
  init(_ type: LeafType, slot: Int, capacity: Int, isKept: Bool) {
    (self.type, self.slot, self.capacity) = (type, slot, isKept ? capacity : 1)
    form = LeafColumn.form(type)
    // No leaf has anything to destroy.
    let stride =
      switch form {
      case .int: MemoryLayout<IntegerLeaf>.stride
      case .double: MemoryLayout<FloatingLeaf<Double>>.stride
      case .string: MemoryLayout<StringLeaf>.stride
      case .date: MemoryLayout<TimestampLeaf>.stride
      case .other: MemoryLayout<ColumnLeaf>.stride
      }
    storage = .allocate(byteCount: stride * capacity, alignment: 16)
    isRead = .allocate(capacity: capacity)
    isRead.initialize(repeating: false, count: capacity)
    rangeCount = isKept && (form == .int || form == .date) ? capacity : 0
    ranges = .allocate(capacity: rangeCount)
    hasRange = .allocate(capacity: rangeCount)
    hasRange.initialize(repeating: false, count: rangeCount)
  }

  func deallocate() {
    storage.deallocate()
    isRead.deallocate()
    ranges.deallocate()
    hasRange.deallocate()
  }

  /// Where the leaf of the index-th leaf of the table is.
  @inline(__always)
  private func place(_ index: Int) -> Int { capacity == 1 ? 0 : index }

  @inline(__always)
  private func leaves<Leaf>(of type: Leaf.Type) -> UnsafeMutablePointer<Leaf> {
    storage.assumingMemoryBound(to: type)
  }

  @inline(__always)
  func isRead(_ index: Int) -> Bool { isRead[place(index)] }

  func forget(_ index: Int) { isRead[place(index)] = false }

  func set(_ leaf: ColumnLeaf, _ index: Int) {
    let place = place(index)
    switch (form, leaf) {
    case (.int, .int(let leaf)): leaves(of: IntegerLeaf.self)[place] = leaf
    case (.double, .double(let leaf)): leaves(of: FloatingLeaf<Double>.self)[place] = leaf
    case (.string, .string(let leaf)): leaves(of: StringLeaf.self)[place] = leaf
    case (.date, .date(let leaf)): leaves(of: TimestampLeaf.self)[place] = leaf
    default:
      precondition(form == .other, "a leaf follows the layout of its column")
      leaves(of: ColumnLeaf.self)[place] = leaf
    }
    isRead[place] = true
  }

  // MARK: Leaves that have been read; nil if the column is of another kind

  @inline(__always)
  func int(_ index: Int) -> IntegerLeaf? {
    form == .int ? leaves(of: IntegerLeaf.self)[place(index)] : nil
  }

  @inline(__always)
  func double(_ index: Int) -> FloatingLeaf<Double>? {
    form == .double ? leaves(of: FloatingLeaf<Double>.self)[place(index)] : nil
  }

  @inline(__always)
  func string(_ index: Int) -> StringLeaf? {
    form == .string ? leaves(of: StringLeaf.self)[place(index)] : nil
  }

  @inline(__always)
  func date(_ index: Int) -> TimestampLeaf? {
    form == .date ? leaves(of: TimestampLeaf.self)[place(index)] : nil
  }

  @inline(__always)
  func range(_ index: Int) -> ValueRange? {
    // Before version 10 there is no index: -1.
    guard index >= 0, index < rangeCount else { return nil }
    if !hasRange[index] { findRange(index) }
    return ranges[index]
  }

  @inline(never)
  private func findRange(_ index: Int) {
    ranges[index] = ValueRange(int(index) ?? date(index)?.seconds)
    hasRange[index] = true
  }

  /// The value of a row of a leaf that has been read; nil if the leaf is not of a frequent kind.
  @inline(__always)
  func frequentValue(_ index: Int, at row: Int) throws(StorageError) -> StoredValue? {
    let place = place(index)
    switch form {
    case .int: return leaves(of: IntegerLeaf.self)[place].value(at: row).map { .int($0) } ?? .null
    case .double:
      return leaves(of: FloatingLeaf<Double>.self)[place].value(at: row).map { .double($0) }
        ?? .null
    case .string:
      return try leaves(of: StringLeaf.self)[place].value(at: row).map { .string($0) } ?? .null
    case .date:
      return try leaves(of: TimestampLeaf.self)[place].value(at: row).map { .date($0) } ?? .null
    case .other: return nil
    }
  }

  func leaf(_ index: Int) -> ColumnLeaf {
    let place = place(index)
    switch form {
    case .int: return .int(leaves(of: IntegerLeaf.self)[place])
    case .double: return .double(leaves(of: FloatingLeaf<Double>.self)[place])
    case .string: return .string(leaves(of: StringLeaf.self)[place])
    case .date: return .date(leaves(of: TimestampLeaf.self)[place])
    case .other: return leaves(of: ColumnLeaf.self)[place]
    }
  }

  /// What a scan of a leaf reads.
  @inline(__always)
  func bytes(_ index: Int) -> UnsafeRawBufferPointer {
    let place = place(index)
    switch form {
    case .int: return leaves(of: IntegerLeaf.self)[place].packed.bytes
    case .double:
      let leaf = leaves(of: FloatingLeaf<Double>.self)[place]
      return UnsafeRawBufferPointer(start: leaf.base, count: leaf.count &* 8)
    case .string: return leaves(of: StringLeaf.self)[place].bytes
    case .date: return leaves(of: TimestampLeaf.self)[place].seconds.packed.bytes
    case .other: return UnsafeRawBufferPointer(start: nil, count: 0)
    }
  }
}

/// The least and the greatest of some ints.
@frozen
public struct ValueRange {
  /// The least; greater than `greatest` if there is none.
  public private(set) var least: Int64
  /// The greatest.
  public private(set) var greatest: Int64

  /// Of the values of a leaf without its nulls.
  init(_ leaf: IntegerLeaf?) {
    (least, greatest) = (.max, .min)
    guard let leaf else { return }
    let (packed, start, count) = (leaf.packed, leaf.first, leaf.count)
    guard let first = packed.minimum(from: start, count: count),
      let last = packed.maximum(from: start, count: count)
    else { return }
    guard let null = leaf.nullValue, null == first || null == last else {
      (least, greatest) = (first, last)
      return
    }
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: maskWordCount(count)) { mask in
      guard let mask = mask.baseAddress else { return }
      packed.fillMask(mask, from: start, count: count, .notEqual, null)
      least = packed.minimum(from: start, count: count, mask: mask) ?? .max
      greatest = packed.maximum(from: start, count: count, mask: mask) ?? .min
    }
  }
}
