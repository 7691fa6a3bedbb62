import ByteKernels
import RealmLanguage
import RealmObjects
import RealmStorage

/// `begin`, `commit`, `cancel`, `write`, `refresh`, and the transactions that changing statements
/// run in.
///
/// Source: shell.md 8; object-model.md 3.
extension Session {
  // MARK: Verbs

  func begin(
    _ statement: BeginStatement, at range: SourceRange, to writer: ByteWriter
  ) throws(ShellError) {
    let database = try writable(at: range)
    try refuseNesting(database, at: range)
    switch statement {
    case .wait: try startWriting(database, wait: .forever, at: range)
    case .nowait: try startWriting(database, wait: .no, at: range)
    case .timeout(let duration):
      try startWriting(database, wait: .milliseconds(Int(duration.milliseconds)), at: range)
    }
    noteBeginning(of: database)
    let version = settings.showsVersions ? " on version \(database.realm.snapshot.version)" : ""
    acknowledge("write transaction\(version)", to: writer)
  }

  func commit(
    without observers: [ObserverOperand], at range: SourceRange, to writer: ByteWriter
  ) throws(ShellError) {
    let database = try writing(at: range)
    let skipped = try numbers(of: observers, of: database)
    let version = database.realm.transaction.map { $0.version + 1 }
    try finish(database, at: range, to: writer)
    if let version { skip(version, by: skipped, of: database) }
  }

  /// Makes the changes of the open transaction durable; they are lost if that fails.
  ///
  /// - Parameter lines: What to print instead of the number of objects.
  func finish(
    _ database: Database, at range: SourceRange, to writer: ByteWriter,
    telling lines: [String]? = nil
  ) throws(ShellError) {
    guard let transaction = database.transaction else { return }
    try SchemaErrorText(database, text: source).during { () throws(SchemaError) in
      try database.schemaEditor.finish()
    }
    let version: Int64
    do throws(ShellError) {
      version = try commitWrite(database, at: range)
    } catch {
      for reference in transaction.references { reference.cancel() }
      noteEnd(of: database)
      invalidateVariables(of: database)
      throw error
    }
    noteEnd(of: database)
    // A block that commits by itself is told so, and what follows in it stands alone.
    isInBlock = false
    let number = settings.showsVersions ? " version \(version)" : ""
    guard let lines else {
      return acknowledge("committed\(number): \(transaction.counts.text)", to: writer)
    }
    for line in lines { acknowledge(line, to: writer) }
    acknowledge("committed\(number)", to: writer)
  }

  private func commitWrite(
    _ database: Database, at range: SourceRange
  ) throws(ShellError) -> Int64 {
    defer { database.endTransaction() }
    do throws(StorageError) {
      let version = try database.realm.commitWrite()
      forgetOldResults(of: database)
      return version
    } catch {
      var failure = StorageMessages.error(error, path: database.realm.path)
      failure.range = range
      failure.details.append("the changes are lost; the file is as it was before them")
      throw failure
    }
  }

  func cancel(at range: SourceRange, to writer: ByteWriter) throws(ShellError) {
    let database = try writing(at: range)
    let counts = try drop(database)
    isInBlock = false
    acknowledge("cancelled: \(counts.text)", to: writer)
  }

  /// Drops the open transaction of a database.
  @discardableResult
  func drop(_ database: Database) throws(ShellError) -> ChangeCounts {
    guard let transaction = database.transaction else { return ChangeCounts() }
    noteEnd(of: database)
    try cancelWrite(database)
    for reference in transaction.references {
      // What was created in the transaction is gone, and its key may be given away again.
      if let object = reference.object,
        !object.isWhole(in: database.realm.schema, path: database.realm.path)
      {
        reference.cancel()
      }
    }
    return transaction.counts
  }

  /// Notes that a transaction has begun that lasts longer than a statement.
  func noteBeginning(of database: Database) {
    database.transaction = OpenTransaction(scriptDepth: scriptFolders.count)
    threads.setWriter(thread, of: FileIdentity(path: database.realm.path), true)
  }

  /// Notes that the transaction is over.
  private func noteEnd(of database: Database) {
    database.transaction = nil
    threads.setWriter(thread, of: FileIdentity(path: database.realm.path), false)
  }

  /// Cancels the open transaction and lets go of the version in use, with all that was read from it.
  func invalidate(at range: SourceRange) throws(ShellError) {
    let database = try current(at: verbRange(range))
    guard database.realm.state == .live else {
      throw ShellError(
        .wrongTransactionState, "the version that is shown cannot be let go",
        at: verbRange(range))
    }
    try drop(database)
    forgetResults(of: database)
    database.generation += 1
    do throws(StorageError) {
      try database.realm.invalidate()
    } catch {
      throw StorageMessages.error(error, path: database.realm.path)
    }
  }

  private func cancelWrite(_ database: Database) throws(ShellError) {
    defer { database.endTransaction() }
    forgetOldResults(of: database)
    do throws(StorageError) {
      try database.realm.cancelWrite()
    } catch {
      throw StorageMessages.error(error, path: database.realm.path)
    }
    invalidateVariables(of: database)
  }

  func write(
    _ block: Block, at range: SourceRange, origin: ErrorPrinter.Origin, to writer: ByteWriter
  ) throws(ShellError) {
    let database = try writable(at: range)
    try refuseNesting(database, at: range)
    try startWriting(database, wait: .forever, at: range)
    noteBeginning(of: database)
    isInBlock = true
    defer { isInBlock = false }
    do throws(ShellError) {
      try announceClasses(of: block, to: database)
      var statements = block.statements
      var place: SourceRange?
      while true {
        try addPlain(from: &statements, place: &place, to: writer)
        guard let statement = statements.next() else { break }
        try Interruption.check()
        try execute(statement, origin: origin)
        if isEnding { break }
      }
      try Interruption.check()
    } catch {
      if database.transaction != nil { try drop(database) }
      throw error
    }
    isInBlock = false
    // The block may have ended the transaction itself.
    if database.transaction != nil { try finish(database, at: range, to: writer) }
  }

  /// Gives the classes that a block begins with their places in the file, whatever links there are
  /// among them.
  private func announceClasses(of block: Block, to database: Database) throws(ShellError) {
    var names: [String] = []
    var statements = block.statements
    while let statement = statements.next(), case .class(let declared) = statement.body {
      names.append(declared.name.text)
    }
    guard names.count > 1 else { return }
    try SchemaErrorText(database, text: source).during { () throws(SchemaError) in
      try database.schemaEditor.announce(names)
    }
  }

  func refresh(at range: SourceRange, to writer: ByteWriter) throws(ShellError) {
    let database = try current(at: range)
    let old = database.realm.snapshot.version
    try refresh(database)
    let new = database.realm.snapshot.version
    guard settings.showsVersions else { return }
    acknowledge(
      old == new ? "version \(new) is the newest" : "version \(old) -> \(new)", to: writer)
  }

  /// Moves a database to its newest version, or to what its transaction has changed so far.
  func refresh(_ database: Database) throws(ShellError) {
    do {
      try database.realm.refresh()
    } catch {
      throw StorageMessages.error(error, path: database.realm.path)
    }
    forgetOldResults(of: database)
    deliverChanges()
  }

  // MARK: Rules

  /// The current database, if it may be changed.
  func writable(at range: SourceRange) throws(ShellError) -> Database {
    let database = try current(at: verbRange(range))
    guard !database.isReadOnly else {
      throw ShellError(
        .readOnlyDatabase, "the database is open for reading only", at: verbRange(range))
    }
    return database
  }

  /// The word a statement begins with.
  func verbRange(_ range: SourceRange) -> SourceRange {
    var end = range.start
    while end < range.end, source.bytes[end] > 0x20, source.bytes[end] != UInt8(ascii: "{") {
      end += 1
    }
    return SourceRange(start: range.start, end: max(end, range.start + 1))
  }

  func refuseNesting(_ database: Database, at range: SourceRange) throws(ShellError) {
    guard database.transaction == nil else {
      throw ShellError(
        .wrongTransactionState, "a write transaction is open already", at: verbRange(range),
        remedy: "commit, or cancel")
    }
  }

  private func writing(at range: SourceRange) throws(ShellError) -> Database {
    let database = try current(at: verbRange(range))
    guard database.transaction != nil else {
      throw ShellError(
        .wrongTransactionState, "no write transaction is open", at: verbRange(range),
        remedy: "begin")
    }
    return database
  }

  /// Refuses statements in a failed transaction.
  func refuseAfterFailure(_ body: StatementBody, at range: SourceRange) throws(ShellError) {
    if !body.endsSomething {
      for database in databases where database.transaction?.hasWarned == true {
        database.transaction?.hasWarned = false
      }
    }
    guard let database = databases.first(where: { $0.name == currentName }),
      database.transaction?.isFailed == true
    else { return }
    switch body {
    case .cancel, .exit, .close: return
    default:
      throw ShellError(
        .transactionFailed, "the transaction has failed", at: verbRange(range), remedy: "cancel")
    }
  }

  // MARK: Transactions of statements

  /// Opens the write transaction of a database.
  func startWriting(
    _ database: Database, wait: LockWait, at range: SourceRange
  ) throws(ShellError) {
    let other = databases.first {
      $0 !== database && $0.realm.isWriting
        && OutputFile.areSame($0.realm.path, database.realm.path)
    }
    if let other {
      throw ShellError(
        .wrongTransactionState, "the database \(other.name) has a transaction on the same file",
        at: verbRange(range), remedy: "use \(quotedName(other.name)), then commit or cancel")
    }
    try refuseTooManyVersions(of: database, at: range)
    try waitForWriting(database, wait, at: range)
    noteOpening(of: database)
    // Observers: the transaction has not changed anything yet.
    deliverChanges()
  }

  /// Leaves a note for the next acknowledgement that a file takes part in its locking from now on.
  func noteOpening(of database: Database) {
    guard !database.isOpenForWriting else { return }
    database.isOpenForWriting = true
    let isFirst = threads.monitor.withLock { state in
      guard let i = state.databases.firstIndex(where: { $0.number == database.number }) else {
        return true
      }
      defer { state.databases[i].isOpenForWriting = true }
      return !state.databases[i].isOpenForWriting
    }
    if isFirst { openingNote = "\(shownPath(database.realm.path)) opened for writing" }
  }

  /// Waits for the write lock and takes it.
  private func waitForWriting(
    _ database: Database, _ wait: LockWait, at range: SourceRange
  ) throws(ShellError) {
    let note = LockNote(self)
    let file = threads.hasOthers ? FileIdentity(path: database.realm.path) : nil
    var holder: ThreadIdentity?
    do throws(StorageError) {
      let isForever = wait == .forever
      holder = file.flatMap { threads.deadlock(of: thread, on: $0, waitingForever: isForever) }
      guard holder == nil else { throw .rejected(.interrupted) }
      let obstacle = isForever ? file.map { Threads.Obstacle.writeLock($0) } : nil
      threads.setObstacle(obstacle, of: thread)
      defer { threads.setObstacle(nil, of: thread) }
      try database.realm.beginWrite(wait: wait) { process in
        holder = file.flatMap { threads.deadlock(of: thread, on: $0, waitingForever: isForever) }
        guard holder == nil, !Interruption.isRequested, !isToEnd else { return false }
        note.show(process, thread: file.flatMap { threads.writer(of: $0) })
        return true
      }
    } catch {
      if let holder {
        let isIdle = threads.isIdle(holder)
        let reason = isIdle ? "has nothing to do" : "waits for this statement"
        throw ShellError(
          .deadlock, "thread \(holder.name) holds the write transaction and \(reason)",
          at: verbRange(range), remedy: isIdle ? "on \(quotedName(holder.name)): commit" : nil)
      }
      var failure = StorageMessages.error(error, path: database.realm.path)
      failure.range = failure.range ?? verbRange(range)
      if failure.name == .writeLocked, let writer = file.flatMap({ threads.writer(of: $0) }) {
        failure.message = "the write lock is held by thread \(writer.name)"
      }
      throw failure
    }
  }

  /// Source: object-model.md 3.9.
  private func refuseTooManyVersions(
    of database: Database, at range: SourceRange
  ) throws(ShellError) {
    guard let limit = database.versionLimit else { return }
    let count: Int
    do throws(StorageError) {
      count = try database.realm.livingVersions().count
    } catch {
      throw StorageMessages.error(error, path: database.realm.path)
    }
    guard count > limit else { return }
    throw ShellError(
      .wrongTransactionState,
      "\(count) versions are alive, more than the \(limit) that open allows",
      at: verbRange(range), remedy: "info versions")
  }

  /// Runs a changing statement in the open transaction, or in one of its own, and prints its
  /// acknowledgement.
  ///
  /// - Parameter body: Makes the changes and gives the acknowledgement.
  func change(
    at range: SourceRange, to writer: ByteWriter,
    _ body: (Database) throws(ShellError) -> String
  ) throws(ShellError) {
    let database = try writable(at: range)
    let text = try change(in: database, at: range) { () throws(ShellError) in
      try body(database)
    }
    if !text.isEmpty { acknowledge(text, to: writer) }
  }

  /// Changes a database in its open transaction, or in one of its own.
  func change<Result>(
    in database: Database, at range: SourceRange, _ body: () throws(ShellError) -> Result
  ) throws(ShellError) -> Result {
    let isAutomatic = database.transaction == nil
    if isAutomatic { try startWriting(database, wait: .forever, at: range) }
    database.isHalfDone = false
    do throws(ShellError) {
      let result = try body()
      database.isHalfDone = false
      changeCount &+= 1
      if isAutomatic {
        try Interruption.check()
        try endAutomatic(database, at: range)
      }
      return result
    } catch {
      var error = error
      if isAutomatic {
        if database.realm.isWriting { try cancelWrite(database) }
        invalidateVariables(of: database)
      } else if database.isHalfDone {
        database.transaction?.isFailed = true
        error.details.append("the transaction has failed; only cancel is possible")
      }
      database.isHalfDone = false
      throw error
    }
  }

  /// Tries something out, in place of a database that is open for reading only on a copy in memory.
  func trying<Result>(
    on database: Database, _ body: (Database) throws(ShellError) -> Result
  ) throws(ShellError) -> Result {
    guard database.isReadOnly, let index = databases.firstIndex(where: { $0 === database }) else {
      return try body(database)
    }
    let progress = Progress("copying", for: self)
    let realm = try database.reading { () throws(StorageError) in
      try database.realm.copyInMemory { progress.goesOn($0, $1) }
    }
    let copy = Database(
      name: database.name, realm: realm, isReadOnly: false, isInMemory: true,
      defaults: database.defaults, for: self)
    databases[index] = copy
    defer { databases[index] = database }
    return try body(copy)
  }

  /// Makes changes in a transaction of their own and drops them.
  func rehearse<Result>(
    in database: Database, at range: SourceRange, _ body: () throws(ShellError) -> Result
  ) throws(ShellError) -> Result {
    try refuseNesting(database, at: range)
    try startWriting(database, wait: .forever, at: range)
    let result: Result
    do throws(ShellError) {
      result = try body()
    } catch {
      if database.realm.isWriting { try cancelWrite(database) }
      throw error
    }
    database.isHalfDone = false
    try cancelWrite(database)
    return result
  }

  /// Ends the transaction of a single statement; one that changed nothing makes no version.
  private func endAutomatic(
    _ database: Database, at range: SourceRange
  ) throws(ShellError) {
    if database.realm.hasChanges {
      _ = try commitWrite(database, at: range)
    } else {
      try cancelWrite(database)
    }
  }

  /// Makes changes that cannot be taken back on their own: an error fails the transaction.
  func applying<Result>(
    _ database: Database, _ body: () throws(StorageError) -> Result
  ) throws(ShellError) -> Result {
    database.isHalfDone = true
    database.realm.noteChange()
    do throws(StorageError) {
      return try body()
    } catch {
      throw StorageMessages.error(error, path: database.realm.path)
    }
  }

  // MARK: Ends

  /// Refuses to end something while a transaction is open; at the prompt it is dropped the second
  /// time in a row.
  func refuseOpenTransaction(
    of databases: [Database], at range: SourceRange
  ) throws(ShellError) {
    for database in databases {
      guard let transaction = database.transaction else { continue }
      guard transaction.hasWarned, isInteractive else {
        database.transaction?.hasWarned = true
        let place = self.databases.count > 1 ? " on \(database.name)" : ""
        let verb = source.text(of: verbRange(range)).lowercased()
        throw ShellError(
          .wrongTransactionState, "a write transaction is open\(place)", at: verbRange(range),
          remedy: "commit or cancel it" + (isInteractive ? "; \(verb) again to drop it" : ""))
      }
      try drop(database)
      note("the transaction on \(database.name) was cancelled: \(transaction.counts.text)")
    }
  }

  /// Drops the transactions that began in the scripts from `depth` on; true if there were any.
  ///
  /// - Parameter isMeant: Chooses among the databases.
  @discardableResult
  func dropTransactions(
    fromDepth depth: Int = 0, where isMeant: (Database) -> Bool = { _ in true }
  ) -> Bool {
    var hasDropped = false
    for database in databases where isMeant(database) {
      guard let transaction = database.transaction, transaction.scriptDepth >= depth else {
        continue
      }
      hasDropped = true
      do throws(ShellError) {
        try drop(database)
      } catch {
        report(error, origin: nil)
      }
      note("the transaction on \(database.name) was cancelled: \(transaction.counts.text)")
    }
    return hasDropped
  }

  /// Prints a note on standard error.
  func note(_ text: String) {
    guard !isQuiet else { return }
    output.flush()
    ErrorPrinter(form: settings.errorForm, writer: errorOutput).printNote(text)
  }
}

extension StatementBody {
  /// Whether the statement closes a database or ends the program.
  fileprivate var endsSomething: Bool {
    switch self {
    case .close, .exit: true
    default: false
    }
  }
}

/// Tells on a terminal who holds the write lock.
private final class LockNote {
  private let session: Session
  private var isShown = false
  private let start = monotonicMilliseconds()
  /// Shorter waits are not worth a line.
  private static let patience = 100.0

  init(_ session: Session) { self.session = session }

  /// Shows it once, after a moment.
  func show(_ holder: Int32?, thread: ThreadIdentity?) {
    guard !isShown, session.screenIsTerminal,
      monotonicMilliseconds() - start >= LockNote.patience
    else { return }
    isShown = true
    let process = holder.map { " (process \($0))" } ?? ""
    let name = thread.map { " (thread \($0.name))" } ?? process
    session.output.write("waiting for the write lock\(name)\n")
    session.output.flush()
  }
}
