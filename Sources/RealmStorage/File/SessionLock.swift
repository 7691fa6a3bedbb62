import Glibc

/// Keeps all other processes, those with a genuine engine included, away from a file.
///
/// The lock is on the side file `PATH.lock`, which every opener locks for as long as it has the
/// database open. The side file is emptied, so that a process that waits for the lock takes what it
/// needs from the database and not from the remains of an earlier session. It is not deleted:
/// others could then lock another file of the same name.
///
/// Source: file-format-writing.md 6.4.
final class SessionLock {
  private let descriptor: Int32

  /// Takes the lock.
  ///
  /// - Throws: `rejected(.inUse)` if another process, or this one, has the file open; `system`.
  init(path: String) throws(StorageError) {
    let opened = open("\(path).lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard opened >= 0 else { throw .system(.lock, errno) }
    guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
      let number = errno
      close(opened)
      throw number == EWOULDBLOCK ? .rejected(.inUse) : .system(.lock, number)
    }
    descriptor = opened
    guard ftruncate(opened, 0) == 0 else { throw .system(.lock, errno) }
  }

  deinit { close(descriptor) }
}
