import ByteKernels
import Glibc
import RealmLanguage
import RealmObjects
import RealmStorage

/// `copy to`, `compact`, `upgrade`.
///
/// Source: shell.md 6.
extension Session {
  func copy(
    to path: FilePath, new: Bool, key: FilePath?, at range: SourceRange, to writer: ByteWriter
  ) throws(ShellError) {
    let database = try current(at: range)
    try refresh(database)
    let newKey = try readNewKey(key, for: resolve(path))
    let byteCount = try copy(
      database, to: path, key: newKey?.key, keyFile: newKey?.file, overwrite: !new)
    acknowledge(
      copiedText("copied", database, path, byteCount) + (newKey?.note ?? ""), to: writer)
  }

  /// `copied version 12 to backup.realm: 9.1 KiB`.
  func copiedText(
    _ verb: String, _ database: Database, _ path: FilePath, _ byteCount: Int
  ) -> String {
    let version = settings.showsVersions ? "version \(database.realm.snapshot.version) " : ""
    let changes = database.realm.hasChanges ? "with uncommitted changes " : ""
    let local = database.realm.snapshot.isSynchronised ? ", without synchronisation" : ""
    return "\(verb) \(version)\(changes)to \(path.text): \(sizeText(byteCount))\(local)"
  }

  /// Writes a compact copy of what a database shows now.
  func copy(
    _ database: Database, to path: FilePath, key: EncryptionKey?, keyFile: NewKeyFile?,
    overwrite: Bool, label: String = "copying"
  ) throws(ShellError) -> Int {
    let target = resolve(path)
    try permitCopying(to: target, at: path.range)
    let progress = Progress(label, for: self)
    let snapshot = database.realm.snapshot
    do throws(StorageError) {
      // The copy of a synchronised database is a local one, built anew.
      if snapshot.isSynchronised, keyFile == nil {
        return try FileUpgrader.upgrade(
          snapshot, to: target, key: key, overwrite: overwrite
        ) { progress.goesOn($0, $1) }.byteCount
      }
      return try FileCopier.copy(
        snapshot, to: target, key: key, overwrite: overwrite, keyFile: keyFile
      ) { progress.goesOn($0, $1) }
    } catch {
      throw copyError(error, path)
    }
  }

  private func copyError(_ error: StorageError, _ path: FilePath) -> ShellError {
    var failure: ShellError
    switch error {
    case .system(_, EEXIST):
      failure =
        StorageMessages.danglingLink(resolve(path), shownAs: path.text)
        ?? ShellError(.fileAlreadyExists, "\(path.text) exists already")
    case .rejected(.interrupted):
      failure = ShellError(.interrupted, "interrupted; no copy was made")
    case .notARealmFile, .noKey, .badFileSize, .notAFile:
      failure = ShellError(
        .fileAlreadyExists, "\(path.text) exists already and is no Realm file")
    default: failure = StorageMessages.error(error, path: path.text)
    }
    failure.range = path.range
    return failure
  }

  // MARK: compact

  func compact(
    to path: FilePath?, at range: SourceRange, to writer: ByteWriter
  ) throws(ShellError) {
    if let path {
      try copy(to: path, new: false, key: nil, at: range, to: writer)
      return
    }
    let database = try writable(at: range)
    try refuseTransaction(database, at: range)
    guard !database.isInMemory else {
      throw ShellError(
        .illegalOperation, "a memory database cannot be compacted", at: verbRange(range))
    }
    let progress = Progress("compacting", for: self)
    let sizes = try alone(with: database, at: range) { () throws(StorageError) in
      try FileCopier.compact(path: database.realm.path, key: database.key) {
        progress.goesOn($0, $1)
      }
    }
    acknowledge(
      "compacted \(shownPath(database.realm.path)): \(sizeText(sizes.before)) -> \(sizeText(sizes.after))",
      to: writer)
  }

  /// Refuses what cannot be done inside of a transaction.
  func refuseTransaction(_ database: Database, at range: SourceRange) throws(ShellError) {
    guard !database.realm.isWriting else {
      throw ShellError(
        .wrongTransactionState, "a write transaction is open", at: verbRange(range),
        remedy: "commit, or cancel")
    }
  }

  /// Does something with a file that this program has let go of, and takes part in it again.
  func alone<Result>(
    with database: Database, at range: SourceRange,
    _ body: () throws(StorageError) -> Result
  ) throws(ShellError) -> Result {
    if let other = threads.names.first(where: { $0 != thread.name }) {
      throw ShellError(
        .fileBusy, "thread \(other) has the file open", at: verbRange(range),
        remedy: other == ThreadIdentity.mainName ? nil : "stop \(quotedName(other))")
    }
    let other = databases.first {
      $0 !== database && !$0.isInMemory && OutputFile.areSame($0.realm.path, database.realm.path)
    }
    if let other {
      throw ShellError(
        .fileBusy, "the database \(other.name) has the file open", at: verbRange(range),
        remedy: "close \(quotedName(other.name))")
    }
    guard observers.watch(of: database) == nil else {
      throw ShellError(
        .fileBusy, "observers keep a version of the file", at: verbRange(range),
        remedy: "unobserve all")
    }
    forgetResults(of: database)
    let isShared = database.realm.access == .shared
    do throws(StorageError) {
      try database.realm.unshare()
      let result: Result
      do throws(StorageError) {
        result = try body()
      } catch {
        if isShared { try database.realm.share() }
        throw error
      }
      try database.realm.refresh()
      if isShared { try database.realm.share() }
      return result
    } catch {
      if case .rejected(.interrupted) = error {
        throw ShellError(.interrupted, "interrupted; \(database.shownPath) is as it was")
      }
      var failure = StorageMessages.error(error, path: database.realm.path)
      failure.range = failure.range ?? verbRange(range)
      throw failure
    }
  }

  // MARK: upgrade

  func upgrade(
    _ statement: UpgradeStatement, at range: SourceRange, to writer: ByteWriter
  ) throws(ShellError) {
    let database = try current(at: verbRange(range))
    try refuseTransaction(database, at: range)
    let outcome: FileUpgrader.Outcome
    let target: String
    let progress = Progress("upgrading", for: self)
    switch statement {
    case .file(let path):
      try refresh(database)
      outcome = try upgrade(database, to: path, progress)
      let copied = copiedText("copied", database, path, outcome.byteCount)
      target = outcome.isUpgrade ? path.text : copied
    case .inPlace:
      _ = try writable(at: range)
      outcome = try alone(with: database, at: range) { () throws(StorageError) in
        try FileUpgrader.upgradeInPlace(path: database.realm.path, key: database.key) {
          progress.goesOn($0, $1)
        }
      }
      target = ""
    }
    acknowledge(upgradedText(database, outcome, target), to: writer)
  }

  /// Writes a copy in the present format, with the key that the file has.
  private func upgrade(
    _ database: Database, to path: FilePath, _ progress: Progress
  ) throws(ShellError) -> FileUpgrader.Outcome {
    let file = resolve(path)
    try permitCopying(to: file, at: path.range)
    let snapshot = database.realm.snapshot
    do throws(StorageError) {
      return try FileUpgrader.upgrade(
        snapshot, to: file, key: snapshot.file.isEncrypted ? database.key : nil
      ) { progress.goesOn($0, $1) }
    } catch {
      throw copyError(error, path)
    }
  }

  /// `upgraded old.realm to new.realm: format 9 -> 24, 812 objects, 9.1 KiB`.
  private func upgradedText(
    _ database: Database, _ outcome: FileUpgrader.Outcome, _ target: String
  ) -> String {
    let name = shownPath(database.realm.path)
    guard outcome.isUpgrade else {
      let already = "\(name) has format \(FileFormat.current.number) already"
      return target.isEmpty ? already : "\(already); \(target)"
    }
    let formats =
      "format \(outcome.oldFormat.map { String($0) } ?? "none") -> "
      + "\(FileFormat.current.number)"
    let objects = counted(outcome.objectCount, "object", "objects")
    return "upgraded \(name)\(target.isEmpty ? "" : " to \(target)"): "
      + "\(formats), \(objects), \(sizeText(outcome.byteCount))"
  }
}
