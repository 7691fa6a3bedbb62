import Glibc
import RealmLanguage
import RealmObjects
import RealmStorage

/// An error as the user sees it: a name, a message, a place, and what would help.
///
/// Source: shell.md 19, 25.
struct ShellError: Error {
  /// The name for `help` and `expect error`.
  var name: ErrorName
  /// What is wrong; lower case, without a full stop.
  var message: String
  /// The place in the statement, if it has one.
  var range: SourceRange?
  /// The name that was probably meant.
  var suggestion: String?
  /// A statement or option that would help.
  var remedy: String?
  /// What the message is about, in place of a place: a file.
  var subject: String?
  /// The text that `range` is in, if it is not that of the statement.
  var file: SourceText?
  /// Further lines under the message.
  var details: [String] = []

  init(
    _ name: ErrorName, _ message: String, at range: SourceRange? = nil, suggestion: String? = nil,
    remedy: String? = nil
  ) {
    self.name = name
    self.message = message
    self.range = range
    self.suggestion = suggestion
    self.remedy = remedy
  }
}

/// The names of errors.
///
/// Source: shell.md 25, object-model.md 0.2.
enum ErrorName: String, CaseIterable {
  case syntax = "Syntax"
  case invalidUTF8 = "InvalidUTF8"
  case unknownVerb = "UnknownVerb"
  case unknownVariable = "UnknownVariable"
  case unknownFunction = "UnknownFunction"
  case unknownObserver = "UnknownObserver"
  case unknownThread = "UnknownThread"
  case unknownSetting = "UnknownSetting"
  case unknownDatabase = "UnknownDatabase"
  case noSuchTable = "NoSuchTable"
  case invalidProperty = "InvalidProperty"
  case noDatabase = "NoDatabase"
  case fileNotFound = "FileNotFound"
  case fileAlreadyExists = "FileAlreadyExists"
  case permissionDenied = "PermissionDenied"
  case fileBusy = "FileBusy"
  case mismatchedConfig = "MismatchedConfig"
  case writeLocked = "WriteLocked"
  case timeout = "Timeout"
  case deadlock = "Deadlock"
  case wrongThread = "WrongThread"
  case referenceUsed = "ReferenceUsed"
  case wrongTransactionState = "WrongTransactionState"
  case transactionFailed = "TransactionFailed"
  case schemaValidationFailed = "SchemaValidationFailed"
  case schemaMismatch = "SchemaMismatch"
  case invalidSchemaVersion = "InvalidSchemaVersion"
  case invalidSchemaChange = "InvalidSchemaChange"
  case migrationNeeded = "MigrationNeeded"
  case migrationFailed = "MigrationFailed"
  case hasNulls = "HasNulls"
  case inUse = "InUse"
  case notARealmFile = "NotARealmFile"
  case damaged = "Damaged"
  case wrongKey = "WrongKey"
  case noKey = "NoKey"
  case invalidEncryptionKey = "InvalidEncryptionKey"
  case unsupportedFileFormatVersion = "UnsupportedFileFormatVersion"
  case fileFormatUpgradeRequired = "FileFormatUpgradeRequired"
  case syncHistory = "SyncHistory"
  case readOnlyDatabase = "ReadOnlyDatabase"
  case readOnlyProperty = "ReadOnlyProperty"
  case typeMismatch = "TypeMismatch"
  case objectTypeMismatch = "ObjectTypeMismatch"
  case propertyNotNullable = "PropertyNotNullable"
  case missingPropertyValue = "MissingPropertyValue"
  case invalidArgument = "InvalidArgument"
  case invalidName = "InvalidName"
  case invalidDictionaryKey = "InvalidDictionaryKey"
  case invalidDictionaryValue = "InvalidDictionaryValue"
  case illegalOperation = "IllegalOperation"
  case objectAlreadyExists = "ObjectAlreadyExists"
  case missingPrimaryKey = "MissingPrimaryKey"
  case modifyPrimaryKey = "ModifyPrimaryKey"
  case keyNotFound = "KeyNotFound"
  case outOfBounds = "OutOfBounds"
  case invalidatedObject = "InvalidatedObject"
  case staleAccessor = "StaleAccessor"
  case nullInPath = "NullInPath"
  case needsAll = "NeedsAll"
  case arithmetic = "Arithmetic"
  case conversion = "Conversion"
  case assertion = "Assertion"
  case importFailed = "ImportFailed"
  case fileOperationFailed = "FileOperationFailed"
  case commandFailed = "CommandFailed"
  case notSafe = "NotSafe"
  case limitExceeded = "LimitExceeded"
  case badVersion = "BadVersion"
  case trap = "Trap"
  case interrupted = "Interrupted"
  case usage = "Usage"

  /// The name for the error number of a system call with a path.
  init(systemError number: Int32) {
    switch number {
    case ENOENT: self = .fileNotFound
    case EACCES, EPERM: self = .permissionDenied
    default: self = .fileOperationFailed
    }
  }

  /// When the error occurs, for `help`.
  var meaning: String {
    switch self {
    case .syntax: "The text does not fit the grammar of statements or predicates."
    case .invalidUTF8: "A script contains bytes that are not UTF-8."
    case .unknownVerb: "A statement starts with a word that is no verb."
    case .unknownVariable: "No variable has this name."
    case .unknownFunction: "No function has this name."
    case .unknownObserver: "No observer has this name or number."
    case .unknownThread: "No thread has this name, or it was stopped."
    case .unknownSetting: "config does not know the setting or the value."
    case .unknownDatabase: "No open database has this name."
    case .noSuchTable: "The database has no class with this name."
    case .invalidProperty: "The class has no property with this name."
    case .noDatabase: "The statement needs an open database."
    case .fileNotFound: "The file does not exist."
    case .fileAlreadyExists: "The file exists already."
    case .permissionDenied: "The file may not be read."
    case .fileBusy: "Another process keeps the file."
    case .mismatchedConfig: "Another process has the file open with other options."
    case .writeLocked: "Somebody else is writing to the database."
    case .timeout: "The time to wait is over."
    case .deadlock: "The statement would wait for itself."
    case .wrongThread: "The object, results or collection belong to another thread."
    case .referenceUsed: "A reference can be resolved once."
    case .wrongTransactionState:
      "The statement does not fit the open transaction, or the lack of one."
    case .transactionFailed: "A statement failed half way: only cancel is possible."
    case .schemaValidationFailed: "The classes that are asked for break a rule."
    case .schemaMismatch: "The class in the file differs from the one that is stated."
    case .invalidSchemaVersion: "The file has a greater schema version."
    case .invalidSchemaChange: "The change of a class would lose values."
    case .migrationNeeded:
      "The declared classes differ from the file in a way that needs a migration."
    case .migrationFailed: "After a migration, objects of a class have the same primary key."
    case .hasNulls: "Nulls are in the way of a required property."
    case .inUse: "Other classes link to the class."
    case .notARealmFile: "The file is no Realm database."
    case .damaged: "The file breaks a rule of its format at the place named."
    case .wrongKey: "The key does not fit the file."
    case .noKey: "The file is encrypted and no key was given."
    case .invalidEncryptionKey: "A key must have 64 bytes."
    case .unsupportedFileFormatVersion: "The format number is outside the readable range."
    case .fileFormatUpgradeRequired: "The file must be upgraded before it can be written."
    case .syncHistory: "Files of synchronised realms can only be read."
    case .readOnlyDatabase: "The database is open for reading only."
    default: valueMeaning
    }
  }

  /// When errors of values and of the program occur.
  private var valueMeaning: String {
    switch self {
    case .readOnlyProperty: "A computed property cannot be set."
    case .typeMismatch: "A value has another type than its place needs."
    case .objectTypeMismatch: "An object of another class is needed."
    case .propertyNotNullable: "The property cannot be null."
    case .missingPropertyValue: "A required property of a new object has no value and no default."
    case .invalidArgument: "An argument is malformed or missing."
    case .invalidName: "A name is empty, too long or taken."
    case .invalidDictionaryKey: "A key of a dictionary starts with $ or contains a point."
    case .invalidDictionaryValue: "The values of the dictionary cannot be null."
    case .illegalOperation: "The operation is not defined for this value or type."
    case .objectAlreadyExists: "Another object has the primary key."
    case .missingPrimaryKey: "The class has no primary key."
    case .modifyPrimaryKey: "The primary key of an object cannot be changed."
    case .keyNotFound: "No object has this key."
    case .outOfBounds: "The position is outside the collection."
    case .invalidatedObject: "The object was deleted, or its creation was cancelled."
    case .staleAccessor: "The results were invalidated, or the section was deleted meanwhile."
    case .nullInPath: "A link on the way is null."
    case .needsAll: "A change of many objects needs where or all."
    case .arithmetic: "Overflow, or division by zero."
    case .conversion: "A conversion function failed."
    case .assertion: "assert or expect error failed."
    case .importFailed: "A file that is imported is not of its format, or not of the class."
    case .fileOperationFailed: "Reading or writing a file failed."
    case .commandFailed: "A system command could not be run."
    case .notSafe: "The statement is refused by --safe."
    case .limitExceeded: "Brackets or scripts are nested too deep, or a value is too large."
    case .badVersion: "The snapshot asked for is gone, or changed while it was read."
    case .trap:
      "A warning: the predicate means something else than it seems to; explain tells what."
    case .interrupted: "The statement was interrupted."
    case .usage: "The command line is wrong."
    default: ""
    }
  }

  /// The exit status when the error ends a script or hits FILE.
  ///
  /// Source: shell.md 2.
  var exitStatus: Int32 {
    switch self {
    case .fileNotFound, .fileAlreadyExists, .permissionDenied, .fileBusy, .mismatchedConfig,
      .fileOperationFailed:
      3
    case .notARealmFile, .unsupportedFileFormatVersion, .fileFormatUpgradeRequired, .syncHistory: 4
    case .wrongKey, .noKey, .invalidEncryptionKey: 5
    case .damaged: 6
    case .usage: 2
    case .interrupted: 130
    default: 1
    }
  }
}

extension ShellError {
  init(_ error: SyntaxError) {
    let name = ErrorName(rawValue: error.name.rawValue) ?? .syntax
    self.init(name, error.message, at: error.range, suggestion: error.suggestion)
  }
}
