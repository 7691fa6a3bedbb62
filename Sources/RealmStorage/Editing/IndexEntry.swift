import RealmValues

/// An object, and the two chunks of its value at an offset as an index orders them.
struct IndexEntry {
  /// Both chunks with their signs turned round, so that entries are ordered as unsigned numbers.
  var chunks: UInt64
  /// The key of the object, below 2^62, and two marks above it.
  private var bits: UInt64

  private static let isWholeMark: UInt64 = 1 << 63
  private static let isNullMark: UInt64 = 1 << 62
  private static let signs: UInt64 = 0x8000_0000_8000_0000

  /// - Parameter isFixed: Whether all values of the column that are not null have as many bytes.
  @inline(__always)
  init(_ object: ObjectKey, _ key: IndexKey, at offset: Int, isFixed: Bool) {
    chunks = key.chunks(at: offset) ^ IndexEntry.signs
    bits = UInt64(bitPattern: object.rawValue)
    if key.isNull {
      bits |= IndexEntry.isNullMark
    } else if key.byteCount <= offset &+ (isFixed ? 8 : 7) {
      bits |= IndexEntry.isWholeMark
    }
  }

  var object: ObjectKey {
    ObjectKey(Int64(bitPattern: bits & ~(IndexEntry.isWholeMark | IndexEntry.isNullMark)))
  }

  /// The first chunk.
  var chunk: Int64 { Int64(Int32(bitPattern: UInt32(chunks >> 32) ^ 0x8000_0000)) }
  /// The second chunk.
  var nextChunk: Int64 {
    Int64(Int32(bitPattern: UInt32(truncatingIfNeeded: chunks) ^ 0x8000_0000))
  }

  /// Whether two values with equal chunks up to here are equal; nil if more has to be compared.
  func isEqual(_ other: IndexEntry) -> Bool? {
    let (marks, otherMarks) = (bits >> 62, other.bits >> 62)
    if marks != 0, otherMarks != 0 { return marks == otherMarks }
    // Null has no bytes; a value that ends later is another one.
    return marks == otherMarks ? nil : false
  }

  /// Sorts by chunks, then by object.
  ///
  /// - Precondition: the objects are ascending.
  static func sort(_ entries: UnsafeMutableBufferPointer<IndexEntry>) {
    guard entries.count > 1000 else {
      var entries = entries
      entries.sort {
        $0.chunks != $1.chunks ? $0.chunks < $1.chunks : $0.object < $1.object
      }
      return
    }
    withUnsafeTemporaryAllocation(of: IndexEntry.self, capacity: entries.count) { room in
      var (source, target) = (entries, room)
      for shift in stride(from: 0 as UInt64, to: 64, by: 8) {
        if distribute(source, target, shift) { swap(&source, &target) }
      }
      if source.baseAddress != entries.baseAddress {
        _ = entries.update(fromContentsOf: source)
      }
    }
  }

  /// Orders by one byte of the chunks, keeping the order of equal ones.
  ///
  /// - Returns: false if all have the same byte; then nothing is moved.
  private static func distribute(
    _ source: UnsafeMutableBufferPointer<IndexEntry>,
    _ target: UnsafeMutableBufferPointer<IndexEntry>, _ shift: UInt64
  ) -> Bool {
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { places in
      places.initialize(repeating: 0)
      for i in 0..<source.count {
        places[Int(truncatingIfNeeded: source[i].chunks &>> shift & 0xFF)] &+= 1
      }
      if places[Int(truncatingIfNeeded: source[0].chunks &>> shift & 0xFF)] == source.count {
        return false
      }
      var next = 0
      for byte in 0..<256 {
        let count = places[byte]
        places[byte] = next
        next &+= count
      }
      for i in 0..<source.count {
        let byte = Int(truncatingIfNeeded: source[i].chunks &>> shift & 0xFF)
        target[places[byte]] = source[i]
        places[byte] &+= 1
      }
      return true
    }
  }
}
