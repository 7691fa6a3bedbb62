import RealmValues

/// Changes the leaves of a column or of a collection.
///
/// Most leaves are changed in place; some, when a value does not fit their form or collections are
/// involved, are made anew from their values.
///
/// Source: file-format-writing.md 8.1.
struct LeafEditor {
  let store: NodeStore
  let type: LeafType

  /// How the leaf is changed.
  private enum Form {
    case integers, nullableIntegers, elements, text, dates, fixedBytes, mixed, whole
  }

  private var form: Form {
    switch type.layout {
    case .int: type.isNullable ? .nullableIntegers : .integers
    case .bool, .link, .key, .collection, .backlink: .integers
    case .float, .double, .decimal: .elements
    case .string, .data: .text
    case .date: .dates
    case .objectID, .uuid: .fixedBytes
    case .mixed: .mixed
    case .typedLink, .oldDate: .whole
    }
  }

  /// Number of rows.
  func count(_ ref: Int64) throws(StorageError) -> Int {
    switch form {
    case .integers: try store.count(ref)
    case .nullableIntegers: try store.count(ref) - 1
    default: try ColumnLeaf(try store.node(ref), type, in: store.view).count
    }
  }

  /// Makes a leaf without rows.
  func makeEmpty() throws(StorageError) -> Int64 { try make([]) }

  /// Inserts a row.
  ///
  /// - Throws: `rejected(.wrongType)` if the value does not fit the type.
  func insert(_ ref: inout Int64, at row: Int, _ cell: Cell) throws(StorageError) {
    switch form {
    case .integers: try store.insert(&ref, row, try integer(cell))
    case .nullableIntegers: try store.insertNullable(&ref, row, try optionalInteger(cell))
    case .dates:
      let (seconds, part) = try date(cell)
      try editPair(&ref) { (wholes: inout Int64, parts: inout Int64) throws(StorageError) in
        try store.insertNullable(&wholes, row, seconds)
        try store.insert(&parts, row, part)
      }
    case .elements:
      if try prepareElements(&ref, cell) {
        write(try element(cell), to: try store.openGap(&ref, at: row))
      } else {
        try remake(&ref, row, isInsertion: true) { $0.insert(cell, at: row) }
      }
    case .text where try insertText(&ref, at: row, cell): break
    case .fixedBytes where try insertFixed(&ref, at: row, cell): break
    case .mixed where try insertMixed(&ref, at: row, cell): break
    case .text, .fixedBytes, .mixed, .whole:
      try remake(&ref, row, isInsertion: true) { $0.insert(cell, at: row) }
    }
  }

  /// Changes a row.
  ///
  /// - Throws: `rejected(.wrongType)` if the value does not fit the type.
  func set(_ ref: inout Int64, at row: Int, _ cell: Cell) throws(StorageError) {
    switch form {
    case .integers: try store.set(&ref, row, try integer(cell))
    case .nullableIntegers: try store.setNullable(&ref, row, try optionalInteger(cell))
    case .dates:
      let (seconds, part) = try date(cell)
      try editPair(&ref) { (wholes: inout Int64, parts: inout Int64) throws(StorageError) in
        try store.setNullable(&wholes, row, seconds)
        try store.set(&parts, row, part)
      }
    case .elements:
      if try prepareElements(&ref, cell) {
        write(try element(cell), to: try store.place(&ref, of: row))
      } else {
        try remake(&ref, row) { $0[row] = cell }
      }
    case .text where try setText(&ref, at: row, cell): break
    case .fixedBytes where try setFixed(&ref, at: row, cell): break
    case .mixed where try setMixed(&ref, at: row, cell): break
    case .text, .fixedBytes, .mixed, .whole: try remake(&ref, row) { $0[row] = cell }
    }
  }

  /// Changes rows.
  ///
  /// - Parameters:
  ///   - rows: Ascending.
  ///   - cells: A value for each of them.
  /// - Throws: `rejected(.wrongType)` if a value does not fit the type.
  func set(_ ref: inout Int64, rows: [Int], _ cells: [Cell]) throws(StorageError) {
    guard rows.count > 8 else {
      for (row, cell) in zip(rows, cells) { try set(&ref, at: row, cell) }
      return
    }
    var all = try self.cells(ref)
    try NodeStore.check(rows[rows.count - 1], below: all.count, ref)
    for (row, cell) in zip(rows, cells) { all[row] = cell }
    let fresh = try make(all)
    try discard(ref)
    ref = fresh
  }

  /// Removes a row. Collections that it holds stay; a big text or binary is given up.
  func remove(_ ref: inout Int64, at row: Int) throws(StorageError) {
    switch form {
    case .integers: try store.remove(&ref, row)
    case .nullableIntegers: try store.remove(&ref, row + 1)
    case .dates:
      try editPair(&ref) { (wholes: inout Int64, parts: inout Int64) throws(StorageError) in
        try store.remove(&wholes, row + 1)
        try store.remove(&parts, row)
      }
    case .elements:
      if try store.node(ref).width > 0 {
        try store.closeGap(&ref, at: row)
      } else {
        try remake(&ref, row) { $0.remove(at: row) }
      }
    case .text where try removeText(&ref, at: row): break
    case .fixedBytes where try removeFixed(&ref, rows: [row]): break
    case .mixed where try removeMixed(&ref, at: row): break
    case .text, .fixedBytes, .mixed, .whole: try remake(&ref, row) { $0.remove(at: row) }
    }
  }

  /// Moves the rows from `row` on into a new leaf.
  func split(_ ref: inout Int64, at row: Int) throws(StorageError) -> Int64 {
    let cells = try cells(ref)
    try NodeStore.check(row, below: cells.count + 1, ref)
    let right = try make(Array(cells[row...]))
    try discard(ref)
    ref = try make(Array(cells[..<row]))
    return right
  }

  /// Makes the leaf anew from its changed values.
  private func remake(
    _ ref: inout Int64, _ row: Int, isInsertion: Bool = false, _ change: (inout [Cell]) -> Void
  ) throws(StorageError) {
    var cells = try cells(ref)
    try NodeStore.check(row, below: cells.count + (isInsertion ? 1 : 0), ref)
    change(&cells)
    let fresh = try make(cells)
    try discard(ref)
    ref = fresh
  }

  /// Gives up the nodes of a leaf whose values have been read, but not the collections in it.
  func discard(_ ref: Int64) throws(StorageError) {
    switch type.layout {
    case .collection, .backlink: try store.free(ref)
    case .mixed:
      let node = try store.view.refs(at: ref)
      for slot in 0..<node.count {
        guard let child = try store.view.optionalRef(node, slot) else { continue }
        // The refs of slot 4 are those of nested collections.
        if slot == 4 { try store.free(child) } else { try store.freeTree(child) }
      }
      try store.free(ref)
    default: try store.freeTree(ref)
    }
  }

  /// Changes the two children of a leaf of dates.
  func editPair(
    _ ref: inout Int64, _ change: (inout Int64, inout Int64) throws(StorageError) -> Void
  ) throws(StorageError) {
    var wholes = try store.element(ref, 0)
    var parts = try store.element(ref, 1)
    let old = (wholes, parts)
    try change(&wholes, &parts)
    if wholes != old.0 { try store.set(&ref, 0, wholes) }
    if parts != old.1 { try store.set(&ref, 1, parts) }
  }
}
