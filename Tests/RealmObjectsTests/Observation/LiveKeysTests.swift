import RealmValues
import TestSupport
import Testing

@testable import RealmObjects

/// Results that are brought up to date, beside results that are found anew: after every commit of
/// random changes both have the same objects, and the change set is that of the algorithm.
///
/// CHANGE_SEQUENCES says how many sequences are tried.
struct LiveKeysTests {
  private static var sequenceCount: Int { TestScale.number("CHANGE_SEQUENCES", standard: 2_000) }

  private struct Thing {
    var age: Int
    var name: Int
  }

  /// What results depend on.
  private struct Shape {
    var isSorted: Bool
    var isDescending: Bool
    var limit: Int?
    var matchesAll: Bool

    func results(_ things: [Int: Thing]) -> [Int] {
      let keys = things.keys.filter { matchesAll || (things[$0]?.age ?? 0) < 5 }.sorted()
      guard isSorted else { return keys }
      return keys.sorted { precedes(things, $0, $1) }
    }

    func precedes(_ things: [Int: Thing], _ a: Int, _ b: Int) -> Bool {
      let (x, y) = (things[a]?.name ?? 0, things[b]?.name ?? 0)
      return x == y ? a < b : isDescending ? x > y : x < y
    }

    var window: Range<Int>? { limit.map { 0..<$0 } }

    func visible(_ keys: [Int]) -> [Int] { limit.map { Array(keys.prefix($0)) } ?? keys }
  }

  /// The things, and what a commit has done to them.
  private struct World {
    var things: [Int: Thing] = [:]
    var next = 0
    var touched: Set<Int> = []
    var deleted: Set<Int> = []
    var modified: Set<Int> = []

    mutating func commit(_ operations: Int, _ random: inout SplitMix64) {
      (touched, deleted, modified) = ([], [], [])
      var created: Set<Int> = []
      for _ in 0..<operations {
        let key = things.keys.sorted().randomElement(using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0...2:
          things[next] = Thing(
            age: Int.random(in: 0..<8, using: &random), name: Int.random(in: 0..<9, using: &random))
          created.insert(next)
          next += 1
        case 3...4:
          guard let key else { continue }
          things[key] = nil
          if created.remove(key) == nil { deleted.insert(key) }
          modified.remove(key)
        case 5...6:
          guard let key else { continue }
          things[key]?.age = Int.random(in: 0..<8, using: &random)
          if !created.contains(key) { modified.insert(key) }
        default:
          guard let key else { continue }
          things[key]?.name = Int.random(in: 0..<9, using: &random)
          if !created.contains(key) { modified.insert(key) }
        }
      }
      touched = created.union(deleted).union(modified)
    }
  }

  private static func keys(_ numbers: some Sequence<Int>) -> [ObjectKey] {
    numbers.map { ObjectKey(Int64($0)) }
  }

  private static func run(_ sequence: Int, _ random: inout SplitMix64) -> String? {
    let shape = Shape(
      isSorted: Bool.random(using: &random), isDescending: Bool.random(using: &random),
      limit: Int.random(in: 0..<4, using: &random) == 0
        ? Int.random(in: 0..<6, using: &random) : nil,
      matchesAll: Int.random(in: 0..<4, using: &random) == 0)
    var world = World()
    world.commit(Int.random(in: 0..<30, using: &random), &random)
    var live = LiveKeys(
      keys(shape.results(world.things)), isInTableOrder: !shape.isSorted, window: shape.window)
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let old = shape.visible(shape.results(world.things))
      world.commit(Int.random(in: 0..<8, using: &random), &random)
      let matches = shape.results(world.things)
      let new = shape.visible(matches)
      // Objects that links lead from count as modified without having been touched.
      let modified = world.modified.union(
        matches.filter { _ in Int.random(in: 0..<12, using: &random) == 0 })
      let touched = LiveKeys.Touched(
        keys: keys(world.touched.sorted()),
        matching: Set(keys(world.touched.intersection(matches))),
        deleted: Set(keys(world.deleted)), modified: Set(keys(modified)))
      let things = world.things
      let update =
        if Int.random(in: 0..<5, using: &random) == 0 {
          live.replace(keys(matches), touched)
        } else {
          live.update(touched) { a, b in
            shape.precedes(things, Int(a.rawValue), Int(b.rawValue))
          }
        }
      let expected = ChangeAlgorithm.difference(
        old, new, isInTableOrder: !shape.isSorted, deleted: world.deleted, modified: modified)
      guard live.keys == keys(new), live.count == new.count,
        new.indices.allSatisfy({ live[$0] == keys([new[$0]])[0] })
      else { return "\(live.keys) instead of \(new)" }
      guard ChangeAlgorithm.Result(update.changes) == expected else {
        return "\(old) -> \(new): \(update.changes) instead of \(expected)"
      }
      guard update.deletedKeys == update.changes.deletions.map({ keys([old[$0]])[0] }) else {
        return "\(old) -> \(new): \(update.deletedKeys) deleted"
      }
    }
    return nil
  }

  @Test func followsCommits() {
    var random = SplitMix64(seed: 11)
    for sequence in 0..<Self.sequenceCount {
      if let problem = Self.run(sequence, &random) {
        Issue.record("sequence \(sequence): \(problem)")
        return
      }
    }
  }

  /// Enough objects for many blocks, which come and go.
  @Test(arguments: [false, true]) func manyBlocks(_ isSorted: Bool) {
    var random = SplitMix64(seed: 12)
    var names = (0..<20_000).map { _ in Int.random(in: 0..<5000, using: &random) }
    func precedes(_ a: Int, _ b: Int) -> Bool { (names[a], a) < (names[b], b) }
    func results(_ present: Set<Int>) -> [Int] {
      isSorted ? present.sorted(by: precedes) : present.sorted()
    }
    var present = Set(0..<5_000)
    var live = LiveKeys(Self.keys(results(present)), isInTableOrder: !isSorted)
    for round in 0..<30 {
      var touched: Set<Int> = []
      // Half of the time a part is emptied, or filled with neighbours.
      let start = Int.random(in: 0..<15_000, using: &random)
      for step in 0..<Int.random(in: 1..<3000, using: &random) {
        touched.insert(
          round % 2 == 0 ? start + step : Int.random(in: 0..<20_000, using: &random))
      }
      let matching = round % 4 == 0 ? [] : touched.filter { ($0 + round) % 3 > 0 }
      for key in touched {
        names[key] = round % 3 == 0 ? 7 : Int.random(in: 0..<5000, using: &random)
      }
      let modified = touched.intersection(present)
      present = present.subtracting(touched).union(matching)
      let before = live
      let update = live.update(
        LiveKeys.Touched(
          keys: Self.keys(touched.sorted()), matching: Set(Self.keys(matching)), deleted: [],
          modified: Set(Self.keys(modified)))
      ) { precedes(Int($0.rawValue), Int($1.rawValue)) }
      let new = Self.keys(results(present))
      #expect(live.keys == new)
      #expect(
        ChangeModelTests.applied(update.changes, to: before.keys, new: new) == new)
      let expected = ResultsDifference.changes(
        from: before.keys, to: new, isInTableOrder: !isSorted, isDeleted: { _ in false },
        isModified: { modified.contains(Int($0.rawValue)) })
      #expect(update.changes == expected)
    }
  }
}
