import Glibc
import RealmLanguage
import RealmObjects
import RealmQuery
import RealmStorage
import RealmValues

/// Measures queries in a warm process with one thread: reading them, binding and running.
struct QueryBenchmarks {
  /// What is measured, and what it gives.
  struct Line {
    let name: String
    /// Where peers can have another unit, how their results become ours.
    var peerScale = 1.0
    let body: () throws(QueryFailure) -> String
  }

  private let folder: String
  private let count: Int64
  private let rounds: Int
  private let runs: Int
  private let only: String?
  private let peers: [Peer]

  init(_ options: Options, folder: String) {
    self.folder = folder
    count = options.count
    rounds = options.isQuick ? 1 : 3
    runs = options.isQuick ? 3 : 5
    peers = options.peers
    only = options.only
  }

  /// One line for each query, with the peers beside it.
  func run() throws(QueryFailure) {
    Peer.reportMissing(peers)
    print("reading memory: \(Table.text(readBandwidth(), decimals: 1)) GB/s in one thread")
    print("The first run of each line does not count: it reads the file, and finds what is kept of")
    print("the version for all later queries, such as the places and ranges of leaves.\n")
    let items = try realm("rows.realm") { (path) throws(StorageError) in
      _ = try WritingBenchmarks.insertAll(count, into: path)
    }
    let people = try realm("people.realm") { (path) throws(StorageError) in
      try Person.write(count, to: path)
    }
    let (item, person, dog) = (
      QueriedClass(items, "Item"), QueriedClass(people, "Person"), QueriedClass(people, "Dog")
    )
    guard let item, let person, let dog else { return print("the files in \(folder) are others") }
    Table.comparisonHeader(peers.map(\.name))
    try measure("scan", item.scans)
    try measure("lookup", item.lookups(count))
    try measure("sort", item.sorts)
    try measure("aggregate", item.aggregates)
    try measure("links", person.links + dog.backlinks)
  }

  private func realm(
    _ name: String, _ make: (String) throws(StorageError) -> Void
  ) throws(QueryFailure) -> Realm {
    let path = "\(folder)/\(name)"
    do throws(StorageError) {
      if access(path, R_OK) != 0 { try make(path) }
      return try Realm(path: path)
    } catch { throw .storage(error) }
  }

  /// Runs ours and the peers in turn, so that load from outside meets all.
  private func measure(_ work: String, _ lines: [Line]) throws(QueryFailure) {
    let lines = lines.filter { only == nil || only == work || only == $0.name }
    if lines.isEmpty { return }
    var ours = lines.map { _ in Sample() }
    var results = lines.map { _ in "" }
    var theirs = peers.map { _ in lines.map { _ in Sample() } }
    var differences: [String] = []
    for _ in 0..<rounds {
      for (i, line) in lines.enumerated() {
        results[i] = try line.body()
        for _ in 0..<runs {
          let start = Sample.now()
          _ = try line.body()
          ours[i].add(Sample.now() - start)
        }
      }
      for (p, peer) in peers.enumerated() {
        let reports = peer.run(work, "\(folder)/peer", count, runs: runs)
        for (i, line) in lines.enumerated() {
          guard let report = reports[line.name] else { continue }
          theirs[p][i].add(report.median)
          if !QueryBenchmarks.agree(results[i], report.result, line.peerScale) {
            differences.append("\(line.name): \(results[i]), \(peer.name): \(report.result)")
          }
        }
      }
    }
    for (i, line) in lines.enumerated() {
      Table.comparison(line.name, ours[i], theirs.map { $0[i] }, results[i])
    }
    for difference in differences { print("DIFFERENT RESULTS: \(difference)") }
  }

  /// Whether two results are equal; what is no number says nothing.
  private static func agree(_ ours: String, _ theirs: String, _ scale: Double) -> Bool {
    guard let a = Double(ours), let b = Double(theirs) else { return true }
    func isNear(_ x: Double) -> Bool { abs(a - x) <= 1e-9 * max(abs(a), abs(x)) }
    return isNear(b) || isNear((b * scale).rounded(.down))
  }
}
