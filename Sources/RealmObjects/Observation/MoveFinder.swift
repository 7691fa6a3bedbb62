/// Finds which elements of a sequence have moved when most have kept their order.
///
/// The longest pieces that both sequences have in common stay; what is between them has moved. Works
/// on pieces and not on elements: the cost grows with the number of pieces.
///
/// Source: object-model.md 6.8, for elements that are all different.
struct MoveFinder {
  /// Elements that follow each other in both sequences.
  struct Piece: Equatable {
    /// The first one's place in the old sequence.
    var old: Int
    /// The first one's place in the new sequence.
    var new: Int
    var count: Int
  }

  /// In the order of the old sequence, as long as possible.
  private(set) var pieces: [Piece] = []

  /// Pieces are to be added.
  init() {}

  /// The pieces of sequences that differ in the places of a few elements only.
  ///
  /// - Parameters:
  ///   - pairs: The places of those elements in the old and in the new sequence; all others are in
  ///     the same order in both.
  ///   - count: Number of all elements.
  init(_ pairs: [(old: Int, new: Int)], count: Int) {
    let byOld = pairs.sorted { $0.old < $1.old }
    let news = pairs.map(\.new).sorted()
    // How many of the other elements stand before each of the pairs.
    var (a, b, start) = (0, 0, 0)
    while true {
      while a < byOld.count, byOld[a].old - a == start {
        append(Piece(old: byOld[a].old, new: byOld[a].new, count: 1))
        a += 1
      }
      while b < news.count, news[b] - b == start { b += 1 }
      let end = min(
        a < byOld.count ? byOld[a].old - a : count - byOld.count,
        b < news.count ? news[b] - b : count - byOld.count)
      guard end > start else { return }
      append(Piece(old: start + a, new: start + b, count: end - start))
      start = end
    }
  }

  /// Adds the piece that follows in the old sequence.
  mutating func append(_ piece: Piece) {
    if let last = pieces.last, last.old + last.count == piece.old,
      last.new + last.count == piece.new
    {
      pieces[pieces.count - 1].count += piece.count
    } else {
      pieces.append(piece)
    }
  }

  private enum Task {
    /// Pieces by their index, and places in the new sequence.
    case search(Range<Int>, Range<Int>)
    case keep(Int)
  }

  /// The pieces that have moved.
  ///
  /// - Parameter modifications: Of equally long pieces the one with fewer of these stays.
  func moved(_ modifications: PositionSet) -> [Piece] {
    guard let last = pieces.last else { return [] }
    // What is the same at the start stays whatever comes after it.
    let first = pieces[0].old == 0 && pieces[0].new == 0 ? 1 : 0
    let start = first == 0 ? 0 : pieces[0].count
    var isKept = [Bool](repeating: false, count: pieces.count)
    if first == 1 { isKept[0] = true }
    let end = last.old + last.count
    var tasks = [Task.search(first..<pieces.count, start..<end)]
    while let task = tasks.popLast() {
      switch task {
      case .keep(let index): isKept[index] = true
      case .search(let range, let places):
        guard let best = longest(range, places, modifications) else { continue }
        let piece = pieces[best]
        let (oldEnd, newEnd) = (piece.old + piece.count, piece.new + piece.count)
        // realm-core compares both ends with that of the second range.
        if oldEnd < places.upperBound, newEnd < places.upperBound, best + 1 < range.upperBound {
          tasks.append(.search(best + 1..<range.upperBound, newEnd..<places.upperBound))
        }
        tasks.append(.keep(best))
        if best > range.lowerBound, piece.new > places.lowerBound {
          tasks.append(.search(range.lowerBound..<best, places.lowerBound..<piece.new))
        }
      }
    }
    return pieces.indices.filter { !isKept[$0] }.map { pieces[$0] }
  }

  /// The longest of some pieces within a range of the new sequence.
  ///
  /// The count of the best one so far looks at the interval that ends at its start, as that of
  /// realm-core does: it is exact for single elements only.
  private func longest(
    _ range: Range<Int>, _ places: Range<Int>, _ modifications: PositionSet
  ) -> Int? {
    var best: Int?
    var bestCount: Int?
    for index in range {
      let piece = pieces[index]
      guard places.contains(piece.new) else { continue }
      guard let known = best, piece.count <= pieces[known].count else {
        (best, bestCount) = (index, nil)
        continue
      }
      guard piece.count == pieces[known].count else { continue }
      let least = bestCount ?? modifications.count(endingAt: pieces[known].new, piece.count)
      let count = modifications.count(endingAt: piece.new + piece.count - 1, piece.count)
      bestCount = least
      if count < least { (best, bestCount) = (index, count) }
    }
    return best
  }
}

extension PositionSet {
  /// Number of positions in an interval of some length; 0 if it would begin below 0.
  fileprivate func count(endingAt last: Int, _ length: Int) -> Int {
    let start = last - length + 1
    return start < 0 ? 0 : count(in: start..<last + 1)
  }
}
