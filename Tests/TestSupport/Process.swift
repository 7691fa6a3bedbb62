import Glibc
import Synchronization

/// A program that runs beside the test.
public final class Process {
  /// What a program has left behind.
  public struct Result: Sendable {
    /// Exit code; 128 and the signal's number when a signal ended it.
    public let status: Int32
    /// What it wrote to standard output.
    public let output: [UInt8]
    /// What it wrote to standard error.
    public let errors: [UInt8]
    /// Whether it was killed since the time was over.
    public let hasTimedOut: Bool

    /// Standard output as text.
    public var outputText: String { String(decoding: output, as: UTF8.self) }
    /// Standard error as text.
    public var errorText: String { String(decoding: errors, as: UTF8.self) }
  }

  /// Held from the making of descriptors until a program has been started, so that a program that
  /// another test starts meanwhile does not inherit them and keep them open.
  static let startLock = Mutex(())

  private let id: pid_t
  private var status: Int32?

  /// Starts a program; to be called with `startLock` held.
  ///
  /// - Parameter environment: The whole environment of the program.
  /// - Parameter folder: Its working folder; nil for that of the test.
  /// - Parameter ownsTerminal: Whether it leads a session of its own, of which the first terminal
  ///   that is opened becomes the controlling terminal.
  /// - Parameter prepare: Adds the actions that give it its descriptors.
  init(
    _ executable: String, _ arguments: [String], environment: [String: String],
    folder: String? = nil, ownsTerminal: Bool = false,
    prepare: (inout posix_spawn_file_actions_t) -> Void
  ) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    prepare(&actions)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    // 0x80 is POSIX_SPAWN_SETSID, which the Glibc module does not show.
    let flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | (ownsTerminal ? 0x80 : 0)
    posix_spawnattr_setflags(&attributes, Int16(flags))

    // The Glibc module does not show the spawn action that changes the folder.
    let command = (folder.map { ["/usr/bin/env", "-C", $0] } ?? []) + [executable] + arguments
    let argumentPointers = command.map { strdup($0) } + [nil]
    let environmentPointers =
      environment.sorted { $0.key < $1.key }.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer {
      for pointer in argumentPointers + environmentPointers {
        free(pointer)
      }
    }
    var id: pid_t = 0
    let result = posix_spawn(
      &id, command[0], &actions, &attributes, argumentPointers, environmentPointers)
    precondition(result == 0, "cannot start \(executable): errno \(result)")
    self.id = id
  }

  deinit {
    if status == nil {
      kill(id, SIGKILL)
      _ = wait()
    }
  }

  /// Sends a signal, unless the program has ended.
  public func send(_ signal: Int32) {
    if status == nil {
      kill(id, signal)
    }
  }

  /// Waits for the end; returns the exit code, or 128 and the number of the signal.
  public func wait() -> Int32 {
    if let status {
      return status
    }
    var raw: Int32 = 0
    while waitpid(id, &raw, 0) < 0 && errno == EINTR {}
    // The layout of the value that waitpid gives: signal in 7 bits, exit code in the second byte.
    let signal = raw & 0x7F
    let code = signal == 0 ? (raw >> 8) & 0xFF : 128 + signal
    status = code
    return code
  }

  /// The environment of the test without what changes the output of programs.
  public static let plainEnvironment = [
    "PATH": getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin",
    "HOME": "/nonexistent", "LC_ALL": "C.UTF-8",
  ]
}

extension Process {
  /// Runs a program to its end.
  ///
  /// - Parameter input: Bytes for its standard input, which is closed after them.
  /// - Parameter environment: Its whole environment.
  /// - Parameter folder: Its working folder; nil for that of the test.
  /// - Parameter timeoutSeconds: It is killed if it takes longer.
  public static func run(
    _ executable: String, _ arguments: [String] = [], input: [UInt8] = [],
    environment: [String: String] = plainEnvironment, folder: String? = nil,
    timeoutSeconds: Double = 30
  ) -> Result {
    let (process, pipes) = startLock.withLock { _ in
      let pipes = StandardPipes()
      let process = Process(executable, arguments, environment: environment, folder: folder) {
        posix_spawn_file_actions_adddup2(&$0, pipes.input.readEnd, 0)
        posix_spawn_file_actions_adddup2(&$0, pipes.output.writeEnd, 1)
        posix_spawn_file_actions_adddup2(&$0, pipes.errors.writeEnd, 2)
      }
      pipes.input.closeReadEnd()
      pipes.output.closeWriteEnd()
      pipes.errors.closeWriteEnd()
      return (process, pipes)
    }
    var exchange = Exchange(input: input, pipes: pipes)
    let isFinished = exchange.run(until: Clock.seconds + timeoutSeconds)
    if !isFinished {
      process.send(SIGKILL)
    }
    return Result(
      status: process.wait(), output: exchange.output, errors: exchange.errors,
      hasTimedOut: !isFinished)
  }
}

/// The monotonic clock.
enum Clock {
  static var seconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Milliseconds from now to a time of `seconds`, for poll.
  static func milliseconds(until end: Double) -> Int32 {
    Int32(min(max(0, (end - seconds) * 1000), 1_000_000).rounded(.up))
  }
}

/// A pipe whose ends are not inherited and are closed with it.
private final class Pipe {
  private(set) var readEnd: Int32
  private(set) var writeEnd: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    precondition(pipe(&ends) == 0, "no pipe: errno \(errno)")
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    readEnd = ends[0]
    writeEnd = ends[1]
  }

  deinit {
    closeReadEnd()
    closeWriteEnd()
  }

  func closeReadEnd() {
    if readEnd >= 0 {
      close(readEnd)
      readEnd = -1
    }
  }

  func closeWriteEnd() {
    if writeEnd >= 0 {
      close(writeEnd)
      writeEnd = -1
    }
  }
}

private struct StandardPipes {
  let input = Pipe()
  let output = Pipe()
  let errors = Pipe()
}

/// Feeds a program and collects what it says, all at once, so that neither side waits for ever.
private struct Exchange {
  private var input: ArraySlice<UInt8>
  private let pipes: StandardPipes
  private(set) var output: [UInt8] = []
  private(set) var errors: [UInt8] = []

  init(input: [UInt8], pipes: StandardPipes) {
    self.input = input[...]
    self.pipes = pipes
    // A program may end without having read its input; its status tells.
    signal(SIGPIPE, SIG_IGN)
    _ = fcntl(pipes.input.writeEnd, F_SETFL, O_NONBLOCK)
  }

  /// Returns false if the program still has its output open at `end`.
  mutating func run(until end: Double) -> Bool {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while pipes.output.readEnd >= 0 || pipes.errors.readEnd >= 0 {
      if input.isEmpty {
        pipes.input.closeWriteEnd()
      }
      var sources = [
        pollfd(fd: pipes.input.writeEnd, events: Int16(POLLOUT), revents: 0),
        pollfd(fd: pipes.output.readEnd, events: Int16(POLLIN), revents: 0),
        pollfd(fd: pipes.errors.readEnd, events: Int16(POLLIN), revents: 0),
      ]
      let count = poll(&sources, 3, Clock.milliseconds(until: end))
      if count == 0 {
        return false
      }
      guard count > 0 else { continue }
      if sources[0].revents != 0 {
        feed()
      }
      if sources[1].revents != 0 {
        Self.collect(from: pipes.output, into: &output, &chunk)
      }
      if sources[2].revents != 0 {
        Self.collect(from: pipes.errors, into: &errors, &chunk)
      }
    }
    return true
  }

  private mutating func feed() {
    let count = input.withUnsafeBytes { write(pipes.input.writeEnd, $0.baseAddress, $0.count) }
    if count >= 0 {
      input = input.dropFirst(count)
    } else if errno != EAGAIN && errno != EINTR {
      input = []
    }
  }

  private static func collect(from pipe: Pipe, into bytes: inout [UInt8], _ chunk: inout [UInt8]) {
    let count = read(pipe.readEnd, &chunk, chunk.count)
    if count > 0 {
      bytes += chunk[..<count]
    } else if count == 0 || errno != EINTR {
      pipe.closeReadEnd()
    }
  }
}
