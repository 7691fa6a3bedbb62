public import RealmValues

extension WriteTransaction {
  func index(
    _ column: TableEditor.Column, _ editor: TableEditor
  ) -> IndexEditor {
    let isFixed =
      switch column.kind {
      case .int, .bool, .date, .objectID, .uuid: true
      default: false
      }
    let type = editor.clusterColumn(column).leaf.type
    return IndexEditor(
      store: store, isFixed: isFixed,
      valueOf: { (object) throws(StorageError) in
        try IndexedValue(try self.cell(editor, column, object))
      },
      keyOf: { (object) throws(StorageError) in
        let tree = try ClusterTree(root: editor.clusterRoot, in: self.store.view)
        guard let (leaf, row) = try tree.find(UInt64(bitPattern: object.rawValue)) else {
          throw .rejected(.noObject)
        }
        let node = try self.store.node(try self.store.view.ref(leaf.node, column.index + 1))
        let values = try ColumnLeaf(node, type, in: self.store.view)
        guard row < values.count, let key = try IndexKey(values, at: row) else { throw .wrongType }
        return key
      })
  }

  /// Whether many objects can be entered into the index of a column at once.
  func canBeSorted(_ column: TableEditor.Column) -> Bool {
    column.collection == .none && !column.isFullText && column.kind != .mixed
  }

  /// Adds the objects from one on to the index of a column.
  func addToIndex(
    _ column: TableEditor.Column, from first: ObjectKey, _ editor: TableEditor
  ) throws(StorageError) {
    guard canBeSorted(column) else {
      let leafEditor = editor.clusterColumn(column).leaf
      return try forEachCluster(editor, from: first) { (leaf) throws(StorageError) in
        let cells = try leafEditor.cells(try store.view.ref(leaf.node, column.index + 1))
        for (row, cell) in cells.enumerated() {
          let object = ObjectKey(Int64(bitPattern: leaf.key(at: row)))
          if object >= first { try addToIndex(cell, column, object, editor) }
        }
      }
    }
    let (index, slot) = (index(column, editor), editor.clusterColumn(column))
    var entries: [IndexEntry] = []
    try forEachCluster(editor, from: first) { (leaf) throws(StorageError) in
      let rows = (0..<leaf.count).filter { leaf.key(at: $0) >= UInt64(bitPattern: first.rawValue) }
      try index.collect(leaf, slot, rows, into: &entries)
    }
    var root = editor.indexRoots[column.index]
    try entries.withUnsafeMutableBufferPointer { (entries) throws(StorageError) in
      try index.insert(entries, into: &root)
    }
    editor.indexRoots[column.index] = root
  }

  /// Adds an object to the index of a column, if there is one.
  func addToIndex(
    _ cell: Cell, _ column: TableEditor.Column, _ object: ObjectKey, _ editor: TableEditor
  ) throws(StorageError) {
    var root = editor.indexRoots[column.index]
    guard root != 0 else { return }
    let index = index(column, editor)
    if let words = try words(cell, column, editor) {
      for word in words { try index.insert(&root, object, word: word) }
    } else {
      try index.insert(&root, object, try IndexedValue(cell))
    }
    editor.indexRoots[column.index] = root
  }

  /// Removes an object, which has a value, from the index of a column, if there is one.
  func removeFromIndex(
    _ cell: Cell, _ column: TableEditor.Column, _ object: ObjectKey, _ editor: TableEditor
  ) throws(StorageError) {
    var root = editor.indexRoots[column.index]
    guard root != 0 else { return }
    let index = index(column, editor)
    if let words = try words(cell, column, editor) {
      for word in words { try remove(word, object, from: &root, index) }
    } else {
      try index.remove(&root, object, try IndexedValue(cell).key)
    }
    editor.indexRoots[column.index] = root
  }

  private func remove(
    _ word: [UInt8]?, _ object: ObjectKey, from root: inout Int64, _ index: IndexEditor
  ) throws(StorageError) {
    try index.remove(
      &root, object, word.map { IndexKey($0) } ?? .null, wordByteCount: word?.count ?? 0)
  }

  /// What an index of words has of a cell, nil for other indexes: the words of a text, or the
  /// elements of a list.
  private func words(
    _ cell: Cell, _ column: TableEditor.Column, _ editor: TableEditor
  ) throws(StorageError) -> Set<[UInt8]?>? {
    if column.collection != .none {
      return Set(try elements(of: column, root: cell.number, editor).map { word(of: $0) })
    }
    guard column.isFullText else { return nil }
    guard let text = word(of: cell) else { return [] }
    return Set(FullTextWords.words(in: text).map { $0 })
  }

  private func word(of cell: Cell) -> [UInt8]? {
    if case .value(.string(let bytes)) = cell { bytes } else { nil }
  }

  /// Keeps the index of a list of strings in step with the change of one element; `old` and `new`
  /// are nil for an insertion or removal.
  func updateListIndex(
    _ old: Cell?, _ new: Cell?, _ column: TableEditor.Column, _ object: ObjectKey,
    _ editor: TableEditor
  ) throws(StorageError) {
    var root = editor.indexRoots[column.index]
    guard root != 0 else { return }
    let index = index(column, editor)
    if let new { try index.insert(&root, object, word: word(of: new)) }
    if let old {
      let list = try cell(editor, column, object).number
      let rest = try elements(of: column, root: list, editor)
      if !rest.contains(where: { word(of: $0) == word(of: old) }) {
        try remove(word(of: old), object, from: &root, index)
      }
    }
    editor.indexRoots[column.index] = root
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
  /// - Throws: `rejected(.wrongType)` if values of its type cannot be indexed;
  ///   `rejected(.valueTooLong)` if a list has an element that is too long for an index.
  public func addIndex(_ table: TableKey, _ column: ColumnKey) throws(StorageError) {
    let editor = try editor(table)
    guard let position = editor.columns.firstIndex(where: { $0.key == column && !$0.isBacklink })
    else { throw .rejected(.noColumn) }
    guard !editor.columns[position].isFullText else { throw .rejected(.notSupported) }
    // Of collections only lists of strings can have one.
    let isTextList =
      editor.columns[position].collection == .list && editor.columns[position].kind == .string
    guard editor.columns[position].collection == .none || isTextList else { throw .wrongType }
    if isTextList { try checkWords(editor.columns[position], editor) }
    try buildIndex(editor.columns[position], editor)
    editor.columns[position].attributes |= Int64(ColumnAttributes.indexed.rawValue)
  }

  /// Refuses lists with elements that are too long for an index, which spells them out.
  private func checkWords(
    _ column: TableEditor.Column, _ editor: TableEditor
  ) throws(StorageError) {
    for object in try objects(editor.key) {
      let root = try cell(editor, column, object).number
      for case .value(.string(let bytes)) in try elements(of: column, root: root, editor)
      where bytes.count > IndexEditor.maximumWordByteCount {
        throw .rejected(.valueTooLong)
      }
    }
  }

  /// Gives a column of strings a full-text index.
  ///
  /// - Throws: `rejected(.wrongType)` if it does not hold strings; `rejected(.notSupported)` if it
  ///   has another index.
  public func addFullTextIndex(_ table: TableKey, _ column: ColumnKey) throws(StorageError) {
    let editor = try editor(table)
    guard let position = editor.columns.firstIndex(where: { $0.key == column && !$0.isBacklink })
    else { throw .rejected(.noColumn) }
    guard editor.columns[position].kind == .string, editor.columns[position].collection == .none
    else { throw .wrongType }
    guard editor.indexRoots[column.index] == 0 else { throw .rejected(.notSupported) }
    editor.columns[position].attributes |= Int64(ColumnAttributes.fullText.rawValue)
    try buildIndex(editor.columns[position], editor)
  }

  /// Builds the index of a column that has none.
  func buildIndex(
    _ column: TableEditor.Column, _ editor: TableEditor
  ) throws(StorageError) {
    switch column.kind {
    case .int, .bool, .string, .date, .objectID, .uuid, .mixed: break
    default: throw .wrongType
    }
    guard editor.indexRoots[column.index] == 0 else { return }
    editor.indexRoots[column.index] = try index(column, editor).makeEmpty()
    try addToIndex(column, from: ObjectKey(0), editor)
  }

  /// Calls `body` with every cluster of a table that can hold an object or a later one; `body` must
  /// not change it.
  func forEachCluster(
    _ editor: TableEditor, from first: ObjectKey = ObjectKey(0),
    _ body: (ClusterTree.Leaf) throws(StorageError) -> Void
  ) throws(StorageError) {
    store.renewWork()
    var cursor = ClusterCursor(try ClusterTree(root: editor.clusterRoot, in: store.view))
    try cursor.skip(to: UInt64(bitPattern: first.rawValue))
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
      if suspendsUniqueness {
        unverifiedTables.insert(table)
      } else {
        try checkUnique(new, editor)
      }
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
    try forEachValue(column, editor) { (object, value) throws(StorageError) in
      if let first = seen.updateValue(object, forKey: value) {
        throw .rejected(.duplicatePrimaryKey(first))
      }
    }
  }

  private func forEachValue(
    _ column: TableEditor.Column, _ editor: TableEditor,
    _ body: (ObjectKey, ScalarValue) throws(StorageError) -> Void
  ) throws(StorageError) {
    let leafEditor = editor.clusterColumn(column).leaf
    try forEachCluster(editor) { (leaf) throws(StorageError) in
      let cells = try leafEditor.cells(try store.view.ref(leaf.node, column.index + 1))
      for (row, cell) in cells.enumerated() {
        try body(ObjectKey(Int64(bitPattern: leaf.key(at: row))), cell.scalar)
      }
    }
  }

  /// The primary keys that several objects have; none are left when uniqueness is not suspended.
  ///
  /// - Returns: the values of the first table that has such, with the numbers of their objects, in
  ///   the order in which they are met; nil if all are different.
  public func verifyPrimaryKeys() throws(StorageError) -> (
    table: TableKey, values: [(value: ScalarValue, count: Int)]
  )? {
    for table in unverifiedTables.sorted(by: { $0.rawValue < $1.rawValue }) {
      guard tableExists(table) else { continue }
      let editor = try editor(table)
      guard let key = editor.primaryKey else { continue }
      var counts: [ScalarValue: Int] = [:]
      var duplicates: [ScalarValue] = []
      try forEachValue(try editor.column(key), editor) { (_, value) throws(StorageError) in
        let count = counts[value, default: 0] + 1
        counts[value] = count
        if count == 2 { duplicates.append(value) }
      }
      if !duplicates.isEmpty { return (table, duplicates.map { ($0, counts[$0] ?? 0) }) }
    }
    unverifiedTables = []
    return nil
  }
}
