import RealmValues

/// Hashes of primary keys.
enum KeyHash {
  /// The hash of a primary key; equal ones have the same.
  static func of(_ value: StoredValue) -> UInt64 {
    switch value {
    case .int(let number): mixed(UInt64(bitPattern: number))
    case .string(let bytes): hash(bytes)
    case .objectID(let id): withUnsafeBytes(of: id) { hash($0) }
    case .uuid(let id): withUnsafeBytes(of: id) { hash($0) }
    default: 0
    }
  }

  private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var state = mixed(UInt64(bytes.count))
    var i = 0
    while i &+ 8 <= bytes.count {
      state = mixed(state ^ bytes.loadUnaligned(fromByteOffset: i, as: UInt64.self))
      i &+= 8
    }
    var rest: UInt64 = 0
    while i < bytes.count {
      rest = rest &<< 8 | UInt64(bytes[i])
      i &+= 1
    }
    return mixed(state ^ rest)
  }

  /// Spreads the bits of a number: the finishing step of the hash MurmurHash3.
  private static func mixed(_ number: UInt64) -> UInt64 {
    var x = number &+ 0x9E37_79B9_7F4A_7C15
    x = (x ^ x &>> 33) &* 0xFF51_AFD7_ED55_8CCD
    x = (x ^ x &>> 33) &* 0xC4CE_B9FE_1A85_EC53
    return x ^ x &>> 33
  }
}
