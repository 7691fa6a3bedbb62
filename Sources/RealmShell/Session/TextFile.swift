import ByteKernels
import Glibc
import RealmLanguage

/// A path that stays right when the folder is changed.
///
/// Behind the folder stands `/./`, so that `shownPath` can tell where the given path begins.
func absolutePath(_ path: String) -> String {
  guard !path.hasPrefix("/"), let folder = presentFolder() else { return path }
  return folder + "/./" + path
}

/// A path for people: as it was given as long as that is right, else without the mark of
/// `absolutePath`.
func shownPath(_ path: String) -> String {
  guard path.hasPrefix("/"), let folder = presentFolder() else { return path }
  let prefix = folder + "/./"
  if path.hasPrefix(prefix) { return String(path.dropFirst(prefix.count)) }
  return path.replacing("/./", with: "/")
}

/// The folder that relative paths begin at, without a slash at the end; nil if it is gone.
private func presentFolder() -> String? {
  guard let folder = getcwd(nil, 0) else { return nil }
  defer { free(folder) }
  let text = String(cString: folder)
  return text == "/" ? "" : text
}

/// Whole text files, read for running.
enum TextFile {
  /// Most bytes of a file that is read whole.
  private static let maximumByteCount = 16 << 30
  /// The same for what is no file: a device may have no end.
  private static let maximumByteCountOfDevice = 256 << 20

  /// Reads a file, or standard input if the path is `-`.
  ///
  /// - Throws: `ShellError`: the file cannot be read, is too large, or the user interrupts.
  static func read(
    _ path: String, shownAs name: String, at range: SourceRange? = nil
  ) throws(ShellError) -> [UInt8] {
    let descriptor =
      path == "-" ? STDIN_FILENO : try repeatingCall { open(path, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else {
      let number = errno
      throw StorageMessages.danglingLink(path, shownAs: name, at: range)
        ?? ShellError(
          ErrorName(systemError: number),
          "cannot read \(name): \(StorageMessages.systemText(number))", at: range)
    }
    defer { if path != "-" { close(descriptor) } }
    var result: [UInt8] = []
    var status = stat()
    let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    let maximumByteCount = isFile ? maximumByteCount : maximumByteCountOfDevice
    if isFile { result.reserveCapacity(max(0, min(Int(status.st_size), maximumByteCount))) }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = try repeatingCall { Glibc.read(descriptor, &buffer, buffer.count) }
      guard count >= 0 else {
        throw ShellError(
          .fileOperationFailed, "cannot read \(name): \(StorageMessages.systemText(errno))",
          at: range)
      }
      if count == 0 { return result }
      guard result.count + count <= maximumByteCount else {
        throw ShellError(
          .limitExceeded, "\(name) has more than \(maximumByteCount >> 20) MiB", at: range)
      }
      try Interruption.check()
      result += buffer[..<count]
    }
  }

  /// The folder of a path.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
