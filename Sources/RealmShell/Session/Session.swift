import ByteKernels
import Glibc
import RealmLanguage
import RealmObjects
import RealmStorage

/// The state of one thread: its databases, its settings, its last result.
///
/// What threads share is in `threads`.
final class Session {
  /// The thread that uses this.
  let thread: ThreadIdentity
  /// What all threads share.
  let threads: Threads
  var settings = Settings()
  /// The open databases in the order of opening.
  var databases: [Database] = []
  /// Name of the database that statements use.
  var currentName: String? {
    didSet {
      guard let oldValue, oldValue != currentName else { return }
      earlierNames.removeAll { $0 == oldValue || $0 == currentName }
      earlierNames.append(oldValue)
    }
  }
  /// Names of the databases that were used before, the last one at the end.
  private(set) var earlierNames: [String] = []
  /// What `observe` has begun.
  var observers = Observers()
  /// Variables that hide those of all threads: `_`, the result of the last `where`, and what `with`
  /// has handed over.
  var locals: [String: Variable] = [:]
  /// Databases of `main` that this thread has closed.
  var closedNumbers: Set<Int> = []
  /// Frozen versions that the present statement uses.
  var frozenDatabases: [ObjectIdentifier: Database] = [:]
  /// Rows of the last result that were printed so far, for `more`.
  var printedRowCount = 0

  /// Standard output, or the file of `-o`; what keeps the results of asynchronous work.
  var output: ByteWriter
  /// Where `output` leads; nil if that is not a file.
  var outputDescriptor: Int32?
  /// Standard error.
  var errorOutput: ByteWriter
  /// What the next acknowledgement is to be preceded by: that a file was opened for writing.
  var openingNote: String?
  /// Notes that were given, each of which is given once.
  var screenNotes: Set<ScreenNote> = []
  /// The file that `output` has chosen for results.
  var outputTarget: OutputTarget?
  /// What leads to the system command that reads the results of the present statement.
  var commandInput: Redirection?
  /// Whether statements are read from standard input.
  var readsStandardInput = false
  /// Whether the prompt is shown.
  var isInteractive = false
  /// The prompt; nil if there is none.
  var typing: TypingServices?
  /// What the command line has settled.
  let options: Options

  /// What the command line settles for all threads.
  struct Options: Sendable {
    let isQuiet: Bool
    let isSafe: Bool
    let keepsGoing: Bool
    /// Whether results go to a terminal.
    let outputIsTerminal: Bool
  }

  /// The status to end with.
  var exitStatus: Int32 = 0
  /// Whether an error has ended a script.
  var hasStopped = false
  /// Set by `exit`.
  var isEnding = false
  /// The text that the present statement stands in.
  var source = SourceText("")
  /// The present statement, up to the verb that runs.
  var statementRange = SourceRange(start: 0, end: 0)
  /// The verb of the present statement with what follows it.
  var bodyRange = SourceRange(start: 0, end: 0)
  /// Where the present statement comes from.
  var statementOrigin: ErrorPrinter.Origin?
  /// What `output` had sent when the present text was typed.
  var sentByteCountWhenTyped = 0
  /// Whether the present statement has warned of a trap.
  var hasWarned = false
  /// How the present statement is to be explained.
  var explainRequest: ExplainRequest?
  /// The query that `explain run` measures.
  var measurement: Measurement?
  /// Number of changes made so far: what has changed something is not tried again.
  var changeCount = 0
  /// Whether the statements of a `write` block run, whose acknowledgements the commit stands for.
  var isInBlock = false
  /// How far the innermost script is; nil if none runs.
  var scriptProgress: Progress?
  /// Folders of the scripts that are running, innermost last.
  var scriptFolders: [String] = []

  /// Makes the session of the thread that the program starts with.
  ///
  /// - Parameter descriptor: Where `output` leads; nil if that is not a file.
  init(
    _ invocation: Invocation, output: ByteWriter, descriptor: Int32? = nil, outputIsTerminal: Bool
  ) {
    (self.output, outputDescriptor) = (output, descriptor)
    errorOutput = ProgressLine.writer(STDERR_FILENO)
    options = Options(
      isQuiet: invocation.isQuiet, isSafe: invocation.isSafe, keepsGoing: invocation.keepsGoing,
      outputIsTerminal: outputIsTerminal)
    threads = Threads()
    thread = threads.main
  }

  /// What a person is told once.
  enum ScreenNote {
    case computedProperties
  }

  /// Makes the session of the calling thread.
  init(_ thread: ThreadIdentity, _ threads: Threads, _ options: Options) {
    (self.thread, self.threads, self.options) = (thread, threads, options)
    output = ByteWriter()
    errorOutput = ProgressLine.writer(STDERR_FILENO)
  }

  /// Whether results go to a terminal.
  var outputIsTerminal: Bool { screenIsTerminal && redirection?.isOnScreen ?? true }
  /// Whether what is not redirected goes to a terminal.
  var screenIsTerminal: Bool { options.outputIsTerminal && outputDescriptor != nil }
  var isQuiet: Bool { options.isQuiet }
  var isSafe: Bool { options.isSafe }
  var keepsGoing: Bool { options.keepsGoing }

  /// The database that statements use.
  func current(at range: @autoclosure () -> SourceRange? = nil) throws(ShellError) -> Database {
    guard let database = databases.first(where: { $0.name == currentName }) else {
      throw ShellError(.noDatabase, "no database is open", at: range(), remedy: "open PATH")
    }
    if database.realm.isIdle { try beginReading(database) }
    return database
  }

  /// Whether acknowledgements are printed.
  var acknowledges: Bool {
    switch settings.acknowledgements {
    case .on: true
    case .off: false
    case .auto: !isQuiet && !isInBlock && !settings.mode.isForPrograms
    }
  }

  /// Prints an acknowledgement, unless they are off.
  func acknowledge(_ text: @autoclosure () -> String, to writer: ByteWriter) {
    guard acknowledges else { return }
    printOpeningNote(to: writer)
    writer.write(text() + "\n")
  }

  /// Prints on a terminal that a file was opened for writing, if that was not said yet.
  func printOpeningNote(to writer: ByteWriter) {
    guard let note = openingNote, acknowledges else { return }
    openingNote = nil
    if outputIsTerminal { writer.write(note + "\n") }
  }

  /// Columns of the screen.
  var screenWidth: Int {
    if let width = settings.width { return width }
    var size = winsize()
    if outputIsTerminal, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
      return Int(size.ws_col)
    }
    return outputIsTerminal ? environment("COLUMNS").flatMap { Int($0) } ?? 80 : 80
  }

  /// Whether the terminal knows how to move the cursor.
  var movesCursor: Bool {
    guard let name = environment("TERM") else { return false }
    return !name.isEmpty && name != "dumb"
  }

  /// Rows of the screen.
  var screenHeight: Int {
    var size = winsize()
    let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0
    return isKnown ? Int(size.ws_row) : environment("LINES").flatMap { Int($0) } ?? 24
  }

  /// Whether colours are used.
  var usesColor: Bool {
    switch settings.color {
    case .always: return true
    case .never: return false
    case .auto:
      if let text = environment("NO_COLOR"), !text.isEmpty { return false }
      if let text = environment("CLICOLOR_FORCE"), !text.isEmpty, text != "0" { return true }
      return outputIsTerminal && environment("TERM") != "dumb"
    }
  }

  /// Prints an error.
  func report(_ error: ShellError, origin: ErrorPrinter.Origin?) {
    print(error, severity: "error", origin)
  }

  /// Prints a warning.
  func warn(_ error: ShellError, origin: ErrorPrinter.Origin?) {
    print(error, severity: "warning", origin)
  }

  private func print(_ error: ShellError, severity: String, _ origin: ErrorPrinter.Origin?) {
    output.flush()
    var origin = origin
    // Something stands between the text that was typed and what would point at it.
    if output.sentByteCount != sentByteCountWhenTyped { origin?.promptWidth = nil }
    ErrorPrinter(form: settings.errorForm, writer: errorOutput, width: errorWidth).print(
      error, severity: severity, origin: origin)
  }

  /// Columns for errors; nil if they go to no terminal.
  var errorWidth: Int? {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return settings.width ?? Int(size.ws_col)
  }
}

/// A variable of the environment; nil if it is not set.
func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

/// A variable of the environment; nil if it is not set or empty.
func nonEmptyEnvironment(_ name: String) -> String? {
  environment(name).flatMap { $0.isEmpty ? nil : $0 }
}
