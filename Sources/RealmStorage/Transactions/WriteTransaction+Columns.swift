public import RealmValues

extension WriteTransaction {
  /// The column with a name; nil if there is none.
  public func columnKey(_ table: TableKey, _ name: String) throws(StorageError) -> ColumnKey? {
    try editor(table).columns.first { !$0.isBacklink && $0.name == name }?.key
  }

  /// Adds a column; existing objects get the initial value of its type.
  ///
  /// - Throws: `rejected(.badName)`; `rejected(.noTable)` if the target of links is missing;
  ///   `rejected(.wrongType)` for combinations that do not exist.
  @discardableResult
  public func addColumn(
    _ table: TableKey, _ definition: ColumnDefinition
  ) throws(StorageError) -> ColumnKey {
    let editor = try editor(table)
    try check(definition, for: editor)
    guard definition.kind == .link, let target = definition.target else {
      return try insertColumn(definition, into: editor).key
    }
    let targetEditor = try self.editor(target)
    // The leaf of links has to know the target; so the opposites come before the values.
    let key = try newKey(
      editor, type: Int(definition.kind.rawValue), attributes: definition.keyAttributes)
    editor.oppositeTables[key.index] = Int64(target.rawValue)
    let column = try insertColumn(definition, key: key, into: editor)
    let backlink = try addBacklinkColumn(to: targetEditor, from: table, column.key)
    editor.oppositeColumns[key.index] = Int64(bitPattern: backlink.rawValue)
    return key
  }

  /// Checks that a table can have a column, be it in the place of another one.
  private func check(
    _ definition: ColumnDefinition, for editor: TableEditor, replacing old: ColumnKey? = nil
  ) throws(StorageError) {
    let isTaken = editor.columns.contains {
      !$0.isBacklink && $0.name == definition.name && $0.key != old
    }
    guard !definition.name.isEmpty, !isTaken,
      definition.name.utf8.count <= WriteTransaction.maximumNameByteCount
    else { throw .rejected(.badName) }
    guard definition.kind != .typedLink else { throw .rejected(.wrongType) }
    guard definition.kind == .link else { return }
    guard let target = definition.target else { throw .rejected(.noTable) }
    if try self.editor(target).kind == .embedded, definition.collection == .set {
      throw .rejected(.wrongType)
    }
  }

  func insertColumn(
    _ definition: ColumnDefinition, key: ColumnKey? = nil, into editor: TableEditor
  ) throws(StorageError) -> TableEditor.Column {
    let attributes = definition.keyAttributes
    let key =
      if let key { key } else {
        try newKey(editor, type: Int(definition.kind.rawValue), attributes: attributes)
      }
    // Keys of dictionaries are strings.
    let keyType = definition.collection == .dictionary ? Int64(ValueKind.string.rawValue) : 0
    let column = TableEditor.Column(
      name: definition.name, key: key, type: Int64(definition.kind.rawValue) | keyType << 16,
      attributes: Int64(attributes.rawValue))
    let position = editor.columns.firstIndex { $0.isBacklink } ?? editor.columns.count
    let (clusters, slot) = (editor.clusters, editor.clusterColumn(column))
    try clusters.add(slot, to: &editor.clusterRoot)
    editor.columns.insert(column, at: position)
    log.add(.insert, editor.key, key)
    return column
  }

  /// A key with the lowest free index, which gets its place in the lists by index.
  ///
  /// Source: file-format-writing.md 8.12.
  private func newKey(
    _ editor: TableEditor, type: Int, attributes: ColumnAttributes
  ) throws(StorageError) -> ColumnKey {
    let used = Set(editor.columns.map { $0.index })
    var index = 0
    while used.contains(index) { index += 1 }
    guard index < 0xFFFF else { throw .rejected(.notSupported) }
    if index == editor.oppositeTables.count {
      editor.oppositeTables.append(TableEditor.noTable)
      editor.oppositeColumns.append(TableEditor.noColumn)
      editor.indexRoots.append(0)
    }
    let tag = UInt32(truncatingIfNeeded: editor.columnCounter) ^ editor.key.rawValue
    return ColumnKey(index: index, typeNumber: type, attributes: attributes, tag: tag)
  }

  /// Adds the hidden column for the links from a column of a table.
  func addBacklinkColumn(
    to editor: TableEditor, from table: TableKey, _ origin: ColumnKey
  ) throws(StorageError) -> ColumnKey {
    let key = try newKey(editor, type: TableEditor.backlinkType, attributes: [])
    let column = TableEditor.Column(
      name: "", key: key, type: Int64(TableEditor.backlinkType), attributes: 0)
    let (clusters, slot) = (editor.clusters, editor.clusterColumn(column))
    try clusters.add(slot, to: &editor.clusterRoot)
    editor.columns.append(column)
    editor.oppositeTables[key.index] = Int64(table.rawValue)
    editor.oppositeColumns[key.index] = Int64(bitPattern: origin.rawValue)
    return key
  }

  /// Removes a column with its values, its index and the backlinks of its links.
  ///
  /// Embedded objects that hang on the column are deleted.
  ///
  /// - Throws: `rejected(.noColumn)`.
  public func removeColumn(_ table: TableKey, _ key: ColumnKey) throws(StorageError) {
    let editor = try editor(table)
    let column = try editor.column(key)
    guard !column.isBacklink else { throw .rejected(.noColumn) }
    if let target = editor.opposite(of: column)?.table,
      try self.editor(target).kind == .embedded
    {
      try deleteEmbedded(below: column, of: editor)
    }
    if editor.primaryKey == key { editor.primaryKey = nil }
    if column.kind == .mixed {
      for other in try allEditors() {
        let hidden = other.columns.filter {
          guard $0.isBacklink, let origin = other.opposite(of: $0) else { return false }
          return origin == (table, key)
        }
        for backlink in hidden { try drop(backlink, from: other) }
      }
    } else if let (target, backlinkKey) = editor.opposite(of: column) {
      let other = try self.editor(target)
      try drop(try other.column(backlinkKey), from: other)
    }
    try drop(column, from: editor)
    log.add(.erase, table, key)
  }

  func drop(
    _ column: TableEditor.Column, from editor: TableEditor
  ) throws(StorageError) {
    let index = column.index
    try store.freeTree(editor.indexRoots[index])
    editor.indexRoots[index] = 0
    editor.oppositeTables[index] = TableEditor.noTable
    editor.oppositeColumns[index] = TableEditor.noColumn
    let clusters = editor.clusters
    try clusters.removeColumn(index, from: &editor.clusterRoot)
    editor.columns.removeAll { $0.key == column.key }
    editor.columnCounter &+= 1
  }

  /// Puts a column with initial values into the place of another one, which is removed.
  ///
  /// - Throws: as `addColumn` and `removeColumn`.
  public func replaceColumn(
    _ table: TableKey, _ old: ColumnKey, by definition: ColumnDefinition
  ) throws(StorageError) -> ColumnKey {
    let editor = try editor(table)
    guard let position = editor.columns.firstIndex(where: { $0.key == old && !$0.isBacklink })
    else { throw .rejected(.noColumn) }
    try check(definition, for: editor, replacing: old)
    try removeColumn(table, old)
    let new = try addColumn(table, definition)
    try move(new, to: position, editor)
    return new
  }

  /// Gives a column another place among the public ones, which are told apart by their keys.
  func move(
    _ key: ColumnKey, to position: Int, _ editor: TableEditor
  ) throws(StorageError) {
    let column = try editor.column(key)
    editor.columns.removeAll { $0.key == key }
    editor.columns.insert(column, at: position)
  }

  /// Renames a column.
  ///
  /// - Throws: `rejected(.noColumn)`, `rejected(.badName)`.
  public func renameColumn(
    _ table: TableKey, _ key: ColumnKey, to name: String
  ) throws(StorageError) {
    let editor = try editor(table)
    guard let position = editor.columns.firstIndex(where: { $0.key == key && !$0.isBacklink })
    else { throw .rejected(.noColumn) }
    guard !name.isEmpty, name.utf8.count <= WriteTransaction.maximumNameByteCount,
      !editor.columns.contains(where: { !$0.isBacklink && $0.name == name })
    else { throw .rejected(.badName) }
    editor.columns[position].name = name
    log.add(.rename, table, key)
  }
}
