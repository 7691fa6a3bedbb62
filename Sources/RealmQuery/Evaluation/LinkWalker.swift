import ByteKernels
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// Follows the link steps of a path.
final class LinkWalker {
  private let steps: [StepReader]
  let run: QueryRun
  private var buffers: ([ObjectKey], [ObjectKey]) = ([], [])

  /// Whether all steps are single links.
  let isUnary: Bool
  /// Reads the links of whole blocks; nil unless there is just one step, which goes to all objects of
  /// a property.
  let blocks: BlockLinks?
  /// Most objects held at a time: beyond it the query is stopped rather than fill the memory.
  private static let maximumReached = 1 << 26

  init(_ steps: [LinkStep], _ run: QueryRun) {
    self.run = run
    isUnary = steps.allSatisfy(\.isSingle)
    self.steps = steps.map(StepReader.init)
    blocks = steps.count == 1 ? BlockLinks(steps[0], run) : nil
  }

  /// Whether there are no steps.
  var isEmpty: Bool { steps.isEmpty }

  /// The objects reached from one, in order, as often as they are reached.
  func reached(from key: ObjectKey) throws(QueryFailure) -> [ObjectKey] {
    try reached(from: key, stepCount: steps.count)
  }

  /// The objects reached by all steps but the last.
  func reachedBeforeLast(from key: ObjectKey) throws(QueryFailure) -> [ObjectKey] {
    try reached(from: key, stepCount: steps.count - 1)
  }

  private func reached(
    from key: ObjectKey, stepCount: Int
  ) throws(QueryFailure) -> [ObjectKey] {
    // The arrays of the call before are used again unless its caller has kept one.
    var (present, next) = buffers
    buffers = ([], [])
    defer { buffers = (present, next) }
    present.removeAll(keepingCapacity: true)
    present.append(key)
    for step in steps[..<stepCount] {
      next.removeAll(keepingCapacity: true)
      for key in present {
        try run.visit()
        do throws(StorageError) {
          try step.appendLinks(of: key, to: &next)
        } catch { throw .storage(error) }
        guard next.count <= LinkWalker.maximumReached else { throw tooMany }
      }
      swap(&present, &next)
      if present.isEmpty { break }
    }
    return present
  }

  private var tooMany: QueryFailure {
    .query(
      QueryError(
        .limitExceeded, "a path leads to more than \(LinkWalker.maximumReached) objects",
        at: SourceRange(start: 0, end: 0)))
  }

  /// The object reached by single links; nil if one of them is null.
  ///
  /// - Precondition: `isUnary`.
  func single(from key: ObjectKey) throws(QueryFailure) -> ObjectKey? {
    var present = key
    do throws(StorageError) {
      for step in steps {
        guard let next = try step.link(of: present) else { return nil }
        present = next
      }
    } catch { throw .storage(error) }
    return present
  }

  /// Calls `body` with each object reached.
  func forEachReached(
    from key: ObjectKey, _ body: (ObjectKey) throws(QueryFailure) -> Void
  ) throws(QueryFailure) {
    if isUnary {
      if let key = try single(from: key) { try body(key) }
    } else {
      for key in try reached(from: key) { try body(key) }
    }
  }

  /// Number of entries that the last step has for an object, its index or key ignored; 0 or 1 for a
  /// single link.
  func entryCount(
    ofLastStepFrom key: ObjectKey, countsNull: Bool
  ) throws(QueryFailure) -> Int64 {
    do throws(StorageError) {
      return try steps[steps.count - 1].entryCount(of: key, countsNull: countsNull)
    } catch { throw .storage(error) }
  }
}

/// Reads the links of one step.
private final class StepReader {
  private let kind: LinkStep.Kind
  private let index: Int64?
  private let key: UnsafeRawBufferPointer?
  private let reader: ObjectReader
  private let counts: BacklinkCounts?

  init(_ step: LinkStep) {
    kind = step.kind
    index = step.index
    key = step.key
    reader = ObjectReader(
      step.origin.table, columns: step.isBacklinks ? [] : [step.property.position])
    counts = step.isBacklinks && step.property.collection == .none ? BacklinkCounts(step) : nil
  }

  /// The object of a single link.
  func link(of object: ObjectKey) throws(StorageError) -> ObjectKey? {
    guard try reader.move(to: object), case .link(_, let key) = try reader.value(0) else {
      return nil
    }
    return key
  }

  func appendLinks(of object: ObjectKey, to keys: inout [ObjectKey]) throws(StorageError) {
    guard try reader.move(to: object) else { return }
    if case .backlinks(let backlink) = kind {
      try reader.table.forEachBacklink(backlink, to: reader.storedRow) { keys.append($0) }
      return
    }
    switch try reader.value(0) {
    case .link(_, let key): keys.append(key)
    case .list(let list):
      if let index {
        if case .link(_, let key)? = try list.element(at: index) { keys.append(key) }
      } else {
        try list.appendLinks(to: &keys)
      }
    case .dictionary(let dictionary):
      for entry in try dictionary.entries() {
        if let key, ScalarValue.compare(entry.key, key) != 0 { continue }
        if case .link(_, let key) = entry.value { keys.append(key) }
      }
    default: break
    }
  }

  func entryCount(of object: ObjectKey, countsNull: Bool) throws(StorageError) -> Int64 {
    if let count = try counts?.count(of: object) { return count }
    guard try reader.move(to: object) else { return 0 }
    if case .backlinks(let backlink) = kind {
      return Int64(try reader.table.backlinkCount(backlink, to: reader.storedRow))
    }
    switch try reader.value(0) {
    case .link: return 1
    case .list(let list): return Int64(try list.count())
    case .dictionary(let dictionary):
      if countsNull { return Int64(try dictionary.count()) }
      var total: Int64 = 0
      for entry in try dictionary.entries() {
        if case .link = entry.value { total += 1 }
      }
      return total
    default: return 0
    }
  }
}

extension StoredList {
  /// Adds the objects of a list or set of links; links to deleted objects are left out.
  func appendLinks(to keys: inout [ObjectKey]) throws(StorageError) {
    var cursor = try makeCursor()
    while let leaf = try cursor.nextLeaf() {
      guard case .key(let links, _) = leaf else { continue }
      for row in 0..<links.count {
        let key = links.packed[links.first &+ row]
        if key >= 0 { keys.append(ObjectKey(key)) }
      }
    }
  }

  /// The element at a position, -1 being the last; nil if it is outside.
  func element(at index: Int64) throws(StorageError) -> StoredValue? {
    if index < -1 { return nil }
    var cursor = try makeCursor()
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
