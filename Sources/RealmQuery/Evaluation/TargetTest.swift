import RealmObjects
import RealmStorage
import RealmValues

/// A predicate on the objects that a path leads to.
///
/// Objects are tested one at a time at first. When many are asked for, all objects of their class
/// are tested at once and the answers kept: what follows costs one look into a bit mask.
final class TargetTest {
  private let objectClass: ObjectClass
  private let predicate: BoundPredicate
  private let rows: RowPredicate
  private let run: QueryRun
  private var remaining: Int?
  private var known: KeySet?

  init(_ objectClass: ObjectClass, _ predicate: BoundPredicate, _ run: QueryRun) {
    self.objectClass = objectClass
    self.predicate = predicate
    self.run = run
    rows = RowPredicate(predicate, objectClass)
  }

  /// Testing an object by its leaf is so much quicker than finding it.
  private static let leafAdvantage = 128

  /// Whether the predicate holds for an object.
  func matches(_ key: ObjectKey) throws(QueryFailure) -> Bool {
    if let known { return known.contains(key) }
    if try isWorthKnowingAll() {
      let all = try matchingKeys()
      known = all
      return all.contains(key)
    }
    return try rows.matches(key)
  }

  /// Whether the predicate holds for as many of some objects as wanted.
  func matches(
    _ keys: UnsafeBufferPointer<Int64>, _ quantifier: Quantifier
  ) throws(QueryFailure) -> Bool {
    for key in keys {
      switch quantifier {
      case .any: if try matches(ObjectKey(key)) { return true }
      case .all: if try !matches(ObjectKey(key)) { return false }
      case .none: if try matches(ObjectKey(key)) { return false }
      }
    }
    return quantifier != .any
  }

  /// For how many of some objects the predicate holds.
  func matchCount(_ keys: UnsafeBufferPointer<Int64>) throws(QueryFailure) -> Int {
    var count = 0
    for key in keys where try matches(ObjectKey(key)) { count &+= 1 }
    return count
  }

  private func isWorthKnowingAll() throws(QueryFailure) -> Bool {
    if remaining == nil {
      let count = try reading { () throws(StorageError) in try objectClass.table.objectCount() }
      remaining = predicate.isOnLeaves ? count / TargetTest.leafAdvantage : count
    }
    remaining = (remaining ?? 0) &- 1
    return (remaining ?? 0) < 0
  }

  private func matchingKeys() throws(QueryFailure) -> KeySet {
    var keys: [ObjectKey] = []
    try BlockPredicate(predicate).forEachBlock(of: objectClass, run) {
      (cursor, rows) throws(QueryFailure) in
      rows.forEachRow { keys.append(cursor.key(at: $0)) }
      return true
    }
    return KeySet(ascending: keys)
  }
}

extension BoundPredicate {
  /// Whether it consists of tests of columns only.
  fileprivate var isOnLeaves: Bool {
    switch self {
    case .always, .vacuous: true
    case .column(let test): test.cost < ColumnTest.rowCost
    case .condition: false
    case .not(let part): part.isOnLeaves
    case .and(let parts), .or(let parts): parts.allSatisfy(\.isOnLeaves)
    }
  }
}

/// A set of object keys.
struct KeySet {
  /// One bit for each key below the greatest; empty if keys are too far apart for that.
  private var bits: [UInt64] = []
  private var scattered: Set<ObjectKey> = []

  /// Most bits for each key.
  private static let maximumSparsity = 256

  init(ascending keys: [ObjectKey]) {
    guard let last = keys.last?.rawValue else { return }
    guard last < Int64(keys.count &* KeySet.maximumSparsity) else {
      scattered = Set(keys)
      return
    }
    bits = Array(repeating: 0, count: Int(last >> 6) + 1)
    for key in keys {
      bits[Int(key.rawValue &>> 6)] |= 1 &<< UInt64(truncatingIfNeeded: key.rawValue & 63)
    }
  }

  @inline(__always)
  func contains(_ key: ObjectKey) -> Bool {
    let word = Int(key.rawValue &>> 6)
    if UInt(bitPattern: word) < UInt(bitPattern: bits.count) {
      return bits[word] &>> UInt64(truncatingIfNeeded: key.rawValue & 63) & 1 != 0
    }
    return !scattered.isEmpty && scattered.contains(key)
  }
}

/// A property behind links against one constant.
final class PathCondition: Condition {
  private let walker: LinkWalker
  private let target: TargetTest
  private let quantifier: Quantifier
  /// Whether the comparison holds where a single link on the way is null.
  private let matchesNull: Bool

  init(
    _ walker: LinkWalker, _ target: TargetTest, _ quantifier: Quantifier, matchesNull: Bool
  ) {
    self.walker = walker
    self.target = target
    self.quantifier = quantifier
    self.matchesNull = matchesNull
  }

  override func matches(_ key: ObjectKey) throws(QueryFailure) -> Bool {
    if walker.isUnary {
      guard let object = try walker.single(from: key) else { return matchesNull }
      return try target.matches(object)
    }
    for object in try walker.reached(from: key) {
      switch quantifier {
      case .any: if try target.matches(object) { return true }
      case .all: if try !target.matches(object) { return false }
      case .none: if try target.matches(object) { return false }
      }
    }
    return quantifier != .any
  }

  override var columns: [Int] { walker.blocks?.columns ?? [] }

  override func matches(
    _ rows: RowMask, _ cursor: TableCursor
  ) throws(QueryFailure) -> RowMask {
    guard let blocks = walker.blocks, cursor.hasClusters else {
      return try super.matches(rows, cursor)
    }
    var result = RowMask.empty
    try blocks.forEachRow(rows, cursor) { (row, links) throws(QueryFailure) in
      let holds =
        if walker.isUnary {
          try links.first.map { (key) throws(QueryFailure) in
            try target.matches(ObjectKey(key))
          } ?? matchesNull
        } else {
          try target.matches(links, quantifier)
        }
      if holds { result.insert(row) }
    }
    return result
  }
}
