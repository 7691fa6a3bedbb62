import Glibc

/// A file that gets its name only when it is complete.
///
/// Where the file system can, it has no name before: then nothing is left of it, whatever ends the
/// program. Elsewhere it stands beside its place under another name, and is removed when it is given
/// up.
final class PendingFile {
  /// The open file, empty at first.
  let file: DiskFile
  let target: String
  /// Its name until it is published; nil if it has none.
  private var temporaryPath: String?

  /// Whether it was made under a name.
  private let isNamed: Bool

  /// `O_TMPFILE` of Linux, which the Glibc module does not show.
  private static let withoutName: Int32 = 0o20_000_000 | O_DIRECTORY

  /// Makes a file that is to be published under a path.
  ///
  /// It gets the permissions of the file that is there, if there is one.
  ///
  /// - Parameters:
  ///   - source: A file that may be read by no fewer than the new one; empty if there is none.
  ///   - mode: The permissions; nil for those of the file that is there, or of `source`.
  ///   - isNamed: Whether to do as if the file system knew no files without names.
  /// - Throws: `system`.
  init(
    for path: String, like source: String = "", mode: mode_t? = nil, isNamed: Bool = false
  ) throws(StorageError) {
    target = path
    let present = PendingFile.permissions(ofPath: path)
    let readable = PendingFile.permissions(ofPath: source)?.mode ?? 0o644
    let mode = mode ?? (present == nil ? readable & 0o644 | 0o600 : 0o600)
    if !isNamed,
      let descriptor = PendingFile.open(
        Syscalls.folder(of: path), O_RDWR | O_CLOEXEC | PendingFile.withoutName, mode)
    {
      file = try DiskFile(descriptor: descriptor)
      self.isNamed = false
    } else {
      let name = "\(path).\(getpid()).realmsh-tmp"
      guard
        let descriptor = PendingFile.open(name, O_RDWR | O_CLOEXEC | O_CREAT | O_EXCL, mode)
      else { throw .system(.open, errno) }
      temporaryPath = name
      self.isNamed = true
      file = try DiskFile(descriptor: descriptor)
    }
    if let present {
      // The owner is kept where the system allows it.
      _ = fchown(file.descriptor, present.owner, present.group)
      guard fchmod(file.descriptor, present.mode) == 0 else { throw .system(.open, errno) }
    }
  }

  deinit {
    if let temporaryPath { unlink(temporaryPath) }
  }

  private static func open(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32? {
    while true {
      let descriptor = Glibc.open(path, flags, mode)
      if descriptor >= 0 { return descriptor }
      if errno != EINTR { return nil }
    }
  }

  private static func permissions(
    ofPath path: String
  ) -> (mode: mode_t, owner: uid_t, group: gid_t)? {
    var buffer = stat()
    guard stat(path, &buffer) == 0 else { return nil }
    return (buffer.st_mode & 0o7777, buffer.st_uid, buffer.st_gid)
  }

  /// Reads the file before it is published.
  func reader(key: EncryptionKey?) throws(StorageError) -> RealmFile {
    try RealmFile(descriptor: file.descriptor, path: "", key: key)
  }

  /// Gives the file its name; what is written so far must have been synced.
  ///
  /// - Parameters:
  ///   - isReplacing: Whether a file that has the name is replaced.
  ///   - keyFile: The file of a new key, which gets its name just before.
  /// - Throws: `system`, with EEXIST if the name is taken and nothing is to be replaced, or if that of
  ///   the key file is.
  func publish(isReplacing: Bool, with keyFile: NewKeyFile? = nil) throws(StorageError) {
    let name = isReplacing || keyFile != nil ? try linkedPath() : nil
    do throws(StorageError) {
      try keyFile?.publish()
      if isReplacing, let name {
        guard rename(name, target) == 0 else { throw .system(.open, errno) }
      } else {
        try link(to: target)
        if let temporaryPath { unlink(temporaryPath) }
      }
    } catch {
      keyFile?.withdraw()
      throw error
    }
    temporaryPath = nil
    try Syscalls.syncFolder(of: target)
  }

  /// Where a file waits that is to get a name at once.
  static func waitingPath(for target: String) -> String { "\(target).realmsh-tmp" }

  /// A name of the file, one beside its place if it had none.
  ///
  /// What the death of a program left under it is removed. Who replaces a file holds its lock, so that
  /// nobody else uses the name meanwhile.
  private func linkedPath() throws(StorageError) -> String {
    if let temporaryPath { return temporaryPath }
    let name = PendingFile.waitingPath(for: target)
    unlink(name)
    try link(to: name)
    temporaryPath = name
    return name
  }

  private func link(to path: String) throws(StorageError) {
    let (source, flags) =
      isNamed
      ? (temporaryPath ?? target, 0)
      : ("/proc/self/fd/\(file.descriptor)", AT_SYMLINK_FOLLOW)
    guard linkat(AT_FDCWD, source, AT_FDCWD, path, flags) == 0 else {
      throw .system(.open, errno)
    }
  }
}
