import Glibc

/// A program on a terminal whose screen the test can see.
public final class EmulatedTerminal {
  /// The screen.
  public private(set) var screen: TerminalEmulator
  private let terminal: PseudoTerminal
  private var chunk = [UInt8](repeating: 0, count: 1 << 16)

  /// Starts a program on a terminal of a size.
  ///
  /// - Parameter environment: Added to the environment without what changes the output of programs.
  public init(
    _ executable: String, _ arguments: [String] = [], environment: [String: String] = [:],
    rows: Int = 24, columns: Int = 80
  ) {
    screen = TerminalEmulator(rows: rows, columns: columns)
    terminal = PseudoTerminal(
      executable, arguments,
      environment: Process.plainEnvironment.merging(environment) { $1 }, rows: rows,
      columns: columns)
    _ = fcntl(terminal.descriptor, F_SETFL, O_NONBLOCK)
  }

  /// Types text; control characters are keys.
  public func type(_ text: String) {
    type(Array(text.utf8))
  }

  /// Types bytes.
  public func type(_ bytes: [UInt8]) { write(bytes, to: terminal.descriptor) }

  /// Writes bytes to the terminal or to another descriptor, which does not block.
  ///
  /// What the program writes meanwhile is shown, so that neither side waits for the other.
  public func write(_ bytes: [UInt8], to target: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      var sources = [
        pollfd(fd: terminal.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: target, events: Int16(POLLOUT), revents: 0),
      ]
      guard poll(&sources, 2, 30_000) > 0 else { return }
      if sources[1].revents & Int16(POLLOUT) != 0 {
        let count = rest.withUnsafeBytes {
          Glibc.write(target, $0.baseAddress, min($0.count, 1024))
        }
        rest = rest.dropFirst(max(0, count))
      }
      if sources[0].revents != 0, !receive() { return }
    }
  }

  /// Shows what the program writes until a condition holds; false if it does not in time.
  @discardableResult
  public func wait(
    timeoutSeconds: Double = 30, until condition: (TerminalEmulator) -> Bool
  ) -> Bool {
    let end = Clock.seconds + timeoutSeconds
    while !condition(screen) {
      var source = pollfd(fd: terminal.descriptor, events: Int16(POLLIN), revents: 0)
      let count = poll(&source, 1, Clock.milliseconds(until: end))
      guard count != 0 else { return false }
      if count > 0, !receive() { return condition(screen) }
    }
    return true
  }

  /// Shows what the program writes until it has ended; returns its exit code, or nil if it goes on
  /// too long.
  public func waitForEnd(timeoutSeconds: Double = 30) -> Int32? {
    let end = Clock.seconds + timeoutSeconds
    while true {
      var source = pollfd(fd: terminal.descriptor, events: Int16(POLLIN), revents: 0)
      let count = poll(&source, 1, Clock.milliseconds(until: end))
      guard count != 0 else { return nil }
      if count > 0, !receive() { return terminal.process.wait() }
    }
  }

  /// Changes the size of the window.
  public func resize(rows: Int, columns: Int) {
    screen.resize(rows: rows, columns: columns)
    terminal.resize(rows: rows, columns: columns)
  }

  /// Sends a signal to the program.
  public func send(_ signal: Int32) {
    terminal.send(signal)
  }

  /// Takes what is there; false when the program has closed the terminal.
  private func receive() -> Bool {
    let count = read(terminal.descriptor, &chunk, chunk.count)
    if count > 0 { screen.feed(chunk[..<count]) }
    return count > 0 || count < 0 && (errno == EAGAIN || errno == EINTR)
  }
}
