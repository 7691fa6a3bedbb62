public import RealmValues

/// New values of a property for all objects of a table, made leaf by leaf beside the old ones, which
/// can be read until `apply`.
///
/// Nothing else may change the table meanwhile.
public final class ColumnReplacement {
  private let transaction: WriteTransaction
  private let editor: TableEditor
  /// The column that gets the values; nil if it does not exist yet.
  private let column: ColumnKey?
  private let leaf: LeafEditor
  private var cursor: ClusterCursor
  /// The leaves that were made, in the order of the objects.
  private var leaves: [Int64] = []
  /// The values of the leaf that comes.
  private let staged: StagedColumn
  /// Number of objects that have no value yet.
  private var missingCount: Int

  /// Prepares the change of a property that is neither a link nor mixed nor a collection.
  ///
  /// - Throws: `rejected(.noTable)`, `rejected(.noColumn)`; `rejected(.notSupported)` for the primary
  ///   key, unless uniqueness is suspended.
  public convenience init(
    _ transaction: WriteTransaction, _ table: TableKey, _ column: ColumnKey
  ) throws(StorageError) {
    let editor = try transaction.editor(table)
    let place = try editor.column(column)
    guard !place.isBacklink, place.collection == .none, place.kind != .link, place.kind != .mixed
    else { throw .rejected(.noColumn) }
    try transaction.checkSettable(place, editor)
    try self.init(transaction, editor, column, editor.clusterColumn(place))
  }

  /// Prepares the values of a property that is not made yet.
  ///
  /// - Throws: `rejected(.noTable)`, `rejected(.noColumn)` as for one that exists.
  public convenience init(
    _ transaction: WriteTransaction, _ table: TableKey, new: ColumnDefinition
  ) throws(StorageError) {
    guard new.collection == .none, new.kind != .link, new.kind != .mixed else {
      throw .rejected(.noColumn)
    }
    let type = LeafType(
      layout: TableReader.layout(new.kind, .none), isNullable: new.isNullable)
    let leaf = LeafEditor(store: transaction.store, type: type)
    try self.init(
      transaction, try transaction.editor(table), nil,
      ClusterEditor.Column(index: 0, leaf: leaf, initial: .null))
  }

  private init(
    _ transaction: WriteTransaction, _ editor: TableEditor, _ column: ColumnKey?,
    _ slot: ClusterEditor.Column
  ) throws(StorageError) {
    (self.transaction, self.editor, self.column) = (transaction, editor, column)
    (leaf, staged) = (slot.leaf, StagedColumn(slot))
    let tree = try ClusterTree(root: editor.clusterRoot, in: transaction.store.view)
    cursor = ClusterCursor(tree)
    missingCount = try tree.objectCount()
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
    missingCount -= staged.count
    staged.forget(from: 0)
  }

  /// Gives up the values.
  public func discard() throws(StorageError) {
    for ref in leaves { try leaf.discard(ref) }
    leaves = []
  }

  /// Puts the values in the place of the old ones.
  ///
  /// - Parameter new: The property, if it was not made when the values were prepared. Its values are
  ///   not announced to other processes object by object.
  /// - Throws: `rejected(.noObject)` if objects have none; `rejected(.noColumn)`.
  public func apply(to new: ColumnKey? = nil) throws(StorageError) {
    guard missingCount == 0 else { throw .rejected(.noObject) }
    guard let key = column ?? new else { throw .rejected(.noColumn) }
    let column = try editor.column(key)
    var position = 0
    try transaction.changeIndexed(column, editor, nil) { () throws(StorageError) in
      try transaction.editColumn(column, editor, nil) {
        (ref: inout Int64, cluster, rows) throws(StorageError) in
        try leaf.discard(ref)
        ref = leaves[position]
        position += 1
        guard new == nil else { return }
        transaction.log.addSets(editor.key, column.key, rows.count) {
          Int64(bitPattern: cluster.key(at: rows[$0]))
        }
      }
    }
    leaves = []
  }
}
