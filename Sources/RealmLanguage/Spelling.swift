/// Finds the name that was meant. Source: shell.md 19.
public enum Spelling {
  /// The candidate nearest to `name`: equal but for case, else of a Damerau-Levenshtein distance,
  /// without regard to case, of at most a third of the length of `name`, at least 1, if some of the
  /// name is left by that. Of equally near ones the first; nil if there is none or `name` itself is a
  /// candidate.
  public static func nearest(to name: String, among candidates: some Sequence<String>) -> String? {
    let lowered = name.lowercased()
    let wanted = Array(lowered)
    let limit = max(1, wanted.count / 3)
    // The sign of variables says nothing about the name.
    let isVariable = wanted.first == "$"
    var best: (name: String, distance: Int)?
    for candidate in candidates {
      if candidate == name { return nil }
      let other = candidate.lowercased()
      if other == lowered {
        if best?.distance != 0 { best = (candidate, 0) }
        continue
      }
      let bound = min(limit, (best?.distance ?? limit + 1) - 1)
      guard bound > 0 else { continue }
      let letters = Array(other)
      if let distance = distance(wanted, letters, atMost: bound),
        distance < min(wanted.count, letters.count) - (isVariable && letters.first == "$" ? 1 : 0)
          || letters.starts(with: wanted)
      {
        best = (candidate, distance)
      }
    }
    return best?.name
  }

  /// The file nearest to `name`: its name without the ending, or else the ending itself, is a
  /// candidate's as for `nearest`.
  public static func nearestFile(
    to name: String, among candidates: some Sequence<String>
  ) -> String? {
    let (stem, ending) = parts(of: name)
    let candidates = Array(candidates)
    let sameEnding = candidates.filter { parts(of: $0).ending == ending }
    if let nearest = nearest(to: stem, among: sameEnding.map { parts(of: $0).stem }) {
      return sameEnding.first { parts(of: $0).stem == nearest }
    }
    return nearest(to: name, among: candidates.filter { parts(of: $0).stem == stem })
  }

  /// A file name and its ending with the point, which may be empty.
  private static func parts(of name: String) -> (stem: String, ending: Substring) {
    guard let point = name.lastIndex(of: "."), point > name.startIndex else {
      return (name, "")
    }
    return (String(name[..<point]), name[point...])
  }

  /// The number of insertions, deletions, replacements and swaps of neighbours that turn `a` into
  /// `b`, counted in characters; nil if more than `bound`.
  static func distance(_ a: [Character], _ b: [Character], atMost bound: Int) -> Int? {
    guard abs(a.count - b.count) <= bound else { return nil }
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      row.reserveCapacity(b.count + 1)
      for j in b.indices {
        var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          cost = min(cost, beforeLast[j - 1] + 1)
        }
        row.append(cost)
      }
      if let least = row.min(), least > bound { return nil }
      (beforeLast, last) = (last, row)
    }
    return last[b.count] <= bound ? last[b.count] : nil
  }
}
