import CLinux
import Glibc

/// A regular file of the operating system, open for reading and writing.
public final class DiskFile: FileBackend {
  /// The descriptor.
  public let descriptor: Int32
  /// Size of the file.
  public private(set) var byteCount: Int
  /// Whether nobody needs what is written after a crash: then `sync` does not wait.
  var isTemporary = false
  /// Bytes that have been written since the last sync, or since the disk was asked to begin.
  private var lateByteCount = 0

  /// Opens a file; `creating` makes a new one, and fails if there is one.
  ///
  /// - Throws: `system`, `notAFile`.
  public convenience init(path: String, creating: Bool = false) throws(StorageError) {
    let flags = O_RDWR | O_CLOEXEC | (creating ? O_CREAT | O_EXCL : 0)
    var opened: Int32
    repeat { opened = open(path, flags, 0o644) } while opened < 0 && errno == EINTR
    guard opened >= 0 else { throw .system(.open, errno) }
    try self.init(descriptor: opened)
  }

  /// Takes over an open file.
  ///
  /// - Throws: `system`, `notAFile`; the descriptor is closed then.
  init(descriptor: Int32) throws(StorageError) {
    self.descriptor = descriptor
    do throws(StorageError) {
      let status = try Syscalls.status(of: descriptor)
      guard status.isRegularFile else { throw .notAFile }
      byteCount = status.byteCount
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// Makes a file in memory, which is gone when it is closed.
  ///
  /// - Throws: `system`.
  public init(inMemory name: String) throws(StorageError) {
    let closeOnExec: UInt32 = 1
    descriptor = memfd_create(name, closeOnExec)
    byteCount = 0
    guard descriptor >= 0 else { throw .system(.open, errno) }
  }

  deinit { close(descriptor) }

  /// Writes bytes at an offset; if they are many the disk begins with them at once.
  public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
    var done = 0
    while done < bytes.count, let base = bytes.baseAddress {
      let most = min(bytes.count - done, DiskFile.mostLateByteCount)
      let count = pwrite(descriptor, base + done, most, offset + done)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .system(.write, count < 0 ? errno : EIO) }
      done += count
      lateByteCount += count
      if lateByteCount >= DiskFile.mostLateByteCount { startWriting(before: offset + done) }
    }
    byteCount = max(byteCount, offset + bytes.count)
  }

  private static let mostLateByteCount = 1 << 21

  /// Lets the disk begin with the last bytes up to an offset.
  private func startWriting(before end: Int) {
    let startOnly: UInt32 = 2
    // A hint: what it does not do, the next sync does.
    if !isTemporary {
      _ = sync_file_range(
        descriptor, off_t(max(0, end - lateByteCount)), off_t(lateByteCount), startOnly)
    }
    lateByteCount = 0
  }

  /// Asks for the size anew, which another process may have changed.
  public func measure() throws(StorageError) {
    // Asking for the status would make Linux note a new time of change with the next write, which
    // then has to reach the disk with each commit: one more wait.
    let end = lseek(descriptor, 0, SEEK_END)
    guard end >= 0 else { throw .system(.status, errno) }
    byteCount = end
  }

  /// Makes the file longer; the next `sync` covers its size.
  public func extend(to byteCount: Int) throws(StorageError) {
    guard byteCount > self.byteCount else { return }
    // Not all file systems can take room in advance; the size is what matters.
    let number = posix_fallocate(descriptor, self.byteCount, byteCount - self.byteCount)
    if number == EOPNOTSUPP || number == EINVAL {
      guard ftruncate(descriptor, byteCount) == 0 else { throw .system(.resize, errno) }
    } else if number != 0 {
      // A full disk can have given a part of the room.
      _ = ftruncate(descriptor, self.byteCount)
      throw .system(.resize, number)
    }
    self.byteCount = byteCount
  }

  /// Waits until all bytes, and the size of the file, are on the disk; times do not matter.
  public func sync() throws(StorageError) {
    lateByteCount = 0
    if isTemporary { return }
    while fdatasync(descriptor) != 0 { if errno != EINTR { throw .system(.sync, errno) } }
  }
}
