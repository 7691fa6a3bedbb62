import ByteKernels
import Glibc
import RealmLanguage

/// Running the statements of a text, a file or standard input.
extension Session {
  /// Most scripts that may run inside each other.
  private static let maximumDepth = 20

  /// Runs all statements of a text.
  ///
  /// - Returns: whether all went well; after an error the rest is run only with `--keep-going`.
  @discardableResult
  func run(_ source: SourceText, promptWidth: Int? = nil) -> Bool {
    var isSkipping = false
    return run(source, promptWidth: promptWidth, isSkipping: &isSkipping)
  }

  /// Runs standard input as a script, each statement when its last line has come.
  ///
  /// - Returns: whether all went well.
  func runInput() throws(ShellError) -> Bool {
    var input = IncomingText(STDIN_FILENO, name: "<stdin>")
    readsStandardInput = true
    defer { readsStandardInput = false }
    var isSkipping = false
    var isGood = true
    while let source = try input.next() {
      if !run(source, isSkipping: &isSkipping) { isGood = false }
      guard isGood || keepsGoing, !isEnding, output.failure == nil else { break }
    }
    return isGood
  }

  /// - Parameter isSkipping: Whether the rest of a transaction is skipped because of an error in it.
  private func run(
    _ source: SourceText, promptWidth: Int? = nil, isSkipping: inout Bool
  ) -> Bool {
    let outer = (self.source, scriptProgress)
    self.source = source
    // Text that comes bit by bit has no end that is known.
    scriptProgress =
      promptWidth == nil && !source.fileName.hasPrefix("<")
      ? Progress("running \(source.fileName)", for: self) : nil
    defer { (self.source, scriptProgress) = outer }
    var parser = StatementParser(source) { Interruption.isRequested }
    var isGood = true
    var lineStart: SourceText.LineStart?
    while !isEnding {
      var origin = ErrorPrinter.Origin(source: source, promptWidth: promptWidth, statement: nil)
      var body: StatementBody?
      do throws(ShellError) {
        if !isSkipping {
          try addPlain(from: &parser, place: &origin.statement, to: results)
          origin.statement = nil
        }
        guard let statement = try next(&parser, &origin) else { break }
        if isSkipping {
          isSkipping = !statement.body.endsTransaction
          continue
        }
        origin.statement = statement.range
        body = statement.body
        try run(statement, in: source, origin: origin)
      } catch {
        if isSkipping { continue }
        isGood = false
        var error = error
        if error.subject == nil { error.range = error.range ?? origin.statement }
        if error.name == .interrupted, isInteractive, error.details.isEmpty,
          databases.contains(where: { $0.name == currentName && $0.transaction != nil })
        {
          error.details.append("the transaction is still open")
        }
        if let range = error.range {
          lineStart = source.lineStart(of: range.start, after: lineStart)
          origin.lineStart = lineStart
        }
        report(suggesting(error, in: origin.statement), origin: origin)
        exitStatus = status(of: error, opensDatabase: body?.opensDatabase == true)
        if error.name == .interrupted { isEnding = !isInteractive }
        if error.name == .interrupted || !keepsGoing {
          hasStopped = true
          break
        }
        if !isInteractive { isSkipping = dropTransactions() }
      }
      if output.failure != nil { break }
    }
    output.flush()
    outputTarget?.redirection.writer.flush()
    return isGood
  }

  /// The status a script ends with after an error; the codes for files that are no databases
  /// belong to the statements that open one.
  private func status(of error: ShellError, opensDatabase: Bool) -> Int32 {
    switch error.name {
    case _ where isInteractive: return 1
    case .interrupted: return error.name.exitStatus
    case _ where keepsGoing: return 1
    case .damaged: return error.name.exitStatus
    default: return opensDatabase ? error.name.exitStatus : 1
    }
  }

  /// The next statement, nil at the end of the text.
  private func next(
    _ parser: inout StatementParser, _ origin: inout ErrorPrinter.Origin
  ) throws(ShellError) -> Statement? {
    while true {
      do throws(SyntaxError) {
        return try parser.next()
      } catch {
        origin.statement = parser.failure?.range
        try judge(ShellError(withoutWrongGuess(error)), behind: parser.failure?.prefixes ?? [])
        origin.statement = nil
      }
    }
  }

  /// Throws the error of a statement that could not be parsed unless a prefix expects it.
  private func judge(_ error: ShellError, behind prefixes: [Prefix]) throws(ShellError) {
    var failure: ShellError? = error
    for prefix in prefixes.reversed() {
      guard case .expectError(let name) = prefix.kind else { continue }
      do throws(ShellError) {
        let inner = failure
        try expectError(named: name, prefix: prefix) { () throws(ShellError) in
          if let inner { throw inner }
        }
        failure = nil
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  private func run(
    _ statement: Statement, in source: SourceText, origin: ErrorPrinter.Origin
  ) throws(ShellError) {
    if settings.echoes {
      let pipe = statement.pipe.map { " | " + $0 } ?? ""
      results.write("> \(KeyText.masked(source.text(of: statement.range) + pipe))\n")
    }
    // Many short statements are interrupted between them.
    try Interruption.check()
    let start = monotonicMilliseconds()
    statementRange = statement.range
    try execute(statement, origin: origin)
    try flushResults()
    scriptProgress?.update(statement.range.end, of: source.bytes.count)
    if settings.showsTiming { printTime(since: start) }
  }

  /// Prints the time since a moment: at the prompt among the results, else on standard error.
  func printTime(since start: Double) {
    let text = "(\(timeText(monotonicMilliseconds() - start)))\n"
    let writer = isInteractive ? output : errorOutput
    writer.write(text)
    writer.flush()
  }

  /// Runs a script file; relative paths inside are relative to its folder.
  ///
  /// - Parameter path: The path as the system needs it; see `resolve`.
  func runScript(_ path: String, at range: SourceRange? = nil) throws(ShellError) {
    guard scriptFolders.count < Session.maximumDepth else {
      throw ShellError(
        .limitExceeded, "scripts are nested more than \(Session.maximumDepth) deep", at: range)
    }
    let bytes = try TextFile.read(path, shownAs: path, at: range)
    scriptFolders.append(TextFile.folder(of: path))
    defer { scriptFolders.removeLast() }
    let isGood = run(SourceText(fileName: path, bytes: bytes))
    let hasDropped = dropTransactions(fromDepth: scriptFolders.count)
    guard isGood || keepsGoing else {
      try Interruption.check()
      throw ShellError(.assertion, "the script \(path) failed", at: range)
    }
    if isGood, hasDropped {
      throw ShellError(
        .wrongTransactionState, "the script \(path) ended inside of a write transaction",
        at: range)
    }
  }

  /// Ends a run without prompt: an open transaction is dropped, which is an error unless it is the
  /// consequence of one.
  func endScripts() {
    let hasDropped = dropTransactions()
    let hasEndedWell = endThreads(waiting: !hasStopped && !isEnding)
    if !hasEndedWell, exitStatus == 0 { exitStatus = 1 }
    guard hasDropped, !hasStopped else { return }
    report(
      ShellError(.wrongTransactionState, "the input ended inside of a write transaction"),
      origin: nil)
    exitStatus = 1
  }

  /// A path as the system needs it: `~` replaced, relative to the folder of the running script.
  func resolve(_ path: String) -> String {
    if path.hasPrefix("/") { return withoutLink(path) }
    guard let folder = scriptFolders.last, folder != "." else { return withoutLink(path) }
    return withoutLink(folder + "/" + path)
  }

  /// The file that a symbolic link leads to: its lock file stands beside it, not beside the link.
  /// Links of the system to standard streams stay as they are.
  func withoutLink(_ path: String) -> String {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK, stat(path, &status) == 0,
      status.st_mode & S_IFMT == S_IFREG,
      !["/dev/std", "/dev/fd/", "/proc/"].contains(where: path.hasPrefix),
      let target = realPath(path)
    else { return path }
    return target
  }

  /// The path of a file operand.
  func resolve(_ path: FilePath) -> String {
    guard !path.isQuoted, path.text == "~" || path.text.hasPrefix("~/"),
      let home = environment("HOME")
    else { return resolve(path.text) }
    return home + path.text.dropFirst()
  }
}

/// A path without symbolic links; nil if nothing is there.
func realPath(_ path: String) -> String? {
  guard let resolved = realpath(path, nil) else { return nil }
  defer { free(resolved) }
  return String(cString: resolved)
}

/// Milliseconds of the monotonic clock.
func monotonicMilliseconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1e6
}

/// A duration for people: `0.1 ms`, `1.25 s`.
///
/// - Parameter digits: Digits after the point of milliseconds, 1 or 2.
func timeText(_ milliseconds: Double, digits: Int = 1) -> String {
  func rounded(_ value: Double, _ digits: Int) -> String {
    let scale = digits == 1 ? 10.0 : 100.0
    let whole = Int((value * scale).rounded())
    let fraction = String(whole % Int(scale))
    let zeros = String(repeating: "0", count: max(0, digits - fraction.utf8.count))
    return "\(whole / Int(scale)).\(zeros)\(fraction)"
  }
  return milliseconds < 1000
    ? rounded(milliseconds, digits) + " ms" : rounded(milliseconds / 1000, 2) + " s"
}

extension StatementBody {
  /// Whether the statement ends a transaction that `begin` has opened.
  fileprivate var endsTransaction: Bool {
    switch self {
    case .commit, .cancel: true
    default: false
    }
  }

  /// Whether the statement opens a database, so that its failure has a status of its own.
  fileprivate var opensDatabase: Bool {
    switch self {
    case .open, .info(.file): true
    case .check(let check): check.file != nil
    default: false
    }
  }
}
