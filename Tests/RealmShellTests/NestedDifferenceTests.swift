import RealmObjects
import TestSupport
import Testing

@testable import RealmShell

/// The changes of collections inside of collections lead from the old elements to the new ones.
struct NestedDifferenceTests {
  @Test func examples() {
    func text(_ old: String, _ new: String) -> String {
      let changes = NestedDifference.changes(from: Array(old), to: Array(new))
      return "D\(Array(changes.deletions)) I\(Array(changes.insertions)) "
        + "M\(Array(changes.newModifications))"
    }
    #expect(text("abc", "abc") == "D[] I[] M[]")
    #expect(text("abc", "xabc") == "D[] I[0] M[]")
    #expect(text("abc", "ac") == "D[1] I[] M[]")
    #expect(text("abc", "axc") == "D[] I[] M[1]")
    #expect(text("abc", "") == "D[0, 1, 2] I[] M[]")
    #expect(text("aa", "aaa") == "D[] I[2] M[]")
    #expect(text("abcd", "axd") == "D[2] I[] M[1]")
  }

  @Test func randomChanges() {
    var random = SplitMix64(seed: 3)
    for _ in 0..<2_000 {
      func elements() -> [Int] {
        (0..<Int.random(in: 0..<7, using: &random)).map { _ in
          Int.random(in: 0..<3, using: &random)
        }
      }
      let (old, new) = (elements(), elements())
      let changes = NestedDifference.changes(from: old, to: new)
      #expect(changes.fits(from: old.count, to: new.count))
      var result = old
      for position in Array(changes.deletions).reversed() { result.remove(at: position) }
      for position in changes.insertions { result.insert(new[position], at: position) }
      for position in changes.newModifications { result[position] = new[position] }
      #expect(result == new)
      #expect(
        zip(changes.oldModifications, changes.newModifications).allSatisfy { old[$0] != new[$1] })
    }
  }
}
