public import RealmValues

/// What one or more commits have changed, as their change sets tell it.
///
/// Objects that were created and deleted again leave no trace. Setting a property of an object that
/// the same commits have created is part of its creation.
///
/// - Complexity: time and space grow with the change sets only.
public struct TransactionChanges: Sendable {
  /// A list, set or dictionary of an object.
  public struct CollectionKey: Hashable, Sendable {
    /// The table of the object.
    public var table: TableKey
    /// The column with the collection.
    public var column: ColumnKey
    /// The object.
    public var object: ObjectKey

    /// Names the collection of an object.
    public init(table: TableKey, column: ColumnKey, object: ObjectKey) {
      (self.table, self.column, self.object) = (table, column, object)
    }
  }

  /// What happened to an element of a collection; for sets and dictionaries the index is that in
  /// ascending order.
  public enum ElementChange: Equatable, Sendable {
    case insert(Int)
    case set(Int)
    case move(Int, Int)
    case erase(Int)
    case clear(oldCount: Int)
  }

  /// Columns of a table, by their index.
  public struct ColumnSet: Equatable, Sendable {
    private var low: UInt64 = 0
    private var others: Set<Int>?

    /// A set of no columns.
    public init() {}

    /// Adds a column.
    public mutating func insert(_ column: ColumnKey) {
      guard column.index >= 64 else {
        low |= 1 << UInt64(column.index)
        return
      }
      others = (others ?? []).union([column.index])
    }

    /// Whether a column is in the set.
    public func contains(_ column: ColumnKey) -> Bool {
      column.index < 64
        ? low >> UInt64(column.index) & 1 != 0 : others?.contains(column.index) == true
    }
  }

  /// What happened in one table.
  public struct Table: Sendable {
    /// Objects that were created; those of embedded classes are not recorded.
    public fileprivate(set) var inserted: Set<ObjectKey> = []
    /// Objects that existed before and were deleted.
    public fileprivate(set) var deleted: Set<ObjectKey> = []
    /// Objects that existed before, with the columns that were set or whose collection was changed.
    public fileprivate(set) var modified: [ObjectKey: ColumnSet] = [:]
    /// Columns that were added.
    public fileprivate(set) var insertedColumns: [ColumnKey] = []
    /// Columns that were removed.
    public fileprivate(set) var erasedColumns: [ColumnKey] = []
    /// Columns that have another name now.
    public fileprivate(set) var renamedColumns: [ColumnKey] = []

    /// Whether columns were added, removed or renamed.
    public var hasColumnChanges: Bool {
      !insertedColumns.isEmpty || !erasedColumns.isEmpty || !renamedColumns.isEmpty
    }

    /// Whether objects were created, deleted or changed.
    public var hasObjectChanges: Bool {
      !inserted.isEmpty || !deleted.isEmpty || !modified.isEmpty
    }
  }

  /// The tables in which something happened.
  public private(set) var tables: [TableKey: Table] = [:]
  /// Tables that were added.
  public private(set) var insertedTables: [TableKey] = []
  /// Tables that were removed.
  public private(set) var erasedTables: [TableKey] = []
  /// Tables that have another name now.
  public private(set) var renamedTables: [TableKey] = []
  /// The operations on the watched collections, those of each commit in an array of their own.
  public private(set) var collections: [CollectionKey: [[ElementChange]]] = [:]

  /// The watched collections in mixed values that were replaced as a whole.
  public private(set) var replacements: Set<CollectionKey> = []

  private let watched: Set<CollectionKey>

  /// No changes.
  ///
  /// - Parameter watched: The collections whose operations are wanted.
  public init(watching watched: Set<CollectionKey> = []) { self.watched = watched }

  /// Whether nothing happened.
  public var isEmpty: Bool {
    insertedTables.isEmpty && erasedTables.isEmpty && renamedTables.isEmpty
      && tables.values.allSatisfy {
        !$0.hasObjectChanges && !$0.hasColumnChanges
      }
  }

  /// Adds the change set of the next commit.
  ///
  /// - Throws: `damaged(.badInstruction)` if the bytes are no change set.
  public mutating func apply(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    var reader = InstructionReader(bytes)
    // The changes of the selected table are taken out of the dictionary meanwhile.
    var selected: TableKey?
    var table = Table()
    var collection: (key: CollectionKey, isWatched: Bool)?
    var operations: [CollectionKey: [ElementChange]] = [:]
    func current() throws(StorageError) -> TableKey {
      guard let selected else { throw .damage(.badInstruction, at: 0, limit: bytes.count) }
      return selected
    }
    while let instruction = try reader.next() {
      switch instruction {
      case .insertTable, .eraseTable, .renameTable, .selectTable:
        if let selected { tables[selected] = table }
        (selected, collection, table) = (nil, nil, Table())
        if case .selectTable(let key) = instruction {
          (selected, table) = (key, tables.removeValue(forKey: key) ?? Table())
        } else {
          apply(toTable: instruction)
        }
      case .selectCollection(let column, let object, let depth):
        table.noteChange(of: object, column)
        let key = CollectionKey(table: try current(), column: column, object: object)
        collection = (key, depth == 0 && watched.contains(key))
      case .element(let change):
        guard let collection else { throw .damage(.badInstruction, at: 0, limit: bytes.count) }
        if collection.isWatched { operations[collection.key, default: []].append(change) }
      default:
        let selected = try current()
        if case .set(let column, let object) = instruction, !watched.isEmpty {
          let key = CollectionKey(table: selected, column: column, object: object)
          if watched.contains(key) { replacements.insert(key) }
        }
        table.apply(instruction)
      }
    }
    if let selected { tables[selected] = table }
    for (key, changes) in operations { collections[key, default: []].append(changes) }
  }

  /// Gives away the operations on the watched collections so far, so that those of many commits need
  /// not be kept.
  public mutating func takeCollections() -> [CollectionKey: [[ElementChange]]] {
    defer { collections = [:] }
    return collections
  }

  private mutating func apply(toTable instruction: InstructionReader.Instruction) {
    switch instruction {
    case .insertTable(let key): insertedTables.append(key)
    case .renameTable(let key):
      if !insertedTables.contains(key), !renamedTables.contains(key) { renamedTables.append(key) }
    case .eraseTable(let key):
      tables[key] = nil
      renamedTables.removeAll { $0 == key }
      if let index = insertedTables.firstIndex(of: key) {
        insertedTables.remove(at: index)
      } else {
        erasedTables.append(key)
      }
    default: break
    }
  }
}

extension TransactionChanges.Table {
  /// A property of an object was set, or its collection changed.
  fileprivate mutating func noteChange(of object: ObjectKey, _ column: ColumnKey) {
    guard !inserted.contains(object) else { return }
    modified[object, default: TransactionChanges.ColumnSet()].insert(column)
  }

  fileprivate mutating func apply(_ instruction: InstructionReader.Instruction) {
    switch instruction {
    case .create(let key):
      modified[key] = nil
      inserted.insert(key)
    case .remove(let key):
      modified[key] = nil
      if inserted.remove(key) == nil { deleted.insert(key) }
    case .set(let column, let key): noteChange(of: key, column)
    case .insertColumn(let column): insertedColumns.append(column)
    case .renameColumn(let column):
      if !insertedColumns.contains(column), !renamedColumns.contains(column) {
        renamedColumns.append(column)
      }
    case .eraseColumn(let column):
      renamedColumns.removeAll { $0 == column }
      if let index = insertedColumns.firstIndex(of: column) {
        insertedColumns.remove(at: index)
      } else {
        erasedColumns.append(column)
      }
    default: break
    }
  }
}
