import RealmValues

// Open addressing, at most half full. Ids count from 0 in the order in which values come first.

@inline(__always)
private func mix(_ value: UInt64) -> UInt64 {
  let (high, low) = (value ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: 0xD1B5_4A32_D192_ED03)
  return high ^ low
}

/// The places of keys with their ids.
private final class HashPlaces<Key: BitwiseCopyable & Equatable> {
  private struct Place {
    var hash: UInt64
    var key: Key
    /// -1 in a free place.
    var id: Int32
  }

  private let free: Place
  private var places: UnsafeMutablePointer<Place>
  private var mask: Int
  private(set) var count: Int32 = 0

  /// - Parameter filler: The key of free places, which may occur.
  init(filler: Key) {
    free = Place(hash: 0, key: filler, id: -1)
    places = .allocate(capacity: 64)
    places.initialize(repeating: free, count: 64)
    mask = 63
  }

  // Places are trivial: there is nothing to destroy.
  deinit { places.deallocate() }

  /// The id of a key, and whether it was added for it.
  ///
  /// - Parameter isSame: Whether the id is that of the key, if more than the key decides.
  @inline(__always)
  func id(
    of key: Key, hash: UInt64, isSame: (Int32) -> Bool = { _ in true }
  ) -> (id: Int32, isNew: Bool) {
    var i = Int(truncatingIfNeeded: hash) & mask
    while true {
      let id = places[i].id
      if id < 0 { return (insert(Place(hash: hash, key: key, id: count), at: i), true) }
      if places[i].key == key, isSame(id) { return (id, false) }
      i = (i &+ 1) & mask
    }
  }

  @inline(never)
  private func insert(_ place: Place, at i: Int) -> Int32 {
    places[i] = place
    count += 1
    if 2 * Int(count) > mask { grow() }
    return place.id
  }

  private func grow() {
    let (old, oldMask) = (places, mask)
    mask = 4 * oldMask + 3
    places = .allocate(capacity: mask + 1)
    places.initialize(repeating: free, count: mask + 1)
    for place in UnsafeBufferPointer(start: old, count: oldMask + 1) where place.id >= 0 {
      var i = Int(truncatingIfNeeded: place.hash) & mask
      while places[i].id >= 0 { i = (i &+ 1) & mask }
      places[i] = place
    }
    old.deallocate()
  }
}

/// Numbers of 64 bits and their ids.
final class NumberTable {
  private let places = HashPlaces<UInt64>(filler: 0)
  /// The numbers by their ids.
  private(set) var numbers: [UInt64] = []

  /// The id of a number, which gets one if it has none.
  @inline(__always)
  func id(of number: UInt64) -> Int32 {
    let (id, isNew) = places.id(of: number, hash: mix(number))
    if isNew { numbers.append(number) }
    return id
  }
}

/// Texts or binaries and their ids.
final class TextTable {
  /// What tells texts apart quickly: the first and the last eight bytes and the length.
  private struct Ends: BitwiseCopyable, Equatable {
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
        let second = UInt64(p.load(fromByteOffset: count &>> 1, as: UInt8.self))
        first = UInt64(p.load(as: UInt8.self)) | second &<< 8
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

  private let pool: ConstantPool
  private let places = HashPlaces(filler: Ends(UnsafeRawBufferPointer(start: nil, count: 0)))
  /// The texts by their ids.
  private(set) var texts: [UnsafeRawBufferPointer] = []

  /// - Parameter pool: Keeps texts that do not stay where they are.
  init(_ pool: ConstantPool) { self.pool = pool }

  /// The id of a text, which gets one if it has none.
  @inline(__always)
  func id(of text: UnsafeRawBufferPointer, isTransient: Bool = false) -> Int32 {
    let ends = Ends(text)
    let (id, isNew) = places.id(of: ends, hash: ends.hash(text)) { id in
      ends.areAll || ScalarValue.compare(texts[Int(id)], text) == 0
    }
    if isNew { texts.append(isTransient ? pool.keep(text) : text) }
    return id
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
