public import RealmValues

/// Lists, sets and dictionaries.
///
/// Source: file-format-writing.md 8.9.
extension WriteTransaction {
  /// A collection of an object, found and checked.
  private struct Place {
    var editor: TableEditor
    var column: TableEditor.Column
    var object: ObjectKey
  }

  private func place(
    _ table: TableKey, _ object: ObjectKey, _ column: ColumnKey,
    _ kinds: StoredColumn.Collection...
  ) throws(StorageError) -> Place {
    let editor = try editor(table)
    let column = try editor.column(column)
    guard !column.isBacklink, kinds.contains(column.collection) else {
      throw .rejected(.noColumn)
    }
    return Place(editor: editor, column: column, object: object)
  }

  /// Changes the root of a collection; it is 0 if the collection was never filled.
  func editCollection(
    _ column: TableEditor.Column, _ object: ObjectKey, _ editor: TableEditor,
    _ change: (inout Int64) throws(StorageError) -> Void
  ) throws(StorageError) {
    let clusters = editor.clusters
    try clusters.update(&editor.clusterRoot, object, column: column.index) {
      (leaf: inout Int64, row) throws(StorageError) in
      let old = try store.element(leaf, row)
      var root = old
      try change(&root)
      if root != old { try store.set(&leaf, row, root) }
    }
  }

  private func edit(
    _ place: Place, _ change: (inout Int64) throws(StorageError) -> Void
  ) throws(StorageError) {
    try editCollection(place.column, place.object, place.editor, change)
  }

  private func root(_ place: Place) throws(StorageError) -> Int64 {
    try cell(place.editor, place.column, place.object).number
  }

  private func record(_ change: InstructionLog.ElementChange, _ place: Place) {
    log.add(
      change,
      to: InstructionLog.Collection(
        table: place.editor.key, column: place.column.key, object: place.object))
  }

  private func tree(_ place: Place) -> TreeEditor {
    TreeEditor(store, place.editor.valueType(of: place.column))
  }

  /// The cell for an element or value; links in dictionaries carry their table.
  private func checked(
    _ value: ScalarValue, _ place: Place
  ) throws(StorageError) -> Cell {
    try check(value, place.column, place.editor)
    // A list with an index has all bytes of its words in the index.
    if place.column.collection == .list, place.editor.indexRoots[place.column.index] != 0,
      case .string(let bytes) = value, bytes.count > IndexEditor.maximumWordByteCount
    {
      throw .rejected(.valueTooLong)
    }
    if place.column.collection == .dictionary, case .key(let object) = value,
      let target = place.editor.opposite(of: place.column)?.table
    {
      return .value(.link(target, object))
    }
    return .value(value)
  }

  private func replaceLinks(of old: Cell, by new: Cell, _ place: Place) throws(StorageError) {
    try replaceLinks(of: old, by: new, place.column, place.object, place.editor)
    if case .nested(_, let root, _) = old { try store.freeTree(root) }
  }

  // MARK: Lists

  /// Number of elements of a list or set, or of entries of a dictionary.
  public func count(
    _ table: TableKey, _ object: ObjectKey, _ column: ColumnKey
  ) throws(StorageError) -> Int {
    let place = try place(table, object, column, .list, .set, .dictionary)
    let root = try root(place)
    guard root != 0 else { return 0 }
    guard place.column.collection == .dictionary else { return try tree(place).count(root) }
    return try mixedTree.count(try store.element(root, 1))
  }

  /// Inserts an element into a list; the index may be the count.
  ///
  /// - Throws: `rejected(.noElement)`, `rejected(.wrongType)`, `rejected(.noObject)`.
  public func insert(
    _ table: TableKey, _ object: ObjectKey, _ column: ColumnKey, at index: Int,
    _ value: ScalarValue
  ) throws(StorageError) {
    let place = try place(table, object, column, .list)
    try insert(try checked(value, place), at: index, place)
  }

  /// Inserts a value, which can be a collection, into a list of mixed values.
  ///
  /// - Throws: as for a scalar; `rejected(.badName)` for a key that stands twice.
  public func insert(
    _ table: TableKey, _ object: ObjectKey, _ column: ColumnKey, at index: Int,
    mixed value: MixedValue
  ) throws(StorageError) {
    let place = try place(table, object, column, .list)
    guard index >= 0, index <= (try count(table, object, column)) else {
      throw .rejected(.noElement)
    }
    try insert(try checked(value, place), at: index, place)
  }

  /// Changes an element of a list of mixed values.
  ///
  /// - Throws: as for a scalar; `rejected(.badName)` for a key that stands twice.
  public func set(
    _ table: TableKey, _ object: ObjectKey, _ column: ColumnKey, at index: Int,
    mixed value: MixedValue
  ) throws(StorageError) {
    let place = try place(table, object, column, .list)
    guard index >= 0, index < (try count(table, object, column)) else {
      throw .rejected(.noElement)
    }
    try set(try checked(value, place), at: index, place)
  }

  /// Sets the value of a key of a dictionary of mixed values.
  ///
  /// - Throws: as for a scalar.
  public func set(
    _ table: TableKey, _ object: ObjectKey, _ column: ColumnKey, key: [UInt8],
    mixed value: MixedValue
  ) throws(StorageError) {
    let place = try place(table, object, column, .dictionary)
    try check(key: key)
    try set(try checked(value, place), key: key, place)
  }

  /// The cell for an element or value that can be a collection.
  private func checked(_ value: MixedValue, _ place: Place) throws(StorageError) -> Cell {
    if case .scalar(let scalar) = value { return try checked(scalar, place) }
    guard place.column.kind == .mixed else { throw .wrongType }
    let root = try root(place)
    try check(value, place.column, place.editor, depth: 1)
    guard root != 0 else { return try makeCell(value, key: 1) }
    let values = place.column.collection == .dictionary ? try store.element(root, 1) : root
    return try makeCell(value, key: try freshKey(in: values))
  }

  private func insert(_ cell: Cell, at index: Int, _ place: Place) throws(StorageError) {
    let tree = tree(place)
    try edit(place) { (root: inout Int64) throws(StorageError) in
      let count = root == 0 ? 0 : try tree.count(root)
      guard index >= 0, index <= count else { throw .rejected(.noElement) }
      if root == 0 { root = try tree.makeEmpty() }
      try tree.insert(&root, index, cell)
    }
    record(.insert(index), place)
    try updateListIndex(nil, cell, place.column, place.object, place.editor)
    try replaceLinks(of: .null, by: cell, place)
  }

  /// Changes an element of a list.
  ///
  /// - Throws: `rejected(.noElement)`, `rejected(.wrongType)`, `rejected(.noObject)`.
  public func set(
    _ table: TableKey, _ object: ObjectKey, _ column: ColumnKey, at index: Int,
    _ value: ScalarValue
  ) throws(StorageError) {
    let place = try place(table, object, column, .list)
    try set(try checked(value, place), at: index, place)
  }

  private func set(_ new: Cell, at index: Int, _ place: Place) throws(StorageError) {
    let tree = tree(place)
    var old = Cell.null
    try edit(place) { (root: inout Int64) throws(StorageError) in
      guard root != 0, index >= 0, index < (try tree.count(root)) else {
        throw .rejected(.noElement)
      }
      old = try tree.cell(root, index)
      try tree.set(&root, index, new)
    }
    record(.set(index), place)
    try updateListIndex(old, new, place.column, place.object, place.editor)
    try replaceLinks(of: old, by: new, place)
  }

  /// Removes an element of a list.
  ///
  /// - Throws: `rejected(.noElement)`, `rejected(.noObject)`.
  public func remove(
    _ table: TableKey, _ object: ObjectKey, _ column: ColumnKey, at index: Int
  ) throws(StorageError) {
    try remove(at: index, try place(table, object, column, .list))
  }

  private func remove(at index: Int, _ place: Place) throws(StorageError) {
    let tree = tree(place)
    var old = Cell.null
    try edit(place) { (root: inout Int64) throws(StorageError) in
      guard root != 0, index >= 0, index < (try tree.count(root)) else {
        throw .rejected(.noElement)
      }
      old = try tree.cell(root, index)
      try tree.remove(&root, index)
    }
    record(.erase(index), place)
    try updateListIndex(old, nil, place.column, place.object, place.editor)
    try replaceLinks(of: old, by: .null, place)
  }

  /// Moves an element of a list to another index, which is that in the list without it.
  ///
  /// - Throws: `rejected(.noElement)`, `rejected(.noObject)`.
  public func move(
    _ table: TableKey, _ object: ObjectKey, _ column: ColumnKey, from: Int, to: Int
  ) throws(StorageError) {
    let place = try place(table, object, column, .list)
    let tree = tree(place)
    try edit(place) { (root: inout Int64) throws(StorageError) in
      let count = root == 0 ? 0 : try tree.count(root)
      guard from >= 0, from < count, to >= 0, to < count else { throw .rejected(.noElement) }
      let cell = try tree.cell(root, from)
      try tree.remove(&root, from)
      try tree.insert(&root, to, cell)
    }
    if from != to { record(.move(from, to), place) }
  }

  /// Removes everything from a list, set or dictionary.
  ///
  /// - Throws: `rejected(.noObject)`.
  public func removeAll(
    _ table: TableKey, _ object: ObjectKey, _ column: ColumnKey
  ) throws(StorageError) {
    let place = try place(table, object, column, .list, .set, .dictionary)
    let lost = try targets(of: place.column, object, place.editor)
    record(.clear(oldCount: try count(table, object, column)), place)
    try removeFromIndex(
      try cell(place.editor, place.column, object), place.column, object, place.editor)
    try edit(place) { (root: inout Int64) throws(StorageError) in
      try store.freeTree(root)
      root = 0
    }
    for target in lost {
      try removeBacklink(from: target, place.column, object, place.editor)
      if target.table.kind == .embedded { try delete(target.object, target.table) }
    }
  }

  // MARK: Sets

  /// Where a value is in a set, or belongs.
  func position(
    of value: ScalarValue, _ tree: TreeEditor, _ root: Int64
  ) throws(StorageError) -> (index: Int, isPresent: Bool) {
    var (low, high) = (0, try tree.count(root))
    while low < high {
      let middle = (low + high) / 2
      let order = try tree.cell(root, middle).scalar.totalOrder(value)
      if order == 0 { return (middle, true) }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return (low, false)
  }

  /// The key of a link, which is what a set of links is ordered by.
  private func element(_ value: ScalarValue, _ place: Place) -> ScalarValue {
    if place.column.kind == .link, case .link(_, let object) = value { return .key(object) }
    return value
  }

  /// Inserts a value into a set.
  ///
  /// - Returns: whether it was not there.
  /// - Throws: `rejected(.wrongType)`, `rejected(.noObject)`.
  @discardableResult
  public func insert(
    _ table: TableKey, _ object: ObjectKey, _ column: ColumnKey, member value: ScalarValue
  ) throws(StorageError) -> Bool {
    let place = try place(table, object, column, .set)
    try check(value, place.column, place.editor)
    let tree = tree(place)
    let member = element(value, place)
    var isNew = false
    try edit(place) { (root: inout Int64) throws(StorageError) in
      if root == 0 { root = try tree.makeEmpty() }
      let (index, isPresent) = try position(of: member, tree, root)
      if isPresent { return }
      try tree.insert(&root, index, .value(member))
      record(.insert(index), place)
      isNew = true
    }
    if isNew { try replaceLinks(of: .null, by: .value(member), place) }
    return isNew
  }

  /// Removes a value from a set.
  ///
  /// - Returns: whether it was there.
  /// - Throws: `rejected(.noObject)`.
  @discardableResult
  public func remove(
    _ table: TableKey, _ object: ObjectKey, _ column: ColumnKey, member value: ScalarValue
  ) throws(StorageError) -> Bool {
    let place = try place(table, object, column, .set)
    let tree = tree(place)
    let member = element(value, place)
    var old: Cell?
    try edit(place) { (root: inout Int64) throws(StorageError) in
      guard root != 0 else { return }
      let (index, isPresent) = try position(of: member, tree, root)
      guard isPresent else { return }
      old = try tree.cell(root, index)
      try tree.remove(&root, index)
      record(.erase(index), place)
    }
    guard let old else { return false }
    try replaceLinks(of: old, by: .null, place)
    return true
  }

  // MARK: Dictionaries

  var keyTree: TreeEditor {
    TreeEditor(store, LeafType(layout: .string, isNullable: false))
  }

  /// Sets the value of a key, which is added if it is missing.
  ///
  /// Keys with `$` or points, which SDKs refuse and old files have, are for the caller to judge.
  ///
  /// - Throws: `rejected(.wrongType)`, `rejected(.noObject)`.
  public func set(
    _ table: TableKey, _ object: ObjectKey, _ column: ColumnKey, key: [UInt8],
    _ value: ScalarValue
  ) throws(StorageError) {
    let place = try place(table, object, column, .dictionary)
    try check(key: key)
    try set(try checked(value, place), key: key, place)
  }

  func check(key: [UInt8]) throws(StorageError) {
    guard key.count <= LeafEditor.maximumTextByteCount else { throw .rejected(.valueTooLong) }
  }

  private func set(_ new: Cell, key: [UInt8], _ place: Place) throws(StorageError) {
    var old = Cell.null
    try edit(place) { (root: inout Int64) throws(StorageError) in
      if root == 0 {
        root = try store.makeIntegers(
          [try keyTree.makeEmpty(), try mixedTree.makeEmpty()], .refs)
      }
      var (keys, values) = (try store.element(root, 0), try store.element(root, 1))
      let (index, isPresent) = try position(of: .string(key), keyTree, keys)
      if isPresent {
        old = try mixedTree.cell(values, index)
        try mixedTree.set(&values, index, new)
      } else {
        try mixedTree.insert(&values, index, new)
        try keyTree.insert(&keys, index, .value(.string(key)))
      }
      try store.set(&root, 0, keys)
      try store.set(&root, 1, values)
      record(isPresent ? .set(index) : .insert(index), place)
    }
    try replaceLinks(of: old, by: new, place)
  }

  /// Removes a key.
  ///
  /// - Returns: whether it was there.
  /// - Throws: `rejected(.noObject)`.
  @discardableResult
  public func remove(
    _ table: TableKey, _ object: ObjectKey, _ column: ColumnKey, key: [UInt8]
  ) throws(StorageError) -> Bool {
    let place = try place(table, object, column, .dictionary)
    var old: Cell?
    try edit(place) { (root: inout Int64) throws(StorageError) in
      guard root != 0 else { return }
      var (keys, values) = (try store.element(root, 0), try store.element(root, 1))
      let (index, isPresent) = try position(of: .string(key), keyTree, keys)
      guard isPresent else { return }
      old = try mixedTree.cell(values, index)
      try mixedTree.remove(&values, index)
      try keyTree.remove(&keys, index)
      try store.set(&root, 0, keys)
      try store.set(&root, 1, values)
      record(.erase(index), place)
    }
    guard let old else { return false }
    try replaceLinks(of: old, by: .null, place)
    return true
  }

  // MARK: Embedded objects

  private func makeEmbedded(_ place: Place) throws(StorageError) -> Cell {
    guard let target = place.editor.opposite(of: place.column)?.table else { throw .wrongType }
    let editor = try editor(target)
    guard editor.kind == .embedded else { throw .wrongType }
    guard try hasObject(place.editor, place.object) else { throw .rejected(.noObject) }
    let object = try insertObject(editor)
    return .value(
      place.column.collection == .dictionary ? .link(target, object) : .key(object))
  }

  /// Creates an embedded object as the value of a property; the one before is deleted.
  ///
  /// - Returns: its key.
  /// - Throws: `rejected(.wrongType)`, `rejected(.noObject)`.
  public func createEmbedded(
    _ table: TableKey, _ object: ObjectKey, _ column: ColumnKey
  ) throws(StorageError) -> ObjectKey {
    let place = try place(table, object, column, .none)
    let cell = try makeEmbedded(place)
    try setScalar(cell, place.column, object, place.editor)
    return key(cell)
  }

  /// Creates an embedded object as an element of a list.
  ///
  /// - Returns: its key.
  /// - Throws: `rejected(.wrongType)`, `rejected(.noObject)`, `rejected(.noElement)`.
  public func createEmbedded(
    _ table: TableKey, _ object: ObjectKey, _ column: ColumnKey, at index: Int
  ) throws(StorageError) -> ObjectKey {
    let place = try place(table, object, column, .list)
    guard index >= 0, index <= (try count(table, object, column)) else {
      throw .rejected(.noElement)
    }
    let cell = try makeEmbedded(place)
    try insert(cell, at: index, place)
    return key(cell)
  }

  /// Creates an embedded object as the value of a key of a dictionary; the one before is deleted.
  ///
  /// - Returns: its key.
  /// - Throws: `rejected(.wrongType)`, `rejected(.noObject)`.
  public func createEmbedded(
    _ table: TableKey, _ object: ObjectKey, _ column: ColumnKey, key name: [UInt8]
  ) throws(StorageError) -> ObjectKey {
    let place = try place(table, object, column, .dictionary)
    try check(key: name)
    let cell = try makeEmbedded(place)
    try set(cell, key: name, place)
    return key(cell)
  }

  private func key(_ cell: Cell) -> ObjectKey {
    switch cell.scalar {
    case .key(let object), .link(_, let object): object
    default: .null
    }
  }
}
