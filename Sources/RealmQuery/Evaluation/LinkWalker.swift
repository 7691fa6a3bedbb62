import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// Follows the link steps of a path.
final class LinkWalker {
  private struct Step {
    let step: LinkStep
    let reader: ObjectReader
  }

  private let steps: [Step]
  private let run: QueryRun
  private var buffers: ([ObjectKey], [ObjectKey]) = ([], [])

  /// Whether all steps are single links.
  let isUnary: Bool
  /// Most objects held at a time: beyond it the query is stopped rather than fill the memory.
  private static let maximumReached = 1 << 26

  init(_ steps: [LinkStep], _ run: QueryRun) {
    self.run = run
    isUnary = steps.allSatisfy(\.isSingle)
    self.steps = steps.map { step in
      let columns = step.isBacklinks ? [] : [step.position]
      return Step(step: step, reader: ObjectReader(step.origin.table, columns: columns))
    }
  }

  /// Whether there are no steps.
  var isEmpty: Bool { steps.isEmpty }

  /// The objects reached from one, in order, as often as they are reached.
  ///
  /// The array is good until the next call.
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
    var present = buffers.0
    var next = buffers.1
    buffers = ([], [])
    defer { buffers = (present, next) }
    present.removeAll(keepingCapacity: true)
    present.append(key)
    for step in steps[..<stepCount] {
      next.removeAll(keepingCapacity: true)
      for key in present {
        try run.visit()
        try LinkWalker.follow(step, from: key, into: &next)
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
    for step in steps {
      let reader = step.reader
      let next = try reading { () throws(StorageError) -> ObjectKey? in
        guard try reader.move(to: present), case .link(_, let key) = try reader.value(0) else {
          return nil
        }
        return key
      }
      guard let next else { return nil }
      present = next
    }
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

  private static func follow(
    _ step: Step, from key: ObjectKey, into next: inout [ObjectKey]
  ) throws(QueryFailure) {
    let reader = step.reader
    guard try reading({ () throws(StorageError) in try reader.move(to: key) }) else { return }
    if case .backlinks(let backlink) = step.step.kind {
      do throws(StorageError) {
        try reader.table.forEachBacklink(backlink, to: reader.storedRow) { next.append($0) }
      } catch { throw .storage(error) }
      return
    }
    let value = try reading { () throws(StorageError) in try reader.value(0) }
    if case .link(_, let key) = value {
      next.append(key)
      return
    }
    try forEachLink(in: value, index: step.step.index, key: step.step.key) { next.append($0) }
  }

  /// Number of entries that the last step has for an object, its index or key ignored; 0 or 1 for a
  /// single link.
  func entryCount(ofLastStepFrom key: ObjectKey) throws(QueryFailure) -> Int64 {
    let step = steps[steps.count - 1]
    let reader = step.reader
    guard try reading({ () throws(StorageError) in try reader.move(to: key) }) else { return 0 }
    return try reading { () throws(StorageError) in
      if case .backlinks(let backlink) = step.step.kind {
        return Int64(try reader.table.backlinkCount(backlink, to: reader.storedRow))
      }
      switch try reader.value(0) {
      case .link: return 1
      case .list(let list): return Int64(try list.count())
      case .dictionary(let dictionary):
        var total: Int64 = 0
        for entry in try dictionary.entries() {
          if case .link = entry.value { total += 1 }
        }
        return total
      default: return 0
      }
    }
  }
}
