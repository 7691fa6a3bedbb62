import Glibc
import Synchronization

/// A program on a terminal of its own, with the test at the keyboard.
public final class PseudoTerminal {
  /// Everything the program has written so far.
  public var transcript: String { String(decoding: received, as: UTF8.self) }
  let process: Process
  let descriptor: Int32
  private var received: [UInt8] = []
  /// Bytes of `received` that `read(until:)` has passed.
  private var position = 0

  /// Starts a program whose three standard descriptors are the terminal.
  ///
  /// - Parameter environment: Its whole environment; TERM is `xterm` unless given.
  public init(
    _ executable: String, _ arguments: [String] = [],
    environment: [String: String] = Process.plainEnvironment, rows: Int = 24, columns: Int = 80
  ) {
    let environment = ["TERM": "xterm"].merging(environment) { $1 }
    (descriptor, process) = Process.startLock.withLock { _ in
      var descriptor: Int32 = -1
      var programEnd: Int32 = -1
      var name = [CChar](repeating: 0, count: Int(PATH_MAX))
      var size = winsize(
        ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
      precondition(
        openpty(&descriptor, &programEnd, &name, nil, &size) == 0,
        "no pseudo-terminal: errno \(errno)")
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      _ = fcntl(programEnd, F_SETFD, FD_CLOEXEC)
      defer { close(programEnd) }
      let process = Process(executable, arguments, environment: environment, ownsTerminal: true) {
        posix_spawn_file_actions_addopen(&$0, 0, name, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&$0, 0, 1)
        posix_spawn_file_actions_adddup2(&$0, 0, 2)
      }
      return (descriptor, process)
    }
  }

  deinit {
    close(descriptor)
  }

  /// Types text; control characters are keys.
  public func type(_ text: String) {
    type(Array(text.utf8))
  }

  /// Types bytes.
  public func type(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      precondition(count > 0 || errno == EINTR, "cannot type: errno \(errno)")
      rest = rest.dropFirst(max(0, count))
    }
  }

  /// Changes the size of the window, of which the program is told by SIGWINCH.
  public func resize(rows: Int, columns: Int) {
    var size = winsize(
      ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(descriptor, UInt(TIOCSWINSZ), &size)
  }

  /// Sends a signal to the program.
  public func send(_ signal: Int32) {
    process.send(signal)
  }

  /// Reads until the program has written a text, and returns what came, the text included.
  ///
  /// What follows the text is kept for the next call.
  ///
  /// - Returns: nil if the text has not come in time; `transcript` tells what did.
  @discardableResult
  public func read(until text: String, timeoutSeconds: Double = 10) -> String? {
    let end = Clock.seconds + timeoutSeconds
    let wanted = Array(text.utf8)
    while true {
      if let match = Self.firstIndex(of: wanted, in: received[position...]) {
        let passed = received[position..<(match + wanted.count)]
        position = match + wanted.count
        return String(decoding: passed, as: UTF8.self)
      }
      guard receive(until: end) else { return nil }
    }
  }

  /// Reads until what the program has written so far fulfils a condition.
  ///
  /// - Returns: false if it does not in time.
  public func read(
    timeoutSeconds: Double = 10, until isEnough: (_ transcript: String) -> Bool
  ) -> Bool {
    let end = Clock.seconds + timeoutSeconds
    while !isEnough(transcript) {
      guard receive(until: end) else { return false }
    }
    return true
  }

  /// Reads until the program has ended; returns its exit code, or nil if it goes on too long.
  ///
  /// The code is 128 and the signal's number if a signal has ended it.
  public func waitForEnd(timeoutSeconds: Double = 10) -> Int32? {
    let end = Clock.seconds + timeoutSeconds
    while receive(until: end) {}
    return Clock.seconds < end ? process.wait() : nil
  }

  /// Takes what the program writes; false when it has closed the terminal or the time is over.
  private func receive(until end: Double) -> Bool {
    var source = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let count = poll(&source, 1, Clock.milliseconds(until: end))
    guard count > 0 else { return count < 0 && errno == EINTR }
    var chunk = [UInt8](repeating: 0, count: 4096)
    let length = Glibc.read(descriptor, &chunk, chunk.count)
    // The terminal answers EIO when its last user is gone.
    guard length > 0 else { return length < 0 && errno == EINTR }
    received += chunk[..<length]
    return true
  }

  private static func firstIndex(of wanted: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
    guard wanted.count <= bytes.count else { return nil }
    return (bytes.startIndex...(bytes.endIndex - wanted.count)).first {
      bytes[$0...].starts(with: wanted)
    }
  }
}
