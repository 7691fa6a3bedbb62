public import RealmStorage

/// Records what is done to a list, set or dictionary, commit by commit.
///
/// Source: object-model.md 6.4, 6.6.
public struct ChangeRecorder: Sendable {
  private struct Move: Equatable {
    /// Position in the old collection.
    var from: Int
    /// Position in the new collection.
    var to: Int
  }

  private var deletions = PositionSet()
  private var insertions = PositionSet()
  private var modifications = PositionSet()
  private var moves: [Move] = []
  private var isCleared = false
  /// Whether the owner of the collection is gone.
  public var isRootDeleted = false

  /// Nothing done yet.
  public init() {}

  /// Records the operations of one commit.
  public init(_ changes: [TransactionChanges.ElementChange]) {
    for change in changes { record(change) }
    removeStaleMoves()
  }

  private var isEmpty: Bool {
    deletions.isEmpty && insertions.isEmpty && modifications.isEmpty && moves.isEmpty
      && !isRootDeleted && !isCleared
  }

  // MARK: Operations

  private mutating func record(_ change: TransactionChanges.ElementChange) {
    switch change {
    case .insert(let index):
      modifications.makeRoom(at: index)
      insertions.insertShifting(index)
      for i in moves.indices where moves[i].to >= index { moves[i].to += 1 }
      isCleared = false
    case .set(let index): modifications.insert(index)
    case .erase(let index): erase(at: index)
    case .clear(let count): clear(count)
    case .move(let from, let to): move(from, to)
    }
  }

  private mutating func erase(at index: Int) {
    modifications.erase(at: index)
    if insertions.contains(index) {
      insertions.erase(at: index)
    } else {
      let old = insertions.unshift(index)
      insertions.erase(at: index)
      deletions.insert(deletions.shift(old))
    }
    moves.removeAll { $0.to == index }
    for i in moves.indices where moves[i].to > index { moves[i].to -= 1 }
  }

  private mutating func clear(_ count: Int) {
    let oldCount = count + deletions.count - insertions.count
    deletions = PositionSet(0..<max(0, oldCount))
    (insertions, modifications, moves) = (PositionSet(), PositionSet(), [])
    isCleared = true
  }

  private mutating func move(_ from: Int, _ to: Int) {
    guard from != to else { return }
    var own: Int?
    if let known = moves.firstIndex(where: { $0.to == from }) {
      moves[known].to = to
      own = known
      insertions.erase(at: from)
      insertions.insertShifting(to)
    } else if insertions.contains(from) {
      insertions.erase(at: from)
      insertions.insertShifting(to)
    } else {
      let old = insertions.unshift(from)
      insertions.erase(at: from)
      insertions.insertShifting(to)
      let start = deletions.shift(old)
      deletions.insert(start)
      own = moves.count
      moves.append(Move(from: start, to: to))
    }
    for i in moves.indices where i != own {
      if moves[i].to >= to, moves[i].to < from {
        moves[i].to += 1
      } else if moves[i].to > from, moves[i].to <= to {
        moves[i].to -= 1
      }
    }
    let wasModified = modifications.contains(from)
    modifications.erase(at: from)
    modifications.makeRoom(at: to)
    if wasModified { modifications.insert(to) }
  }

  /// Elements that have come back to their place were not moved.
  private mutating func removeStaleMoves() {
    var real: [Move] = []
    for move in moves {
      let start = move.from - deletions.count(in: 0..<move.from)
      let end = move.to - insertions.count(in: 0..<move.to)
      if start == end {
        deletions.remove(move.from)
        insertions.remove(move.to)
      } else {
        real.append(move)
      }
    }
    moves = real
  }

  // MARK: Several commits

  /// Adds the operations of the next commit.
  public mutating func merge(_ next: ChangeRecorder) {
    if next.isEmpty { return }
    guard !isEmpty else {
      self = next
      return
    }
    var next = next
    if !next.moves.isEmpty || !next.deletions.isEmpty || !next.insertions.isEmpty {
      followMoves(&next)
      let old = (deletions: deletions, insertions: insertions)
      next.moves.removeAll { old.insertions.contains($0.from) }
      for i in next.moves.indices {
        if modifications.contains(next.moves[i].from) {
          next.modifications.insert(next.moves[i].to)
        }
        next.moves[i].from = old.deletions.shift(old.insertions.unshift(next.moves[i].from))
      }
      moves += next.moves
      deletions = deletions.union(
        ChangeRecorder.translated(next.deletions.subtracting(old.insertions), old))
      insertions = insertions.erasing(next.deletions).makingRoom(for: next.insertions)
        .union(next.insertions)
      removeStaleMoves()
    }
    modifications = modifications.erasing(next.deletions).makingRoom(for: next.insertions)
      .union(next.modifications)
    isRootDeleted = isRootDeleted || next.isRootDeleted
    isCleared = next.isCleared
  }

  /// Joins moves that go on, and moves the ends of the others.
  private mutating func followMoves(_ next: inout ChangeRecorder) {
    var kept: [Move] = []
    for var move in moves {
      if let index = next.moves.firstIndex(where: { $0.from == move.to }) {
        let following = next.moves[index]
        if modifications.contains(following.from) { next.modifications.insert(following.to) }
        move.to = following.to
        next.moves.swapAt(index, next.moves.count - 1)
        next.moves.removeLast()
      } else if next.deletions.contains(move.to) {
        continue
      } else {
        move.to = next.insertions.shift(next.deletions.unshift(move.to))
      }
      kept.append(move)
    }
    moves = kept
  }

  /// Positions of the collection between two commits as positions of the old one.
  private static func translated(
    _ positions: PositionSet, _ old: (deletions: PositionSet, insertions: PositionSet)
  ) -> PositionSet {
    positions.erasing(old.insertions).makingRoom(for: old.deletions)
  }

  // MARK: Result

  /// The changes of all commits so far.
  ///
  /// - Parameter modified: Positions in the new collection of elements that are objects and have
  ///   changed.
  public func changes(modified: PositionSet = PositionSet()) -> CollectionChanges {
    var changes = CollectionChanges()
    changes.deletions = deletions
    changes.insertions = insertions
    let all = modifications.union(modified)
    changes.newModifications = all.subtracting(insertions)
    changes.oldModifications = all.erasing(insertions).makingRoom(for: deletions)
    changes.isRootDeleted = isRootDeleted
    changes.isCleared = isCleared
    return changes
  }
}
