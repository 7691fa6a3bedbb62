import RealmValues

/// What one search through a whole damaged file finds: nodes that others may lead to no more.
///
/// Source: file-format.md 6, 9.6.
struct NodeSearch {
  /// The top node of a table, from version 10 on: it tells where the table stands and counts the
  /// commits that have changed it.
  struct Table {
    let ref: Int64
    let changeCount: Int64
  }

  /// A list of tables of versions 2 to 9, which tells nothing about itself.
  private struct OldList {
    let ref: Int64
    let tableCount: Int
    let rowCount: Int
  }

  /// Top nodes of states that are kept.
  private static let maximumTopCount = 4

  private let file: RealmFile
  private let view: FileView
  /// Top nodes of states, the newest first.
  private(set) var tops: [(version: Int64, ref: Int64)] = []
  /// By position, the newest first.
  private(set) var tables: [Int: [Table]] = [:]
  private var oldList: OldList?
  /// The last node of names of classes, by the number of names.
  private var names: [Int: [String]] = [:]
  /// How many names the nodes hold that were looked at; each is once.
  private var nameCounts: [Int64: Int] = [:]

  /// Searches.
  ///
  /// - Throws: `rejected(.interrupted)`.
  init(
    _ file: RealmFile, _ view: FileView, _ onProgress: (Int, Int) -> Bool
  ) throws(StorageError) {
    (self.file, self.view) = (file, view)
    try view.forEachReadablePlace(onProgress) { look(at: $0) }
    for position in tables.keys {
      tables[position]?.sort { ($0.changeCount, $0.ref) > ($1.changeCount, $1.ref) }
    }
  }

  /// The list of versions 2 to 9 with the most tables and rows.
  var oldListRef: Int64? { oldList?.ref }

  /// Names for a number of tables.
  func names(for count: Int) -> [String] {
    let best = names.keys.filter { $0 >= count }.min() ?? names.keys.max()
    return best.flatMap { names[$0] } ?? []
  }

  private mutating func look(at offset: Int) {
    switch view.base.load(fromByteOffset: offset + 4, as: UInt8.self) {
    case 0x44...0x47:
      // With refs, not inner, elements of 8 bits at least.
      view.memory.takeUnretainedValue().renewWork()
      guard let node = try? view.refs(at: Int64(offset), minimumCount: 1) else { return }
      if let (position, table) = NodeSearch.table(node, in: view) {
        tables[position, default: []].append(table)
      } else if let version = version(ofTop: node) {
        tops.append((version, Int64(offset)))
        tops.sort { ($0.version, $0.ref) > ($1.version, $1.ref) }
        if tops.count > NodeSearch.maximumTopCount { tops.removeLast() }
      } else if let list = oldList(node), oldList.map({ NodeSearch.isBetter(list, $0) }) ?? true {
        oldList = list
      }
    case 0x0C...0x0F:
      guard let found = try? TableReader.names(at: Int64(offset), in: view),
        found.contains(where: { $0.hasPrefix(ClassTable.prefix) })
      else { return }
      names[found.count] = found
    default: break
    }
  }

  /// The position and the number of changes if a node can be the top of a table.
  static func table(_ top: NodeView, in view: FileView) -> (position: Int, Table)? {
    guard (12...14).contains(top.count), let key = (try? view.tagged(top, 3)) ?? nil, key >= 0,
      key < 0x7FFF_FFFF, (try? view.ref(top, 2)) != nil, let specRef = try? view.ref(top, 0),
      let spec = try? view.refs(at: specRef, minimumCount: 6), let keys = try? view.ref(spec, 5),
      (try? view.integers(at: keys)) != nil
    else { return nil }
    let count = ((try? view.tagged(top, 6)) ?? nil) ?? 0
    return (Int(key & 0xFFFF), Table(ref: Int64(top.offset), changeCount: count))
  }

  /// The version of a state if a node can be its top: the size of the file is a number, and names and
  /// tables are as many, or the size fits.
  private mutating func version(ofTop top: NodeView) -> Int64? {
    guard (3...12).contains(top.count), let size = (try? view.tagged(top, 2)) ?? nil,
      size > top.offset, let namesRef = try? view.ref(top, 0),
      let tablesRef = try? view.ref(top, 1)
    else { return nil }
    let count =
      nameCounts[namesRef] ?? (try? TableReader.names(at: namesRef, in: view))?.count ?? -1
    nameCounts[namesRef] = count
    let isFitting = count > 0 && size % 8 == 0 && size <= view.byteCount
    let tableCount = (try? view.refs(at: tablesRef))?.count
    guard count == tableCount || isFitting else { return nil }
    return max(1, ((try? view.tagged(top, 6)) ?? nil) ?? 1)
  }

  // MARK: Versions 2 to 9

  /// Whether a node can be the top of a table of versions 2 to 9: description and columns fit.
  static func isOldTable(_ ref: Int64, in view: FileView) -> Bool {
    guard let top = try? view.refs(at: ref, minimumCount: 2), top.count == 2,
      let specRef = try? view.ref(top, 0), let columnsRef = try? view.ref(top, 1),
      let spec = try? view.refs(at: specRef, minimumCount: 3), spec.count <= 5,
      let types = try? view.integers(at: try view.ref(spec, 0)),
      let attributes = try? view.integers(at: try view.ref(spec, 2)),
      let columns = try? view.refs(at: columnsRef)
    else { return false }
    return types.count == attributes.count && types.count <= columns.count
  }

  private func oldList(_ list: NodeView) -> OldList? {
    guard list.count <= TableReader.maximumCount else { return nil }
    var (tableCount, rowCount) = (0, 0)
    for i in 0..<list.count {
      guard list[i] > 0, list[i] & 7 == 0, list[i] < view.byteCount else { return nil }
      guard NodeSearch.isOldTable(list[i], in: view) else { continue }
      tableCount += 1
      let reader = try? OldTableReader(
        name: "", position: i, ref: list[i], in: view, format: .current, file: file)
      rowCount &+= min(max((try? reader?.rowCount()) ?? 0, 0), view.byteCount)
    }
    guard tableCount > 0 else { return nil }
    return OldList(ref: Int64(list.offset), tableCount: tableCount, rowCount: rowCount)
  }

  private static func isBetter(_ a: OldList, _ b: OldList) -> Bool {
    (a.tableCount, a.rowCount, a.ref) > (b.tableCount, b.rowCount, b.ref)
  }
}
