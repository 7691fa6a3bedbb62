import TestSupport

/// A file and where its nodes are, as a source of damaged files.
struct Specimen {
  let name: String
  let bytes: [UInt8]
  private var nodes: [Node] = []

  private struct Node {
    var offset: Int
    var byteCount: Int
    var count: Int
    /// Width of the elements in bytes, if they can be refs of more than one byte.
    var refWidth: Int
  }

  init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
    findNodes()
  }

  /// A damaged file.
  func mutated(by random: inout SplitMix64) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...6, using: &random) { mutate(&bytes, &random) }
    return bytes
  }

  private func mutate(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
    guard bytes.count > 32 else { return }
    let node = nodes.randomElement(using: &random)
    switch (Int.random(in: 0..<12, using: &random), node) {
    case (0...1, let node?): put(random.next() & 0xFF, 1, at: node.offset + 4, &bytes)
    case (2...3, let node?):
      let sizes = [0, 1, node.count - 1, node.count + 1, 2 * node.count, 0xFF_FFFF]
      let size = sizes.randomElement(using: &random) ?? 0
      for i in 0..<3 {
        put(UInt64(truncatingIfNeeded: size >> (16 - 8 * i)), 1, at: node.offset + 5 + i, &bytes)
      }
    case (4...6, let node?):
      mutateElement(of: node, &bytes, &random)
    case (7, let node?):
      guard let other = nodes.randomElement(using: &random) else { return }
      let count = min(node.byteCount, other.byteCount)
      for i in 0..<count where max(node.offset, other.offset) + i < bytes.count {
        bytes.swapAt(node.offset + i, other.offset + i)
      }
    case (8, _):
      let count = Int.random(in: 0...bytes.count, using: &random)
      bytes.removeLast(bytes.count - (Bool.random(using: &random) ? count & ~7 : count))
    case (9, _): put(random.next() & 0xFF, 1, at: Int(random.next() % 24), &bytes)
    default:
      let offset = Int(random.next() % UInt64(bytes.count))
      put(random.next() & 0xFF, 1, at: offset, &bytes)
    }
  }

  /// Lets an element lead to another node, or be a number at a border.
  private func mutateElement(of node: Node, _ bytes: inout [UInt8], _ random: inout SplitMix64) {
    guard node.count > 0 else { return }
    let width = max(1, node.refWidth)
    let index = Int.random(in: 0..<max(1, min(node.count, node.byteCount / width)), using: &random)
    let target = nodes.randomElement(using: &random)?.offset ?? 0
    let values: [UInt64] = [
      UInt64(target), UInt64(target), UInt64(node.offset), 0, 1, 3, 8, .max, .max - 1, 1 << 62,
      UInt64(bytes.count), random.next() & 0xFFF8, random.next() >> 32, (1 << 63) | 1,
    ]
    put(
      values.randomElement(using: &random) ?? 0, width, at: node.offset + 8 + index * width, &bytes)
  }

  private func put(_ value: UInt64, _ width: Int, at offset: Int, _ bytes: inout [UInt8]) {
    for i in 0..<width where offset + i < bytes.count {
      bytes[offset + i] = UInt8(truncatingIfNeeded: value >> UInt64(8 * i))
    }
  }

  // MARK: Nodes

  private func word(_ offset: Int, _ width: Int) -> Int {
    guard offset >= 0, offset + width <= bytes.count else { return 0 }
    return (0..<width).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
  }

  /// Follows the refs from the top array.
  private mutating func findNodes() {
    guard bytes.count >= 40 else { return }
    let slot = Int(bytes[23] & 1)
    let isStreaming = slot == 0 && bytes[0..<8].allSatisfy { $0 == 0xFF }
    var pending = [isStreaming ? word(bytes.count - 16, 8) : word(8 * slot, 8)]
    var seen: Set<Int> = []
    while let ref = pending.popLast() {
      guard ref >= 24, ref % 8 == 0, ref + 8 <= bytes.count, seen.insert(ref).inserted else {
        continue
      }
      let flags = Int(bytes[ref + 4])
      let count = Int(bytes[ref + 5]) << 16 | Int(bytes[ref + 6]) << 8 | Int(bytes[ref + 7])
      let width = (1 << (flags & 7)) >> 1
      let payload = [(count * width + 7) / 8, count * width, count, count][flags >> 3 & 3]
      let hasRefs = flags & 0x58 == 0x40 && width >= 8
      nodes.append(
        Node(
          offset: ref, byteCount: 8 + payload, count: count,
          refWidth: flags & 0x18 == 0 ? width / 8 : 1))
      guard hasRefs, ref + 8 + payload <= bytes.count else { continue }
      for i in 0..<count {
        let element = word(ref + 8 + i * width / 8, width / 8)
        if element != 0, element & 1 == 0 { pending.append(element) }
      }
    }
  }
}
