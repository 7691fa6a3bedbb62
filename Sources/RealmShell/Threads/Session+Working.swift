import ByteKernels
import Glibc
import RealmLanguage
import RealmObjects
import RealmStorage

/// What a thread other than `main` does.
extension Session {
  /// Does the work it is given until it is stopped.
  func work() {
    while let work = threads.nextWork(of: thread) {
      let outcome =
        work.isAsync && work.isInteractive
        ? Interruption.ignoring { perform(work) } : perform(work)
      threads.finish(work, of: thread, outcome)
    }
    locals = [:]
    dropTransactions()
    databases = []
  }

  private func perform(_ work: Work) -> WorkOutcome {
    (settings, source, scriptFolders) = (work.settings, work.source, work.scriptFolders)
    (isInteractive, exitStatus, isEnding, hasStopped) = (work.isInteractive, 0, false, false)
    outputDescriptor = work.descriptor
    output = work.descriptor.map { ProgressLine.writer($0) } ?? ByteWriter()
    commandInput = work.redirection.map {
      Redirection(writer: ByteWriter(descriptor: $0), descriptor: $0)
    }
    let keepsMessages = work.isAsync && work.isInteractive
    errorOutput = keepsMessages ? ByteWriter() : ProgressLine.writer(STDERR_FILENO)
    let changesBefore = changeCount
    var outcome = WorkOutcome(settings: settings)
    do throws(ShellError) {
      try adoptDatabases()
      let open = databases.filter { $0.transaction != nil }
      defer {
        if work.isAsync {
          // An asynchronous write that was not committed is cancelled.
          dropTransactions(where: { database in !open.contains { $0 === database } })
        }
      }
      try inNewScope(work.variables) { () throws(ShellError) in
        try perform(work.task, origin: work.origin)
      }
    } catch {
      // Work that `stop` has ended has not failed.
      if !work.isAsync || error.name != .interrupted || !isToEnd {
        outcome.failure = error
        if work.isAsync { reportFailure(of: work, error) }
      }
    }
    output.flush()
    commandInput?.writer.flush()
    errorOutput.flush()
    if work.descriptor == nil { outcome.output = output.takeBytes() }
    if keepsMessages { outcome.messages = errorOutput.takeBytes() }
    outcome.settings = settings
    (outcome.exitStatus, outcome.isEnding) = (exitStatus, isEnding)
    outcome.hasChanged = changeCount != changesBefore
    frozenDatabases = [:]
    publishStatus()
    return outcome
  }

  private func reportFailure(of work: Work, _ error: ShellError) {
    var origin = work.origin
    // The statement does not stand under the prompt any more.
    origin.promptWidth = nil
    var error = error
    if error.subject == nil { error.range = error.range ?? origin.statement }
    let printer = ErrorPrinter(
      form: settings.errorForm, writer: errorOutput, width: errorWidth)
    printer.print(error, origin: origin)
  }

  /// Runs a statement, or all of a block.
  func perform(_ task: Work.Task, origin: ErrorPrinter.Origin) throws(ShellError) {
    switch task {
    case .statement(let statement):
      statementRange = statement.range
      try execute(statement, origin: origin)
    case .block(let block):
      for statement in block.statements {
        try Interruption.check()
        if isToEnd { throw ShellError(.interrupted, "the thread was stopped") }
        statementRange = statement.range
        try execute(statement, origin: origin)
        if outputDescriptor != nil { output.flush() }
        if !thread.isMain { publishStatus() }
        if isEnding { return }
      }
    }
  }

  /// Runs something with variables that others have handed over.
  func inNewScope(
    _ handed: [(name: Name, handed: Work.Handed)], _ body: () throws(ShellError) -> Void
  ) throws(ShellError) {
    let outer = locals
    defer {
      for (name, _) in handed { locals[name.text] = outer[name.text] }
    }
    for (name, handed) in handed {
      switch handed {
      case .variable(let variable): locals[name.text] = variable
      case .reference(let reference):
        locals[name.text] = try resolve(reference, named: "$\(name.text)", at: name.range)
      }
    }
    try body()
  }

  /// Opens what `main` has opened since the last time, and closes what it has closed.
  private func adoptDatabases() throws(ShellError) {
    let shared = threads.monitor.withLock { $0.databases }
    for database in databases
    where database.isAdopted && !shared.contains(where: { $0.number == database.number }) {
      try drop(database)
      databases.removeAll { $0 === database }
    }
    for entry in shared
    where !databases.contains(where: { $0.number == entry.number })
      && !closedNumbers.contains(entry.number)
    {
      let realm: Realm
      do throws(StorageError) {
        if let handle = entry.handle {
          realm = try Realm(handle)
        } else {
          realm = try Realm(path: entry.path, key: entry.key, state: entry.state)
        }
      } catch {
        throw StorageMessages.error(error, path: entry.path)
      }
      let database = Database(
        name: unusedName(entry.name), realm: realm, isReadOnly: entry.isReadOnly,
        isInMemory: entry.isInMemory, number: entry.number, defaults: entry.defaults, for: self)
      database.versionLimit = entry.versionLimit
      database.isAdopted = true
      databases.append(database)
    }
    if !databases.contains(where: { $0.name == currentName }) {
      let name = threads.status(of: thread)?.name ?? threads.status(of: threads.main)?.name
      currentName = databases.first { $0.name == name }?.name ?? databases.last?.name
    }
  }
}
