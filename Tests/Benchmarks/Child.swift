import Glibc

/// A program that is measured from outside.
struct Child {
  /// What one run has taken.
  struct Usage {
    /// Milliseconds of wall clock from before the start to after the end.
    var wall = 0.0
    /// Milliseconds of processor time, user and system.
    var processor = 0.0
    /// Most bytes resident at once that are no pages of mapped files; 0 unless watched.
    var peakBytes = 0
    var hasSucceeded = false
  }

  let path: String
  let arguments: [String]

  init(_ path: String, _ arguments: [String]) {
    self.path = path
    self.arguments = arguments
  }

  /// The program of a name on the search path; nil if there is none.
  static func find(_ name: String) -> String? {
    let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    return folders.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  /// The program beside this one; nil if it is not built.
  static func beside(_ name: String) -> String? {
    guard let own = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(own) }
    let folders = String(cString: own).split(separator: "/").dropLast()
    let path = "/\(folders.joined(separator: "/"))/\(name)"
    return access(path, X_OK) == 0 ? path : nil
  }

  /// Runs the program with its output thrown away.
  ///
  /// - Parameter watchesMemory: Whether its memory is looked at every millisecond.
  func run(watchesMemory: Bool = false) -> Usage {
    let sink = open("/dev/null", O_WRONLY)
    defer { close(sink) }
    var usage = Usage()
    let begin = Sample.now()
    guard let id = start(output: sink) else { return usage }
    var status: Int32 = 0
    var resources = rusage()
    while wait4(id, &status, watchesMemory ? WNOHANG : 0, &resources) == 0 {
      usage.peakBytes = max(usage.peakBytes, residentBytes(of: id))
      usleep(1000)
    }
    usage.wall = Sample.now() - begin
    for time in [resources.ru_utime, resources.ru_stime] {
      usage.processor += Double(time.tv_sec) * 1e3 + Double(time.tv_usec) / 1e3
    }
    usage.hasSucceeded = status == 0
    return usage
  }

  /// Runs the program and returns what it has written; nil if it failed.
  func output() -> String? {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return nil }
    defer { close(ends[0]) }
    let id = start(output: ends[1])
    close(ends[1])
    let text = readAll(ends[0])
    var status: Int32 = 0
    guard let id, waitpid(id, &status, 0) == id, status == 0 else { return nil }
    return text
  }

  private func start(output: Int32) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var id: pid_t = 0
    return posix_spawn(&id, path, &actions, nil, words, environ) == 0 ? id : nil
  }

  /// Memory of a process that is its own: the heap, the stack, and mappings without a file.
  private func residentBytes(of id: pid_t) -> Int {
    let file = open("/proc/\(id)/status", O_RDONLY)
    guard file >= 0 else { return 0 }
    defer { close(file) }
    var total = 0
    for line in readAll(file).split(separator: "\n") {
      guard line.hasPrefix("RssAnon:") || line.hasPrefix("RssShmem:") else { continue }
      total += line.split(separator: " ").lazy.compactMap { Int($0) }.first ?? 0
    }
    return total * 1024
  }

  private func readAll(_ file: Int32) -> String {
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(file, &buffer, buffer.count)
      guard count > 0 else { return String(decoding: text, as: UTF8.self) }
      text += buffer[..<count]
    }
  }
}
