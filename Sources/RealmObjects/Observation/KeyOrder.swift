import RealmValues

/// Keys in an order that only a comparison knows, found by key and by position.
///
/// They lie in blocks; the table of the keys tells the block of each. Twenty bytes for each key, and
/// room for as many again at most.
///
/// - Complexity: O(log n) comparisons to insert; O(`Block.most`) to find a position.
struct KeyOrder {
  private struct Block {
    /// Most keys of a block.
    static let most = 512

    let id: UInt32
    var keys: [ObjectKey]
  }

  private var blocks: [Block] = []
  /// The keys with the ids of their blocks.
  private var table: KeyTable
  /// The index of each block by its id, as of the last `settle`.
  private var indices: [Int] = []
  /// Where the blocks begin, as of the last `settle`.
  private var starts = BlockStarts()

  var count: Int { table.count }

  /// - Parameter keys: In their order, without repetitions.
  init(_ keys: [ObjectKey]) {
    table = KeyTable(keys.sorted())
    for start in stride(from: 0, to: keys.count, by: Block.most / 2) {
      let part = Array(keys[start..<min(keys.count, start + Block.most / 2)])
      let id = UInt32(blocks.count)
      for key in part { table.setNumber(id, at: table.place(of: key)) }
      blocks.append(Block(id: id, keys: part))
    }
    indices = Array(blocks.indices)
    settle()
  }

  /// The position of a key, as of the last `settle`; nil if it is not there.
  func position(of key: ObjectKey) -> Int? {
    let place = table.place(of: key)
    guard place.isPresent else { return nil }
    let block = indices[Int(table.number(at: place))]
    guard let start = starts[block] else { return nil }
    return blocks[block].keys.firstIndex(of: key).map { start + $0 }
  }

  /// The key at a position, as of the last `settle`.
  subscript(position: Int) -> ObjectKey {
    let place = starts.place(of: position)
    return blocks[place.block].keys[place.index]
  }

  /// All keys in their order.
  var all: [ObjectKey] { blocks.flatMap(\.keys) }

  /// Takes keys out that are there.
  mutating func remove(_ keys: [ObjectKey]) {
    for key in keys {
      let place = table.place(of: key)
      let block = indices[Int(table.number(at: place))]
      table.remove(at: place)
      if let index = blocks[block].keys.firstIndex(of: key) { blocks[block].keys.remove(at: index) }
    }
    blocks.removeAll { $0.keys.isEmpty }
    settle()
  }

  /// Adds keys that are not there.
  ///
  /// - Parameter precedes: Whether a key comes before another one.
  mutating func insert<Failure>(
    _ keys: [ObjectKey], _ precedes: (ObjectKey, ObjectKey) throws(Failure) -> Bool
  ) throws(Failure) {
    for key in keys { try insert(key, precedes) }
    settle()
  }

  private mutating func insert<Failure>(
    _ key: ObjectKey, _ precedes: (ObjectKey, ObjectKey) throws(Failure) -> Bool
  ) throws(Failure) {
    guard !blocks.isEmpty else {
      let id = newId()
      blocks.append(Block(id: id, keys: [key]))
      table.insert(key, number: id)
      return
    }
    // The last block that begins before the key.
    var (low, high) = (0, blocks.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if try precedes(blocks[middle].keys[0], key) { low = middle } else { high = middle }
    }
    var (first, end) = (0, blocks[low].keys.count)
    while first < end {
      let middle = (first + end) / 2
      if try precedes(blocks[low].keys[middle], key) { first = middle + 1 } else { end = middle }
    }
    blocks[low].keys.insert(key, at: first)
    table.insert(key, number: blocks[low].id)
    guard blocks[low].keys.count > Block.most else { return }
    let upper = Block(id: newId(), keys: Array(blocks[low].keys[(Block.most / 2)...]))
    blocks[low].keys.removeSubrange((Block.most / 2)...)
    for key in upper.keys { table.setNumber(upper.id, at: table.place(of: key)) }
    blocks.insert(upper, at: low + 1)
  }

  /// An id for one more block; those of blocks that are gone are not used again before all ids are
  /// given anew.
  private mutating func newId() -> UInt32 {
    indices.append(0)
    return UInt32(indices.count - 1)
  }

  /// Counts blocks and positions after changes.
  private mutating func settle() {
    table.settle()
    for (index, block) in blocks.enumerated() { indices[Int(block.id)] = index }
    starts.count(blocks.lazy.map(\.keys.count))
  }

  /// Whether so many blocks came and went that a new beginning saves room.
  var isScattered: Bool { indices.count > 4 * (count / Block.most + 16) }
}
