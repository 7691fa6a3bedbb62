import ByteKernels
import Glibc
import RealmLanguage
import RealmObjects
import RealmStorage

/// The state of one run of the program: databases, settings, variables, the last result.
final class Session {
  /// An open database.
  struct Database {
    /// The name that `use` knows.
    let name: String
    let realm: Realm
    /// Whether it was opened with `readonly` or as an old snapshot.
    let isReadOnly: Bool
  }

  var settings = Settings()
  /// The open databases in the order of opening.
  var databases: [Database] = []
  /// Name of the database that statements use.
  var currentName: String?
  /// Values of `-D`, by name.
  var variables: [String: ShellValue] = [:]
  /// The result of the last `where`, for `more` and `last`.
  var lastResult: LastResult?

  /// Standard output, or the file of `-o`.
  let output: ByteWriter
  /// Standard error.
  let errorOutput: ByteWriter
  /// Whether results go to a terminal.
  let outputIsTerminal: Bool
  /// Whether the prompt is shown.
  var isInteractive = false
  let isQuiet: Bool
  let isSafe: Bool
  let keepsGoing: Bool

  /// The status to end with.
  var exitStatus: Int32 = 0
  /// Set by `exit`.
  var isEnding = false
  /// The text that the present statement stands in.
  var source = SourceText("")
  /// Folders of the scripts that are running, innermost last.
  var scriptFolders: [String] = []

  /// A result that can be printed again.
  struct LastResult {
    let result: ResultSet
    /// Rows printed so far.
    var printed: Int
  }

  init(_ invocation: Invocation, output: ByteWriter, outputIsTerminal: Bool) {
    self.output = output
    self.outputIsTerminal = outputIsTerminal
    errorOutput = ByteWriter(descriptor: STDERR_FILENO)
    isQuiet = invocation.isQuiet
    isSafe = invocation.isSafe
    keepsGoing = invocation.keepsGoing
  }

  /// The database that statements use.
  func current(at range: SourceRange? = nil) throws(ShellError) -> Database {
    guard let database = databases.first(where: { $0.name == currentName }) else {
      throw ShellError(.noDatabase, "no database is open", at: range, remedy: "open PATH")
    }
    return database
  }

  /// Whether acknowledgements are printed.
  var acknowledges: Bool {
    switch settings.acknowledgements {
    case .on: true
    case .off: false
    case .auto: !isQuiet && !settings.mode.isForPrograms
    }
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

  /// Prints an error and remembers the status it ends with.
  func report(_ error: ShellError, origin: ErrorPrinter.Origin?) {
    output.flush()
    ErrorPrinter(form: settings.errorForm, writer: errorOutput).print(error, origin: origin)
  }

  /// Prints a warning.
  func warn(_ error: ShellError, origin: ErrorPrinter.Origin?) {
    output.flush()
    ErrorPrinter(form: settings.errorForm, writer: errorOutput).print(
      error, severity: "warning", origin: origin)
  }
}

/// A variable of the environment; nil if it is not set.
func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
