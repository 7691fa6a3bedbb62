import Glibc
import Synchronization

/// Whether Ctrl-C was pressed since the present statement began.
///
/// Source: shell.md 2 (signals).
enum Interruption {
  private static let flag = Atomic<Bool>(false)

  /// Whether the statement has to stop.
  static var isRequested: Bool { flag.load(ordering: .relaxed) }

  /// Called from the signal handler.
  static func request() { flag.store(true, ordering: .relaxed) }

  /// Forgets the request, before the next statement.
  static func clear() { flag.store(false, ordering: .relaxed) }
}

/// Makes SIGINT stop the statement instead of the program.
func installSignalHandlers() {
  var action = sigaction()
  action.__sigaction_handler.sa_handler = { _ in Interruption.request() }
  sigaction(SIGINT, &action, nil)
}
