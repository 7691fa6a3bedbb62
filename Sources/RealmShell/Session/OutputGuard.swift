import Glibc
import RealmLanguage
import RealmObjects

/// What text must not be written to.
extension OutputFile {
  /// Why a file must not be replaced by text or get text appended, as what follows its name; nil if
  /// it may.
  ///
  /// - Parameter databases: The paths of the open databases.
  static func refusal(_ path: String, databases: [String]) -> String? {
    refusal(path, ofOpen: databases) ?? (isRealm(path) ? "is a Realm file" : nil)
      ?? (isSideFileOfRealm(path) ? "belongs to a Realm file" : nil)
  }

  /// The same for a file that is going to be a database.
  static func refusal(_ path: String, ofOpen databases: [String]) -> String? {
    for database in databases {
      if areSame(path, database) { return "is an open database" }
      if isSideFile(path, of: database) { return "belongs to an open database" }
    }
    return nil
  }

  /// Whether two paths lead to the same file.
  static func areSame(_ path: String, _ other: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && isSame(status, other)
  }

  /// Whether a path leads to the file of a descriptor.
  static func areSame(_ path: String, _ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      && isSame(status, path)
  }

  private static func isSame(_ status: stat, _ other: String) -> Bool {
    var otherStatus = stat()
    return stat(other, &otherStatus) == 0 && status.st_dev == otherStatus.st_dev
      && status.st_ino == otherStatus.st_ino
  }

  /// What is appended to the path of a database for the files beside it; the last one is a folder.
  private static let sideSuffixes = [".lock", ".note", ".management"]

  /// Whether a path is that of the lock file, the note or the management folder of a database, or
  /// leads to one of them or into the latter; none of them needs to exist.
  private static func isSideFile(_ path: String, of database: String) -> Bool {
    func name(_ path: String) -> Substring { path.split(separator: "/").last ?? "" }
    let folder = TextFile.folder(of: database)
    let own = name(database)
    let isBeside = sideSuffixes.contains { name(path) == own + $0 }
    let outer = TextFile.folder(of: path)
    return isBeside && areSame(outer, folder)
      || name(outer) == own + ".management" && areSame(TextFile.folder(of: outer), folder)
      || sideSuffixes.contains { areSame(path, database + $0) }
  }

  /// Whether a file is a Realm file that is not encrypted, or one that a program has used.
  private static func isRealm(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    // Bytes 16 to 19 of a file that is not encrypted. Source: file-format.md 3.1.
    var mark = [UInt8](repeating: 0, count: 4)
    return pread(file, &mark, 4, 16) == 4 && mark.elementsEqual("T-DB".utf8)
      || access(path + ".management", F_OK) == 0
  }

  /// Whether a path, or what it leads to, is named like a file beside a Realm file.
  private static func isSideFileOfRealm(_ path: String) -> Bool {
    [path, realPath(path) ?? path].contains { path in
      sideSuffixes.contains { path.hasSuffix($0) && isRealm(String(path.dropLast($0.count))) }
    }
  }
}

extension Session {
  /// Refuses to write text with `--safe`, and over a database or a file beside one.
  func permitWriting(to path: String, at range: SourceRange?) throws(ShellError) {
    try permit(path, at: range) { OutputFile.refusal($0, databases: $1) }
  }

  /// Refuses to make a copy with `--safe`, and over an open database.
  func permitCopying(to path: String, at range: SourceRange) throws(ShellError) {
    try permit(path, at: range) { OutputFile.refusal($0, ofOpen: $1) }
  }

  private func permit(
    _ path: String, at range: SourceRange?, _ refusal: (String, [String]) -> String?
  ) throws(ShellError) {
    guard !isSafe else {
      throw ShellError(.notSafe, "writing files is refused by --safe", at: range)
    }
    guard !path.utf8.contains(0) else {
      throw ShellError(.invalidArgument, "a path cannot contain a NUL", at: range)
    }
    if let reason = refusal(path, openPaths) {
      throw ShellError(.fileBusy, "\(path) \(reason)", at: range)
    }
  }

  /// The paths of the open databases.
  var openPaths: [String] {
    databases.filter { !$0.isInMemory }.map { $0.realm.path }
  }

  /// Refuses to open the file that results are written to.
  func refuseOutput(asDatabase path: String) throws(ShellError) {
    for descriptor in [outputDescriptor, outputTarget?.redirection.descriptor] {
      guard let descriptor, OutputFile.areSame(path, descriptor) else { continue }
      throw ShellError(.fileBusy, "\(shownPath(path)) is where results are written to")
    }
  }
}
