import Glibc

/// The statements entered so far, oldest first, and the file that keeps them.
///
/// The file holds one entry per line; a newline inside an entry is written `\n`, a backslash
/// `\\`. Each entry is added by one append, so that programs that run at the same time lose
/// nothing. Source: shell.md 21.
public struct LineHistory {
  /// Entries that are kept; the oldest make room for new ones.
  public let limit: Int
  /// The statements, oldest first.
  public private(set) var entries: [String] = []
  /// Statements that have failed in this run; the file does not tell.
  private var failed: Set<String> = []
  private let path: String?

  /// Creates a history and reads the file, if there is one.
  ///
  /// - Parameter path: The file, or nil to keep nothing beyond this run.
  public init(path: String?, limit: Int) {
    self.path = path
    self.limit = max(0, limit)
    if let path, let bytes = Self.contents(of: path) {
      entries = bytes.split(separator: UInt8(ascii: "\n")).suffix(self.limit).map(Self.decoded)
    }
  }

  /// Appends a statement, in memory and in the file, and tells whether it was taken.
  ///
  /// An empty statement, one that begins with a blank and an immediate repetition are not. A file
  /// that cannot be written is no reason to disturb the user: the entry stays in memory.
  @discardableResult
  public mutating func append(_ statement: String) -> Bool {
    guard limit > 0, let first = statement.utf8.first, first != UInt8(ascii: " "),
      first != UInt8(ascii: "\t"), statement != entries.last
    else { return false }
    if entries.count >= limit {
      entries.removeFirst(entries.count - limit + 1)
    }
    entries.append(statement)
    if let path {
      Self.append(Self.encoded(statement) + [UInt8(ascii: "\n")], to: path)
    }
    return true
  }

  /// Keeps in mind whether a statement has failed when it ran last: hints do not offer it then.
  public mutating func note(_ statement: String, hasFailed: Bool) {
    if hasFailed { failed.insert(statement) } else { failed.remove(statement) }
  }

  /// Whether a statement has failed when it ran last in this run.
  public func hasFailed(_ statement: String) -> Bool { failed.contains(statement) }

  /// Rewrites the file when it has grown a fifth beyond the limit; called when the program ends.
  public func trimFile() {
    guard limit > 0, let path, let bytes = Self.contents(of: path) else { return }
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    guard lines.count - limit > limit / 5 else { return }
    let kept = lines.suffix(limit).flatMap { $0 + [UInt8(ascii: "\n")] }
    let newPath = path + ".new"
    unlink(newPath)
    if Self.append(kept, to: newPath) {
      rename(newPath, path)
    }
  }

  // MARK: The form in the file

  static func encoded(_ statement: String) -> [UInt8] {
    var bytes: [UInt8] = []
    for byte in statement.utf8 {
      switch byte {
      case UInt8(ascii: "\n"): bytes += Array(#"\n"#.utf8)
      case UInt8(ascii: "\\"): bytes += Array(#"\\"#.utf8)
      default: bytes.append(byte)
      }
    }
    return bytes
  }

  static func decoded(_ line: ArraySlice<UInt8>) -> String {
    var bytes: [UInt8] = []
    var isEscaped = false
    for byte in line {
      if isEscaped {
        bytes.append(byte == UInt8(ascii: "n") ? UInt8(ascii: "\n") : byte)
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  // MARK: The file

  static func contents(of path: String) -> [UInt8]? {
    // Not to wait for the other end of a pipe.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    var contents: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65536)
    while case let count = read(file, &chunk, chunk.count), count > 0 {
      contents += chunk[..<count]
    }
    return contents
  }

  @discardableResult
  private static func append(_ bytes: [UInt8], to path: String) -> Bool {
    // Not to wait for the other end of a pipe, which would not be what is read here next time.
    let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK
    var file = open(path, flags, 0o600)
    if file < 0 && errno == ENOENT {
      createParentFolders(of: path)
      file = open(path, flags, 0o600)
    }
    guard file >= 0 else { return false }
    defer { close(file) }
    return write(file, bytes, bytes.count) == bytes.count
  }

  private static func createParentFolders(of path: String) {
    for slash in path.indices.dropFirst() where path[slash] == "/" {
      mkdir(String(path[..<slash]), 0o700)
    }
  }
}
