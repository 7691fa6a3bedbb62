import Glibc

/// A pipe by which a thread that has finished something wakes the one that waits for keys.
final class WakePipe: Sendable {
  /// Readable when there is something.
  let readEnd: Int32
  private let writeEnd: Int32

  /// nil when the process has no descriptor left.
  init?() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  /// Wakes the reader; a pipe that is full has done so already.
  func wake() {
    var byte: UInt8 = 0
    _ = write(writeEnd, &byte, 1)
  }

  /// Takes what has come.
  func clear() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(readEnd, &bytes, bytes.count) > 0 {}
  }
}
