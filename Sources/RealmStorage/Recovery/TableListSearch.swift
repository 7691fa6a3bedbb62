import RealmValues

/// Looks for the list of tables of a state whose top node is lost, from version 10 on.
///
/// Each table tells its position and counts its changes, so a list is known by what it leads to, and
/// the newest by the highest counts. Names are taken from another state, or from the last node with
/// as many names of classes.
struct TableListSearch {
  private let view: FileView
  private let older: Snapshot?
  private var best: (score: Int64, ref: Int64, count: Int)?
  private var names: [Int: [String]] = [:]

  /// - Parameter states: Those that were read otherwise.
  init(_ view: FileView, _ states: [Snapshot]) {
    self.view = view
    older = states.first
    for state in states.reversed() {
      guard let top = try? view.refs(at: Int64(bitPattern: state.topRef), minimumCount: 3) else {
        continue
      }
      if let ref = try? view.ref(top, 1), let list = try? view.refs(at: ref),
        let score = score(list)
      {
        best = (score, ref, list.count)
      }
      if let ref = try? view.ref(top, 0), let found = try? TableReader.names(at: ref, in: view) {
        names[found.count] = found
      }
    }
  }

  /// The newest state; nil if nothing newer is found than what was known.
  ///
  /// - Throws: `rejected(.interrupted)`.
  mutating func run(
    _ file: RealmFile, _ format: FileFormat, _ onProgress: (Int, Int) -> Bool
  ) throws(StorageError) -> Snapshot? {
    let known = best?.ref
    try view.forEachReadablePlace(onProgress) { look(at: $0) }
    guard let best, best.ref != known, !format.hasColumnLayout else { return nil }
    let snapshot = try? Snapshot(
      ofDamaged: file, tables: best.ref, format: format, names: names[best.count] ?? [],
      version: (older?.version ?? 0) + 1)
    return snapshot.flatMap { $0.tables.isEmpty ? nil : $0 }
  }

  private mutating func look(at offset: Int) {
    let flags = view.base.load(fromByteOffset: offset + 4, as: UInt8.self)
    if flags >= 0x44, flags <= 0x47 {
      guard let list = try? view.refs(at: Int64(offset), minimumCount: 1),
        let score = score(list), score > best?.score ?? -1
      else { return }
      best = (score, Int64(offset), list.count)
    } else if flags >= 0x0C, flags <= 0x0F {
      guard let node = try? view.node(at: Int64(offset)), node.count > 0,
        older == nil || names[node.count] == nil,
        let found = try? TableReader.names(at: Int64(offset), in: view),
        found.contains(where: { $0.hasPrefix("class_") })
      else { return }
      names[found.count] = found
    }
  }

  /// How often the tables of a list were changed; nil if it is no list of tables.
  private func score(_ list: NodeView) -> Int64? {
    guard list.count <= TableReader.maximumCount else { return nil }
    var (score, tableCount) = (0 as Int64, 0)
    for position in 0..<list.count {
      let element = list[position]
      if element & 1 != 0 { continue }
      guard element != 0, let top = try? view.refs(at: element, minimumCount: 12), top.count <= 14,
        let key = (try? view.tagged(top, 3)) ?? nil, Int(key & 0xFFFF) == position,
        (try? view.ref(top, 0)) != nil, (try? view.ref(top, 2)) != nil
      else { return nil }
      tableCount += 1
      score &+= ((try? view.tagged(top, 6)) ?? nil) ?? 0
    }
    return tableCount > 0 && score >= 0 ? score : nil
  }
}
