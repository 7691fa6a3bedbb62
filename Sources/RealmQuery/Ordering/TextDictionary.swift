import ByteKernels
import Glibc

/// Numbers different texts; equal texts have one number.
///
/// The texts stay where they are, in the file.
struct TextDictionary {
  private struct Place {
    var hash: UInt32
    /// Number + 1; 0 in a free place.
    var number: UInt32
  }

  private(set) var texts: [UnsafeRawBufferPointer] = []
  private var places = [Place](repeating: Place(hash: 0, number: 0), count: 1024)
  private let limit: Int

  /// - Parameter limit: Most different texts.
  init(limit: Int) { self.limit = limit }

  /// The number of a text; nil if it would be one more than the limit.
  mutating func number(of text: UnsafeRawBufferPointer) -> UInt32? {
    let hash = UInt32(truncatingIfNeeded: SortColumn.hash(text))
    let mask = places.count &- 1
    var place = Int(hash) & mask
    while places[place].number != 0 {
      if places[place].hash == hash {
        let number = places[place].number &- 1
        if TextDictionary.areEqual(texts[Int(number)], text) { return number }
      }
      place = (place &+ 1) & mask
    }
    guard texts.count < limit else { return nil }
    let number = UInt32(truncatingIfNeeded: texts.count)
    texts.append(text)
    places[place] = Place(hash: hash, number: number &+ 1)
    if 2 &* texts.count > places.count { grow() }
    return number
  }

  private mutating func grow() {
    var larger = [Place](repeating: Place(hash: 0, number: 0), count: 4 * places.count)
    let mask = larger.count - 1
    for known in places where known.number != 0 {
      var place = Int(known.hash) & mask
      while larger[place].number != 0 { place = (place + 1) & mask }
      larger[place] = known
    }
    places = larger
  }

  @inline(__always)
  private static func areEqual(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    guard a.count == b.count else { return false }
    guard let x = a.baseAddress, let y = b.baseAddress else { return true }
    return memcmp(x, y, a.count) == 0
  }

  /// The place of each number in the ascending order of the texts.
  func order() -> [UInt64] {
    struct Entry {
      var prefix: UInt64
      var number: Int
    }
    var entries = texts.indices.map { Entry(prefix: SortColumn.word(texts[$0], at: 0), number: $0) }
    entries.sort { a, b in
      a.prefix != b.prefix
        ? a.prefix < b.prefix : SortColumn.compare(texts[a.number], texts[b.number]) < 0
    }
    var order = [UInt64](repeating: 0, count: texts.count)
    for (place, entry) in entries.enumerated() { order[entry.number] = UInt64(place) }
    return order
  }
}
