public import RealmValues

/// Finds what has changed between two evaluations of results.
///
/// Source: object-model.md 6.8.
public struct ResultsDifference {
  /// An element that both evaluations have.
  private struct Row {
    var key: ObjectKey
    var old: Int
    var new: Int
  }

  private var changes = CollectionChanges()
  private var modifications = PositionSet()
  /// The common elements by their new position.
  private var rows: [Row] = []

  /// The changes between two evaluations.
  ///
  /// - Parameters:
  ///   - old: The objects of the old evaluation.
  ///   - new: The objects of the new one.
  ///   - isInTableOrder: Whether both are in the order of the keys, so that nothing can move.
  ///   - isDeleted: Whether an object of the old evaluation was deleted since.
  ///   - isModified: Whether an object of both has changed.
  public static func changes(
    from old: [ObjectKey], to new: [ObjectKey], isInTableOrder: Bool,
    isDeleted: (ObjectKey) -> Bool, isModified: (ObjectKey) -> Bool
  ) -> CollectionChanges {
    var difference = ResultsDifference()
    if isInTableOrder {
      difference.matchInOrder(old, new, isDeleted, isModified)
    } else {
      difference.match(old, new, isDeleted, isModified)
      difference.findMoves()
    }
    return difference.finished()
  }

  private func finished() -> CollectionChanges {
    var changes = changes
    changes.newModifications = modifications.subtracting(changes.insertions)
    changes.oldModifications =
      modifications.erasing(changes.insertions).makingRoom(for: changes.deletions)
    return changes
  }

  // MARK: Matching

  private mutating func matchInOrder(
    _ old: [ObjectKey], _ new: [ObjectKey], _ isDeleted: (ObjectKey) -> Bool,
    _ isModified: (ObjectKey) -> Bool
  ) {
    var (i, j) = (0, 0)
    while i < old.count || j < new.count {
      if j == new.count || i < old.count && old[i] < new[j] {
        changes.deletions.append(i..<i + 1)
        i += 1
      } else if i == old.count || new[j] < old[i] {
        changes.insertions.append(j..<j + 1)
        j += 1
      } else {
        if isDeleted(old[i]) {
          changes.deletions.append(i..<i + 1)
          changes.insertions.append(j..<j + 1)
        } else if isModified(old[i]) {
          modifications.append(j..<j + 1)
        }
        i += 1
        j += 1
      }
    }
  }

  /// Matches equal keys, the occurrences of one key in their order.
  private mutating func match(
    _ old: [ObjectKey], _ new: [ObjectKey], _ isDeleted: (ObjectKey) -> Bool,
    _ isModified: (ObjectKey) -> Bool
  ) {
    // The same at both ends needs no search.
    var start = 0
    while start < min(old.count, new.count), old[start] == new[start], !isDeleted(old[start]) {
      addRow(Row(key: old[start], old: start, new: start), isModified)
      start += 1
    }
    guard start < max(old.count, new.count) else { return }
    // The first place of each key, and for each place the next one with the same key.
    var first: [ObjectKey: Int] = [:]
    var next = [Int](repeating: -1, count: old.count - start)
    first.reserveCapacity(old.count - start)
    for place in stride(from: old.count - 1, through: start, by: -1)
    where !isDeleted(old[place]) {
      next[place - start] = first.updateValue(place, forKey: old[place]) ?? -1
    }
    var isMatched = [Bool](repeating: false, count: old.count - start)
    for place in start..<new.count {
      guard let match = first[new[place]], match >= 0 else {
        changes.insertions.append(place..<place + 1)
        continue
      }
      first[new[place]] = next[match - start]
      isMatched[match - start] = true
      addRow(Row(key: new[place], old: match, new: place), isModified)
    }
    for place in start..<old.count where !isMatched[place - start] {
      changes.deletions.append(place..<place + 1)
    }
  }

  private mutating func addRow(_ row: Row, _ isModified: (ObjectKey) -> Bool) {
    rows.append(row)
    if isModified(row.key) { modifications.append(row.new..<row.new + 1) }
  }

  // MARK: Moves

  /// Keeps the longest blocks that are in the same order in both; everything else has moved.
  private mutating func findMoves() {
    // The rows by their old position, as indices.
    var sorted = [Int](repeating: -1, count: (rows.lazy.map(\.old).max() ?? -1) + 1)
    for (index, row) in rows.enumerated() { sorted[row.old] = index }
    sorted.removeAll { $0 < 0 }
    guard let start = rows.indices.first(where: { rows[sorted[$0]].key != rows[$0].key }) else {
      return
    }
    if Set(rows.lazy.map(\.key)).count == rows.count {
      findMovesOfDifferent(sorted)
      return
    }
    var finder = BlockFinder(
      keys: sorted.map { rows[$0].key }, others: rows.map(\.key), modifications: modifications)
    var (i, j) = (start, start)
    for block in finder.blocks(from: start) {
      while i < block.i {
        changes.deletions.insert(rows[sorted[i]].old)
        i += 1
      }
      while j < block.j {
        changes.insertions.insert(rows[j].new)
        j += 1
      }
      i += block.size
      j += block.size
    }
  }

  /// The same for keys that do not repeat, where the sequences have few pieces in common.
  private mutating func findMovesOfDifferent(_ sorted: [Int]) {
    var finder = MoveFinder()
    for (old, new) in sorted.enumerated() {
      finder.append(MoveFinder.Piece(old: old, new: new, count: 1))
    }
    var (deletions, insertions) = ([] as [Int], [] as [Int])
    for piece in finder.moved(modifications) {
      for index in 0..<piece.count {
        deletions.append(rows[sorted[piece.old + index]].old)
        insertions.append(rows[piece.new + index].new)
      }
    }
    changes.deletions = changes.deletions.union(PositionSet(deletions))
    changes.insertions = changes.insertions.union(PositionSet(insertions))
  }
}

/// Finds blocks of keys that two sequences have in common.
private struct BlockFinder {
  struct Block {
    var i: Int
    var j: Int
    var size: Int
  }

  private let keys: [ObjectKey]
  private let modifications: PositionSet
  /// The places of each key in the other sequence: the first, and for each place the next one.
  private var first: [ObjectKey: Int] = [:]
  private var next: [Int]

  init(keys: [ObjectKey], others: [ObjectKey], modifications: PositionSet) {
    self.keys = keys
    self.modifications = modifications
    next = [Int](repeating: -1, count: others.count)
    first.reserveCapacity(others.count)
    for place in others.indices.reversed() {
      next[place] = first.updateValue(place, forKey: others[place]) ?? -1
    }
  }

  private enum Task {
    case search(Range<Int>, Range<Int>)
    case emit(Block)
  }

  /// The blocks from a place on in both sequences, and an empty one at their ends.
  mutating func blocks(from start: Int) -> [Block] {
    let end = keys.count
    var result: [Block] = []
    var tasks = [Task.search(start..<end, start..<end)]
    while let task = tasks.popLast() {
      switch task {
      case .emit(let block): result.append(block)
      case .search(let a, let b):
        let best = longest(a, b)
        guard best.size > 0 else { continue }
        // realm-core compares both ends with that of the second range.
        if best.i + best.size < b.upperBound, best.j + best.size < b.upperBound,
          best.i + best.size <= a.upperBound
        {
          tasks.append(
            .search(best.i + best.size..<a.upperBound, best.j + best.size..<b.upperBound))
        }
        tasks.append(.emit(best))
        if best.i > a.lowerBound, best.j > b.lowerBound {
          tasks.append(.search(a.lowerBound..<best.i, b.lowerBound..<best.j))
        }
      }
    }
    return result + [Block(i: end, j: end, size: 0)]
  }

  /// The longest common block; of several the one with the fewest modified elements.
  ///
  /// The count for the best one so far looks at the interval that ends at its start, as that of
  /// realm-core does: it is exact for single elements only.
  private func longest(_ a: Range<Int>, _ b: Range<Int>) -> Block {
    var best = Block(i: a.lowerBound, j: b.lowerBound, size: 0)
    var bestCount: Int?
    var previous: [(j: Int, size: Int)] = []
    var present: [(j: Int, size: Int)] = []
    for i in a {
      present.removeAll(keepingCapacity: true)
      var place = first[keys[i]] ?? -1
      var p = 0
      while place >= 0, place < b.upperBound {
        defer { place = next[place] }
        guard place >= b.lowerBound else { continue }
        while p < previous.count, previous[p].j < place - 1 { p += 1 }
        let before = p < previous.count && previous[p].j == place - 1 ? previous[p].size : 0
        let size = before + 1
        present.append((place, size))
        if size > best.size {
          best = Block(i: i - size + 1, j: place - size + 1, size: size)
          bestCount = nil
        } else if size == best.size {
          let known = bestCount ?? modifiedCount(endingAt: best.j, size)
          let count = modifiedCount(endingAt: place, size)
          bestCount = known
          if count < known {
            best = Block(i: i - size + 1, j: place - size + 1, size: size)
            bestCount = count
          }
        }
      }
      swap(&previous, &present)
    }
    return best
  }

  private func modifiedCount(endingAt j: Int, _ size: Int) -> Int {
    let start = j - size + 1
    return start < 0 ? 0 : modifications.count(in: start..<j + 1)
  }
}
