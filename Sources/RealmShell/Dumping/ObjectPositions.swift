import RealmStorage
import RealmValues

/// The keys that the objects of a table without primary key get when they are added to a new class
/// one after the other.
struct ObjectPositions {
  /// The keys in ascending order; nil if they are those of a new class.
  private let keys: [Int64]?
  /// The place of each key, if they are in another order.
  private let places: [Int64: Int]?

  /// Objects in any order.
  init(_ keys: [ObjectKey]) {
    self.keys = []
    places = Dictionary(
      keys.enumerated().map { ($1.rawValue, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// All objects of a table.

  init(_ table: StoredTable) throws(StorageError) {
    let count = try table.objectCount()
    let cursor = try TableCursor(table, columns: [])
    var keys: [Int64] = []
    var isPlain = true
    var position = 0
    while try cursor.next() {
      for row in 0..<cursor.count {
        let key = cursor.key(at: row).rawValue
        if isPlain, key != ObjectPositions.newKey(at: position) {
          isPlain = false
          keys.reserveCapacity(count)
          for earlier in 0..<position { keys.append(ObjectPositions.newKey(at: earlier)) }
        }
        if !isPlain { keys.append(key) }
        position += 1
      }
    }
    self.keys = isPlain ? nil : keys
    places = nil
  }

  /// The key of the object that is added to a new class behind so many others.
  ///
  /// Source: file-format-writing.md 8.4.
  private static func newKey(at position: Int) -> Int64 {
    Int64(position & 0xFF) | Int64(position >> 8) << 16
  }

  /// The key in the new class; nil if there is no object with the key.
  func newKey(of key: ObjectKey) -> Int64? {
    guard let keys else { return key.rawValue }
    if let places { return places[key.rawValue].map(ObjectPositions.newKey) }
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < key.rawValue { low = middle + 1 } else { high = middle }
    }
    guard low < keys.count, keys[low] == key.rawValue else { return nil }
    return ObjectPositions.newKey(at: low)
  }
}
