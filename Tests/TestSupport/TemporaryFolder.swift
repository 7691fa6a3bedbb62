import Glibc

/// A folder for one test, removed with all its contents when the object dies.
public final class TemporaryFolder {
  /// Absolute path without a slash at the end.
  public let path: String

  /// Makes an empty folder below TMPDIR or `/tmp`.
  public init() {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/realmsh-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      preconditionFailure("no temporary folder in \(parent): errno \(errno)")
    }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit {
    Self.remove(path)
  }

  /// The path of a file in the folder.
  public func file(_ name: String) -> String {
    "\(path)/\(name)"
  }

  /// Writes a file and returns its path.
  @discardableResult
  public func write(_ contents: [UInt8], to name: String) -> String {
    Files.write(contents, to: file(name))
    return file(name)
  }

  /// Copies a file from elsewhere into the folder and returns the path of the copy.
  @discardableResult
  public func copy(_ source: String, as name: String) -> String {
    write(Files.read(source), to: name)
  }

  private static func remove(_ path: String) {
    if Files.isFolder(path) {
      chmod(path, 0o700)
      for name in Files.names(in: path) {
        remove("\(path)/\(name)")
      }
      rmdir(path)
    } else {
      unlink(path)
    }
  }
}
