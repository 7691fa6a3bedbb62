import CLinux
import Glibc

/// Tells when another process, or another thread, has committed to a file.
///
/// Every writer puts a byte into the FIFO beside the file, if there is one. Nobody takes bytes out
/// but the next writer, so that each of them is an event for all who listen.
///
/// Source: file-format-writing.md 6.1, 6.6 (5i).
public final class ChangeListener {
  private let fifo: Int32
  /// Becomes readable when something was committed; see `clear`.
  public let descriptor: Int32

  /// Listens to the commits to a file from now on; makes the FIFO if there is none.
  ///
  /// - Throws: `StorageError.system` if there is no FIFO and none can be made.
  public init(realmPath: String) throws(StorageError) {
    let path = realmPath + ".note"
    if mkfifo(path, 0o666) != 0, errno != EEXIST { throw .system(.open, errno) }
    fifo = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
    guard fifo >= 0 else { throw .system(.open, errno) }
    var status = stat()
    guard fstat(fifo, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else {
      close(fifo)
      throw .system(.open, ENXIO)
    }
    descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    var event = epoll_event()
    // Only arrivals count: what lies in the FIFO may stay there.
    event.events = EPOLLIN.rawValue | EPOLLET.rawValue
    guard descriptor >= 0, epoll_ctl(descriptor, EPOLL_CTL_ADD, fifo, &event) == 0 else {
      let code = errno
      if descriptor >= 0 { close(descriptor) }
      close(fifo)
      throw .system(.open, code)
    }
  }

  /// Forgets the events so far; to be called before looking for a newer version.
  public func clear() {
    var event = epoll_event()
    while epoll_wait(descriptor, &event, 1, 0) > 0 {}
  }

  deinit {
    close(descriptor)
    close(fifo)
  }
}
