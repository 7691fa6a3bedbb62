import RealmStorage
import RealmValues
import TestSupport
import Testing

@testable import RealmObjects

/// Random changes: each change set, applied to the old state, gives the new one.
///
/// CHANGE_SEQUENCES says how many sequences are tried.
struct ChangeModelTests {
  private static var sequenceCount: Int { TestScale.number("CHANGE_SEQUENCES", standard: 5_000) }

  /// Applies a change set as an app does to a list view.
  static func applied<Element>(
    _ changes: CollectionChanges, to old: [Element], new: [Element]
  ) -> [Element] {
    var result = old
    for position in Array(changes.deletions).reversed() { result.remove(at: position) }
    for position in changes.insertions { result.insert(new[position], at: position) }
    return result
  }

  private static func expectSound(
    _ changes: CollectionChanges, _ old: [Int], _ new: [Int], _ comment: String
  ) {
    guard changes.fits(from: old.count, to: new.count) else {
      Issue.record("\(comment): \(changes) does not lead from \(old) to \(new)")
      return
    }
    let result = applied(changes, to: old, new: new)
    let olds = changes.oldModifications.map { old[$0] }
    let news = changes.newModifications.map { new[$0] }
    guard result == new, olds == news,
      changes.oldModifications.allSatisfy({ !changes.deletions.contains($0) }),
      changes.newModifications.allSatisfy({ !changes.insertions.contains($0) })
    else {
      Issue.record("\(comment): \(changes) leads from \(old) to \(result), not to \(new)")
      return
    }
  }

  /// One random operation on a list whose elements are all different.
  private static func operation(
    _ list: inout [Int], _ next: inout Int, _ random: inout SplitMix64
  ) -> TransactionChanges.ElementChange {
    switch Int.random(in: 0..<(list.isEmpty ? 1 : 12), using: &random) {
    case 0...3:
      let index = Int.random(in: 0...list.count, using: &random)
      list.insert(next, at: index)
      next += 1
      return .insert(index)
    case 4...6:
      let index = Int.random(in: 0..<list.count, using: &random)
      list.remove(at: index)
      return .erase(index)
    case 7...9:
      let from = Int.random(in: 0..<list.count, using: &random)
      let to = Int.random(in: 0..<list.count, using: &random)
      list.insert(list.remove(at: from), at: to)
      return .move(from, to)
    case 10 where Int.random(in: 0..<5, using: &random) == 0:
      let count = list.count
      list = []
      return .clear(oldCount: count)
    default: return .set(Int.random(in: 0..<list.count, using: &random))
    }
  }

  @Test func listsOverSeveralCommits() {
    var random = SplitMix64(seed: 1)
    for sequence in 0..<Self.sequenceCount {
      let old = Array(0..<Int.random(in: 0..<8, using: &random))
      var (list, next) = (old, 100)
      var recorder = ChangeRecorder()
      var model = ChangeAlgorithm.Record()
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        var operations: [TransactionChanges.ElementChange] = []
        for _ in 0..<Int.random(in: 1...6, using: &random) {
          operations.append(Self.operation(&list, &next, &random))
        }
        recorder.merge(ChangeRecorder(operations))
        model.merge(ChangeAlgorithm.Record(operations))
      }
      Self.expectSound(recorder.changes(), old, list, "sequence \(sequence)")
      guard ChangeAlgorithm.Result(recorder.changes()) == model.result else {
        Issue.record("sequence \(sequence): \(recorder.changes()) instead of \(model.result)")
        return
      }
    }
  }

  @Test func results() {
    var random = SplitMix64(seed: 2)
    for sequence in 0..<Self.sequenceCount {
      let isInTableOrder = sequence % 3 == 0
      let old = (0..<10).filter { _ in Bool.random(using: &random) }
      var new = (0..<10).filter { _ in Bool.random(using: &random) }
      if !isInTableOrder { new.shuffle(using: &random) }
      let repeated = sequence % 5 == 1 ? new + new.prefix(2) : new
      new = repeated
      let deleted = Set((0..<10).filter { _ in Int.random(in: 0..<8, using: &random) == 0 })
      let modified = Set((0..<10).filter { _ in Int.random(in: 0..<4, using: &random) == 0 })
      let isInOrder = isInTableOrder && repeated.count < 11 && new == new.sorted()
      let changes = ResultsDifference.changes(
        from: old.map { ObjectKey(Int64($0)) }, to: new.map { ObjectKey(Int64($0)) },
        isInTableOrder: isInOrder,
        isDeleted: { deleted.contains(Int($0.rawValue)) },
        isModified: { modified.contains(Int($0.rawValue)) })
      // An object that was deleted and made again is another one.
      Self.expectSound(
        changes, old.map { deleted.contains($0) ? -$0 - 1 : $0 }, new, "sequence \(sequence)")
      let expected = ChangeAlgorithm.difference(
        old, new, isInTableOrder: isInOrder, deleted: deleted, modified: modified)
      guard ChangeAlgorithm.Result(changes) == expected else {
        Issue.record("sequence \(sequence): \(old) -> \(new): \(changes), not \(expected)")
        return
      }
    }
  }
}
