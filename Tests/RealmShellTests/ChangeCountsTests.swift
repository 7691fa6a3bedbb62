import RealmValues
import Testing

@testable import RealmShell

/// What a transaction remembers of its changes.
struct ChangeCountsTests {
  private func set(_ keys: [Int64]) -> KeySet {
    var set = KeySet()
    for key in keys { set.insert(ObjectKey(key)) }
    return set
  }

  @Test(arguments: [
    [], [0], [0, 1, 2], [5, 6, 9, 10], [3, 1, 2], [1, 1, 1], [4, 5, 4, 6, 5], [10, 5, 11, 6, 5],
  ])
  func keysCountOnce(_ keys: [Int64]) {
    let set = set(keys)
    #expect(set.count == Set(keys).count)
    for key in -1...12 as ClosedRange<Int64> {
      #expect(set.contains(ObjectKey(key)) == keys.contains(key))
    }
  }

  @Test func nothingIsSaidSo() {
    #expect(ChangeCounts().text == "nothing")
  }
}
