import RealmValues

/// The change sets of the last commits, the oldest first.
///
/// Each leads from one version to the next, the last one to the version of its snapshot. Readers of
/// a session that are on an older version learn from them what has changed since.
///
/// Source: file-format-writing.md 4.3.
struct ChangeSetList {
  private let store: NodeStore
  private let tree: TreeEditor

  init(_ store: NodeStore) {
    self.store = store
    tree = TreeEditor(store, LeafType(layout: .data, isNullable: true))
  }

  /// Adds the change set of a commit, and drops those that nobody needs.
  ///
  /// - Parameter root: The root of the list; 0 or a number for an empty one.
  /// - Parameter count: How many of the present ones are still needed.
  func append(
    _ changes: [UInt8], to root: inout Int64, keepingLast count: Int
  ) throws(StorageError) {
    let isEmpty = root == 0 || root & 1 != 0
    let present = isEmpty ? 0 : try tree.count(root)
    let kept = min(max(0, count), present)
    guard kept > 0 else {
      if !isEmpty { try store.freeTree(root) }
      root = try LeafEditor.makeBinaries([changes], store)
      return
    }
    if present - kept <= ChangeSetList.fewRemovals {
      for _ in kept..<present { try tree.remove(&root, 0) }
    } else {
      var cells: [Cell] = []
      for index in (present - kept)..<present { cells.append(try tree.cell(root, index)) }
      let fresh = try tree.make(cells)
      try store.freeTree(root)
      root = fresh
    }
    try tree.append(&root, .value(.data(changes)))
  }

  /// More elements at the front than these are dropped all at once.
  private static let fewRemovals = 16
}
