import RealmValues

/// Objects that were added to a table but are not yet everywhere they belong.
///
/// The newest are rows of a leaf that is not made yet. Those before them are in the cluster tree,
/// but from `firstUnindexed` on in no search index.
final class PendingObjects {
  /// All columns of the table, those of collections and backlinks as well.
  private(set) var columns: [StagedColumn]
  /// Keys of the rows.
  private(set) var keys: [Int64] = []
  /// Number of rows that the leaf can take.
  private(set) var room = 0
  /// The first object that the indexes do not know; nil if they know all.
  private(set) var firstUnindexed: ObjectKey?
  /// The first key that may be given.
  private(set) var nextKey: Int64 = 0
  /// Links of the objects that their targets do not know.
  var links: [(column: Int, object: ObjectKey)] = []
  /// The primary keys of the objects.
  var primaryKeys = PendingKeys()

  init(_ editor: TableEditor) {
    columns = editor.columns.map { StagedColumn(editor.clusterColumn($0)) }
  }

  /// Takes over new columns of backlinks, and those that are gone.
  ///
  /// - Precondition: there are no rows.
  func follow(_ editor: TableEditor) {
    let known = columns
    columns = editor.columns.map { column in
      known.first { $0.column.index == column.index }
        ?? StagedColumn(editor.clusterColumn(column))
    }
  }

  /// Whether all objects are everywhere they belong.
  var isEmpty: Bool { firstUnindexed == nil }

  /// Prepares for the first object.
  func begin(_ clusters: ClusterEditor, _ root: Int64) throws(StorageError) {
    let (count, lastKey) = try clusters.lastLeaf(root)
    nextKey = lastKey.map { Int64(bitPattern: $0 &+ 1) } ?? 0
    room = count < ClusterTree.maximumCount ? ClusterTree.maximumCount - count : 0
    if room == 0 { room = ClusterTree.maximumCount }
  }

  /// Adds the row whose values have been given.
  func add(_ object: ObjectKey) {
    keys.append(object.rawValue)
    nextKey = object.rawValue + 1
    if firstUnindexed == nil { firstUnindexed = object }
  }

  /// The row of an object; nil if it is none of the rows.
  func row(of object: ObjectKey) -> Int? {
    guard let first = keys.first, object.rawValue >= first, object.rawValue < nextKey else {
      return nil
    }
    let row = Int(object.rawValue - first)
    // Keys mostly follow each other.
    if row < keys.count, keys[row] == object.rawValue { return row }
    return keys.firstIndex(of: object.rawValue)
  }

  /// Whether all objects that are not indexed are rows.
  var hasOnlyRows: Bool { keys.first == firstUnindexed?.rawValue }

  /// Puts the rows into the tree.
  func empty(into root: inout Int64, _ clusters: ClusterEditor) throws(StorageError) {
    try clusters.append(ClusterEditor.Batch(keys: keys, columns: columns), to: &root)
    // The object to be added next becomes the first row.
    for column in columns where column.isGiven && !keys.isEmpty {
      try column.set(0, column.cell(keys.count).scalar)
    }
    keys.removeAll(keepingCapacity: true)
    room = ClusterTree.maximumCount
  }

  /// Notes that all objects are everywhere they belong.
  func end() {
    firstUnindexed = nil
    links.removeAll(keepingCapacity: true)
    primaryKeys.removeAll()
  }
}

/// Finds objects by hashes of their primary keys.
struct PendingKeys {
  private var hashes: [UInt64] = []
  /// Object keys; below 0 in free places.
  private var objects: [Int64] = []
  private var count = 0
  /// Nobody shall be able to choose values whose hashes collide.
  private let seed = UInt64.random(in: .min ... .max)

  func hash(_ value: ScalarValue) -> UInt64 {
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

  /// Calls `isMatch` with objects that have a hash until it returns true.
  func find(
    _ hash: UInt64, _ isMatch: (ObjectKey) throws(StorageError) -> Bool
  ) throws(StorageError) -> ObjectKey? {
    guard !objects.isEmpty else { return nil }
    var place = Int(truncatingIfNeeded: hash) & (objects.count - 1)
    while objects[place] >= 0 {
      let object = ObjectKey(objects[place])
      if hashes[place] == hash, try isMatch(object) { return object }
      place = (place + 1) & (objects.count - 1)
    }
    return nil
  }

  /// Adds an object.
  mutating func insert(_ hash: UInt64, _ object: ObjectKey) {
    if count * 2 >= objects.count { grow() }
    put(hash, object.rawValue)
    count += 1
  }

  private mutating func put(_ hash: UInt64, _ object: Int64) {
    var place = Int(truncatingIfNeeded: hash) & (objects.count - 1)
    while objects[place] >= 0 { place = (place + 1) & (objects.count - 1) }
    hashes[place] = hash
    objects[place] = object
  }

  private mutating func grow() {
    let (oldHashes, oldObjects) = (hashes, objects)
    let size = max(64, 2 * oldObjects.count)
    hashes = Array(repeating: 0, count: size)
    objects = Array(repeating: -1, count: size)
    for i in oldObjects.indices where oldObjects[i] >= 0 { put(oldHashes[i], oldObjects[i]) }
  }

  mutating func removeAll() {
    guard count > 0 else { return }
    count = 0
    if objects.count > 1024 {
      (hashes, objects) = ([], [])
    } else {
      for i in objects.indices { objects[i] = -1 }
    }
  }
}
