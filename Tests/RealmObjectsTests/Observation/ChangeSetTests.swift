import RealmStorage
import RealmValues
import Testing

@testable import RealmObjects

/// The examples of object-model.md 6.4, 6.6 and 6.8.
struct ChangeSetTests {
  typealias Change = TransactionChanges.ElementChange

  private func text(_ changes: CollectionChanges) -> String {
    var parts: [String] = []
    if !changes.deletions.isEmpty { parts.append("D\(Array(changes.deletions))") }
    if !changes.insertions.isEmpty { parts.append("I\(Array(changes.insertions))") }
    if !changes.newModifications.isEmpty {
      parts.append("M\(Array(changes.oldModifications))\(Array(changes.newModifications))")
    }
    return parts.joined(separator: " ").replacing(", ", with: ",")
  }

  private func merged(_ commits: [Change]...) -> String {
    var recorder = ChangeRecorder()
    for commit in commits { recorder.merge(ChangeRecorder(commit)) }
    return text(recorder.changes())
  }

  @Test func operations() {
    #expect(merged([.insert(0)]) == "I[0]")
    #expect(merged([.move(0, 3)]) == "D[0] I[3]")
    #expect(merged([.move(0, 4), .move(3, 0)]) == "D[0,4] I[0,4]")
    #expect(merged([.set(2)]) == "M[2][2]")
    #expect(merged([.erase(3)]) == "D[3]")
    #expect(merged([.insert(1), .erase(1)]) == "")
    #expect(merged([.erase(1), .insert(1)]) == "D[1] I[1]")
    #expect(merged([.clear(oldCount: 3), .insert(0), .insert(1)]) == "D[0,1,2] I[0,1]")
    #expect(merged([.insert(3), .clear(oldCount: 4)]) == "D[0,1,2]")
    #expect(merged([.set(1), .move(1, 3)]) == "D[1] I[3]")
  }

  @Test func severalCommits() {
    #expect(merged([.erase(5)], [.erase(3)]) == "D[3,5]")
    #expect(merged([.erase(5)], [.erase(5)]) == "D[5,6]")
    #expect(merged([.erase(5)], [.erase(6)]) == "D[5,7]")
    #expect(merged([.insert(5)], [.erase(4)]) == "D[4] I[4]")
    #expect(merged([.insert(5)], [.erase(5)]) == "")
    #expect(merged([.insert(5)], [.erase(6)]) == "D[5] I[5]")
    #expect(
      merged([.insert(1), .insert(5)], [.insert(1), .insert(4)]) == "I[1,2,4,7]")
    #expect(merged([.set(1), .set(5)], [.insert(1), .insert(4)]) == "I[1,4] M[1,5][2,7]")
    #expect(merged([.set(2)], [.erase(2)]) == "D[2]")
    #expect(merged([.move(1, 3)], [.move(3, 1)]) == "")
    #expect(merged([.move(1, 3)], [.erase(3)]) == "D[1]")
    #expect(merged([.set(2)], [.insert(0)], [.erase(3)]) == "D[2] I[0]")
  }

  private func difference(_ old: [Int64], _ new: [Int64], modified: Set<Int64> = []) -> String {
    text(
      ResultsDifference.changes(
        from: old.map { ObjectKey($0) }, to: new.map { ObjectKey($0) }, isInTableOrder: false,
        isDeleted: { _ in false }, isModified: { modified.contains($0.rawValue) }))
  }

  @Test func differences() {
    #expect(difference([1, 2, 3], [1, 3, 2]) == "D[2] I[1]")
    #expect(difference([1, 2, 3], [2, 1, 3]) == "D[1] I[0]")
    #expect(difference([1, 2, 3], [2, 3, 1]) == "D[0] I[2]")
    #expect(difference([1, 2, 3], [3, 1, 2]) == "D[2] I[0]")
    #expect(difference([1, 2, 3], [3, 2, 1]) == "D[1,2] I[0,1]")
    #expect(difference([1, 3, 2], [2, 1, 3]) == "D[2] I[0]")
    #expect(difference([1, 3, 2], [3, 1, 2]) == "D[1] I[0]")
    #expect(difference([1, 3, 2], [3, 2, 1]) == "D[0] I[2]")
    #expect(difference([1, 2, 3], [1, 3, 2], modified: [2]) == "D[1] I[2]")
    #expect(difference([1, 2, 3], [1, 3, 2], modified: [3]) == "D[2] I[1]")
    #expect(difference([1, 1, 2, 2, 3, 3], [1, 2, 3, 1, 2, 3]) == "D[3,5] I[1,2]")
    #expect(difference([3, 2, 1, 1, 2, 3], [1, 1, 2, 2, 3, 3]) == "D[0,1] I[3,5]")
    #expect(difference([1, 1, 1, 1, 2, 3], [1, 2, 3, 1]) == "D[1,2,3] I[3]")
  }

  @Test func scenariosOfTheDifference() {
    #expect(difference([1, 2, 3, 4, 5], [5, 4, 3, 2, 1]) == "D[1,2,3,4] I[0,1,2,3]")
    #expect(difference([1, 2, 3, 4, 5, 6], [4, 5, 6, 1, 2, 3]) == "D[3,4,5] I[0,1,2]")
    #expect(difference([1, 2, 3, 4, 5], [2, 1, 4, 3, 5]) == "D[1,3] I[0,2]")
    #expect(difference([1, 2, 3, 4, 5, 6], [6, 1, 2, 3, 4, 5]) == "D[5] I[0]")
    #expect(difference([1, 2, 3, 4, 5, 6], [2, 3, 4, 5, 6, 1]) == "D[0] I[5]")
    #expect(difference([4, 4, 5], [5, 4, 4]) == "D[2] I[0]")
    #expect(
      difference([1, 2, 3, 4], [9, 4, 1, 3, 8], modified: [1, 3])
        == "D[1,3] I[0,1,4] M[0,2][2,3]")
    #expect(
      difference([1, 2, 3, 4, 5], [5, 4, 3, 2, 1], modified: [1, 2, 4, 5])
        == "D[0,1,3,4] I[0,1,3,4]")
  }
}
