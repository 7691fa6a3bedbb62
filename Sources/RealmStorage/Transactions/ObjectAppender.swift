public import RealmValues

/// Adds many objects to one table: values are given column by column, then the object is added.
///
/// An appender belongs to its transaction and is got from `WriteTransaction.appender`. Everything
/// else that the transaction does sees the added objects at once. Only properties that are no
/// collections are given here; the others are set afterwards in the ordinary way.
///
/// Objects are collected until a leaf is full, and entered into the search indexes when somebody
/// needs those.
public final class ObjectAppender {
  /// The columns that take values; the place of a column is its position here.
  public let columns: [ColumnKey]
  /// Position of the primary key in `columns`; nil if the table has none.
  public let primaryKey: Int?

  private unowned let transaction: WriteTransaction
  private unowned let editor: TableEditor
  private let pending: PendingObjects
  /// Position in the columns of the table, for each of `columns`.
  private let places: [Int]
  /// Columns of links and of mixed values have to be looked at.
  private let canLink: [Bool]
  /// Places of the columns of links that were given one.
  private var givenLinks: [Int] = []

  init(_ transaction: WriteTransaction, _ editor: TableEditor) {
    self.transaction = transaction
    self.editor = editor
    pending = editor.pending ?? PendingObjects(editor)
    editor.pending = pending
    places = editor.columns.indices.filter {
      !editor.columns[$0].isBacklink && editor.columns[$0].collection == .none
    }
    columns = places.map { editor.columns[$0].key }
    primaryKey = columns.firstIndex { $0 == editor.primaryKey }
    canLink = places.map {
      editor.columns[$0].kind == .link || editor.columns[$0].kind == .mixed
    }
  }

  /// Position of a column in `columns`; nil if it takes no values here.
  public func position(of column: ColumnKey) -> Int? { columns.firstIndex(of: column) }

  /// Whether the appender still fits the columns of its table.
  var isCurrent: Bool { editor.pending === pending }

  /// Gives the object to be added next a value; what is given nothing has its initial value.
  ///
  /// - Throws: `rejected(.wrongType)`, `rejected(.valueTooLong)`, `rejected(.noObject)` for a link;
  ///   the object to be added is as before then.
  public func set(_ position: Int, _ value: ScalarValue) throws(StorageError) {
    let place = places[position]
    if canLink[position] {
      try transaction.check(value, editor.columns[place], editor)
      givenLinks.removeAll { $0 == place }
      switch value {
      case .key, .link: givenLinks.append(place)
      default: break
      }
    }
    try pending.columns[place].set(pending.keys.count, value)
  }

  /// The same with the bytes of a text or binary, which are not copied before.
  public func set(_ position: Int, bytes: UnsafeRawBufferPointer) throws(StorageError) {
    try pending.columns[places[position]].set(pending.keys.count, bytes: bytes)
  }

  /// Adds the object with the values given since the last one.
  ///
  /// - Throws: `rejected(.duplicatePrimaryKey)`, `rejected(.wrongType)` if a primary key that may
  ///   not be null was not given; the values are forgotten then.
  /// - Precondition: no column was added to or removed from the table since the appender was got.
  public func append() throws(StorageError) -> ObjectKey {
    precondition(isCurrent, "the columns of the table have changed")
    if pending.isEmpty { try pending.begin(editor.clusters, editor.clusterRoot) }
    let row = pending.keys.count
    let primaryKey: ScalarValue?
    do throws(StorageError) { primaryKey = try checkPrimaryKey(row) } catch {
      discard()
      throw error
    }
    let key = try transaction.nextKey(editor)
    guard key.rawValue >= pending.nextKey else { return try appendSlowly(row) }
    for column in pending.columns where column.count == row { try column.setInitial(row) }
    pending.add(key)
    if let primaryKey { pending.primaryKeys.insert(primaryKey, key) }
    if !givenLinks.isEmpty { noteLinks(key) }
    transaction.hasPendingObjects = true
    transaction.log.addCreation(key, in: editor.key)
    if pending.keys.count == pending.room {
      try pending.empty(into: &editor.clusterRoot, editor.clusters)
    }
    return key
  }

  private func noteLinks(_ key: ObjectKey) {
    for place in givenLinks { pending.links.append((place, key)) }
    givenLinks.removeAll(keepingCapacity: true)
    transaction.hasPendingLinks = true
  }

  /// Forgets the values given since the last object.
  public func discard() {
    pending.discard()
    givenLinks.removeAll(keepingCapacity: true)
  }

  /// Makes sure that no other object has the primary key of a row.
  ///
  /// - Returns: the primary key; nil if the table has none.
  private func checkPrimaryKey(_ row: Int) throws(StorageError) -> ScalarValue? {
    guard let primaryKey else { return nil }
    let column = pending.columns[places[primaryKey]]
    if column.count == row { try column.set(row, .null) }
    let value = column.cell(row).scalar
    let existing = try transaction.findAlsoPending(
      value, editor.columns[places[primaryKey]], editor)
    if let existing {
      guard transaction.suspendsUniqueness else {
        throw .rejected(.duplicatePrimaryKey(existing))
      }
      transaction.unverifiedTables.insert(editor.key)
    }
    return value
  }

  /// Adds an object whose key is not above all others.
  private func appendSlowly(_ row: Int) throws(StorageError) -> ObjectKey {
    var cells: [(place: Int, cell: Cell)] = []
    for place in places where pending.columns[place].count > row {
      cells.append((place, pending.columns[place].cell(row)))
    }
    discard()
    try transaction.flush(editor)
    let object = try transaction.insertObject(editor)
    for (place, cell) in cells {
      try transaction.setScalar(cell, editor.columns[place], object, editor)
    }
    return object
  }
}
