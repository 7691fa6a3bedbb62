import ByteKernels
import RealmObjects
import RealmStorage
import RealmValues

/// Reads one column of objects given by key.
struct PropertyReader {
  private let reader: ObjectReader

  /// Reads the column at a position of the table of a class.
  init(_ objectClass: ObjectClass, position: Int) {
    reader = ObjectReader(objectClass.table, columns: [position])
  }

  /// The value of an object; nil if there is no such object, as in a damaged file.
  @inline(__always)
  func value(of key: ObjectKey) throws(QueryFailure) -> StoredValue? {
    do throws(StorageError) {
      guard try reader.move(to: key) else { return nil }
      return try reader.value(0)
    } catch { throw .storage(error) }
  }
}

/// Calls `body` with each object of a list, set or dictionary of links; null entries are left out.
func forEachLink(
  in value: StoredValue, index: Int64? = nil, key: UnsafeRawBufferPointer? = nil,
  _ body: (ObjectKey) throws(QueryFailure) -> Void
) throws(QueryFailure) {
  switch value {
  case .link(_, let key): try body(key)
  case .list(let list):
    if let index {
      if case .link(_, let key)? = try element(of: list, at: index) { try body(key) }
      return
    }
    var cursor = try reading { () throws(StorageError) in try list.makeCursor() }
    while let leaf = try reading({ () throws(StorageError) in try cursor.nextLeaf() }) {
      guard case .key(let keys, _) = leaf else { continue }
      for row in 0..<keys.count {
        let key = keys.packed[keys.first &+ row]
        if key >= 0 { try body(ObjectKey(key)) }
      }
    }
  case .dictionary(let dictionary):
    let entries = try reading { () throws(StorageError) in try dictionary.entries() }
    for entry in entries {
      if let key, StoredValue.compareBytes(entry.key, key) != 0 { continue }
      if case .link(_, let key) = entry.value { try body(key) }
    }
  default: break
  }
}

/// The element at a position, -1 being the last; nil if it is outside.
func element(of list: StoredList, at index: Int64) throws(QueryFailure) -> StoredValue? {
  try reading { () throws(StorageError) in
    if index < -1 { return nil }
    var cursor = try list.makeCursor()
    var position: Int64 = 0
    var last: StoredValue?
    while let value = try cursor.next() {
      if position == index { return value }
      last = value
      position += 1
    }
    return index == -1 ? last : nil
  }
}
