import Glibc
import RealmLanguage
import RealmStorage

/// Texts for what the storage layer reports.
enum StorageMessages {
  /// The error for a file that cannot be opened or read.
  ///
  /// - Parameter path: The file as the user named it.
  static func error(_ error: StorageError, path: String) -> ShellError {
    let path = shownPath(path)
    switch error {
    case .system(let operation, let number): return system(operation, number, path)
    case .notAFile:
      return ShellError(.notARealmFile, "not a Realm file: \(path) is a folder or a device")
    case .notARealmFile(let found):
      let bytes = [24, 16, 8, 0].map { hex(UInt8(truncatingIfNeeded: found >> $0)) }
      return notARealmFile(
        "bytes 16 to 19 are \(bytes.joined(separator: " ")), expected 54 2d 44 42", path)
    case .badFileSize(let count):
      let rule =
        count < 24 ? "a database has at least 24 bytes" : "a size is a multiple of 8"
      return notARealmFile("it has \(count) bytes, \(rule)", path)
    case .noKey:
      return ShellError(
        .noKey, "\(path) is encrypted and no key was given",
        remedy: "--key file:PATH, --key cmd:COMMAND or --key prompt")
    case .wrongKey:
      return ShellError(.wrongKey, "\(path): wrong key, or the first page is damaged")
    case .damagedPage(let page):
      return ShellError(
        .damaged, "\(path): key is right; page \(page) (offset \(page * 4096)) is damaged")
    case .unsupportedVersion(let number):
      return ShellError(
        .unsupportedFileFormatVersion,
        "\(path) has format \(number); formats 2 to 11 and 20 to 24 can be read")
    case .unfinishedUpgrade:
      return ShellError(
        .unsupportedFileFormatVersion,
        "\(path) is in the middle of an upgrade that was interrupted",
        remedy: "open it once with the program that was upgrading it")
    case .noPreviousSnapshot:
      return ShellError(.badVersion, "\(path) does not hold the state before the last commit")
    case .damaged(let damage):
      return ShellError(
        .damaged,
        "\(path) is damaged at offset \(offset(damage.offset)): \(text(damage))",
        remedy: "check deep lists all damage that can be found; recover saves what it can")
    case .rejected(let reason): return rejection(reason, path)
    }
  }

  private static func notARealmFile(_ reason: String, _ path: String) -> ShellError {
    var error = ShellError(.notARealmFile, "not a Realm file: \(reason)")
    error.subject = path
    return error
  }

  /// The error for a symbolic link that leads nowhere; nil if the path is none.
  ///
  /// - Parameter name: The path as the user named it.
  static func danglingLink(
    _ path: String, shownAs name: String? = nil, at range: SourceRange? = nil
  ) -> ShellError? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK,
      stat(path, &status) != 0, errno == ENOENT
    else { return nil }
    var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = max(0, readlink(path, &target, target.count))
    let text = String(decoding: target[..<count], as: UTF8.self)
    return ShellError(
      .fileNotFound,
      "\(name ?? shownPath(path)) is a symbolic link to \(text), which does not exist", at: range)
  }

  /// Why a part of a file cannot be read, without the name of the file.
  static func reason(_ error: StorageError) -> String {
    if case .damaged(let damage) = error {
      return "offset \(offset(damage.offset)): \(text(damage))"
    }
    return self.error(error, path: "the file").message
  }

  private static func system(
    _ operation: StorageError.SystemOperation, _ number: Int32, _ path: String
  ) -> ShellError {
    switch number {
    case ENOENT:
      return danglingLink(path) ?? ShellError(.fileNotFound, "cannot open \(path): no such file")
    case ENOTDIR:
      return ShellError(.fileNotFound, "cannot open \(path): a part of the path is no folder")
    case EACCES, EPERM:
      return ShellError(.permissionDenied, "cannot open \(path): permission denied")
    default:
      let verb =
        switch operation {
        case .write, .resize, .sync: "write"
        default: "read"
        }
      return ShellError(.fileOperationFailed, "cannot \(verb) \(path): \(systemText(number))")
    }
  }

  private static func rejection(_ reason: Rejection, _ path: String) -> ShellError {
    switch reason {
    case .inUse: return ShellError(.fileBusy, "\(path): \(text(reason))")
    case .incompatibleSession: return ShellError(.mismatchedConfig, "\(path): \(text(reason))")
    case .writeLocked: return ShellError(.writeLocked, text(reason))
    case .wouldWaitForItself: return ShellError(.deadlock, text(reason))
    case .interrupted: return ShellError(.interrupted, text(reason))
    case .brokenSession, .unusableLockFile:
      return ShellError(
        .fileBusy, "\(path) cannot be written: \(text(reason))",
        remedy: "end all programs that have it open")
    case .needsUpgrade:
      return ShellError(
        .fileFormatUpgradeRequired, "\(path) cannot be written: \(text(reason))",
        remedy: "upgrade to PATH, or upgrade in place")
    case .synchronised:
      return ShellError(
        .syncHistory, "\(path) cannot be written: \(text(reason))",
        remedy: "copy to PATH, without synchronisation")
    default: return ShellError(.fileOperationFailed, "\(path) was not changed: \(text(reason))")
    }
  }

  /// A process for a sentence.
  private static func process(_ id: Int32?) -> String {
    guard let id else { return "a process" }
    return RunningProgram.name(ofProcess: id).map { "process \(id) (\($0))" } ?? "process \(id)"
  }

  /// The end of a sentence: who else has the file open.
  private static func alsoOpen(_ id: Int32?) -> String {
    id == nil ? "" : "; \(process(id)) has it open"
  }

  /// Why a change was refused.
  private static func text(_ reason: Rejection) -> String {
    switch reason {
    case .inUse(let holder): "\(process(holder)) has it open"
    case .writeLocked(let holder): "the write lock is held by \(process(holder))"
    case .wouldWaitForItself: "the write transaction of another open database holds this file"
    case .interrupted: "interrupted while waiting for the write lock"
    case .incompatibleSession(let what, let found, let expected, let holder):
      "\(process(holder)) has it open in a way that does not fit: "
        + "\(text(what)) \(found), expected \(expected)"
    case .brokenSession(let holder):
      "what the processes that have it open share is damaged" + alsoOpen(holder)
    case .unusableLockFile(let holder):
      "its lock file is damaged or no file" + alsoOpen(holder)
    case .needsUpgrade(let format): "it has format \(format), only format 24 can be written"
    case .synchronised: "it belongs to a synchronised realm; changes would be lost"
    case .versionGone: "others keep changing the file while it is read"
    case .copyDiffers: "the new file does not hold what the old one holds, and was given up"
    case .fileReplaced: "another file has taken its place"
    case .notSupported: "this change is not supported"
    case .badName: "the name is empty, too long or taken"
    case .noTable: "there is no such class"
    case .noColumn: "there is no such property"
    case .noObject: "there is no such object"
    case .noElement: "there is no such element"
    case .wrongType: "the value has the wrong type"
    case .valueTooLong: "the value is too long"
    case .overflow: "the result of the calculation does not fit the property"
    case .duplicatePrimaryKey: "another object has the same primary key"
    case .tableInUse: "other classes link to the class"
    }
  }

  /// What of a session does not fit.
  private static func text(_ mismatch: LockError.Mismatch) -> String {
    switch mismatch {
    case .initialization: "state of the lock file"
    case .byteCount: "size of the lock file"
    case .generation: "generation of the lock file"
    case .mutexByteCount: "size of a mutex"
    case .conditionByteCount: "size of a condition variable"
    case .mutexKind: "kind of a mutex"
    case .durability: "durability"
    case .historyType: "history type"
    case .historySchemaVersion: "schema version of the history"
    case .fileFormat: "file format"
    }
  }

  /// The system's text for an error number, in lower case.
  static func systemText(_ number: Int32) -> String {
    let text = String(cString: strerror(number))
    return text.prefix(1).lowercased() + text.dropFirst()
  }

  /// An offset as `check` and errors show it.
  static func offset(_ offset: UInt64) -> String {
    let digits = String(offset, radix: 16)
    return "0x" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  private static func hex(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return digits.count == 1 ? "0" + digits : digits
  }

  /// What is wrong at a place.
  static func text(_ damage: Damage) -> String {
    let (found, limit) = (damage.found, damage.limit)
    switch damage.kind {
    case .misalignedRef: return "ref \(found) is not a multiple of 8"
    case .refPastEnd: return "ref \(found) is outside the file (24 to \(limit))"
    case .nodePastEnd: return "node of \(found) bytes ends behind byte \(limit)"
    case .reservedWidthScheme: return "node with a reserved width scheme"
    case .wrongNodeKind: return "node of another kind than expected (flags \(found))"
    case .missingRef: return "no ref in slot \(found)"
    case .notTagged: return "no number in slot \(found)"
    case .tooFewElements: return "\(found) elements, at least \(limit) needed"
    case .tooManyElements: return "\(found) elements, at most \(limit) possible"
    case .countMismatch: return "\(found) elements, \(limit) expected"
    case .badDepth: return "tree of \(found) levels, \(limit) expected"
    case .cyclicRefs: return "nodes refer to each other in a circle"
    case .keyOrder: return "keys are not in ascending order"
    case .textPastEnd: return "text runs past its node (\(found) > \(limit) bytes)"
    case .badIndex: return "index \(found) is outside of \(limit) elements"
    case .unknownType: return "unknown type \(found)"
    case .badLength: return "value of \(found) bytes, \(limit) expected"
    case .badFooter: return "the footer of the streaming form is missing or wrong"
    case .truncated: return "the file has \(limit) bytes, \(found) are needed: it is cut off"
    case .oddFileSize:
      return "the file has \(found) bytes, which is no multiple of 8: it is cut off"
    case .badNanoseconds: return "nanoseconds \(found) out of range"
    case .badInstruction: return "unknown change after \(found) of \(limit) bytes of a change set"
    case .nestedTooDeep: return "collections nested more than \(limit) levels deep"
    }
  }
}
