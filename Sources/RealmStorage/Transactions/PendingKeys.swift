import RealmValues

/// Finds objects by their primary keys.
///
/// Integers that come in ascending order, as they mostly do, are searched; all else is hashed.
struct PendingKeys {
  /// Ascending integers and their objects; empty once something else has come.
  private var numbers: [(value: Int64, object: ObjectKey)] = []
  private var isAscending = true
  /// Objects by hash; free places have keys below 0.
  private var places: [(hash: UInt64, object: Int64)] = []
  private var count = 0
  /// Nobody shall be able to choose values whose hashes collide.
  private let seed = UInt64.random(in: .min ... .max)

  /// The object with a value; nil if there is none.
  ///
  /// - Parameter isMatch: Whether an object, whose value has the same hash, has the value.
  func find(
    _ value: ScalarValue, _ isMatch: (ObjectKey) throws(StorageError) -> Bool
  ) throws(StorageError) -> ObjectKey? {
    if isAscending {
      guard case .int(let number) = value else { return nil }
      return find(number)
    }
    let hash = hash(value)
    var place = Int(truncatingIfNeeded: hash) & (places.count - 1)
    while places[place].object >= 0 {
      let object = ObjectKey(places[place].object)
      if places[place].hash == hash, try isMatch(object) { return object }
      place = (place + 1) & (places.count - 1)
    }
    return nil
  }

  private func find(_ number: Int64) -> ObjectKey? {
    guard let last = numbers.last, number <= last.value else { return nil }
    var (low, high) = (0, numbers.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if numbers[middle].value < number { low = middle + 1 } else { high = middle }
    }
    return numbers[low].value == number ? numbers[low].object : nil
  }

  /// Adds an object, whose value no other one has.
  mutating func insert(_ value: ScalarValue, _ object: ObjectKey) {
    if isAscending, case .int(let number) = value, numbers.last.map({ $0.value < number }) ?? true {
      return numbers.append((number, object))
    }
    if isAscending {
      isAscending = false
      let known = numbers
      numbers = []
      grow()
      for entry in known { put(.int(entry.value), entry.object) }
    }
    put(value, object)
  }

  private mutating func put(_ value: ScalarValue, _ object: ObjectKey) {
    if count * 2 >= places.count { grow() }
    put(hash(value), object.rawValue)
    count += 1
  }

  private mutating func put(_ hash: UInt64, _ object: Int64) {
    var place = Int(truncatingIfNeeded: hash) & (places.count - 1)
    while places[place].object >= 0 { place = (place + 1) & (places.count - 1) }
    places[place] = (hash, object)
  }

  private mutating func grow() {
    let old = places
    places = Array(repeating: (0, -1), count: max(64, 2 * old.count))
    for place in old where place.object >= 0 { put(place.hash, place.object) }
  }

  /// Forgets all objects.
  mutating func removeAll() {
    (isAscending, count) = (true, 0)
    numbers.removeAll(keepingCapacity: numbers.count < 1024)
    places = []
  }

  // MARK: Hashes

  private func hash(_ value: ScalarValue) -> UInt64 {
    switch value {
    case .int(let number): mix(UInt64(bitPattern: number))
    case .string(let bytes): bytes.withUnsafeBytes { hash($0) }
    case .objectID(let value): value.withBytes { hash($0) }
    case .uuid(let value): value.withBytes { hash($0) }
    default: mix(0x5A5A_5A5A_5A5A_5A5A)
    }
  }

  private func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var result = mix(UInt64(bytes.count))
    var offset = 0
    while offset &+ 8 <= bytes.count {
      result = mix(result ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset &+= 8
    }
    var rest: UInt64 = 0
    while offset < bytes.count {
      rest = rest << 8 | UInt64(bytes[offset])
      offset &+= 1
    }
    return mix(result ^ rest)
  }

  @inline(__always)
  private func mix(_ word: UInt64) -> UInt64 {
    var result = (word ^ seed) &* 0x9E37_79B9_7F4A_7C15
    result ^= result &>> 32
    result = result &* 0xD6E8_FEB8_6659_FD93
    return result ^ result &>> 32
  }
}
