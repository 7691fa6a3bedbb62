import RealmValues

// Open addressing, at most half full. Ids count from 0 in the order in which values come first.

/// The least number of places in a table.
private let leastPlaceCount = 64

@inline(__always)
private func mix(_ value: UInt64) -> UInt64 {
  let (high, low) = (value ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: 0xD1B5_4A32_D192_ED03)
  return high ^ low
}

/// Numbers of 64 bits and their ids.
final class NumberTable {
  private struct Place {
    var number: UInt64 = 0
    /// -1 in a free place.
    var id: Int32 = -1
  }

  private var places = UnsafeMutablePointer<Place>.allocate(capacity: leastPlaceCount)
  private var mask = leastPlaceCount - 1
  /// The numbers by their ids.
  private(set) var numbers: [UInt64] = []

  init() { places.initialize(repeating: Place(), count: leastPlaceCount) }

  // Places are trivial: there is nothing to destroy.
  deinit { places.deallocate() }

  /// The id of a number, which gets one if it has none.
  @inline(__always)
  func id(of number: UInt64) -> Int32 {
    var i = Int(truncatingIfNeeded: mix(number)) & mask
    while true {
      let place = places[i]
      if place.id < 0 { return insert(number, at: i) }
      if place.number == number { return place.id }
      i = (i &+ 1) & mask
    }
  }

  @inline(never)
  private func insert(_ number: UInt64, at i: Int) -> Int32 {
    let id = Int32(truncatingIfNeeded: numbers.count)
    places[i] = Place(number: number, id: id)
    numbers.append(number)
    if 2 * numbers.count > mask { grow() }
    return id
  }

  private func grow() {
    let count = 4 * (mask + 1)
    places.deallocate()
    places = .allocate(capacity: count)
    places.initialize(repeating: Place(), count: count)
    mask = count - 1
    for (id, number) in numbers.enumerated() {
      var i = Int(truncatingIfNeeded: mix(number)) & mask
      while places[i].id >= 0 { i = (i &+ 1) & mask }
      places[i] = Place(number: number, id: Int32(truncatingIfNeeded: id))
    }
  }
}

/// Texts or binaries and their ids.
final class TextTable {
  /// What tells texts apart quickly: the first and the last eight bytes and the length.
  private struct Ends: Equatable {
    var first: UInt64
    var last: UInt64
    var count: Int

    @inline(__always)
    init(_ text: UnsafeRawBufferPointer) {
      count = text.count
      guard let p = text.baseAddress, count > 0 else {
        (first, last) = (0, 0)
        return
      }
      if count >= 8 {
        first = p.loadUnaligned(as: UInt64.self)
        last = p.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
      } else if count >= 4 {
        first = UInt64(p.loadUnaligned(as: UInt32.self))
        last = UInt64(p.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
      } else {
        // With up to three bytes these are all of them.
        first =
          UInt64(p.load(as: UInt8.self)) | UInt64(
            p.load(fromByteOffset: count &>> 1, as: UInt8.self)) &<< 8
        last = UInt64(p.load(fromByteOffset: count &- 1, as: UInt8.self))
      }
    }

    /// Whether they are the whole text.
    @inline(__always)
    var areAll: Bool { count <= 16 }

    @inline(__always)
    func hash(_ text: UnsafeRawBufferPointer) -> UInt64 {
      var hash = mix(first ^ mix(last &+ UInt64(truncatingIfNeeded: count)))
      guard !areAll, let p = text.baseAddress else { return hash }
      var offset = 8
      while offset < count &- 8 {
        hash = mix(hash ^ p.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        offset &+= 8
      }
      return hash
    }
  }

  private struct Place {
    var ends = Ends(UnsafeRawBufferPointer(start: nil, count: 0))
    /// -1 in a free place.
    var id: Int32 = -1
  }

  private let pool: ConstantPool
  private var places = UnsafeMutablePointer<Place>.allocate(capacity: leastPlaceCount)
  private var mask = leastPlaceCount - 1
  /// The texts by their ids.
  private(set) var texts: [UnsafeRawBufferPointer] = []

  /// - Parameter pool: Keeps texts that do not stay where they are.
  init(_ pool: ConstantPool) {
    self.pool = pool
    places.initialize(repeating: Place(), count: leastPlaceCount)
  }

  // Places are trivial: there is nothing to destroy.
  deinit { places.deallocate() }

  /// The id of a text, which gets one if it has none.
  @inline(__always)
  func id(of text: UnsafeRawBufferPointer, isTransient: Bool = false) -> Int32 {
    let ends = Ends(text)
    var i = Int(truncatingIfNeeded: ends.hash(text)) & mask
    while true {
      let id = places[i].id
      if id < 0 { return insert(isTransient ? pool.keep(text) : text, ends, at: i) }
      if places[i].ends == ends,
        ends.areAll || ScalarValue.compare(texts[Int(id)], text) == 0
      {
        return id
      }
      i = (i &+ 1) & mask
    }
  }

  @inline(never)
  private func insert(_ text: UnsafeRawBufferPointer, _ ends: Ends, at i: Int) -> Int32 {
    let id = Int32(truncatingIfNeeded: texts.count)
    places[i] = Place(ends: ends, id: id)
    texts.append(text)
    if 2 * texts.count > mask { grow() }
    return id
  }

  private func grow() {
    let count = 4 * (mask + 1)
    places.deallocate()
    places = .allocate(capacity: count)
    places.initialize(repeating: Place(), count: count)
    mask = count - 1
    for (id, text) in texts.enumerated() {
      let ends = Ends(text)
      var i = Int(truncatingIfNeeded: ends.hash(text)) & mask
      while places[i].id >= 0 { i = (i &+ 1) & mask }
      places[i] = Place(ends: ends, id: Int32(truncatingIfNeeded: id))
    }
  }
}

/// Values of any type and their ids; values that are equal as mixed values share one.
final class AnyValueTable {
  private let pool: ConstantPool
  private let texts: TextTable
  private let binaries: TextTable
  /// The ids that texts and binaries have among all values.
  private var textIDs: [Int32] = []
  private var binaryIDs: [Int32] = []
  /// For the hash of other values the ids of those that have it.
  private var others: [UInt64: [Int32]] = [:]
  /// The values by their ids.
  private(set) var values: [QueryValue] = []

  init(_ pool: ConstantPool) {
    self.pool = pool
    texts = TextTable(pool)
    binaries = TextTable(pool)
  }

  /// The id of a value, which gets one if it has none.
  func id(of value: QueryValue, isTransient: Bool) -> Int32 {
    switch value {
    case .string(let text):
      let i = Int(texts.id(of: text, isTransient: isTransient))
      if i == textIDs.count { textIDs.append(append(.string(texts.texts[i]))) }
      return textIDs[i]
    case .data(let bytes):
      let i = Int(binaries.id(of: bytes, isTransient: isTransient))
      if i == binaryIDs.count { binaryIDs.append(append(.data(binaries.texts[i]))) }
      return binaryIDs[i]
    default:
      let hash = AnyValueTable.hash(value)
      for id in others[hash, default: []] where QueryValue.order(values[Int(id)], value) == 0 {
        return id
      }
      let id = append(value)
      others[hash, default: []].append(id)
      return id
    }
  }

  private func append(_ value: QueryValue) -> Int32 {
    values.append(value)
    return Int32(truncatingIfNeeded: values.count - 1)
  }

  /// A number that equal values share.
  private static func hash(_ value: QueryValue) -> UInt64 {
    switch value {
    case .bool(let flag): return flag ? 1 : 2
    case .int(let number): return hash(Double(number))
    case .float(let number): return hash(Double(number))
    case .double(let number): return hash(number)
    case .decimal(let number): return hash(number.toDouble())
    case .date(let date):
      return mix(
        UInt64(bitPattern: date.seconds) ^ mix(UInt64(bitPattern: Int64(date.nanoseconds))))
    case .objectID(let id): return UInt64(truncatingIfNeeded: id.hashValue)
    case .uuid(let id): return UInt64(truncatingIfNeeded: id.hashValue)
    case .typedLink(_, let key), .link(let key): return mix(UInt64(bitPattern: key.rawValue))
    default: return 0
    }
  }

  /// Doubles equal decimals of 15 digits, so that more digits must not count.
  private static func hash(_ number: Double) -> UInt64 {
    mix((Decimal128(rounding: number).toDouble() + 0).bitPattern)
  }
}
