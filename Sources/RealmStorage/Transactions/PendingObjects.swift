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

  /// Forgets the values of the object to be added next.
  func discard() { for column in columns { column.forget(from: keys.count) } }

  /// Whether all objects that are not indexed are rows.
  var hasOnlyRows: Bool { keys.first == firstUnindexed?.rawValue }

  /// Puts the rows into the tree.
  func empty(into root: inout Int64, _ clusters: ClusterEditor) throws(StorageError) {
    try clusters.append(ClusterEditor.Batch(keys: keys, columns: columns), to: &root)
    // The object to be added next becomes the first row.
    for column in columns {
      let next = column.count > keys.count ? column.cell(keys.count) : nil
      column.forget(from: 0)
      if let next { try column.set(0, next.scalar) }
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
