import Glibc

/// An open lock file and the `flock` on it; closing drops the lock.
///
/// Source: file-format-writing.md 6.2.
final class LockDescriptor {
  let path: String
  private let descriptor: Int32

  /// Opens the file, creates it empty if it does not exist.
  ///
  /// - Throws: `system`, `notAFile`.
  init(path: String) throws(LockError) {
    self.path = path
    var descriptor: Int32
    repeat {
      descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o644)
    } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else {
      throw errno == EISDIR || errno == ENXIO ? .notAFile : .system(.open, errno)
    }
    self.descriptor = descriptor
    guard try status().isRegularFile else { throw .notAFile }
  }

  deinit { close(descriptor) }

  /// The path of the lock file of a realm. Source: file-format-writing.md 6.1.
  static func path(ofRealm path: String) -> String { path + ".lock" }

  /// Takes the lock if nobody else has any; returns whether that worked.
  func tryExclusive() throws(LockError) -> Bool { try tryFlock(LOCK_EX) }

  /// Takes a shared lock if nobody has the exclusive one; an exclusive lock becomes a shared one.
  func tryShared() throws(LockError) -> Bool { try tryFlock(LOCK_SH) }

  /// Drops the lock.
  func unlock() throws(LockError) {
    guard flock(descriptor, LOCK_UN) == 0 else { throw .system(.lock, errno) }
  }

  private func tryFlock(_ operation: Int32) throws(LockError) -> Bool {
    while flock(descriptor, operation | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      if errno != EINTR { throw .system(.lock, errno) }
    }
    return true
  }

  func status() throws(LockError) -> Syscalls.Status {
    do {
      return try Syscalls.status(of: descriptor)
    } catch {
      throw .system(.status, errno)
    }
  }

  /// Whether the path still leads to this file.
  func isCurrent() throws(LockError) -> Bool {
    guard let current = try? Syscalls.status(ofPath: path) else { return false }
    let own = try status()
    return current.identity == own.identity
  }

  func truncate() throws(LockError) {
    guard ftruncate(descriptor, 0) == 0 else { throw .system(.resize, errno) }
  }

  /// Makes the file as long as this and reserves the space, so that storing in a mapping of it
  /// cannot fail on a full disk.
  func reserve(byteCount: Int) throws(LockError) {
    var result: Int32
    repeat { result = posix_fallocate(descriptor, 0, byteCount) } while result == EINTR
    guard result == 0 else { throw .system(.resize, result) }
  }

  func map(byteCount: Int) throws(LockError) -> UnsafeMutableRawPointer {
    guard
      let address = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
      address != MAP_FAILED
    else { throw .system(.map, errno) }
    return address
  }

  /// The id of a process that has a lock on the file, preferably not this one; nil if unknown.
  func holder() -> Int32? {
    guard let status = try? status() else { return nil }
    return LockTable.holder(device: status.identity.device, inode: status.identity.inode)
  }

  /// The id of another process that has a realm open; nil if unknown.
  static func participant(ofRealm realmPath: String) -> Int32? {
    let holder = (try? LockDescriptor(path: path(ofRealm: realmPath)))?.holder()
    return holder == getpid() ? nil : holder
  }
}

extension LockFile {
  /// The id of another process that takes part in the session; nil if unknown.
  var otherParticipant: Int32? {
    let holder = descriptor.holder()
    return holder == getpid() ? nil : holder
  }
}

/// The programs that run on this machine.
public enum RunningProgram {
  /// The name of the program of a process; nil if the process has ended or the system does not tell.
  ///
  /// Source: proc(5).
  public static func name(ofProcess id: Int32) -> String? {
    let descriptor = open("/proc/\(id)/comm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    // A name has at most 15 bytes and ends with a line feed.
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &bytes, bytes.count)
    // Any program can give itself a name that a terminal would obey.
    let name = bytes.prefix(max(0, count)).filter { $0 >= 0x20 && $0 != 0x7F }
    return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
  }
}

/// The system's table of locks.
enum LockTable {
  /// Finds a process with an `flock` on a file.
  ///
  /// A line is `1: FLOCK  ADVISORY  WRITE 28385 fe:00:16220183 0 EOF`, with the device in
  /// hexadecimal; a process that waits has `->` after the number. Source: proc(5).
  static func holder(device: UInt, inode: UInt) -> Int32? {
    let major = (device >> 8) & 0xFFF
    let minor = (device & 0xFF) | ((device >> 12) & 0xFFF00)
    var own: Int32?
    for line in text().split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count >= 6, words[1] == "FLOCK", let id = Int32(words[4]), id > 0
      else { continue }
      let place = words[5].split(separator: ":")
      guard place.count == 3, UInt(place[0], radix: 16) == major,
        UInt(place[1], radix: 16) == minor, UInt(place[2]) == inode
      else { continue }
      if id != getpid() { return id }
      own = id
    }
    return own
  }

  private static func text() -> String {
    let descriptor = open("/proc/locks", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while case let count = read(descriptor, &chunk, chunk.count), count > 0 {
      bytes += chunk[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
