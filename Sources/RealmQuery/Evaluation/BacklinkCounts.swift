import ByteKernels
import RealmObjects
import RealmStorage
import RealmValues

/// Numbers of objects that link to others through a single link property.
///
/// When many numbers are asked for, all links are read once and counted, which is quicker than
/// finding the backlinks of each object.
final class BacklinkCounts {
  private let step: LinkStep
  private var remaining: Int?
  private var isUsable = true
  /// For each object key; empty until all links are read.
  private var counts: [UInt32] = []

  /// Finding the backlinks of an object takes so much longer than reading a link.
  private static let advantage = 128
  /// Most numbers for each object.
  private static let maximumSparsity = 256

  /// - Precondition: The step goes backwards through a single link.
  init(_ step: LinkStep) { self.step = step }

  /// The number for an object; nil as long as it is quicker to look at its backlinks.
  func count(of key: ObjectKey) throws(StorageError) -> Int64? {
    if remaining == nil {
      remaining = try step.target.table.objectCount() / BacklinkCounts.advantage
    }
    guard isUsable else { return nil }
    if (remaining ?? 0) > 0 {
      remaining = (remaining ?? 0) &- 1
      return nil
    }
    if counts.isEmpty { try readAll() }
    guard isUsable else { return nil }
    let index = Int(key.rawValue)
    return UInt(bitPattern: index) < UInt(bitPattern: counts.count) ? Int64(counts[index]) : 0
  }

  private func readAll() throws(StorageError) {
    let limit = try step.origin.table.objectCount() &* BacklinkCounts.maximumSparsity
    var counts: [UInt32] = [0]
    let cursor = try TableCursor(step.target.table, columns: [step.property.position])
    while try cursor.next() {
      guard case .link(let leaf, _) = try cursor.leaf(0) else { continue }
      for row in 0..<cursor.count {
        let key = Int(leaf.packed[leaf.first &+ row] &- 1)
        guard key >= 0 else { continue }
        if key >= counts.count {
          guard key < limit else {
            isUsable = false
            return
          }
          let missing = max(key &+ 1, 2 &* counts.count) &- counts.count
          counts.append(contentsOf: repeatElement(0, count: missing))
        }
        counts[key] &+= 1
      }
    }
    self.counts = counts
  }
}
