import RealmObjects
import RealmStorage

/// Change sets as object-model.md 6.4, 6.6 and 6.8 define them, written down step by step with plain
/// sets: slow, and without the shortcuts of the product.
enum ChangeAlgorithm {
  typealias Positions = Set<Int>

  /// The parts of a change set.
  struct Result: Equatable {
    var deletions: [Int]
    var insertions: [Int]
    var oldModifications: [Int]
    var newModifications: [Int]

    init(_ changes: CollectionChanges) {
      deletions = Array(changes.deletions)
      insertions = Array(changes.insertions)
      oldModifications = Array(changes.oldModifications)
      newModifications = Array(changes.newModifications)
    }

    init(_ deletions: Positions, _ insertions: Positions, _ modifications: Positions) {
      self.deletions = deletions.sorted()
      self.insertions = insertions.sorted()
      newModifications = modifications.subtracting(insertions).sorted()
      oldModifications =
        shifted(erased(modifications, insertions), for: deletions).sorted()
    }
  }

  // MARK: Sets (6.4)

  static func erased(_ positions: Positions, _ others: Positions) -> Positions {
    Positions(
      positions.subtracting(others).map { position in
        position - others.count { $0 < position }
      })
  }

  static func shifted(_ positions: Positions, for others: Positions) -> Positions {
    let others = others.sorted()
    var result: Positions = []
    var k = 0
    for position in positions.sorted() {
      while k < others.count, others[k] <= position + k { k += 1 }
      result.insert(position + k)
    }
    return result
  }

  static func inserted(_ positions: Positions, _ others: Positions) -> Positions {
    shifted(positions, for: others).union(others)
  }

  static func shift(_ others: Positions, _ position: Int) -> Int {
    var position = position
    for other in others.sorted() {
      guard other <= position else { break }
      position += 1
    }
    return position
  }

  static func unshift(_ others: Positions, _ position: Int) -> Int {
    position - others.count { $0 < position }
  }

  // MARK: Recording (6.4, 6.6)

  /// What was done to a list in one commit, or in several.
  struct Record {
    var deletions: Positions = []
    var insertions: Positions = []
    var modifications: Positions = []
    var moves: [(from: Int, to: Int)] = []
    var isCleared = false

    init() {}

    init(_ changes: [TransactionChanges.ElementChange]) {
      for change in changes { record(change) }
      removeStaleMoves()
    }

    var result: Result { Result(deletions, insertions, modifications) }

    private mutating func record(_ change: TransactionChanges.ElementChange) {
      switch change {
      case .insert(let i):
        modifications = shifted(modifications, for: [i])
        insertions = inserted(insertions, [i])
        for m in moves.indices where moves[m].to >= i { moves[m].to += 1 }
        isCleared = false
      case .set(let i): modifications.insert(i)
      case .erase(let i):
        modifications = erased(modifications, [i])
        if insertions.contains(i) {
          insertions = erased(insertions, [i])
        } else {
          let old = unshift(insertions, i)
          insertions = erased(insertions, [i])
          deletions.insert(shift(deletions, old))
        }
        moves.removeAll { $0.to == i }
        for m in moves.indices where moves[m].to > i { moves[m].to -= 1 }
      case .clear(let count):
        deletions = Positions(0..<(count + deletions.count - insertions.count))
        (insertions, modifications, moves, isCleared) = ([], [], [], true)
      // Writers do not record a move to the same place.
      case .move(let from, let to): if from != to { move(from, to) }
      }
    }

    private mutating func move(_ from: Int, _ to: Int) {
      var own: Int?
      if let known = moves.firstIndex(where: { $0.to == from }) {
        moves[known].to = to
        own = known
        insertions = inserted(erased(insertions, [from]), [to])
      } else if insertions.contains(from) {
        insertions = inserted(erased(insertions, [from]), [to])
      } else {
        let old = unshift(insertions, from)
        insertions = inserted(erased(insertions, [from]), [to])
        let start = shift(deletions, old)
        deletions.insert(start)
        moves.append((start, to))
        own = moves.count - 1
      }
      for m in moves.indices where m != own {
        if from > to, (to..<from).contains(moves[m].to) {
          moves[m].to += 1
        } else if from < to, (from + 1...to).contains(moves[m].to) {
          moves[m].to -= 1
        }
      }
      let isModified = modifications.contains(from)
      modifications = shifted(erased(modifications, [from]), for: [to])
      if isModified { modifications.insert(to) }
    }

    private mutating func removeStaleMoves() {
      var real: [(from: Int, to: Int)] = []
      for move in moves {
        if unshift(deletions, move.from) == unshift(insertions, move.to) {
          deletions.remove(move.from)
          insertions.remove(move.to)
        } else {
          real.append(move)
        }
      }
      moves = real
    }

    mutating func merge(_ other: Record) {
      var next = other
      if next.deletions.isEmpty, next.insertions.isEmpty, next.modifications.isEmpty,
        next.moves.isEmpty, !next.isCleared
      {
        return
      }
      if deletions.isEmpty, insertions.isEmpty, modifications.isEmpty, moves.isEmpty, !isCleared {
        self = next
        return
      }
      if !next.moves.isEmpty || !next.deletions.isEmpty || !next.insertions.isEmpty {
        var kept: [(from: Int, to: Int)] = []
        for var old in moves {
          if let m = next.moves.firstIndex(where: { $0.from == old.to }) {
            if modifications.contains(next.moves[m].from) {
              next.modifications.insert(next.moves[m].to)
            }
            old.to = next.moves[m].to
            next.moves.swapAt(m, next.moves.count - 1)
            next.moves.removeLast()
          } else if next.deletions.contains(old.to) {
            continue
          } else {
            old.to = shift(next.insertions, unshift(next.deletions, old.to))
          }
          kept.append(old)
        }
        next.moves.removeAll { insertions.contains($0.from) }
        for move in next.moves where modifications.contains(move.from) {
          next.modifications.insert(move.to)
        }
        let added = next.moves.map { move in
          (from: shift(deletions, unshift(insertions, move.from)), to: move.to)
        }
        moves = kept + added
        let (before, own) = (deletions, insertions)
        deletions.formUnion(
          next.deletions.filter { !own.contains($0) }.map { shift(before, unshift(own, $0)) })
        insertions = inserted(erased(insertions, next.deletions), next.insertions)
        removeStaleMoves()
      }
      modifications =
        shifted(erased(modifications, next.deletions), for: next.insertions)
        .union(next.modifications)
      isCleared = next.isCleared
    }
  }

  // MARK: Differences (6.8)

  /// The difference of two evaluations of results.
  static func difference(
    _ old: [Int], _ new: [Int], isInTableOrder: Bool, deleted: Set<Int>, modified: Set<Int>
  ) -> Result {
    var matches: [(old: Int, new: Int)] = []
    var free = old.indices.filter { !deleted.contains(old[$0]) }
    for (position, key) in new.enumerated() {
      guard let index = free.firstIndex(where: { old[$0] == key }) else { continue }
      matches.append((free.remove(at: index), position))
    }
    var deletions = Positions(old.indices).subtracting(matches.map(\.old))
    var insertions = Positions(new.indices).subtracting(matches.map(\.new))
    let modifications = Positions(
      matches.filter { modified.contains(new[$0.new]) }.map(\.new))
    if !isInTableOrder {
      let sorted = matches.sorted { $0.old < $1.old }
      if let start = matches.indices.first(where: {
        new[sorted[$0].new] != new[matches[$0].new]
      }) {
        let finder = Blocks(
          a: sorted.map { new[$0.new] }, rows: matches.map { new[$0.new] },
          modifications: modifications)
        var (i, j) = (start, start)
        for block in finder.all(from: start) {
          while i < block.i {
            deletions.insert(sorted[i].old)
            i += 1
          }
          while j < block.j {
            insertions.insert(matches[j].new)
            j += 1
          }
          (i, j) = (i + block.size, j + block.size)
        }
      }
    }
    return Result(deletions, insertions, modifications)
  }

  private struct Blocks {
    typealias Block = (i: Int, j: Int, size: Int)

    let a: [Int]
    let rows: [Int]
    let modifications: Positions

    func all(from start: Int) -> [Block] {
      blocks(start, a.count, start, a.count) + [(a.count, a.count, 0)]
    }

    private func blocks(_ b1: Int, _ e1: Int, _ b2: Int, _ e2: Int) -> [Block] {
      let m = longest(b1, e1, b2, e2)
      guard m.size > 0 else { return [] }
      var result: [Block] = []
      if m.i > b1, m.j > b2 { result += blocks(b1, m.i, b2, m.j) }
      result.append(m)
      if m.i + m.size < e2, m.j + m.size < e2 {
        result += blocks(m.i + m.size, e1, m.j + m.size, e2)
      }
      return result
    }

    private func count(_ start: Int, _ end: Int) -> Int {
      start < 0 ? 0 : modifications.count { $0 >= start && $0 < end }
    }

    private func longest(_ b1: Int, _ e1: Int, _ b2: Int, _ e2: Int) -> Block {
      var best: Block = (b1, b2, 0)
      var bestCount: Int?
      var lengths: [Int: Int] = [:]
      for i in b1..<max(b1, e1) {
        var present: [Int: Int] = [:]
        for j in b2..<e2 where rows[j] == a[i] {
          let size = 1 + (lengths[j - 1] ?? 0)
          present[j] = size
          if size > best.size {
            (best, bestCount) = ((i - size + 1, j - size + 1, size), nil)
          } else if size == best.size {
            let known = bestCount ?? count(best.j - size + 1, best.j + 1)
            let own = count(j - size + 1, j + 1)
            bestCount = known
            if own < known { (best, bestCount) = ((i - size + 1, j - size + 1, size), own) }
          }
        }
        lengths = present
      }
      return best
    }
  }
}
