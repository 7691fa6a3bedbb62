import RealmObjects
import RealmStorage
import RealmValues

/// The values of one criterion for many objects, as numbers that compare in their order.
final class SortColumn {
  /// Place of the kinds of values, ascending. Objects behind a null link come last.
  private enum Rank {
    static let null: UInt8 = 1
    static let notANumber: UInt8 = 2
    static let value: UInt8 = 3
    static let unreachable: UInt8 = 9
  }

  /// What decides between values with equal ranks and prefixes.
  private enum Rest {
    /// Nothing: the prefix is the whole value.
    case none
    case text([UnsafeRawBufferPointer])
    case nanoseconds([Int32])
    case values([QueryValue])
  }

  /// Kind of each value, inverted in descending order.
  private(set) var ranks: [UInt8] = []
  /// The first 64 bits of each value, inverted in descending order.
  private(set) var prefixes: [UInt64] = []
  private var rest: Rest
  private let isAscending: Bool

  /// Whether rank and prefix tell the whole order.
  var isExact: Bool { if case .none = rest { true } else { false } }

  /// Whether values have to be compared as mixed values.
  var hasValues: Bool { if case .values = rest { true } else { false } }

  /// Reads the values of objects.
  init(_ path: OrderingPath, _ keys: [ObjectKey], _ run: QueryRun) throws(QueryFailure) {
    isAscending = path.isAscending
    switch path.key == nil ? path.property.kind : .mixed {
    case .int, .bool, .float, .double, .link: rest = .none
    case .string, .data: rest = .text([])
    case .date: rest = .nanoseconds([])
    default: rest = .values([])
    }
    ranks.reserveCapacity(keys.count)
    prefixes.reserveCapacity(keys.count)
    let walker = LinkWalker(path.steps, run)
    let reader = PropertyReader(path.objectClass, position: path.property.position)
    for key in keys {
      try run.visit()
      var owner: ObjectKey? = key
      if !walker.isEmpty { owner = try walker.single(from: key) }
      guard let owner, let value = try reader.value(of: owner) else {
        add(Rank.unreachable, 0, .null)
        continue
      }
      if let key = path.key, case .dictionary(let dictionary) = value {
        add(try SortColumn.entry(key, of: dictionary))
      } else {
        add(QueryValue(value))
      }
    }
  }

  private static func entry(
    _ key: UnsafeRawBufferPointer, of dictionary: StoredDictionary
  ) throws(QueryFailure) -> QueryValue {
    try reading { () throws(StorageError) in
      let entry = try dictionary.entries().first { StoredValue.compareBytes($0.key, key) == 0 }
      return entry.map { QueryValue($0.value) } ?? .null
    }
  }

  @inline(__always)
  private func add(_ value: QueryValue) {
    if hasValues {
      add(Rank.value, 0, value)
      return
    }
    switch value {
    case .null: add(Rank.null, 0, value)
    case .int(let number): add(Rank.value, SortColumn.ordered(number), value)
    case .bool(let flag): add(Rank.value, flag ? 1 : 0, value)
    case .double(let number): add(number, value)
    case .float(let number):
      number.isNaN
        ? add(Rank.notANumber, UInt64(number.bitPattern), value) : add(Double(number), value)
    case .string(let bytes), .data(let bytes): add(Rank.value, SortColumn.prefix(bytes), value)
    case .date(let date): add(Rank.value, SortColumn.ordered(date.seconds), value)
    case .typedLink(_, let key), .link(let key):
      add(Rank.value, SortColumn.ordered(key.rawValue), value)
    default: add(Rank.null, 0, value)
    }
  }

  @inline(__always)
  private func add(_ number: Double, _ value: QueryValue) {
    if number.isNaN {
      add(Rank.notANumber, number.bitPattern, value)
      return
    }
    // Adding 0 makes one zero of both.
    let bits = (number + 0).bitPattern
    add(Rank.value, bits >> 63 == 0 ? bits | 1 << 63 : ~bits, value)
  }

  @inline(__always)
  private func add(_ rank: UInt8, _ prefix: UInt64, _ value: QueryValue) {
    ranks.append(isAscending ? rank : ~rank)
    prefixes.append(isAscending ? prefix : ~prefix)
    switch rest {
    case .none: break
    case .text(var texts):
      rest = .none
      texts.append(value.bytes ?? UnsafeRawBufferPointer(start: nil, count: 0))
      rest = .text(texts)
    case .nanoseconds(var parts):
      rest = .none
      if case .date(let date) = value { parts.append(date.nanoseconds) } else { parts.append(0) }
      rest = .nanoseconds(parts)
    case .values(var values):
      rest = .none
      values.append(value)
      rest = .values(values)
    }
  }

  /// A signed number as an unsigned one of the same order.
  @inline(__always)
  private static func ordered(_ number: Int64) -> UInt64 {
    UInt64(bitPattern: number) ^ 1 << 63
  }

  /// The first eight bytes, zeros behind a shorter text.
  @inline(__always)
  private static func prefix(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    if bytes.count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
    var result: UInt64 = 0
    for byte in bytes { result = result << 8 | UInt64(byte) }
    return bytes.isEmpty ? 0 : result << UInt64(8 * (8 - bytes.count))
  }

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
    case .text(let texts): order = StoredValue.compareBytes(texts[i], texts[j])
    case .nanoseconds(let parts): order = Int(parts[i]) - Int(parts[j])
    case .values(let values): order = QueryValue.order(values[i], values[j])
    }
    return isAscending ? order : -order
  }

  /// A hash of a value; equal values have equal hashes unless `hasValues`.
  func hash(_ i: Int, into hasher: inout Hasher) {
    hasher.combine(ranks[i])
    hasher.combine(prefixes[i])
    switch rest {
    case .none, .values: break
    case .text(let texts): hasher.combine(bytes: texts[i])
    case .nanoseconds(let parts): hasher.combine(parts[i])
    }
  }
}
