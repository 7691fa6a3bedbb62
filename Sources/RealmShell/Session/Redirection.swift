import ByteKernels
import Glibc
import RealmLanguage

/// Where results go instead of standard output: a file, a system command or the pager.
struct Redirection {
  /// What takes the results.
  let writer: ByteWriter
  /// Where the results of other threads go at once; nil to have them handed over.
  let descriptor: Int32?
  /// Whether the results are laid out for the screen after all.
  var isOnScreen = false
}

/// The file of `output PATH`.
struct OutputTarget {
  /// The path as it was written.
  let path: String
  let redirection: Redirection
}

/// `output`, `| COMMAND`, `! COMMAND` and the pager.
///
/// Source: shell.md 17.
extension Session {
  /// Where results go instead of standard output. A command comes before the file of `output`.
  var redirection: Redirection? { commandInput ?? outputTarget?.redirection }

  /// What takes the results of statements.
  var results: ByteWriter { redirection?.writer ?? output }

  // MARK: output

  func output(_ statement: OutputStatement, at range: SourceRange) throws(ShellError) {
    guard thread.isMain else {
      throw ShellError(
        .illegalOperation, "where results go is chosen on main", at: verbRange(range))
    }
    switch statement {
    case .off: try closeOutputTarget()
    case .file(let path, let appends):
      let target = resolve(path)
      try permitWriting(to: target, at: path.range)
      let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (appends ? O_APPEND : O_TRUNC)
      // What has been written to the same file so far must not come later.
      try closeOutputTarget()
      let descriptor = try repeatingCall { Glibc.open(target, flags, 0o666) }
      guard descriptor >= 0 else {
        throw ShellError(
          ErrorName(systemError: errno),
          "cannot write \(path.text): \(StorageMessages.systemText(errno))", at: path.range)
      }
      outputTarget = OutputTarget(
        path: path.text,
        redirection: Redirection(
          writer: ByteWriter(descriptor: descriptor), descriptor: descriptor))
    }
  }

  /// Ends `output PATH`.
  ///
  /// - Throws: `ShellError`: not everything could be written.
  func closeOutputTarget() throws(ShellError) {
    guard let target = outputTarget else { return }
    outputTarget = nil
    let writer = target.redirection.writer
    writer.flush()
    let status = target.redirection.descriptor.map { Glibc.close($0) }
    if let number = writer.failure ?? (status == 0 ? nil : errno) {
      throw ShellError(
        ErrorName(systemError: number),
        "cannot write \(target.path): \(StorageMessages.systemText(number))")
    }
  }

  /// Writes out what statements have printed; a file of `output` that takes no more is closed.
  func flushResults() throws(ShellError) {
    output.flush()
    commandInput?.writer.flush()
    guard let writer = outputTarget?.redirection.writer else { return }
    writer.flush()
    if writer.failure != nil { try closeOutputTarget() }
  }

  // MARK: | COMMAND

  /// Sends the output of a statement to a system command.
  func throughPipe(
    _ command: String, _ statement: Statement, _ origin: ErrorPrinter.Origin
  ) throws(ShellError) {
    guard !isSafe else {
      throw ShellError(.notSafe, "pipes are refused by --safe", at: statement.range)
    }
    try flushResults()
    let input = CommandInput(command)
    guard input.start() else {
      throw ShellError(.commandFailed, "cannot run \(command)", at: statement.range)
    }
    let status = try feed(input, at: statement.range) { () throws(ShellError) in
      try execute(statement, prefixes: statement.prefixes[...], origin: origin, to: results)
    }
    guard let status, !status.isSuccess else { return }
    warn(ShellError(.commandFailed, status.text), origin: origin)
  }

  /// Runs something whose results go to a system command. What else is printed meanwhile, such as
  /// diffs, comes when the command has ended.
  private func feed(
    _ input: CommandInput, at range: SourceRange, _ body: () throws(ShellError) -> Void
  ) throws(ShellError) -> CommandStatus? {
    let outer = (commandInput, output)
    (commandInput, output) = (input.redirection, ByteWriter())
    var failure: ShellError?
    do throws(ShellError) {
      try body()
    } catch {
      failure = error
    }
    input.redirection.writer.flush()
    // What is pressed from now on is meant for the command, such as a pager.
    let isWhole = failure == nil && !Interruption.isRequested && isInteractive
    let status = input.finish()
    let heldBack = output.takeBytes()
    (commandInput, output) = outer
    results.write(input.takeHeld())
    output.write(heldBack)
    if let failure { throw failure }
    guard status?.isInterrupted == true else {
      if isWhole { Interruption.clear() }
      return status
    }
    guard isWhole else { throw ShellError(.interrupted, "interrupted", at: range) }
    Interruption.clear()
    return nil
  }

  // MARK: Pager

  /// Whether what a statement prints goes to the pager if it has more rows than the screen. With
  /// `--safe` it does not: a pager can run commands.
  func isPaged(_ statement: Statement) -> Bool {
    settings.pager == .auto && outputIsTerminal && redirection == nil && !isSafe
      && isatty(STDIN_FILENO) == 1 && !isInBlock && statement.body.onlyPrints
  }

  /// Runs something whose results go to the pager if they have more rows than the screen.
  func throughPager(
    at range: SourceRange, _ body: () throws(ShellError) -> Void
  ) throws(ShellError) {
    output.flush()
    let command = nonEmptyEnvironment("PAGER") ?? "less -FRSX"
    let input = CommandInput(command, rowsBeforeStart: screenHeight - 1)
    let status = try feed(input, at: range, body)
    guard let status, !status.isSuccess else { return }
    warn(
      ShellError(
        .commandFailed, "the pager \(command): \(status.text)", remedy: "config pager off"),
      origin: nil)
  }

  // MARK: ! COMMAND

  func runCommand(_ command: String, at range: SourceRange) throws(ShellError) {
    guard !isSafe else {
      throw ShellError(.notSafe, "system commands are refused by --safe", at: range)
    }
    let status = try runOnTerminal(command)
    if status.isInterrupted { throw ShellError(.interrupted, "interrupted", at: range) }
    guard status.isSuccess else { throw ShellError(.commandFailed, status.text, at: range) }
  }

  /// Runs a system command, which has the terminal until it ends.
  func runOnTerminal(_ command: String) throws(ShellError) -> CommandStatus {
    try flushResults()
    let terminal = TerminalState()
    let status = CommandStatus(rawValue: system(command))
    if !status.isSuccess { terminal.restore() }
    return status
  }
}

/// A system command that reads results, from the start or from a number of rows on.
private final class CommandInput {
  private let command: String
  private let rowsBeforeStart: Int
  private var rowCount = 0
  /// What was printed before the command has started.
  private var held: [UInt8] = []
  private var stream: UnsafeMutablePointer<FILE>?
  private var sink: ByteWriter?
  /// Keeps what the command has made of the terminal from lasting if it fails.
  private let terminal = TerminalState()
  private var hasFailed = false

  /// - Parameter rowsBeforeStart: The command starts with the row that comes behind so many.
  init(_ command: String, rowsBeforeStart: Int = 0) {
    (self.command, self.rowsBeforeStart) = (command, rowsBeforeStart)
  }

  /// What leads to the command.
  private(set) lazy var redirection = Redirection(
    writer: ByteWriter(bufferByteCount: 1 << 16) { [unowned self] bytes in take(bytes) },
    descriptor: stream.map { fileno($0) }, isOnScreen: rowsBeforeStart > 0)

  /// Starts the command; false if that is not possible.
  func start() -> Bool {
    stream = popen(command, "we")
    sink = stream.map { ByteWriter(descriptor: fileno($0)) }
    return stream != nil
  }

  private func take(_ bytes: UnsafeRawBufferPointer) -> Int32? {
    guard stream == nil, !hasFailed else { return write(bytes) }
    held += bytes
    rowCount += bytes.count { $0 == 0x0A }
    guard rowCount > rowsBeforeStart else { return nil }
    guard start() else {
      hasFailed = true
      return EPIPE
    }
    defer { held = [] }
    return held.withUnsafeBytes { write($0) }
  }

  private func write(_ bytes: UnsafeRawBufferPointer) -> Int32? {
    guard let sink else { return EPIPE }
    sink.write(bytes)
    sink.flush()
    return sink.failure
  }

  /// Waits for the end of the command; nil if it was never started.
  func finish() -> CommandStatus? {
    guard let stream else { return nil }
    let status = CommandStatus(rawValue: pclose(stream))
    if !status.isSuccess { terminal.restore() }
    return status
  }

  /// What no command has taken.
  func takeHeld() -> [UInt8] {
    defer { held = [] }
    return held
  }
}

/// How the terminal treats keys, to be put back after a command that has failed.
private struct TerminalState {
  private var settings = termios()
  private let isKnown: Bool

  init() { isKnown = tcgetattr(STDIN_FILENO, &settings) == 0 }

  func restore() {
    var settings = settings
    if isKnown { tcsetattr(STDIN_FILENO, TCSADRAIN, &settings) }
  }
}

extension StatementBody {
  /// Whether the statement does nothing but print, all of it when it is done.
  fileprivate var onlyPrints: Bool {
    switch self {
    case .where, .get, .aggregate, .sections, .more, .last, .info, .check, .schema, .print, .help,
      .history, .config(ConfigStatement(name: nil, value: nil)), .let(nil), .observe(nil),
      .use(nil), .mode(nil):
      true
    default: false
    }
  }
}
