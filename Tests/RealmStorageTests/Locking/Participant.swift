import Glibc
import Synchronization
import TestSupport

/// A `LockProbe` in a process of its own: takes commands, answers each with a line.
final class Participant {
  private let id: pid_t
  private let input: Int32
  private let output: Int32
  private var received: [UInt8] = []
  private var hasEnded = false

  /// Held while descriptors are made and inherited, so that no other participant keeps them open.
  private static let startLock = Mutex(())

  init(_ realmPath: String) {
    (id, input, output) = Self.startLock.withLock { _ in
      var inputEnds: [Int32] = [-1, -1]
      var outputEnds: [Int32] = [-1, -1]
      precondition(pipe(&inputEnds) == 0 && pipe(&outputEnds) == 0, "no pipe: errno \(errno)")
      for end in inputEnds + outputEnds { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      posix_spawn_file_actions_adddup2(&actions, inputEnds[0], 0)
      posix_spawn_file_actions_adddup2(&actions, outputEnds[1], 1)
      let executable = Fixtures.executable("LockProbe")
      let arguments = [strdup(executable), strdup(realmPath), nil]
      defer { for argument in arguments { free(argument) } }
      var id: pid_t = 0
      let result = posix_spawn(&id, executable, &actions, nil, arguments, [nil])
      precondition(result == 0, "cannot start LockProbe: errno \(result)")
      close(inputEnds[0])
      close(outputEnds[1])
      return (id, inputEnds[1], outputEnds[0])
    }
    signal(SIGPIPE, SIG_IGN)
  }

  deinit {
    kill()
    close(input)
    close(output)
  }

  /// Sends a command without waiting for the answer.
  func send(_ command: String) {
    let line = Array("\(command)\n".utf8)
    _ = write(input, line, line.count)
  }

  /// The next answer; "(silence)" if none comes in time, "(dead)" if the process has ended.
  func answer(withinMilliseconds limit: Int32 = 20_000) -> String {
    var chunk = [UInt8](repeating: 0, count: 1024)
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        defer { received.removeFirst(end + 1) }
        return String(decoding: received[..<end], as: UTF8.self)
      }
      var source = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      guard poll(&source, 1, limit) > 0 else { return "(silence)" }
      let count = read(output, &chunk, chunk.count)
      guard count > 0 else {
        wait()
        return "(dead)"
      }
      received += chunk[..<count]
    }
  }

  /// Runs a command and returns the answer.
  @discardableResult
  func callAsFunction(_ command: String, withinMilliseconds limit: Int32 = 20_000) -> String {
    send(command)
    return answer(withinMilliseconds: limit)
  }

  /// Kills the process as the system would, without a last word.
  func kill() {
    guard !hasEnded else { return }
    Glibc.kill(id, SIGKILL)
    wait()
  }

  /// Kills the process and returns its last answer, which it may have given at any time before.
  func killForLastAnswer() -> String? {
    kill()
    var last: String?
    while true {
      let next = answer()
      if next == "(dead)" { return last }
      last = next
    }
  }

  private func wait() {
    guard !hasEnded else { return }
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 && errno == EINTR {}
    hasEnded = true
  }
}
