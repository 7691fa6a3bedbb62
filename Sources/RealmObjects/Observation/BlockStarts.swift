/// Positions in a sequence that lies in blocks.
struct BlockStarts {
  /// The position of the first element of each block.
  private var starts: [Int] = []

  /// Counts anew.
  ///
  /// - Parameter counts: The numbers of elements of the blocks.
  mutating func count(_ counts: some Sequence<Int>) {
    starts.removeAll(keepingCapacity: true)
    var start = 0
    for count in counts {
      starts.append(start)
      start += count
    }
  }

  /// The position of the first element of a block; nil if there is no such block.
  subscript(block: Int) -> Int? { block < starts.count ? starts[block] : nil }

  /// The block of the element at a position, and its index in it.
  func place(of position: Int) -> (block: Int, index: Int) {
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if position < starts[middle] { high = middle } else { low = middle }
    }
    return (low, position - starts[low])
  }
}
