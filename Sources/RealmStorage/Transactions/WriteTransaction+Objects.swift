public import RealmValues

extension WriteTransaction {
  // MARK: Creation

  /// Creates an object with initial values in a table without a primary key.
  ///
  /// - Throws: `rejected(.noTable)`; `rejected(.wrongType)` if the table has a primary key or holds
  ///   embedded objects.
  public func createObject(_ table: TableKey) throws(StorageError) -> ObjectKey {
    let editor = try editor(table)
    guard editor.primaryKey == nil, editor.kind != .embedded else { throw .wrongType }
    return try insertObject(editor)
  }

  /// Creates an object with a primary key.
  ///
  /// - Throws: `rejected(.duplicatePrimaryKey)`; `rejected(.wrongType)`.
  public func createObject(
    _ table: TableKey, primaryKey value: ScalarValue
  ) throws(StorageError) -> ObjectKey {
    let editor = try editor(table)
    guard let primaryKey = editor.primaryKey else { throw .wrongType }
    let column = try editor.column(primaryKey)
    try check(value, column, editor)
    if let existing = try find(value, column, editor) {
      throw .rejected(.duplicatePrimaryKey(existing))
    }
    let object = try insertObject(editor)
    try setScalar(.value(value), column, object, editor)
    return object
  }

  /// The object with a primary key; nil if there is none.
  public func object(
    _ table: TableKey, primaryKey value: ScalarValue
  ) throws(StorageError) -> ObjectKey? {
    let editor = try pendingEditor(table)
    guard let primaryKey = editor.primaryKey else { return nil }
    let column = try editor.column(primaryKey)
    return try findAlsoPending(value, column, editor)
  }

  /// Adds an object under the next free key.
  ///
  /// Source: file-format-writing.md 8.4.
  func insertObject(_ editor: TableEditor) throws(StorageError) -> ObjectKey {
    var key: ObjectKey
    repeat { key = try nextKey(editor) } while try hasObject(editor, key)
    let clusters = editor.clusters
    try clusters.insert(&editor.clusterRoot, key)
    // Embedded objects are reported with their owners.
    if editor.kind != .embedded { log.addCreation(key, in: editor.key) }
    for column in editor.columns where editor.indexRoots[column.index] != 0 {
      try addToIndex(editor.clusterColumn(column).initial, column, key, editor)
    }
    return key
  }

  /// The key that is next in turn; an object may have it.
  func nextKey(_ editor: TableEditor) throws(StorageError) -> ObjectKey {
    let number = editor.sequence
    editor.sequence &+= 1
    // Without a primary key there is a gap for the number of a peer.
    let key = ObjectKey(
      editor.primaryKey != nil ? number : number & 0xFF | (number & 0x3F_FFFF_FFFF_FF00) << 8)
    // Backlinks and indexes store twice the key.
    guard key.rawValue < 1 << 62 else { throw .rejected(.notSupported) }
    return key
  }

  // MARK: Reading

  /// Whether a table has an object.
  public func hasObject(_ table: TableKey, _ object: ObjectKey) throws(StorageError) -> Bool {
    try hasObject(try pendingEditor(table), object)
  }

  func hasObject(_ editor: TableEditor, _ object: ObjectKey) throws(StorageError) -> Bool {
    guard object.rawValue >= 0 else { return false }
    if let pending = editor.pending, pending.row(of: object) != nil { return true }
    let tree = try ClusterTree(root: editor.clusterRoot, in: store.view)
    return try tree.find(UInt64(object.rawValue)) != nil
  }

  /// What an object has in a column.
  ///
  /// - Throws: `rejected(.noObject)`.
  func cell(
    _ editor: TableEditor, _ column: TableEditor.Column, _ object: ObjectKey
  ) throws(StorageError) -> Cell {
    let tree = try ClusterTree(root: editor.clusterRoot, in: store.view)
    guard object.rawValue >= 0, let (leaf, row) = try tree.find(UInt64(object.rawValue)) else {
      throw .rejected(.noObject)
    }
    let ref = try store.view.ref(leaf.node, column.index + 1)
    return try editor.clusterColumn(column).leaf.cell(ref, row)
  }

  /// The value of a property that is not a collection; null for a collection in a mixed value.
  public func value(
    _ table: TableKey, _ object: ObjectKey, _ column: ColumnKey
  ) throws(StorageError) -> ScalarValue {
    let editor = try pendingEditor(table)
    return try currentCell(editor, try editor.column(column), object).scalar
  }

  // MARK: Setting

  /// Sets a property that is not a collection.
  ///
  /// A link to an embedded object that is replaced deletes the object.
  ///
  /// - Throws: `rejected(.noObject)`, `rejected(.noColumn)`, `rejected(.wrongType)`;
  ///   `rejected(.notSupported)` for the primary key.
  public func set(
    _ table: TableKey, _ object: ObjectKey, _ column: ColumnKey, _ value: ScalarValue
  ) throws(StorageError) {
    let editor = try editor(table)
    let column = try editor.column(column)
    guard !column.isBacklink, column.collection == .none else { throw .rejected(.noColumn) }
    try checkSettable(column, editor)
    try check(value, column, editor)
    try setScalar(.value(value), column, object, editor)
  }

  /// Refuses to set a primary key, unless uniqueness is suspended.
  func checkSettable(
    _ column: TableEditor.Column, _ editor: TableEditor
  ) throws(StorageError) {
    guard column.key == editor.primaryKey else { return }
    guard suspendsUniqueness else { throw .rejected(.notSupported) }
    unverifiedTables.insert(editor.key)
  }

  /// Sets a property, keeping index and backlinks in step.
  func setScalar(
    _ new: Cell, _ column: TableEditor.Column, _ object: ObjectKey, _ editor: TableEditor,
    _ changes: [TransactionChanges.ElementChange]? = nil
  ) throws(StorageError) {
    let old = try cell(editor, column, object)
    let isIndexed = editor.indexRoots[column.index] != 0
    if isIndexed {
      try removeFromIndex(old, column, object, editor)
    }
    let clusters = editor.clusters
    let leaf = editor.clusterColumn(column).leaf
    try clusters.update(&editor.clusterRoot, object, column: column.index) {
      (ref: inout Int64, row) throws(StorageError) in
      try leaf.set(&ref, at: row, new)
    }
    if isIndexed { try addToIndex(new, column, object, editor) }
    if let changes {
      log.add(
        changes,
        to: InstructionLog.Collection(table: editor.key, column: column.key, object: object))
    } else {
      log.addSet(editor.key, column.key, object)
    }
    try replaceLinks(of: old, by: new, column, object, editor)
    if case .nested(_, let root, _) = old { try store.freeTree(root) }
  }

  /// Checks that a value fits a column and, if it is a link, leads to an object.
  func check(
    _ value: ScalarValue, _ column: TableEditor.Column, _ editor: TableEditor
  ) throws(StorageError) {
    if case .string(let bytes) = value, bytes.count > LeafEditor.maximumTextByteCount {
      throw .rejected(.valueTooLong)
    }
    switch (value, column.kind) {
    case (.null, _): guard column.isNullable else { throw .wrongType }
    case (.link(let table, let object), .mixed):
      let target = try pendingEditor(table)
      guard target.kind != .embedded else { throw .wrongType }
      guard try hasObject(target, object) else { throw .rejected(.noObject) }
    case (.key(let object), .link), (.link(_, let object), .link):
      guard let target = editor.opposite(of: column)?.table else { throw .wrongType }
      if case .link(let table, _) = value, table != target { throw .wrongType }
      let targetEditor = try pendingEditor(target)
      // Embedded objects are made by the link to them.
      guard targetEditor.kind != .embedded else { throw .wrongType }
      guard try hasObject(targetEditor, object) else { throw .rejected(.noObject) }
    case (.key, _): throw .wrongType
    case (_, .mixed): break
    default: guard value.kind == column.kind else { throw .wrongType }
    }
  }
}
