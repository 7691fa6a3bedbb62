import ByteKernels
import Glibc
import RealmLanguage

/// Files that results are written to: a new file beside the target takes its place when it is whole.
enum OutputFile {
  /// Writes a whole file.
  static func write(
    _ bytes: [UInt8], to path: String, for session: Session, at range: SourceRange
  ) throws(ShellError) {
    try write(to: path, for: session, at: range) { (writer) throws(ShellError) in
      writer.write(bytes)
    }
  }

  /// Writes a file with what `body` prints; nothing is left behind if it fails.
  static func write(
    to path: String, for session: Session, at range: SourceRange,
    _ body: (ByteWriter) throws(ShellError) -> Void
  ) throws(ShellError) {
    try session.permitWriting(to: path, at: range)
    // Links are written through: /dev/stdout is one, and a file in its place would replace it.
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      try fill(path, range, body)
      return
    }
    try replace(path, shownAs: path, at: range) { (_, descriptor) throws(ShellError) in
      try write(body, to: descriptor, shownAs: path, range)
    }
  }

  /// Runs `body` with the name and the descriptor of an empty file, which takes the place of the one at
  /// a path afterwards; nothing is left behind if it fails.
  ///
  /// What a killed program has left under that name is removed: nobody holds its lock.
  static func replace<Result>(
    _ path: String, shownAs shown: String, at range: SourceRange,
    _ body: (String, Int32) throws(ShellError) -> Result
  ) throws(ShellError) -> Result {
    let unfinished = path + ".realmsh-tmp"
    let descriptor = try makeLocked(unfinished, shownAs: shown, range)
    defer { close(descriptor) }
    return try UnfinishedFile.during(unfinished) { () throws(ShellError) in
      do throws(ShellError) {
        let result = try body(unfinished, descriptor)
        guard rename(unfinished, path) == 0 else { throw failed(shown, errno, range) }
        return result
      } catch {
        unlink(unfinished)
        throw error
      }
    }
  }

  private static func makeLocked(
    _ name: String, shownAs shown: String, _ range: SourceRange
  ) throws(ShellError) -> Int32 {
    while true {
      let descriptor = try repeatingCall {
        open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      }
      if descriptor >= 0 {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0, areSame(name, descriptor) {
          return descriptor
        }
        // Another program has taken it for an abandoned one.
        close(descriptor)
        continue
      }
      guard errno == EEXIST else { throw failed(shown, errno, range) }
      let other = try repeatingCall {
        open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      }
      if other < 0, errno == ENOENT { continue }
      guard other >= 0 else { throw failed(name, errno, range) }
      defer { close(other) }
      guard flock(other, LOCK_EX | LOCK_NB) == 0 else {
        throw ShellError(
          .fileOperationFailed, "another statement is writing \(shown)", at: range)
      }
      guard isRegular(other) else { throw failed(name, EEXIST, range) }
      guard !areSame(name, other) || unlink(name) == 0 else { throw failed(name, errno, range) }
    }
  }

  private static func isRegular(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Writes through a link or into a device.
  private static func fill(
    _ path: String, _ range: SourceRange, _ body: (ByteWriter) throws(ShellError) -> Void
  ) throws(ShellError) {
    let descriptor = try repeatingCall {
      open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_TRUNC, 0o666)
    }
    guard descriptor >= 0 else { throw failed(path, errno, range) }
    do throws(ShellError) {
      try write(body, to: descriptor, shownAs: path, range)
    } catch {
      close(descriptor)
      throw error
    }
    guard close(descriptor) == 0 else { throw failed(path, errno, range) }
  }

  private static func write(
    _ body: (ByteWriter) throws(ShellError) -> Void, to descriptor: Int32, shownAs path: String,
    _ range: SourceRange
  ) throws(ShellError) {
    let writer = ByteWriter(descriptor: descriptor)
    try body(writer)
    writer.flush()
    if let failure = writer.failure { throw failed(path, failure, range) }
  }

  /// Whether there is a file that is not empty.
  static func hasContent(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_size > 0
  }

  /// Adds to the end of a file.
  static func append(
    to path: String, for session: Session, at range: SourceRange,
    _ body: (ByteWriter) throws(ShellError) -> Void
  ) throws(ShellError) {
    try session.permitWriting(to: path, at: range)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw failed(path, errno, range) }
    defer { close(descriptor) }
    try write(body, to: descriptor, shownAs: path, range)
  }

  static func failed(_ path: String, _ number: Int32, _ range: SourceRange) -> ShellError {
    ShellError(
      ErrorName(systemError: number),
      "cannot write \(path): \(StorageMessages.systemText(number))", at: range)
  }
}
