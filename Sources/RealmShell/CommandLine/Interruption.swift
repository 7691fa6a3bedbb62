import Glibc
import Synchronization

/// Whether Ctrl-C was pressed since the present statement began.
///
/// Source: shell.md 2 (signals).
enum Interruption {
  private static let flag = Atomic<Bool>(false)

  /// Threads whose statements Ctrl-C does not mean.
  private static let unconcerned = Mutex<Set<UInt>>([])
  /// Whether all statements have to stop, since the program ends.
  private static let isForAll = Atomic<Bool>(false)

  /// Tells of a request those who wait for several things.
  static let pipe = WakePipe()

  /// Whether the statement has to stop.
  static var isRequested: Bool { flag.load(ordering: .relaxed) && concernsThisThread }

  private static var concernsThisThread: Bool {
    isForAll.load(ordering: .relaxed)
      || !unconcerned.withLock { $0.contains(UInt(pthread_self())) }
  }

  /// Runs work in the background, which goes on when Ctrl-C stops what the user waits for.
  static func ignoring<Result>(_ body: () -> Result) -> Result {
    let thread = UInt(pthread_self())
    unconcerned.withLock { _ = $0.insert(thread) }
    defer { unconcerned.withLock { _ = $0.remove(thread) } }
    return body()
  }

  /// Stops the statements of all threads.
  static func requestOfAll() {
    isForAll.store(true, ordering: .relaxed)
    flag.store(true, ordering: .relaxed)
  }

  /// Called from the signal handler.
  static func request() {
    let error = errno
    flag.store(true, ordering: .relaxed)
    pipe?.wake()
    errno = error
  }

  /// Forgets the request, before the next statement.
  static func clear() {
    if flag.exchange(false, ordering: .relaxed) { pipe?.clear() }
  }

  /// Throws if the statement has to stop.
  static func check() throws(ShellError) {
    if isRequested { throw ShellError(.interrupted, "interrupted") }
  }
}

/// The unfinished file that has to go if a signal ends the program.
enum UnfinishedFile {
  /// One for each thread that writes a file; more are not removed.
  private static let placeCount = 16
  // Reason for `nonisolated(unsafe)`: the pointers are atomic, and a text that a handler may have
  // in its hands is never freed.
  nonisolated(unsafe) private static let places: UnsafeMutablePointer<Place> = {
    let places = UnsafeMutablePointer<Place>.allocate(capacity: placeCount)
    for i in 0..<placeCount { (places + i).initialize(to: Place()) }
    return places
  }()

  private struct Place: ~Copyable {
    let path = Atomic<UnsafeMutablePointer<CChar>?>(nil)
  }

  /// Runs `body` while `path` is the unfinished file.
  static func during<Result>(
    _ path: String, _ body: () throws(ShellError) -> Result
  ) throws(ShellError) -> Result {
    let text = strdup(path)
    let place = (0..<placeCount).first { i in
      places[i].path.compareExchange(expected: nil, desired: text, ordering: .releasing).exchanged
    }
    defer { if let place { places[place].path.store(nil, ordering: .releasing) } }
    return try body()
  }

  /// Called from the signal handler.
  static func remove() {
    for i in 0..<placeCount {
      if let path = places[i].path.load(ordering: .acquiring) { unlink(path) }
    }
  }
}

/// The terminal while what is typed is not shown.
enum TerminalEcho {
  // Reason for `nonisolated(unsafe)`: written before `isOff` is set and read after it.
  nonisolated(unsafe) private static var settings = termios()
  nonisolated(unsafe) private static var terminal: Int32 = -1
  private static let isOff = Atomic<Bool>(false)

  /// Hides what is typed on a terminal, until `restore`.
  static func hide(on descriptor: Int32) {
    guard tcgetattr(descriptor, &settings) == 0 else { return }
    terminal = descriptor
    isOff.store(true, ordering: .releasing)
    var silent = settings
    silent.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(descriptor, TCSAFLUSH, &silent)
  }

  /// Shows what is typed again; also called from the signal handler.
  static func restore() {
    guard isOff.exchange(false, ordering: .acquiringAndReleasing) else { return }
    tcsetattr(terminal, TCSAFLUSH, &settings)
  }
}

/// Makes SIGINT stop the statement instead of the program, and the signals that end it leave no
/// unfinished file; a signal that the parent ignores, as `nohup` does, stays ignored.
func installSignalHandlers() {
  // All are made before a handler needs them.
  Interruption.request()
  Interruption.clear()
  UnfinishedFile.remove()
  ProgressLine.eraseAtEnd()
  TerminalEcho.restore()
  handle(SIGINT) { _ in Interruption.request() }
  for number in [SIGTERM, SIGHUP, SIGQUIT] {
    handle(number) { number in
      UnfinishedFile.remove()
      ProgressLine.eraseAtEnd()
      TerminalEcho.restore()
      // Ends the program as if nothing had handled the signal, once the handler has returned.
      signal(number, SIG_DFL)
      raise(number)
    }
  }
}

private func handle(_ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
  var action = sigaction()
  sigaction(number, nil, &action)
  // SIG_IGN is the address 1, which Swift cannot compare as a function.
  guard unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) != 1 else { return }
  action = sigaction()
  action.__sigaction_handler.sa_handler = handler
  sigaction(number, &action, nil)
}

/// Repeats a system call that a signal has stopped, unless that was Ctrl-C.
///
/// - Throws: `ShellError`: the user interrupts.
func repeatingCall<Result: SignedInteger>(
  _ call: () -> Result
) throws(ShellError) -> Result {
  while true {
    let result = call()
    guard result < 0, errno == EINTR else { return result }
    try Interruption.check()
  }
}

/// Fills the places of standard input, output and errors that the parent has closed, so that no
/// file opened later takes one; reading and writing them still fails.
func reserveStandardDescriptors() {
  for (descriptor, mode) in [
    (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
  ] where fcntl(descriptor, F_GETFD) < 0 {
    // The lowest free number is the one that is missing.
    _ = open("/dev/null", mode)
  }
}

/// How a system command ended, as `wait` reports it.
struct CommandStatus {
  /// The value of `system` or `pclose`.
  let rawValue: Int32

  private var signalNumber: Int32 { rawValue & 0x7F }

  /// Whether it ended with status 0.
  var isSuccess: Bool { rawValue == 0 }

  /// Whether Ctrl-C ended it.
  var isInterrupted: Bool { rawValue > 0 && signalNumber == SIGINT }

  /// How it ended, for messages.
  var text: String {
    if rawValue < 0 { return "the command cannot be run" }
    return signalNumber == 0
      ? "the command ended with status \(rawValue >> 8)"
      : "signal \(signalNumber) ended the command"
  }
}
