import TestSupport
import Testing

@testable import RealmObjects

/// The sets of positions against plain sets, with the operations as object-model.md 6.4 defines
/// them.
struct PositionSetTests {
  static func erasing(_ a: Set<Int>, _ s: Set<Int>) -> Set<Int> {
    Set(a.subtracting(s).map { x in x - s.count { $0 < x } })
  }

  static func makingRoom(_ a: Set<Int>, _ s: Set<Int>) -> Set<Int> {
    let members = s.sorted()
    var result: Set<Int> = []
    var k = 0
    for x in a.sorted() {
      while k < members.count, members[k] <= x + k { k += 1 }
      result.insert(x + k)
    }
    return result
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func behavesAsASet(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 {
      let a = Set(
        (0..<Int.random(in: 0..<12, using: &random)).map { _ in
          Int.random(in: 0..<20, using: &random)
        })
      let s = Set(
        (0..<Int.random(in: 0..<12, using: &random)).map { _ in
          Int.random(in: 0..<20, using: &random)
        })
      let (x, y) = (PositionSet(a), PositionSet(s))
      #expect(Set(x) == a && x.count == a.count && Array(x) == a.sorted())
      #expect(Set(x.union(y)) == a.union(s))
      #expect(Set(x.subtracting(y)) == a.subtracting(s))
      #expect(Set(x.erasing(y)) == Self.erasing(a, s))
      #expect(Set(x.makingRoom(for: y)) == Self.makingRoom(a, s))
      let i = Int.random(in: 0..<22, using: &random)
      #expect(x.contains(i) == a.contains(i))
      #expect(x.shift(i) == Self.makingRoom([i], a).first)
      #expect(x.count(in: i..<i + 5) == a.count { $0 >= i && $0 < i + 5 })
      var z = x
      z.insert(i)
      #expect(Set(z) == a.union([i]))
      z.remove(i)
      #expect(Set(z) == a.subtracting([i]))
      z = x
      z.erase(at: i)
      #expect(z == PositionSet(Self.erasing(a, [i])))
      z = x
      z.insertShifting(i)
      #expect(z == PositionSet(Self.makingRoom(a, [i]).union([i])))
    }
  }
}
