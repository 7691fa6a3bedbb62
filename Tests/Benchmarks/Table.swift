/// Prints results side by side.
enum Table {
  static func header() {
    row("milliseconds", "best", "median", "peer", "best", "median", "ratio")
  }

  /// Prints a promise with the peer beside it; the ratio is that of the medians.
  static func line(_ promise: String, _ ours: Sample, _ peer: String, _ theirs: Sample) {
    row(
      promise, text(ours.best), text(ours.median), peer, text(theirs.best), text(theirs.median),
      text(ours.median / theirs.median, decimals: 2))
  }

  private static func row(
    _ promise: String, _ best: String, _ median: String, _ peer: String, _ peerBest: String,
    _ peerMedian: String, _ ratio: String
  ) {
    print(
      left(promise, 28), right(best), right(median), " " + left(peer, 24), right(peerBest),
      right(peerMedian), right(ratio))
  }

  /// A number with a fixed number of decimals; a dash if there is none.
  static func text(_ number: Double, decimals: Int = 3) -> String {
    guard number.isFinite else { return "-" }
    var scale = 1
    for _ in 0..<decimals { scale *= 10 }
    let scaled = Int((number * Double(scale)).rounded())
    let fraction = String(scaled % scale)
    let zeros = String(repeating: "0", count: decimals - fraction.utf8.count)
    return "\(scaled / scale).\(zeros)\(fraction)"
  }

  private static func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.utf8.count))
  }

  private static func right(_ text: String) -> String {
    String(repeating: " ", count: max(0, 10 - text.utf8.count)) + text
  }
}

/// Medians beside those of several peers.
extension Table {
  static func comparisonHeader(_ peers: [String]) {
    comparisonRow("medians, milliseconds", ["realmsh"] + peers + ["to best", "result"])
  }

  /// Prints a line; the ratio is that to the quickest peer.
  static func comparison(_ name: String, _ ours: Sample, _ theirs: [Sample], _ result: String) {
    let best = theirs.map(\.median).filter(\.isFinite).min() ?? .nan
    comparisonRow(
      name,
      [text(ours.median, decimals: 2)] + theirs.map { text($0.median, decimals: 2) }
        + [text(ours.median / best, decimals: 2), result])
  }

  private static func comparisonRow(_ name: String, _ cells: [String]) {
    print(cells.reduce(left(name, 32)) { $0 + " " + right($1) })
  }
}
