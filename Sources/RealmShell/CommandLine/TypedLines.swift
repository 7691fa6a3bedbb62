import Glibc

/// The lines typed on a terminal that does the editing itself.
///
/// Not the library's way to read lines, which goes on for ever once Ctrl-C has stopped a read.
struct TypedLines {
  /// What was read and not handed out yet.
  private var bytes: [UInt8] = []

  /// The next line with its newline, waited for; nil at the end.
  ///
  /// - Throws: `ShellError`: the user interrupts, which drops what came of the line, or the input
  ///   cannot be read.
  mutating func next() throws(ShellError) -> String? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      if let newline = bytes.firstIndex(of: 0x0A) { return take(newline + 1) }
      let count: Int
      do throws(ShellError) {
        try awaitInput()
        count = try repeatingCall { read(STDIN_FILENO, &buffer, buffer.count) }
      } catch {
        bytes.removeAll()
        throw error
      }
      guard count >= 0 else {
        throw ShellError(
          .fileOperationFailed, "cannot read the input: \(StorageMessages.systemText(errno))")
      }
      if count == 0 { return bytes.isEmpty ? nil : take(bytes.count) }
      bytes += buffer[..<count]
    }
  }

  /// Ctrl-C ends the wait also if it was pressed just before a read would begin, or if another
  /// thread has handled the signal.
  private func awaitInput() throws(ShellError) {
    var sources = [
      pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
      pollfd(fd: Interruption.pipe?.readEnd ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    repeat {
      _ = poll(&sources, nfds_t(sources.count), -1)
      try Interruption.check()
      if sources[1].revents != 0 { Interruption.pipe?.clear() }
    } while sources[0].revents == 0
  }

  private mutating func take(_ count: Int) -> String {
    defer { bytes.removeFirst(count) }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
