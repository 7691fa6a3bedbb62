import ByteKernels
import Glibc
import RealmLanguage
import RealmObjects
import RealmStorage

/// `on`, `stop`, and handing work to other threads.
///
/// Source: shell.md 13.
extension Session {
  // MARK: on

  func on(
    _ statement: OnStatement, at range: SourceRange, origin: ErrorPrinter.Origin,
    to writer: ByteWriter
  ) throws(ShellError) {
    switch statement {
    case .list: listThreads(to: writer)
    case .thread(let operand, let block?):
      try on(operand, .block(block), origin: origin, to: writer)
    case .thread(let operand, nil):
      guard !operand.isAsync, operand.variables.isEmpty else {
        throw ShellError(.syntax, "expected : or { and what the thread is to do", at: range)
      }
      try usePromptThread(operand.name)
    }
  }

  /// Makes a thread the one that the following statements run on.
  private func usePromptThread(_ name: Name) throws(ShellError) {
    guard thread.isMain else {
      throw ShellError(
        .illegalOperation, "the thread of the following statements is chosen on main",
        at: name.range)
    }
    if name.text != thread.name { _ = try member(named: name) }
    threads.monitor.withLock { $0.promptName = name.text }
  }

  private func listThreads(to writer: ByteWriter) {
    publishStatus()
    let (members, prompt) = threads.monitor.withLock { ($0.members, $0.promptName) }
    let width = members.map(\.identity.name.count).max() ?? 0
    for member in members {
      let mark = member.identity.name == prompt ? "*" : " "
      var facts: [String] = []
      if settings.showsVersions {
        facts.append(member.status.version.map { "version \($0)" } ?? "no version")
      }
      if member.isBusy { facts.append("working") }
      let name = facts.isEmpty ? member.identity.name : padded(member.identity.name, width) + "  "
      writer.write("\(mark) \(name)\(facts.joined(separator: ", "))\n")
    }
  }

  /// Lets a thread do something.
  func on(
    _ operand: ThreadOperand, _ task: Work.Task, origin: ErrorPrinter.Origin,
    to writer: ByteWriter
  ) throws(ShellError) {
    if operand.name.text == thread.name, !operand.isAsync {
      try inNewScope(try handOver(operand.variables)) { () throws(ShellError) in
        try perform(task, origin: origin)
      }
      return
    }
    guard operand.name.text != ThreadIdentity.mainName else {
      throw ShellError(
        thread.isMain ? .illegalOperation : .deadlock,
        thread.isMain
          ? "main cannot work for itself without waiting"
          : "thread main waits for other threads, or does statements of its own",
        at: operand.name.range)
    }
    let handed = try handOver(operand.variables)
    let target = try member(named: operand.name)
    let work = Work(
      number: threads.monitor.withLock { state in
        state.workCount += 1
        return state.workCount
      },
      isAsync: operand.isAsync, task: task, source: source, origin: origin, variables: handed,
      settings: settings, scriptFolders: scriptFolders, isInteractive: isInteractive,
      descriptor: operand.isAsync ? nil : outputDescriptor,
      redirection: operand.isAsync ? nil : redirection?.descriptor)
    if operand.isAsync {
      acknowledge("[\(target.name)] started", to: writer)
      // In front of what the work may have to tell at once.
      writer.flush()
      give(work, to: target)
    } else {
      try wait(for: work, of: target, at: operand.name.range, to: writer)
    }
  }

  private func handOver(
    _ names: [Name]
  ) throws(ShellError) -> [(name: Name, handed: Work.Handed)] {
    var result: [(name: Name, handed: Work.Handed)] = []
    for name in names { result.append((name, try handOver(name))) }
    return result
  }

  private func give(_ work: Work, to target: ThreadIdentity) {
    threads.monitor.change { state in
      guard let index = state.index(of: target) else { return }
      state.members[index].queue.append(work)
    }
  }

  /// Lets another thread do something and waits until it is done.
  private func wait(
    for work: Work, of target: ThreadIdentity, at range: SourceRange, to writer: ByteWriter
  ) throws(ShellError) {
    let me = thread
    guard !threads.monitor.withLock({ $0.waits(target, for: me) }) else {
      throw ShellError(
        .deadlock, "thread \(target.name) waits for this statement", at: range)
    }
    publishStatus()
    // The other thread writes to the same files meanwhile.
    try flushResults()
    give(work, to: target)
    let outcome = try threads.during(.thread(target), of: thread) {
      () throws(ShellError) in try self.outcome(of: work, target)
    }
    writer.write(outcome.output)
    settings = outcome.settings
    if outcome.hasChanged { changeCount &+= 1 }
    if outcome.exitStatus != 0 { exitStatus = outcome.exitStatus }
    if outcome.isEnding { isEnding = true }
    if let failure = outcome.failure { throw failure }
  }

  private func outcome(
    of work: Work, _ target: ThreadIdentity
  ) throws(ShellError) -> WorkOutcome {
    while true {
      let found = threads.monitor.wait(atMost: Session.pauseMilliseconds) { state in
        state.outcomes.removeValue(forKey: work.number)
      }
      if let found { return found }
      // Work that has begun stops by itself; what has not must not begin any more.
      guard Interruption.isRequested || isToEnd else { continue }
      let isDropped = threads.monitor.change { state in
        guard let index = state.index(of: target),
          let place = state.members[index].queue.firstIndex(where: { $0.number == work.number })
        else { return false }
        state.members[index].queue.remove(at: place)
        return true
      }
      if isDropped { throw ShellError(.interrupted, "interrupted") }
    }
  }

  // MARK: Beginning

  /// The thread with a name, which begins if there is none.
  private func member(named name: Name) throws(ShellError) -> ThreadIdentity {
    let known = threads.monitor.withLock { state in
      state.index(of: name.text).map { state.members[$0] }
    }
    if let known {
      guard !known.isStopping else {
        throw ShellError(
          .unknownThread, "the thread \(name.text) is stopping", at: name.range,
          remedy: "wait for \(quotedName(name.text))")
      }
      return known.identity
    }
    if thread.isMain { shareDatabases() }
    publishStatus()
    let me = thread
    let begun = threads.monitor.change { state -> ThreadIdentity? in
      // Another thread may have been faster.
      guard state.index(of: name.text) == nil else { return nil }
      let identity = ThreadIdentity(name: name.text, number: state.threadCount)
      state.threadCount += 1
      // The current database is that of the thread that gives the first work.
      var status = ThreadStatus()
      status.name = state.index(of: me).flatMap { state.members[$0].status.name }
      state.members.append(Threads.Member(identity: identity, status: status))
      return identity
    }
    guard let identity = begun else { return try member(named: name) }
    let (threads, options) = (threads, options)
    let hasStarted = SystemThread.start {
      identity.adoptCallingThread()
      Session(identity, threads, options).work()
      threads.remove(identity)
    }
    guard hasStarted else {
      threads.remove(identity)
      throw ShellError(.limitExceeded, "the system has no room for a thread", at: name.range)
    }
    return identity
  }

  /// Makes the databases of `main` ready for other threads.
  func shareDatabases() {
    for database in databases {
      // What cannot be shared is only read by the other threads too.
      if !database.isReadOnly, !database.realm.isWriting { try? database.realm.share() }
      let handle = (try? database.realm.handle()) ?? nil
      threads.monitor.withLock { state in
        if let index = state.databases.firstIndex(where: { $0.number == database.number }) {
          state.databases[index].handle = handle
        }
      }
    }
  }

  // MARK: stop

  func stop(_ name: Name, to writer: ByteWriter) throws(ShellError) {
    let target = try existingThread(named: name)
    guard !target.isMain, target !== thread else {
      throw ShellError(
        .illegalOperation, target.isMain ? "main is ended by exit" : "a thread cannot stop itself",
        at: name.range, remedy: target.isMain ? "exit" : nil)
    }
    let me = thread
    guard !threads.monitor.withLock({ $0.waits(target, for: me) }) else {
      throw ShellError(.deadlock, "thread \(target.name) waits for this statement", at: name.range)
    }
    let dropped = threads.stop(target)
    try threads.during(.thread(target), of: thread) { () throws(ShellError) in
      try wait(until: nil, at: name.range) { $0.index(of: target) == nil }
    }
    printFinishedWork(of: target, to: writer)
    if dropped > 0 {
      let pieces = counted(dropped, "piece", "pieces")
      acknowledge("stopped \(target.name): \(pieces) of work dropped", to: writer)
    }
  }

  /// The thread with a name that there is.
  func existingThread(named name: Name) throws(ShellError) -> ThreadIdentity {
    let found = threads.monitor.withLock { state in
      state.index(of: name.text).map { state.members[$0].identity }
    }
    guard let found else {
      throw ShellError(
        .unknownThread, "no thread \(name.text)", at: name.range,
        suggestion: Spelling.nearest(to: name.text, among: threads.names))
    }
    return found
  }

  /// Whether this thread is to end after the present statement.
  var isToEnd: Bool { !thread.isMain && threads.isStopping(thread) }

  // MARK: Status

  /// Tells the other threads what this one reads.
  func publishStatus() {
    var status = ThreadStatus()
    if let database = databases.first(where: { $0.name == currentName }) {
      status.name = database.name
      if database.isAdopted { status.adoptedNumber = database.number }
      status.path = shownPath(database.realm.path)
      status.stateText = database.stateText
      status.schemaVersion = database.realm.schema.version
      if !database.realm.isIdle { status.version = database.realm.snapshot.version }
    }
    status.observers = observers.all.map { ($0.observer.number, $0.observer.name) }
    for database in databases where !database.realm.isIdle {
      if let file = FileIdentity(path: database.realm.path) {
        status.versions.append((file, database.realm.snapshot.version))
      }
    }
    threads.setStatus(status, of: thread)
  }
}
