public import RealmValues

/// Changes to a database that become one new version, or nothing.
///
/// Changes are made in memory; the file is touched by `commit` only. After an error that is not
/// `rejected`, and after `rejected(.interrupted)`, the transaction must be cancelled. A transaction is used by one thread.
///
/// Source: file-format-writing.md 2.
public final class WriteTransaction {
  let store: NodeStore
  private let file: any FileBackend
  private var base: CommittedState
  /// The right to write, if others have the file open as well.
  private let lease: WriteLease?
  private let workspace: WriteWorkspace
  private var names: [String] = [] { didSet { areNamesChanged = true } }
  private var areNamesChanged = false
  /// Refs of tables, and tagged numbers for vacant positions.
  private var tableElements: [Int64] = []
  /// The tables that have been looked at, by position.
  private var editors: [TableEditor?] = []
  private var isOpen = true
  /// What is believed instead of the lists of free space; nil if they are right.
  private var freeEntries: [FreeSpaceList.Entry]?
  /// Whether objects have been appended that are not everywhere they belong.
  var hasPendingObjects = false
  /// Whether such objects have links.
  var hasPendingLinks = false
  /// Changes of backlinks that are not where they belong; nil if they are made at once.
  var pendingBacklinks: PendingBacklinks?
  /// Asked now and then in the middle of long changes, with the objects done and all of them: if it
  /// says no, they end with `rejected(.interrupted)`, and the transaction must be cancelled.
  public var goesOn: (_ done: Int, _ total: Int) -> Bool = { _, _ in true }
  /// The objects of a long change, and how often each is visited.
  var work = LongWork()
  /// What has changed, for observers in other processes.
  var log = InstructionLog()
  /// Nodes of the table names and tables as they were written last; 0 if there are none.
  private var groupRefs: (names: Int64, tables: Int64)
  /// Shows the nodes of the transaction to readers, with the top array made for them last.
  private var reading: (file: RealmFile, top: Int64)?
  /// The top arrays of states that are kept.
  private var keptTops: [Int64] = []
  /// Whether objects may have the same primary key until `verifyPrimaryKeys` is called.
  public var suspendsUniqueness = false
  /// Tables of which objects may have the same primary key.
  var unverifiedTables: Set<TableKey> = []

  /// Starts from the newest version of the lease, or else from the one in the header.
  convenience init(
    _ file: any FileBackend, _ lease: WriteLease?, _ workspace: WriteWorkspace
  ) throws(StorageError) {
    try self.init(file, lease, lease?.pin, workspace)
  }

  /// Starts from a pinned version without the right to commit.
  convenience init(
    trying file: any FileBackend, from pin: VersionPin?, _ workspace: WriteWorkspace
  ) throws(StorageError) {
    try self.init(file, nil, pin, workspace)
  }

  private init(
    _ file: any FileBackend, _ lease: WriteLease?, _ pin: VersionPin?, _ workspace: WriteWorkspace
  ) throws(StorageError) {
    (self.file, self.lease, self.workspace) = (file, lease, workspace)
    store = NodeStore(try workspace.makeRegion(for: file))
    base = try CommittedState(store, pin)
    groupRefs = (base.names, base.tables)
    guard base.topRef != 0 else { return }
    names = try TableReader.names(at: base.names, in: store.view)
    tableElements = try store.integers(base.tables)
    guard names.count == tableElements.count else {
      throw .damage(
        .countMismatch, at: Int(base.topRef), found: tableElements.count, limit: names.count)
    }
  }

  /// The version that the transaction started from.
  public var version: Int64 { base.version }

  /// Keeps the version that the transaction started from; nil if nobody else can reach the file.
  var basePin: VersionPin? { lease?.pin }

  /// Whether a commit would change anything but the version.
  public var hasChanges: Bool {
    !log.bytes.isEmpty || editors.contains { $0?.hasChanges == true }
  }

  /// Makes the changes durable and visible to others, and ends the transaction.
  ///
  /// - Returns: the new version number.
  /// - Throws: `system`; the file holds the old version then. `rejected(.brokenSession)` when others
  ///   could not be told of the commit: they will drop it.
  /// - Precondition: the transaction is open.
  @discardableResult
  public func commit() throws(StorageError) -> Int64 {
    precondition(isOpen, "the transaction has ended")
    precondition(keptTops.isEmpty, "states are kept")
    isOpen = false
    defer { lease?.end() }
    try flushTables(isCommit: true)
    let bounds = try lease?.versionBounds()
    let oldestLive = bounds.map { Int64(clamping: $0.oldestLive) } ?? base.version
    let history = try newHistory(from: min(oldestLive, base.version))
    let oldest = bounds.map { Int64(clamping: $0.oldest) } ?? base.version
    var commit = try Commit(
      store, file, lease, from: base, oldest: oldest, freeEntries: freeEntries,
      after: workspace.takePrevious(base), workspace.buffer)
    let committed = try commit.run(
      names: groupRefs.names, tables: groupRefs.tables, history: history)
    try lease?.announce(committed)
    workspace.keep(committed)
    return committed.version
  }

  /// Finds the free space by visiting all nodes instead of believing the lists, which are wrong.
  ///
  /// Whether an older snapshot uses it is not known; so it is reusable only when all are gone.
  ///
  /// - Throws: `damaged` if it is not the lists alone that are wrong.
  func renewFreeSpace() throws(StorageError) {
    guard base.topRef != 0 else { return }
    store.renewWork()
    let gaps = try ReachableSpace.gaps(
      belowTop: base.topRef, in: store.view, fileEnd: base.fileEnd)
    freeEntries = gaps.map { FreeSpaceList.Entry(extent: $0, version: base.version &+ 1) }
    base.freeLists = [0, 0, 0]
  }

  /// How far a long change has come.
  struct LongWork {
    var done = 0
    var total = 0
    /// What was done when somebody asked last.
    var asked = 0
  }

  /// Notes that some objects of a long change are done.
  ///
  /// - Throws: `rejected(.interrupted)`.
  @inline(__always)
  func goOn(_ count: Int) throws(StorageError) {
    work.done &+= count
    if work.done &- work.asked >= 2048 { try ask() }
  }

  private func ask() throws(StorageError) {
    work.asked = work.done
    guard goesOn(min(work.done, work.total), work.total) else { throw .rejected(.interrupted) }
  }

  /// Forgets the changes and ends the transaction.
  public func cancel() {
    isOpen = false
    lease?.end()
  }

  private func flushTables(isCommit: Bool) throws(StorageError) {
    try flushPending()
    try flushBacklinks()
    for case (let position, let editor?) in editors.enumerated() {
      tableElements[position] = try editor.flush(isCommit: isCommit)
    }
    if groupRefs.names == 0 || areNamesChanged {
      let texts = names.map { Array($0.utf8) as [UInt8]? }
      let longest = texts.reduce(-1) { max($0, $1?.count ?? -1) }
      if groupRefs.names != 0 { try store.free(groupRefs.names) }
      groupRefs.names = try LeafEditor.makeShort(texts, longest: longest, store)
      areNamesChanged = false
    }
    if groupRefs.tables == 0 {
      groupRefs.tables = try store.makeIntegers(tableElements, .refs)
    } else if try store.integers(groupRefs.tables) != tableElements {
      try store.replace(&groupRefs.tables, tableElements)
    }
  }

  /// The database with the changes made so far, for reading.
  ///
  /// It may be read until the next change only, which reuses the space of nodes it replaces.
  ///
  /// - Precondition: the transaction is open.
  public func snapshot() throws(StorageError) -> Snapshot {
    precondition(isOpen, "the transaction has ended")
    try flushTables(isCommit: false)
    if let reading { try store.free(reading.top) }
    let top = try makeTop()
    let file = reading?.file ?? RealmFile(store.region)
    file.renewWork()
    reading = (file, top)
    return try Snapshot(of: file, uncommittedTop: top)
  }

  /// Makes a top array for readers of the present state.
  private func makeTop() throws(StorageError) -> Int64 {
    let inRealm = Snapshot.HistoryType.inRealm.rawValue * 2 + 1
    let history = base.topRef == 0 ? inRealm : base.history.first ?? 0
    return try store.makeIntegers(
      [
        groupRefs.names, groupRefs.tables, Int64(base.fileEnd) * 2 + 1, 0, 0, 0,
        base.version &* 2 | 1, history,
      ], .refs)
  }

  // MARK: Kept states

  /// The database with the changes made so far, which can be read until `releaseState`.
  ///
  /// What changes a node from now on changes a copy. States are released in the reverse order, and
  /// before `commit`.
  ///
  /// - Precondition: the transaction is open.
  public func keepState() throws(StorageError) -> Snapshot {
    precondition(isOpen, "the transaction has ended")
    try flushTables(isCommit: false)
    let top = try makeTop()
    let state = try Snapshot(of: RealmFile(store.region), uncommittedTop: top)
    store.region.pin()
    keptTops.append(top)
    return state
  }

  /// Ends the state that was kept last; its snapshot must not be read any more.
  public func releaseState() throws(StorageError) {
    guard let top = keptTops.popLast() else { return }
    store.region.unpin()
    try store.free(top)
  }

  /// The slots of the top array from 7 on: a history of the change sets from a version on, or none.
  ///
  /// Source: file-format-writing.md 4.3.
  private func newHistory(from oldest: Int64) throws(StorageError) -> [Int64] {
    let inRealm = Snapshot.HistoryType.inRealm.rawValue * 2 + 1
    var history = base.history
    // Other participants of a session rely on a history, whoever made the file.
    if base.topRef == 0 || lease?.keepsHistory == true && history.first != inRealm {
      history = [inRealm, 0, 3, 1]
    } else if history.first != inRealm {
      return []
    }
    while history.count < 4 { history.append(0) }
    let list = ChangeSetList(store)
    try list.append(log.bytes, to: &history[1], keepingLast: Int(base.version - oldest))
    if history[2] == 0 { history[2] = 3 }
    if history[3] == 0 { history[3] = 1 }
    return history
  }

  // MARK: Tables

  /// The names of all tables, with their keys.
  public func tables() throws(StorageError) -> [(name: String, key: TableKey)] {
    var result: [(name: String, key: TableKey)] = []
    for position in names.indices where tableElements[position] & 1 == 0 {
      result.append((names[position], try editor(at: position).key))
    }
    return result
  }

  /// The table with a name; nil if there is none.
  public func table(named name: String) throws(StorageError) -> TableKey? {
    guard !name.isEmpty, let position = names.firstIndex(of: name) else { return nil }
    return try editor(at: position).key
  }

  /// The table at a position.
  private func editor(at position: Int) throws(StorageError) -> TableEditor {
    if position < editors.count, let known = editors[position] { return known }
    let editor = try TableEditor(store, at: tableElements[position])
    guard editor.key.index == position else {
      throw .damage(
        .badIndex, at: Int(tableElements[position]), found: editor.key.index, limit: position)
    }
    keep(editor, at: position)
    return editor
  }

  private func keep(_ editor: TableEditor, at position: Int) {
    while editors.count <= position { editors.append(nil) }
    editors[position] = editor
  }

  /// The tables that have been looked at.
  var knownEditors: [TableEditor] { editors.compactMap(\.self) }

  /// The table with a key; appended objects are everywhere they belong.
  ///
  /// - Throws: `rejected(.noTable)`.
  func editor(_ key: TableKey) throws(StorageError) -> TableEditor {
    let editor = try pendingEditor(key)
    if hasPendingLinks { try flushPending() } else if hasPendingObjects { try flush(editor) }
    return editor
  }

  /// The table with a key; objects may have been appended that are not everywhere they belong.
  ///
  /// - Throws: `rejected(.noTable)`.
  func pendingEditor(_ key: TableKey) throws(StorageError) -> TableEditor {
    guard key.index < tableElements.count, tableElements[key.index] & 1 == 0 else {
      throw .rejected(.noTable)
    }
    let editor = try editor(at: key.index)
    guard editor.key == key else { throw .rejected(.noTable) }
    return editor
  }

  func tableExists(_ key: TableKey) -> Bool { (try? pendingEditor(key)) != nil }

  /// All tables.
  func allEditors() throws(StorageError) -> [TableEditor] {
    try flushPending()
    var result: [TableEditor] = []
    for position in tableElements.indices where tableElements[position] & 1 == 0 {
      result.append(try editor(at: position))
    }
    return result
  }

  /// Most bytes of the name of a table or column.
  static let maximumNameByteCount = 63

  /// Creates a table without columns.
  ///
  /// - Throws: `rejected(.badName)` if the name is empty, too long or taken.
  public func createTable(
    _ name: String, kind: StoredTable.Kind = .topLevel
  ) throws(StorageError) -> TableKey {
    guard !name.isEmpty, name.utf8.count <= WriteTransaction.maximumNameByteCount,
      !names.contains(name)
    else { throw .rejected(.badName) }
    let vacant = tableElements.firstIndex { $0 & 1 != 0 || $0 == 0 }
    let position = vacant ?? tableElements.count
    guard position < 0xFFFF else { throw .rejected(.notSupported) }
    let tag = vacant.map { UInt64(bitPattern: tableElements[$0]) >> 1 & 0x7FFF } ?? 0
    let key = TableKey(UInt32(tag) << 16 | UInt32(position))
    let editor = try TableEditor(store, key: key, kind: kind)
    if vacant == nil {
      names.append(name)
      tableElements.append(editor.topRef)
    } else {
      names[position] = name
      tableElements[position] = editor.topRef
    }
    keep(editor, at: position)
    log.add(.insert, key)
    return key
  }

  /// Removes a table with its objects. Links to them in mixed values become null.
  ///
  /// - Throws: `rejected(.tableInUse)` if other tables have columns of links to it.
  public func removeTable(_ key: TableKey) throws(StorageError) {
    let editor = try editor(key)
    var isInMixed = false
    for column in editor.columns where column.isBacklink {
      guard let origin = editor.opposite(of: column), !(try isOrphan(column, of: editor)) else {
        continue
      }
      if origin.column.typeNumber == Int(ValueKind.mixed.rawValue) {
        isInMixed = true
      } else if origin.table != key {
        throw .rejected(.tableInUse)
      }
    }
    if isInMixed { try deleteAllObjects(key) }
    while let column = editor.columns.first(where: { !$0.isBacklink }) {
      try removeColumn(key, column.key)
    }
    let top = try editor.flush(isCommit: false)
    try store.freeTree(top)
    log.add(.erase, key)
    editors[key.index] = nil
    names[key.index] = ""
    let tag = Int64(((key.rawValue >> 16) + 1) & 0x7FFF)
    tableElements[key.index] = tag * 2 + 1
  }

  /// Whether a column of backlinks has no column of links any more.
  private func isOrphan(
    _ column: TableEditor.Column, of editor: TableEditor
  ) throws(StorageError) -> Bool {
    guard let (table, origin) = editor.opposite(of: column) else { return true }
    guard table.index < tableElements.count, tableElements[table.index] & 1 == 0 else {
      return true
    }
    let other = try self.editor(at: table.index)
    return other.key != table || !other.columns.contains { $0.key == origin }
  }

  /// Renames a table.
  public func renameTable(_ key: TableKey, to name: String) throws(StorageError) {
    _ = try editor(key)
    guard !name.isEmpty, name.utf8.count <= WriteTransaction.maximumNameByteCount,
      !names.contains(name)
    else { throw .rejected(.badName) }
    names[key.index] = name
    log.add(.rename, key)
  }
}
