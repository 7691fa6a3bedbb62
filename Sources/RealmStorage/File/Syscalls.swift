import CLinux
import Glibc

/// Which file something is, whatever its path.
struct FileIdentity: Hashable {
  var device: UInt
  var inode: UInt

  /// No file.
  static let none = FileIdentity(major: 0, minor: 0, inode: 0)

  /// The number of the device is put together as the C library does it.
  init(major: UInt32, minor: UInt32, inode: UInt) {
    let (major, minor) = (UInt(major), UInt(minor))
    let low = minor & 0xFF | (major & 0xFFF) << 8
    device = low | (minor & ~0xFF) << 12 | (major & ~0xFFF) << 32
    self.inode = inode
  }
}

/// The system calls of the storage layer, each in one place, with typed errors.
enum Syscalls {
  /// What the system tells about a file.
  ///
  /// Times are not asked for: Linux would note a new time of change with the next write, and then
  /// has to write that to the disk too with each commit.
  struct Status {
    var isRegularFile: Bool
    var byteCount: Int
    var identity: FileIdentity

    init(_ status: statx) {
      isRegularFile = mode_t(status.stx_mode) & S_IFMT == S_IFREG
      byteCount = Int(status.stx_size)
      identity = FileIdentity(
        major: status.stx_dev_major, minor: status.stx_dev_minor, inode: UInt(status.stx_ino))
    }
  }

  /// The fields `STATX_TYPE`, `STATX_INO`, `STATX_SIZE`, and a path that may be empty.
  private static let statusFields: UInt32 = 0x1 | 0x100 | 0x200
  private static let emptyPath: Int32 = 0x1000

  /// `O_NOATIME` of Linux, which the Glibc module does not show.
  private static let noAccessTime: Int32 = 0o1_000_000

  /// Opens a file; without touching its access time, where the owner allows that.
  static func openForReading(_ path: String) throws(StorageError) -> Int32 {
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK
    while true {
      var descriptor = open(path, flags | noAccessTime)
      if descriptor < 0, errno == EPERM { descriptor = open(path, flags) }
      if descriptor >= 0 { return descriptor }
      if errno != EINTR { throw .system(.open, errno) }
    }
  }

  static func status(of descriptor: Int32) throws(StorageError) -> Status {
    var buffer = statx()
    guard statx(descriptor, "", emptyPath, statusFields, &buffer) == 0 else {
      throw .system(.status, errno)
    }
    return Status(buffer)
  }

  static func status(ofPath path: String) throws(StorageError) -> Status {
    var buffer = statx()
    guard statx(AT_FDCWD, path, 0, statusFields, &buffer) == 0 else {
      throw .system(.status, errno)
    }
    return Status(buffer)
  }

  /// Maps a file for reading, shared with whoever writes it.
  static func mapForReading(
    _ descriptor: Int32, byteCount: Int
  ) throws(StorageError) -> UnsafeMutableRawPointer {
    guard let address = mmap(nil, byteCount, PROT_READ, MAP_SHARED, descriptor, 0),
      address != MAP_FAILED
    else { throw .system(.map, errno) }
    return address
  }
}

extension Syscalls {
  /// The folder that a path is in.
  static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
  }

  /// The path of a file with all links followed.
  static func resolved(_ path: String) throws(StorageError) -> String {
    guard let resolved = realpath(path, nil) else { throw .system(.open, errno) }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Makes the creation of a file durable.
  static func syncFolder(of path: String) throws(StorageError) {
    let descriptor = open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(.open, errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .system(.sync, errno) }
  }
}

extension Syscalls {
  /// Whether a thread is the calling one.
  static func isThisThread(_ id: pid_t) -> Bool {
    // "4711/task/4712". Source: proc(5).
    var target = [CChar](repeating: 0, count: 64)
    let count = readlink("/proc/thread-self", &target, target.count)
    let bytes = target.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
    let path = String(decoding: bytes, as: UTF8.self)
    return path.split(separator: "/").last.flatMap { pid_t($0) } == id
  }

  /// The process that a thread belongs to; nil if there is no such thread here.
  static func process(ofThread id: pid_t) -> pid_t? {
    let descriptor = open("/proc/\(id)/status", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = read(descriptor, &bytes, bytes.count)
    let lines = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n")
    let line = lines.first { $0.hasPrefix("Tgid:") }
    return line.flatMap { pid_t($0.dropFirst(5).drop { $0 == "\t" || $0 == " " }) }
  }
}
