import RealmValues

/// Keeping indexes in step with changes of many objects.
extension WriteTransaction {
  /// Whether an index is better made anew than changed for each of some objects.
  func isMost(_ objects: [ObjectKey], of editor: TableEditor) throws(StorageError) -> Bool {
    let tree = try ClusterTree(root: editor.clusterRoot, in: store.view)
    return objects.count > (try tree.objectCount()) / 4
  }

  /// Takes all objects out of the index of a column.
  func emptyIndex(_ column: TableEditor.Column, _ editor: TableEditor) throws(StorageError) {
    try store.freeTree(editor.indexRoots[column.index])
    editor.indexRoots[column.index] = try index(column, editor).makeEmpty()
  }

  /// Removes objects, which have their values still, from the index of a column.
  func removeFromIndex(
    _ objects: [ObjectKey], _ column: TableEditor.Column, _ editor: TableEditor
  ) throws(StorageError) {
    guard canBeSorted(column) else {
      for object in objects {
        try removeFromIndex(try cell(editor, column, object), column, object, editor)
      }
      return
    }
    var root = editor.indexRoots[column.index]
    let index = index(column, editor)
    var entries = try entries(objects, column, editor)
    try entries.withUnsafeMutableBufferPointer { (entries) throws(StorageError) in
      try index.remove(entries, from: &root)
    }
    editor.indexRoots[column.index] = root
  }

  /// Adds objects to the index of a column.
  private func addToIndex(
    _ objects: [ObjectKey], _ column: TableEditor.Column, _ editor: TableEditor
  ) throws(StorageError) {
    guard canBeSorted(column) else {
      for object in objects {
        try addToIndex(try cell(editor, column, object), column, object, editor)
      }
      return
    }
    var root = editor.indexRoots[column.index]
    let index = index(column, editor)
    var entries = try entries(objects, column, editor)
    try entries.withUnsafeMutableBufferPointer { (entries) throws(StorageError) in
      try index.insert(entries, into: &root)
    }
    editor.indexRoots[column.index] = root
  }

  private func entries(
    _ objects: [ObjectKey], _ column: TableEditor.Column, _ editor: TableEditor
  ) throws(StorageError) -> [IndexEntry] {
    let (index, slot) = (index(column, editor), editor.clusterColumn(column))
    var entries: [IndexEntry] = []
    let clusters = editor.clusters
    try clusters.edit(&editor.clusterRoot, objects[...]) { (_, leaf, rows) throws(StorageError) in
      try index.collect(leaf, slot, rows, into: &entries)
    }
    return entries
  }

  /// Changes values of a column, nil for those of all objects, and its index, if there is one.
  func changeIndexed(
    _ column: TableEditor.Column, _ editor: TableEditor, _ objects: [ObjectKey]?,
    _ change: () throws(StorageError) -> Void
  ) throws(StorageError) {
    guard editor.indexRoots[column.index] != 0 else { return try change() }
    if let objects, try !isMost(objects, of: editor) {
      try removeFromIndex(objects, column, editor)
      try change()
      try addToIndex(objects, column, editor)
    } else {
      try emptyIndex(column, editor)
      try change()
      try addToIndex(column, from: ObjectKey(0), editor)
    }
  }
}
