/// The objects of a table in versions 2 to 9: one tree for each column, row i is element i.
///
/// Source: file-format.md 9.6.
final class StoredColumnTrees {
  /// Number of rows: the size of the first column.
  let rowCount: Int
  /// The columns node: one ref for each column, each followed by the ref of its index if it has one.
  private let roots: NodeView

  init(roots: NodeView, rowCount: Int) {
    self.roots = roots
    self.rowCount = rowCount
  }

  /// The root of a column.
  func root(slot: Int, in view: FileView) throws(StorageError) -> Int64 {
    try view.ref(roots, slot)
  }

  /// The leaves of a column; `slot` is the position of its root in the columns node.
  func stream(_ type: LeafType, slot: Int, in view: FileView) throws(StorageError) -> LeafStream {
    var type = type
    type.isOld = true
    return try LeafStream(root: try view.ref(roots, slot), type: type, in: view)
  }
}
