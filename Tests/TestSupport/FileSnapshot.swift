import Glibc

/// Everything about a file that a program could have changed.
public struct FileSnapshot: Equatable, Sendable, CustomStringConvertible {
  /// Size in bytes.
  public let size: Int64
  /// Nanoseconds since 1970 of the last change of the contents.
  public let modified: Int64
  /// Nanoseconds since 1970 of the last change of contents, name, owner or permissions.
  public let changed: Int64
  /// Type and permissions.
  public let mode: UInt32
  /// Number of the file in its file system.
  public let inode: UInt64
  /// FNV-1a of the contents; 0 for what is no regular file.
  public let hash: UInt64

  /// Takes the snapshot; nil if there is no such file.
  public init?(of path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    size = Int64(status.st_size)
    modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    changed = Int64(status.st_ctim.tv_sec) * 1_000_000_000 + Int64(status.st_ctim.tv_nsec)
    mode = status.st_mode
    inode = UInt64(status.st_ino)
    hash = status.st_mode & S_IFMT == S_IFREG ? Self.hash(of: Files.read(path)) : 0
  }

  /// The 64-bit FNV-1a hash of bytes.
  ///
  /// Source: draft-eastlake-fnv.
  public static func hash(of bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
  }

  /// The fields in one line.
  public var description: String {
    "size \(size), mtime \(modified), ctime \(changed), mode \(String(mode, radix: 8)), "
      + "inode \(inode), hash \(String(hash, radix: 16))"
  }
}

/// All files and folders below a folder, for tests that nothing is changed by reading.
public struct FolderSnapshot: Equatable, Sendable {
  private let files: [String: FileSnapshot]

  /// Takes the snapshot.
  public init(of folder: String) {
    var files = [".": FileSnapshot(of: folder)].compactMapValues { $0 }
    for name in Files.allFiles(below: folder) {
      files[name] = FileSnapshot(of: "\(folder)/\(name)")
    }
    self.files = files
  }

  /// What is different now: one line per file that was added, removed or changed.
  public func differences(to later: FolderSnapshot) -> [String] {
    Set(files.keys).union(later.files.keys).sorted().compactMap { name in
      switch (files[name], later.files[name]) {
      case (let before?, let now?): before == now ? nil : "\(name): \(before) -> \(now)"
      case (nil, _): "\(name): added"
      case (_, nil): "\(name): removed"
      }
    }
  }
}
