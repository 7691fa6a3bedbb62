import RealmValues

/// The change set of a transaction: what other processes tell their observers.
///
/// Values are not recorded, only what has changed. Instructions work on the table and the collection
/// that were selected last.
///
/// Source: file-format-writing.md 5.
struct InstructionLog {
  /// A list, set or dictionary of an object.
  struct Collection: Equatable {
    var table: TableKey
    var column: ColumnKey
    var object: ObjectKey
  }

  private(set) var bytes: [UInt8] = []
  private var table: TableKey?
  private var collection: Collection?

  /// Adds numbers, each in groups of seven bits, the lowest first; the last group has a sign bit.
  private mutating func put(_ first: Int64, _ numbers: Int64...) {
    put(first)
    for number in numbers { put(number) }
  }

  @inline(__always)
  private mutating func put(_ number: Int64) {
    var rest = number < 0 ? ~number : number
    while rest >> 6 != 0 {
      bytes.append(0x80 | UInt8(truncatingIfNeeded: rest & 0x7F))
      rest >>= 7
    }
    bytes.append((number < 0 ? 0x40 : 0) | UInt8(truncatingIfNeeded: rest))
  }

  private mutating func select(_ table: TableKey) {
    guard self.table != table else { return }
    put(10, 0, Int64(table.rawValue))
    (self.table, collection) = (table, nil)
  }

  private mutating func select(_ collection: Collection) {
    guard self.collection != collection else { return }
    select(collection.table)
    put(30, number(collection.column), collection.object.rawValue)
    self.collection = collection
  }

  private func number(_ column: ColumnKey) -> Int64 { Int64(bitPattern: column.rawValue) }

  /// What happened to a table as a whole.
  enum TableChange: Int64 {
    case insert = 1
    case erase, rename
  }

  mutating func add(_ change: TableChange, _ table: TableKey) {
    put(change.rawValue, Int64(table.rawValue))
    (self.table, collection) = (nil, nil)
  }

  /// What happened to a column.
  enum ColumnChange: Int64 {
    case insert = 20
    case erase, rename
  }

  mutating func add(_ change: ColumnChange, _ table: TableKey, _ column: ColumnKey) {
    select(table)
    put(change.rawValue, number(column))
  }

  /// A hidden column of backlinks was added to a table.
  mutating func addTarget(_ target: TableKey, of column: ColumnKey, _ table: TableKey) {
    select(table)
    put(43, number(column), Int64(target.rawValue))
  }

  mutating func addCreation(_ object: ObjectKey, in table: TableKey) {
    select(table)
    put(11)
    put(object.rawValue)
  }

  mutating func addRemoval(_ object: ObjectKey, from table: TableKey) {
    select(table)
    put(12, object.rawValue)
  }

  mutating func addRemovals(_ objects: [ObjectKey], from table: TableKey) {
    for object in objects { addRemoval(object, from: table) }
  }

  /// A property that is not a collection was set for many objects.
  mutating func addSets(_ table: TableKey, _ column: ColumnKey, _ objects: [ObjectKey]) {
    reserveSets(column, objects.count)
    for start in stride(from: 0, to: objects.count, by: InstructionLog.mostAtOnce) {
      let part = objects[start..<min(objects.count, start + InstructionLog.mostAtOnce)]
      addSets(table, column, part.count) { part[start &+ $0].rawValue }
    }
  }

  private static let mostAtOnce = 256

  /// Makes room for many sets that are to follow.
  mutating func reserveSets(_ column: ColumnKey, _ count: Int) {
    bytes.reserveCapacity(bytes.count + count * 12)
  }

  /// A property was set for some objects; they are asked for by position.
  @inline(__always)
  mutating func addSets(
    _ table: TableKey, _ column: ColumnKey, _ count: Int, _ key: (Int) -> Int64
  ) {
    guard count > 0 else { return }
    select(table)
    let start = bytes.count
    put(13, number(column))
    // At most 11 bytes, which are written as two words that overlap the key behind them.
    var words: (UInt64, UInt64) = (0, 0)
    let length = bytes.count - start
    withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes[start...]) }
    bytes.removeLast(length)
    let most = length + InstructionLog.mostBytesOfNumber
    withUnsafeTemporaryAllocation(byteCount: count * most + 16, alignment: 8) { buffer in
      guard var place = buffer.baseAddress else { return }
      for i in 0..<count {
        place.storeBytes(of: words.0, as: UInt64.self)
        place.storeBytes(of: words.1, toByteOffset: 8, as: UInt64.self)
        place = InstructionLog.put(key(i), at: place + length)
      }
      let used = buffer.baseAddress.map { place - $0 } ?? 0
      bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<used]))
    }
  }

  private static let mostBytesOfNumber = 10

  /// Writes a number as `put` adds one; returns where it ends.
  @inline(__always)
  private static func put(
    _ number: Int64, at start: UnsafeMutableRawPointer
  ) -> UnsafeMutableRawPointer {
    var (rest, place) = (number < 0 ? ~number : number, start)
    while rest &>> 6 != 0 {
      place.storeBytes(of: 0x80 | UInt8(truncatingIfNeeded: rest & 0x7F), as: UInt8.self)
      place += 1
      rest &>>= 7
    }
    place.storeBytes(
      of: (number < 0 ? 0x40 : 0) | UInt8(truncatingIfNeeded: rest), as: UInt8.self)
    return place + 1
  }

  /// A property that is not a collection was set.
  mutating func addSet(_ table: TableKey, _ column: ColumnKey, _ object: ObjectKey) {
    select(table)
    put(13, number(column), object.rawValue)
  }

  /// What happened to an element of a collection; for sets and dictionaries the index is that in
  /// ascending order.
  enum ElementChange {
    case insert(Int)
    case set(Int)
    case move(Int, Int)
    case erase(Int)
    case clear(oldCount: Int)
  }

  /// What happened to a collection that was written again as a whole.
  mutating func add(
    _ changes: [TransactionChanges.ElementChange], to collection: Collection
  ) {
    select(collection)
    for change in changes {
      switch change {
      case .insert(let index): add(.insert(index), to: collection)
      case .set(let index): add(.set(index), to: collection)
      case .move(let from, let to): add(.move(from, to), to: collection)
      case .erase(let index): add(.erase(index), to: collection)
      case .clear(let oldCount): add(.clear(oldCount: oldCount), to: collection)
      }
    }
  }

  mutating func add(_ change: ElementChange, to collection: Collection) {
    select(collection)
    switch change {
    case .insert(let index): put(31, Int64(index))
    case .set(let index): put(32, Int64(index))
    case .move(let from, let to): put(33, Int64(from), Int64(to))
    case .erase(let index): put(35, Int64(index))
    case .clear(let oldCount): put(36, Int64(oldCount))
    }
  }
}
