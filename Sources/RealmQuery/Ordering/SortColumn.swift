import RealmObjects
import RealmStorage
import RealmValues

/// The values of one criterion for many objects, as numbers that compare in their order.
final class SortColumn {
  private typealias Rank = SortCode.Rank

  /// What decides between values with equal ranks and prefixes.
  private enum Rest {
    /// Nothing: the prefix is the whole value.
    case none
    /// The second eight bytes, the length, and the text itself if it is longer than both.
    case text
    case nanoseconds
    case values
  }

  /// Number of objects.
  let count: Int
  /// Kind of each value, inverted in descending order.
  let ranks: UnsafeMutablePointer<UInt8>
  /// The first 64 bits of each value, inverted in descending order.
  let prefixes: UnsafeMutablePointer<UInt64>
  // What `rest` needs, else without room. Constants, so that reading them costs no check.
  private let seconds: UnsafeMutablePointer<UInt64>
  private let texts: UnsafeMutablePointer<UnsafeRawBufferPointer>
  private let nanoseconds: UnsafeMutablePointer<Int32>
  private let values: UnsafeMutablePointer<QueryValue>
  private var rest: Rest
  private let isAscending: Bool
  private let isNullable: Bool

  /// Whether rank and prefix tell the whole order.
  var isExact: Bool { rest == .none }

  /// The rank of what has a value.
  var valueRank: UInt8 { isAscending ? Rank.value : ~Rank.value }

  /// The least and greatest prefix of what has a value, if all else stands at one place below them
  /// and one above; nil otherwise, and if nothing has a value.
  var prefixRange: ClosedRange<UInt64>? {
    var (least, greatest) = (UInt64.max, UInt64.min)
    var (below, above) = (UInt8.max, UInt8.min)
    var isPlain = true
    for i in 0..<count {
      if ranks[i] == valueRank {
        least = min(least, prefixes[i])
        greatest = max(greatest, prefixes[i])
      } else if ranks[i] < valueRank {
        isPlain = isPlain && (below == .max || below == ranks[i])
        below = ranks[i]
      } else {
        isPlain = isPlain && (above == .min || above == ranks[i])
        above = ranks[i]
      }
    }
    return isPlain && least <= greatest ? least...greatest : nil
  }

  /// Whether values have to be compared as mixed values.
  var hasValues: Bool { rest == .values }

  /// Reads the values of objects.
  convenience init(
    _ path: OrderingPath, _ keys: [ObjectKey], _ run: QueryRun
  ) throws(QueryFailure) {
    self.init(path, room: keys.count)
    let isPlain = path.steps.isEmpty && path.key == nil && rest != .values
    if isPlain, try suitsBlocks(path, keys) {
      if path.property.kind == .string, try readTexts(path, keys, run) { return }
      if try readBlocks(path, keys, run, nil) { return }
    }
    let reader = Reader(path, run)
    for (i, key) in keys.enumerated() {
      try run.visit()
      try read(key, to: i, reader)
    }
  }

  /// Has room for the values of some objects, which are to be read.
  init(_ path: OrderingPath, room: Int) {
    isAscending = path.isAscending
    isNullable = path.property.isNullable
    switch path.key == nil ? path.property.kind : .mixed {
    case .int, .bool, .float, .double, .link: rest = .none
    case .string, .data: rest = .text
    case .date: rest = .nanoseconds
    default: rest = .values
    }
    count = room
    ranks = .allocate(capacity: count)
    prefixes = .allocate(capacity: count)
    seconds = .allocate(capacity: rest == .text ? count : 0)
    texts = .allocate(capacity: rest == .text ? count : 0)
    nanoseconds = .allocate(capacity: rest == .nanoseconds ? count : 0)
    values = .allocate(capacity: rest == .values ? count : 0)
  }

  // All elements are trivial: there is nothing to destroy.
  deinit {
    ranks.deallocate()
    prefixes.deallocate()
    seconds.deallocate()
    texts.deallocate()
    nanoseconds.deallocate()
    values.deallocate()
  }

  /// Finds what a path leads to, for objects one at a time.
  struct Reader {
    fileprivate let walker: LinkWalker
    fileprivate let reader: PropertyReader
    fileprivate let key: UnsafeRawBufferPointer?

    init(_ path: OrderingPath, _ run: QueryRun) {
      walker = LinkWalker(path.steps, run)
      reader = PropertyReader(path.objectClass, position: path.property.position)
      key = path.key
    }
  }

  /// Reads one object.
  func read(_ key: ObjectKey, to i: Int, _ reader: Reader) throws(QueryFailure) {
    var owner: ObjectKey? = key
    if !reader.walker.isEmpty { owner = try reader.walker.single(from: key) }
    guard let owner, let value = try reader.reader.value(of: owner) else {
      setNone(i, Rank.unreachable)
      return
    }
    if let key = reader.key, case .dictionary(let dictionary) = value {
      set(i, try SortColumn.entry(key, of: dictionary))
    } else {
      set(i, QueryValue(value))
    }
  }

  private static func entry(
    _ key: UnsafeRawBufferPointer, of dictionary: StoredDictionary
  ) throws(QueryFailure) -> QueryValue {
    try reading { () throws(StorageError) in
      let entry = try dictionary.entries().first { ScalarValue.compare($0.key, key) == 0 }
      return entry.map { QueryValue($0.value) } ?? .null
    }
  }

  // MARK: Whole blocks

  /// Reading all blocks pays if at least one in so many objects is wanted.
  private static let sparseShare = 16

  /// Whether the objects are many, in the order of their keys.
  private func suitsBlocks(
    _ path: OrderingPath, _ keys: [ObjectKey]
  ) throws(QueryFailure) -> Bool {
    let total = try reading { () throws(StorageError) in
      try path.objectClass.table.objectCount()
    }
    guard keys.count > total / SortColumn.sparseShare else { return false }
    for i in keys.indices.dropFirst() where keys[i &- 1] >= keys[i] { return false }
    return true
  }

  /// Reads objects in the order of their keys block by block; false if that does not suit them.
  ///
  /// - Parameter dictionary: Numbers the texts, which become the prefixes.
  private func readBlocks(
    _ path: OrderingPath, _ keys: [ObjectKey], _ run: QueryRun, _ dictionary: NumberedTexts?
  ) throws(QueryFailure) -> Bool {
    let cursor = try reading { () throws(StorageError) in
      try TableCursor(path.objectClass.table, columns: [path.property.position])
    }
    var next = 0
    while next < keys.count, try reading({ () throws(StorageError) in try cursor.next() }) {
      try run.visit(cursor.count)
      do throws(StorageError) {
        try readBlock(cursor, keys, &next, dictionary)
      } catch { throw .storage(error) }
      if dictionary?.isFull == true { return false }
    }
    // Keys that do not exist cannot be in a result; whoever passes some is read one by one.
    return next == keys.count
  }

  /// Most different texts that are numbered.
  private static let maximumTexts = 1 << 16

  /// Reads texts of which many are equal: their prefixes become the places of the different texts
  /// in order. False if there are too many different ones.
  private func readTexts(
    _ path: OrderingPath, _ keys: [ObjectKey], _ run: QueryRun
  ) throws(QueryFailure) -> Bool {
    let dictionary = NumberedTexts(limit: min(SortColumn.maximumTexts, keys.count / 8))
    guard try readBlocks(path, keys, run, dictionary) else { return false }
    let order = dictionary.texts.order()
    for i in 0..<count where ranks[i] == valueRank {
      let place = order[Int(truncatingIfNeeded: prefixes[i])]
      prefixes[i] = isAscending ? place : ~place
    }
    rest = .none
    return true
  }

  /// The texts met so far.
  private final class NumberedTexts {
    var texts: TextDictionary
    var isFull = false

    init(limit: Int) { texts = TextDictionary(limit: limit) }
  }

  /// Stores the number of a text as its prefix.
  @inline(__always)
  private func setText(
    _ i: Int, _ text: UnsafeRawBufferPointer?, _ dictionary: NumberedTexts
  ) {
    guard let text else {
      setNone(i, Rank.null)
      return
    }
    guard let number = dictionary.texts.number(of: text) else {
      dictionary.isFull = true
      return
    }
    ranks[i] = valueRank
    prefixes[i] = UInt64(number)
  }

  /// Reads the objects of a block; which kind of leaf it has is decided once.
  private func readBlock(
    _ cursor: TableCursor, _ keys: [ObjectKey], _ next: inout Int, _ dictionary: NumberedTexts?
  ) throws(StorageError) {
    var rows = InlineArray<256, UInt8>(repeating: 0)
    let first = next
    let last = first &+ cursor.count &- 1
    if cursor.count > 0, last < keys.count, cursor.key(at: 0) == keys[first],
      cursor.key(at: cursor.count &- 1) == keys[last]
    {
      // As many objects as the block has, from its first to its last: all of them.
      for row in 0..<cursor.count { rows[row] = UInt8(truncatingIfNeeded: row) }
      next = last &+ 1
    } else {
      let blockKeys = cursor.keys
      for row in 0..<cursor.count where next < keys.count && blockKeys[row] == keys[next] {
        rows[next &- first] = UInt8(truncatingIfNeeded: row)
        next &+= 1
      }
    }
    if next == first { return }
    if let leaf = try cursor.ints(0) {
      for i in first..<next {
        if let value = leaf.value(at: Int(rows[i &- first])) {
          setNumber(i, value)
        } else {
          setNone(i, Rank.null)
        }
      }
    } else if let leaf = try cursor.doubles(0) {
      for i in first..<next {
        if let value = leaf.value(at: Int(rows[i &- first])) {
          setNumber(i, value)
        } else {
          setNone(i, Rank.null)
        }
      }
    } else if let leaf = try cursor.dates(0) {
      for i in first..<next { setDate(i, try leaf.value(at: Int(rows[i &- first]))) }
    } else if let leaf = try cursor.strings(0) {
      if let (base, width) = leaf.shortElements {
        let elements = ShortTexts(
          base: base, width: width, count: cursor.count, isNullable: isNullable)
        for i in first..<next {
          let text = elements.text(at: Int(rows[i &- first]))
          if let dictionary { setText(i, text, dictionary) } else { setText(i, text) }
        }
      } else {
        for i in first..<next {
          let text = try leaf.value(at: Int(rows[i &- first]))
          if let dictionary { setText(i, text, dictionary) } else { setText(i, text) }
        }
      }
    } else {
      let leaf = try cursor.leaf(0)
      for i in first..<next { set(i, QueryValue(try leaf.value(at: Int(rows[i &- first])))) }
    }
  }

  // MARK: Values

  private func set(_ i: Int, _ value: QueryValue) {
    if hasValues {
      set(i, Rank.value, 0)
      values[i] = value
      return
    }
    switch value {
    case .int(let number): setNumber(i, number)
    case .bool(let flag): set(i, Rank.value, flag ? 1 : 0)
    case .double(let number): setNumber(i, number)
    case .float(let number):
      number.isNaN
        ? set(i, Rank.notANumber, UInt64(number.bitPattern)) : setNumber(i, Double(number))
    case .string(let bytes), .data(let bytes): setText(i, bytes)
    case .date(let date): setDate(i, date)
    case .typedLink(_, let key), .link(let key): setNumber(i, key.rawValue)
    default: setNone(i, Rank.null)
    }
  }

  @inline(__always)
  private func setNumber(_ i: Int, _ number: Int64) { set(i, SortCode(number)) }

  @inline(__always)
  private func setNumber(_ i: Int, _ number: Double) { set(i, SortCode(number)) }

  @inline(__always)
  private func setText(_ i: Int, _ text: UnsafeRawBufferPointer?) {
    guard let text else {
      setNone(i, Rank.null)
      return
    }
    set(i, SortCode(text))
    seconds[i] = SortColumn.word(text, at: 8)
    texts[i] = text
  }

  @inline(__always)
  private func setDate(_ i: Int, _ date: Timestamp?) {
    guard let date else {
      setNone(i, Rank.null)
      return
    }
    set(i, SortCode(date.seconds))
    nanoseconds[i] = date.nanoseconds
  }

  /// A code in the direction of the column.
  @inline(__always)
  private func directed(_ code: SortCode) -> SortCode {
    isAscending ? code : SortCode(rank: ~code.rank, prefix: ~code.prefix)
  }

  @inline(__always)
  private func set(_ i: Int, _ code: SortCode) {
    let code = directed(code)
    ranks[i] = code.rank
    prefixes[i] = code.prefix
  }

  @inline(__always)
  private func set(_ i: Int, _ rank: UInt8, _ prefix: UInt64) {
    set(i, SortCode(rank: rank, prefix: prefix))
  }

  /// Sets what has no value but its rank.
  private func setNone(_ i: Int, _ rank: UInt8) {
    set(i, rank, 0)
    switch rest {
    case .none: break
    case .text:
      seconds[i] = 0
      texts[i] = UnsafeRawBufferPointer(start: nil, count: 0)
    case .nanoseconds: nanoseconds[i] = 0
    case .values: values[i] = .null
    }
  }

  /// Eight bytes from an offset on, zeros behind the end, the first byte in the highest place.
  @inline(__always)
  static func word(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
    let count = bytes.count &- offset
    guard count > 0, let start = bytes.baseAddress else { return 0 }
    let p = start + offset
    if count >= 8 { return UInt64(bigEndian: p.loadUnaligned(as: UInt64.self)) }
    if count >= 4 {
      let first = UInt64(UInt32(bigEndian: p.loadUnaligned(as: UInt32.self)))
      let last = UInt64(
        UInt32(bigEndian: p.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)))
      // The two overlap where there are less than eight bytes.
      return first &<< 32 | last &<< UInt64(truncatingIfNeeded: 64 &- 8 &* count)
    }
    var result: UInt64 = 0
    for i in 0..<count {
      result |=
        UInt64(p.load(fromByteOffset: i, as: UInt8.self))
        &<< UInt64(truncatingIfNeeded: 56 &- 8 &* i)
    }
    return result
  }

  // MARK: Comparing

  /// Whether the object cannot be reached, since a link on the way is null.
  func isUnreachable(_ i: Int) -> Bool {
    (isAscending ? ranks[i] : ~ranks[i]) == Rank.unreachable
  }

  /// The order of two objects in this column alone.
  func order(_ i: Int, _ j: Int) -> Int {
    if ranks[i] != ranks[j] { return ranks[i] < ranks[j] ? -1 : 1 }
    if prefixes[i] != prefixes[j] { return prefixes[i] < prefixes[j] ? -1 : 1 }
    return orderOfRests(i, j)
  }

  /// The order of two objects whose ranks and prefixes are equal.
  func orderOfRests(_ i: Int, _ j: Int) -> Int {
    let order: Int
    switch rest {
    case .none: return 0
    case .text: order = orderOfTexts(i, j)
    case .nanoseconds: order = Int(nanoseconds[i]) - Int(nanoseconds[j])
    case .values: order = QueryValue.order(values[i], values[j])
    }
    return isAscending ? order : -order
  }

  /// The order of two texts whose first eight bytes are equal.
  private func orderOfTexts(_ i: Int, _ j: Int) -> Int {
    if seconds[i] != seconds[j] { return seconds[i] < seconds[j] ? -1 : 1 }
    let (a, b) = (texts[i], texts[j])
    if a.count <= 16 || b.count <= 16 { return a.count - b.count }
    return ScalarValue.compare(a, b)
  }

  /// What decides first between two texts whose first eight bytes are equal: the next eight bytes
  /// and the length, inverted in descending order; nil for other values.
  @inline(__always)
  func tieKey(_ i: Int) -> (second: UInt64, length: UInt32)? {
    guard rest == .text else { return nil }
    let length = UInt32(truncatingIfNeeded: min(texts[i].count, 17))
    return isAscending ? (seconds[i], length) : (~seconds[i], ~length)
  }

  /// A hash of a value; equal values have equal hashes unless `hasValues`.
  func hash(_ i: Int) -> UInt64 {
    var hash = SortColumn.mix(prefixes[i] ^ UInt64(ranks[i]))
    switch rest {
    case .none, .values: break
    case .text: hash = SortColumn.mix(hash ^ SortColumn.hash(texts[i]))
    case .nanoseconds: hash = SortColumn.mix(hash ^ UInt64(truncatingIfNeeded: nanoseconds[i]))
    }
    return hash
  }

  /// A hash of a text.
  @inline(__always)
  static func hash(_ text: UnsafeRawBufferPointer) -> UInt64 {
    var hash = UInt64(truncatingIfNeeded: text.count)
    var offset = 0
    while offset < text.count {
      hash = mix(hash ^ word(text, at: offset))
      offset &+= 8
    }
    return hash
  }

  /// The order of two texts.
  static func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    ScalarValue.compare(a, b)
  }

  @inline(__always)
  static func mix(_ value: UInt64) -> UInt64 {
    let (high, low) = (value ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(
      by: 0xD1B5_4A32_D192_ED03)
    return high ^ low
  }
}
