import Glibc
import TestSupport
import Testing

/// EditorProbe on a terminal whose screen the test can see.
final class EditorOnScreen {
  static let prompt = "probe> "

  let terminal: EmulatedTerminal
  private var marks = 0
  private let folder = TemporaryFolder()
  private var lines: Int32 = -1

  /// Starts the probe and waits for its prompt.
  ///
  /// - Parameter printsLines: Whether `print` can be used.
  init(
    _ arguments: [String] = [], environment: [String: String] = [:], rows: Int = 24,
    columns: Int = 80, printsLines: Bool = false
  ) {
    var arguments = arguments
    if printsLines {
      let path = folder.file("lines")
      mkfifo(path, 0o600)
      lines = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
      arguments += ["--lines", path]
    }
    terminal = EmulatedTerminal(
      Fixtures.executable("EditorProbe"), arguments, environment: environment, rows: rows,
      columns: columns)
  }

  deinit {
    if lines >= 0 { close(lines) }
  }

  var screen: TerminalEmulator { terminal.screen }

  /// Waits until the editor reads keys.
  func waitForPrompt() -> Bool {
    terminal.wait { $0.marksPaste && !$0.isUpdating && $0.cursorColumn > 0 }
  }

  /// Prints lines above the line being typed.
  func print(_ lines: [String]) {
    terminal.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: self.lines)
  }

  /// Types keys and waits until the screen shows what they have done.
  @discardableResult
  func press(_ keys: String) -> Bool {
    terminal.type(keys + "\u{1B}h")
    return settle(isAsked: true)
  }

  /// Waits until the screen shows everything that has happened.
  ///
  /// The answer to the first key for help says that all keys before it have been obeyed; that to the
  /// second one, which is read afterwards, that what they did has been painted.
  func settle(isAsked: Bool = false) -> Bool {
    if !isAsked { terminal.type("\u{1B}h") }
    marks += 1
    guard terminal.wait(until: { $0.markCount == marks }) else { return false }
    terminal.type("\u{1B}h")
    marks += 1
    return terminal.wait(until: { $0.markCount == marks }) && screen.failure == nil
  }

  /// Types keys that enter a line, and expects what the probe has read.
  func expect(
    _ keys: String, reads text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(waitForPrompt(), "\(screen.texts)", sourceLocation: sourceLocation)
    terminal.type(keys)
    let answer = "read \(text.debugDescription)"
    #expect(
      terminal.wait(timeoutSeconds: 10) { screen in
        screen.marksPaste && screen.lines.contains(answer)
      }, "\(screen.texts)", sourceLocation: sourceLocation)
    #expect(screen.failure == nil, sourceLocation: sourceLocation)
  }
}
