public import RealmValues

extension WriteTransaction {
  private func index(
    _ column: TableEditor.Column, _ editor: TableEditor
  ) -> IndexEditor {
    IndexEditor(store: store) { (object) throws(StorageError) in
      try IndexedValue(try self.cell(editor, column, object))
    }
  }

  /// Adds an object to the index of a column, if there is one.
  func addToIndex(
    _ cell: Cell, _ column: TableEditor.Column, _ object: ObjectKey, _ editor: TableEditor
  ) throws(StorageError) {
    var root = editor.indexRoots[column.index]
    guard root != 0 else { return }
    try index(column, editor).insert(&root, object, try IndexedValue(cell))
    editor.indexRoots[column.index] = root
  }

  /// Removes an object, which has a value, from the index of a column, if there is one.
  func removeFromIndex(
    _ cell: Cell, _ column: TableEditor.Column, _ object: ObjectKey, _ editor: TableEditor
  ) throws(StorageError) {
    var root = editor.indexRoots[column.index]
    guard root != 0 else { return }
    try index(column, editor).remove(&root, object, try IndexedValue(cell).key)
    editor.indexRoots[column.index] = root
  }

  /// Refuses tables with kinds of indexes that are not kept up: full-text, and of lists of strings.
  func checkIndexes(_ editor: TableEditor) throws(StorageError) {
    for column in editor.columns where editor.indexRoots[column.index] != 0 {
      guard column.collection == .none, !column.isFullText else { throw .rejected(.notSupported) }
    }
  }

  /// The object with a value in an indexed column; nil if there is none.
  func find(
    _ value: ScalarValue, _ column: TableEditor.Column, _ editor: TableEditor
  ) throws(StorageError) -> ObjectKey? {
    guard let key = IndexKey(value) else { return nil }
    let index = SearchIndex(root: editor.indexRoots[column.index], view: store.view)
    guard index.root != 0 else { throw .rejected(.notSupported) }
    switch try index.candidates(for: key) {
    case .none: return nil
    case .one(let object):
      return try cell(editor, column, object).scalar.isEqual(to: value) ? object : nil
    case .tree(let ref):
      for case .value(.int(let raw)) in try TreeEditor(integersIn: store).cells(ref) {
        if try cell(editor, column, ObjectKey(raw)).scalar.isEqual(to: value) {
          return ObjectKey(raw)
        }
      }
      return nil
    }
  }

  /// Gives a column a search index.
  ///
  /// - Throws: `rejected(.wrongType)` if values of its type cannot be indexed.
  public func addIndex(_ table: TableKey, _ column: ColumnKey) throws(StorageError) {
    let editor = try editor(table)
    guard let position = editor.columns.firstIndex(where: { $0.key == column && !$0.isBacklink })
    else { throw .rejected(.noColumn) }
    guard !editor.columns[position].isFullText else { throw .rejected(.notSupported) }
    try buildIndex(editor.columns[position], editor)
    editor.columns[position].attributes |= Int64(ColumnAttributes.indexed.rawValue)
  }

  /// Builds the index of a column that has none.
  private func buildIndex(
    _ column: TableEditor.Column, _ editor: TableEditor
  ) throws(StorageError) {
    guard column.collection == .none else { throw .wrongType }
    switch column.kind {
    case .int, .bool, .string, .date, .objectID, .uuid, .mixed: break
    default: throw .wrongType
    }
    guard editor.indexRoots[column.index] == 0 else { return }
    let index = index(column, editor)
    var root = try index.makeEmpty()
    let leafEditor = editor.clusterColumn(column).leaf
    try forEachCluster(editor) { (leaf) throws(StorageError) in
      let cells = try leafEditor.cells(try store.view.ref(leaf.node, column.index + 1))
      for (row, cell) in cells.enumerated() {
        let object = ObjectKey(Int64(bitPattern: leaf.key(at: row)))
        try index.insert(&root, object, try IndexedValue(cell))
      }
    }
    editor.indexRoots[column.index] = root
  }

  /// Calls `body` with every cluster of a table, which `body` must not change.
  func forEachCluster(
    _ editor: TableEditor, _ body: (ClusterTree.Leaf) throws(StorageError) -> Void
  ) throws(StorageError) {
    store.renewWork()
    var cursor = ClusterCursor(try ClusterTree(root: editor.clusterRoot, in: store.view))
    while let leaf = try cursor.nextLeaf() { try body(leaf) }
  }

  /// The keys of all objects of a table in ascending order.
  public func objects(_ table: TableKey) throws(StorageError) -> [ObjectKey] {
    var result: [ObjectKey] = []
    try forEachCluster(try editor(table)) { (leaf) throws(StorageError) in
      for row in 0..<leaf.count { result.append(ObjectKey(Int64(bitPattern: leaf.key(at: row)))) }
    }
    return result
  }

  /// Takes the search index of a column away, unless its primary key needs it.
  public func removeIndex(_ table: TableKey, _ column: ColumnKey) throws(StorageError) {
    let editor = try editor(table)
    guard let position = editor.columns.firstIndex(where: { $0.key == column && !$0.isBacklink })
    else { throw .rejected(.noColumn) }
    let marks = ColumnAttributes([.indexed, .fullText]).rawValue
    editor.columns[position].attributes &= ~Int64(marks)
    guard editor.primaryKey != column else { return }
    try store.freeTree(editor.indexRoots[column.index])
    editor.indexRoots[column.index] = 0
  }

  /// Makes a column the primary key of its table, or leaves the table without one.
  ///
  /// - Throws: `rejected(.wrongType)` if the type does not allow it;
  ///   `rejected(.duplicatePrimaryKey)` if two objects have the same value.
  public func setPrimaryKey(_ table: TableKey, _ column: ColumnKey?) throws(StorageError) {
    let editor = try editor(table)
    if let column {
      let new = try editor.column(column)
      switch new.kind {
      case .int, .string, .objectID, .uuid: break
      default: throw .wrongType
      }
      guard new.collection == .none, !new.isFullText else { throw .wrongType }
      try checkUnique(new, editor)
      try buildIndex(new, editor)
    }
    let old = editor.primaryKey
    editor.primaryKey = column
    guard let old, old != column else { return }
    let isMarked = try editor.column(old).attributes & Int64(ColumnAttributes.indexed.rawValue) != 0
    if !isMarked { try removeIndex(table, old) }
  }

  private func checkUnique(
    _ column: TableEditor.Column, _ editor: TableEditor
  ) throws(StorageError) {
    var seen: [ScalarValue: ObjectKey] = [:]
    let leafEditor = editor.clusterColumn(column).leaf
    try forEachCluster(editor) { (leaf) throws(StorageError) in
      let cells = try leafEditor.cells(try store.view.ref(leaf.node, column.index + 1))
      for (row, cell) in cells.enumerated() {
        let object = ObjectKey(Int64(bitPattern: leaf.key(at: row)))
        if let first = seen.updateValue(object, forKey: cell.scalar) {
          throw .rejected(.duplicatePrimaryKey(first))
        }
      }
    }
  }
}
