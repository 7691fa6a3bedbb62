import ByteKernels
import Glibc
import RealmLanguage
import RealmObjects

/// From a parsed statement to its verb.
extension Session {
  /// Runs one statement with its prefixes.
  func execute(_ statement: Statement, origin: ErrorPrinter.Origin) throws(ShellError) {
    // Own commits are told behind their acknowledgements.
    defer { deliverChanges() }
    // Versions that the statement has looked at are not kept because of that.
    defer { if !frozenDatabases.isEmpty { frozenDatabases = [:] } }
    statementOrigin = origin
    hasWarned = false
    if let name = promptThread(for: statement) {
      try on(ThreadOperand(name: name), .statement(statement), origin: origin, to: results)
    } else if statement.prefixes.contains(where: \.isForThread) {
      try execute(statement, prefixes: statement.prefixes[...], origin: origin, to: results)
    } else if let command = statement.pipe {
      try throughPipe(command, statement, origin)
    } else if isPaged(statement) {
      try throughPager(at: statement.range) { () throws(ShellError) in
        try execute(statement, prefixes: statement.prefixes[...], origin: origin, to: results)
      }
    } else {
      try execute(statement, prefixes: statement.prefixes[...], origin: origin, to: results)
    }
  }

  /// Runs a statement with the rest of its prefixes.
  func execute(
    _ statement: Statement, prefixes: ArraySlice<Prefix>, origin: ErrorPrinter.Origin,
    to writer: ByteWriter
  ) throws(ShellError) {
    guard let prefix = prefixes.first else {
      let range = bodyRange(of: statement)
      bodyRange = range
      try refuseAfterFailure(statement.body, at: range)
      if let request = explainRequest {
        explainRequest = nil
        try explain(statement.body, request, range: range, to: writer) {
          (writer) throws(ShellError) in
          try execute(statement.body, range: range, origin: origin, to: writer)
        }
      } else {
        try execute(statement.body, range: range, origin: origin, to: writer)
      }
      return
    }
    let rest = prefixes.dropFirst()
    switch prefix.kind {
    case .on(let operand):
      // The pipe and all else that follows is the other thread's.
      var inner = statement
      inner.prefixes = Array(rest)
      inner.range = range(of: statement, behind: prefix)
      try on(operand, .statement(inner), origin: origin, to: writer)
    case .time:
      let start = monotonicMilliseconds()
      try execute(statement, prefixes: rest, origin: origin, to: writer)
      writer.flush()
      printTime(since: start)
    case .explain(let runs):
      explainRequest = ExplainRequest(runs: runs, range: prefix.range)
      defer { explainRequest = nil }
      try execute(statement, prefixes: rest, origin: origin, to: writer)
    case .expectError(let name):
      // What a statement prints before it fails is of no use.
      let nowhere = ByteWriter(bufferByteCount: 4096) { _ in nil }
      try expectError(named: name, prefix: prefix) { () throws(ShellError) in
        try execute(statement, prefixes: rest, origin: origin, to: nowhere)
      }
    }
  }

  func expectError(
    named name: Name?, prefix: Prefix, _ body: () throws(ShellError) -> Void
  ) throws(ShellError) {
    if let name, ErrorName(rawValue: name.text) == nil {
      throw ShellError(
        .invalidArgument, "no error is named \(name.text)", at: name.range,
        suggestion: Spelling.nearest(to: name.text, among: ErrorName.allCases.map(\.rawValue)))
    }
    let status = exitStatus
    do throws(ShellError) {
      try body()
    } catch {
      if error.name == .interrupted { throw error }
      guard let name, name.text != error.name.rawValue else {
        // The errors of a script that was expected to fail count no more.
        exitStatus = status
        return
      }
      throw ShellError(
        .assertion, "the statement failed with \(error.name.rawValue): \(error.message)",
        at: name.range)
    }
    let range = SourceRange(start: prefix.range.start, end: prefix.range.start + 6)
    throw ShellError(.assertion, "the statement did not fail", at: range)
  }

  /// A statement without its prefixes.
  func bodyRange(of statement: Statement) -> SourceRange {
    guard let last = statement.prefixes.last else { return statement.range }
    return range(of: statement, behind: last)
  }

  private func range(of statement: Statement, behind prefix: Prefix) -> SourceRange {
    var start = prefix.range.end
    while start < statement.range.end, source.bytes[start] <= 0x20 { start += 1 }
    return SourceRange(start: start, end: statement.range.end)
  }

  /// Runs a verb.
  private func execute(
    _ body: StatementBody, range: SourceRange, origin: ErrorPrinter.Origin, to writer: ByteWriter
  ) throws(ShellError) {
    switch body {
    case .open(let open): try self.open(open, to: writer)
    case .close(let close): try self.close(close, at: range, to: writer)
    case .use(let name): try use(name, to: writer)
    case .config(let config): try self.config(config, to: writer)
    case .mode(let name): try mode(name, to: writer)
    case .help(let topic): help(topic?.text, to: writer)
    case .source(let path): try source(path)
    case .output(let statement): try output(statement, at: range)
    case .history(let statement): try history(statement, at: range, to: writer)
    case .edit(let number): try edit(number, at: range)
    case .cd(let path): try changeFolder(path, to: writer)
    case .exit(let code): try exit(code, at: range)
    case .command(let command, _): try runCommand(command, at: range)
    case .info(.file(let path, let key)): try infoFile(path, key: key, to: writer)
    case .check(let check) where check.file != nil: try self.check(check, to: writer)
    case .recover(let recover): try self.recover(recover, to: writer)
    case .begin(let begin): try self.begin(begin, at: range, to: writer)
    case .commit(let observers): try commit(without: observers, at: range, to: writer)
    case .cancel: try cancel(at: range, to: writer)
    case .write(let block): try write(block, at: range, origin: origin, to: writer)
    case .migrate(let statement):
      try migrate(statement, at: range, origin: origin, to: writer)
    case .refresh: try refresh(at: range, to: writer)
    case .observe(let statement): try observe(statement, at: range, to: writer)
    case .unobserve(let statement): try unobserve(statement, at: range, to: writer)
    case .unlet(let names): try unlet(names)
    case .compact(let path): try compact(to: path, at: range, to: writer)
    case .encrypt(let statement), .decrypt(let statement), .rekey(let statement):
      try changeEncryption(statement, at: range, to: writer)
    case .upgrade(let upgrade): try self.upgrade(upgrade, at: range, to: writer)
    case .copy(.database(let path, let new, let key)):
      try copy(to: path, new: new, key: key, at: range, to: writer)
    case .copy(.objects(let copy)):
      let text = try self.copy(copy, at: range)
      acknowledge(text, to: writer)
    case .on(let statement): try on(statement, at: range, origin: origin, to: writer)
    case .stop(let name): try stop(name, to: writer)
    case .wait(let statement): try wait(statement, at: range, to: writer)
    case .invalidate: try invalidate(at: range)
    default:
      guard try !change(body, range: range, to: writer) else { return }
      try read(body, range: range, to: writer)
    }
  }

  /// Runs a verb that changes the database; false if the verb does not.
  private func change(
    _ body: StatementBody, range: SourceRange, to writer: ByteWriter
  ) throws(ShellError) -> Bool {
    switch body {
    case .add(let add): try self.add(add, at: range, to: writer)
    case .upsert(let upsert): try self.upsert(upsert, at: range, to: writer)
    case .set(let set): try self.set(set, at: range, to: writer)
    case .delete(let delete): try self.delete(delete, at: range, to: writer)
    case .class(let statement): try declare(statement, at: range, to: writer)
    case .alter(let alter): try self.alter(alter, at: range, to: writer)
    case .rename(let rename): try self.rename(rename, at: range, to: writer)
    case .drop(let drop): try self.drop(drop, at: range, to: writer)
    case .import(let statement): try self.import(statement, at: range, to: writer)
    case .schema(.version(let number?)): try setSchemaVersion(number, at: range, to: writer)
    case .let(let statement?):
      guard case .query(let query, _) = statement.value else { return false }
      return try bind(statement.variable, toChange: query, at: range, to: writer)
    default: return false
    }
    return true
  }

  /// Whether statements move to the newest version by themselves.
  private var refreshesAlone: Bool { thread.isMain && settings.refreshesAlone }

  /// The thread that a statement goes to because it is the one of the prompt; nil if it is this one,
  /// or if the statement says something else.
  private func promptThread(for statement: Statement) -> Name? {
    guard thread.isMain, !statement.prefixes.contains(where: \.isForThread),
      !statement.body.isForProgram
    else { return nil }
    let name = threads.monitor.withLock { $0.promptName }
    return name == thread.name ? nil : Name(name, range: statement.range)
  }

  /// Most attempts at a statement while another process keeps committing.
  private static let maximumAttempts = 20

  /// Runs a verb that reads the current database.
  private func read(
    _ body: StatementBody, range: SourceRange, to target: ByteWriter
  ) throws(ShellError) {
    try read(range: range, to: target) { (writer) throws(ShellError) in
      try run(body, range: range, to: writer)
    }
  }

  /// Does something that reads the current database: on the newest version, and once more if a
  /// commit of another process came between.
  func read(
    range: SourceRange, to target: ByteWriter,
    _ perform: (ByteWriter) throws(ShellError) -> Void
  ) throws(ShellError) {
    for attempt in 1... {
      let database = try? current()
      if let database, refreshesAlone || database.realm.isWriting || !database.isIntact {
        try refresh(database)
      }
      let held = StatementOutput(to: target) { database?.isIntact ?? true }
      var failure: ShellError?
      do throws(ShellError) {
        try perform(held.writer)
      } catch {
        failure = error
      }
      let isIntact = database?.isIntact ?? true
      if isIntact { held.writer.flush() }
      if !isIntact || held.isTorn, !held.hasLeft, attempt < Session.maximumAttempts { continue }
      held.writer.flush()
      guard !held.isTorn else {
        throw ShellError(
          .badVersion,
          "\(shownPath(database?.realm.path ?? "the file")) was changed while it was read",
          at: range, remedy: "run the statement again")
      }
      if let failure { throw failure }
      return
    }
  }

  private func run(
    _ body: StatementBody, range: SourceRange, to writer: ByteWriter
  ) throws(ShellError) {
    switch body {
    case .info(let info): try self.info(info, range: range, to: writer)
    case .diff(let diff): try self.diff(diff, to: writer)
    case .check(let check): try self.check(check, to: writer)
    case .schema(let schema): try self.schema(schema, range: range, to: writer)
    case .get(let get): try self.get(get, to: writer)
    case .where(let query): try find(query, to: writer)
    case .count(let count): try self.count(count, to: writer)
    case .more(let more): try self.more(more, range: range, to: writer)
    case .last(let mode): try last(mode, range: range, to: writer)
    case .let(let statement): try self.let(statement, to: writer)
    case .projection(let statement): try projection(statement, to: writer)
    case .export(let export): try self.export(export, to: writer)
    case .dump(let dump): try self.dump(dump, at: range, to: writer)
    case .print(let values): try self.print(values, to: writer)
    case .assert(let statement): try self.assert(statement)
    case .aggregate(let statement): try aggregate(statement, to: writer)
    case .sections(let statement): try sections(statement, to: writer)
    default: throw ShellError(.illegalOperation, "the statement cannot be run here", at: range)
    }
  }
}

extension Prefix {
  /// Whether it names the thread that runs the statement.
  var isForThread: Bool {
    if case .on = kind { true } else { false }
  }
}

extension StatementBody {
  /// Whether the statement is about the program and not about a thread.
  fileprivate var isForProgram: Bool {
    switch self {
    case .on, .stop, .source, .output, .exit, .help, .config, .mode, .history, .edit, .cd, .command:
      true
    default: false
    }
  }
}
