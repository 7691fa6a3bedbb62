public import RealmValues

/// Source: file-format-writing.md 8.8.
extension WriteTransaction {
  /// Deletes objects as `deleteObject` does; what is not there is passed over.
  ///
  /// - Parameter objects: Their keys, ascending.
  /// - Returns: how many of the objects there were.
  /// - Throws: `rejected(.interrupted)`.
  @discardableResult
  public func deleteObjects(
    _ table: TableKey, _ objects: [ObjectKey]
  ) throws(StorageError) -> Int {
    let editor = try editor(table)
    precondition(isAscending(objects), "the objects are not in order")
    try flushBacklinks()
    work = LongWork(done: 0, total: 3 * objects.count)
    let present = try presentObjects(objects, editor)
    var lost = LostLinks()
    // Embedded objects that have lost their owner are deleted in their turn.
    var waves = [(table: editor, objects: present)]
    while let wave = waves.popLast() {
      guard !wave.objects.isEmpty else { continue }
      let orphans = try delete(wave.objects, wave.table, &lost)
      for (key, orphans) in orphans.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        let table = try self.editor(key)
        waves.append((table, try presentObjects(orphans.sorted(), table)))
      }
    }
    try take(lost)
    return present.count
  }

  /// Objects that are removed between two looks at whether to go on.
  private static let deletionStep = 20_000

  /// Deletes objects that there are.
  ///
  /// - Returns: embedded objects below them.
  private func delete(
    _ objects: [ObjectKey], _ editor: TableEditor, _ lost: inout LostLinks
  ) throws(StorageError) -> [TableKey: [ObjectKey]] {
    for hidden in editor.columns where hidden.isBacklink {
      try gatherOrigins(of: objects, hidden, editor, &lost)
    }
    var orphans: [TableKey: [ObjectKey]] = [:]
    for column in editor.columns where column.kind == .link || column.kind == .mixed {
      try gatherTargets(of: objects, column, editor, &lost, &orphans)
    }
    var emptied: [TableEditor.Column] = []
    for column in editor.columns where editor.indexRoots[column.index] != 0 {
      if try isMost(objects, of: editor) {
        try emptyIndex(column, editor)
        emptied.append(column)
      }
    }
    let clusters = editor.clusters
    for start in stride(from: 0, to: objects.count, by: WriteTransaction.deletionStep) {
      let end = min(objects.count, start + WriteTransaction.deletionStep)
      let part = Array(objects[start..<end])
      for column in editor.columns
      where editor.indexRoots[column.index] != 0
        && !emptied.contains(where: { $0.key == column.key })
      {
        try removeFromIndex(part, column, editor)
      }
      try goOn(part.count)
      try clusters.remove(&editor.clusterRoot, part)
      log.addRemovals(part, from: editor.key)
      try goOn(part.count)
    }
    for column in emptied { try addToIndex(column, from: ObjectKey(0), editor) }
    return orphans
  }

  /// Those of some objects that there are.
  private func presentObjects(
    _ objects: [ObjectKey], _ editor: TableEditor
  ) throws(StorageError) -> [ObjectKey] {
    var result: [ObjectKey] = []
    result.reserveCapacity(objects.count)
    let clusters = editor.clusters
    try clusters.edit(&editor.clusterRoot, objects[...]) { (_, leaf, rows) in
      for row in rows { result.append(ObjectKey(Int64(bitPattern: leaf.key(at: row)))) }
    }
    return result
  }

  /// Calls `body` with the leaf of a column for each cluster with some of the objects.
  private func forEachLeaf(
    of column: TableEditor.Column, _ objects: [ObjectKey], _ editor: TableEditor,
    _ body: (Int64, ClusterTree.Leaf, [Int]) throws(StorageError) -> Void
  ) throws(StorageError) {
    let clusters = editor.clusters
    store.renewWork()
    try clusters.edit(&editor.clusterRoot, objects[...]) { (ref, leaf, rows) throws(StorageError) in
      try body(try store.element(ref, column.index + 1), leaf, rows)
      try goOn(0)
    }
  }

  /// Gathers the links to objects that are deleted.
  private func gatherOrigins(
    of objects: [ObjectKey], _ hidden: TableEditor.Column, _ editor: TableEditor,
    _ lost: inout LostLinks
  ) throws(StorageError) {
    guard let origin = editor.opposite(of: hidden) else { return }
    let place = LostLinks.Place(table: origin.table, column: origin.column, target: editor.key)
    let doomed = origin.table == editor.key ? Set(objects) : []
    let tree = TreeEditor(integersIn: store)
    var links: [LostLinks.Link] = []
    try forEachLeaf(of: hidden, objects, editor) { (values, leaf, rows) throws(StorageError) in
      for row in rows {
        let entry = try store.element(values, row)
        guard entry != 0 else { continue }
        let target = ObjectKey(Int64(bitPattern: leaf.key(at: row)))
        if entry & 1 != 0 {
          links.append((SearchIndex.objectKey(entry), target))
        } else {
          for raw in try tree.integers(entry) { links.append((ObjectKey(raw), target)) }
        }
      }
    }
    if !doomed.isEmpty { links.removeAll { doomed.contains($0.origin) } }
    if !links.isEmpty { lost.links[place, default: []] += links }
  }

  /// Gathers the backlinks of links from objects that are deleted.
  private func gatherTargets(
    of objects: [ObjectKey], _ column: TableEditor.Column, _ editor: TableEditor,
    _ lost: inout LostLinks, _ orphans: inout [TableKey: [ObjectKey]]
  ) throws(StorageError) {
    let leafEditor = editor.clusterColumn(column).leaf
    // Mixed values can link to several tables.
    var entries: [TableKey: [PendingBacklinks.Entry]] = [:]
    var found: [Target] = []
    try forEachLeaf(of: column, objects, editor) { (values, leaf, rows) throws(StorageError) in
      for row in rows {
        // 0 is no link and no collection alike, but not in a leaf of mixed values.
        if column.kind == .link || column.collection != .none,
          try store.element(values, row) == 0
        {
          continue
        }
        found.removeAll(keepingCapacity: true)
        try addTargets(in: try leafEditor.cell(values, row), column, editor, to: &found)
        let object = ObjectKey(Int64(bitPattern: leaf.key(at: row)))
        for target in found {
          entries[target.table.key, default: []].append((target.object, object))
          if target.table.kind == .embedded {
            orphans[target.table.key, default: []].append(target.object)
          }
        }
      }
    }
    for (table, entries) in entries {
      let target = try self.editor(table)
      guard let hidden = try backlinkColumn(target, column, editor, creating: false) else {
        continue
      }
      let place = PendingBacklinks.Place(table: table, column: hidden.index)
      lost.backlinks.removed[place, default: []] += entries
    }
  }

  /// Adds what a cell of a column links to, or the elements of its collection.
  private func addTargets(
    in own: Cell, _ column: TableEditor.Column, _ editor: TableEditor, to found: inout [Target]
  ) throws(StorageError) {
    guard column.collection != .none else {
      if case .nested = own {
        found += try nestedTargets(of: own)
        return
      }
      if let target = try target(of: own, column, editor) { found.append(target) }
      return
    }
    for cell in try elements(of: column, root: own.number, editor) {
      if case .nested = cell {
        found += try nestedTargets(of: cell)
      } else if let target = try target(of: cell, column, editor) {
        found.append(target)
      }
    }
  }
}
