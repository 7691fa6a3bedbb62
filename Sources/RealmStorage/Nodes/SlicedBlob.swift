/// The parts of a leaf whose values lie in one blob: medium strings and small binaries.
///
///     slot  content
///        0  offsets: where each value ends in the blob
///        1  the blob
///        2  nulls: one number for each value; may be missing
///
/// Source: file-format.md 3.6, 3.7.
struct SlicedBlob {
  let offsets: NodeView
  let blob: NodeView
  let nulls: NodeView?

  init(_ node: NodeView, in view: FileView) throws(StorageError) {
    offsets = try view.integers(at: try view.ref(node, 0))
    blob = try view.blob(at: try view.ref(node, 1))
    try view.chargeElements(offsets)
    guard let ref = try view.optionalRef(node, 2) else {
      nulls = nil
      return
    }
    let nulls = try view.integers(at: ref)
    guard nulls.count == offsets.count else {
      throw .damage(
        .countMismatch, at: node.offset, found: nulls.count, limit: offsets.count)
    }
    self.nulls = nulls
  }
}
