import ByteKernels
import RealmValues

/// Trees of plain integers, such as object keys.
extension TreeEditor {
  /// All elements.
  func integers(_ root: Int64) throws(StorageError) -> [Int64] {
    var result: [Int64] = []
    var cursor = BPlusTreeCursor(root: root, in: store.view)
    store.renewWork()
    while let node = try cursor.nextLeaf() {
      guard node.scheme == .bits, !node.hasRefs else {
        throw .damage(.wrongNodeKind, at: node.offset, found: Int(node.flags))
      }
      for i in 0..<node.count { result.append(node[i]) }
    }
    return result
  }

  /// Makes a packed tree.
  func make(integers: [Int64]) throws(StorageError) -> Int64 {
    try make(count: integers.count) { (range) throws(StorageError) in
      try integers.withUnsafeBufferPointer { (integers) throws(StorageError) in
        try store.makeIntegers(UnsafeBufferPointer(rebasing: integers[range]))
      }
    }
  }

  /// Inserts ascending integers into an ascending tree; those that are there are passed over.
  func insert(ascending new: [Int64], into root: inout Int64) throws(StorageError) {
    if new.count * 16 < (try count(root)) {
      for value in new {
        let position = try firstPosition(in: root, notBelow: value)
        if position < (try count(root)), try integer(root, position) == value { continue }
        try insert(&root, position, .value(.int(value)))
      }
      return
    }
    let old = try integers(root)
    var merged: [Int64] = []
    merged.reserveCapacity(old.count + new.count)
    var next = 0
    for value in new {
      while next < old.count, old[next] < value {
        merged.append(old[next])
        next += 1
      }
      if next < old.count, old[next] == value { continue }
      merged.append(value)
    }
    merged += old[next...]
    try store.freeTree(root)
    root = try make(integers: merged)
  }

  /// The first position of a value; nil if it is not there.
  func position(of value: Int64, in root: Int64) throws(StorageError) -> Int? {
    var start = 0
    var mask = Array(repeating: 0 as UInt64, count: 16)
    var cursor = BPlusTreeCursor(root: root, in: store.view)
    store.renewWork()
    while let node = try cursor.nextLeaf() {
      guard node.scheme == .bits, !node.hasRefs else {
        throw .damage(.wrongNodeKind, at: node.offset, found: Int(node.flags))
      }
      // Leaves of old files can be longer than ours.
      for first in stride(from: 0, to: node.count, by: mask.count * 64) {
        let count = min(mask.count * 64, node.count - first)
        mask.withUnsafeMutableBufferPointer { mask in
          // An array with elements has an address.
          node.integers.fillMask(mask.baseAddress!, from: first, count: count, .equal, value)
        }
        for word in 0..<(count + 63) / 64 where mask[word] != 0 {
          return start + first + word * 64 + mask[word].trailingZeroBitCount
        }
      }
      start += node.count
    }
    return nil
  }

  /// The element at an index.
  func integer(_ root: Int64, _ index: Int) throws(StorageError) -> Int64 {
    guard case .value(.int(let value)) = try cell(root, index) else {
      throw .damage(.badIndex, at: Int(root), found: index)
    }
    return value
  }

  /// The first position in an ascending tree with an element that is not below a value.
  ///
  /// - Complexity: O(log n); the tree is descended once.
  func firstPosition(in root: Int64, notBelow value: Int64) throws(StorageError) -> Int {
    var (ref, position) = (root, 0)
    for _ in 0...BPlusTreeCursor.maximumDepth {
      let node = try store.view.integers(at: ref)
      guard node.isInner else {
        return position + TreeEditor.search(node.count) { node[$0] < value }
      }
      let inner = try TreeInner(ref, store)
      // The last child whose first element is below the value; the one before can end below it.
      var (low, high) = (0, inner.children.count - 1)
      while low < high {
        let middle = (low + high + 1) / 2
        if try first(inner.children[middle]) < value { low = middle } else { high = middle - 1 }
      }
      position += inner.start(of: low)
      ref = inner.children[low]
    }
    throw .damage(.badDepth, at: Int(root), found: 0, limit: BPlusTreeCursor.maximumDepth)
  }

  /// The first element below a node.
  private func first(_ root: Int64) throws(StorageError) -> Int64 {
    var ref = root
    for _ in 0...BPlusTreeCursor.maximumDepth {
      let node = try store.view.integers(at: ref)
      guard node.count > 0 else { break }
      guard node.isInner else { return node[0] }
      ref = try store.view.ref(node, 1)
    }
    throw .damage(.tooFewElements, at: Int(root), limit: 1)
  }

  /// How many of the first numbers fulfil a condition that no later one fulfils again.
  private static func search(_ count: Int, _ isBelow: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBelow(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
