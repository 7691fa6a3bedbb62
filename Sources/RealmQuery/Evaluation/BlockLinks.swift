import ByteKernels
import RealmObjects
import RealmStorage
import RealmValues

/// Follows one link step from whole blocks of objects.
final class BlockLinks {
  /// Positions of the columns that a block should have.
  let columns: [Int]
  private let links: LinkBlock
  private let backlink: StoredBacklink?
  private let table: StoredTable
  private let run: QueryRun
  private let counts: UnsafeMutablePointer<Int64>

  /// Nil for steps that lead to a chosen element or through a dictionary.
  init?(_ step: LinkStep, _ run: QueryRun) {
    guard !step.isNarrowed else { return nil }
    let source: LinkBlock.Source
    switch step.kind {
    case .single, .list, .set:
      source = .column(step.property.position)
      columns = [step.property.position]
      backlink = nil
    case .backlinks(let backlink):
      source = .backlinks(backlink)
      columns = []
      self.backlink = backlink
    case .dictionary: return nil
    }
    guard let links = LinkBlock(step.origin.table, source) else { return nil }
    self.links = links
    table = step.origin.table
    self.run = run
    counts = .allocate(capacity: RowMask.capacity)
  }

  deinit { counts.deallocate() }

  /// Calls `body` with the links of each of some rows of a block, in ascending order.
  @inline(__always)
  func forEachRow(
    _ rows: RowMask, _ cursor: TableCursor,
    _ body: (Int, UnsafeBufferPointer<Int64>) throws(QueryFailure) -> Void
  ) throws(QueryFailure) {
    var row = 0
    while row < cursor.count {
      let first = row
      var failure: StorageError?
      row = rows.withWords { words in
        do throws(StorageError) { return try links.read(cursor, from: first, words) } catch {
          failure = error
          return first
        }
      }
      if let failure { throw .storage(failure) }
      for row in first..<row where rows.contains(row) {
        let links = links.links(of: row)
        try run.visit(links.count)
        try body(row, links)
      }
    }
  }

  /// Calls `body` with the number of links of each of some rows of a block, in ascending order.
  @inline(__always)
  func forEachCount(
    _ rows: RowMask, _ cursor: TableCursor,
    _ body: (Int, Int64) throws(QueryFailure) -> Void
  ) throws(QueryFailure) {
    guard let backlink else {
      return try forEachRow(rows, cursor) { (row, links) throws(QueryFailure) in
        try body(row, Int64(links.count))
      }
    }
    do throws(StorageError) {
      try table.countBacklinks(backlink, cursor, counts)
    } catch { throw .storage(error) }
    try rows.forEachRow { (row) throws(QueryFailure) in try body(row, counts[row]) }
  }
}

/// The ints of a property of all objects of a class, by the keys of the objects.
///
/// Read when enough are asked for, if the class is not too large.
final class GatheredInts {
  private let objectClass: ObjectClass
  private let position: Int
  private let run: QueryRun
  private var isRead = false
  private var askedCount = 0
  private var numbers: Numbers?

  /// Reading a number by its leaf is so much quicker than finding its object.
  private static let advantage = 64

  /// Most keys.
  private static let maximumCount = 1 << 24

  init(_ objectClass: ObjectClass, _ position: Int, _ run: QueryRun) {
    self.objectClass = objectClass
    self.position = position
    self.run = run
  }

  /// The numbers by the keys of their objects.
  struct Numbers {
    fileprivate var values: [Int64] = []
    /// Which keys have one.
    fileprivate var isPresent: [UInt64] = []
    /// Whether the keys have the gap of classes without a primary key. Source:
    /// file-format-writing.md 8.4.
    fileprivate let hasGap: Bool

    /// Where the number of an object is; negative if its key has something in the gap.
    @inline(__always)
    fileprivate func place(_ key: Int64) -> Int {
      guard hasGap else { return Int(truncatingIfNeeded: key) }
      return key & 0xFF00 == 0 ? Int(truncatingIfNeeded: key & 0xFF | key &>> 8 & ~0xFF) : -1
    }

    /// The number of an object; nil if it is null or there is no such object.
    @inline(__always)
    subscript(_ key: Int64) -> Int64? {
      let i = place(key)
      guard UInt(bitPattern: i) < UInt(bitPattern: values.count),
        isPresent[i &>> 6] &>> UInt64(truncatingIfNeeded: i & 63) & 1 != 0
      else { return nil }
      return values[i]
    }
  }

  /// All numbers; nil as long as it is quicker to read them one by one, or if that is necessary.
  ///
  /// - Parameter rowCount: For so many rows they are asked for this time.
  func value(for rowCount: Int) throws(QueryFailure) -> Numbers? {
    if isRead { return numbers }
    askedCount += rowCount
    let count = try reading { () throws(StorageError) in try objectClass.table.objectCount() }
    guard askedCount >= count / GatheredInts.advantage else { return nil }
    isRead = true
    let column = objectClass.table.columns[position]
    if column.kind == .int, column.collection == .none, !column.isNullable,
      count <= GatheredInts.maximumCount
    {
      if objectClass.primaryKey == nil { numbers = try readAll(hasGap: true) }
      if numbers == nil { numbers = try readAll(hasGap: false) }
    }
    return numbers
  }

  private func readAll(hasGap: Bool) throws(QueryFailure) -> Numbers? {
    var numbers = Numbers(hasGap: hasGap)
    let cursor = try reading { () throws(StorageError) in
      try TableCursor(objectClass.table, columns: [position])
    }
    while try reading({ () throws(StorageError) in try cursor.next() }) {
      try run.visit(cursor.count)
      guard cursor.count > 0 else { continue }
      let keys = cursor.keys
      let last = numbers.place(keys[cursor.count - 1].rawValue)
      guard last < GatheredInts.maximumCount else { return nil }
      let missing = last + 1 - numbers.values.count
      guard missing > 0 else { return nil }
      numbers.values.append(contentsOf: repeatElement(0, count: missing))
      let words = (numbers.values.count + 63) / 64
      numbers.isPresent.append(
        contentsOf: repeatElement(0, count: words - numbers.isPresent.count))
      let leaf = try reading { () throws(StorageError) in try cursor.ints(0) }
      guard let leaf else { return nil }
      for row in 0..<cursor.count {
        let place = numbers.place(keys[row].rawValue)
        guard place >= 0, place < numbers.values.count else { return nil }
        numbers.values[place] = leaf.packed[leaf.first &+ row]
        numbers.isPresent[place &>> 6] |= 1 &<< UInt64(truncatingIfNeeded: place & 63)
      }
    }
    return numbers
  }
}
