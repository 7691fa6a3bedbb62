import RealmValues

/// Keys in ascending order, each with a number, found by key and by position.
///
/// They lie in blocks, so that adding or taking out a key moves few others: twelve bytes for each
/// key, and room for as many again at most.
///
/// - Complexity: O(log n) to find; O(n / `Block.most`) once for each batch of changes.
struct KeyTable {
  private struct Block {
    /// Most keys of a block.
    static let most = 1024

    var keys: [ObjectKey]
    var numbers: [UInt32]
  }

  private var blocks: [Block] = []
  /// Where the blocks begin, as of the last `settle`.
  private var starts = BlockStarts()
  private(set) var count = 0

  /// - Parameter keys: In ascending order, without repetitions.
  init(_ keys: [ObjectKey]) {
    for start in stride(from: 0, to: keys.count, by: Block.most / 2) {
      let part = keys[start..<min(keys.count, start + Block.most / 2)]
      blocks.append(
        Block(keys: Array(part), numbers: [UInt32](repeating: 0, count: part.count)))
    }
    count = keys.count
    settle()
  }

  /// Where a key is, or would be.
  struct Place {
    fileprivate var block: Int
    fileprivate var index: Int
    /// Whether it is there.
    var isPresent: Bool
  }

  /// Finds a key.
  func place(of key: ObjectKey) -> Place {
    guard !blocks.isEmpty else { return Place(block: 0, index: 0, isPresent: false) }
    // The last block that begins at or before the key.
    var (low, high) = (0, blocks.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if key < blocks[middle].keys[0] { high = middle } else { low = middle }
    }
    let keys = blocks[low].keys
    var (first, end) = (0, keys.count)
    while first < end {
      let middle = (first + end) / 2
      if keys[middle] < key { first = middle + 1 } else { end = middle }
    }
    return Place(
      block: low, index: first, isPresent: first < keys.count && keys[first] == key)
  }

  /// The position of a place, as of the last `settle`.
  func position(of place: Place) -> Int {
    starts[place.block].map { $0 + place.index } ?? count
  }

  /// The position of a key, as of the last `settle`; nil if it is not there.
  func position(of key: ObjectKey) -> Int? {
    let place = place(of: key)
    return place.isPresent ? position(of: place) : nil
  }

  /// The key at a position, as of the last `settle`.
  subscript(position: Int) -> ObjectKey {
    let place = starts.place(of: position)
    return blocks[place.block].keys[place.index]
  }

  /// All keys.
  var all: [ObjectKey] { blocks.flatMap(\.keys) }

  /// The number of a key that is there.
  func number(at place: Place) -> UInt32 { blocks[place.block].numbers[place.index] }

  mutating func setNumber(_ number: UInt32, at place: Place) {
    blocks[place.block].numbers[place.index] = number
  }

  /// Adds a key that is not there; positions count from the next `settle` on.
  mutating func insert(_ key: ObjectKey, number: UInt32 = 0) {
    count += 1
    guard !blocks.isEmpty else {
      blocks.append(Block(keys: [key], numbers: [number]))
      return
    }
    let place = place(of: key)
    blocks[place.block].keys.insert(key, at: place.index)
    blocks[place.block].numbers.insert(number, at: place.index)
    guard blocks[place.block].keys.count > Block.most else { return }
    // Keys are mostly added at the end: the block stays full then.
    let isLast = place.block == blocks.count - 1 && place.index == Block.most
    let half = isLast ? Block.most : Block.most / 2
    let upper = Block(
      keys: Array(blocks[place.block].keys[half...]),
      numbers: Array(blocks[place.block].numbers[half...]))
    blocks[place.block].keys.removeSubrange(half...)
    blocks[place.block].numbers.removeSubrange(half...)
    blocks.insert(upper, at: place.block + 1)
  }

  /// Takes out a key that is there; positions count from the next `settle` on.
  mutating func remove(at place: Place) {
    count -= 1
    blocks[place.block].keys.remove(at: place.index)
    blocks[place.block].numbers.remove(at: place.index)
    if blocks[place.block].keys.isEmpty { blocks.remove(at: place.block) }
  }

  /// Counts the positions after changes.
  mutating func settle() {
    starts.count(blocks.lazy.map(\.keys.count))
  }
}
