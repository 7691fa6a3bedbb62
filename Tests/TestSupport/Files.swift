import Glibc

/// Whole files and folders, for tests: what cannot be read ends the test program.
public enum Files {
  /// The bytes of a file.
  public static func read(_ path: String) -> [UInt8] {
    guard let contents = contents(path) else {
      preconditionFailure("cannot read \(path): errno \(errno)")
    }
    return contents
  }

  /// The bytes of a file as text.
  public static func readText(_ path: String) -> String {
    String(decoding: read(path), as: UTF8.self)
  }

  /// The bytes of a file, or nil if it cannot be read.
  public static func contents(_ path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var contents: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = Glibc.read(file, &chunk, chunk.count), count != 0 {
      guard count > 0 else { return nil }
      contents += chunk[..<count]
    }
    return contents
  }

  /// Writes a file, replacing its contents.
  public static func write(_ contents: [UInt8], to path: String) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    precondition(file >= 0, "cannot write \(path): errno \(errno)")
    defer { close(file) }
    var start = 0
    while start < contents.count {
      let count = contents[start...].withUnsafeBytes {
        Glibc.write(file, $0.baseAddress, $0.count)
      }
      precondition(count > 0, "cannot write \(path): errno \(errno)")
      start += count
    }
  }

  /// Whether something with this path exists.
  public static func exists(_ path: String) -> Bool {
    access(path, F_OK) == 0
  }

  /// Whether the path is a folder, not a symbolic link to one.
  public static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// The names in a folder, sorted, without `.` and `..`; empty if it cannot be read.
  public static func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." {
        names.append(name)
      }
    }
    return names.sorted()
  }

  /// The paths of all files below a folder, relative to it, sorted; links to folders are files.
  public static func allFiles(below folder: String) -> [String] {
    names(in: folder).flatMap { name in
      isFolder("\(folder)/\(name)")
        ? allFiles(below: "\(folder)/\(name)").map { "\(name)/\($0)" } : [name]
    }
  }
}
