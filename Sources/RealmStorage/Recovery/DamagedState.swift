import RealmValues

/// A state as far as its top node, the names and the list of its tables can be read.
struct DamagedState {
  /// The top node; 0 if it is lost.
  private(set) var ref: Int64 = 0
  private(set) var origin = RecoveryReport.Origin.found
  private(set) var version: Int64 = 1
  private var format: FileFormat
  /// Nil if they are lost.
  private var names: [String]?
  /// What the list of tables has; nil if it is lost.
  private var elements: [Int64]?
  /// The top nodes of tables that can be read, by position.
  private var tables: [Int: NodeSearch.Table] = [:]

  /// One that nothing is known of.
  init(format: FileFormat) { self.format = format }

  /// Reads the top node; nil if it is something else.
  init?(_ candidate: RecoverySource.Candidate, in view: FileView) {
    view.memory.takeUnretainedValue().renewWork()
    guard let top = try? view.refs(at: candidate.ref, minimumCount: 3) else { return nil }
    (ref, origin, format) = (candidate.ref, candidate.origin, candidate.format)
    version = max(1, ((try? view.tagged(top, 6)) ?? nil) ?? 1)
    names = (try? view.ref(top, 0)).flatMap { try? TableReader.names(at: $0, in: view) }
    if let list = (try? view.ref(top, 1)).flatMap({ try? view.refs(at: $0) }),
      list.count <= TableReader.maximumCount
    {
      setElements((0..<list.count).map { list[$0] }, in: view)
    }
    let isEmpty = names?.isEmpty ?? false && elements?.isEmpty ?? false
    let size = ((try? view.tagged(top, 2)) ?? nil) ?? 0
    let isFitting = size > ref && size % 8 == 0 && size <= view.byteCount
    let hasNames =
      names?.contains { isFitting ? !$0.isEmpty : $0.hasPrefix(ClassTable.prefix) } ?? false
    guard !tables.isEmpty || isEmpty || hasNames else { return nil }
  }

  /// Takes over a list of tables, whose layout tells the format where the header does not.
  private mutating func setElements(_ elements: [Int64], in view: FileView) {
    self.elements = elements
    tables = [:]
    for (position, ref) in elements.enumerated() where ref != 0 && ref & 1 == 0 {
      if let top = try? view.refs(at: ref),
        let (found, table) = NodeSearch.table(top, in: view), found == position
      {
        tables[position] = table
      }
    }
    if !tables.isEmpty {
      if format.hasColumnLayout { format = .current }
      return
    }
    for (position, ref) in elements.enumerated()
    where ref != 0 && ref & 1 == 0 && NodeSearch.isOldTable(ref, in: view) {
      tables[position] = NodeSearch.Table(ref: ref, changeCount: 0)
    }
    if !tables.isEmpty, !format.hasColumnLayout { format = FileFormat(9) ?? format }
  }

  /// Whether each table can be read.
  var isComplete: Bool {
    guard let names, let elements, names.count == elements.count else { return false }
    return names.indices.allSatisfy { position in
      names[position].isEmpty && elements[position] & 1 != 0 || tables[position] != nil
    }
  }

  /// Adds the tables that a search has found; if this is not the live state, also those that are newer
  /// than its own.
  ///
  /// - Returns: whether there were any.
  mutating func complete(
    with search: NodeSearch, others: [DamagedState], in view: FileView
  ) -> Bool {
    if format.hasColumnLayout || tables.isEmpty && search.tables.isEmpty {
      return completeOld(with: search, in: view)
    }
    let isLive = origin == .live
    let free = FreeSpace(ofTop: isLive ? ref : 0, in: view)
    var found = tables
    for (position, candidates) in search.tables {
      let isVacant = names.map { position < $0.count && $0[position].isEmpty } ?? false
      if isLive, tables[position] != nil || isVacant { continue }
      let table = candidates.first {
        free.firstRange(overlapping: Int($0.ref), Int($0.ref) + 8) == nil
      }
      guard let table, table.changeCount >= tables[position]?.changeCount ?? 0 else { continue }
      found[position] = table
    }
    let isChanged = found.contains { tables[$0.key]?.ref != $0.value.ref }
    tables = found
    let count = (tables.keys.max() ?? -1) + 1
    // Names at the same positions are the same, unless a table was deleted.
    let known = others.filter { $0.names != nil && $0.ref != ref }.max { $0.version < $1.version }
    names = names ?? known?.names ?? search.names(for: count)
    if isChanged, !isLive { setFound() }
    return isChanged
  }

  private mutating func setFound() {
    if ref != 0 { version &+= 1 }
    (ref, origin) = (0, .found)
  }

  /// In versions 2 to 9 nothing but the list tells which table is which.
  private mutating func completeOld(with search: NodeSearch, in view: FileView) -> Bool {
    guard origin != .live || elements == nil || tables.isEmpty, let ref = search.oldListRef,
      let list = try? view.refs(at: ref)
    else { return false }
    let found = (0..<list.count).map { list[$0] }
    guard found != elements else { return false }
    setElements(found, in: view)
    names = names ?? search.names(for: found.count)
    if origin != .live { setFound() }
    return true
  }

  /// Reads the tables.
  ///
  /// - Throws: `damaged` if nothing can be read.
  func snapshot(of file: RealmFile) throws(StorageError) -> Snapshot {
    var entries: [Snapshot.Entry] = []
    var seen: Set<String> = []
    let count = max(names?.count ?? 0, elements?.count ?? 0, (tables.keys.max() ?? -1) + 1)
    for position in 0..<count {
      let element = elements.flatMap { position < $0.count ? $0[position] : nil } ?? 0
      var name = names.flatMap { position < $0.count ? $0[position] : nil } ?? ""
      let table = tables[position]?.ref
      if table == nil, name.isEmpty { continue }
      if name.isEmpty || !seen.insert(name).inserted { name = "class_Recovered\(position)" }
      entries.append(Snapshot.Entry(name: name, position: position, ref: table ?? element))
    }
    return try Snapshot(
      ofDamaged: file, entries, topRef: ref, format: format, version: version)
  }
}

extension FreeSpace {
  /// What a top node lists as free, as far as it can be read.
  init(ofTop ref: Int64, in view: FileView) {
    guard let top = try? view.refs(at: ref, minimumCount: 5),
      let positions = try? view.integers(at: try view.ref(top, 3)),
      let sizes = try? view.integers(at: try view.ref(top, 4)), positions.count == sizes.count
    else { return }
    var end = 0
    for i in 0..<positions.count {
      let (start, count) = (positions[i], sizes[i])
      guard start >= end, count > 0, start <= view.byteCount, count <= view.byteCount else { break }
      end = Int(start + count)
      append(start: Int(start), end: end)
    }
  }
}
