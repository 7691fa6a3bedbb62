import Glibc

/// Where the signal handler writes; -1 while no editor is waiting for keys.
///
/// Reason for `nonisolated(unsafe)`: a handler has no argument of its own. The value is written
/// only while none of the handlers is installed.
nonisolated(unsafe) private var wakeDescriptor: Int32 = -1

/// Writes the signal's number to the wake pipe; all else happens in the thread that reads keys.
private func wakeEditor(_ signal: Int32) {
  let savedError = errno
  var byte = UInt8(truncatingIfNeeded: signal)
  _ = write(wakeDescriptor, &byte, 1)
  errno = savedError
}

/// The signals that matter while a line is typed, delivered through a pipe.
///
/// A pipe can be waited for together with the terminal, without the gap between looking at a
/// flag and going to sleep, and no matter which thread a signal reaches.
struct TerminalSignals {
  /// The signals that are caught: interrupt, stop, new window size, and those that end programs.
  static let caught = [SIGINT, SIGTSTP, SIGWINCH, SIGTERM, SIGHUP, SIGQUIT]

  /// Readable when a signal has come.
  let readEnd: Int32
  private let writeEnd: Int32
  private var formerActions: [sigaction] = []

  /// Makes the pipe, or returns nil when the process has no descriptor left.
  init?() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    readEnd = ends[0]
    writeEnd = ends[1]
  }

  /// Closes the pipe.
  func close() {
    _ = Glibc.close(readEnd)
    _ = Glibc.close(writeEnd)
  }

  /// Starts to catch signals, until `stopCatching` is called.
  mutating func startCatching() {
    wakeDescriptor = writeEnd
    var action = sigaction()
    action.__sigaction_handler.sa_handler = wakeEditor
    action.sa_flags = SA_RESTART
    formerActions = Self.caught.map { signal in
      var former = sigaction()
      sigaction(signal, &action, &former)
      return former
    }
  }

  /// Restores the actions from before `startCatching`.
  mutating func stopCatching() {
    for (signal, action) in zip(Self.caught, formerActions) {
      var former = action
      sigaction(signal, &former, nil)
    }
    formerActions = []
    wakeDescriptor = -1
  }

  /// Returns the next signal that has come, or nil if there is none.
  func next() -> Int32? {
    var byte: UInt8 = 0
    return read(readEnd, &byte, 1) == 1 ? Int32(byte) : nil
  }

  /// Stops the program as Ctrl-Z does, and returns when it goes on.
  static func stop() {
    var action = sigaction()
    var former = sigaction()
    action.__sigaction_handler.sa_handler = SIG_DFL
    sigaction(SIGTSTP, &action, &former)
    raise(SIGTSTP)
    sigaction(SIGTSTP, &former, nil)
  }
}
