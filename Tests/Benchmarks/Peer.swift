import Glibc

/// A program that does the same work on files of its own.
struct Peer {
  /// What it prints about one operation.
  struct Report {
    /// Milliseconds.
    var median: Double
    /// A count or a sum; empty if it tells none.
    var result: String
  }

  let name: String
  let words: [String]

  /// Runs one kind of work.
  ///
  /// - Returns: what it reports, by the names of the operations; empty if it cannot be run.
  func run(_ work: String, _ path: String, _ count: Int64, runs: Int) -> [String: Report] {
    let program = words[0].contains("/") ? words[0] : Child.find(words[0])
    guard let program else { return [:] }
    let arguments = words.dropFirst() + [work, path, "\(count)", "\(runs)"]
    var reports: [String: Report] = [:]
    for line in (Child(program, Array(arguments)).output() ?? "").split(separator: "\n") {
      guard let operation = Peer.field("op", of: line),
        let median = Peer.field("median_ms", of: line).flatMap({ Double($0) })
      else { continue }
      reports[operation] = Report(median: median, result: Peer.field("result", of: line) ?? "")
    }
    return reports
  }

  /// The value of a field of a line of JSON whose texts need no escapes.
  private static func field(_ name: String, of line: Substring) -> String? {
    let parts = line.split(separator: "\"\(name)\":")
    guard parts.count == 2 else { return nil }
    let value = parts[1]
    if value.hasPrefix("\"") {
      return value.split(separator: "\"", omittingEmptySubsequences: false).dropFirst().first
        .map { String($0) }
    }
    return value.split(whereSeparator: { $0 == "," || $0 == "}" }).first.map { String($0) }
  }

  /// Tells which peers will not be run.
  static func reportMissing(_ peers: [Peer]) {
    for peer in peers where Child.find(peer.words[0]) == nil && access(peer.words[0], X_OK) != 0 {
      print("\(peer.name) is left out: there is no \(peer.words[0])")
    }
  }
}
