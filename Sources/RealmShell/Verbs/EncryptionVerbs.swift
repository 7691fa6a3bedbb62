import ByteKernels
import Glibc
import RealmLanguage
import RealmObjects
import RealmStorage

/// `encrypt`, `decrypt`, `rekey`, and keys that are made for new files.
///
/// Source: shell.md 15.
extension Session {
  func changeEncryption(
    _ statement: EncryptionStatement, at range: SourceRange, to writer: ByteWriter
  ) throws(ShellError) {
    let database = try current(at: verbRange(range))
    if statement.target == nil {
      _ = try writable(at: range)
      try refuseTransaction(database, at: range)
      guard !database.isInMemory else {
        throw ShellError(
          .illegalOperation, "a memory database has no file", at: verbRange(range),
          remedy: "\(statement.action.rawValue) to PATH")
      }
    } else {
      try refresh(database)
    }
    try refuseSenseless(statement.action, database, at: range)
    let text =
      if let target = statement.target {
        try changeEncryption(statement, of: database, to: target)
      } else {
        try changeEncryptionInPlace(statement, of: database, at: range)
      }
    acknowledge(text, to: writer)
  }

  /// Refuses to encrypt what is encrypted, and to take a key away from what has none.
  private func refuseSenseless(
    _ action: EncryptionStatement.Action, _ database: Database, at range: SourceRange
  ) throws(ShellError) {
    let isEncrypted = database.realm.snapshot.file.isEncrypted
    guard isEncrypted == (action == .encrypt) else { return }
    throw ShellError(
      .illegalOperation,
      "\(database.shownPath) is \(isEncrypted ? "encrypted already" : "not encrypted")",
      at: verbRange(range),
      remedy: isEncrypted
        ? "rekey to PATH key SOURCE, or rekey in place key SOURCE"
        : action == .rekey ? "encrypt to PATH key SOURCE, or encrypt in place key SOURCE" : nil)
  }

  /// Writes a copy of what a database shows now.
  private func changeEncryption(
    _ statement: EncryptionStatement, of database: Database, to path: FilePath
  ) throws(ShellError) -> String {
    let key = try readNewKey(statement.key, for: resolve(path))
    let byteCount = try copy(
      database, to: path, key: key?.key, keyFile: key?.file, overwrite: true,
      label: statement.action.label)
    let copied = copiedText(statement.action.done, database, path, byteCount)
    return copied + (key?.note ?? "")
  }

  private func changeEncryptionInPlace(
    _ statement: EncryptionStatement, of database: Database, at range: SourceRange
  ) throws(ShellError) -> String {
    let path = database.realm.path
    let key = try readNewKey(statement.key, for: path)
    let progress = Progress(statement.action.label, for: self)
    try alone(with: database, at: range) { () throws(StorageError) in
      try FileCopier.rekey(
        path: path, key: database.key, newKey: key?.key, keyFile: key?.file
      ) { progress.goesOn($0, $1) }
      database.realm.changeKey(to: key?.key)
    }
    // The threads that come open it with the new key.
    threads.monitor.withLock { state in
      for i in state.databases.indices where state.databases[i].number == database.number {
        state.databases[i].key = key?.key
      }
    }
    return "\(statement.action.done) \(shownPath(path))" + (key?.note ?? "")
  }

}

/// Keys of files that there are, and of new ones.
extension Session {
  /// Reads the key that a statement names for a file that there is.
  func readKey(_ source: FilePath?) throws(ShellError) -> EncryptionKey? {
    guard let source else { return nil }
    do throws(ShellError) {
      return try KeySource.read(source.text, isSafe: isSafe) {
        resolve(FilePath($0, isQuoted: source.isQuoted, range: source.range))
      }
    } catch {
      var error = error
      error.range = source.range
      throw error
    }
  }

  /// Reads the key that the command line or the environment names for a file that there is.
  func readKey(_ source: String) throws(ShellError) -> EncryptionKey {
    try KeySource.read(source, isSafe: isSafe)
  }

  /// Reads the key that a statement names for a database to be opened or made.
  func readKey(_ source: FilePath?, for opening: inout Opening) throws(ShellError) {
    guard let source, opening.creation != .no else {
      opening.key = try readKey(source)
      return
    }
    let key = try readNewKey(source)
    (opening.key, opening.keyFile) = (key?.key, key?.file)
  }

  /// Reads the key that the command line names.
  func readKey(_ source: String, for opening: inout Opening) throws(ShellError) {
    guard opening.creation != .no, let path = KeySource.newPath(of: source) else {
      opening.key = try readKey(source)
      return
    }
    let key = try makeKey(path, absolutePath(path), for: nil, at: nil)
    (opening.key, opening.keyFile) = (key.key, key.file)
  }

  /// The key of a file that is going to be written.
  struct NewKey {
    let key: EncryptionKey
    /// The file of a key that is made; nil for one that there is.
    var file: NewKeyFile?
    /// The end of the acknowledgement.
    var note = ""
  }

  /// Reads the key that a statement names for a new file, or makes it.
  ///
  /// - Parameter database: The path of the file that is going to be encrypted, unless it is new.
  func readNewKey(
    _ source: FilePath?, for database: String? = nil
  ) throws(ShellError) -> NewKey? {
    guard let source else { return nil }
    guard let path = KeySource.newPath(of: source.text) else {
      return try readKey(source).map { NewKey(key: $0) }
    }
    let place = resolve(FilePath(path, isQuoted: source.isQuoted, range: source.range))
    return try makeKey(path, place, for: database, at: source.range)
  }

  /// Makes a key.
  ///
  /// - Parameters:
  ///   - path: The file of the key, as the user named it.
  ///   - place: The same as the system needs it.
  private func makeKey(
    _ path: String, _ place: String, for database: String?, at range: SourceRange?
  ) throws(ShellError) -> NewKey {
    guard !path.isEmpty else {
      throw ShellError(.invalidEncryptionKey, "new: needs the path of a file", at: range)
    }
    try permitWriting(to: place, at: range)
    do throws(StorageError) {
      let file = try NewKeyFile(path: place, for: database)
      return NewKey(key: file.key, file: file, note: "; key written to \(path)")
    } catch {
      guard case .system(_, let number) = error, number != EEXIST else {
        throw StorageMessages.danglingLink(place, shownAs: path, at: range)
          ?? ShellError(.fileAlreadyExists, "\(path) exists already", at: range)
      }
      throw ShellError(
        ErrorName(systemError: number),
        "cannot write the key to \(path): \(StorageMessages.systemText(number))", at: range)
    }
  }
}

extension EncryptionStatement.Action {
  /// What the progress bar says.
  fileprivate var label: String {
    switch self {
    case .encrypt: "encrypting"
    case .decrypt: "decrypting"
    case .rekey: "rekeying"
    }
  }

  /// The first word of the acknowledgement.
  fileprivate var done: String {
    switch self {
    case .encrypt: "encrypted"
    case .decrypt: "decrypted"
    case .rekey: "rekeyed"
    }
  }
}
