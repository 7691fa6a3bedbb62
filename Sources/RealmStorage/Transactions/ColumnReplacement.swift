public import RealmValues

/// New values of a property for all objects of a table, made leaf by leaf beside the old ones, which
/// can be read until `apply`.
///
/// Nothing else may change the table meanwhile.
public final class ColumnReplacement {
  private let transaction: WriteTransaction
  private let editor: TableEditor
  private let column: TableEditor.Column
  private let leaf: LeafEditor
  private var cursor: ClusterCursor
  /// The leaves that were made, in the order of the objects.
  private var leaves: [Int64] = []
  /// The values of the leaf that comes.
  private let staged: StagedColumn

  /// Prepares the change of a property that is neither a link nor mixed nor a collection.
  ///
  /// - Throws: `rejected(.noTable)`, `rejected(.noColumn)`; `rejected(.notSupported)` for the primary
  ///   key, unless uniqueness is suspended.
  public init(
    _ transaction: WriteTransaction, _ table: TableKey, _ column: ColumnKey
  ) throws(StorageError) {
    self.transaction = transaction
    editor = try transaction.editor(table)
    self.column = try editor.column(column)
    guard !self.column.isBacklink, self.column.collection == .none, self.column.kind != .link,
      self.column.kind != .mixed
    else { throw .rejected(.noColumn) }
    try transaction.checkSettable(self.column, editor)
    let slot = editor.clusterColumn(self.column)
    (leaf, staged) = (slot.leaf, StagedColumn(slot))
    cursor = ClusterCursor(
      try ClusterTree(root: editor.clusterRoot, in: transaction.store.view))
  }

  /// Takes the value of the next object, in the order of their keys.
  ///
  /// - Throws: `rejected(.wrongType)`, `rejected(.valueTooLong)`; `rejected(.noObject)` if a leaf has
  ///   not as many objects.
  public func append(_ value: ScalarValue) throws(StorageError) {
    guard staged.count < StagedColumn.capacity else { throw .rejected(.noObject) }
    try staged.set(staged.count, value)
  }

  /// The same with the bytes of a text or binary, which are not copied before.
  public func append(bytes: UnsafeRawBufferPointer) throws(StorageError) {
    guard staged.count < StagedColumn.capacity else { throw .rejected(.noObject) }
    try staged.set(staged.count, bytes: bytes)
  }

  /// Ends the block of objects of a leaf.
  ///
  /// - Throws: `rejected(.noObject)` if the leaf has another number of objects.
  public func endBlock() throws(StorageError) {
    guard let next = try cursor.nextLeaf(), next.count == staged.count else {
      throw .rejected(.noObject)
    }
    leaves.append(try staged.makeLeaf(count: staged.count))
    staged.forget(from: 0)
  }

  /// Gives up the values.
  public func discard() throws(StorageError) {
    for ref in leaves { try leaf.discard(ref) }
    leaves = []
  }

  /// Puts the values in the place of the old ones.
  ///
  /// - Throws: `rejected(.noObject)` if objects have none.
  public func apply() throws(StorageError) {
    guard try cursor.nextLeaf() == nil else { throw .rejected(.noObject) }
    var position = 0
    try transaction.changeIndexed(column, editor, nil) { () throws(StorageError) in
      try transaction.editColumn(column, editor, nil) {
        (ref: inout Int64, cluster, rows) throws(StorageError) in
        try leaf.discard(ref)
        ref = leaves[position]
        position += 1
        transaction.log.addSets(editor.key, column.key, rows.count) {
          Int64(bitPattern: cluster.key(at: rows[$0]))
        }
      }
    }
    leaves = []
  }
}
