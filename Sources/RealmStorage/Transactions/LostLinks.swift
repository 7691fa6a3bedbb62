import RealmValues

/// Links from and to objects that are deleted, gathered so that everything they are in is written
/// once.
struct LostLinks {
  /// A column of links, and the table that some of them lead to.
  struct Place: Hashable {
    var table: TableKey
    var column: ColumnKey
    var target: TableKey
  }

  /// Objects of a table that are deleted.
  struct Targets {
    let table: TableKey
    let objects: Set<ObjectKey>
  }

  typealias Link = (origin: ObjectKey, target: ObjectKey)

  /// Links to deleted objects; an origin may be deleted as well.
  var links: [Place: [Link]] = [:]
  /// Backlinks of links from deleted objects; a target may be deleted as well.
  var backlinks = PendingBacklinks()
}

/// Source: file-format-writing.md 8.8.
extension WriteTransaction {
  /// Takes gathered links away at their other ends.
  func take(_ lost: LostLinks) throws(StorageError) {
    let places = lost.links.keys.sorted {
      ($0.table.rawValue, $0.column.rawValue, $0.target.rawValue)
        < ($1.table.rawValue, $1.column.rawValue, $1.target.rawValue)
    }
    for place in places {
      guard let links = lost.links[place] else { continue }
      let editor = try editor(place.table)
      let column = try editor.column(place.column)
      let ordered = links.sorted { ($0.origin, $0.target) < ($1.origin, $1.target) }
      work.total += links.count
      switch (column.kind, column.collection) {
      case (.link, .none): try nullifySingle(ordered, column, editor)
      default: try nullify(ordered, column, editor, in: place.target)
      }
    }
    for entries in lost.backlinks.removed.values { work.total += entries.count }
    try apply(lost.backlinks)
  }

  /// Makes single links null.
  private func nullifySingle(
    _ links: [LostLinks.Link], _ column: TableEditor.Column, _ editor: TableEditor
  ) throws(StorageError) {
    var origins: [ObjectKey] = []
    for link in links where link.origin != origins.last { origins.append(link.origin) }
    let leafEditor = editor.clusterColumn(column).leaf
    let clusters = editor.clusters
    try clusters.edit(&editor.clusterRoot, origins[...]) {
      (ref: inout Int64, leaf, rows) throws(StorageError) in
      var values = try store.element(ref, column.index + 1)
      try leafEditor.set(&values, rows: rows, rows.map { _ in .null })
      try store.set(&ref, column.index + 1, values)
      log.addSets(editor.key, column.key, rows.count) { Int64(bitPattern: leaf.key(at: rows[$0])) }
      try goOn(rows.count)
    }
  }

  /// Takes links out of mixed values and collections, each of which is read once.
  private func nullify(
    _ links: [LostLinks.Link], _ column: TableEditor.Column, _ editor: TableEditor,
    in target: TableKey
  ) throws(StorageError) {
    var start = 0
    while start < links.count {
      let origin = links[start].origin
      var end = start
      while end < links.count, links[end].origin == origin { end += 1 }
      if try hasObject(editor, origin) {
        let doomed = Set(links[start..<end].lazy.map(\.target))
        try nullify(
          origin, column, editor, linksTo: LostLinks.Targets(table: target, objects: doomed))
      }
      try goOn(end - start)
      start = end
    }
  }

  /// Elements of a collection that are changed one by one; if more are, it is written again.
  static let fewElements = 8

  /// Erases the elements of a list or set that are links to deleted objects, which are ascending.
  func erase(
    _ doomed: [ObjectKey], from origin: ObjectKey, _ column: TableEditor.Column,
    _ editor: TableEditor
  ) throws(StorageError) {
    let tree = TreeEditor(store, editor.valueType(of: column))
    let place = InstructionLog.Collection(table: editor.key, column: column.key, object: origin)
    try editCollection(column, origin, editor) { (root: inout Int64) throws(StorageError) in
      guard root != 0 else { return }
      let (first, last) = (doomed[0], doomed[doomed.count - 1])
      let all = doomed.count > WriteTransaction.fewElements ? Set(doomed) : []
      let cells = try tree.cells(root)
      var kept: [Cell] = []
      var erased: [Int] = []
      for (index, cell) in cells.enumerated() {
        if case .value(.key(let object)) = cell, object >= first, object <= last,
          all.isEmpty ? doomed.contains(object) : all.contains(object)
        {
          erased.append(index)
        } else {
          kept.append(cell)
        }
      }
      for index in erased.reversed() { log.add(.erase(index), to: place) }
      if erased.count <= WriteTransaction.fewElements {
        for index in erased.reversed() { try tree.remove(&root, index) }
      } else {
        try store.freeTree(root)
        root = try tree.make(kept)
      }
    }
  }

}
